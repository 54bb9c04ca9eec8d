"""How relevant people said an item is to a query: `relevance.csv`, an answer of a worker a line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dashboard.storage.files.near_names import unmatched
from dashboard.storage.files.table_files import stored_as
from dashboard.storage.files.tables import read_table
from dashboard.tables import QRELS, RELEVANCE, DataError, Findings, counted

LARGEST = 100
INVALID = (-1, -2)
NO_VALID = -1.0
ROUNDED = 0.5
"""A mean in `qrels` may be rounded to a whole number; a larger difference is a contradiction."""


def read_relevance(
    folder: Path, queries: pd.DataFrame, findings: Findings
) -> tuple[pd.DataFrame, str] | None:
    """The table RELEVANCE (index: the line in the file) and the file's name; None without a file.

    Answers for unknown queries are left out, with a warning. Raises DataError with the line of a
    relevance that is no number from 0 to 100 and no mark of an invalid answer.
    """
    path = stored_as(folder, "relevance", findings)
    if path is None:
        return None
    read = read_table(path, RELEVANCE, path.name, findings)
    check_range(read, path.name, has_lines=True)
    kept = of_known_queries(read, queries, path.name, findings, has_lines=True)
    return kept[list(RELEVANCE.columns)], path.name


def judgements_of(folder: Path, queries: pd.DataFrame, findings: Findings) -> pd.DataFrame | None:
    """The table QRELS made of the workers' answers; None without a file. Raises DataError as
    `read_relevance` does. Invalid answers are left out of the means, and counted."""
    found = read_relevance(folder, queries, findings)
    if found is None:
        return None
    answers, name = found
    invalid = answers.index[answers["relevance"] < 0]
    if len(invalid):
        said = f"{len(invalid):,} of {len(answers):,} answers are invalid (-1 or -2)"
        findings.note(name, said, f"0 to {LARGEST}; left out of the means", int(invalid[0]))
    return means(answers)


def means(answers: pd.DataFrame) -> pd.DataFrame:
    """The mean of the workers' valid answers of each query and item as the table QRELS; -1 where
    none is valid.

    answers: the table RELEVANCE.
    """
    valid = answers.assign(grade=answers["relevance"].where(answers["relevance"] >= 0))
    by = valid.groupby(["query_id", "item_id"], sort=False, as_index=False)
    averaged = pd.DataFrame(by["grade"].mean()).fillna({"grade": NO_VALID})
    return averaged[list(QRELS.columns)]


def in_full(
    qrels: pd.DataFrame, name: str, folder: Path, queries: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """The judgements; where they are the rounded means of the workers' answers, the exact means.

    Rankings and lists are then measured by the same numbers. qrels: the table QRELS of the file
    `name`. Reading the lists reports answers that cannot be used or contradict the judgements.
    """
    try:
        read = read_relevance(folder, queries, Findings())
    except DataError:
        return qrels
    if read is None:
        return qrels
    answered = means(read[0]).rename(columns={"grade": "mean"})
    both = qrels.merge(answered, on=["query_id", "item_id"], how="left")
    known = both["mean"].notna()
    apart = (both["grade"] - both["mean"]).abs()[known]
    if not known.any() or (apart > ROUNDED).any() or not apart.any():
        return qrels
    found = f"{int((apart > 0).sum()):,} of {len(qrels):,} grades are rounded means of {read[1]}"
    findings.note(name, found, f"one of the two; the means count. {name} can be taken away")
    return qrels.assign(grade=both["mean"].where(known, both["grade"]).to_numpy())


def note_contradiction(
    answers: pd.DataFrame, name: str, qrels: pd.DataFrame, findings: Findings
) -> None:
    """Warn where judgements are not the means of the answers: the first such pair, both numbers.

    answers: the table RELEVANCE (index: the line in the file `name`).
    """
    both = means(answers).merge(qrels, on=["query_id", "item_id"], suffixes=("", "_judged"))
    mean, judged = both["grade"], both["grade_judged"]
    valid = (mean >= 0) & (judged >= 0)
    apart = valid & ((mean - judged).abs() > ROUNDED)
    other = both[apart | ((mean >= 0) != (judged >= 0))]
    if other.empty:
        return
    first = other.iloc[0]
    pair = (answers["query_id"] == first["query_id"]) & (answers["item_id"] == first["item_id"])
    found = (
        f"{len(other):,} of {len(both):,} query–picture pairs have another relevance in qrels: "
        f"{first['item_id']!r} for {first['query_id']!r} has a mean of {_number(first['grade'])} "
        f"here and {_number(first['grade_judged'])} there"
    )
    wanted = (
        "the same in both; rankings are measured by qrels, the lists that people saw by the "
        "answers here. Take away the one that does not count"
    )
    findings.warning(name, found, wanted, int(answers.index[pair][0]))


def _number(grade: float) -> str:
    return f"{grade:.4g}" if grade >= 0 else f"{grade:g} (invalid)"


def of_known_queries(
    read: pd.DataFrame, queries: pd.DataFrame, name: str, findings: Findings, *, has_lines: bool
) -> pd.DataFrame:
    """The answers for queries of the collection; a warning counts the others."""
    strange = ~read["query_id"].isin(queries["query_id"])
    if strange.any():
        named = unmatched(read.loc[strange, "query_id"].unique(), queries["query_id"])
        found = f"{counted(int(strange.sum()), 'answer')} for unknown queries ({named})"
        line = int(read.index[strange][0]) if has_lines else None
        findings.warning(name, found, "queries of the collection; left out", line)
    return read[~strange]


def check_range(read: pd.DataFrame, name: str, *, has_lines: bool) -> None:
    """Raise DataError where a relevance is no number from 0 to 100 and no mark of an invalid one.

    A number that is too large puts the scale of all answers in doubt, so it is not just left out.
    """
    value = read["relevance"]
    wrong = read.index[(value > LARGEST) | ((value < 0) & ~value.isin(INVALID))]
    if len(wrong):
        row, line = read.loc[wrong[0]], int(wrong[0]) if has_lines else None
        found = f"relevance {row['relevance']:g} of {row['item_id']!r} for {row['query_id']!r}"
        wanted = f"0 to {LARGEST}, or -1 or -2 for an invalid answer"
        cure, about = f"The scale is 0 to {LARGEST}.", (row["query_id"], row["item_id"])
        raise DataError(name, found, wanted, line=line, cure=cure, about=about)
