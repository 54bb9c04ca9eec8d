"""Registration of the checks that a pipeline makes of a comparison."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(name="gate", commands={"compare": "compare_command"})
