"""Finds faults in a collection's files, and models that differ from their record."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.class_labels import column_of
from dashboard.experiment.collection.collections import opened_in
from dashboard.retrieval import keywords, runs
from dashboard.retrieval.encoders import pictures
from dashboard.retrieval.encoders.query_vectors import query_vectors, to_encode
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection.collection import SETTINGS, Collection, find, open_collection
from dashboard.storage.collection.declared_files import example_of, place_of, wanted_of
from dashboard.storage.collection.error_places import placed
from dashboard.storage.collection.evidence import (
    lines_of_items,
    lines_of_queries,
    lines_of_spans,
)
from dashboard.storage.files.table_files import stored_files
from dashboard.storage.lists.lists import read_lists
from dashboard.storage.media import item_media, query_pictures
from dashboard.storage.media.spans import ANSWERS, OVERRULED
from dashboard.storage.versions.model_record import (
    FILE,
    missing,
    of_today,
    record,
    renew,
    still_holds,
)
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError, Findings, counted, listed

WANTED_MEDIA = {
    item_media.SPAN_OUTSIDE: f'a span inside its file; {OVERRULED} = "yes" in {SETTINGS}, or yes '
    f"in a column {OVERRULED}, where files were cut to their spans"
}
"""What is to be done where an item's media are not shown, by the word for it."""
SAME, OTHER, NONE = "same", "other", "not recorded"


def check(name_or_path: str) -> pd.DataFrame:
    """All findings on a collection's files: level, file, line, found, wanted.

    Raises DataError where there is no such collection at all.
    """
    folder = find(name_or_path, allow_path=True)
    findings = Findings()
    try:
        collection = open_collection(folder, allow_path=True)
    except DataError as problem:
        findings.error(problem)
        _note_missing(folder, findings)
        return in_order(findings.frame())
    _gaps(collection, findings)
    _note_judging(collection, findings)
    _note_query_pictures(collection, findings)
    note_networks(collection, findings)
    _note_query_vectors(collection, findings)
    _note_labels(collection, findings)
    _note_spans(collection, findings)
    shown = item_media.problems(collection)
    pictureless = not (collection.items["file"] != "").any()
    if pictureless and not (folder / collection.media_root).exists():
        shown = shown.assign(problem="")  # lists of ids alone: pictures were never meant
    odd = shown[
        ~shown["problem"].isin(["", item_media.SPAN_REVERSED])
    ]  # reversed spans have findings of their own, with their line
    lines = lines_of_items(collection.folder)
    for word, ids in odd.groupby("problem", sort=False)["item_id"]:
        found = f"{len(ids):,} of {len(shown):,} items whose media are not shown: {word}"
        wanted = WANTED_MEDIA.get(str(word), "a clip or picture for each item")
        findings.warning("items.csv", f"{found} ({listed(ids)})", wanted, _first(lines, ids))
    _note_cut_clips(shown, findings)
    _note_spans_beyond(collection, shown, findings)
    seen = read_lists(collection)
    tables = [collection.findings, runs.check_runs(collection), findings.frame()]
    tables += [seen.findings] if seen else []
    filled = [table for table in tables if len(table)]
    # workers' answers are read for judgements and for lists, with the same findings
    once = pd.concat(filled).drop_duplicates(ignore_index=True) if filled else None
    return in_order(collection.findings if once is None else once)


def in_order(findings: pd.DataFrame) -> pd.DataFrame:
    """Findings in the order of what to do first: errors, then warnings, then notes; of each level
    the file first that one makes first."""
    levels = findings["level"].map({"error": 0, "warning": 1, "note": 2})
    places = findings["file"].map(place_of)
    order = pd.DataFrame({"level": levels, "place": places}).sort_values(
        ["level", "place"], kind="stable"
    )
    return findings.loc[order.index].reset_index(drop=True)


def _note_missing(folder: Path, findings: Findings) -> None:
    """Add what else is missing of a collection that cannot be opened, each with an example."""
    refused = {file.partition(".")[0] for _, file, *_ in findings.rows}
    for name in ("items.csv", "unified_annotation.csv", "queries.csv"):
        stem = name.removesuffix(".csv")
        if stem not in refused and not stored_files(folder, stem):
            findings.error(DataError(name, "no such file", wanted_of(name)))
    if not any((folder / each).is_dir() for each in ("models", "runs")):
        wanted = (
            f"a version: vectors in models/NAME/, or runs/NAME.csv, {example_of('runs/v2.csv')}"
        )
        findings.error(DataError("models", "no version", wanted))


def _gaps(collection: Collection, findings: Findings) -> None:
    """Note what is missing without which nothing can be measured."""
    call, own = "python -m dashboard", shlex.quote(_called(collection.folder))
    if not collection.versions:
        wanted = "a model, or a file in runs"
        if not collection.broken and _has_lists(collection) and not _in_rows(collection):
            findings.error(DataError(SETTINGS, *_lists_alone(collection, wanted)))
        elif collection.broken or not _without_versions(collection):
            wanted = f"{wanted}, {example_of('runs/v2.csv')}"
            findings.error(DataError("models", "no version that can be used", wanted))
        else:
            findings.note("models", "no version", f"{wanted}, to compare; the rest goes without")
    if collection.queries.empty and "queries" not in collection.refused:
        wanted = f"at least one query, {example_of('queries.csv')}"
        findings.error(DataError("queries.csv", "no query", wanted))
    if _by_keywords(collection) and collection.keywords.empty:
        wanted = "keywords of the items, for the protocol alfa, "
        wanted += example_of("unified_annotation.csv")
        findings.error(DataError("unified_annotation.csv", "no keyword of any item", wanted))
    for model in collection.models.values():
        if lacks := missing(model):
            found = f"no {' and no '.join(lacks)}"
            wanted = f"what it was made for, to notice changes: {call} digests {own} --write"
            findings.note(f"models/{model.name}/{FILE}", found, wanted)
    texts = set(collection.queries.loc[collection.queries["text"] != "", "query_id"])
    unmapped = texts - set(collection.query_keywords["query_id"])
    if _by_keywords(collection) and texts and unmapped == texts:
        wanted = f"their keywords: {call} keywords {own} --write"
        findings.error(DataError("query_keywords.csv", "no text query mapped to a keyword", wanted))


def _called(folder: Path) -> str:
    """How a command names a collection: below a data folder by its name, else by its path. A draft
    is called as what it becomes."""
    if folder.name.startswith("."):
        folder = folder.with_name(folder.name.removeprefix(".").removesuffix(".draft"))
    known = stored.place_of(folder.name)
    return folder.name if known and known.resolve() == folder.resolve() else str(folder)


def _without_versions(collection: Collection) -> bool:
    """Whether a collection is useful without a version: by lists that people saw, or
    submissions."""
    known = [PROTOCOLS[name] for name in collection.protocols if name in PROTOCOLS]
    submitted = any(protocol.takes_features for protocol in known)
    return submitted or (_has_lists(collection) and _in_rows(collection))


def _has_lists(collection: Collection) -> bool:
    return bool(stored_files(collection.folder, "lists"))


def _in_rows(collection: Collection) -> bool:
    """Whether some protocol of the collection shows lists that people saw."""
    return any(PROTOCOLS[name].in_rows for name in collection.protocols if name in PROTOCOLS)


def _lists_alone(collection: Collection, version: str) -> tuple[str, str]:
    """What was found and wanted, where a collection has lists and no version."""
    shows = next(name for name, protocol in PROTOCOLS.items() if protocol.in_rows)
    found = f"lists and no version, under {listed(collection.protocols)}"
    return found, f'protocols = ["{shows}"], which shows lists without a version; or {version}'


def _by_keywords(collection: Collection) -> bool:
    """Whether relevance follows from keywords under some protocol of the collection."""
    known = [PROTOCOLS[name] for name in collection.protocols if name in PROTOCOLS]
    return any(protocol.of_keywords for protocol in known)


def _note_judging(collection: Collection, findings: Findings) -> None:
    """Add an error for each unknown protocol, and each that refuses the collection's labels."""
    unknown = [name for name in collection.protocols if name not in PROTOCOLS]
    if unknown:
        wanted = f"protocols among {', '.join(PROTOCOLS)}"
        findings.error(DataError(SETTINGS, f"protocols = {list(collection.protocols)}", wanted))
    if collection.refused:
        return  # the refusal is among the collection's own findings
    mapped = keywords.keep(collection.query_keywords, collection.mapping_threshold)
    evidence = replace(collection, query_keywords=mapped)
    for name in dict.fromkeys(collection.protocols):
        if name in PROTOCOLS:
            try:
                judgement = PROTOCOLS[name].judge(evidence, collection.default_groups)
            except DataError as problem:
                findings.error(placed(problem, collection.folder))
            else:
                _note_nothing_judged(name, judgement, findings)


def _note_nothing_judged(protocol: str, judgement: Judgement, findings: Findings) -> None:
    """Warn where no query has a value under a protocol, and no error says why."""
    reasons = judgement.unscorable
    errors = any(level == "error" for level, *_ in findings.rows)
    if judgement.query_ids and len(reasons) == len(judgement.query_ids) and not errors:
        found = f"no query with a value under {protocol} ({listed(sorted(set(reasons.values())))})"
        wanted = f"judgements, {example_of('qrels.csv')}; or keywords of the items"
        findings.warning("qrels.csv", found, wanted)


def _note_query_pictures(collection: Collection, findings: Findings) -> None:
    """Warn of pictures that queries name and that cannot be shown."""
    queries = collection.queries
    named = queries.loc[queries["image"].str.strip() != "", "query_id"]
    if named.empty:
        return
    shown, lines = query_pictures.pictures(collection, named), lines_of_queries(collection.folder)
    for word, ids in shown[shown["problem"] != ""].groupby("problem", sort=False)["query_id"]:
        found = f"{len(ids):,} of {len(named):,} queries whose picture is not shown: {word}"
        wanted = "a picture for each, by its file or the id of an item"
        found = f"{found} ({listed(ids)})"
        findings.warning("queries.csv", found, wanted, _first(lines, ids))


def note_networks(collection: Collection, findings: Findings) -> None:
    """Run each network of a picture side once; add an error for one that fails."""
    for model in collection.models.values():
        try:
            pictures.try_networks(model)
        except DataError as problem:
            findings.error(placed(problem, collection.folder))


def _note_labels(collection: Collection, findings: Findings) -> None:
    """Note queries and items without labels where labels define types, or qrels that replace
    them."""
    tables = {"items": collection.items, "queries": collection.queries}
    if "hashing" not in collection.protocols or not any(map(column_of, tables.values())):
        return
    if collection.qrels is not None:
        found = f"labels in {listed(name for name, table in tables.items() if column_of(table))}"
        findings.note("qrels", f"{found} beside a file of qrels", "one of the two; the file counts")
        return
    for (name, table), key in zip(tables.items(), ("item_id", "query_id"), strict=True):
        column = column_of(table)
        if not column:
            continue
        bare = table.loc[table[column].str.strip() == "", key]
        if len(bare):
            found = f"{len(bare):,} of {len(table):,} {name} without labels ({listed(bare)})"
            wrong = "of type 3 to every query" if name == "items" else "not scored"
            findings.warning(f"{name}.csv", found, f"labels of each; these are {wrong}")


def _note_query_vectors(collection: Collection, findings: Findings) -> None:
    """Add an error for each version that cannot encode the stored texts it lacks vectors of."""
    for model in collection.searched.values():
        texts = to_encode(model, collection.queries)
        missing = query_vectors(model, collection.queries).missing if texts else {}
        if reasons := [missing[query] for query in texts if query in missing]:
            found = f"no vectors for {len(reasons):,} texts ({listed(texts)}): {reasons[0]}"
            wanted = "their vectors, or an encoder that embeds them"
            findings.error(DataError(f"models/{model.name}/queries.npy", found, wanted))


def _note_spans(collection: Collection, findings: Findings) -> None:
    """Warn of spans that cannot be a part of a video."""
    items = collection.items
    answers = items.get(OVERRULED, pd.Series(dtype="str")).str.strip().str.lower()
    other = answers.index[~answers.isin(["", *ANSWERS])]
    ids = items.loc[other, "item_id"]
    if len(ids):
        cell = items.loc[other[0], OVERRULED]
        found = f"{OVERRULED} {cell[:80]!r} of {counted(len(ids), 'item')}"
        lines = lines_of_items(collection.folder)
        wanted = "yes, no, or nothing where the lengths of file and span tell"
        findings.warning("items.csv", f"{found} ({listed(ids)})", wanted, _first(lines, ids))
    if not {"span_start", "span_end"} & set(items.columns):
        return
    begin, end = (_seconds(items, column) for column in ("span_start", "span_end"))
    filled = [(_is_filled(items, column), column) for column in ("span_start", "span_end")]
    wrong = {
        f"{column} that is no number": there & _seconds(items, column).isna()
        for there, column in filled
    }
    wrong["a span that starts or ends before 0"] = (begin < 0) | (end < 0)
    wrong["a span that does not end after its start"] = end <= begin
    lines = lines_of_items(collection.folder)
    for what, rows in wrong.items():
        if rows.any():
            ids = items.loc[rows, "item_id"]
            found = f"{len(ids):,} of {len(items):,} items with {what} ({listed(ids)})"
            wanted = "0 ≤ span_start < span_end, in seconds; or neither for the whole clip"
            findings.warning("items.csv", found, wanted, _first(lines, ids))


def _note_cut_clips(shown: pd.DataFrame, findings: Findings) -> None:
    """Note the items whose file is taken for their span. shown: the table of `problems`."""
    ids = shown.loc[shown["cut"], "item_id"]
    if len(ids):
        found = f"{len(ids):,} of {len(shown):,} items whose file was cut to their span"
        wanted = f'the whole file is shown; else {OVERRULED} = "no" in {SETTINGS}'
        findings.note("items.csv", f"{found} ({listed(ids)})", wanted)


def _note_spans_beyond(collection: Collection, shown: pd.DataFrame, findings: Findings) -> None:
    """Note the items whose span ends after their file. shown: the table of `problems`."""
    ends = shown.loc[(shown["problem"] == "") & (shown["beyond"] > 0), ["item_id", "beyond"]]
    if ends.empty:
        return
    name, lines = lines_of_spans(collection.folder, collection.items)
    ids = ends["item_id"]
    found = f"{len(ids):,} of {len(shown):,} items whose span ends after their file"
    found += f", by up to {ends['beyond'].max():.2f} s ({listed(ids)})"
    wanted = "span_end within the file; each is played to the end of its file"
    findings.note(name, found, wanted, _first(lines, ids))


def _seconds(items: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(items.get(column, pd.Series("", items.index)), errors="coerce")


def _is_filled(items: pd.DataFrame, column: str) -> pd.Series:
    cells = items.get(column, pd.Series("", items.index))
    return cells.notna() & (cells.astype("str").str.strip() != "")


def _first(lines: pd.Series, ids: pd.Series) -> int | None:
    """The first line of some ids; None where no file has them."""
    there = lines.reindex(ids).dropna()
    return int(there.min()) if len(there) else None


def record_fingerprints(collection: Collection) -> Collection:
    """Writes today's fingerprints into the model.toml of models that have none; returns the
    collection opened again."""
    for model in collection.models.values():
        record(model, collection.digests)
    return opened_in(collection.folder)


def renew_record(collection: Collection, version: str) -> Collection:
    """Writes today's fingerprints into the model.toml of a version that was trained anew under its
    old name; returns the collection opened again.

    Raises DataError where it was not, or there is no such version with vectors.
    """
    if version not in collection.models:
        known = listed(collection.models) or "(there are none)"
        raise DataError(f"models/{version}"[:200], "no such version with vectors", known)
    renew(collection.models[version], collection.digests)
    return record_fingerprints(opened_in(collection.folder))


def fingerprints(collection: Collection) -> pd.DataFrame:
    """The fingerprints on record and today's: version, key, recorded, today, state."""
    known = collection.digests
    rows = [
        (model.name, key, str(model.settings[key]), today, _state(model, key, today, known))
        for model in collection.models.values()
        for key, today in of_today(model, known).items()
    ]
    columns = ["version", "key", "recorded", "today", "state"]
    return pd.DataFrame(rows, columns=columns, dtype="str")


def _state(model: Model, key: str, today: str, collection: Mapping[str, str]) -> str:
    recorded = str(model.settings[key])
    if not recorded:
        return NONE
    return SAME if still_holds(key, recorded, today, collection) else OTHER
