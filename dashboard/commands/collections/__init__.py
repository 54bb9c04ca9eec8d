"""The commands that make a collection and its versions, check them, and prepare what is shown."""
