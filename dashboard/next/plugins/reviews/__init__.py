"""What people say of results: verdicts, lists to judge, agreement, and corrected labels."""
