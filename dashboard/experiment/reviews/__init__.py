"""What people say of results: saved, assigned, counted, and what it changes."""
