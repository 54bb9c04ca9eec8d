"""Presentation: the address, the frame of a page, charts and cards."""
