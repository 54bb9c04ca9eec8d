"""`measure`: metrics of versions, or of plain files of results."""

from argparse import ArgumentParser, Namespace

from dashboard.commands.options import (
    Answer,
    add_choices,
    add_collection,
    complain_about_broken,
    complain_about_not_run,
    open_study_of,
)

HELP = "metrics of versions, or of plain files of results"
MEANS = ("run", "metric", "cutoff", "mean", "scored", "total")
VALUES = ("run", "query_id", "metric", "cutoff", "value")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser, files=True)
    add_choices(parser, "runs", "metrics")
    parser.add_argument("--by-query", action="store_true", help="the value of each query")


def answer(call: Namespace) -> Answer:
    """Return a row a version and metric, or a query."""
    study, choices = open_study_of(call)
    found = study.measure(choices["runs"], choices["metrics"])
    code = complain_about_broken(call, study.collection)
    code = complain_about_not_run(study, choices["runs"]) or code
    if call.by_query:
        return [row for each in found for row in each.list_values()], VALUES, code
    return [row for each in found for row in each.list_means()], MEANS, code
