"""Judgements in lines of three fields, as BEIR writes them, or of four, as TREC does; and what is
done where they contradict each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from dashboard.storage.files.contents import read_text
from dashboard.storage.sources.content import QREL_COLUMNS, Content
from dashboard.storage.sources.listing import Listing
from dashboard.tables import DataError, Findings, counted

QUERY = ("query_id", "q_id", "qid", "query-id", "topic", "topic_id")
ITEM = ("item_id", "doc_id", "docno", "docid", "pid", "corpus-id", "document_id", "d_id")
GRADE = ("grade", "relevance", "rel", "label", "judgment")
SCORE = ("score", "similarity")
_WANTED = "query, item and grade, or TREC's query, 0, item and grade"


def is_number(text: str) -> bool:
    """Whether a field is a finite number."""
    return bool(re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text.strip()))


def read_judgements(listing: Listing, name: str) -> pd.DataFrame:
    """The judged pairs of a file of lines: query_id, item_id, grade, as texts.

    Tabs or blanks divide the fields; a header, where there is one, says which is which. Raises
    DataError naming the first line that is no judgement.
    """
    text = read_text(listing.path(name), name, Findings())
    split = [
        (number, [field.strip() for field in (line.split("\t") if "\t" in line else line.split())])
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.startswith("#")
    ]
    if not split:
        raise DataError(name, "comments only", _WANTED)
    places = _places([field.lower() for field in split[0][1]])
    rows = []
    for number, fields in split if places is None else split[1:]:
        query, item, grade = places or ((0, 2, 3) if len(fields) > 3 else (0, 1, 2))
        if len(fields) <= max(query, item, grade):
            raise DataError(name, counted(len(fields), "field"), _WANTED, line=number)
        if not is_number(fields[grade]):
            raise DataError(name, f"the grade {fields[grade][:80]!r}", "a number", line=number)
        rows.append((fields[query], fields[item], f"{float(fields[grade]):g}"))
    return pd.DataFrame(rows, columns=list(QREL_COLUMNS), dtype="str")


def _places(header: Sequence[str]) -> tuple[int, int, int] | None:
    """Where query, item and grade stand by a header; None where the line is none."""
    found = [
        next((header.index(each) for each in names if each in header), None)
        for names in (QUERY, ITEM, (*GRADE, *SCORE))
    ]
    query, item, grade = found
    return None if query is None or item is None or grade is None else (query, item, grade)


def without_contradictions(qrels: pd.DataFrame, content: Content) -> pd.DataFrame:
    """Each judged pair once; of two grades the first counts, which the content says."""
    once = qrels.drop_duplicates()
    differ = once[once.duplicated(["query_id", "item_id"])]
    if len(differ):
        query, item = differ.iloc[0][["query_id", "item_id"]]
        content.problems.append(
            f"{counted(len(differ), 'pair')} with two different grades (query {query}, item "
            f"{item}); the first counts"
        )
    return once.drop_duplicates(["query_id", "item_id"], ignore_index=True)


def without_repeats(table: pd.DataFrame, key: str, text: str, content: Content) -> pd.DataFrame:
    """Each id of queries or texts once; of two texts the first counts, which the content says."""
    differ = table.drop_duplicates([key, text])
    differ = differ[differ.duplicated(key)]
    if len(differ):
        several = ("id stands", "ids stand")[len(differ) > 1]
        content.problems.append(
            f"{len(differ):,} {several} twice, with different texts ({key} {differ.iloc[0][key]}); "
            "the first counts"
        )
    return table.drop_duplicates(key, ignore_index=True)
