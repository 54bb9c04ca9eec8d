"""Registration of the protocol trec, and the choice from which grade on items are relevant."""

from dashboard.plugins import Plugin
from dashboard.study.choices import Choice

CHOICES = (
    Choice(
        key="relevant_from",
        meaning="least grade of a relevant item, under the protocol trec (default: relevant_from "
        "in collection.toml, or 1)",
        kind="number",
        limits=(0.01, 1e6),
        default=lambda collection, before: float(collection.settings.get("relevant_from", 1)),
        explain_lack=lambda given, collection, before: (
            "" if before["protocol"] == "trec" else "it belongs to the protocol trec"
        ),
        changes_numbers=True,
        of_files=True,
    ),
)
PLUGIN = Plugin(
    name="trec",
    read_tables="judge:find_pairs",
    rules="judge:TREC",
    metrics="judge:compute_bpref",
    choices=":CHOICES",
    settings={"relevant_from": 1.0},
)
