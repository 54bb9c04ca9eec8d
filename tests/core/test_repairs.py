"""Tables and lists in other forms are read as they are meant, and each repair is a note."""

from pathlib import Path

import pytest

from dashboard.errors import DataError, Finding
from dashboard.storage.runs import read_qrels, read_run
from dashboard.tables import read_table
from tests.core.bad_world import add, list_findings, write_world

PLAIN = "item_id,file\né,a.png\nb,b.png\n"


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (PLAIN.encode(), []),
        (b"\xef\xbb\xbf" + PLAIN.encode(), []),
        (PLAIN.encode("utf-16"), ["text in UTF-16"]),
        (PLAIN.encode("cp1252"), ["text in Windows-1252"]),
        (PLAIN.replace(",", ";").encode(), ["cells separated by semicolons"]),
        (PLAIN.replace(",", "\t").encode(), ["cells separated by tabs"]),
        (PLAIN.replace(",", " | ").encode(), ["cells separated by bars"]),
        (PLAIN.replace("\n", "\r\n\r\n").encode(), []),
        ((PLAIN + "b,b.png\n").encode(), ["1 identical rows"]),
        (PLAIN.replace("b.png", "b\0.png").encode(), ["1 NUL bytes"]),
    ],
)
def test_tables(tmp_path: Path, content: bytes, notes: list[str]) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    findings: list[Finding] = []
    table = read_table(path, "items.csv", ("item_id", "file"), findings)
    assert (table.ids, table["file"]) == (("é", "b"), ("a.png", "b.png"))
    assert [each.found for each in findings] == notes
    assert {each.level for each in findings} <= {"note"}


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            PLAIN.encode() + b"b,c.png\n",
            "line 4: found item_id 'b' a second time (first in",
        ),
        (
            "item_id,file\n".encode("utf-16-le"),
            "line 1: found a file that is no text (13 NUL",
        ),
        (b"item_id,file\n\x81,a.png\n", "found bytes that are not UTF-8"),
        (b"", "found an empty file"),
        (b"name;file\na;b\n", "line 1: found the columns name;file"),
    ],
)
def test_broken_tables(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_table(path, "items.csv", ("item_id", "file"), [])
    assert found in str(error.value)


def test_lists(tmp_path: Path) -> None:
    """Comments, blank lines and lines that say the same again do not count."""
    path = tmp_path / "qrels.txt"
    path.write_bytes("# judged by é\n\nq1 0 a 1\nq1 0 a 1\nq1 0 b 0\n".encode("cp1252"))
    findings: list[Finding] = []
    pairs = read_qrels(path, "qrels.txt", findings)
    assert (pairs.queries, pairs.items) == (("q1",), ("a", "b"))
    assert (pairs.item.tolist(), pairs.values.tolist()) == ([0, 1], [1, 0])
    assert [(each.line, each.found) for each in findings] == [
        (None, "text in Windows-1252"),
        (4, "1 lines that say the same again"),
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("q1 Q0 a 1 0.5 t\nq1 Q0 a 2 0.4 t\n", "line 2: found query 'q1' and item 'a' a second"),
        ("q1 Q0 a 1 high t\n", "line 1: found score 'high'"),
        ("q1 Q0 a 1 nan t\n", "line 1: found score 'nan'"),
        ("q1 Q0 a 1 1,5 t\n", "line 1: found score '1,5'"),
        ("q1 Q0 a\n", "line 1: found 3 fields"),
        ("# nothing\n", "found no rows"),
    ],
)
def test_broken_lists(tmp_path: Path, content: str, found: str) -> None:
    path = tmp_path / "r.trec"
    path.write_text(content)
    with pytest.raises(DataError) as error:
        read_run(path, "r.trec", [])
    assert found in str(error.value)


def test_sentences_stand_on_one_line(tmp_path: Path) -> None:
    """No text of a file acts on a terminal, or looks like a second sentence."""
    folder = write_world(tmp_path)
    add("runs/r.trec", "q\x1b[2J Q0 v00 1 1.0 t\n")(folder)
    (finding,) = list_findings(folder)[1]
    assert "q\ufffd[2J" in finding.found
    assert str(DataError("a", "b\nerror: c", "d")).isprintable()
