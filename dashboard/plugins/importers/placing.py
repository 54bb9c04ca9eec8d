"""Versions of the new collection: which vectors and results belong to which items and texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dashboard.errors import DataError, Unsure, list_names
from dashboard.plugins.importers.gathering import Gathered
from dashboard.plugins.importers.planning import Plan
from dashboard.plugins.importers.vector_files import VectorFile
from dashboard.storage.new_versions import describe_form, find_form

SIDES = ("items", "texts")
Part = tuple[VectorFile, list[str]]
"""Rows of a file, and the id that each has in the collection; "" for one that is left out."""


@dataclass(eq=False)
class Placed:
    """A version.

    Attributes:
        items: Vectors of items, texts among them where texts are items.
        queries: Vectors of text queries.
        matrix: A matrix of similarities with the ids of its rows and columns.
        said: What it was taken from, by the side, for the answer.
        form: What its vectors are, as `find_form` says.
    """

    name: str
    items: list[Part] = field(default_factory=list)
    queries: list[Part] = field(default_factory=list)
    matrix: tuple[VectorFile, list[str], list[str]] | None = None
    said: dict[str, str] = field(default_factory=dict)
    by_position: bool = False
    form: str = ""


def place_vectors(found: Gathered, plan: Plan) -> list[Placed]:
    """Return the versions that are vectors or matrices.

    Raises:
        Unsure: If vectors have no ids and the caller does not say that their order is that of the
            items or texts.
        DataError: If their number is another one.
    """
    placed: list[Placed] = []
    for name in dict.fromkeys(name for name, _ in found.vectors):
        version = Placed(name)
        for side in SIDES:
            own = found.vectors.get((name, side))
            if own is not None and len(own):
                _place(found, plan, version, side, own)
        if version.matrix is not None:
            placed.append(version)
        elif "items" in version.said:
            every = [own for own, _ in (*version.items, *version.queries)]
            file, codes = list_names(every[0].files), found.source.options.codes
            version.form = find_form([own.open() for own in every], file, codes)
            if said := describe_form(version.form, every[0].shape[1]):
                version.said["form"] = said
            placed.append(version)
        elif version.said:
            said = f"vectors of texts and none of items for the version {name}"
            found.source.say(name, said, "both; left out")
    return placed


def choose_hashing(plan: Plan, placed: Sequence[Placed]) -> None:
    """Judge by hashing's types where all vectors are codes, and queries are no items."""
    is_apart = any(plan.queries.get(plan.basis.name)) and not any(plan.queries.get("item_id"))
    if plan.basis.kind == "labels" and placed and is_apart and all(each.form for each in placed):
        plan.settings |= {"protocols": ["hashing", "class_labels"], "class_label": "labels"}
        for rows in (plan.items, plan.queries):
            rows.columns["labels"] = rows.get(plan.basis.name)


def _place(found: Gathered, plan: Plan, version: Placed, side: str, own: VectorFile) -> None:
    """Give the vectors of one side of a version their ids."""
    file, texts = list_names(own.files), _list_texts(plan)
    known = plan.pictures if side == "items" else list(texts)
    if not own.has_ids and _is_matrix(found, own, (len(plan.pictures), len(texts)), file):
        rows = found.source.options.rows
        axes = {"item": plan.pictures, "text": list(texts)}
        version.matrix = (own, axes[rows], axes["text" if rows == "item" else "item"])
        version.said["items"] = f"{file}, a matrix whose rows are {rows}s, by position"
        return
    if own.has_ids:
        ids, how = _match(found, own, side, texts if side == "texts" else plan.pictures), ""
    else:
        _refuse_order(found, own, side, len(known), file)
        tables = found.list_files("items.csv" if side == "items" else "queries.csv")
        order = plan.files if side == "texts" and plan.texts else tables
        ids, how = known, f" in the order of {list_names(order)}"
        version.by_position = True
    if not any(ids):
        said = f"no vector of any of the {len(known):,} {side} ({list_names(own.ids)})"
        found.source.say(file, said, f"ids of {side}; left out")
        return
    version.said[side] = f"{sum(map(bool, ids)):,} {side} of {file}{how}"
    if side == "texts":
        version.queries.append((own, ids))
    if side == "items" or plan.texts:
        version.items.append((own, ids))


def _list_texts(plan: Plan) -> dict[str, str]:
    """Return what belongs to vectors of texts by id: captions, or text and picture queries."""
    columns = (plan.queries.get("text"), plan.queries.get("image"))
    cells = zip(plan.queries.index, *columns, strict=True)
    return {name: text or image for name, text, image in cells if text or image}


def _match(
    found: Gathered, own: VectorFile, side: str, known: Sequence[str] | Mapping[str, str]
) -> list[str]:
    """Return the id of each row; "" for an unknown one, which is said."""
    file = list_names(own.files)
    if isinstance(known, Mapping):
        names = {text: name for name, text in known.items()} | {name: name for name in known}
    else:
        names = found.match_items(own.ids, file, known)
    ids = [names.get(name, "") for name in own.ids]
    unknown = [name for name in own.ids if not names.get(name)]
    if len(unknown) < len(ids):
        what = f"vectors of unknown {side}"
        found.source.count(file, unknown, what, "ids that are there; left out")
    return ids


def _refuse_order(found: Gathered, own: VectorFile, side: str, known: int, file: str) -> None:
    """Refuse vectors without ids, if the caller does not say their order or it cannot be that."""
    if not found.source.options.by_position:
        told = f"{len(own):,} vectors of {side} without ids"
        wanted = f"the id of each, a line each, in {re.sub(r'[.][^.]*$', '.txt', file)}"
        raise Unsure(file, told, wanted, ["--by-position"] if len(own) == known else [wanted])
    if len(own) != known:
        told = f"{len(own):,} vectors without ids for {known:,} {side}"
        raise DataError(file, told, "as many", do="Put a file of ids beside it, one a line.")


def _is_matrix(found: Gathered, own: VectorFile, sizes: tuple[int, int], file: str) -> bool:
    """Return whether an array is a matrix of similarities between items and texts."""
    options = found.source.options
    ways = [kind for kind, shape in (("item", sizes), ("text", sizes[::-1])) if own.shape == shape]
    if not ways or not sizes[1]:
        return False
    if options.rows in ways:
        return True
    if options.by_position and not options.rows:
        return False
    shape = f"{own.shape}, as a matrix of {sizes[0]:,} items and {sizes[1]:,} texts"
    lines = [f"--rows {kind}" for kind in ways] + ["--by-position  # vectors"]
    raise Unsure(file, f"an array of shape {shape}", "a statement of what its rows are", lines)
