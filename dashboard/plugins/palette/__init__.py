"""Registration of the palette."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(name="palette", sections={"links": "panel:draw_palette"}, routes="panel:ROUTES")
"""Ctrl K on every page: first steps, screens, collections, and the queries of a collection."""
