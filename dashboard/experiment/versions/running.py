"""Asks a search system every stored query, and makes its ranked lists a version.

Answers are written down one by one in the folder of drafts, so that a call that was killed, or
whose service failed for some queries, goes on with those that are missing.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.progress import report
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.gallery import numbers_of
from dashboard.retrieval.search_services import Hits, Query, Search
from dashboard.retrieval.search_services import search_of as search_of
from dashboard.retrieval.services import Unanswered
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection
from dashboard.storage.runs.run_record import RunRecord, place_of, read_record, write_record
from dashboard.storage.versions.drafts import (
    DRAFTS,
    check_name,
    locked,
    put_in_place,
    writing,
)
from dashboard.tables import DataError, Findings, counted, listed

COLUMNS = ["queries", "answered", "failed", "p50_ms", "p95_ms"]
NOT_ASKED = "not asked"
SHOWN = 20
"""So many reasons of failures are listed."""
FIRST, IN_A_ROW = 4, 24
"""After so many queries without any answer from the service, at the start or in a row, the others
are left for the next call: each costs all its tries."""
LEFT = "left for the next call, for the service was away"


@dataclass(eq=False)
class _Answers:
    """What came of the queries: hits and milliseconds, or why there are none."""

    hits: dict[str, Hits] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def run(
    collection: Collection,
    name: str,
    search: Search,
    *,
    depth: int,
    at_once: int,
    note: str = "",
    findings: Findings,
) -> pd.DataFrame:
    """Make the answers of a search to all queries the version `name`: how many were answered and
    failed, and the milliseconds of an answer.

    A query that failed has no value, and is asked again by the next call with the same settings,
    which completes the version. Raises DataError where none is answered.
    """
    fingerprint = digests.of_values(search.fingerprint, depth)
    _check_version(collection, name, fingerprint)
    place = collection.folder / DRAFTS / f"run {name}"
    with writing(collection.name):
        place.mkdir(parents=True, exist_ok=True)
        try:
            with locked(place):
                answers = _asked(collection, search, fingerprint, depth, at_once, place)
                asked = (search, fingerprint, depth, note)
                return _put(collection, name, asked, findings, place, answers)
        except BlockingIOError as error:
            raise DataError(name, "another call that runs it", "one call at a time") from error


def _check_version(collection: Collection, name: str, fingerprint: str) -> None:
    """Raise DataError where the name is taken, but for a run of the same settings with failures."""
    run = collection.folder / "runs" / f"{name}.csv"
    record = read_record(run) if run.is_file() else None
    same = record is not None and record.fingerprint == fingerprint
    if record is None or not same or not _to_ask_again(record.not_run):
        check_name(collection.folder, name)


def _asked(
    collection: Collection,
    search: Search,
    fingerprint: str,
    depth: int,
    at_once: int,
    place: Path,
) -> _Answers:
    """The answers of earlier calls, and those to the queries that are missing."""
    file = place / f"{fingerprint[:16]}.jsonl"
    for other in place.glob("*.jsonl"):
        if other != file:
            other.unlink()
    queries, answers = _queries(collection, search)
    for key, name, hits, took in _recalled(file):
        if name in queries and _key(queries[name]) == key:
            answers.hits[name], answers.took[name] = hits, took
    missing = [query for name, query in queries.items() if name not in answers.hits]
    work = f"queries of {collection.name}"
    report(work, len(answers.hits), len(queries))
    with file.open("a", encoding="utf-8") as log, ThreadPoolExecutor(at_once) as pool:
        log.write("\n")  # after a line that a kill may have cut
        away, most = 0, max(FIRST, at_once)
        waiting = {pool.submit(search.ask, query, depth): query for query in missing}
        try:
            for done in as_completed(waiting):
                query = waiting[done]
                try:
                    hits, took = done.result()
                except Unanswered as reason:
                    answers.failed[query.query_id] = str(reason)
                    away = away + 1 if reason.away else 0
                    if away >= most:
                        search.stop()
                        pool.shutdown(wait=False, cancel_futures=True)
                        break
                else:
                    away, most = 0, max(IN_A_ROW, at_once)
                    answers.hits[query.query_id], answers.took[query.query_id] = hits, took
                    log.write(json.dumps([_key(query), query.query_id, hits, took]) + "\n")
                    log.flush()
                report(work, len(answers.hits) + len(answers.failed), len(queries))
        except BaseException:
            search.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    for query in missing:
        if query.query_id not in answers.hits:
            answers.failed.setdefault(query.query_id, LEFT)
    return answers


def _key(query: Query) -> str:
    return digests.of_values(query.text, query.item_id, query.vector)[:32]


def _recalled(file: Path) -> Iterator[tuple[str, str, Hits, float]]:
    """The answers that earlier calls wrote down: key, query_id, hits, milliseconds."""
    if not file.is_file():
        return
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            key, query, hits, took = json.loads(line)
            yield str(key), str(query), [(str(i), float(s)) for i, s in hits], float(took)
        except (ValueError, TypeError):
            continue  # a line that a kill cut; its query is asked again


def _queries(collection: Collection, search: Search) -> tuple[dict[str, Query], _Answers]:
    """The queries that can be asked, by id, and why others cannot."""
    table, answers = collection.queries, _Answers()
    vectors: dict[str, tuple[float, ...]] = {}
    if search.vectors:
        model = collection.searched.get(search.vectors)
        if model is None:
            wanted = f"a version with vectors ({listed(collection.searched)})"
            raise DataError(search.name, f"vectors = {search.vectors!r}", wanted)
        vectors = numbers_of(query_vectors(model, table).vectors)
    queries = {}
    for row in table.to_dict("records"):
        name = str(row["query_id"])
        query = Query(name, str(row["text"]), str(row["item_id"]), vectors.get(name, ()))
        lacking = [each for each in search.needs if not getattr(query, each)]
        if lacking:
            answers.failed[name] = f"{NOT_ASKED}: no {' and no '.join(lacking)}"
        else:
            queries[name] = query
    if not queries:
        found_ = f"no query with {' and '.join(search.needs)}"
        raise DataError(search.name, found_, "a request that fits the collection's queries")
    return queries, answers


def _put(
    collection: Collection,
    name: str,
    asked: tuple[Search, str, int, str],
    findings: Findings,
    place: Path,
    answers: _Answers,
) -> pd.DataFrame:
    """Write the run and its record, each whole; the answers stay while some are missing.

    asked: the search, the fingerprint of its settings, the depth and the note.
    """
    search, fingerprint, depth, note = asked
    _list_failed(answers, findings)
    if not any(answers.hits.values()):
        reasons = listed(sorted(set(answers.failed.values()))) or "empty lists"
        raise DataError(search.name, f"no result for any query ({reasons})", "ranked lists")
    asked_number = len(answers.hits) + len(_to_ask_again(answers.failed))
    took = np.array(list(answers.took.values()))
    p50, p95 = (float(round(np.percentile(took, part), 3)) for part in (50, 95))
    record = RunRecord(
        search.name, fingerprint, f"{date.today()}", note, depth, asked_number,
        len(answers.hits), p50, p95, dict(sorted(answers.failed.items())),
    )  # fmt: skip
    rows = [(q, item, score) for q, found in answers.hits.items() for item, score in found]
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "score"])
    order = {query: n for n, query in enumerate(collection.queries["query_id"])}
    table = table.sort_values("query_id", key=lambda ids: ids.map(order), kind="stable")
    run, there = place / f"{name}.csv", collection.folder / "runs" / f"{name}.csv"
    table.to_csv(run, index=False)
    written = place / f"{name}.json"
    write_record(written, record)
    there.parent.mkdir(exist_ok=True)
    if there.exists():
        run.replace(there)  # the record still says that the new answers are missing
        written.replace(place_of(there))
    else:
        written.replace(place_of(there))  # without its run a record counts for nothing
        put_in_place(run, there)
    if not _to_ask_again(answers.failed):
        shutil.rmtree(place, ignore_errors=True)
        with contextlib.suppress(OSError):
            place.parent.rmdir()
    outside = set(table["item_id"]) - set(collection.items["item_id"])
    if outside:
        found = f"{counted(len(outside), 'result')} that are no items ({listed(sorted(outside))})"
        findings.warning(f"runs/{name}.csv", found, "ids of the items; they keep their ranks")
    row = (asked_number, len(answers.hits), len(_to_ask_again(answers.failed)), p50, p95)
    return pd.DataFrame([row], columns=COLUMNS)


def _to_ask_again(failed: Mapping[str, str]) -> list[str]:
    """The queries that failed, without those that the search cannot be asked."""
    return [query for query, reason in failed.items() if not reason.startswith(NOT_ASKED)]


def _list_failed(answers: _Answers, findings: Findings) -> None:
    """A warning for each of the first reasons, and how many more queries have no answer."""
    failing = _to_ask_again(answers.failed)
    unasked = {query: why for query, why in answers.failed.items() if query not in set(failing)}
    if unasked:
        of, why = counted(len(unasked), "query", "queries"), listed(sorted(set(unasked.values())))
        findings.warning("queries", f"{of} ({listed(unasked)}) {why}", "")
    of_reason: dict[str, list[str]] = {}
    for query in failing:
        of_reason.setdefault(answers.failed[query], []).append(query)
    for reason, some in list(of_reason.items())[:SHOWN]:
        which = f"{some[0]!r} has" if len(some) == 1 else f"{len(some):,} queries have"
        named = f" ({listed(some)})" if len(some) > 1 else ""
        findings.warning("queries", f"{which} no answer: {reason}{named}", "")
    if more := [query for some in list(of_reason.values())[SHOWN:] for query in some]:
        findings.warning("queries", f"{len(more):,} more without an answer ({listed(more)})", "")
