"""Composed queries, as their source judges them: a leaderboard, a way in for features, and for a
query the places of what fulfils it."""

from dashboard.views.protocols.composed.board import alone, overview
from dashboard.views.protocols.composed.places import query

__all__ = ["alone", "overview", "query"]
