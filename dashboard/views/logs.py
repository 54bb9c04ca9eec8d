"""The log of the server, for the launcher, which sees no storage."""

from dashboard.storage.logs import escape_logs

__all__ = ["escape_logs"]
