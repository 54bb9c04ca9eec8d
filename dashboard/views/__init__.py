"""How one thing looks, and how a choice becomes an address.

Sees tables, evaluation (types and texts) and experiment, and of storage what reviewers say.
"""
