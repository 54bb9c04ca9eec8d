"""Registration of services over HTTP: encoders, and systems that search."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="services",
    files=("runs/[!.]*.json",),
    read_versions="search_run:read_records",
    encoders={"http": "http_service:encode"},
    commands={"run": "run_command"},
)
