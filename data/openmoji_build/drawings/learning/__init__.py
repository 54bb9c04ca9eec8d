"""Vectors of frozen networks in, model versions and hash codes out: the only room that trains."""
