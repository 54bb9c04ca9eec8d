"""What every page opens: the palette, which finds screens and queries, the list of keys, and the
first steps of a visitor without a link."""

from dashboard.views.palette import first_steps
from dashboard.views.palette.first_steps import FIRST_STEPS
from dashboard.views.palette.matches import PALETTE, matches, routes

__all__ = ["FIRST_STEPS", "PALETTE", "first_steps", "matches", "routes"]
