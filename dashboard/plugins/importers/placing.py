"""Versions of the new collection: which vectors belong to which items and texts."""

import re
import shutil
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np

from dashboard.errors import DataError, Unsure, list_names
from dashboard.plugins.importers.gathering import Gathered, Placed, VectorFile
from dashboard.plugins.importers.pieces import RunLines, list_options
from dashboard.plugins.importers.similarities import SIMILARITIES
from dashboard.plugins.importers.source import Columns, find_stem, name_apart
from dashboard.storage.new_versions import (
    MATRIX,
    describe_form,
    find_form,
    tell_date,
    write_version,
)
from dashboard.storage.vector_ids import negate_distances
from dashboard.tables import Names, Texts


def write_versions(found: Gathered) -> None:
    """Write the versions that are vectors or matrices.

    Vectors of texts are those of queries, and of items, too, where texts are items.

    Raises:
        Unsure: If vectors have no ids and the caller does not say that their order is that of the
            items or texts.
        DataError: If their number is another one.
    """
    texts, date = _list_texts(found), tell_date()  # all of one call have one date
    for name in dict.fromkeys(name for name, _ in found.vectors):
        version = Placed(name, settings={"date": date})
        for side in ("items", "texts"):
            if not (own := found.vectors.get((name, side))):
                continue
            if own.of_pictures:
                texts_of = _match_pictures(found, own, own.ids).values()
                own.ids = own.ids if [*map(len, texts_of)] == [1] * len(own) else {}
            if own.columns or not own.has_ids and _is_matrix(found, own, texts):
                _write_matrix(found, version, own, texts)
            else:
                _add_side(found, version, side, own, texts)
        if "items" in version.sides:
            file, sides = found.vectors[name, "items"].file, version.sides
            arrays = [rows for own in sides.values() for rows, _ in own]
            version.form = find_form(arrays, file, found.source.options.codes)
            if said := describe_form(version.form, arrays[0].shape[1]):
                version.said.append(said)
            asked = found.queries.list_rows("text", "item_id")
            if "queries" not in sides and any(" " in text and item for _, text, item in asked):
                version.said.append("its queries ask by their item, not by their text")
            sides["items"] += sides.get("queries", ()) if found.texts else ()
            folder = found.folder / "models" / name
            folder.mkdir(parents=True)
            numbers = write_version(folder, sides, version.settings, version.form)
            version.rows |= {f"models/{name}/{n}.npy": number for n, number in numbers.items()}
        elif version.sides:
            found.source.say(
                name, f"vectors of texts and none of items for the version {name}", "both; left out"
            )
        found.placed += [version] if version.rows else []
    shutil.rmtree(found.folder / "vectors", ignore_errors=True)


def join_files(found: Gathered) -> None:
    """Make one version of files that only a number tells apart, if each has a part of the ids.

    At most half of those of the smallest file may come again, with the same vectors. Without ids
    they have as many rows together as there are items or texts. Versions whose files have one name
    are called by the folders that tell these apart.
    """
    vectors = found.vectors
    groups: dict[Any, list[str]] = {}
    for (name, side), own in vectors.items():
        file = re.sub(r"\d+(?=[^/\d]*$)", "", own.file)
        groups.setdefault((file, own.shape[1], side), []).append(name)
    for (_, _, side), names in groups.items():
        first, *rest = parts = [vectors[name, side] for name in names]
        ids = set[str]().union(*(each.ids for each in parts))
        number = len(found.pictures if side == "items" else _list_texts(found))
        again = sum(map(len, parts)) - (len(ids) or number)
        is_part = 0 <= 2 * again <= (min(map(len, parts)) if ids else 0)
        if rest and is_part and not any(own.differs(e) for own in parts for e in rest):
            for name in names:
                del vectors[name, side]
            for each in rest:
                first.add(each, found.source)
            plain, first.name = (re.sub(r"_\d+$", "", name) for name in (names[0], first.name))
            vectors[names[0] if (plain, side) in vectors else plain, side] = first
    several = {own.name for (name, _), own in vectors.items() if name != own.name}
    for (name, side), own in list(vectors.items()):
        if own.name in several:
            same = (each for (_, other), each in vectors.items() if other == side)
            files = [(each.name, file) for each in same for file in each.files]
            new = name_apart(own.name, list(own.files)[0], files)
            if (new, side) not in vectors:
                vectors[new, side] = vectors.pop((name, side))


def choose_hashing(found: Gathered) -> None:
    """Judge by hashing's types where all vectors are codes, and queries are no items."""
    is_apart = any(found.queries.get(found.column)) and not any(found.queries.get("item_id"))
    is_coded = found.placed and all(each.form for each in found.placed)
    if found.settings.get("class_label") and is_coded and is_apart:
        found.settings |= {"protocols": ["hashing", "class_labels"], "class_label": "labels"}
        for rows in (found.items, found.queries):
            rows.columns["labels"] = rows.get(found.column)


def _list_texts(found: Gathered) -> Texts:
    """Return what belongs to vectors of texts by id: captions, or text and picture queries."""
    cells = found.queries.list_rows("text", "image")
    return {name: text or image for name, text, image in cells if text or image}


def _add_side(found: Gathered, version: Placed, side: str, own: VectorFile, texts: Texts) -> None:
    """Give one side of a version the id of each row; "" for an unknown one, which is said.

    Pictures that ask may stand among those that are searched.
    """
    file, known = own.file, found.pictures if side == "items" else list(texts)
    noun = side if side == "items" or found.texts else "queries"
    order = "" if own.has_ids else _name_by_position(found, version, side, own, known)
    asked = Texts()
    if side == "texts":
        names = _match_texts(found, own, texts)
    else:
        names = found.match_items(own.ids, file, known)
        shown = found.queries.list_rows("image", "text")
        if apart := [query for query, image, text in shown if image or text == query]:
            asked = found.match_items((e for e in own.ids if e not in names), file, apart)
    unknown = [name for name in own.ids if name not in names and name not in asked]
    found.source.count(file, unknown, f"vectors of unknown {noun}", "ids that are there; left out")
    stem = "items" if side == "items" else "queries"
    for kind, what, own_ids in ((stem, noun, names), ("queries", "queries", asked)):
        ids = [own_ids.get(name, "") for name in own.ids]
        if number := sum(map(bool, ids)):
            version.sides.setdefault(kind, []).append((own.rows, ids))
            version.said.append(f"{number:,} {what} of {file}{order}")


def _match_texts(found: Gathered, own: VectorFile, texts: Texts) -> Texts:
    """Return the text of each name of vectors: by its id or itself, by its picture, or PICTURE#K.

    A picture stands for its only text. The numbers are those of all texts of each picture that is
    named so, from 0 or from 1 on.
    """
    names = {text: name for name, text in texts.items()} | {name: name for name in texts}
    if own.of_pictures:
        names = Texts()
    elif len(own) == len(texts) or not own.ids.keys() <= {*found.pictures}:
        names |= found.text_ids
    rest = [name for name in own.ids if name not in names]
    shown = _match_pictures(found, own, rest)
    names |= {name: told[0] for name, told in shown.items() if len(told) == 1}
    parted = {name: name.rpartition("#") for name in own.ids}
    numbers = {name: (stem, int(at)) for name, (stem, _, at) in parted.items() if at.isdecimal()}
    stems = dict.fromkeys(stem for stem, _ in numbers.values())
    owned = {} if own.ids.keys() <= names.keys() else _match_pictures(found, own, stems)
    asked = {pair: name for name, pair in numbers.items() if pair[0] in owned}
    for first in (0, 1):
        told = {(e, at): text for e, every in owned.items() for at, text in enumerate(every, first)}
        names |= {asked[e]: told[e] for e in told} if told.keys() == asked.keys() else {}
    rest = [name for name in rest if name not in names]
    return names | (found.match_items(rest, own.file, texts) if texts else Texts())


def _match_pictures(found: Gathered, own: VectorFile, names: Iterable[str]) -> Columns:
    """Return the texts of the picture that each name of vectors means."""
    owned = _list_own_texts(found)
    pictures = found.match_items(names, own.file, owned) if owned else Texts()
    return {name: owned[item] for name, item in pictures.items()}


def _name_by_position(
    found: Gathered, version: Placed, side: str, own: VectorFile, known: Names
) -> str:
    """Give vectors the ids of the items or texts; return their order in words, for the answer.

    A part that asks, and those that are left out, may stand among the items.
    """
    file = own.file
    if side == "items" and len(own) == len(found.whole):
        known = found.whole
    told = f"{len(own):,} vectors without ids for {len(known):,} {side}"
    if len(own) != len(known):
        raise DataError(file, told, "as many", do="Put a file of ids beside it, one a line.")
    beside = [re.sub(r"[.][^.]*$", ".txt", each) for each in own.files]
    if len({re.sub(r"\d", "", each) for each in own.files}) > 1:  # their order is not known
        do = f"Put the ids of each beside it: {', '.join(beside)}."
        raise DataError(file, told, "the id of each, a line each", do=do)
    if not found.source.options.by_position:
        wanted = f"the id of each, a line each, in {beside[0]}"
        pickles = found.source.list_left(".pkl")
        note = f"  # not by {pickles[0]}: a pickle is never read" if pickles else ""
        raise Unsure(file, told, wanted, [f"--by-position{note}"])
    if side == "texts" and found.texts:
        order = list_names(found.files)
        owners = [row[0] for row in found.qrels[::2]]
        if len(list(groupby(owners))) == len({*owners}):
            order += f", {found.noun} by {found.noun}"
    else:
        order = list_names(found.taken["items.csv" if side == "items" else "queries.csv"] or known)
    version.settings["by_position"] = True
    own.ids = dict.fromkeys(known)
    return f" in the order of {order}"


def _list_own_texts(found: Gathered) -> Columns:
    """Return the texts of each picture."""
    owned: Columns = {}
    for text, picture, _ in found.qrels[1::2] if found.texts else ():
        owned.setdefault(picture, []).append(text)
    return owned


def match_queries(found: Gathered, run: RunLines, items: Iterable[str]) -> Texts:
    """Return the query of each name in results, as items match; where pictures are found, a text.

    Raises:
        DataError: If pictures ask for pictures, and one has several texts.
    """
    several = {} if {*items} & {*found.texts} else _list_own_texts(found)
    owned = {name: texts[0] if len(texts) == 1 else "" for name, texts in several.items()}
    names = found.match_items((query for query, _, _ in run.rows), run.file, found.queries.index)
    told = f"{found.noun}s as queries for {found.noun}s"
    if unsure := [name for name, query in names.items() if not owned.get(query, query)]:
        raise DataError(
            run.file,
            f"{told}, which have several texts ({list_names(unsure)})",
            f"ids of texts, such as {found.texts[0]!r}",
        )
    if owned.keys() & {*names.values()}:
        found.source.say(run.file, told, "texts; the only text of each is meant", "note")
    return {name: owned.get(query, query) for name, query in names.items()}


def _is_matrix(found: Gathered, own: VectorFile, texts: Texts) -> bool:
    """Return whether an array is a matrix of similarities between items and texts.

    Raises:
        Unsure: If it may be one, or its name says so, and the caller says nothing.
    """
    options, size = found.source.options, (len(found.pictures), len(texts))
    ways = [kind for kind, shape in (("item", size), ("text", size[::-1])) if own.shape == shape]
    is_named = texts and any(map(SIMILARITIES.match, (*own.file.split("/"), own.key)))
    is_sure = ways and is_named
    if options.rows or not is_sure and (options.by_position or not (ways or is_named)):
        return options.rows in ways
    told = f"an array of shape {own.shape}, as a matrix of items and texts"
    wanted = "a statement of what its rows are"
    if not ways:
        wanted = f"{size}, in either order, or by --judgements the texts of one file"
    others = [] if is_sure else ["--by-position  # vectors"]
    raise Unsure(own.file, told, wanted, list_options("--rows", ways) + others)


def _write_matrix(found: Gathered, version: Placed, own: VectorFile, texts: Texts) -> None:
    """Write a matrix of similarities, and the ids of its rows and columns."""
    rows, said = found.source.options.rows, "a matrix with the ids of its rows and columns"
    if own.columns and not own.ids:
        said += _name_by_position(found, version, "items", own, found.pictures)
        own.columns = list(own.ids)
    axes: tuple[Names, Names] = list(own.ids), own.columns
    if found.texts and own.ids and axes[0] == axes[1]:
        wanted = f"those of rows and columns, in files {' and '.join(MATRIX[:2])}; left out"
        found.source.say(own.file, "similarities with one list of ids", wanted)
        return
    if not own.columns:
        axes = (found.pictures, [*texts]) if rows == "item" else ([*texts], found.pictures)
        said = f"a matrix whose rows are {rows}s, by position"
    version.said.append(f"{own.file}, {said}")
    place = found.folder / "runs" / f"{version.name}.npy"
    place.parent.mkdir(exist_ok=True)
    told, findings = own.key or find_stem(next(iter(own.files))), found.source.findings
    np.save(place, negate_distances(own.rows, told, own.file, findings))
    for ending, ids in zip(MATRIX, axes, strict=False):
        names = {text: name for name, text in texts.items()} | found.match_items(ids, own.file)
        place.with_suffix(ending).write_text(
            "\n".join(names.get(each, each) for each in ids), encoding="utf-8"
        )
    version.rows[f"runs/{place.name}"] = len(own)
