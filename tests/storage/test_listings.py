"""A cell that holds a list is read as that list, whichever program printed it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection.annotation import read_annotation
from dashboard.storage.files.listings import LONGEST, Unreadable, elements
from dashboard.tables import DataError, Findings

WORDS = ["car", "urban"]
FORMS = {
    "Python": "['car', 'urban']",
    "Python, the other quotes": """["car", 'urban']""",
    "JSON": '["car", "urban"]',
    "JSON, escaped": '["car", "\\u0075rban"]',
    "numpy": "['car' 'urban']",
    "numpy, two lines": "['car'\n 'urban']",
    "numpy, its texts": "[np.str_('car'), np.str_('urban')]",
    "numpy, repr": "array(['car', 'urban'], dtype='<U5')",
    "numpy, objects": "np.array(['car', 'urban'], dtype=object)",
    "a tuple": "('car', 'urban')",
    "a set": "{'car', 'urban'}",
    "a frozen set": "frozenset({'car', 'urban'})",
    "a list of lists": "[['car'], ['urban']]",
    "with nothing in it": "['car', None, '', 'urban']",
    "no quotes": "[car, urban]",
    "an array of PostgreSQL": '{car,"urban"}',
    "an array of PostgreSQL, no quotes": "{car,urban}",
    "blanks": "  [ 'car' , 'urban' ]  ",
}
EMPTY = ["[]", "()", "{}", "set()", "[ ]", "['']", "[None]", "[nan]", "array([], dtype=object)"]
NO_LIST = [
    "car (parked)",
    "(parked)",
    "[car] urban",
    "car, urban",
    "",
    "{'car': 1}",
    "a [b]",
    "f(x)",
]
BROKEN = {
    "['car', 'urban'": "does not end",
    "['a' 'b' ... 'z']": "shortened by dots",
    '["car", urban]': "something else than texts",
    "['" + "x" * LONGEST + "']": "letters; at most",
    "[" * 60 + "'a'" + "]" * 60: "too many lists",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_list_is_its_elements(form: str) -> None:
    assert elements(FORMS[form]) == WORDS


@pytest.mark.parametrize("cell", EMPTY)
def test_an_empty_list_has_none(cell: str) -> None:
    assert elements(cell) == []


@pytest.mark.parametrize("cell", NO_LIST)
def test_what_is_no_list_stays_as_it_is(cell: str) -> None:
    assert elements(cell) is None


@pytest.mark.parametrize("cell", BROKEN)
def test_a_broken_list_says_what_is_wrong(cell: str) -> None:
    with pytest.raises(Unreadable, match=BROKEN[cell]):
        elements(cell)


def test_elements_keep_their_separators_and_quotes() -> None:
    assert elements("""["left, turn", 'it\\'s; a|b']""") == ["left, turn", "it's; a|b"]
    assert elements("[1, 2.5, True]") == ["1", "2.5", "True"]
    assert elements(str(np.array(["car", "small vehicle"]))) == ["car", "small vehicle"]
    assert elements(repr([np.str_("car")])) == ["car"]


def test_nothing_is_run() -> None:
    for cell in ("[__import__('os').system('true')]", "['a', open('x')]", "[x for x in 'ab']"):
        try:
            found = elements(cell)
        except Unreadable:
            continue
        assert found is None or all("(" in each or "x for" in each for each in found)


def annotation(path: Path, *cells: str, findings: Findings | None = None):
    rows = [f'v{n},"{cell.replace(chr(34), chr(34) * 2)}"\n' for n, cell in enumerate(cells)]
    path.write_text("slice_id,pv_object_type\n" + "".join(rows))
    return read_annotation(path, findings=findings)


def keywords(path: Path, *cells: str, findings: Findings | None = None) -> dict[str, list[str]]:
    table = annotation(path, *cells, findings=findings).keywords
    return {item: of.tolist() for item, of in table.groupby("item_id")["keyword"]}


def test_lists_stand_beside_plain_cells_with_a_note(tmp_path: Path) -> None:
    findings = Findings()
    cells = ["car; night", "['car', 'urban']", '["left, turn"]', "[]", "rain"]
    found = keywords(tmp_path / "a.csv", *cells, findings=findings)
    assert found == {"v0": ["car", "night"], "v1": WORDS, "v2": ["left, turn"], "v4": ["rain"]}
    (row,) = [row for row in findings.rows if "a list in" in row[3]]
    assert (row[0], row[2]) == ("note", 3)
    assert row[3] == "a list in 3 cells, such as ['car', 'urban']"


def test_a_broken_list_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.csv, line 3: found .*, a list that does not end; wan"):
        annotation(tmp_path / "a.csv", "car", "['car', 'urban'")


def test_quotes_of_any_kind_stand_around_a_keyword_and_are_none_of_it(tmp_path: Path) -> None:
    cells = ["[“car”, “urban”]", "'car', urban", "driver's car", "['it''s raining', \"a 'b'\"]"]
    found = keywords(tmp_path / "a.csv", *cells)
    assert found["v0"] == found["v1"] == WORDS
    assert found["v2"] == ["driver's car"]
    assert found["v3"] == ["it's raining", "a 'b'"]


@pytest.mark.parametrize(
    ("cells", "line", "said"),
    [
        (("car, urban", "car, rain", "car; night"), 4, "1 cell with ; or | and no ,"),
        (("car; urban", "car; rain", "night, car [left]"), 4, "1 cell with | or , and no ;"),
    ],
)
def test_another_separator_than_that_of_the_column_is_said(
    tmp_path: Path, cells: tuple[str, ...], line: int, said: str
) -> None:
    findings = Findings()
    keywords(tmp_path / "a.csv", *cells, findings=findings)
    (row,) = [row for row in findings.rows if said in row[3]]
    assert (row[0], row[2]) == ("warning", line)
