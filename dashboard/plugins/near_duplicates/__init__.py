"""Registration of items that count as one."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="near_duplicates",
    choices="choice:CHOICES",
    merge_items="merging:merge_items",
    describe_results="merging:describe_copies",
    commands={"check": "check_command"},
)
