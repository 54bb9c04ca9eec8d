"""Registration of `init`."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="importers",
    settings={"source": [""]},
    formats="formats:FORMATS",
    commands={"init": "init_collection"},
)
