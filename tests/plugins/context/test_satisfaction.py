"""Viewed lists and answers: what is null and why, broken files, scales, and the section."""

from pathlib import Path

import pytest

from dashboard.plugins.context.lists import read_lists
from dashboard.plugins.context.satisfaction import (
    Reading,
    compare_gains,
    compare_halves,
    explain_nulls,
)
from dashboard.storage.collection import open_collection
from tests.core.test_screens import draw
from tests.plugins.context.test_context import QUERIES, WORKERS, write
from tests.plugins.worlds import call, measure_values

LISTS = "list_id,query_id,row,column,item_id\n"
HEADER = "list_id,participant,session,satisfaction\n"
SHOWN = ("a", "abd", "b", "db", "ba")
"""Items of lists l0 to l4; a has relevance 80, b 40 and d 100."""


def write_lists(folder: Path, answers: str, shown: tuple[str, ...] = SHOWN) -> Path:
    made = write(folder)
    rows = [
        f"l{place},q1,1,{column},{item}\n"
        for place, items in enumerate(shown)
        for column, item in enumerate(items, start=1)
    ]
    (made / "lists.csv").write_text(LISTS + "".join(rows))
    (made / "satisfaction.csv").write_text(answers)
    return made


def answer_all(values: str, participant: str = "p1") -> str:
    return HEADER + "".join(f"l{n},{participant},s1,{v}\n" for n, v in enumerate(values))


def test_correlations_by_hand(tmp_path: Path) -> None:
    """AVG of the lists is 0.8, 0.733, 0.4, 0.7 and 0.6; of r' 0.8, 0.667, 0.4, 0.58 and 0.6.

    Satisfaction 5 3 1 4 2: ranks 5 3 1 4 2 beside 5 4 1 3 2 (Σd² = 2: 0.9) and 5 4 1 2 3
    (Σd² = 6: 0.7).
    """
    viewed = read_lists(open_collection(write_lists(tmp_path / "w", answer_all("53142"))), [])
    rows = {row["discount"]: row for row in compare_gains(viewed, Reading(rows=1, window=1))}
    assert rows["AVG"]["r_original"] == pytest.approx(0.9)
    assert rows["AVG"]["r_context"] == pytest.approx(0.7)
    assert rows["CG"]["r_context"] == pytest.approx(0.7)
    assert rows["AVG"]["n"] == 5 and rows["AVG"]["star_original"] is True
    assert explain_nulls(viewed, Reading(rows=1, window=1), list(rows.values())) == []


@pytest.mark.parametrize(
    ("answers", "step"),
    [
        (HEADER + "l0,p1,s1,3\nl1,p2,s1,4\n", "2 by the step 'participants with 3 lists or more'"),
        (HEADER, "5 by the step 'satisfaction answered'"),
        (answer_all("44444"), "5 by the step 'participants whose satisfaction varies'"),
    ],
    ids=["one query", "no satisfaction", "all ties"],
)
def test_nothing_left_is_null_with_its_reason(tmp_path: Path, answers: str, step: str) -> None:
    folder = write_lists(tmp_path / "w", answers)
    for table in ("gains", "halves", "spread", "depths", "sizes", "cleaning"):
        code, rows, said = call("satisfaction", folder, "--rows", 1, "--table", table)
        cells = [cell for row in rows for cell in row.values()]
        assert code == 0 and not [cell for cell in cells if cell != cell]  # null, not NaN
        if table in ("gains", "halves"):
            assert [row["n"] for row in rows] == [0] * {"gains": 6, "halves": 12}[table]
            assert not [cell for cell in cells if cell is False]  # a star without a p
            assert "0 of 5 lists are left, too few for a correlation" in said and step in said


def test_equal_lists_have_no_correlation(tmp_path: Path) -> None:
    opened = open_collection(write_lists(tmp_path / "w", answer_all("53142"), ("ab",) * 5))
    viewed, reading = read_lists(opened, []), Reading(rows=1, window=1)
    rows = compare_gains(viewed, reading)
    assert all(row["r_original"] != row["r_original"] and row["n"] == 5 for row in rows)
    (told,) = explain_nulls(viewed, reading, rows)
    assert told.startswith("A metric, or satisfaction, is the same for all lists")
    halves = compare_halves(viewed, reading)
    assert {row["n"] for row in halves} == {1} and {row["star"] for row in halves} == {None}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("lists.csv", LISTS + "l0,q1,0,1,a\n", "lists.csv line 2: row '0'"),
        ("lists.csv", "list_id,query_id,row,item_id\n", "lists.csv line 1: the columns"),
        ("lists.csv", LISTS, "lists.csv line None: no lists"),
        ("lists.csv", "", "lists.csv line None: no such file"),
        ("lists.csv", LISTS + "l0,q9,1,1,a\n", "lists.csv line 2: 1 lists of unknown queries"),
        ("satisfaction.csv", HEADER + "l0,p1,s1,6\n", "satisfaction.csv line 2: satisfaction '6'"),
        ("satisfaction.csv", HEADER + "l0,p1,s1,2.5\n", "satisfaction.csv line 2: satisfaction"),
        ("satisfaction.csv", HEADER + "l9,p1,s1,2\n", "satisfaction.csv line 2: 1 answers"),
        ("satisfaction.csv", HEADER + "l0,p1,,2\nl0,p1,,3\n", "satisfaction.csv line 3: an answer"),
    ],
)
def test_broken_files_are_findings(tmp_path: Path, name: str, content: str, said: str) -> None:
    """The protocol stays usable, as only the correlations need these files."""
    folder = write_lists(tmp_path / "w", answer_all("53142"))
    before = open_collection(folder)
    assert not [each for each in before.findings if each.level != "note"]
    (folder / name).write_text(content) if content else (folder / name).unlink()
    opened = open_collection(folder)
    found = [f"{each.file} line {each.line}: {each.found}" for each in opened.findings]
    assert any(each.startswith(said) for each in found), found
    assert {type(each.line) for each in opened.findings} <= {int, type(None)}  # for JSON
    assert measure_values(folder, "AVG") == {"AVG": [round(2.2 / 3, 9), None]}


def test_a_stated_scale(tmp_path: Path) -> None:
    """Relevance 4 of 0 to 4 is 100, 2 is 50; without the statement it is refused."""
    workers = "query_id,item_id,relevance\nq1,a,4\nq1,a,2\nq1,b,2\nq1,c,-1\nq1,d,0\n"
    folder = write(tmp_path / "w", workers)
    assert "relevance_scale = 4" in str(open_collection(folder).unread["context"])
    settings = (folder / "collection.toml").read_text()
    for stated, said in (("100", "up to 4 only"), ("3", "line 2: found relevance 4"), ("0", "= 0")):
        (folder / "collection.toml").write_text(f"{settings}relevance_scale = {stated}\n")
        assert said in str(open_collection(folder).unread["context"])
    (folder / "collection.toml").write_text(f"{settings}relevance_scale = 4\n")
    assert measure_values(folder, "CG P@2") == {"CG": [0.75 + 0.5, None], "P@2": [1.0, None]}
    (folder / "relevance.csv").unlink()
    (folder / "qrels.txt").write_text("q1 0 a 3\nq1 0 b 2\nq1 0 c -1\nq1 0 d 0\nq2 0 a 4\n")
    assert measure_values(folder, "CG") == {"CG": [0.75 + 0.5, 1.0]}
    (folder / "collection.toml").write_text(settings)
    (folder / "qrels.txt").write_text("q1 0 a 10\nq1 0 b 7\n")
    assert "qrels: found relevance up to 10 only" in str(open_collection(folder).unread["context"])


@pytest.mark.parametrize("answers", [answer_all("53142"), HEADER], ids=["answers", "none"])
def test_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: str) -> None:
    folder = write_lists(tmp_path / "w", answers)
    lists = (folder / "lists.csv").read_text().splitlines()[1:]
    rows = [line.replace(",1,", f",{row},", 1) for row in range(1, 11) for line in lists]
    (folder / "lists.csv").write_text(LISTS + "\n".join(rows) + "\n")
    (folder / "queries.csv").write_text(QUERIES)
    (folder / "relevance.csv").write_text(WORKERS)
    drawn = draw(folder, monkeypatch, "overview", metric="CAG(AVG,w=1)")
    assert not drawn.exception and not drawn.error
    assert any("Agreement with satisfaction" in each.value for each in drawn.markdown)
    tables = [each.proto.body for each in drawn.get("html") if "gain in context" in each.proto.body]
    line = next(each for each in tables[0].split("<tr") if ">AVG<" in each)
    assert 'class="front"' in line
    said = [each.value.replace("\\", "") for each in drawn.caption]
    if answers == HEADER:
        assert any("0 of 5 lists are left" in each for each in said)
        assert line.count(">–<") == 6
    else:
        # r' of ten equal rows: 0.8, 0.61, 0.4, 0.58, 0.51, in the order of the plain means
        assert (
            line.count(">0.900<") == 2
            and ">1.000</td" in line
            and not any("lists are left" in each for each in said)
        )
