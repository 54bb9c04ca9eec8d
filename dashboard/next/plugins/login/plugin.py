"""Registration of the login."""

from dashboard.next.plugins import Plugin

PLUGIN = Plugin(name="login", login="identity:Login")
