"""`restore`: move back what `remove` moved to the trash."""

from argparse import Namespace
from pathlib import Path

from dashboard.commands.options import Answer
from dashboard.errors import DataError
from dashboard.plugins.versions.trash import TRASH, list_places, move
from dashboard.storage.drafts import KINDS, tell_version
from dashboard.storage.settings import find_folder, is_collection

OPTIONS = ""
HELP = "move back what was removed of a collection"


def answer(call: Namespace) -> Answer:
    """Move back what was removed of a collection, or a version, each file to where it was.

    Of what was removed several times under one name, the last is moved back.

    Raises:
        DataError: If there is nothing, or something new is in its place.
    """
    asked = find_folder(call.collection).absolute()
    is_version = asked.parent.name in KINDS and is_collection(asked.parent.parent)
    folder = asked.parent.parent if is_version else asked
    base = folder.parent
    trash = base / TRASH
    places = list_places(trash)
    removed = [place / folder.name for place in places]
    whole = [(folder, path) for path in removed if is_collection(path) and not is_version]
    found = dict(whole) or {
        folder / path.parent.name / path.name: path
        for each in removed
        for path in sorted(each.glob("*/*"))
        if not is_version or tell_version(path) == tell_version(asked)
    }
    if not found:
        names = ", ".join(sorted({path.name for own in places for path in own.iterdir()})) or "none"
        raise DataError(
            TRASH,
            f"nothing of {call.collection!r}",
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
