"""Image-text matching, as its source shows it: recall both ways, and all answers of a query."""

from dashboard.views.protocols.crossmodal.query import query
from dashboard.views.protocols.crossmodal.recall import overview

__all__ = ["overview", "query"]
