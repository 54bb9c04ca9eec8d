"""What reviewers say, in a SQLite file or a PostgreSQL database, and of which collection it is."""
