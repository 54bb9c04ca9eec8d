"""A study of lists that people saw: the lists as rows of a grid, relevance, satisfaction.

`lists.csv` has a line for each place of each list. `relevance.csv` has the answers of several
workers for a query and an item; without it `qrels` has their means. `satisfaction.csv` has the
answers of the people who saw the lists, or answers that a model made up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd

from dashboard import ids
from dashboard.storage.collection.error_places import placing
from dashboard.storage.files.near_names import unmatched
from dashboard.storage.files.table_files import stored_as, stored_files
from dashboard.storage.files.tables import read_table
from dashboard.storage.lists.relevance import (
    check_range,
    note_contradiction,
    of_known_queries,
    read_relevance,
)
from dashboard.tables import LISTS, RELEVANCE, DataError, Findings, Table, counted, listed

REAL, SIMULATED, NONE = "real", "simulated", "none"
SAID = {REAL: "satisfaction", SIMULATED: "satisfaction_simulated"}
"""The column of `satisfaction.csv` that holds each kind of answers."""
WORST, BEST = 1, 5
ANSWERS = Table("satisfaction", {"list_id": "text", "participant": "text"}, key=("list_id",))
Content = TypeVar("Content")


class HasLists(Protocol):
    """What this file reads of a collection."""

    @property
    def folder(self) -> Path: ...
    @property
    def items(self) -> pd.DataFrame: ...
    @property
    def queries(self) -> pd.DataFrame: ...
    @property
    def qrels(self) -> pd.DataFrame | None: ...


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists that people saw, and their answers.

    places     list_id, query_id, row, column, item_id, participant, version, session; in reading
               order of each list, row by row
    relevance  query_id, item_id, worker, relevance (0 to 100; -1 and -2 are invalid); where it came
               averaged, the one worker is ""
    said       list_id, participant, satisfaction (1 to 5) of the lists that were answered
    kind       who answered: "real" people, "simulated" ones or "none"
    findings   what was left out or repaired; refused: why a file cannot be used, by its table
    """

    places: pd.DataFrame
    relevance: pd.DataFrame
    said: pd.DataFrame
    kind: str
    findings: pd.DataFrame
    refused: dict[str, DataError]


def read_lists(collection: HasLists) -> Lists | None:
    """The lists of a collection with the answers; None where it has no lists.

    A file that cannot be used is in `refused` and in the findings: its table is then empty.
    """
    folder, findings = collection.folder, Findings()
    if not stored_files(folder, "lists"):
        return None
    refused: dict[str, DataError] = {}

    def unless_refused(name: str, read: Callable[[], Content], otherwise: Content) -> Content:
        try:
            return read()
        except DataError as problem:
            refused[name] = problem
            findings.error(problem)
            return otherwise

    places = unless_refused("lists", lambda: _places(collection, findings), LISTS.empty())
    relevance = unless_refused(
        "relevance", lambda: _relevance(collection, findings), RELEVANCE.empty()
    )
    nothing = pd.DataFrame({"list_id": [], "participant": [], "satisfaction": []}, dtype="str")
    nothing = nothing.astype({"satisfaction": "float64"})
    said, kind = nothing, NONE
    if "lists" not in refused:
        said, kind = unless_refused(
            "satisfaction", lambda: _said(folder, places, findings, nothing), (nothing, NONE)
        )
    return Lists(places, relevance, said, kind, findings.frame(), refused)


def _places(collection: HasLists, findings: Findings) -> pd.DataFrame:
    path = stored_as(collection.folder, "lists", findings)
    if path is None:
        raise DataError("lists.csv", "no such file", "the file that was there a moment ago")
    name = path.name
    read = read_table(path, LISTS, name, findings)
    for column in ("row", "column"):
        low = read.index[read[column] < 1]
        if len(low):
            found = f"{column} {read.loc[low[0], column]}"
            raise DataError(name, found, "rows and columns from 1", line=int(low[0]))
    for column in LISTS.optional - set(read.columns):
        read[column] = ""
    for column in ("query_id", "participant", "version", "session"):
        _one_each(read, column, name)
    _holes(read, name, findings)
    kept = _known(read, collection, name, findings)
    first = kept.groupby("list_id", sort=False).ngroup()
    order = kept.assign(list=first).sort_values(["list", "row", "column"], kind="stable")
    return order.drop(columns="list").reset_index(drop=True)


def _known(read: pd.DataFrame, collection: HasLists, name: str, findings: Findings) -> pd.DataFrame:
    """The places of lists of the collection's queries; a warning counts the others.

    A place of what is no item of the collection stays: somebody saw it there, and workers may have
    judged it.
    """
    asked = read["query_id"].isin(collection.queries["query_id"])
    if not asked.all():
        others = read[~asked].drop_duplicates("list_id")
        named = listed(others["list_id"] + " of " + others["query_id"])
        found = f"{counted(len(others), 'list')} of unknown queries ({named})"
        first = int(others.index[0])
        findings.warning(name, found, "queries of the collection; left out", first)
    known = ids.among(read["item_id"], collection.items["item_id"])
    if not known.all():
        named = unmatched(read.loc[~known, "item_id"].unique(), collection.items["item_id"])
        found = f"{counted(int((~known).sum()), 'place')} with unknown items ({named})"
        wanted = "items of the gallery; they keep their place, and count where relevance is known"
        findings.warning(name, found, wanted, int(read.index[~known][0]))
    return read[asked]


def _holes(read: pd.DataFrame, name: str, findings: Findings) -> None:
    """Warn of rows of a list without one of the columns: a gap, or a typing error."""
    place = read.groupby(["list_id", "row"])["column"].rank(method="first").astype("int64")
    later = read.index[read["column"] > place]
    if len(later):
        line = int(later[0])
        row = read.loc[line]
        where = f"row {row['row']} of list {row['list_id']!r}"
        rows = read.loc[later].drop_duplicates(["list_id", "row"])
        found = f"{counted(len(rows), 'row')} with a hole: column {row['column']} in {where}"
        wanted = f"column {place[line]}, the next one there; the order counts, the hole does not"
        findings.warning(name, found, wanted, line)


def _one_each(read: pd.DataFrame, column: str, name: str) -> None:
    """Raise DataError where a list has two queries, participants, versions or sessions."""
    first = read.groupby("list_id", sort=False)[column].transform("first")
    other = read.index[read[column] != first]
    if len(other):
        row, line = read.loc[other[0]], int(other[0])
        found = f"the {column} {row[column]!r} in list {row['list_id']!r}"
        raise DataError(name, found, f"{first.loc[other[0]]!r}, as before in this list", line=line)


def _relevance(collection: HasLists, findings: Findings) -> pd.DataFrame:
    found = read_relevance(collection.folder, collection.queries, findings)
    if found is not None:
        answers, name = found
        if collection.qrels is not None:
            note_contradiction(answers, name, collection.qrels, findings)
        return answers.reset_index(drop=True)
    if collection.qrels is None:
        wanted = "relevance of each worker, or averaged in qrels.csv"
        raise DataError("relevance.csv", "no such file", wanted)
    averaged = collection.qrels[["query_id", "item_id", "grade"]]
    read = averaged.rename(columns={"grade": "relevance"}).assign(worker="")
    with placing(collection.folder):
        check_range(read, "qrels", has_lines=False)
    kept = of_known_queries(read, collection.queries, "qrels", findings, has_lines=False)
    return kept[list(RELEVANCE.columns)].reset_index(drop=True)


def _said(
    folder: Path, places: pd.DataFrame, findings: Findings, nothing: pd.DataFrame
) -> tuple[pd.DataFrame, str]:
    path = stored_as(folder, "satisfaction", findings)
    if path is None:
        return nothing, NONE
    name = path.name
    read = read_table(path, ANSWERS, name, findings)
    kind = next((kind for kind, column in SAID.items() if column in read.columns), NONE)
    if kind == NONE:
        wanted = " or a column ".join(SAID.values())
        found = f"the columns {listed(read.columns)}"
        raise DataError(name, found, f"a column {wanted}", line=1)
    if set(SAID.values()) <= set(read.columns):
        findings.note(name, "real and simulated answers", "one of them; the real ones count", 1)
    read["satisfaction"] = _on_scale(read[SAID[kind]], name)
    return _of_lists(read, places, name, findings), kind


def _on_scale(written: pd.Series, name: str) -> pd.Series:
    """The answers as numbers. Raises DataError with the line of one that is off the scale."""
    numbers = pd.to_numeric(written, errors="coerce").astype("float64")
    wrong = written.index[~numbers.between(WORST, BEST)]
    if len(wrong):
        found, wanted = f"satisfaction {written.loc[wrong[0]]!r}", f"{WORST} to {BEST}"
        cure = "Leave the line out where nobody answered."
        raise DataError(name, found, f"a number from {wanted}", line=int(wrong[0]), cure=cure)
    return numbers


def _of_lists(
    read: pd.DataFrame, places: pd.DataFrame, name: str, findings: Findings
) -> pd.DataFrame:
    """The answers of those who saw the lists; a warning counts the others."""
    who = places.drop_duplicates("list_id").set_index("list_id")["participant"]
    seen = read["list_id"].map(who)
    unknown = seen.isna()
    others = ~unknown & (seen != "") & (seen != read["participant"])
    for strange, what, wanted in (
        (unknown, "of unknown lists", "lists that are there"),
        (others, "of somebody who did not see the list", "those of the list's participant"),
    ):
        if strange.any():
            named = listed(read.loc[strange, "list_id"])
            found = f"{counted(int(strange.sum()), 'answer')} {what} ({named})"
            findings.warning(name, found, f"{wanted}; left out", int(read.index[strange][0]))
    kept = read[~unknown & ~others]
    return kept[["list_id", "participant", "satisfaction"]].reset_index(drop=True)
