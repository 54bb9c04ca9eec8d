"""Reads what others have: folders of media, data sets and vectors as each community writes them.

COCO, FiftyOne, BEIR, TREC and others: each reader says which files of a source are its own (`detect`) and what is in them (`read`), as a
Content. content.py declares both; listing.py lists a source without following links out of it; the
other files hold a reader each. Nothing is ever written into a source.
"""
