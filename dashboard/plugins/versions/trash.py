"""`remove`: versions and collections are moved to `.trash` of the data folder, and back.

Each removal has a numbered folder there, so that names stay as they are.
"""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from dashboard.commands.options import FINE, Answer
from dashboard.errors import DataError
from dashboard.plugins.versions.add_command import read_version_name
from dashboard.storage.drafts import list_files, report_full_disk
from dashboard.storage.settings import MARKS, find_folder, is_collection

TRASH = ".trash"
OPTIONS = """
VERSION/--version  only this version
--yes  do it; without it nothing is moved
"""
COLUMNS = ("what", "moved_to")
HELP = "move a version, or a collection, to the trash of the data folder"


def answer(call: Namespace) -> Answer:
    """Return a row a file or folder that was moved.

    Raises:
        ValueError: Without --yes.
        DataError: If there is no such version, or the folder is no collection.
    """
    folder = find_folder(call.collection).absolute()
    base = folder.parent
    is_whole = call.version is None and call.named is None  # an empty name is no version
    version = "" if is_whole else read_version_name(call)
    if not is_collection(folder):
        raise DataError(folder.name, "no collection", f"a folder with {' or '.join(MARKS)}")
    names = list_files(folder)
    files = [folder] if is_whole else [path for path, name in names.items() if name == version]
    if not files:
        there = ", ".join(dict.fromkeys(names.values())) or "none"
        raise DataError(folder.name, f"no version {version!r}", f"one of {there}")
    if not call.yes:
        moved = ", ".join(str(path.relative_to(base)) for path in files)
        raise ValueError(f"This moves {moved} to the trash. Add --yes to do it.")
    place = base / TRASH / f"{sum(int(each.name) for each in list_places(base / TRASH)[-1:]) + 1}"
    return move(base, {place / path.relative_to(base): path for path in files})


def move(base: Path, paths: Mapping[Path, Path]) -> Answer:
    """Move files and folders, given by their new places; return a row each."""
    with report_full_disk(base.name):
        for place, path in paths.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
    pairs = [[str(each.relative_to(base)) for each in pair] for pair in paths.items()]
    return [{"what": what, "moved_to": place} for place, what in pairs], COLUMNS, FINE


def list_places(trash: Path) -> list[Path]:
    """Return the folders of removals, the last one at the end."""
    return sorted(
        [path for path in trash.glob("*") if path.name.isdecimal()], key=lambda path: int(path.name)
    )
