"""Reads what others have: folders of media, data sets and vectors as each community writes them.

Each reader says which files of a source are its own (`detect`) and what is in them (`read`), as a
Content. content.py declares both; listing.py lists a source without following links out of it;
tables.py guesses what columns are; joining.py has the readers in order and made_queries.py writes
queries where nobody did; drafts.py and writing.py write the collection. The other files hold a
reader each. Nothing is ever written into a source.
"""
