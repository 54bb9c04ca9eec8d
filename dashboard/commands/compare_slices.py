"""`slices`: the difference of two versions on parts of the queries."""

from argparse import ArgumentParser, Namespace

from dashboard.commands.options import FINE, Answer, add_choices, add_collection, open_pair
from dashboard.commands.output import say

HELP = "the difference of two versions on parts of the queries"
COLUMNS = ("slice", "metric", "cutoff", "queries", "delta", "low", "high", "p", "p_adjusted")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_choices(parser, "baseline", "candidate", "metric")
    parser.add_argument("--pairs", action="store_true", help="queries that two slices share")


def answer(call: Namespace) -> Answer:
    """Return a row a slice; print which is the worst."""
    from dashboard.evaluation.slicing import describe_worst

    study, choices = open_pair(call)
    rows = study.compare_slices(*choices.pair, choices["metric"], call.pairs)
    say(describe_worst(rows))
    return rows, COLUMNS, FINE
