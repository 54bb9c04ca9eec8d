"""How one thing looks, and how a choice becomes an address.

Sees tables, storage, retrieval and evaluation; only cached.py joins them.
"""
