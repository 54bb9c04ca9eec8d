"""A folder → a Collection: what is there, what is missing, and the fingerprint of its content."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.storage.collection import digests
from dashboard.storage.collection.collection_tables import read_tables
from dashboard.storage.collection.settings import (
    check_defaults,
    read_collection_settings,
    stands_first,
)
from dashboard.storage.files.near_names import check_names
from dashboard.storage.files.table_files import stored_files
from dashboard.storage.reviews import rights
from dashboard.storage.versions.model_record import check_recorded
from dashboard.storage.versions.versions import (
    Model,
    needing_vectors,
    read_models,
    run_files,
    texts_alone,
    with_codes,
)
from dashboard.tables import DataError, Findings, natural

DEMOS = Path(__file__).resolve().parents[3] / "data"


def data_folders(named: str, demos: str = "") -> tuple[Path, ...]:
    """The folders of collections: those that `DASHBOARD_DATA` names, with `:` between several, and
    our demos.

    The demos stay beside several folders, and a single one takes their place, unless
    `DASHBOARD_DEMOS` (yes or no) says otherwise.

    >>> [folder.name for folder in data_folders("/srv/a:/srv/b")]
    ['a', 'b', 'data']
    >>> [folder.name for folder in data_folders("/srv/a")]
    ['a']
    """
    folders = [Path(part) for part in named.split(os.pathsep) if part.strip()]
    wanted = demos.strip().lower() or ("no" if len(folders) == 1 else "yes")
    if not folders or wanted not in ("0", "no", "false", "off"):
        folders.append(DEMOS)
    return tuple(dict.fromkeys(folders))


COLLECTIONS, *FURTHER = data_folders(
    os.environ.get("DASHBOARD_DATA", ""), os.environ.get("DASHBOARD_DEMOS", "")
)
"""The folder of collections, into which new ones are written, and further ones to read."""
SETTINGS = "collection.toml"
OF_CODES = "hashing"
"""The protocol whose vectors are hash codes, whatever a version's files hold."""
COUNTED = ("protocols", "groups", "default_groups", "cutoffs", "mapping_threshold")


@dataclass(frozen=True, eq=False)
class Collection:
    """A test collection: items, queries, labels, and the versions that are compared on them.

    broken    why a model was left out, by its name
    refused   why a file of labels was left out; no number that needs it may be shown
    findings  everything that was dropped, repaired or refused
    digests   fingerprints of the gallery, the queries, the labels and each version. The order of
              rows changes only `gallery order` and `queries order`
    state     the fingerprint of all tables, with the columns that only divide or describe
    """

    name: str
    folder: Path
    settings: dict[str, Any]
    items: pd.DataFrame
    queries: pd.DataFrame
    keywords: pd.DataFrame
    qrels: pd.DataFrame | None
    query_keywords: pd.DataFrame
    vocabulary: pd.DataFrame
    models: dict[str, Model]
    run_files: dict[str, Path]
    findings: pd.DataFrame
    broken: dict[str, DataError]
    refused: dict[str, DataError]
    digests: dict[str, str]
    state: str

    @property
    def title(self) -> str:
        return str(self.settings["title"]) or self.name

    @property
    def about(self) -> str:
        return str(self.settings["about"])

    @property
    def licence(self) -> str:
        return str(self.settings["licence"])

    @property
    def attribution(self) -> str:
        return str(self.settings["attribution"])

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(self.settings["protocols"])

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.settings["groups"])

    @property
    def default_groups(self) -> tuple[str, ...]:
        return tuple(self.settings["default_groups"])

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """The cutoffs of the first protocol's metrics; empty: the protocol's own."""
        return tuple(self.settings["cutoffs"])

    def cutoffs_of(self, protocol: str) -> tuple[int, ...]:
        """The cutoffs that the collection sets for a protocol: only the first one has any."""
        return self.cutoffs if protocol == self.protocols[0] else ()

    @property
    def mapping_threshold(self) -> float:
        return float(self.settings["mapping_threshold"])

    @property
    def media_root(self) -> str:
        return str(self.settings["media_root"])

    @property
    def cut_beforehand(self) -> str:
        """Whether clips were cut to their spans beforehand: auto (their lengths tell), yes, no."""
        return str(self.settings["cut_beforehand"])

    @property
    def posters_root(self) -> str:
        return str(self.settings["posters_root"])

    @property
    def default_baseline(self) -> str:
        return self._version("default_baseline", 0)

    @property
    def default_candidate(self) -> str:
        return self._version("default_candidate", -1)

    @property
    def versions(self) -> tuple[str, ...]:
        """The names of all models and run files, v0.2 before v0.10."""
        return tuple(sorted({*self.models, *self.run_files}, key=natural))

    @property
    def searched(self) -> dict[str, Model]:
        """The versions that are searched by vectors. Where a run file has a model's name, the file
        counts and the model is not searched."""
        return {name: m for name, m in self.models.items() if name not in self.run_files}

    def under(self, protocol: str) -> Collection:
        """The collection as a protocol reads its vectors: `hashing` takes their signs.

        A version whose signs are all the same is `broken` there.
        """
        return self._coded if self.by_signs(protocol) else self

    def by_signs(self, protocol: str) -> tuple[str, ...]:
        """The versions of real-valued vectors that count by their signs under a protocol."""
        real = [name for name, m in self.searched.items() if m.of_signs or not m.codes]
        return tuple(real) if protocol == OF_CODES else ()

    @cached_property
    def _coded(self) -> Collection:
        models, broken = with_codes(self.models)
        return replace(self, models=models, broken={**self.broken, **broken})

    @cached_property
    def digest(self) -> str:
        """One fingerprint of everything that was read; results are remembered by it."""
        return digests.of_values(self.digests, self.state)

    @cached_property
    def query_ids(self) -> frozenset[str]:
        """The ids of all stored queries, for looking up whether there is one."""
        return frozenset(self.queries["query_id"])

    def _version(self, setting: str, place: int) -> str:
        wanted = str(self.settings[setting])
        return wanted if wanted in self.versions or not self.versions else self.versions[place]

    def check_evidence(self) -> None:
        """Raise the DataError of the first file of labels that could not be used."""
        for problem in self.refused.values():
            raise problem


def names() -> list[str]:
    """The names of all collections: of each data folder those with `first = true`, then the others
    in natural order. Where two folders have one of the same name, the first counts."""
    return list(places())


def places() -> dict[str, Path]:
    """The folder of each collection by its name, in that order."""
    found: dict[str, Path] = {}
    only = rights.actor().collection  # a guest of a share link sees no other
    for folder in (COLLECTIONS, *FURTHER):
        there = sorted(_names_in(folder), key=natural)
        there = [only] if only in there else [] if only else there
        for name in sorted(there, key=lambda name: not stands_first(folder / name / SETTINGS)):
            found.setdefault(name, folder / name)
    return found


def place_of(name: str) -> Path | None:
    """The folder of the collection of that name, without listing all; None where there is none."""
    if (rights.actor().collection or name) != name:
        return None
    if name in ("", ".", "..") or name.startswith(".") or Path(name).name != name:
        return None
    there = (folder / name for folder in (COLLECTIONS, *FURTHER))
    return next((place for place in there if _is_file(place / SETTINGS)), None)


def unlisted() -> list[str]:
    """A sentence on each data folder that is missing, and each collection that another hides."""
    if rights.actor().collection:
        return []
    counted, folders = places(), (COLLECTIONS, *FURTHER)
    missing = [f"There is no data folder {folder}." for folder in folders if not folder.is_dir()]
    hidden = [sentence for name in sorted(counted, key=natural) for sentence in hidden_by(name)]
    return [*(missing if FURTHER else []), *hidden]


def hidden_by(name: str) -> list[str]:
    """A sentence on each collection that the one of this name hides, for its data folder comes
    before theirs."""
    if place_of(name) is None:
        return []
    there = [folder / name for folder in (COLLECTIONS, *FURTHER)]
    there = [place for place in there if _is_file(place / SETTINGS)]
    told = [f"{place.parent.name}/{name}" for place in there]
    if len(set(told)) < len(told):  # two data folders of one name
        told = [str(place) for place in there]
    first, *others = told
    return [f"{o} is not listed: {first} has the same name. Rename its folder." for o in others]


def _names_in(folder: Path) -> list[str]:
    entries = folder.iterdir() if folder.is_dir() else ()
    visible = (path for path in entries if not path.name.startswith("."))  # others are drafts
    return [path.name for path in visible if _is_file(path / SETTINGS)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except ValueError:  # a name with a zero byte
        return False


def check_readable() -> int:
    """The number of collections. Raises DataError where a data folder, or the settings of one of
    them, cannot be read."""
    for folder in (COLLECTIONS, *FURTHER):
        if not folder.is_dir():
            wanted = "the folders that DASHBOARD_DATA names"
            wanted = wanted if FURTHER else "the folder that DASHBOARD_DATA names"
            raise DataError("the data folder", "no such folder", wanted)
    try:
        there = places()
        for place in there.values():
            with (place / SETTINGS).open("rb") as file:
                file.read(1)
    except OSError as error:
        raise DataError("the data folder", f"{error.strerror}", "files that can be read") from error
    return len(there)


def find(name_or_path: str | Path, *, allow_path: bool = False) -> Path:
    """The folder of a collection by its name, or by its path where `allow_path`.

    Raises DataError for anything else; a name never leads out of the data folders.
    """
    if allow_path and (Path(name_or_path) / SETTINGS).is_file():
        return Path(name_or_path)
    if place := place_of(str(name_or_path)):
        return place
    shown = repr(str(name_or_path)[:80])
    if allow_path and Path(name_or_path).is_dir():
        cure = f"Create {SETTINGS}; it may be empty."
        if stored_files(Path(name_or_path), "lists"):
            cure = f'Create {SETTINGS}, for lists without a version with protocols = ["context"].'
        found, wanted = f"a folder without {SETTINGS}", "a collection's folder"
        raise DataError(shown, found, wanted, cure=cure)
    known = ", ".join(names()) or "(there are none)"
    raise DataError(shown, "no such collection", f"one of: {known}")


def open_collection(name_or_path: str | Path, *, allow_path: bool = False) -> Collection:
    """Open a collection. Raises DataError where its folder, settings or items cannot be used;
    everything else that cannot is in its `findings`, `broken` and `refused`."""
    folder = find(name_or_path, allow_path=allow_path)
    findings = Findings()
    settings = read_collection_settings(folder / SETTINGS, findings)
    check_names(folder, findings)
    read = read_tables(folder, settings, findings)
    settings, queries = read.settings, read.queries
    gallery, asked = tuple(read.items["item_id"].tolist()), needing_vectors(queries)
    texts = texts_alone(queries)
    models, broken = read_models(folder / "models", gallery, asked, findings, texts)
    models, broken = _coded(models, broken, settings["protocols"], findings)
    runs = _runs(folder, models, findings)
    check_defaults(settings, {**models, **runs}, findings)
    fingerprints = {
        **read.digests,
        "settings": digests.of_values({key: settings[key] for key in COUNTED}),
        **{f"models/{name}": model.digest for name, model in models.items()},
        **{f"runs/{name}": digests.of_run(path) for name, path in runs.items()},
    }
    check_recorded(models.values(), fingerprints, findings)
    refused = {what: str(problem) for what, problem in read.refused.items()}
    name = folder.name or folder.resolve().name
    return Collection(
        name, folder, settings, read.items, queries, read.keywords, read.qrels,
        read.query_keywords, read.vocabulary, models, runs, findings.frame(), broken,
        read.refused, fingerprints, digests.of_values(read.cells, refused, settings),
    )  # fmt: skip


def _coded(
    models: dict[str, Model],
    broken: dict[str, DataError],
    protocols: list[str],
    findings: Findings,
) -> tuple[dict[str, Model], dict[str, DataError]]:
    """The usable models, and the errors of the others.

    Where hash codes are wanted, a warning names each model without codes, and a model whose signs
    are all the same is an error.
    """
    if OF_CODES not in protocols:
        return models, broken
    coded, signless = with_codes(models)
    for name, model in models.items():
        if name in coded and not model.codes:
            found = f"real-valued vectors of {model.dimension} numbers"
            wanted = f"hash codes; under {OF_CODES} {model.items.signs_in_words()}"
            findings.warning(f"models/{name}/items.npy", found, wanted)
    for problem in signless.values():
        findings.error(problem)
    only = set(protocols) == {OF_CODES}
    return ({n: models[n] for n in coded}, {**broken, **signless}) if only else (models, broken)


def _runs(folder: Path, models: dict[str, Model], findings: Findings) -> dict[str, Path]:
    """The run files by name. Where a model has the same name, the file counts; a note says so."""
    runs = run_files(folder / "runs", findings)
    for name in sorted(set(models) & set(runs)):
        found = f"a run of the model {name}"
        findings.note(f"runs/{runs[name].name}", found, "one of the two; the file counts")
    return runs
