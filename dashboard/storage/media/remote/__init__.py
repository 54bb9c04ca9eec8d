"""Media on other hosts that the operator allowed, read in parts."""
