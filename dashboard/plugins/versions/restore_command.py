"""`restore`: move back what `remove` moved to the trash."""

from argparse import ArgumentParser, Namespace

from dashboard.commands.options import Answer
from dashboard.plugins.versions.trash import restore

HELP = "move back what was removed of a collection"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("collection", metavar="COLLECTION", help="its name below data/")


def answer(call: Namespace) -> Answer:
    """Return a row a file or folder that was moved back."""
    return restore(call.collection)
