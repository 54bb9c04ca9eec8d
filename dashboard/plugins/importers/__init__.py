"""Importers: `init` makes a collection of files that a team has; one file a format."""
