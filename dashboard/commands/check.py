"""`check`: everything that is wrong, left out or repaired in a collection's files."""

from argparse import Namespace
from dataclasses import asdict

from dashboard.commands.options import FINE, FOUND, Answer, open_call
from dashboard.commands.output import say
from dashboard.storage.settings import find_folder

HELP = "errors, omissions and repairs of a collection's files"
OPTIONS = ""
COLUMNS = ("level", "file", "line", "found", "wanted")


def answer(call: Namespace) -> Answer:
    """Return the findings; the code is 1 with any error.

    Raises:
        DataError: If there is no such folder.
    """
    from dashboard.errors import DataError, Finding
    from dashboard.plugins import load_all
    from dashboard.storage.media import list_missing
    from dashboard.storage.versions import list_stale

    try:
        collection = open_call(call)
        lists = (list_missing, list_stale, *load_all("list_findings"))
        findings = (*collection.findings, *(e for more in lists for e in more(collection)))
    except DataError as error:
        if not find_folder(call.collection).is_dir():
            raise
        findings = (Finding.from_error(error),)
    levels = ("error", "warning", "note")
    rows = sorted(map(asdict, findings), key=lambda row: levels.index(row["level"]))
    if not rows:
        say("No problem found.")
    return rows, COLUMNS, FOUND if any(row["level"] == "error" for row in rows) else FINE
