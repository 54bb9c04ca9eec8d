"""What a collection compares: models with their vectors, runs, and features that others name."""
