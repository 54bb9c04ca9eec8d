"""What items and queries look like: files, posters, and the routes that serve them by id."""
