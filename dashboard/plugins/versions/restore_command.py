"""`restore`: move back what `remove` moved to the trash."""

from argparse import Namespace
from pathlib import Path

from dashboard.commands.options import Answer
from dashboard.errors import DataError
from dashboard.plugins.versions.trash import TRASH, list_places, move
from dashboard.storage.folders import find_folder, is_collection

OPTIONS = ""
HELP = "move back what was removed of a collection"


def answer(call: Namespace) -> Answer:
    """Move back what was removed of a collection, each file to where it was; return a row each.

    Of what was removed several times under one name, the last is moved back.

    Raises:
        DataError: If there is nothing, or something new is in its place.
    """
    folder = find_folder(call.collection).absolute()
    base = folder.parent
    trash = base / TRASH
    places = list_places(trash)
    removed = [place / folder.name for place in places]
    whole = [path for path in removed if is_collection(path)]
    if whole:
        found = {folder: whole[-1]}
    else:
        parts = (path for each in removed for path in sorted(each.glob("*/*")))
        found = {folder / path.parent.name / path.name: path for path in parts}
    if not found:
        names = (
            ", ".join(sorted({path.name for place in places for path in place.iterdir()})) or "none"
        )
        raise DataError(
            TRASH,
            f"nothing of {folder.name!r}",
            f"the name of something removed; there are: {names}",
        )
    for place in filter(Path.exists, found):
        raise DataError(
            str(place.relative_to(base)),
            "something new in its place",
            "a free name",
            do="Rename or remove that first.",
        )
    rows = move(base, found)
    for each in sorted(trash.glob("**/"), reverse=True):
        if not any(each.iterdir()):
            each.rmdir()
    return rows
