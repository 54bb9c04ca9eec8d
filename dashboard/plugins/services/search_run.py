"""Results of a search system that was asked every query, `runs/NAME.csv`, and `runs/NAME.json`.

The second file says which queries were answered: others have no value, and are asked again.
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.errors import DataError, Findings, explain_errors, list_names
from dashboard.retrieval.sources import RunFileSource, order_run
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import check_name, replace_files
from dashboard.storage.runs import list_pairs
from dashboard.storage.versions import Broken, Version, Versions, try_to_read
from dashboard.tables import Texts, Ties

if TYPE_CHECKING:
    from dashboard.plugins.services.http_service import Service

Hits = list[tuple[str, float]]
UNASKED = "the system was not asked"
MAX_ID = 1_000
MAX_SCORE = 1e300
MAX_FAILED = 5
"""Queries in succession after whose failures no more are asked."""
SAVE_SECONDS = 10.0
"""Work of so many seconds is lost at most when a call is killed."""


@dataclass
class RunRecord:
    """The queries that a system has answered, and those that it has not.

    Attributes:
        search: Its address.
        depth: Results that it was asked for.
        milliseconds: By each query that was answered; null where it took several tries. None: all
            that are not in `not_run` were.
        not_run: Why a query was not answered.
    """

    search: str
    depth: int
    milliseconds: dict[str, float | None] | None = None
    not_run: Texts = field(default_factory=dict)

    def make_source(self, collection: Collection, version: Version, ties: Ties) -> RunFileSource:
        """Return the results of the queries that were answered."""
        assert version.run
        ids = collection.queries.ids
        asked = ids if self.milliseconds is None else self.milliseconds
        why = {query: UNASKED for query in ids if query not in asked} | self.not_run
        not_run = {query: why[name] for query, name in enumerate(ids) if name in why}
        ranked = order_run(version.run, collection.queries, collection.items, ties)
        answered = {query: each for query, each in ranked.items() if query not in not_run}
        return RunFileSource(answered, not_run)


def read_records(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the versions that have a record; put those whose record is damaged into `broken`."""
    versions = collection.versions
    read = {
        name: partial(read_record, path)
        for name, version in versions.items()
        if version.run and (path := collection.folder / f"{version.file}.json").is_file()
    }
    return {
        name: replace(
            versions[name], note=f"answers of {each.search}", make_source=each.make_source
        )
        for name, each in try_to_read(broken, read).items()
    }


def read_record(path: Path) -> RunRecord | None:
    """Return the record of a file; None if the file holds something else.

    Raises:
        DataError: If it is damaged.
    """
    do = "Remove it; then a query without results counts as one that found nothing."
    with explain_errors(f"runs/{path.name}", "no JSON", "a record of `run`", do):
        told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or not isinstance(told.get("not_run"), dict):
        return None
    times = told.get("milliseconds")
    return RunRecord(
        str(told.get("search", "")),
        told.get("depth", 0),
        times if isinstance(times, dict) else None,
        {query: str(why) for query, why in told["not_run"].items()},
    )


def run_search(
    collection: Collection, name: str, service: Service, depth: int, report: Callable[..., None]
) -> RunRecord:
    """Ask a system the queries of a collection, and write a version; return which were answered.

    Of a version that is there only the queries without an answer are asked.

    Args:
        collection: Whose queries are asked.
        name: Name of the version.
        service: The system, whose answers `parse_hits` reads.
        depth: Results that are asked for.
        report: Called with the queries that are done, and all.

    Raises:
        DataError: If the name is taken, or no query has a result; nothing is written then. What was
            answered until any other error, such as a stop by the caller, is written.
    """
    path = collection.folder / "runs" / f"{name}.json"
    is_there = path.is_file() and path.with_suffix(".csv").is_file()
    run = collection.versions[name].run if is_there and name in collection.versions else None
    before = read_record(path) if run else None
    if not before or (before.search, before.depth) != (service.url, depth):
        check_name(collection.folder, name)
        before = RunRecord(service.url, depth)
    times = before.milliseconds or {}
    hits: dict[str, Hits] = {query: [] for query in times}
    for (query, item), score in list_pairs(run) if run else ():
        if query in hits:
            hits[query].append((item, score))
    record = RunRecord(service.url, depth, times)
    rows = collection.queries.list_rows("text", "item_id")
    missing = [each for each in rows if each[0] not in hits and any(each[1:])]
    missing.sort(key=lambda each: before.not_run.get(each[0], UNASKED) != UNASKED)  # may fail again
    saved, in_a_row = time.monotonic(), 0
    try:
        for done, (query, text, item) in enumerate(missing, start=1):
            request = {"query_id": query, "text": text, "item_id": item, "k": depth}
            try:
                if in_a_row >= MAX_FAILED:
                    raise DataError(service.url, UNASKED, "an answer")
                answer, took = service.ask(request)
                hits[query] = parse_hits(answer, depth, service.url)
                times[query], in_a_row = took, 0
            except DataError as error:
                record.not_run[query] = error.found
                in_a_row += 1
            if time.monotonic() - saved > SAVE_SECONDS:
                _write(path, record, hits)
                saved = time.monotonic()
            report(done, len(missing))
    finally:
        _write(path, record, hits)
    if not any(hits.values()):
        reasons = list_names(sorted(set(record.not_run.values()))) or "empty lists"
        raise DataError(service.url, f"no result for any query ({reasons})", "ranked lists")
    return record


def parse_hits(answer: Any, depth: int, name: str) -> Hits:
    """Return the first results of an answer, each item once, with scores that fall.

    It is a list of ids, of pairs [id, score], or of {"id", "score"}, alone or as "results". Without
    scores, or with such as do not fall, the order of the answer counts: -1, -2, …

    Raises:
        DataError: If they are no ids, or have scores that are no finite numbers.
    """
    every = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(every, list):
        raise DataError(name, "an answer without a list", 'a list, or one as "results"')
    first: dict[str, Any] = {}
    for hit in every:
        item, score = hit, None
        if isinstance(hit, dict):
            item, score = hit.get("id"), hit.get("score")
        elif isinstance(hit, list) and len(hit) == 2:
            item, score = hit
        text = str(item)
        is_line = text == text.strip() and 0 < len(text) <= MAX_ID and text.isprintable()
        if type(item) not in (str, int) or not is_line:
            raise DataError(name, f"the id {text[:80]!r}", "an id in one line")
        if score is not None and (type(score) not in (int, float) or not abs(score) <= MAX_SCORE):
            raise DataError(name, f"the score {str(score)[:20]!r}", "a finite number")
        first.setdefault(text, None if score is None else float(score))
    if len({score is None for score in first.values()}) > 1:
        raise DataError(name, "results of several kinds", "all ids, or all with a score")
    scores = list(first.values())[:depth]
    if None in scores or scores != sorted(scores, reverse=True):
        scores = [-float(rank) for rank in range(1, len(scores) + 1)]
    return list(zip(first, scores, strict=False))


def _write(path: Path, record: RunRecord, hits: dict[str, Hits]) -> None:
    """Put results and their record in place, if there are results.

    Results that the record does not name do not count: of a new version the record is there first,
    of one that is there the results.
    """
    if not any(hits.values()):
        return
    results = path.with_suffix(".csv")
    files = [path, results] if not results.exists() else [results, path]
    rows = ((query, *hit) for query, found in hits.items() for hit in found)
    with replace_files(path.parent, *(file.name for file in files)) as place:
        (place / path.name).write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
        with (place / results.name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [("query_id", "item_id", "score"), *rows]
            )
