"""`remove`: move a version or a collection to the trash."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.commands.options import FINE, add_collection
from dashboard.plugins.versions.trash import COLUMNS, list_files, remove
from dashboard.storage.folders import find_folder

HELP = "move a version, or a collection, to the trash of the data folder"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.add_argument("--version", default="", metavar="VERSION", help="only this version")
    parser.add_argument("--yes", action="store_true", help="do it; without it nothing is moved")


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a file or folder that was moved.

    Raises:
        ValueError: Without --yes.
        DataError: If there is no such version.
    """
    folder = find_folder(call.collection).absolute()
    files = list_files(folder, call.version)
    if not call.yes:
        names = ", ".join(str(path.relative_to(folder.parent)) for path in files)
        raise ValueError(f"This moves {names} to the trash. Add --yes to do it.")
    return remove(folder, call.version), COLUMNS, FINE
