"""What a collection asks and what can be found: items with their keywords, queries and judgements,
each row checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.letters import is_visible
from dashboard.storage.collection.annotation import Annotation, matched_ids, read_annotation
from dashboard.storage.collection.declared_files import example_of
from dashboard.storage.collection.sides import with_among
from dashboard.storage.collection.vocabulary import read_vocabulary, spelled_keywords, spelled_words
from dashboard.storage.files.near_names import unmatched
from dashboard.storage.files.table_files import OF_JUDGEMENTS, stored_as
from dashboard.storage.files.tables import read_table
from dashboard.storage.lists.relevance import in_full, judgements_of
from dashboard.storage.runs.runs import line_of_judgement, read_qrels, read_run
from dashboard.storage.runs.similarities import SUFFIX
from dashboard.storage.versions.versions import run_files
from dashboard.tables import (
    ITEMS,
    KEYWORDS,
    LISTS,
    LONGEST_TEXT,
    QUERIES,
    RELEVANCE,
    DataError,
    Findings,
    Table,
    counted,
    listed,
)


def read_items(folder: Path, annotation: Annotation | None, findings: Findings) -> pd.DataFrame:
    """The table ITEMS in gallery order, with spans of longer videos from the annotation.

    Without an `items` file the annotated items are the gallery; without an annotation, the items
    of the lists that people saw. Raises DataError where there are none.
    """
    path = stored_as(folder, "items", findings)
    if path is None and annotation is None:
        items = _of_lists(folder, "item_id", findings)
        if items is None:
            items = _of_judgements_and_runs(folder, "item_id", findings)
        if items is None:
            wanted = f"the items of the collection, {example_of('items.csv')}"
            raise DataError("items.csv", "no such file", wanted)
        items = ITEMS.check(items, "items.csv")
    elif path is None:
        assert annotation is not None
        findings.note("items.csv", "no such file", "the items; taken from the annotation")
        items = ITEMS.check(annotation.clips, annotation.name)
    else:
        items = read_table(path, ITEMS, path.name, findings).reset_index(drop=True)
    if items.empty:
        raise DataError("items.csv", "no items", "at least one item", line=1)
    for column in [each for each in ITEMS.columns if each not in items.columns]:
        items[column] = pd.Series("", index=items.index, dtype="str")
    return items


def _of_lists(folder: Path, key: str, findings: Findings) -> pd.DataFrame | None:
    """The ids in a column of `lists`, then of `relevance`, each once; None without lists.

    key: item_id or query_id.
    """
    lists = stored_as(folder, "lists")
    if lists is None:
        return None
    found = [read_table(lists, LISTS, lists.name)[key]]
    relevance = stored_as(folder, "relevance")
    if relevance is not None and key == "item_id":
        found.append(read_table(relevance, RELEVANCE, relevance.name)[key])
    ids = pd.concat(found).drop_duplicates().reset_index(drop=True)
    what = "items" if key == "item_id" else "queries"
    findings.note(f"{what}.csv", "no such file", f"the {what}; taken from {lists.name}")
    return pd.DataFrame({key: ids})


def _of_judgements_and_runs(folder: Path, key: str, findings: Findings) -> pd.DataFrame | None:
    """The ids in a column of the judgements and runs, each once; None without such files.

    key: item_id or query_id.
    """
    qrels = stored_as(folder, "qrels", formats=OF_JUDGEMENTS)
    parts = [read_qrels(qrels)[key]] if qrels else []
    for path in run_files(folder / "runs", Findings()).values():
        if path.suffix != SUFFIX:
            parts.append(read_run(path)[key])
    if not parts:
        return None
    found = pd.concat([part.astype("str") for part in parts]).drop_duplicates()
    what = "items" if key == "item_id" else "queries"
    findings.note(f"{what}.csv", "no such file", f"the {what}; taken from judgements and runs")
    return pd.DataFrame({key: found.reset_index(drop=True)})


def lines_of_items(folder: Path) -> pd.Series:
    """The line of each item in the file of items, for error messages; empty without a file."""
    return _lines(folder, "items", ITEMS)


def lines_of_spans(folder: Path, items: pd.DataFrame) -> tuple[str, pd.Series]:
    """The file that names the spans of the items, as `with_clips` takes them, and the line of each
    item in it."""
    path, annotation = stored_as(folder, "items"), stored_as(folder, "unified_annotation")
    rows = read_table(path, ITEMS, path.name) if path else ITEMS.empty()
    told = "span_end" in rows.columns and (rows["span_end"] != "").any()
    if told or annotation is None:
        return "items.csv" if path is None else path.name, lines_of_items(folder)
    lines = read_annotation(annotation).item_lines
    matches = matched_ids(lines, items["item_id"].tolist())
    return annotation.name, pd.Series({item: lines[name] for name, item in matches.items()})


def lines_of_queries(folder: Path) -> pd.Series:
    """The line of each query in the file of queries; empty without a file."""
    return _lines(folder, "queries", QUERIES)


def _lines(folder: Path, stem: str, table: Table) -> pd.Series:
    path = stored_as(folder, stem)
    if path is None:
        return pd.Series(dtype="int64")
    rows = read_table(path, table, path.name)
    return pd.Series(rows.index, index=rows[table.key[0]])


def with_clips(items: pd.DataFrame, clips: pd.DataFrame) -> pd.DataFrame:
    """The items, their empty cells filled from the annotation's file."""
    if clips.columns.tolist() == ["item_id"]:
        return items
    matches = matched_ids(clips["item_id"].tolist(), items["item_id"].tolist())
    known = clips.assign(item_id=clips["item_id"].map(matches)).dropna(subset="item_id")
    told = known.drop_duplicates("item_id").set_index("item_id")
    for column in told.columns:
        if column not in items.columns or (items[column] == "").all():
            cells = items["item_id"].map(told[column])
            number = pd.api.types.is_float_dtype(told[column])
            items = items.assign(**{column: cells if number else cells.fillna("").astype("str")})
    return items


def annotated(annotation: Annotation, items: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """The keywords of the collection's items. Warnings count annotated ids that are no items, and
    items without a keyword."""
    keywords, name = annotation.keywords, annotation.name
    matches = matched_ids(annotation.item_lines, items["item_id"].tolist())
    unknown = [item for item in annotation.item_lines if item not in matches]
    if unknown:
        what = "annotated id that is no item", "annotated ids that are no items"
        named = unmatched(unknown, items["item_id"])
        found = f"{counted(len(unknown), *what)} ({named})"
        line = annotation.item_lines[unknown[0]]
        findings.warning(name, found, "ids of items; they were left out", line)
    joined = keywords
    if unknown or any(item != named for named, item in matches.items()):
        again, times = Counter(matches.values()).most_common(1)[0] if matches else ("", 0)
        if times > 1:
            raise DataError(name, f"two rows for the item {again!r}", "one row for each item")
        joined = keywords.assign(item_id=keywords["item_id"].map(matches)).dropna(subset="item_id")
    bare = sorted(items["item_id"][~ids.among(items["item_id"], joined["item_id"])].unique())
    if bare:
        found = f"{len(bare):,} of {len(items):,} items without a keyword ({listed(bare)})"
        findings.note(name, found, "keywords; these items are not annotated, never 'not relevant'")
    # without any row the column would have a numeric type
    return joined.astype({"item_id": "str"}).reset_index(drop=True)


def read_queries(
    folder: Path, items: pd.DataFrame, findings: Findings, of_texts: str = ""
) -> pd.DataFrame:
    """The table QUERIES. A query with neither a text nor an item of the collection is left out,
    with a warning.

    of_texts: the side that text queries search where `among` is empty. Raises DataError naming both
    lines of an id that stands twice.
    """
    path = stored_as(folder, "queries", findings)
    seen = _of_lists(folder, "query_id", findings) if path is None else None
    if seen is not None:  # lists name only the id of a query, so its id stands for its text
        return QUERIES.check(seen.assign(text=seen["query_id"], item_id="", image=""), "lists.csv")
    named = None if path or seen is not None else _judged_queries(folder, findings)
    if named is not None:
        return named
    if path is None:
        wanted = f"the queries; there are none to measure; {example_of('queries.csv')}"
        findings.warning("queries.csv", "no such file", wanted)
        return QUERIES.check(QUERIES.empty(), "queries.csv")
    queries = read_table(path, QUERIES, path.name, findings)
    for column in [each for each in QUERIES.columns if each not in queries.columns]:
        queries[column] = pd.Series("", index=queries.index, dtype="str")
    queries["text"] = _shortened(queries["text"].str.strip(), queries["query_id"], path, findings)
    of_items = [item for item in queries["item_id"].unique() if item]
    matches = matched_ids(of_items, items["item_id"].tolist()) if of_items else {}
    reasons = [
        _unusable(text, item, image, matches)
        for text, item, image in zip(
            queries["text"], queries["item_id"], queries["image"], strict=True
        )
    ]
    for line, query, reason in zip(queries.index, queries["query_id"], reasons, strict=True):
        if reason:
            findings.warning(path.name, f"{query} {reason}", "a query; it was left out", int(line))
    items_of = [matches.get(item, "") for item in queries["item_id"]]
    queries["item_id"] = pd.Series(items_of, index=queries.index, dtype="str")
    queries = queries[np.array(reasons, dtype="str") == ""]
    return with_among(queries, items, path.name, findings, of_texts).reset_index(drop=True)


def _shortened(texts: pd.Series, query_ids: pd.Series, path: Path, findings: Findings) -> pd.Series:
    """The texts of queries, an overlong one cut and ended by an ellipsis; a warning for each names
    the line where the whole stands."""
    length = texts.str.len()
    long = length > LONGEST_TEXT
    for line, query, number in zip(texts.index[long], query_ids[long], length[long], strict=True):
        found = f"{query} has {number:,} characters, more than {LONGEST_TEXT:,}"
        wanted = f"a shorter text; the query counts, by its first {LONGEST_TEXT - 1:,}"
        findings.warning(path.name, found, wanted, int(line))
    return texts.where(~long, texts.str.slice(0, LONGEST_TEXT - 1) + "…")


def _judged_queries(folder: Path, findings: Findings) -> pd.DataFrame | None:
    """The queries that judgements and runs name; each id stands for its text."""
    named = _of_judgements_and_runs(folder, "query_id", findings)
    if named is None:
        return None
    return QUERIES.check(named.assign(text=named["query_id"], item_id="", image=""), "qrels")


def _unusable(text: str, item: str, image: str, matches: dict[str, str]) -> str:
    """Why a query cannot be used; empty for a usable one."""
    if item and item not in matches:
        return f"names the unknown item {item[:80]!r}"
    if not item and not image and not is_visible(text):
        return "has no text and no item"
    return ""


def read_judgements(
    folder: Path, items: pd.DataFrame, queries: pd.DataFrame, findings: Findings
) -> pd.DataFrame | None:
    """The judgements of the collection's queries; a warning counts those of other queries.

    Without a file of judgements, or where that file only rounds them, they are the means of the
    workers' answers in `relevance.csv`."""
    path = stored_as(folder, "qrels", findings, OF_JUDGEMENTS)
    if path is None:
        averaged = judgements_of(folder, queries, findings)
        if averaged is not None:
            _outside(averaged, items, None, findings)
        return averaged
    qrels = read_qrels(path, name=path.name, findings=findings)
    asked = qrels["query_id"].isin(queries["query_id"])
    if not asked.all():
        others = unmatched(qrels.loc[~asked, "query_id"].unique(), queries["query_id"])
        found = f"{counted(int((~asked).sum()), 'judgement')} of unknown queries ({others})"
        line = line_of_judgement(path, *qrels.loc[~asked, ["query_id", "item_id"]].iloc[0])
        findings.warning(path.name, found, "queries of the collection; they were left out", line)
    _outside(qrels[asked], items, path, findings)
    kept = qrels[asked].reset_index(drop=True)
    return in_full(kept, path.name, folder, queries, findings)


def _outside(
    qrels: pd.DataFrame, items: pd.DataFrame, path: Path | None, findings: Findings
) -> None:
    """Warn of judged items that are not in the gallery.

    path: the file, for the line; None where workers' answers were averaged and have no one line.
    """
    outside = qrels[~ids.among(qrels["item_id"], items["item_id"])]
    if len(outside):
        strange = outside["item_id"].unique()
        named = unmatched(strange, items["item_id"])
        found = f"{counted(len(strange), 'judged item')} outside the gallery ({named})"
        line = line_of_judgement(path, *outside[["query_id", "item_id"]].iloc[0]) if path else None
        wanted = "items; they count as relevant, but only a file of results can name them"
        findings.warning(path.name if path else "relevance.csv", found, wanted, line)


def scenes(queries: pd.DataFrame) -> dict[str, str] | None:
    """The scene of each query, where the collection names scenes. Queries of one scene are not
    independent."""
    if "scene" not in queries.columns:
        return None
    in_scene = queries[queries["scene"] != ""]
    return dict(zip(in_scene["query_id"], in_scene["scene"], strict=True))


Content = TypeVar("Content")


@dataclass(frozen=True)
class Reader:
    """Reads the files of a folder; an unusable one becomes an error, the others are read."""

    folder: Path
    findings: Findings
    refused: dict[str, DataError]

    def unless_refused(self, name: str, read: Callable[[], Content], otherwise: Content) -> Content:
        try:
            return read()
        except DataError as problem:
            self.refused[name] = problem
            self.findings.error(problem)
            return otherwise


def read_labels(
    read: Reader, groups: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The items, their keywords and the vocabulary, in one spelling."""
    folder, findings = read.folder, read.findings
    annotation = read.unless_refused(
        "annotation", lambda: _annotation(folder, groups, findings), None
    )
    items = read_items(folder, annotation, findings)
    keywords = KEYWORDS.empty()
    if annotation:
        items = with_clips(items, annotation.clips)
        keywords = read.unless_refused(
            "annotation", lambda: annotated(annotation, items, findings), keywords
        )
    words = read.unless_refused("vocabulary", lambda: _words(folder, findings), None)
    vocabulary = spelled_words(words, keywords, findings)
    return items, spelled_keywords(keywords, vocabulary), vocabulary


def _annotation(folder: Path, groups: Sequence[str], findings: Findings) -> Annotation | None:
    path = stored_as(folder, "unified_annotation", findings)
    return read_annotation(path, groups, path.name, findings) if path else None


def _words(folder: Path, findings: Findings) -> pd.DataFrame | None:
    path = folder / "vocabulary.toml"
    return read_vocabulary(path, findings) if path.exists() else None
