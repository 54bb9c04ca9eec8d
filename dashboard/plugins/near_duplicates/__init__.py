"""Registration of items that count as one."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="near_duplicates",
    choices="choice:CHOICES",
    merge_judgement="merging:merge_judgement",
    amend_run="merging:merge_run",
    describe_results="merging:describe_copies",
    commands={"check": "check_command"},
)
