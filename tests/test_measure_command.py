"""`measure` on hand-made files: submissions of features, scales of grades."""

import json
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main


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
