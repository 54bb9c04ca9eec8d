"""Makes a collection of what somebody has: looks, says what it takes for what, writes all of it or
nothing, maps the queries' words, records fingerprints and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.experiment.collection import checking, mapping
from dashboard.experiment.collection.collections import opened_in
from dashboard.retrieval.indexes import index_files
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection.annotation import matched_ids
from dashboard.storage.collection.collection import SETTINGS
from dashboard.storage.files.limits import LONGEST_ID, MOST_KEYWORDS
from dashboard.storage.sources.content import Content
from dashboard.storage.sources.drafts import draft_of
from dashboard.storage.sources.joining import READERS, read_source
from dashboard.storage.sources.made_queries import add_queries
from dashboard.storage.sources.tables import LEFT_OUT
from dashboard.storage.sources.writing import Written, write_content
from dashboard.tables import DataError, counted, listed

MAPPED = (
    "item_id", "file", "poster", "kind", "caption", "span_start", "span_end", "split", "query_id",
    "text", "grade", "score", "pv_…", LEFT_OUT,
)  # fmt: skip
"""What a column of a source may be mapped to; `pv_…` is a group of keywords."""


@dataclass(frozen=True, eq=False)
class Initialized:
    """A collection that was made, or would be: its folder; its files (file, rows, taken_from,
    guessed); sentences on what was left out; what `check` finds, and its versions."""

    folder: Path
    files: pd.DataFrame
    problems: list[str]
    findings: pd.DataFrame | None = None
    versions: tuple[str, ...] = ()
    below_data: bool = False


def initialize(
    new: str, source: str, columns: Mapping[str, str], *, dry_run: bool = False
) -> Initialized:
    """Make a collection of a source, or add to it what is new there.

    columns: names of ours → columns of the source. Raises DataError for a place or a source that
    cannot be used; nothing is changed then.
    """
    place = place_of(new)
    _check_place(place, Path(source))
    check_mapping(columns)
    content, listing = read_source(Path(source), columns, (index_files.READER, *READERS))
    _complete(content, place)
    if dry_run:
        if _has_texts_to_map(content):
            content.note(MAPPING, 0, "the text queries", MAPPED_WORDS)
        return Initialized(place, _files(content, None), content.problems)
    with draft_of(place) as draft:
        written = write_content(draft, content, listing)
        _prepare(draft, content)
        findings = checking.check(str(draft))
        versions = opened_in(draft).versions if (findings["file"] != SETTINGS).all() else ()
    problems = [*content.problems, *written.problems]
    below = (found := stored.place_of(place.name)) and found.resolve() == place.resolve()
    return Initialized(place, _files(content, written), problems, findings, versions, bool(below))


def place_of(new: str) -> Path:
    """The folder of a new collection: a path, or a name below the data folder, of several the
    first. A collection that is there keeps its place."""
    plain = Path(new)
    if plain.name.startswith(".") or not plain.name:
        raise DataError(repr(new[:200]), "no name for a folder", "a name, or a folder's path")
    if len(plain.parts) > 1:
        return plain
    return stored.place_of(new) or stored.COLLECTIONS / new


def _check_place(place: Path, source: Path) -> None:
    """Raise DataError where a collection cannot be made in a place."""
    there, inside = place.resolve(), source.resolve()
    if source.is_dir() and (there.is_relative_to(inside) or inside.is_relative_to(there)):
        wanted = "a folder apart from the source, into which nothing is written"
        raise DataError(str(place), "a place inside the source, or around it", wanted)
    if place.exists() and not place.is_dir():
        raise DataError(str(place), "a file", "a new folder, or a collection")
    if place.is_dir() and any(place.iterdir()) and not (place / SETTINGS).is_file():
        wanted = "a new folder, or a collection"
        raise DataError(str(place), f"a folder without {SETTINGS}", wanted)


def check_mapping(columns: Mapping[str, str]) -> None:
    """Raise DataError for a name that no column can be mapped to."""
    for ours, theirs in columns.items():
        if ours not in MAPPED and not ours.startswith("pv_"):
            raise DataError("--map", f"{ours}={theirs}", f"one of {', '.join(MAPPED)}, =, a column")


def _complete(content: Content, place: Path) -> None:
    """Settle what depends on all of a source: ids of vectors, labels, queries, settings."""
    _name_items(content)
    _drop_long_ids(content)
    if content.queries.empty:
        _name_queries(content)
    _name_vectors(content)
    _keep_keywords(content)
    if content.queries.empty and len(content.items):
        sides = [side for sides in content.vectors.values() for side in sides]
        add_queries(content, with_texts=not sides or "queries" in sides)
    content.settings.setdefault("title", place.name)
    content.settings = {key: value for key, value in content.settings.items() if value != ""}
    _choose_groups(content)


def _name_items(content: Content) -> None:
    """Take the items from judgements, runs and vectors where nothing else names them."""
    if len(content.items):
        return
    parts = [content.qrels["item_id"], *(run["item_id"] for run in content.runs.values())]
    where = "the judgements and runs"
    sides = [sides["items"] for sides in content.vectors.values() if "items" in sides]
    if sides:
        largest = max(sides, key=lambda rows: len(rows.array))
        first = next((rows for rows in sides if rows.ids is not None), largest)
        ids = first.ids or tuple(map(str, range(len(first.array))))
        parts, where = [pd.Series(ids, dtype="str")], first.taken_from
    guessed = "the ids that they name"
    if sides and first.ids is None:
        guessed = "item_id: the number of each row, from 0"
    ids_there = pd.concat(parts).astype("str").drop_duplicates().reset_index(drop=True)
    content.items = pd.DataFrame({"item_id": ids_there})
    for column in ("file", "poster", "kind", "caption"):
        content.items[column] = ""
    content.note("items.csv", len(content.items), where, guessed)


def _name_queries(content: Content) -> None:
    """Take the queries from judgements and runs where nothing else names them; each id stands for
    its text."""
    ids = [content.qrels["query_id"], *(run["query_id"] for run in content.runs.values())]
    queries = pd.concat(ids).astype("str").drop_duplicates().reset_index(drop=True)
    if len(queries):
        content.queries = pd.DataFrame({"query_id": queries, "text": queries}).assign(
            item_id="", image=""
        )
        content.note("queries.csv", len(queries), "the judgements and runs", "text: each id")


def _drop_long_ids(content: Content) -> None:
    long = content.items["item_id"].str.len() > LONGEST_ID - 100
    if long.any():
        content.problems.append(
            f"{counted(int(long.sum()), 'item')} left out: ids of more than {LONGEST_ID - 100:,} "
            f"characters ({listed(content.items.loc[long, 'item_id'].str[:40])})"
        )
        content.items = content.items[~long].reset_index(drop=True)
    folded = content.items["item_id"].str.casefold()
    alike = content.items.loc[folded.duplicated(keep=False), "item_id"]
    if len(alike):
        content.problems.append(
            f"{counted(len(alike), 'id')} that differ only by upper and lower case "
            f"({listed(alike)}); each is an item of its own"
        )


def _name_vectors(content: Content) -> None:
    """Give ids to vectors without any, in the order of the items or queries; leave out those that
    fit neither."""
    for name, sides in list(content.vectors.items()):
        for side, rows in list(sides.items()):
            known = getattr(content, side)[f"{'item' if side == 'items' else 'query'}_id"].tolist()
            where = f"models/{name}/{side}.npy"
            if rows.ids is None and len(rows.array) != len(known):
                content.problems.append(
                    f"left out: {rows.taken_from}: {counted(len(rows.array), 'vector')} without "
                    f"ids for {counted(len(known), side.removesuffix('s'))}; put a file of ids "
                    "beside it, one a line"
                )
                del sides[side]
                continue
            if rows.ids is not None and side == "items" and known:
                there = matched_ids(rows.ids, known)
                if not there:
                    content.problems.append(
                        f"left out: {rows.taken_from}: its ids ({listed(rows.ids)}) name none of "
                        f"the items ({listed(known)})"
                    )
                    del sides[side]
                    continue
            guessed = rows.guessed or (f"ids: the order of the {side}" if rows.ids is None else "")
            content.note(where, len(rows.array), rows.taken_from, guessed)
        if "items" not in sides:
            content.vectors.pop(name)


def _keep_keywords(content: Content) -> None:
    """Leave out the keywords of fewest items where there are more than a collection may have."""
    counts = content.keywords.groupby("keyword")["item_id"].nunique()
    if len(counts) > MOST_KEYWORDS:
        kept = counts.sort_values(ascending=False, kind="stable").head(MOST_KEYWORDS).index
        once = int((counts == 1).sum())
        content.problems.append(
            f"{len(counts) - len(kept):,} of {len(counts):,} keywords left out, those of the "
            f"fewest items ({once:,} are of one item): at most {MOST_KEYWORDS:,} are kept. Are "
            "these texts rather than keywords? Name their column with --map caption=COLUMN."
        )
        content.keywords = content.keywords[content.keywords["keyword"].isin(kept)]


def _choose_groups(content: Content) -> None:
    """Choose the groups that decide what is relevant, where there are several unusual ones: all of
    them for texts, which name keywords of any; for items one, as few share their keywords of all.
    """
    groups = list(dict.fromkeys(content.keywords["group"]))
    usual = {"pv_object_type", "pv_actor_behavior"}
    if len(groups) > 1 and not usual & set(groups) and "default_groups" not in content.settings:
        guessed = f"default_groups: all {len(groups):,} decide what is relevant to a text"
        if not (content.queries["text"] != "").any():
            named = [g for g in groups if g.startswith(("pv_label", "pv_class", "pv_categor"))]
            groups = (named or groups)[:1]
            guessed = f"default_groups: {groups[0]} decides what is relevant"
        content.settings["default_groups"] = groups
        content.note(SETTINGS, len(content.settings), "the columns of labels", guessed)


MAPPING = "query_keywords.csv"
MAPPED_WORDS = "the keywords that the words of each text query mean"


def _has_texts_to_map(content: Content) -> bool:
    """Whether words of text queries will be mapped to the keywords of the items."""
    judged = content.settings.get("protocols", ["alfa"])[:1] == ["alfa"]
    return judged and bool(len(content.keywords) and (content.queries["text"] != "").any())


def _prepare(draft: Path, content: Content) -> None:
    """Map the words of text queries to keywords, and record what versions were made for."""
    collection = opened_in(draft)
    texts = (collection.queries["text"] != "").any()
    judged = collection.protocols[:1] == ("alfa",)
    if judged and texts and len(collection.vocabulary) and not collection.refused:
        made, threshold = 0, collection.mapping_threshold
        if mapping.are_written(collection, threshold):
            rows = collection.query_keywords
        else:
            rows = mapping.write_keywords(collection, threshold)
            made = len(rows)
        words = collection.queries.loc[collection.queries["text"] != "", "query_id"]
        without = int((~words.isin(rows["query_id"])).sum())
        guessed = MAPPED_WORDS
        if without:
            guessed += f"; {without:,} of {len(words):,} name none, and have no value"
        content.note(MAPPING, made, "the text queries", guessed)
        collection = opened_in(draft)
    if collection.models:
        checking.record_fingerprints(collection)


def _files(content: Content, written: Written | None) -> pd.DataFrame:
    """The table of the files: file, rows, taken_from, guessed. written: None for a plan."""
    rows: dict[str, list[object]] = {}
    tables = {
        SETTINGS: len(content.settings),
        "items.csv": len(content.items),
        "unified_annotation.csv": content.keywords["item_id"].nunique(),
        "queries.csv": len(content.queries),
        "qrels.csv": len(content.qrels),
        "media/": int((content.items["file"] != "").sum()),
        "posters/": int((content.items["poster"] != "").sum()),
    }
    for file in dict.fromkeys([*tables, *(note.file for note in content.notes)]):
        notes = [note for note in content.notes if note.file == file]
        planned = tables.get(file, sum(note.rows for note in notes))
        number: int | None = planned
        if written is not None and file != MAPPING:
            number = written.files.get(file, 0)
        if not planned and file != MAPPING:
            continue
        if written is None and file == MAPPING:
            number = None  # how many words mean a keyword is seen when they are mapped
        taken = "; ".join(dict.fromkeys(note.taken_from for note in notes))
        guessed = "; ".join(dict.fromkeys(note.guessed for note in notes if note.guessed))
        default = "the files" if file.endswith("/") else "what is there"
        rows[file] = [file, number, taken or default, guessed or None]
    columns = ["file", "rows", "taken_from", "guessed"]
    frame = pd.DataFrame(list(rows.values()), columns=columns, dtype=object)
    return frame.replace({np.nan: None})
