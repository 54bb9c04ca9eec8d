"""The record in `model.toml` of what a model was made for: fingerprints of the gallery, the queries
and its own vectors.

Items and queries change after vectors are computed for them, and vectors change after they are
described. The recorded fingerprints show both: a model made for another gallery, and other vectors
under the same name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from dashboard.storage.collection import digests
from dashboard.storage.files.contents import read_text
from dashboard.storage.versions.versions import FORMATS, Model
from dashboard.tables import DataError, Findings

VECTORS = "vectors"
RECORDED = {"gallery_digest": "gallery", "queries_digest": "queries", "vectors_digest": VECTORS}
FILE = "model.toml"
FILES = tuple(f"{stem}{end}" for stem in ("items", "queries") for end in (*FORMATS, ".txt"))
SHOWN = 12


def of_vectors(model: Model) -> str:
    """The fingerprint of all vectors and ids in a model's files, whether today's gallery and
    queries use them or not."""
    places = [model.folder / name for name in FILES]
    return digests.of_values(*(digests.of_file_once(p) if p.is_file() else "" for p in places))


def of_today(model: Model, collection: Mapping[str, str]) -> dict[str, str]:
    """The fingerprints that `record` would write today, by their keys.

    collection: the fingerprints of the gallery and the queries, among others.
    """
    return {key: _today(model, key, collection) for key in RECORDED}


def _today(model: Model, key: str, collection: Mapping[str, str]) -> str:
    what = RECORDED[key]
    return of_vectors(model) if what == VECTORS else collection[what]


def still_holds(key: str, written: str, today: str, collection: Mapping[str, str]) -> bool:
    """Whether a recorded fingerprint still holds today.

    collection: as in `of_today`. In older records the order of items and queries counted; these
    hold while the order is the same.
    """
    return written in (today, collection.get(f"{RECORDED[key]} order"))


def outdated(model: Model, collection: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """The recorded fingerprints that no longer hold: key → what is wrong, and what was wanted."""
    found = {}
    for key, what in RECORDED.items():
        written = str(model.settings[key])
        # files of vectors are read again only where a fingerprint is recorded
        if not written:
            continue
        today = _today(model, key, collection)
        if not still_holds(key, written, today, collection):
            wrong, cure = f"was made for another state of the {what}", "compute its vectors again"
            if what == VECTORS:
                wrong = "has other vectors than recorded"
                cure = "put back those on record; or, where it was trained anew, renew its record: "
                cure += f"python -m dashboard digests … --renew {model.name}"
            found[key] = wrong, f"{today[:SHOWN]} …, today's {what}; {cure}"
    return found


def check_recorded(models: Iterable[Model], today: Mapping[str, str], findings: Findings) -> None:
    """Warn of each model that was made for another state of the gallery or of the queries, or has
    other vectors than are on record."""
    for model in models:
        for key, (wrong, wanted) in outdated(model, today).items():
            written = f"{key} {str(model.settings[key])[:SHOWN]} …"
            findings.warning(f"models/{model.name}/{FILE}", f"{written}: it {wrong}", wanted)


def missing(model: Model) -> list[str]:
    """Which fingerprints a model does not have on record."""
    return [key for key in RECORDED if not model.settings[key]]


def record(model: Model, today: Mapping[str, str]) -> None:
    """Write today's fingerprints into a model's file where it has none; what is there stays.

    Raises DataError where the file cannot be written, or other keys would be read differently.
    """
    path, shown = model.folder / FILE, f"models/{model.name}/{FILE}"
    now = of_today(model, today)
    added = {key: now[key] for key in missing(model)}
    if not added:
        return
    text = read_text(path, shown, Findings(), may_be_empty=True)
    lines = text.splitlines()
    place = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    while place and not lines[place - 1].strip():
        place -= 1  # comments between the keys and the first table stay there
    lines[place:place] = [f'{key} = "{digest}"' for key, digest in added.items()]
    new = "\n".join(lines) + "\n"
    if tomllib.loads(new) != tomllib.loads(text) | added:
        raise DataError(shown, "keys that cannot be added to", f"a place for {', '.join(added)}")
    _replace(path, new, shown)


def is_retrained(model: Model) -> bool:
    """Whether a model has other vectors than are on record."""
    written = str(model.settings["vectors_digest"])
    return bool(written) and written != of_vectors(model)


def renew(model: Model, today: Mapping[str, str]) -> None:
    """Write today's fingerprints in place of those of a model that was trained anew under its old
    name; all other lines stay.

    Raises DataError where its vectors are those on record, or its file cannot be written.
    """
    path, shown = model.folder / FILE, f"models/{model.name}/{FILE}"
    if not is_retrained(model):
        wanted = "other vectors than on record; a version that only its gallery or queries left "
        wanted += "behind is computed again"
        raise DataError(shown, f"{model.name}, whose vectors are not newer", wanted)
    text, now = read_text(path, shown, Findings()), of_today(model, today)
    new = text
    for key, digest in now.items():
        new = re.sub(rf"(?m)^(\s*{key}\s*=\s*)([\"'])[^\"']*\2", rf'\g<1>"{digest}"', new, count=1)
    there = tomllib.loads(text)
    if tomllib.loads(new) != {**there, **{key: now[key] for key in now if key in there}}:
        raise DataError(shown, "fingerprints that cannot be replaced", "a line each, in quotes")
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
