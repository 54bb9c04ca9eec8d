"""Reviews: verdicts of people, lists to judge, agreement, and corrected labels."""
