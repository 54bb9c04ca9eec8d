"""What each collection asks and what is right: one file for each protocol, without any network."""
