"""Bad input: repaired with a note, left out with a warning, or refused in a sentence.

Names such as QRL-03 are those of a catalogue of bad inputs and outcomes.
"""

from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.errors import DataError, explain_errors
from dashboard.storage.collection import open_collection
from tests.core.bad_world import (
    ITEMS,
    QRELS,
    A,
    Change,
    add,
    check_sentence,
    cut,
    list_findings,
    list_means,
    name_cases,
    put,
    read_lines,
    recode,
    remove,
    sub,
    turn,
    widen,
    write,
    write_finding,
    write_world,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_world(tmp_path)


def sort_lines(folder: Path, file: str) -> None:
    write(folder, file, b"".join(sorted(read_lines(folder, file))))


SAME = [
    ("MAN-24", sub("items.csv", "v11,v11.png", "v11,NA")),
    ("MAN-28", sub("items.csv", "caption v00", '"<img onerror=alert(1)> ![p](http://x) $x$"')),
    ("MAN-29", sub("items.csv", "caption v00", "x" * 200_000)),
    ("MAN-32", Change("items.csv", lambda folder, _: widen(folder, 300))),
    ("ANN-01", recode("items.csv", "utf-8-sig")),
    ("ANN-05", sub("runs/r.trec", "\n", "\r\n", -1)),
    ("ANN-09", sub("items.csv", "caption v00", '"a ""big"", red one"')),
    ("ANN-10", sub("items.csv", "caption v00", '"caption\n v00"')),
    ("EMB-14", turn(lambda array: array.astype(np.float64))),
    ("EMB-17", turn(np.asfortranarray)),
    ("EMB-38", sub("models/a/items.txt", "\n", " \r\n", -1)),
    ("EMB-38", add("models/a/items.txt", "\r\n\n \n")),
    ("no final newline", cut("models/a/items.txt", -1)),
    ("no final newline", cut("runs/r.trec", -1)),
    ("QRY-06", sub("queries.csv", "q1,car", "q1,\u0633 \u202e'); DROP x;-- {{7*7}} %s")),
    ("QRL-01", sub("qrels.txt", "v04 0", "v04 -1")),
    ("QRL-06", sub("qrels.txt", " ", "\t  ", -1)),
    ("QRL-06", add("qrels.txt", "\n\n")),
    ("BEIR", put("qrels.txt", "query-id\tcorpus-id\tscore\n" + QRELS.replace(" 0 ", "\t"))),
    ("comments", sub("qrels.txt", "q2 0", "# by hand\n#\nq2 0")),
    ("comments", sub("runs/r.trec", "q2 Q0", "# by a tool\nq2 Q0")),
    ("RUN-03", Change("runs/r.trec", sort_lines)),
    ("RUN-15", sub("runs/r.trec", " t\n", " other\n")),
    ("RUN-18", sub("runs/r.trec", "1 1.125000", "0 1.125e0")),
]
"""Input that changes neither numbers nor findings."""


@pytest.mark.parametrize(("name", "change"), SAME, ids=name_cases(SAME))
def test_same_numbers_without_a_word(folder: Path, name: str, change: Change) -> None:
    plain = list_means(open_collection(folder), "a", "b", "r")
    change(folder)
    opened = open_collection(folder)
    assert opened.findings == ()
    assert list_means(opened, "a", "b", "r") == plain


Cases = dict[str, list[tuple[str, Change, str]]]


def list_cases(groups: Cases) -> list:
    cases = [(group, *case) for group, cases in groups.items() for case in cases]
    return [pytest.param(*case, id=case[1]) for case in cases]


FOUND: Cases = {
    "warning": [
        ("judged outside", add("qrels.txt", "q1 0 outside 1\n"), "qrels: 1 judged items outside"),
        ("a run that is packed", put("runs/z.trec.gz", b"x"), ": a file with the ending '.gz'"),
        ("ANN-14", add("items.csv", "v12"), ", line 14: fewer cells in 1 rows"),
        ("EMB-39", sub("models/a/queries.txt", "q3", "other"), "models/a/queries.npy: no vector"),
        ("QRY-02", sub("queries.csv", "q1,car", "q1, \u00a0\u200b "), ", line 2: q1 has no text"),
        ("QRY-15", add("qrels.txt", "q77 0 v00 1\n"), "qrels: judgements of 1 unknown queries"),
        ("RUN-11", add("runs/r.trec", "q99 Q0 v00 1 1.0 t\n"), "runs/r: results of 1 unknown"),
        ("unknown key", add("collection.toml", "colour = 1\n"), ": keys colour"),
        ("no vector", sub("models/a/items.txt", "v05", "z"), f"{A}: no vector for 1 of 12 (v05)"),
        (
            "unknown query item",
            put("queries.csv", "query_id,text,item_id\nq1,car,\nq2,bus,\nq3,van,\nq4,,zz\n"),
            ", line 5: q4 names the unknown item 'zz'",
        ),
        ("no queries.npy", remove("models/a/queries.npy"), ": no vector for 3 of 3 (q1, q2, q3)"),
    ],
    "note": [
        ("MAN-21", add("items.csv", "v00,v00.png,caption v00\n"), ", line 14: 1 ident"),
        ("MAN-30", sub("items.csv", "item_id", " Item_ID "), ", line 1: the columns Item_ID"),
        ("ANN-02", recode("items.csv", "utf-16"), ": text in UTF-16"),
        (
            "ANN-04",
            recode("collection.toml", "cp1252", "Bad", "\u201cBad\u201d"),
            ": text in Windows",
        ),
        ("ANN-07", sub("items.csv", ",", ";", -1), ", line 1: cells separated by semicolons"),
        ("ANN-33", sub("qrels.txt", "v05", "v05\0"), ", line 5: 1 NUL bytes"),
        ("EMB-15", turn(lambda array: array.astype(np.float16) * np.float16(2)), ": vectors of"),
        (
            "EMB-32",
            turn(lambda array: array * np.linspace(1, 100, 12)[:, None]),
            ": vectors of length 1 to 100",
        ),
        ("QRL-04", add("qrels.txt", "q1 0 v00 2\n"), ", line 7: 1 lines that say the same again"),
        (
            "two qrels",
            put("qrels.csv", "query_id,item_id,grade\nq1,v00,2\n"),
            ": judgements beside",
        ),
        ("unknown item", add("runs/r.trec", "q1 Q0 zz 11 -9 t\n"), "runs/r: results that name 1"),
        ("bars", sub("items.csv", ",", " | ", -1), ", line 1: cells separated by bars"),
    ],
    "error": [
        ("run and model", put("runs/a.trec", "q1 Q0 v00 1 1.0 t\n"), "runs/a: a second version"),
        ("two runs", put("runs/r.txt", "q1 Q0 v00 1 1.0 t\n"), ": a second run 'r'"),
        (
            "settings",
            add("collection.toml", "default_baseline = 'v9'\n"),
            ": default_baseline = 'v9'",
        ),
    ],
}
"""Input that is repaired (note), left out (warning) or refused (error) in a part."""


@pytest.mark.parametrize(("level", "name", "change", "words"), list_cases(FOUND))
def test_found(folder: Path, level: str, name: str, change: Change, words: str) -> None:
    change(folder)
    opened, findings = list_findings(folder)
    assert opened is not None and not opened.unread and not opened.broken
    (finding,) = (each for each in findings if write_finding(each).startswith(change.find(words)))
    assert finding.level == level and finding.wanted
    assert {each.level for each in findings} <= {level, "warning"}
    assert len(list_means(opened, "a", "b", "r")) == 9


BROKEN: Cases = {
    "a": [
        ("EMB-06", turn(lambda array: array[:, 1:]), "models/a/queries.npy: query vectors"),
        (
            "EMB-37",
            sub("models/a/items.txt", "v05", "v04"),
            ", line 6: the id 'v04' a second time (first in line",
        ),
        ("no ids", remove("models/a/items.txt"), ": no such file"),
        (
            "EMB-38",
            put("models/a/items.txt", "v00.png\n" + "\n".join(ITEMS[:11])),
            f"{A}: vectors for 'v00' under two names (v00.png, v00)",
        ),
        ("toml", put("models/a/model.toml", "note = x\n"), ", line 1: no TOML"),
        ("toml", put("models/a/model.toml", "x = " + "[" * 5000), ": no TOML"),
        ("empty line", sub("models/a/items.txt", "v05", ""), ", line 6: an empty line"),
        ("other ids", put("models/a/items.txt", "\n".join("abcdefghijkl")), f"{A}: no vector of"),
    ],
    "qrels": [
        ("QRL-03", sub("qrels.txt", "v03 1", "v03 yes"), ", line 2: grade 'yes'"),
        ("QRL-03", sub("qrels.txt", "v03 1", "v03 \u0661"), ", line 2: grade '\u0661'"),
        ("QRL-05", add("qrels.txt", "q1 0 v00 1\n"), ", line 7: query 'q1' and item 'v00'"),
        ("QRL-07", sub("qrels.txt", " 0 v", " v", -1), ", line 1: 3 fields"),
        ("QRL-10", put("qrels.txt", f"q i d grade\n{QRELS}"), ", line 1: grade 'gr"),
        (
            "two qrels",
            put("qrels.csv", "query_id,item_id,grade\nq1,v00,1\n"),
            ": grade 1 for query",
        ),
    ],
    "r": [
        (
            "RUN-05",
            sub("runs/r.trec", "v04 5", "v00 5"),
            ", line 5: query 'q1' and item 'v00' a second time (first in line 1)",
        ),
        ("RUN-06", sub("runs/r.trec", "0.875000", "nan"), ", line 3: score 'nan'"),
        ("RUN-08", sub("runs/r.trec", ".", ",", -1), ", line 1: score '1,125000'"),
        ("RUN-14", sub("runs/r.trec", " t\n", "\n", -1), ", line 1: 5 fields"),
        ("RUN-16", put("runs/r.trec", ""), ": no rows"),
    ],
    "s": [
        ("no columns", put("runs/s.csv", "query,item,score\nq1,v00,1\n"), ", line 1: the columns"),
        (
            "long cell",
            put("runs/s.csv", f"query_id,item_id,score\nq1,v00,{'9' * 10**5}\n"),
            ", line 2: score",
        ),
    ],
}
"""Files that cannot be used, with what is broken by them; the rest of the collection works."""


@pytest.mark.parametrize(("part", "name", "change", "words"), list_cases(BROKEN))
def test_part_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    part: str,
    name: str,
    change: Change,
    words: str,
) -> None:
    change(folder)
    opened, findings = list_findings(folder)
    assert opened is not None and [*opened.unread, *opened.broken] == [part]
    assert part not in opened.versions and "b" in opened.versions
    errors = [each for each in findings if each.level == "error"]
    assert len(errors) == 1
    check_sentence(errors[0], change.find(words))
    assert main(["check", str(folder)]) == 1
    assert main(["measure", str(folder), "--protocol", "trec"]) == 2
    assert change.find(words).split(":")[0] in capsys.readouterr().err


REFUSED = [
    ("MAN-23", sub("items.csv", "v03,v03.png,", " ,v03.png,"), ", line 5: an empty item_id in 1"),
    ("MAN-31", put("items.csv", "item_id,file\n"), ": no items"),
    ("MAN-30", sub("items.csv", "item_id", "id"), ", line 1: the columns id, file, caption"),
    ("ANN-11", sub("items.csv", "v05.png", '"v05.png'), ", line 7: a broken row"),
    ("ANN-13", sub("items.csv", "v03,", "v03,x,y,"), ", line 5: 5 cells"),
    ("ANN-15", sub("items.csv", "caption", "file"), ", line 1: two columns file"),
    ("ANN-18", add("items.csv", "v00,x.png,other\n"), ", line 14: item_id 'v00' a second time"),
    ("ANN-34", put("items.csv", ""), ": an empty file"),
    ("QRY-13", add("queries.csv", "q1,bus\n"), ", line 5: query_id 'q1' a second time (first"),
    ("toml", put("collection.toml", 'title = "x\n'), ", line 1: no TOML"),
    ("toml", put("collection.toml", "title = 2\n"), ": title = '2'"),
    ("toml", put("collection.toml", b"\x81\x8d"), ": bytes that are not UTF-8"),
    (
        "utf-16-le",
        put("items.csv", "item_id,file\n".encode("utf-16-le")),
        ", line 1: a file that is no",
    ),
]
"""Input without which there is no collection."""


@pytest.mark.parametrize(("name", "change", "words"), REFUSED, ids=name_cases(REFUSED))
def test_collection_is_refused(folder: Path, name: str, change: Change, words: str) -> None:
    change(folder)
    opened, findings = list_findings(folder)
    assert opened is None
    check_sentence(findings[0], change.find(words))
    assert main(["check", str(folder)]) == 1
    assert main(["measure", str(folder)]) == 2


def test_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        open_collection(tmp_path / "none")


def test_an_opened_collection_is_kept_until_a_file_changes(folder: Path) -> None:
    before = open_collection(folder)
    assert open_collection(folder) is before
    sub("queries.csv", "q1,car", "q1,bus")(folder)
    after = open_collection(folder)
    assert after.queries["text"][0] == "bus"


def test_sentences_stand_on_one_line(folder: Path) -> None:
    """No text of a file acts on a terminal, or looks like a second sentence."""
    add("runs/r.trec", "q\x1b[2J Q0 v00 1 1.0 t\n")(folder)
    (finding,) = list_findings(folder)[1]
    assert "q\ufffd[2J" in finding.found
    assert str(DataError("a", "b\nerror: c", "d")).isprintable()


@pytest.mark.parametrize(
    "error", [RuntimeError("Error in f(int) at /a/b.cpp:9: all"), OSError(5, "all", "/root/a.npy")]
)
def test_errors_of_libraries_are_told_without_places(error: Exception) -> None:
    told = pytest.raises(DataError, match=r"found damage \(all\); expected numbers")
    with told, explain_errors("a.npy", "damage", "numbers"):
        raise error
