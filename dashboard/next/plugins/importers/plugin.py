"""Registration of `init`."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(
    name="importers",
    settings={"source": [""]},
    formats="formats:FORMATS",
    commands={"init": "init_collection"},
)
