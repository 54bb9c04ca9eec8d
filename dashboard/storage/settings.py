"""`collection.toml`: settings of a collection with their defaults."""

import re
import tomllib
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
