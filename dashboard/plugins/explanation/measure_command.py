"""`measure` of the core, which also explains the values of a query."""

from argparse import Namespace

from dashboard.commands import measure
from dashboard.commands.options import FINE, Answer, open_study_of
from dashboard.commands.output import say
from dashboard.errors import ChoiceError

HELP, FILES, KEYS = measure.HELP, True, measure.KEYS
OPTIONS = f"""{measure.OPTIONS}
--explain QUERY_ID  the terms that add up to each value of this query, a row a result
"""
TERMS = (
    "run", "query_id", "metric", "cutoff", "rank", "item_id", "grade", "credit", "hit", "term",
    "sum",
)  # fmt: skip


def answer(call: Namespace) -> Answer:
    """Return a row a version, metric and result; what has no terms is said in a note."""
    if call.explain is None:
        return measure.answer(call)
    from dashboard.evaluation.metrics import parse
    from dashboard.plugins.explanation.terms import explain_value

    study, choices = open_study_of(call)
    query = study.find_query(call.explain)
    rows = []
    for version in choices["runs"]:
        for each in parse(choices["metrics"]):
            try:
                _, _, found = explain_value(study, version, query, each)
            except ChoiceError as why:
                say(f"note: {version}: {why}")
                continue
            told = {
                "run": version, "query_id": call.explain, "metric": each.name,
                "cutoff": each.cutoff,
            }  # fmt: skip
            rows += [told | row for row in found]
    return rows, TERMS, FINE
