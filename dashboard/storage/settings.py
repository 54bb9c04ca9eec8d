"""`collection.toml`: where the collections are, and their settings with defaults."""

import os
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Findings, add_finding, list_names
from dashboard.texts import read_text

Settings = dict[str, Any]
"""Content of a TOML file, by key."""

SETTINGS = {
    "title": "",
    "about": "",
    "licence": "",
    "attribution": "",
    "first": False,
    "protocols": [""],
    "cutoffs": [1],
    "margins": [""],
    "media_root": "media",
    "posters_root": "posters",
    "default_baseline": "",
    "default_candidate": "",
}
"""Settings of the core; the value shows the type, and is the default where it says something."""


def read_settings(path: Path, schema: Settings, findings: Findings) -> Settings:
    """Return the settings that a file gives; the file may be missing or empty.

    Raises:
        DataError: If the file is no TOML, or a value has another type than in the schema.
    """
    found = read_toml(path, path.name, findings)
    unknown = [key for key in found if key not in schema]
    if unknown:
        wanted = f"keys among {', '.join(schema)}"
        add_finding(findings, path.name, f"keys {list_names(unknown)}", wanted)
    for key, value in found.items():
        if key in schema and not _fits(value, schema[key]):
            raise DataError(path.name, f"{key} = {str(value)[:80]!r}", _describe(schema[key]))
    return {key: value for key, value in found.items() if key in schema}


def read_toml(path: Path, name: str, findings: Findings | None = None) -> Settings:
    """Return the content of a TOML file; nothing if it is missing.

    Args:
        path: The file.
        name: Its name in messages.
        findings: Gains a note if the file is not UTF-8.

    Raises:
        DataError: If it is no TOML.
    """
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(read_text(path, name, [] if findings is None else findings))
    except (ValueError, RecursionError) as error:
        why = f"no TOML ({str(error)[:120]})"
        line = re.search(r"at line (\d+)", str(error))
        raise DataError(
            name, why, 'lines such as title = "My clips"', line=int(line[1]) if line else None
        ) from error


def _fits(value: object, example: object) -> bool:
    if isinstance(example, list):
        return isinstance(value, list) and all(_fits(each, example[0]) for each in value)
    return type(value) in ((int, float) if isinstance(example, float) else (type(example),))


def _describe(example: object) -> str:
    if isinstance(example, list):
        return f"a list: {_describe(example[0])} each"
    names = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    return names[type(example)]


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


def find_setting(name: str, key: str) -> Any:
    """Return a setting of a collection that is not opened; None if it cannot be read."""
    with suppress(DataError):  # its own page says what is wrong
        return read_toml(find_data() / name / "collection.toml", name).get(key)
    return None


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
