"""`search`: results of each version for a text, an item or a picture."""

from argparse import ArgumentParser, Namespace

from dashboard.commands.options import (
    WRONG,
    Answer,
    add_choices,
    add_collection,
    add_options,
    complain_about_broken,
    open_study_of,
)
from dashboard.commands.output import say
from dashboard.texts import require_file

HELP = "results of each version for a text, an item or a picture"
OPTIONS = """
TEXT  what to search for
--item ID  item to find similar ones of
--file FILE  picture to search with
-k COUNT  number of results of a version (default 5)
"""
COLUMNS = ("run", "rank", "item_id", "score", "hit", "matched", "required")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_options(parser, OPTIONS)
    text = "versions to search with (default: all)"
    parser.add_argument("--model", dest="runs", nargs="+", metavar="VERSION", help=text)
    add_choices(parser, idle=("margins", "queries", "slice"))


def answer(call: Namespace) -> Answer:
    """Return a row a result."""
    from dashboard.retrieval.encoders import read_picture
    from dashboard.study.new_query import search

    text, item = (call.text or "").strip(), call.item or ""
    if sum(map(bool, (text, item, call.file))) != 1:
        raise ValueError("Give one of TEXT, --item ID and --file PATH.")
    study, choices = open_study_of(call)
    picture = None
    if call.file:
        require_file(call.file, call.file.name, "a picture")
        picture = read_picture(call.file.read_bytes(), call.file.name)
    found = search(study, choices["runs"], text=text, item=item, picture=picture, depth=call.k)
    code = complain_about_broken(call, study.collection)
    files = {each for each in found.lengths if study.collection.versions[each].run}
    for problem in found.explain_problems({*study.collection.broken, *files}):
        say(f"error: {problem}")
        code = WRONG
    told = {row["run"] for row in found.rows} | (found.problems.keys() - files)
    for version in (each for each in found.lengths if each not in told):
        say(f"note: {version} finds nothing for this query")
    return found.rows, COLUMNS, code
