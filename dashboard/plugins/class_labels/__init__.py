"""Relevance by class: an item of the query's class is relevant."""
