"""Vectors and hash codes: arrays of rows that name their ids."""
