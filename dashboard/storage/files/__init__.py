"""Files of every format that we read, each turned into a checked table at the door."""
