"""Composed queries: a picture and words about it; only annotated items are ranked."""
