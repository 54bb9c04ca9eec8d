"""`reviews`: lists to judge, what people said, how far they agree, and decisions."""

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from dashboard.commands.options import FINE, Answer, add_choices, add_collection, add_options
from dashboard.commands.output import FORMATS, protect_rows

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
AUTHOR = """\
--author/--owner NAME  your name, which is not verified (default: the user of this system)
"""
LIST = "--list ID  list (default: the newest that is open)"
OPTIONS = {
    "create": AUTHOR
    + """\
--title TITLE!  name of the list
--choose worst|slice|doubtful|random|change  worst regressions, a --slice, what versions rank most
  differently, random, or change: labels that, if wrong, help the version behind most
  (default worst)
--compare  compare the lists of both versions blind, query by query, in place of results
--number NUMBER  number of pairs, or of queries to compare, at most (default 50)
--seed NUMBER  of random pairs (default 0)
""",
    "show": LIST,
    "next": AUTHOR + LIST,
    "close": f"{AUTHOR}--list LIST!  list that is closed",
    "decide": AUTHOR
    + """\
--query QUERY!  query
--item ITEM!  result of the query
--value VALUE!  relevant, not, keep (the label stays), or a grade
--note TEXT  why, at most 2,000 characters
""",
    "export": "--history  rows that were replaced, too",
}
"""What may be given, in the lines that `add_options` reads."""


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
        add_options(each, OPTIONS.get(name, ""))
    add_choices(made["create"], "baseline", "candidate", "metric")
    add_choices(made["export"])
    text = "write all labels with corrections to a new file: TREC lines, or CSV if it ends so"
    made["export"].add_argument("--qrels", dest="labels_file", type=Path, metavar="FILE", help=text)


def answer(call: Namespace) -> Answer:
    """Return the rows of an action; in CSV no cell is a formula for a spreadsheet."""
    from dashboard.plugins.reviews.actions import ANSWERS

    rows, columns = ANSWERS[call.action](call)
    if call.format == "csv":
        rows = protect_rows(rows)
    return rows, columns, FINE
