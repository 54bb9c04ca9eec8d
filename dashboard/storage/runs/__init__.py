"""Runs and judgements: TREC lines, tables and matrices of similarities, in their final order."""
