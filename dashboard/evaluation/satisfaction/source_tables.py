"""Lists that people saw, as the tables and figures of the context protocol's source.

Table 1 (sizes), figure 3 (means and deviations of relevance), table 2 (lists of high and of low
variance) and table 3 (original and context-aware gain), each for anybody's lists. Nothing here
claims that one gain is better.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pandas as pd

from dashboard.evaluation.protocols.context import SCALE, clean
from dashboard.evaluation.satisfaction import agreement
from dashboard.evaluation.satisfaction import cleaning as satisfaction
from dashboard.evaluation.satisfaction.cag_steps import cag_steps
from dashboard.evaluation.satisfaction.cleaning import (
    ORIGINAL,
    WINDOW,
    Study,
    gain_metrics,
    sessions,
)

DATASETS = (10, 15)
"""The source's two data sets: lists of at least so many rows."""
IN_TABLE_3 = ((10, 10), (15, 5), (15, 10), (15, 15))
"""The columns of the source's table 3: lists of at least so many rows, how many are looked at."""
FIRST_PAGE = 5
"""The rows that figure 3 covers: what most image search engines show at first."""


@dataclass(frozen=True)
class Reading:
    """How lists are read: `rows` of the grid, the `window` of the context-aware gain, and by what
    it is divided where it holds fewer pictures ("window": by their number, "w": by its size).

    average: what AVG is the mean of: all "pictures", as which it orders lists as CG does, or the
    means of the grid's "rows".
    """

    rows: int = 10
    window: int = WINDOW
    divide: str = "window"
    average: str = "pictures"

    @property
    def metrics(self) -> str:
        """The metrics of the source with this window."""
        return gain_metrics(self.window, self.divide)


@dataclass(frozen=True, eq=False)
class ViewedLists:
    """Lists as people saw them, and their answers.

    shown    query_id (the list's id), rank, row, column, item_id, relevance (0 to 100, -1 where
             nobody gave a valid one)
    answers  query_id, asked (the query), participant, session, satisfaction (null: not answered)
    by_viewers  whether those who answered are those who saw the lists, so that lists without an
                answer that can be used are left out of the figures, too
    """

    shown: pd.DataFrame
    answers: pd.DataFrame
    by_viewers: bool
    _studies: dict[int, Study] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        places: pd.DataFrame,
        relevance: pd.DataFrame,
        answers: pd.DataFrame,
        *,
        by_viewers: bool,
    ) -> ViewedLists:
        """From lists (list_id, query_id, row, column, item_id), the relevance that each worker gave
        (query_id, item_id, relevance), and answers (list_id, query_id, participant, …)."""
        said = answers.rename(columns={"query_id": "asked", "list_id": "query_id"})
        return cls(satisfaction.pages(places, relevance), said, by_viewers)

    def study(self, fewest_rows: int) -> Study:
        """The cleaned answers of lists with at least so many rows, computed once."""
        if fewest_rows not in self._studies:
            made = satisfaction.study(self.shown, self.answers, fewest_rows=fewest_rows)
            self._studies[fewest_rows] = made
        return self._studies[fewest_rows]

    def sizes(self) -> pd.DataFrame:
        """The source's table 1, and before it everything: part, sessions, participants, queries,
        lists, images."""
        first = self.study(0).steps.iloc[0]
        whole = {
            "sessions": sessions(self.answers),
            **first[["participants", "queries", "lists"]].to_dict(),
            "images": int(first["images"] + first["invalid"]),
        }
        rows = {f"at least {n} rows": satisfaction.sizes(self.study(n)) for n in DATASETS}
        if whole["sessions"] is not None:
            # where sessions are recorded, no list that is left has none: zero, not null
            for row in rows.values():
                row["sessions"] = 0 if row["lists"] == 0 else row["sessions"]
        table = pd.DataFrame({"before cleaning": whole, **rows}).T.rename_axis("part")
        return table.astype("Int64").reset_index()

    def spread(self, rows: int) -> pd.DataFrame:
        """The source's figure 3 over the lists of at least `rows` rows, in their first five.

        Columns list_id, mean, deviation, deviation_in_context, satisfaction (scaled; null: none
        that can be used).
        """
        found = self.study(rows)
        relevance = found.relevance if self.by_viewers else self.usable(rows)
        if relevance.empty:
            columns = ["list_id", "mean", "deviation", "deviation_in_context", "satisfaction"]
            return pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[1:], "float64"))
        drawn = agreement.spread(relevance, found.satisfaction, min(rows, FIRST_PAGE))
        return drawn.rename(columns={"query_id": "list_id"})

    def usable(self, rows: int) -> pd.DataFrame:
        """The valid relevance in [0, 1] of all lists of at least `rows` rows that have enough of
        it, whoever saw them: query_id, rank, row, relevance."""
        kept, _ = clean(self.shown.rename(columns={"relevance": "grade"}))
        number = kept.groupby("query_id")["row"].transform("nunique")
        long = kept[number >= rows]
        return long.assign(relevance=long["grade"] / SCALE).drop(columns="grade")

    def in_each_row(self, fewest_rows: int) -> int | None:
        """How many pictures every row holds; None where rows differ: only then does the mean of
        row means differ from that of all pictures."""
        by = self.study(fewest_rows).relevance.groupby(["query_id", "row"])
        sizes = by.size().unique()
        return int(sizes[0]) if len(sizes) == 1 else None

    def halves(self, reading: Reading) -> pd.DataFrame:
        """The source's table 2: original gain where relevance varies most, and least.

        Columns of `agreement.halves`; of the lists of at least `rows` rows, in the first `rows`.
        """
        found = self.study(reading.rows)
        looked_at = satisfaction.first_rows(found.relevance, reading.rows)
        split = agreement.variance_split(looked_at)
        measured = _measured(found, ORIGINAL, reading)
        return agreement.halves(measured, found.satisfaction, split)

    def gains(self, reading: Reading, fewest_rows: int | None = None) -> pd.DataFrame:
        """Original and context-aware gain under each discount: columns of `agreement.gains`.

        In the first `rows` rows of the lists of at least `fewest_rows` (None: as many).
        """
        found = self.study(reading.rows if fewest_rows is None else fewest_rows)
        measured = _measured(found, reading.metrics, reading)
        return agreement.gains(measured, found.satisfaction)

    def table_3(self, reading: Reading) -> pd.DataFrame:
        """The source's table 3: `gains` for each of its columns, fewest_rows and rows before."""
        parts = []
        for fewest, rows in IN_TABLE_3:
            part = self.gains(replace(reading, rows=rows), fewest)
            part.insert(0, "rows", rows)
            part.insert(0, "fewest_rows", fewest)
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def steps(self, list_id: str, reading: Reading, discount: str) -> pd.DataFrame:
        """One list picture by picture: row, column, item_id, relevance, and the columns of
        `cag_steps`, which are null for pictures without a valid relevance or below the depth."""
        mine = self.shown[self.shown["query_id"] == list_id].drop(columns=["query_id", "rank"])
        valid = mine[mine["relevance"] >= 0]
        place = valid["row"].rank(method="dense")
        read = valid[place <= reading.rows]
        credit = (read["relevance"] / SCALE).to_numpy()
        grid = read["row"].to_numpy() if reading.average == "rows" else None
        steps = cag_steps(credit, reading.window, reading.divide, discount, grid)
        steps = steps.set_index(read.index)
        return mine.join(steps).astype({"rank": "Int64", "best_rank": "Int64"})


def _measured(found: Study, metrics: str, reading: Reading) -> pd.DataFrame:
    """The measurements of the lists; without any list each metric once, null."""
    rows, average = reading.rows, reading.average
    if len(found.relevance):
        return satisfaction.measured(found, metrics, rows, average=average)
    nothing = Study(_NOTHING, found.answers, found.steps)
    made = satisfaction.measured(nothing, metrics, rows, average=average)
    return made.assign(value=float("nan"))


_NOTHING = pd.DataFrame({"query_id": [""], "rank": [1], "row": [1], "relevance": [0.0]})
