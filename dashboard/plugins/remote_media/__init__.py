"""Registration of media at addresses of other hosts."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(name="remote_media", media="remote_files:fetch_media")
