"""`keys`: every key of a link, from the table of choices."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer
from dashboard.study.choices import list_choices

HELP = "every key of a link and what it holds"
COLUMNS = ("key", "holds")


def answer(call: Namespace) -> Answer:
    """Return a row a key."""
    rows = [{"key": each.key, "holds": each.meaning} for each in list_choices()]
    return [{"key": "collection", "holds": "collection that is open"}, *rows], COLUMNS, FINE
