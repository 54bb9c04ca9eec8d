"""Hash codes for image retrieval, judged by the type of a pair."""
