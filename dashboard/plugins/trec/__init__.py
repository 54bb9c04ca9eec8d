"""Judged pairs and runs, by the rules of trec_eval."""
