"""What was dropped, repaired or could not be used while files were read: nothing happens
silently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from dashboard.tables import FINDINGS, DataError

SHOWN = 5


@dataclass
class Findings:
    """A list that fills while a collection is read; `frame()` is the table of it."""

    rows: list[tuple[str, str, int | None, str, str]] = field(default_factory=list)

    def note(self, file: str, found: str, wanted: str, line: int | None = None) -> None:
        """Something was repaired or is worth knowing; the numbers do not suffer.

        wanted: empty where nothing else was.
        """
        self.rows.append(("note", file, line, found, wanted))

    def warning(self, file: str, found: str, wanted: str, line: int | None = None) -> None:
        """Something was left out; the rest is used."""
        self.rows.append(("warning", file, line, found, wanted))

    def error(self, problem: DataError) -> None:
        """A file was refused."""
        wanted = f"{problem.wanted}. {problem.cure}" if problem.cure else problem.wanted
        self.rows.append(("error", problem.file, problem.line, problem.found, wanted))

    def frame(self) -> pd.DataFrame:
        """The findings as the table FINDINGS, errors first."""
        frame = pd.DataFrame(self.rows, columns=list(FINDINGS.columns))
        frame["line"] = frame["line"].astype("Int64")
        text = [column for column, kind in FINDINGS.columns.items() if kind == "text"]
        frame[text] = frame[text].astype("str")
        severity = frame["level"].map({"error": 0, "warning": 1, "note": 2})
        return frame.iloc[severity.argsort(kind="stable")].reset_index(drop=True)


def listed(names: Iterable[object]) -> str:
    """The first few of `names` in words, and how many more there are.

    >>> listed(["a", "b"])
    'a, b'
    >>> listed(range(8))
    '0, 1, 2, 3, 4 and 3 more'
    """
    every = [str(name)[:80] for name in names]
    more = len(every) - SHOWN
    return ", ".join(every[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
