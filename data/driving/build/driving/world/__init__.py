"""Where clips come from: maps, traffic, and recordings of every road user at 10 Hz."""
