"""Registration of the report."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(name="report", commands={"report": "commands"})
