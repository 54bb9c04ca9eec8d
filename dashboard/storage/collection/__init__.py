"""A collection: what its folder holds, checked and joined, and its fingerprints."""
