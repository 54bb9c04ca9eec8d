"""What the keys of every page open: the palette, which finds screens and queries, and the list."""
