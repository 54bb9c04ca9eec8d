"""What a model was made for, as its `model.toml` says: fingerprints of the gallery and the queries.

Vectors outlive the items and queries that they were computed for. Where the fingerprints of that
day are written down, a model that is left behind is noticed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from dashboard.storage.files.contents import read_text
from dashboard.storage.findings import Findings
from dashboard.storage.versions import Model
from dashboard.tables import DataError

RECORDED = {"gallery_digest": "gallery", "queries_digest": "queries"}
FILE = "model.toml"
SHOWN = 12


def check_recorded(models: Iterable[Model], today: Mapping[str, str], findings: Findings) -> None:
    """Warn of each model that was made for another state of the gallery or of the queries."""
    for model in models:
        for key, what in RECORDED.items():
            written = str(model.settings[key])
            if written and written != today[what]:
                findings.warning(
                    f"models/{model.name}/{FILE}",
                    f"{key} {written[:SHOWN]} …: it was made for another state of the {what}",
                    f"{today[what][:SHOWN]} …, today's {what}; compute its vectors again",
                )


def missing(model: Model) -> list[str]:
    """Which fingerprints a model does not have on record."""
    return [key for key in RECORDED if not model.settings[key]]


def record(model: Model, today: Mapping[str, str]) -> None:
    """Write today's fingerprints into a model's file where it has none; what is there stays.

    Raises DataError where the file cannot be written, or would no longer be read as before.
    """
    path, shown = model.folder / FILE, f"models/{model.name}/{FILE}"
    added = {key: today[RECORDED[key]] for key in missing(model)}
    if not added:
        return
    text = read_text(path, shown, Findings())
    lines = text.splitlines()
    place = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    lines[place:place] = [f'{key} = "{digest}"' for key, digest in added.items()]
    new = "\n".join(lines) + "\n"
    if tomllib.loads(new) != tomllib.loads(text) | added:
        raise DataError(shown, "keys that cannot be added to", f"a place for {', '.join(added)}")
    _replace(path, new, shown)


def _replace(path: Path, text: str, shown: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise DataError(
            shown, f"a file that cannot be written ({error.strerror})", "a folder to write in"
        ) from error
