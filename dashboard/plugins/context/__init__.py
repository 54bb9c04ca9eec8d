"""Context-aware evaluation of image search: relevance from 0 to 100, gains in context."""
