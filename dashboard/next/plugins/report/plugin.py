"""Registration of the report."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(name="report", commands={"report": "commands"})
