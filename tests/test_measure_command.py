"""`measure` on hand-made files: submissions of features, scales of grades."""

import json
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.storage.collection.collection import open_collection
from tests.storage.tiny import make_collection


@pytest.fixture
def submitted(tmp_path: Path) -> str:
    labels = "q 0 a 1\nq 0 b 0\nq 0 c 1\n"
    (tmp_path / "labels.qrels").write_text(labels)
    for name, ids, rows in (
        ("gallery", "a b c", [[1, 0], [0.6, 0.8], [0, 1]]),
        ("queries", "q", [[1, 0]]),
    ):
        np.save(tmp_path / f"{name}.npy", np.array(rows, dtype=np.float32))
        (tmp_path / f"{name}.txt").write_text("\n".join(ids.split()))
    return f"mine={tmp_path}/gallery.npy,{tmp_path}/queries.npy"


def called(capsys, *arguments) -> tuple[int, list[dict], str]:
    code = main(["measure", *map(str, arguments), "--format", "json"])
    out, err = capsys.readouterr()
    return code, json.loads(out or "[]"), err


def test_a_submission_is_measured(tmp_path, submitted, capsys):
    labels = ["--qrels", tmp_path / "labels.qrels", "--protocol", "composed"]
    own = ["--submission", submitted, "--dimension", "2", "--metrics", "AP(annotated)"]
    code, rows, err = called(capsys, *labels, *own)
    assert (code, err) == (0, "")
    assert rows[0]["run"] == "mine" and rows[0]["mean"] == pytest.approx(5 / 6)
    code, _, err = called(capsys, *labels, *own[:2], *own[4:])
    assert code == 2 and "2 dimensions" in err and "128" in err
    code, _, err = called(capsys, *labels[:2], *own)
    assert code == 2 and "trec does not score submitted features" in err
    (tmp_path / "gallery.txt").unlink()
    code, _, err = called(capsys, *labels, *own)
    assert code == 2 and "gallery.txt" in err


@pytest.mark.parametrize(
    "form",
    ["mine", "mine=a.npy", "=a.npy,b.npy", "mine=a,b,c", "mine=,b"]
    + ["mine=a.npy,b", "x" * 41 + "=a.npy,b.npy", "m\nx=a.npy,b.npy", " =a.npy,b.npy"],
)
def test_another_form_of_submission_is_a_wrong_call(form, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["measure", "--qrels", "x", "--submission", form])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "argument --submission: found" in said and "wanted" in said


def test_broken_features_are_refused(tmp_path, submitted, capsys):
    labels = ["--qrels", tmp_path / "labels.qrels", "--protocol", "composed", "--dimension", "2"]
    for content in (b"", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x80\x04."):
        (tmp_path / "gallery.npy").write_bytes(content)
        code, _, err = called(capsys, *labels, "--submission", submitted)
        assert code == 2 and "gallery.npy" in err
    np.save(tmp_path / "gallery.npy", np.array([["a"]], dtype=object))
    code, _, err = called(capsys, *labels, "--submission", submitted)
    assert code == 2 and "gallery.npy" in err


def test_grades_are_credit_only_on_a_scale_that_is_given(tmp_path, capsys):
    (tmp_path / "g.qrels").write_text("q 0 a 3\nq 0 b 1\nq 0 c 0\n")
    (tmp_path / "r.trec").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    files = ["--qrels", tmp_path / "g.qrels", "--run", tmp_path / "r.trec", "--metrics", "ERR"]
    code, rows, err = called(capsys, *files)
    assert code == 0 and rows[0]["mean"] == 1.0 and "--scale N" in err
    code, rows, err = called(capsys, *files, "--scale", "4")
    assert (code, err) == (0, "")
    assert rows[0]["mean"] == pytest.approx(0.25 + 0.75 * 0.75 / 2)
    code, _, err = called(capsys, *files, "--scale", "2")
    assert code == 2 and "grade 3" in err
    code, _, err = called(capsys, *files, "--scale", "4", "--protocol", "context")
    assert code == 2 and "a scale of its own" in err


def test_a_level_says_which_grades_are_relevant(tmp_path, capsys):
    (tmp_path / "g.qrels").write_text("q 0 a 1\nq 0 b 2\n")
    (tmp_path / "r.trec").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    files = ["--qrels", tmp_path / "g.qrels", "--run", tmp_path / "r.trec"]
    names = ["--metrics", "recip_rank num_rel"]
    for given, mean, relevant in (([], 1.0, 2), (["--level", "2"], 0.5, 1), (["-l", "3"], 0.0, 0)):
        code, rows, err = called(capsys, *files, *names, *given)
        assert (code, err) == (0, "")
        assert [(row["mean"], row["sum"]) for row in rows] == [(mean, None), (relevant, relevant)]
    for wrong in ("0", "-1", "x"):
        with pytest.raises(SystemExit):
            called(capsys, *files, "-l", wrong)
        assert "is not a number above 0" in capsys.readouterr().err
    code, _, err = called(capsys, *files, "-l", "2", "--protocol", "composed")
    assert code == 2 and "--level is of the protocol trec; composed has a level of its own" in err


def test_a_level_holds_for_both_sides_of_a_comparison(tmp_path, capsys):
    (tmp_path / "g.qrels").write_text("".join(f"q{n} 0 a 1\nq{n} 0 b 2\n" for n in range(4)))
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = [f"q{n} Q0 {i} 0 {-r} x\n" for n in range(4) for r, i in enumerate(order)]
        (tmp_path / f"{name}.trec").write_text("".join(lines))
    call = ["compare", "--qrels", f"{tmp_path}/g.qrels", "--format", "json", *PAIR]
    call += ["--run", f"{tmp_path}/one.trec", "--run", f"{tmp_path}/two.trec"]
    assert main([*call, "--metrics", "RR", "--level", "2"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["baseline"], row["candidate"]) == (0.5, 1)
    assert main([*call, "--metrics", "RR gm_map"]) == 2
    said = capsys.readouterr().err
    assert "gm_map is a geometric mean over the queries" in said and "compare AP" in said


PAIR = ("--baseline", "one", "--candidate", "two")


def two_submissions(tmp_path: Path) -> list[str]:
    """Of items a and c (fulfilled) and b: `one` puts c last, AP (1 + 2/3) ÷ 2; `two` puts b last,
    AP 1. Each is asked twice, by q and p."""
    (tmp_path / "labels.qrels").write_text("".join(f"{q} 0 {x}\n" for q in "qp" for x in LABELS))
    call = []
    for name, rows in (
        ("one", [[1, 0], [0.8, 0.6], [0, 1]]),
        ("two", [[1, 0], [0, 1], [0.8, 0.6]]),
    ):
        for side, ids, vectors in (("g", "abc", rows), ("q", "qp", [[1, 0], [1, 0]])):
            np.save(tmp_path / f"{name}{side}.npy", np.array(vectors, dtype=np.float32))
            (tmp_path / f"{name}{side}.txt").write_text("\n".join(ids))
        call += ["--submission", f"{name}={tmp_path}/{name}g.npy,{tmp_path}/{name}q.npy"]
    return [*call, "--dimension", "2", "--metrics", "AP(annotated)"]


LABELS = ("a 1", "b 0", "c 1")


def test_submissions_are_compared(tmp_path, capsys):
    own = two_submissions(tmp_path)
    call = ["compare", "--qrels", f"{tmp_path}/labels.qrels", "--protocol", "composed", *own]
    assert main([*call, *PAIR, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["baseline"], row["candidate"]) == (pytest.approx(5 / 6), 1)
    assert main([*call, *PAIR[:3], "three"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "--submission two: neither the baseline one nor the candidate three is called so\n"
    )


def features_of(model: str, tmp_path: Path) -> str:
    """The vectors of a version, submitted."""
    known = open_collection("openmoji_composed").models[model]
    for name, side in (("g", known.items), ("q", known.queries)):
        np.save(tmp_path / f"{name}.npy", side.matrix)
        (tmp_path / f"{name}.txt").write_text("\n".join(side.ids))
    return f"mine={tmp_path}/g.npy,{tmp_path}/q.npy"


def test_a_submission_is_compared_with_a_version_and_reported(tmp_path, capsys):
    first, last = open_collection("openmoji_composed").versions[:: len(VERSIONS) - 1]
    few = ["openmoji_composed", "--metrics", "R@10 AP(annotated)", "--baseline", first]
    own = [*few, "--submission", features_of(last, tmp_path)]
    code = main(["compare", *own, "--candidate", "mine", "--format", "json"])
    ours, err = capsys.readouterr()
    assert err == ""
    assert main(["compare", *few, "--candidate", last, "--format", "json"]) == code
    assert json.loads(ours) == json.loads(capsys.readouterr().out)
    page = tmp_path / "r.html"
    assert main(["report", *own, "--candidate", "mine", "-o", str(page)]) == 0
    said = page.read_text()
    assert "Submission mine" in said and "g.npy" in said and "submitted features" in said
    assert main(["compare", *own, "--candidate", last]) == 2
    assert "--submission mine: neither" in capsys.readouterr().err


def test_a_submission_has_a_name_of_its_own_and_a_dimension_belongs_to_one(tmp_path, capsys):
    named = features_of(VERSIONS[0], tmp_path).replace("mine", VERSIONS[0])
    code, _, err = called(capsys, "openmoji_composed", "--submission", named)
    assert code == 2 and f"a submission is called '{VERSIONS[0]}' as a version is" in err
    code, _, err = called(capsys, "openmoji_composed", "--dimension", "3")
    assert code == 2 and "--dimension: of submitted features" in err


VERSIONS = open_collection("openmoji_composed").versions


@pytest.fixture
def partly(tmp_path: Path) -> Path:
    """Of the tiny world's two versions the second cannot be read."""
    folder = make_collection(tmp_path / "partly")
    (folder / "models" / "v0.2" / "items.npy").write_bytes(b"no array")
    return folder


def test_what_cannot_be_measured_does_not_look_like_success(partly, capsys):
    item = ["--queries", "item", "--metrics", "P@1"]
    code, rows, err = called(capsys, partly, *item)
    assert code == 2 and [row["run"] for row in rows] == ["v0.1"] and "models/v0.2" in err
    code, rows, err = called(capsys, partly, *item, "--runs", "v0.1")
    assert code == 0 and len(rows) == 1, "nobody asked for the other"
    code, rows, err = called(capsys, partly, *item, "--runs", "v0.1", "v0.2")
    assert (code, rows) == (2, []) and "models/v0.2" in err


def test_a_run_that_cannot_be_read_is_left_out_and_said(partly, capsys):
    (partly / "runs").mkdir(exist_ok=True)
    (partly / "runs" / "v0.2.trec").write_text("no run\n")
    code, rows, err = called(capsys, partly, "--queries", "text", "--metrics", "P@1")
    assert code == 2 and [row["run"] for row in rows] == ["v0.1"]
    assert "error: runs/v0.2.trec, line 1" in err


@pytest.mark.parametrize("call", [["search", "--item", "v00"], ["digests"]])
def test_other_commands_say_what_is_missing_too(call, partly, capsys):
    assert main([call[0], str(partly), *call[1:], "--format", "json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out) and "models/v0.2" in err
    if call[0] == "search":
        assert main([call[0], str(partly), *call[1:], "--model", "v0.1"]) == 0


def test_why_no_query_has_a_value_is_said(tmp_path, capsys):
    (tmp_path / "l.qrels").write_text("q 0 a 0\nr 0 a 0\n")
    (tmp_path / "a.trec").write_text("q Q0 a 1 2 x\nr Q0 a 1 2 x\n")
    call = ["measure", "--qrels", f"{tmp_path}/l.qrels", "--run", f"{tmp_path}/a.trec"]
    assert main([*call, "--metrics", "AP", "--protocol", "composed"]) == 0
    err = capsys.readouterr().err
    assert "no query has a value (2 queries: no relevant item)" in err
    (tmp_path / "l.qrels").write_text("q 0 a 0\nr 0 a 1\n")
    assert main([*call, "--metrics", "AP", "--protocol", "composed"]) == 0
    assert "no query has a value" not in capsys.readouterr().err


def test_nothing_to_compare_by_is_a_finding(tmp_path, capsys):
    (tmp_path / "l.qrels").write_text("q 0 a 0\n")
    for name in "ab":
        (tmp_path / f"{name}.trec").write_text("q Q0 a 1 2 x\n")
    call = ["compare", "--qrels", f"{tmp_path}/l.qrels", "--metrics", "AP"]
    call += ["--protocol", "composed"]
    call += ["--run", f"{tmp_path}/a.trec", "--run", f"{tmp_path}/b.trec"]
    assert main([*call, "--baseline", "a", "--candidate", "b"]) == 1
    assert "AP: none of 1 query is scored in both versions" in capsys.readouterr().err
