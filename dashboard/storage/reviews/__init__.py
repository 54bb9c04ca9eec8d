"""What reviewers say, in one SQLite file, and which collection it belongs to."""
