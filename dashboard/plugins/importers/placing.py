"""Versions of the new collection: which vectors and results belong to which items and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard.errors import DataError, Unsure, list_names
from dashboard.plugins.importers.gathering import Gathered
from dashboard.plugins.importers.planning import Plan
from dashboard.plugins.importers.source import Options
from dashboard.plugins.importers.vector_files import VectorFile
from dashboard.storage.new_versions import describe_form, find_form

Part = tuple[VectorFile, list[str]]
"""Rows of a file, and the id that each has in the collection; "" for one that is left out."""


@dataclass(eq=False)
class Placed:
    """A version.

    Attributes:
        items: Vectors of items, texts among them where texts are items.
        queries: Vectors of text queries.
        matrix: A matrix of similarities with the ids of its rows and columns.
        said: What it was taken from, for the answer.
        form: What its vectors are, as `find_form` says.
    """

    name: str
    items: list[Part] = field(default_factory=list)
    queries: list[Part] = field(default_factory=list)
    matrix: tuple[VectorFile, list[str], list[str]] | None = None
    said: list[tuple[str, str]] = field(default_factory=list)
    by_position: bool = False
    form: str = ""


def place_vectors(found: Gathered, plan: Plan) -> list[Placed]:
    """Return the versions that are vectors or matrices.

    Raises:
        Unsure: If vectors have no ids and the caller does not say that their order is that of the
            items or texts.
        DataError: If their number is another one.
    """
    placed: dict[str, Placed] = {}
    options = found.source.options
    texts = _list_texts(plan)
    for (name, side), own in found.vectors.items():
        if not own.shape[0]:
            continue
        version = placed.setdefault(name, Placed(name))
        file = list_names(own.files)
        known = plan.pictures if side == "items" else list(texts)
        if not own.has_ids and _is_matrix(own, plan, texts, options, file):
            is_text = options.rows == "text"
            axes = (list(texts), plan.pictures) if is_text else (plan.pictures, list(texts))
            version.matrix = (own, *axes)
            how = f"{file}, a matrix whose rows are {options.rows}s, by position"
            version.said.append(("", how))
            continue
        if own.has_ids:
            ids, how = _match(found, own, side, known, texts), ""
        else:
            ids = _take_order(own, known, side, file, options)
            table = "items.csv" if side == "items" else "captions" if plan.texts else "queries.csv"
            how = f" in the order of {list_names(found.list_files(table))}"
            version.by_position = True
        if not any(ids):
            said = f"no vector of any of the {len(known):,} {side} ({list_names(own.ids)})"
            found.say("warning", file, said, f"ids of {side}; left out")
            continue
        _place(version, plan, side, (own, ids))
        version.said.append((side, f"{sum(map(bool, ids)):,} {side} of {file}{how}"))
    for name, version in list(placed.items()):
        if version.matrix is None and not any(side == "items" for side, _ in version.said):
            if version.queries:
                said = f"vectors of texts and none of items for the version {name}"
                found.say("warning", name, said, "both; left out")
            del placed[name]
        elif version.matrix is None:
            every = [own for own, _ in (*version.items, *version.queries)]
            file = list_names(every[0].files)
            version.form = find_form([own.open() for own in every], file, options.codes)
            if said := describe_form(version.form, every[0].shape[1]):
                version.said.append(("", said))
    return list(placed.values())


def choose_hashing(plan: Plan, placed: Sequence[Placed]) -> None:
    """Judge by hashing's types where all vectors are codes, and queries are no items."""
    is_apart = any(plan.queries.get(plan.basis.name)) and not any(plan.queries.get("item_id"))
    if plan.basis.kind == "labels" and placed and is_apart and all(each.form for each in placed):
        plan.settings["protocols"] = ["hashing", "class_labels"]
        plan.settings["class_label"] = "labels"
        for rows in (plan.items, plan.queries):
            rows.columns["labels"] = rows.get(plan.basis.name)


def _place(version: Placed, plan: Plan, side: str, part: Part) -> None:
    if side == "items":
        version.items.insert(0, part)
        return
    version.queries.append(part)
    if plan.texts:
        version.items.append(part)


def _list_texts(plan: Plan) -> dict[str, str]:
    """Return what belongs to vectors of texts by id: captions, or text and picture queries."""
    columns = (plan.queries.get("text"), plan.queries.get("image"))
    cells = zip(plan.queries.index, *columns, strict=True)
    return {name: text or image for name, text, image in cells if text or image}


def _match(
    found: Gathered, own: VectorFile, side: str, known: Sequence[str], texts: dict[str, str]
) -> list[str]:
    """Return the id of each row; "" for an unknown one, which is said."""
    file = list_names(own.files)
    if side == "items":
        names = found.match_items(own.ids, file, known)
    else:
        names = {text: name for name, text in texts.items()} | {name: name for name in texts}
    ids = [names.get(name, "") for name in own.ids]
    unknown = [name for name, known in zip(own.ids, ids, strict=True) if not known]
    if len(unknown) < len(ids):
        what = f"vectors of unknown {side}"
        found.count(file, unknown, what, "ids that are there; left out", "warning")
    return ids


def _take_order(
    own: VectorFile, known: Sequence[str], side: str, file: str, options: Options
) -> list[str]:
    number = own.shape[0]
    if not options.by_position:
        told = f"{number:,} vectors of {side} without ids"
        wanted = f"the id of each, a line each, in {re.sub(r'[.][^.]*$', '.txt', file)}"
        raise Unsure(file, told, wanted, ["--by-position"] if number == len(known) else [wanted])
    if number != len(known):
        told = f"{number:,} vectors without ids for {len(known):,} {side}"
        raise DataError(file, told, "as many", do="Put a file of ids beside it, one a line.")
    return list(known)


def _is_matrix(
    own: VectorFile, plan: Plan, texts: dict[str, str], options: Options, file: str
) -> bool:
    """Return whether an array is a matrix of similarities between items and texts."""
    sizes = (len(plan.pictures), len(texts))
    ways = [kind for kind, shape in (("item", sizes), ("text", sizes[::-1])) if own.shape == shape]
    if not ways or not len(texts):
        return False
    if options.rows in ways:
        return True
    if options.by_position and not options.rows:
        return False
    told = (
        f"an array of shape {own.shape}, as a matrix of {sizes[0]:,} items and {sizes[1]:,} texts"
    )
    lines = [f"--rows {kind}" for kind in ways] + ["--by-position  # vectors"]
    raise Unsure(file, told, "a statement of what its rows are", lines)
