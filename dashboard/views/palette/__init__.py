"""What the keys of every page open: the palette, which finds screens and queries, and the list."""

from dashboard.views.palette.matches import PALETTE, matches, routes

__all__ = ["PALETTE", "matches", "routes"]
