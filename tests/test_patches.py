"""`reviews export --patch`: corrections of keywords, mappings and labels as a patch of the files of
a collection, which measures what was printed once it is applied."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import VERDICT, Review, append
from tests.storage.tiny import make_collection
from tests.test_screens import no_text_model, opened, said  # noqa: F401

OBJECT, ACTOR = "pv_object_type", "pv_actor_behavior"
ROWS = [
    ("v00", ["small vehicle"], ["stationary"]),
    ("v01", ["pedestrian"], ["straight crossing path"]),
    ("v02", ["bicyclist", "small vehicle"], ["entering ego path"]),
]  # v03 has no row, so no keyword


def plain(separator: str, line: str, first: str = "") -> bytes:
    cells = [[item, separator.join(o), separator.join(a)] for item, o, a in ROWS]
    return written(cells, line, first)


def written(cells: list[list[str]], line: str, first: str) -> bytes:
    rows = [["slice_id", OBJECT, ACTOR, "note"], *([*row, 'said "Zoë", naïve'] for row in cells)]
    text = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return (first + line.join(text)).encode()  # the last line has no end


def json_lines() -> bytes:
    rows = [{"slice_id": item, OBJECT: o, ACTOR: ", ".join(a)} for item, o, a in ROWS]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(path: Path) -> bytes:
    frame = pd.DataFrame(ROWS, columns=["slice_id", OBJECT, ACTOR])
    frame.to_parquet(path)
    return path.read_bytes()


ANNOTATIONS = {
    "unified_annotation.csv": {
        "commas": plain(", ", "\n"),
        "CRLF": plain(",", "\r\n", "\ufeff"),
        "semicolons": plain("; ", "\n", "# made by hand\n"),
        "lists": written([[i, repr(o), json.dumps(a)] for i, o, a in ROWS], "\n", ""),
        "paths": plain(", ", "\n").replace(b'"v0', b'"clips/v0').replace(b'"v00', b'"/x/v00.mp4'),
    },
    "unified_annotation.jsonl": {"lists and texts": json_lines()},
}
CASES = [
    pytest.param(name, form, marks=[pytest.mark.slow] if form not in ("CRLF", "lists") else [])
    for name, forms in ANNOTATIONS.items()
    for form in forms
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection judged by keywords, with a mapping; its name is not ASCII."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    made = make_collection(tmp_path / "Süd é")
    mapped = [
        ("q1", "car", OBJECT, "small vehicle"),
        ("q2", "crossing", ACTOR, "straight crossing path"),
    ]
    lines = [f"{query},{word},{group},{keyword},0.9" for query, word, group, keyword in mapped]
    (made / "query_keywords.csv").write_bytes(
        "\r\n".join(["query_id,ngram,group,keyword,score", *lines]).encode()
    )
    return made


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([*map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def correct(capsys: pytest.CaptureFixture[str], folder: Path, author: str, *words: str) -> None:
    code, _, err = run(capsys, "reviews", "correct", folder, "--author", author, *words)
    assert code == 0, err


def values(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> dict[str, float]:
    words = ("measure", folder, "--metrics", "P@1 R@3 AP", *more, "--format", "json")
    code, out, err = run(capsys, *words)
    assert code == 0, err
    return {f"{row['run']} {row['metric']}": row["mean"] for row in json.loads(out)}


def corrections(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """An item without a keyword gets two, another loses one of two; a query asks for one more, and
    one of its own no longer. Of three reviewers two want the last, of two one: it stays."""
    correct(capsys, folder, "Ada", "--item", "v03", "--add", f"{OBJECT}=SMALL  vehicle")
    correct(capsys, folder, "Ada", "--item", "v03", "--add", f"{OBJECT}=pedestrian")
    correct(capsys, folder, "Ada", "--item", "v02", "--remove", f"{OBJECT}=bicyclist")
    correct(capsys, folder, "Ada", "--item", "v01", "--add", f"{OBJECT}=bicyclist")
    correct(capsys, folder, "Bob", "--item", "v01", "--remove", f"{OBJECT}=bicyclist")
    words = ("--add", f"{OBJECT}=pedestrian", "--words", "Person")
    correct(capsys, folder, "Bob", "--query", "q2", *words)
    for author, way in (("Ada", "--remove"), ("Bob", "--remove"), ("Eve", "--take-back")):
        correct(capsys, folder, author, "--query", "q2", way, f"{ACTOR}=straight crossing path")


def applied(folder: Path, patch: Path, way: str) -> None:
    command = {
        "git": ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", str(patch)],
        "patch": ["patch", "-p1", "--batch", "--input", str(patch)],
    }[way]
    alone = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent.parent)}
    done = subprocess.run(command, cwd=folder, capture_output=True, env=alone, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_patch_of_keywords_measures_what_was_printed(
    folder: Path, name: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "unified_annotation.csv").unlink()
    (folder / name).write_bytes(ANNOTATIONS[name][form])
    given = values(capsys, folder)
    corrections(capsys, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    file = tmp_path / "fix.patch"
    words = ("reviews", "export", folder, "--patch", file, "--metrics", "P@1 R@3 AP")
    code, out, err = run(capsys, *words, "--format", "json")
    assert code == 0, err
    assert "reviewers change 0 labels and 5 keywords" in err, "the fifth: the mapping's removal"
    assert {path: path.read_bytes() for path in before} == before, "the app changes no data"
    printed = {f"{row['run']} {row['metric']}": row["corrected"] for row in json.loads(out)}
    assert printed != given
    assert values(capsys, folder, "--labels", "corrected") == printed, "as the screens count them"
    applied(folder, file, "patch" if form == "CRLF" else "git")
    assert values(capsys, folder) == printed
    keywords = open_collection(folder, allow_path=True).keywords
    mine = keywords[keywords["item_id"].isin(["v02", "v03"]) & (keywords["group"] == OBJECT)]
    assert sorted(zip(mine["item_id"], mine["keyword"], strict=True)) == [
        ("v02", "small vehicle"),
        ("v03", "pedestrian"),
        ("v03", "small vehicle"),
    ]
    assert run(capsys, "check", folder)[0] == 0
    text = file.read_bytes().decode()
    of_annotation = text.partition("--- a/query_keywords")[0]
    changed = [line for line in of_annotation.splitlines() if line.startswith("-") and "v0" in line]
    assert len(changed) <= 2, "the row of v02, and the last one where it had no end"


@pytest.mark.parametrize(
    "name",
    [
        "unified_annotation.parquet",
        pytest.param("unified_annotation.csv.gz", marks=pytest.mark.slow),
    ],
)
def test_a_file_that_is_no_text_is_written_beside_the_patch(
    folder: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "unified_annotation.csv").unlink()
    packed = gzip.compress(plain(", ", "\n"))
    content = parquet(tmp_path / "some.parquet") if name.endswith("parquet") else packed
    (folder / name).write_bytes(content)
    corrections(capsys, folder)
    file = tmp_path / "fix.patch"
    words = ("reviews", "export", folder, "--patch", file, "--metrics", "P@1 R@3 AP")
    code, out, err = run(capsys, *words, "--format", "json")
    assert code == 0 and f"note: {name} is no plain text" in err, err
    printed = {f"{row['run']} {row['metric']}": row["corrected"] for row in json.loads(out)}
    assert "query_keywords.csv" in file.read_text() and name not in file.read_text()
    applied(folder, file, "git")
    (folder / name).write_bytes((tmp_path / f"fix-{name}").read_bytes())
    assert values(capsys, folder) == printed
    assert run(capsys, "check", folder)[0] == 0


@pytest.mark.parametrize(
    "name",
    [
        "qrels.jsonl",
        pytest.param("qrels.parquet", marks=pytest.mark.slow),
        pytest.param("qrels.tsv", marks=pytest.mark.slow),
    ],
)
def test_judgements_of_any_format_are_corrected(
    folder: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (folder / "collection.toml").read_text().replace('["alfa"]', '["trec"]')
    (folder / "collection.toml").write_text(settings)
    rows = [("q1", "v00", 1), ("q2", "v01", 1), ("q3", "v02", 1)]
    frame = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    if name.endswith("parquet"):
        frame.to_parquet(folder / name)
    elif name.endswith("tsv"):
        frame.to_csv(folder / name, sep="\t", index=False)
    else:
        frame.to_json(folder / name, orient="records", lines=True)
    key = key_of(open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, "not", "Ada", query_id="q1", item_id="v00"))
    append(Review(VERDICT, key, "relevant", "Ada", query_id="q3", item_id="v03"))
    file = tmp_path / "fix.patch"
    words = ("reviews", "export", folder, "--patch", file, "--metrics", "P@1 R@3 AP")
    code, out, err = run(capsys, *words, "--format", "json")
    assert code == 0, err
    printed = {f"{row['run']} {row['metric']}": row["corrected"] for row in json.loads(out)}
    assert values(capsys, folder, "--labels", "corrected") == printed
    if name.endswith("parquet"):
        (folder / name).write_bytes((tmp_path / f"fix-{name}").read_bytes())
        assert not file.exists(), "there is nothing that a patch could change"
    else:
        applied(folder, file, "git")
    assert values(capsys, folder) == printed


def test_corrected_keywords_count_on_the_screens(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "COLLECTIONS", folder.parent)
    corrections(capsys, folder)
    app = opened("compare", collection=folder.name, labels="corrected")
    # one of the five is there already: v03 is a small vehicle
    assert "Labels with corrections: reviewers change 0 labels and 4 keywords." in said(app)
    assert any("with 4 corrections" in box.label for box in app.expander)
    table = next(each.value for each in app.dataframe if "Keyword" in each.value.columns)
    assert table["Change"].tolist() == ["remove", "add", "remove", "add person"]
    assert not app.exception and not app.error


def test_labels_that_follow_from_keywords_are_left_out_of_the_patch_and_that_is_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = key_of(open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, "not", "Ada", query_id="q1", item_id="v00"))
    correct(capsys, folder, "Ada", "--item", "v03", "--remove", f"{OBJECT}=small vehicle")
    code, _, err = run(capsys, "reviews", "export", folder, "--patch", tmp_path / "fix.patch")
    assert code == 0 and "note: 1 label in no file, as labels follow from keywords here" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--item", "v00", "--add", f"{OBJECT}=tram"], "pv_object_type has no keyword 'tram'"),
        (["--item", "v00", "--add", "pv_light=day"], "no group of keywords 'pv_light'"),
        (["--item", "gone", "--remove", f"{OBJECT}=pedestrian"], "no item 'gone'"),
        (["--query", "item_v00", "--remove", f"{OBJECT}=pedestrian"], "no text query 'item_v00'"),
        (["--query", "q1", "--add", f"{OBJECT}=pedestrian"], "which words of the query mean"),
        (["--query", "q1", "--add", f"{OBJECT}=pedestrian", "--words", "tram"], "which words"),
        (["--item", "v00", "--add", "car"], "reviews correct needs --item ID or --query ID"),
        (["--item", "v00"], "reviews correct needs --item ID or --query ID"),
    ],
)
def test_a_correction_of_what_is_not_there_is_one_sentence(
    folder: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "reviews", "correct", folder, "--author", "Ada", *words)
    of_call = [line for line in err.splitlines() if not line.startswith("warning")]
    assert (code, out) == (2, "") and len(of_call) == 1 and sentence in of_call[0]
