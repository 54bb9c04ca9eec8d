"""Hash codes, as their source shows them: over p, code length and radius, and bit by bit."""

from dashboard.views.protocols.hashing.overview import overview
from dashboard.views.protocols.hashing.pair import query

__all__ = ["overview", "query"]
