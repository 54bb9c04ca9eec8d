"""`slices`: the difference of two versions on parts of the queries."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer, open_pair
from dashboard.commands.output import say

HELP = "the difference of two versions on parts of the queries"
KEYS = ("baseline", "candidate", "metric")
OPTIONS = "--pairs  queries that two slices share"
COLUMNS = ("slice", "metric", "cutoff", "queries", "delta", "low", "high", "p", "p_adjusted")


def answer(call: Namespace) -> Answer:
    """Return a row a slice; print which is the worst."""
    from dashboard.evaluation.slicing import describe_worst

    study, choices = open_pair(call)
    rows = study.compare_slices(*choices.pair, choices["metric"], call.pairs)
    say(describe_worst(rows))
    return rows, COLUMNS, FINE
