"""Registration of versions."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="versions",
    commands={
        "add": "add_command",
        "embed": "embed_command",
        "remove": "trash",
        "restore": "restore_command",
    },
    screens={"add": "add_screen.py"},
)
