"""Registration of the login."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(name="login", login="identity:Login")
