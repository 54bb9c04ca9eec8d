"""The versions that a collection compares: models with their vectors, and runs that have none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.collection import digests
from dashboard.storage.collection.annotation import matched_ids
from dashboard.storage.collection.settings import MODEL, read_settings
from dashboard.storage.files.near_names import near_model_file, unmatched
from dashboard.storage.files.table_files import only
from dashboard.storage.files.tables import READERS
from dashboard.storage.runs.similarities import SUFFIX, ids_beside
from dashboard.storage.vectors.vectors import Vectors, read_matrix, read_vectors
from dashboard.storage.versions.index_settings import IndexSettings, check_size, read_index
from dashboard.storage.versions.picture_side import PictureSide, read_side
from dashboard.tables import DataError, Findings, counted, listed, natural

TEXT_MODEL = "text_model"
"""The folder of a version's own language model, inside its own."""
TEXT_NETWORK = ("text.onnx", "tokenizer.json")
"""The files of a version's own ONNX network that embeds texts."""
ENCODERS = ("minilm+projection", "sentence-transformers", "http", "onnx")
"""Encoders of texts, for queries without a stored vector."""
FORMATS = (".npy", ".npz", ".parquet")
RUNS = (".trec", ".txt", ".run", *READERS)
RUN_NAME = re.compile(
    rf"(.+?)(({'|'.join(map(re.escape, RUNS))})(\.gz)?|{re.escape(SUFFIX)})", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Model:
    """A version of an encoder: its vectors of the items and of the stored text queries.

    A text's vector is encode(text) @ text_projection + text_bias, scaled to length 1, where there
    is one. picture: the side that sees uploaded pictures; None: it has none that can be used.
    of_signs: its hash codes are the signs of real-valued outputs. index: what it is searched
    through; None: exactly. probe: what its service made of a text when it embedded the items.
    """

    name: str
    folder: Path
    encoder: str
    dimension: int
    date: str
    note: str
    settings: dict[str, Any]
    items: Vectors
    queries: Vectors | None
    text_projection: npt.NDArray[np.float32] | None
    text_bias: npt.NDArray[np.float32] | None
    picture: PictureSide | None
    digest: str
    of_signs: bool = False
    index: IndexSettings | None = None
    probe: npt.NDArray[np.float32] | None = None

    @property
    def codes(self) -> bool:
        """Whether its vectors are hash codes of `dimension` bits."""
        return self.items.codes

    @cached_property
    def as_codes(self) -> Model:
        """The version with hash codes: itself, or real-valued outputs as their signs.

        Raises DataError where the signs of all its items' outputs are the same.
        """
        if self.codes:
            return self
        self.items.check_signs(f"models/{self.name}/items.npy")
        queries = self.queries and self.queries.signs()
        return replace(self, items=self.items.signs(), queries=queries, of_signs=True, index=None)


def with_codes(models: Mapping[str, Model]) -> tuple[dict[str, Model], dict[str, DataError]]:
    """The models with hash codes, and why others have none."""
    coded, broken = {}, {}
    for name, model in models.items():
        try:
            coded[name] = model.as_codes
        except DataError as problem:
            broken[name] = problem
    return coded, broken


def width_of_all(models: Mapping[str, Model]) -> int:
    """The dimension that all models share; 0 where they differ, or there are none."""
    widths = {model.dimension for model in models.values()}
    return widths.pop() if len(widths) == 1 else 0


def needing_vectors(queries: pd.DataFrame) -> dict[str, bool]:
    """For each query whether it needs a stored vector: all but item queries do."""
    needs = (queries["text"] != "") | (queries["item_id"] == "")
    return dict(zip(queries["query_id"], needs, strict=True))


def texts_alone(queries: pd.DataFrame) -> dict[str, str]:
    """The queries that an encoder of texts can embed, because they are only a text: query_id →
    text."""
    alone = queries[(queries["text"] != "") & (queries["item_id"] == "")]
    if "image" in alone.columns:
        alone = alone[alone["image"].str.strip() == ""]
    return dict(zip(alone["query_id"], alone["text"], strict=True))


def read_models(
    folder: Path,
    items: Sequence[str],
    queries: Mapping[str, bool],
    findings: Findings,
    texts: Collection[str] = (),
) -> tuple[dict[str, Model], dict[str, DataError]]:
    """The usable models under `folder` by name, and the errors of the others.

    `queries` says for each query whether it needs a stored vector, `texts` names those that an
    encoder embeds where it has none.
    """
    models, broken, every = {}, {}, dict.fromkeys(items, True)
    for place in sorted(_folders(folder), key=lambda path: natural(path.name)):
        noted = Findings()
        try:
            models[place.name] = read_model(place, every, queries, noted, texts)
        except DataError as problem:
            broken[place.name] = problem
            noted.error(problem)
        findings.rows += noted.rows
    return models, broken


def read_model(
    folder: Path,
    items: Iterable[str],
    queries: Mapping[str, bool],
    findings: Findings,
    texts: Collection[str] = (),
) -> Model:
    """The model in a folder, its vectors in the order of `items` and `queries`.

    Raises DataError naming the file: missing, of another width, not finite, for other items.
    """
    shown = f"models/{folder.name}"
    described = folder / "model.toml"
    settings = dict(MODEL)
    if described.exists():
        settings = read_settings(described, MODEL, f"{shown}/model.toml", findings)
    gallery = _joined(folder, "items", tuple(items), shown, findings)
    if gallery is None:
        cure = near_model_file(folder, "items.npy")
        raise DataError(f"{shown}/items.npy", "no such file", "the vectors of the items", cure=cure)
    width = gallery.dimension
    encodes = settings["encoder"] in ENCODERS
    lacking = {q: needs and not (encodes and q in texts) for q, needs in queries.items()}
    stored = _joined(folder, "queries", lacking, shown, findings)
    if stored is None:
        _check_query_vectors(lacking, settings["encoder"], shown, findings)
    gallery, stored = _read_as_codes(gallery, stored, shown, findings)
    _check_dimensions(gallery, stored, settings["dimension"], shown)
    projection = _optional(folder, "text_projection", shown, width)
    bias = _optional(folder, "text_bias", shown, width)
    probe = _optional(folder, "probe", shown, width)
    picture = _picture_side(folder, settings["picture"], f"{shown}/model.toml", findings)
    index = read_index(settings["index"], described, f"{shown}/model.toml", findings)
    if index is not None:
        check_size(index, len(gallery.ids), width, gallery.codes, described, f"{shown}/model.toml")
    digest = digests.of_values(
        digests.of_vectors(gallery),
        digests.of_vectors(stored),
        digests.of_array(projection),
        digests.of_array(bias),
        settings["encoder"],
        *_of_text_model(folder / TEXT_MODEL),
        *([picture.digest] if picture else []),
        *([index.digest] if index else []),
        *([settings["endpoint"], settings["endpoint_model"]] if settings["endpoint"] else []),
        *text_side(folder, settings),
    )
    date, note = str(settings["date"]), str(settings["note"])
    return Model(
        folder.name, folder, settings["encoder"], width, date, note, settings,
        gallery, stored, projection, bias, picture, digest, index=index,
        probe=None if probe is None else probe[0],
    )  # fmt: skip


def _check_query_vectors(
    queries: Mapping[str, bool], encoder: str, shown: str, findings: Findings
) -> None:
    """Add an error for a version without any of the query vectors that are needed."""
    needed = [query for query, needs in queries.items() if needs]
    if needed:
        many = counted(len(needed), "query needs", "queries need")
        found = f"no such file, though {many} a vector ({listed(needed)})"
        wanted = f"their vectors, with their ids in queries.txt (encoder = {encoder!r})"
        cure = f"Or name an encoder of texts in model.toml: {' or '.join(ENCODERS)}."
        findings.error(DataError(f"{shown}/queries.npy", found, wanted, cure=cure))


def _picture_side(
    folder: Path, table: dict[str, Any], name: str, findings: Findings
) -> PictureSide | None:
    """The picture side; an unusable one is an error, and the version works without it."""
    try:
        return read_side(folder, table, name, findings)
    except DataError as problem:
        findings.error(problem)
        return None


def _read_as_codes(
    gallery: Vectors, stored: Vectors | None, shown: str, findings: Findings
) -> tuple[Vectors, Vectors | None]:
    """The vectors of items and queries; as hash codes where both hold only codes, even as
    floats."""
    both = [vectors for vectors in (gallery, stored) if vectors is not None]
    if not all(each.are_codes() for each in both):
        return gallery, stored
    for stem, each in (("items", gallery), ("queries", stored)):
        if each is not None and not each.codes:
            findings.note(f"{shown}/{stem}", "floats of -1 and 1", "int8; read as hash codes")
    read = [each.as_codes() for each in both]
    return read[0], read[1] if stored is not None else None


def _check_dimensions(gallery: Vectors, stored: Vectors | None, dimension: int, shown: str) -> None:
    """Raise DataError where vectors of items and queries differ in kind or dimension, or have
    another dimension than the settings (0: the settings have none)."""
    width = gallery.dimension
    if stored is not None and stored.dimension != width:
        found = f"query vectors of {stored.dimension} dimensions"
        raise DataError(f"{shown}/queries.npy", found, f"{width}, as the items have")
    if stored is not None and stored.codes != gallery.codes:
        found = "hash codes" if stored.codes else "vectors of floats"
        raise DataError(f"{shown}/queries.npy", found, "the same kind as in items.npy")
    if dimension not in (0, width):
        found = f"dimension = {dimension}"
        raise DataError(f"{shown}/model.toml", found, f"{width}, as items.npy has")


def run_files(folder: Path, findings: Findings) -> dict[str, Path]:
    """The files of ranked results under `folder` by name, in natural order."""
    found: dict[str, Path] = {}
    beside = {ids for matrix in folder.glob(f"*{SUFFIX}") for ids in ids_beside(matrix)}
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        match = RUN_NAME.fullmatch(path.name)
        if path.name.startswith(".") or not path.is_file() or path in beside:
            continue
        if path.suffix == ".json":  # the record of a run
            continue
        if not match:
            findings.warning(
                f"runs/{path.name}", "an unknown kind of file", ".trec, .csv, .parquet or .npy"
            )
        elif match[1] in found:
            found_twice = f"a second run {match[1]!r} beside {found[match[1]].name}"
            findings.warning(f"runs/{path.name}", found_twice, "names used once; it was left out")
        else:
            found[match[1]] = path
    return dict(sorted(found.items(), key=lambda pair: natural(pair[0])))


def _folders(folder: Path) -> list[Path]:
    entries = folder.iterdir() if folder.is_dir() else ()
    return [path for path in entries if path.is_dir() and not path.name.startswith(".")]


def _joined(
    folder: Path,
    stem: str,
    known: Mapping[str, bool] | tuple[str, ...],
    shown: str,
    findings: Findings,
) -> Vectors | None:
    """The vectors stored under `stem` for the ids in `known`, in that order.

    known: which of them need a vector; of a tuple all do.
    Warnings count vectors of other ids, and ids that need a vector and have none.
    """
    paths = [path for path in (folder / f"{stem}{end}" for end in FORMATS) if path.is_file()]
    path = only(paths, f"{shown}/")
    if path is None:
        return None
    name = f"{shown}/{path.name}"
    own = tuple(known)
    vectors = read_vectors(path, folder / f"{stem}.txt", name, findings, own)
    if vectors.ids == own:  # as a rule; of a million ids nothing need be looked up then,
        return replace(vectors, ids=own)  # and their texts are held once, for all versions
    known = dict.fromkeys(known, True) if isinstance(known, tuple) else known
    joined = _of_known(vectors, stem, known, name, findings).rows(list(known))
    if not joined.ids:
        found = f"no vector for any of the {len(known):,} {stem}"
        raise DataError(name, found, f"ids of the {stem}")
    needed = [name for name, needs in known.items() if needs]
    missing = set(needed) - set(joined.ids)
    if missing:
        many = f"{len(missing):,} of {len(needed):,} {stem}"
        found = f"no vector for {many} ({listed(sorted(missing))})"
        findings.warning(name, found, f"a vector for each of the {stem}")
    return joined


def _of_known(
    vectors: Vectors, stem: str, known: Mapping[str, bool], name: str, findings: Findings
) -> Vectors:
    """The vectors under the collection's own ids, without those of unknown ids."""
    matches = (
        matched_ids(vectors.ids, list(known))
        if stem == "items"
        else {name: name for name in vectors.ids if name in known}
    )
    unknown = [name for name in vectors.ids if name not in matches]
    if unknown:
        found = f"{counted(len(unknown), 'vector')} for unknown ids ({unmatched(unknown, known)})"
        findings.warning(name, found, f"ids of the {stem}; they were left out")
    if len(set(matches.values())) < len(matches):
        raise DataError(name, "two vectors for one item", "one vector for each item")
    if all(matches.get(name) == name for name in vectors.ids):
        return vectors
    named = [name for name in vectors.ids if name in matches]
    return vectors.rows(named).named([matches[name] for name in named])


def text_side(folder: Path, settings: Mapping[str, Any]) -> list[str]:
    """What a version's vectors of texts depend on beside its language model: the fingerprints of
    its ONNX network and how texts are laid out for it, and the prompt of queries."""
    found = [f"prompt {settings['prompt_queries']}"] if settings["prompt_queries"] else []
    if settings["encoder"] == "onnx":
        paths = [folder / each for each in TEXT_NETWORK]
        found += [digests.of_file_once(path) if path.is_file() else "" for path in paths]
        found += [str(settings["pooling"]), str(settings["max_tokens"])]
    return found


def _of_text_model(folder: Path) -> tuple[str, ...]:
    """The fingerprint of a version's own language model, where it has one. A link out of the folder
    is never followed."""
    own = folder.is_dir() and folder.resolve().is_relative_to(folder.parent.resolve())
    return (digests.of_folder(folder),) if own else ()


def _optional(folder: Path, stem: str, shown: str, width: int) -> npt.NDArray[np.float32] | None:
    path = folder / f"{stem}.npy"
    if not path.exists():
        return None
    array = read_matrix(path, f"{shown}/{path.name}").astype("float32")
    if array.shape[1] != width or not np.isfinite(array).all():
        found = f"the shape {array.shape}" if array.shape[1] != width else "NaN or infinity"
        raise DataError(f"{shown}/{path.name}", found, f"finite numbers, {width} columns")
    return array
