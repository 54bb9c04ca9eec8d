"""Lists that people saw (`lists.csv`) and what they said of them (`satisfaction.csv`)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.errors import DataError, Findings, count_odd
from dashboard.plugins.context.judge import VIEWED, read_answers
from dashboard.storage.collection import Collection
from dashboard.storage.runs import list_pairs
from dashboard.tables import read_table, refuse_repeated
from dashboard.texts import parse_number

LISTS, ANSWERS = VIEWED
COLUMNS = {"real": "satisfaction", "simulated": "satisfaction_simulated"}
"""Column of each kind of answers; the answers of people come first."""
DOUBTS = {
    "simulated": "Answers that a model made up; these support no conclusion.",
    "none": "No answers.",
}
BEST = 5
WORST = 1


class ViewedLists(NamedTuple):
    """Lists as people saw them, and their answers.

    Attributes:
        pages: list_id, query_id, row, column, item_id, relevance (0 to 100, -1 where nobody gave a
            valid one), in reading order.
        answers: list_id, query_id, participant, session, satisfaction (NaN: not answered).
        kind: "real" people, "simulated" ones or "none".
    """

    pages: pd.DataFrame
    answers: pd.DataFrame
    kind: str


def read_lists(collection: Collection, findings: Findings) -> ViewedLists:
    """Read the lists of a collection, with the mean relevance of each result.

    Raises:
        DataError: If the collection has no lists, or a file cannot be used.
    """
    columns = ("list_id", "query_id", "row", "column", "item_id")
    table = read_table(collection.folder / LISTS, LISTS, columns, findings, unique=False)
    if not len(table["list_id"]):
        raise DataError(LISTS, "no lists", "a row for each place of each list")
    cells = {name: table[name] for name in (*columns, "participant", "session")}
    pages = pd.DataFrame(cells, index=table.lines)
    for name in ("row", "column"):
        for line, text in pages[name].items():
            if not text.isdecimal() or int(text) < 1:
                raise DataError(LISTS, f"{name} {text!r}", "a whole number from 1", line=line)
        pages[name] = pages[name].map(int)
    known = pages["query_id"].isin(collection.queries.ids)
    strange = pages[~known].drop_duplicates("list_id")["list_id"]
    odd = {name: line for line, name in strange.items()}
    findings += count_odd(LISTS, odd, "lists of unknown queries", "ids of queries; left out")
    pages = pages[known]
    first = pages.groupby("list_id", sort=False).ngroup()
    pages = pages.iloc[np.lexsort((pages["column"], pages["row"], first))].reset_index(drop=True)
    means = dict(list_pairs(read_answers(collection, [])))
    pairs = zip(pages["query_id"], pages["item_id"], strict=True)
    pages["relevance"] = np.array([max(means.get(pair, -1.0), -1.0) for pair in pairs], float)
    lists = pages.drop_duplicates("list_id")
    said, kind = _read_answers(collection, lists, findings)
    lists = lists[["list_id", "query_id", "session"]]
    return ViewedLists(pages, lists.merge(said, on="list_id", how="left"), kind)


def _read_answers(
    collection: Collection, lists: pd.DataFrame, findings: Findings
) -> tuple[pd.DataFrame, str]:
    path = collection.folder / ANSWERS
    if not path.is_file():
        nothing = pd.DataFrame(columns=["list_id", "participant", "satisfaction"])
        return nothing.astype({"satisfaction": float}), "none"
    table = read_table(path, ANSWERS, ("list_id", "participant"), findings, unique=False)
    kind = next((kind for kind, name in COLUMNS.items() if name in table.columns), "")
    if not kind:
        raise DataError(ANSWERS, "no column of answers", "satisfaction, 1 to 5", line=1)
    cells = {name: table[name] for name in ("list_id", "participant")}
    cells["satisfaction"] = table[COLUMNS[kind]]
    said = pd.DataFrame(cells, index=table.lines)
    for line, text in said["satisfaction"].items():
        if parse_number(text) not in range(WORST, BEST + 1):
            raise DataError(
                ANSWERS,
                f"satisfaction {text!r}",
                f"a whole number from {WORST} to {BEST}",
                line=line,
                do="Leave the line out where nobody answered.",
            )
    said["satisfaction"] = said["satisfaction"].map(float)
    seen = said["list_id"].map(lists.set_index("list_id")["participant"])
    kept = seen.notna() & ((seen == "") | (seen == said["participant"]))
    findings += count_odd(
        ANSWERS,
        said.index[~kept].tolist(),
        "answers of those who did not see the list",
        "the list's own; left out",
    )
    said = said[kept]
    names = list(map("{} by {}".format, said["list_id"], said["participant"]))
    refuse_repeated(names, said.index, ANSWERS, "an answer for the list")
    return said, kind
