"""New versions of a collection, each put in its place whole.

adding.py     vectors, or ranked lists, that somebody else computed
embedding.py  items and texts by an encoder
running.py    ranked lists that a search system answers
"""
