"""Delimited text: the quick way for plain texts gives what the careful one gives."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import ids
from dashboard.storage.collection import annotation
from dashboard.storage.files import delimited
from dashboard.storage.vectors.vectors import ids_in
from dashboard.tables import DataError, Findings

PIECES = [
    "a",
    "b7",
    "ö",
    "\u2028",
    " ",
    "  ",
    "'",
    "'=1",
    '"',
    '"x,y"',
    ";",
    "\t",
    "\r",
    "#",
    "NA",
    "\0",
]
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=4), max_size=6)


def read(text: str, delimiter: str) -> tuple[object, list]:
    """What comes of a text: the frame as lists, or the sentence of the refusal; what is said."""
    findings = Findings()
    try:
        frame = delimited.read_delimited(text, ["a"], "a.csv", findings)
    except DataError as problem:
        return str(problem), []
    frame = pd.DataFrame(frame)
    return (frame.columns.tolist(), frame.index.tolist(), frame.to_numpy().tolist()), findings.rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@settings(max_examples=100, deadline=None)
@given(lines=LINES, end=st.sampled_from(["", "\n", "\n\n"]))
def test_the_quick_way_gives_what_the_careful_one_gives(delimiter, lines, end) -> None:
    text = "\n".join([delimiter.join("abc"), *map(delimiter.join, lines)]) + end
    quick = read(text, delimiter)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(delimited, "_plain", lambda *call: None)
        assert read(text, delimiter) == quick


def test_a_plain_text_is_read_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_records", None)
    frame = delimited.read_delimited("# c\n\na,b\n1,x y\n,it's\n", ["a"], "a.csv", Findings())
    assert frame.to_numpy().tolist() == [["1", "x y"], ["", "it's"]]
    assert frame.index.tolist() == [4, 5]


def test_a_list_of_ids_is_read_the_quick_way_only_where_nothing_is_to_be_said() -> None:
    for text, said in (("a\nb c\n", 0), ("a\nb", 0), (" a\nb", 1), ("a\n\nb", 1), ("a \nb", 1)):
        findings = Findings()
        assert (
            ids_in(text, "i.txt", findings) == tuple(text.replace(" \n", "\n").split())
            or " c" in text
        )
        assert len(findings.rows) == said, text
    with pytest.raises(DataError, match="lines 1 and 3"):
        ids_in("a\nb\na\n", "i.txt", Findings())


@given(
    column=st.lists(st.text(max_size=3), max_size=8),
    known=st.lists(st.text(max_size=3), max_size=8),
)
@settings(deadline=None)
def test_ids_among_others_are_those_that_python_finds(column: list[str], known: list[str]) -> None:
    texts = (pd.Series(each, dtype="str") for each in (column, known))
    assert ids.among(*texts).tolist() == [each in known for each in column]


def test_queries_without_an_item_cost_no_look_at_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotation, "_stem", None)
    assert annotation.matched_ids(["", "a"], ["a", "b"]) == {"a": "a"}
