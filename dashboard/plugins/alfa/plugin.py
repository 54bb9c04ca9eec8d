"""Registration of the protocol alfa."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="alfa",
    files=("unified_annotation.csv", "query_keywords.csv", "vocabulary.toml"),
    settings={"groups": [""], "default_groups": [""], "mapping_threshold": 0.6},
    read_tables="keywords:read_keywords",
    rules="judge:ALFA",
    choices="choices:CHOICES",
    describe_results="judge:describe_results",
    commands={"keywords": "commands"},
)
