"""One script per screen, read from top to bottom.

Sees tables, evaluation and views; never storage or retrieval.
"""
