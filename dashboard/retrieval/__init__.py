"""Retrieval searches and reads free text. It imports `tables` and `storage`, and holds the only
slow imports of the program (faiss, torch, KeyBERT), each inside the function that needs it.
"""
