"""`reviews`: lists to judge, what people said, how far they agree, and decisions."""

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from dashboard.commands.options import FINE, add_choices, add_collection
from dashboard.commands.output import FORMATS, protect_cell

HELP = "what people say of results: lists to judge, agreement, decisions, corrected labels"
ACTIONS = {
    "list": "lists to judge, the newest first",
    "create": "make a list to judge",
    "show": "pairs of a list and what people said",
    "close": "end a list; only who made it can",
    "next": "the next pair of a list for a person",
    "export": "what people said, the last word of each; --qrels: corrected labels",
    "agreement": "how far people agree on pairs that several judged",
    "disagreements": "pairs on which people differ and nobody has decided",
    "decide": "decide on a pair; the decision corrects its label",
    "backup": "copy the whole store to a new file, also while people judge",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of each action."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    made = {name: actions.add_parser(name, help=text) for name, text in ACTIONS.items()}
    for name, each in made.items():
        each.add_argument("--format", choices=FORMATS, default=SUPPRESS, help="(default: table)")
        if name == "backup":
            each.add_argument("file", type=Path, metavar="FILE", help="new file for the copy")
        else:
            add_collection(each)
        if name in ("create", "close", "next", "decide"):
            text = "your name, which is not verified (default: the user of this system)"
            each.add_argument("--author", "--owner", default="", metavar="NAME", help=text)
        if name in ("show", "close", "next"):
            text = "list (default: the newest that is open)"
            each.add_argument("--list", required=name == "close", default="", help=text)
    _add_create(made["create"])
    _add_decide(made["decide"])
    _add_export(made["export"])


def _add_create(parser: ArgumentParser) -> None:
    parser.add_argument("--title", required=True, help="name of the list")
    ways = ("worst", "slice", "doubtful", "random", "change")
    text = "worst regressions, a --slice, what versions rank most differently, random, or change: "
    text += "labels that, if wrong, help the version behind most (default: worst)"
    parser.add_argument("--choose", choices=ways, default="worst", help=text)
    text = "compare the lists of both versions blind, query by query, in place of results"
    parser.add_argument("--compare", action="store_true", help=text)
    text = "number of pairs, or of queries to compare, at most (default 50)"
    parser.add_argument("--number", type=int, default=50, metavar="N", help=text)
    parser.add_argument("--seed", type=int, default=0, help="of random pairs (default 0)")
    add_choices(parser, "baseline", "candidate", "metric")


def _add_decide(parser: ArgumentParser) -> None:
    parser.add_argument("--query", required=True, metavar="ID")
    parser.add_argument("--item", required=True, metavar="ID")
    text = "relevant, not, unsure (the label stays), or a grade"
    parser.add_argument("--value", required=True, help=text)
    parser.add_argument("--note", default="", help="why, at most 2,000 characters")


def _add_export(parser: ArgumentParser) -> None:
    parser.add_argument("--history", action="store_true", help="rows that were replaced, too")
    text = "write all labels with corrections to a new file: TREC lines, or CSV if it ends so"
    parser.add_argument("--qrels", dest="labels_file", type=Path, metavar="FILE", help=text)
    add_choices(parser)


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return the rows of an action; in CSV no cell is a formula for a spreadsheet."""
    from dashboard.plugins.reviews.actions import ANSWERS

    rows, columns = ANSWERS[call.action](call)
    if call.format == "csv":
        rows = [{key: protect_cell(cell) for key, cell in row.items()} for row in rows]
    return rows, columns, FINE
