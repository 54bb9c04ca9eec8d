"""Where the collections are."""

import os
from pathlib import Path

from dashboard.errors import DataError

MARKS = ("collection.toml", "items.csv")
"""Files by which a folder is known as a collection."""


def find_data() -> Path:
    """Return the folder of the collections: DASHBOARD_DATA, or data/ of the working folder."""
    return Path(os.environ.get("DASHBOARD_DATA", "data"))


def find_folder(name: str) -> Path:
    """Return the folder of a collection: a path, or a name below the data folder.

    A folder beside it that is no collection, such as the source of `init`, is not meant.
    """
    path, below = Path(name), find_data() / name
    is_meant = path.is_dir() and not (below.is_dir() and not is_collection(path))
    return path if is_meant else below


def is_collection(folder: Path) -> bool:
    """Return whether a folder is one of a collection."""
    return any((folder / name).is_file() for name in MARKS)


def list_collections() -> list[str]:
    """Return the names of the collections below the data folder.

    Raises:
        DataError: If there is none.
    """
    folder = find_data()
    found = {path.parent.name for name in MARKS for path in folder.glob(f"*/{name}")}
    if not found:
        raise DataError(
            folder.name,
            "no collection",
            f"a folder with {' or '.join(MARKS)}",
            do="Set DASHBOARD_DATA to the folder that holds your collections.",
        )
    return sorted(found)
