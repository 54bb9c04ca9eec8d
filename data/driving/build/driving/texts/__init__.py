"""Everything that is said in words: captions, text queries and the vocabulary; pure."""
