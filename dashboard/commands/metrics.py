"""`metrics`: every metric, from the register."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer

HELP = "every metric with its formula and source, and which other programs agree"
COLUMNS = ("metric", "formula", "source", "summary", "agrees", "differs")


def answer(call: Namespace) -> Answer:
    """Return a row a metric."""
    from dashboard.evaluation.metrics import METRICS
    from dashboard.evaluation.peers import AGREES, DIFFERS, describe_peers
    from dashboard.plugins import load_all

    load_all("metrics")

    rows = [
        {
            "metric": each.title,
            "formula": each.formula,
            "source": each.source,
            "summary": each.summary,
            "agrees": describe_peers(each.name, AGREES),
            "differs": describe_peers(each.name, DIFFERS),
        }
        for each in METRICS.values()
    ]
    return rows, COLUMNS, FINE
