"""Retrieval searches and reads free text. It imports `tables` and `storage`, and holds the only
slow imports of the program (faiss, torch, KeyBERT), each inside the function that needs it.

`encoders/` makes vectors of texts and pictures, `gallery` searches them, exactly (`nearest`) or by
one of `indexes/`; `runs` and `one_query` give the results of a version, `keywords` reads the words
of a text.
"""
