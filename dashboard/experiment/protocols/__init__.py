"""What one protocol alone computes: submitted features (`composed`), hash codes (`hashing`),
matching of pictures and texts (`crossmodal`), and a study of lists that people saw (`context`)."""
