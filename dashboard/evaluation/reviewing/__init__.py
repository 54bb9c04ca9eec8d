"""What reviewers judged and have yet to judge: bounds, queue, samples, agreement, corrections."""
