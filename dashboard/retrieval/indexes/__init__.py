"""Indexes that answer the first results of queries in place of exact search: of faiss, in the
dashboard, or of a Milvus server. What they answer is scored and ordered again by stored vectors."""
