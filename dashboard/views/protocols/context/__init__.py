"""Image search in context: what people saw and said, as the protocol's source shows it."""

from dashboard.views.protocols.context.browse import browse
from dashboard.views.protocols.context.overview import overview
from dashboard.views.protocols.context.query import query

alone = overview
"""The lists that people saw need no version."""

__all__ = ["alone", "browse", "overview", "query"]
