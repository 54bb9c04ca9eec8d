"""Files of runs and judgements: one order, decided once, from any format; broken lines by
number."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import ids
from dashboard.storage.files.contents import read_bytes
from dashboard.storage.runs import pieces
from dashboard.storage.runs.runs import read_qrels, read_run
from dashboard.tables import DataError, Findings

RUN = """\
q1 Q0 a 1 0.9 x
q1 Q0 b 2 0.8 x
q1 Q0 c 3 0.8 x
q2 Q0 b 1 0.7 x
q2 Q0 a 2 0.5 x
"""
QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 b 1\n"


def ranked(path: Path, ties: str = "gallery", gallery: list[str] | None = None) -> list[tuple]:
    run = read_run(path, ties, gallery)  # type: ignore[arg-type]
    columns = [run[c].astype("str" if c.endswith("id") else run[c].dtype) for c in run.columns]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def write(tmp_path: Path, content: str | bytes, name: str = "a.trec") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


FORMS = {
    "as it is": RUN,
    "tabs and runs of blanks": RUN.replace(" ", "\t  "),
    "blanks at both ends": RUN.replace("\n", "  \n ").replace("q1", "  q1", 1),
    "blank lines": RUN.replace("\n", "\n\n") + "\n\n",
    "Windows line ends": RUN.replace("\n", "\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + RUN.encode(),
    "UTF-16": RUN.encode("utf-16"),
    "gzip": gzip.compress(RUN.encode()),
    "no last line end": RUN.rstrip(),
    "lines in another order": "\n".join(sorted(RUN.split("\n"), reverse=True)),
    "ranks from 0": RUN.replace(" 1 ", " 0 "),
    "scientific notation": RUN.replace("0.9", "9.000000e-01"),
    "a header": "query_id Q0 item rank score tag\n" + RUN,
    "two tags": RUN.replace("0.9 x", "0.9 y"),
    "words after the tag": RUN.replace("0.8 x", "0.8\tx kept for\tlater").replace(
        "0.5 x", "0.5 x ?"
    ),
    "comments": "# made by hand\n# twice\n" + RUN.replace("q2", " # q2 follows\nq2", 1) + "#",
    "a comment of six words": RUN.replace("q2", "#q1 Q0 z 1 high x\nq2", 1),
    "a header under a comment": "# a b\n\nquery Q0 item rank score tag\n" + RUN,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_trec_file_is_the_same_run(tmp_path: Path, form: str) -> None:
    expected = [
        ("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q1", "c", 0.8, 3),
        ("q2", "b", 0.7, 1), ("q2", "a", 0.5, 2),
    ]  # fmt: skip
    found = ranked(write(tmp_path, FORMS[form]), gallery=["a", "b", "c"])
    assert sorted(found, key=lambda row: (row[0], row[3])) == expected


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.csv.gz"])
def test_other_formats_are_the_same_run(tmp_path: Path, name: str) -> None:
    rows = [line.split() for line in RUN.splitlines()]
    frame = pd.DataFrame({"item_id": [r[2] for r in rows], "score": [float(r[4]) for r in rows]})
    frame.insert(0, "query_id", [r[0] for r in rows])
    path = tmp_path / name
    if "csv" in name:
        frame.to_csv(path, index=False)
    elif "json" in name:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    assert ranked(path) == ranked(write(tmp_path, RUN, "b.trec"))


def test_ties_go_by_gallery_order_or_as_trec_eval_breaks_them(tmp_path: Path) -> None:
    scores = {"d10": 0.5, "d9": 0.5000001, "b": 0.5, "z": 0.2}
    path = write(tmp_path, "".join(f"q Q0 {item} 1 {scores[item]} x\n" for item in scores))
    in_gallery_order = ranked(path, gallery=["b", "d9", "z", "d10"])
    assert [row[1] for row in in_gallery_order] == ["b", "d9", "d10", "z"]
    assert [row[1] for row in ranked(path, "trec")] == ["d9", "d10", "b", "z"]
    close = write(tmp_path, "q Q0 a 1 1.00000001 x\nq Q0 b 2 1.0 x\n", "b.trec")
    assert [row[1] for row in ranked(close, "trec")] == ["b", "a"], "equal as float32"


def test_all_scores_equal_is_gallery_order(tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"q Q0 i{i} 1 0.5 x\n" for i in range(20)))
    gallery = [f"i{i}" for i in range(19, -1, -1)]
    assert [row[1] for row in ranked(path, gallery=gallery)] == gallery


REFUSED = {
    "a pair twice": (RUN.replace("b 2 0.8", "a 2 0.8"), 2, "lines 1 and 2"),
    "a pair twice, further on": (RUN + "q1 Q0 c 9 0.1 x\n", 6, "lines 3 and 6"),
    "NaN": (RUN.replace("c 3 0.8", "c 3 nan"), 3, "score nan"),
    "infinity": (RUN.replace("c 3 0.8", "c 3 inf"), 3, "score inf"),
    "a word": (RUN.replace("c 3 0.8", "c 3 high"), 3, "the score 'high'"),
    "a decimal comma": (RUN.replace(".", ","), 1, "the score '0,9'"),
    "five fields": (RUN.replace(" x", ""), 1, "5 fields"),
    "a word behind words after the tag": (RUN.replace("x", "x y").replace("0.7", "7a"), 4, "'7a'"),
    "digits of another script": (RUN.replace("c 3 0.8", "c 3 \u0660.8"), 3, "'\u0660.8'"),
    "comments only": ("# a\n\n#\n", None, "comments"),
    "empty": ("", None, "an empty file"),
    "blank": ("\n \n", None, "an empty file"),
    "Latin-1": (RUN.encode() + b"q3 Q0 caf\xe9 1 0.5 x\n", 6, "not UTF-8"),
    "damaged gzip": (gzip.compress(RUN.encode())[:-9], None, "damaged gzip"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_broken_run_is_refused_with_its_line(tmp_path: Path, case: str) -> None:
    content, line, said = REFUSED[case]
    with pytest.raises(DataError) as refused:
        read_run(write(tmp_path, content))
    assert (refused.value.file, refused.value.line) == ("a.trec", line)
    assert said in refused.value.found


@pytest.mark.parametrize("number", [1_000_000, 1_000_001])
def test_a_small_packed_file_holds_at_most_a_million_lines(tmp_path: Path, number: int) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"\n" * (number - 1) + b"a\n", 1))
    if number == 1_000_000:
        assert len(read_bytes(path, "a.csv.gz")) == number + 1
    else:
        with pytest.raises(DataError, match="unpack to 1,000,001 lines and cells"):
            read_bytes(path, "a.csv.gz")


def test_lines_are_counted_with_blank_ones_and_headers(tmp_path: Path) -> None:
    content = "query Q0 item rank score tag\n\n" + RUN.replace("c 3 0.8", "c 3 nan")
    with pytest.raises(DataError) as refused:
        read_run(write(tmp_path, content))
    assert refused.value.line == 5


@pytest.mark.parametrize("separator", [",", ";"])
def test_lines_of_a_broken_csv_run_are_named(tmp_path: Path, separator: str) -> None:
    text = "query_id,item_id,score\nq1,a,0.5\nq1,b,\n".replace(",", separator)
    with pytest.raises(DataError) as refused:
        read_run(write(tmp_path, text, "a.csv"))
    assert refused.value.line == 3


def test_two_tags_are_one_run_and_said(tmp_path: Path) -> None:
    findings = Findings()
    read_run(write(tmp_path, FORMS["two tags"]), findings=findings)
    assert "2 run tags" in findings.rows[0][3]


def test_results_that_are_no_items_keep_their_rank_and_are_counted(tmp_path: Path) -> None:
    findings = Findings()
    run = read_run(write(tmp_path, RUN), gallery=["a", "c"], findings=findings)
    assert run["item_id"].astype("str").tolist() == ["a", "c", "b", "b", "a"]
    assert run["rank"].tolist() == [1, 2, 3, 1, 2], "of equal scores what is no item comes last"
    assert run["item_id"].cat.categories.tolist() == ["a", "c", "b"]
    level, _, line, found, wanted = findings.rows[0]
    assert (level, line, found) == ("warning", 2, "2 results that are no items (b)")
    assert "keep their rank and, without a judgement, count as not relevant" in wanted


JUDGED = {
    "negative": ("q1 0 c 0", "q1 0 c -1", -1.0),
    "fractional": ("q1 0 c 0", "q1 0 c 1.5", 1.5),
    "tabs": ("q1 0 c 0", "q1\t0 \tc   0", 0.0),
}


@pytest.mark.parametrize("case", JUDGED)
def test_grades_are_used_as_they_are(tmp_path: Path, case: str) -> None:
    old, new, grade = JUDGED[case]
    qrels = read_qrels(write(tmp_path, QRELS.replace(old, new)))
    assert qrels["grade"].tolist() == [2.0, 1.0, grade, 1.0]


REFUSED_QRELS = {
    "a word": (QRELS.replace("b 1", "b yes", 1), 2, "the grade 'yes'"),
    "three columns": (QRELS.replace(" 0 ", " "), 1, "3 fields"),
    "five columns": (QRELS.replace("\n", " x\n"), 1, "5 fields"),
    "a digit of full width": (QRELS.replace("c 0", "c \uff10"), 3, "the grade '\uff10'"),
    "a small digit": (QRELS.replace("c 0", "c \u00b2"), 3, "the grade '\u00b2'"),
    "an exponent": (QRELS.replace("b 1", "b 1e0"), 2, "the grade '1e0'"),
    "an exponent behind a comment": ("# c\n" + QRELS.replace("b 1", "b 2E1"), 3, "the grade '2E1'"),
    "hexadecimal": (QRELS.replace("b 1", "b 0x1"), 2, "the grade '0x1'"),
    "infinity": (QRELS.replace("b 1", "b inf"), 2, "the grade inf"),
    "other grade": (QRELS + "q1 0 a 1\n", 5, "lines 1 and 5"),
    "empty": ("", None, "an empty file"),
}


@pytest.mark.parametrize("case", REFUSED_QRELS)
def test_broken_judgements_are_refused_with_their_line(tmp_path: Path, case: str) -> None:
    content, line, said = REFUSED_QRELS[case]
    with pytest.raises(DataError) as refused:
        read_qrels(write(tmp_path, content, "qrels.txt"))
    assert (refused.value.line, said in refused.value.found) == (line, True)


def test_what_trec_eval_does_not_read_is_left_out_and_said(tmp_path: Path) -> None:
    findings = Findings()
    run = "# one\n\n" + RUN.replace("0.8 x", "0.8 x more words")
    read_run(write(tmp_path, run), findings=findings)
    judged = read_qrels(write(tmp_path, "#\n" + QRELS + "# end", "q.txt"), findings=findings)
    assert len(judged) == 4
    assert [(row[0], row[2], row[3]) for row in findings.rows] == [
        ("note", 1, "1 comment line (#)"),
        ("note", 4, "more than 6 fields in 2 lines"),
        ("note", 1, "2 comment lines (#)"),
    ]


def test_a_line_that_begins_with_the_sign_of_a_comment_and_is_whole_is_read_and_said(
    tmp_path: Path,
) -> None:
    findings = Findings()
    judged = read_qrels(write(tmp_path, "# 0 a 1\n# said of b\n#q 0 b 2\n"), findings=findings)
    assert judged["query_id"].tolist() == ["#", "#q"]
    assert [(row[2], row[3]) for row in findings.rows] == [
        (1, "2 lines that begin with # and have all fields"),
        (2, "1 comment line (#)"),
    ]


@pytest.mark.parametrize(
    ("written", "cure"),
    [("1e0", "Write 1."), ("2e1", "Write 20; trec_eval would read 2."), ("\uff13", "Write 3.")],
)
def test_a_grade_in_another_form_says_what_to_write(
    tmp_path: Path, written: str, cure: str
) -> None:
    with pytest.raises(DataError) as refused:
        read_qrels(write(tmp_path, QRELS.replace("b 1", f"b {written}"), "q.txt"))
    assert refused.value.cure == cure


JUDGED_IN = {
    "q.txt": "q1 0 a 1\nq1 0 b {}\n",
    "q.csv": "query_id,item_id,grade\nq1,b,{}\n",
    "q.tsv": "query_id\titem_id\tgrade\nq1\tb\t{}\n",
    "q.jsonl": '{{"query_id":"q1","item_id":"a","grade":1}}\n'
    '{{"query_id":"q1","item_id":"b","grade":{}}}\n',
}


@pytest.mark.parametrize("file", JUDGED_IN)
def test_a_grade_is_read_alike_in_each_form_of_file(tmp_path: Path, file: str) -> None:
    findings = Findings()
    judged = read_qrels(write(tmp_path, JUDGED_IN[file].format("1.5"), file), findings=findings)
    assert judged["grade"].iloc[-1] == 1.5
    (note,) = [row for row in findings.rows if "grade 1.5" in row[3]]
    assert note[2] == 2 and "fractions are used as gains as they are" in note[4]
    with pytest.raises(DataError, match="without an exponent") as refused:
        read_qrels(write(tmp_path, JUDGED_IN[file].format("1e1"), file))
    assert (refused.value.line, refused.value.cure) == (2, "Write 10; trec_eval would read 1.")


def test_the_same_judgement_twice_and_a_header_are_notes(tmp_path: Path) -> None:
    findings = Findings()
    content = "query_id iter doc_id relevance\n" + QRELS + "q1 0 a 2\n"
    qrels = read_qrels(write(tmp_path, content, "qrels.txt"), findings=findings)
    assert len(qrels) == 4
    said = [row[3] for row in findings.rows]
    assert said == ["a header (query_id iter doc_id relevance)", "1 repeated judgement"]


def test_judgements_in_a_csv_file(tmp_path: Path) -> None:
    path = write(tmp_path, "query_id,item_id,grade\nq1,007,2\nq1,NA,0\n", "qrels.csv")
    assert read_qrels(path)["item_id"].astype("str").tolist() == ["007", "NA"]


IDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=12
).filter(lambda text: not text.startswith("\ufeff"))


@settings(max_examples=25, deadline=None)
@given(ids=st.lists(IDS, min_size=1, max_size=8, unique=True))
def test_ids_come_out_of_every_format_byte_for_byte(ids: list[str], tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("ids")
    frame = pd.DataFrame({"query_id": "q", "item_id": ids, "score": 1.0})
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_json(folder / "a.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "a.parquet")
    lines = "".join(f"q Q0 {name} 1 1.0 x\n" for name in ids)
    (folder / "a.trec").write_bytes(lines.encode())
    for end in ("csv", "jsonl", "parquet", "trec"):
        run = read_run(folder / f"a.{end}", gallery=ids)
        assert run["item_id"].astype("str").tolist() == ids


@pytest.mark.parametrize("ties", ["gallery", "trec"])
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.text("ab\u00e9z0", min_size=1, max_size=20),
            st.sampled_from([-1e30, -2.5, -0.0, 0.0, 1e-30, 0.1, 0.1000001, 0.10000001, 7.0]),
        ),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
@settings(deadline=None)
def test_any_lines_come_in_the_order_that_plain_sorting_gives(
    ties: str, rows: list[tuple[int, str, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.trec"
    path.write_text("".join(f"q{q} Q0 {item} 1 {score!r} x\n" for q, item, score in rows))
    found = read_run(path, ties)  # type: ignore[arg-type]
    order = list(dict.fromkeys(f"q{q}" for q, _, _ in rows))
    if ties == "trec":
        by_item = sorted(rows, key=lambda row: row[1], reverse=True)
        wanted = sorted(by_item, key=lambda row: (order.index(f"q{row[0]}"), -np.float32(row[2])))
    else:
        by_item = sorted(rows, key=lambda row: row[1])
        largest = max((abs(score) for _, _, score in rows), default=0.0)
        places = 6
        while 0 < largest < 10.0 ** (5 - places):  # one place more for each leading zero
            places += 1
        wanted = sorted(
            by_item, key=lambda row: (order.index(f"q{row[0]}"), -round(row[2], places))
        )
    assert found["query_id"].tolist() == [f"q{q}" for q, _, _ in wanted]
    assert found["item_id"].tolist() == [item for _, item, _ in wanted]


def test_a_file_of_many_pieces_is_read_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"q{n // 7} Q0 item{n * n} {n} {100 - n / 3} x\n" for n in range(200)]
    whole = read_run(write(tmp_path, "".join(lines)), "trec")
    monkeypatch.setattr(pieces, "PIECE", 100)
    pd.testing.assert_frame_equal(read_run(tmp_path / "a.trec", "trec"), whole)
    assert whole["item_id"].tolist() == [f"item{n * n}" for n in range(200)]
    broken = write(tmp_path, "".join([*lines, "q9 Q0 x 1 nan x\n"]))
    with pytest.raises(DataError, match="nan") as refused:
        read_run(broken, "trec")
    assert refused.value.line == 201


def test_a_query_that_is_called_as_a_header_is_a_query(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, "query\tQ0\ta\t1\t0.9\tx\nq2\tQ0\ta\t1\t0.9\tx\n"))
    assert run["query_id"].tolist() == ["query", "q2"]
    headed = "query\tQ0\titem\trank\tscore\ttag\nq2\tQ0\ta\t1\t0.9\tx\n"
    assert read_run(write(tmp_path, headed))["query_id"].tolist() == ["q2"]


@pytest.mark.parametrize("first, then", [(300, 1), (1, 300), (1, 1)])
def test_pieces_unlike_each_other_are_read_as_one(
    first: int, then: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = ["x" * first + f"{n}" for n in range(20)] + ["ö" * then + f"{n}" for n in range(400)]
    lines = [f"q Q0 {item} 1 {-n} x\n" for n, item in enumerate(items)]
    monkeypatch.setattr(pieces, "PIECE", 1_000)
    assert read_run(write(tmp_path, "".join(lines)), "trec")["item_id"].tolist() == items


@pytest.mark.parametrize("rows", [(1, 2), (1, 60), (1, 90), (58, 59)])
def test_a_pair_twice_is_found_within_a_piece_and_across(
    rows: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"q{n // 40 % 2} Q0 item{n} 1 {-n} x\n" for n in range(100)]
    lines[rows[1]] = lines[rows[0]]
    monkeypatch.setattr(pieces, "PIECE", 300)
    with pytest.raises(DataError, match=f"lines {rows[0] + 1} and {rows[1] + 1}"):
        read_run(write(tmp_path, "".join(lines)), "trec")


def test_different_ids_that_share_a_key_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, RUN)
    expected = read_run(path, "trec")
    monkeypatch.setattr(ids, "keys", lambda column: np.zeros(len(column), dtype=np.uint64))
    pd.testing.assert_frame_equal(read_run(path, "trec"), expected)
    with pytest.raises(DataError, match="lines 1 and 6"):
        read_run(write(tmp_path, RUN + "q1 Q0 a 3 0.1 x\n"), "trec")


def test_small_scores_keep_their_order(tmp_path):
    path = tmp_path / "small.trec"
    path.write_text("q Q0 z 1 3e-7 x\nq Q0 a 2 2e-7 x\nq Q0 b 3 1e-7 x\n")
    run = read_run(path, "gallery", ["a", "b", "z"])
    assert run["item_id"].astype("str").tolist() == ["z", "a", "b"]
