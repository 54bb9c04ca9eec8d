"""Registration of items that count as one."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="near_duplicates",
    choices="choice:CHOICES",
    merge_items="groups:merge_items",
    describe_results="groups:describe_copies",
    list_findings="groups:list_findings",
)
