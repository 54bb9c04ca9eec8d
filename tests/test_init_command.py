"""`init` makes a whole collection of what somebody has: a folder of pictures, tables, vectors."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.retrieval import keywords
from dashboard.storage.collection.collection import names, open_collection
from dashboard.storage.sources import drafts, listing
from dashboard.tables import DataError

COLOURS = ("red", "green", "blue")


def picture(path: Path, colour: str = "red") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 6), colour).save(path)


def table(path: Path, *rows: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Six pictures and a table of their colours and places."""
    folder = tmp_path / "source"
    for number in range(6):
        picture(folder / "imgs" / f"p{number}.png", COLOURS[number % 3])
    rows = [[f"p{n}.png", COLOURS[n % 3], "in, out" if n == 5 else "in"] for n in range(6)]
    table(folder / "labels.csv", ["filename", "colour", "place"], *rows)
    return folder


def made(capsys: pytest.CaptureFixture[str], new: Path, source: Path, *more: str) -> list[dict]:
    """The rows that `init` prints."""
    code = main(["init", str(new), "--from", str(source), "--format", "json", *more])
    out = capsys.readouterr()
    assert code == 0, out.err
    made.err = out.err  # type: ignore[attr-defined]
    return json.loads(out.out)


def complaints() -> str:
    return str(made.err)  # type: ignore[attr-defined]


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_pictures_and_a_table_become_a_collection(capsys, tmp_path, source) -> None:
    before = state(source)
    rows = made(capsys, tmp_path / "new", source)
    assert state(source) == before
    files = {row["file"]: row for row in rows}
    assert files["items.csv"]["rows"] == 6 and files["items.csv"]["taken_from"] == "labels.csv"
    assert "file: filename" in files["items.csv"]["guessed"]
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert collection.items["file"].tolist() == [f"imgs/p{n}.png" for n in range(6)]
    assert collection.groups == ("pv_colour", "pv_place")
    # "red, in" is about both: a picture that is red and out is not what it asks for
    assert collection.default_groups == collection.groups
    of_last = collection.keywords[collection.keywords["item_id"] == "imgs/p5.png"]
    assert of_last["keyword"].tolist() == ["blue", "in", "out"]
    made_of = collection.queries["made_of"].value_counts().to_dict()
    assert made_of == {"item": 6, "keyword": 5, "combination": 3}
    text = collection.queries.set_index("query_id").loc["keyword_pv_colour_red"]
    assert text["text"] == "red" and text["occurs"] == "2"
    assert set(collection.query_keywords["keyword"]) >= {"red", "green", "blue", "in"} - {"in"}
    steps = complaints().strip().splitlines()
    for way in ("embed", "add", "run"):
        assert any(
            f"python -m dashboard {way} {tmp_path}/new --version v1" in line for line in steps
        )
    assert "streamlit run app.py; then open" in steps[-2]
    assert steps[-1] == "http://localhost:8501/?v=1&collection=new"


def test_a_dry_run_prints_the_same_files_and_writes_nothing(capsys, tmp_path, source) -> None:
    planned = made(capsys, tmp_path / "new", source, "--dry-run")
    assert not (tmp_path / "new").exists() and sorted(p.name for p in tmp_path.iterdir()) == [
        "source"
    ]
    real = made(capsys, tmp_path / "new", source)
    assert [row["file"] for row in real] == [row["file"] for row in planned]
    assert real[:-1] == planned[:-1] and real[-1]["file"] == "query_keywords.csv"
    assert planned[-1]["rows"] is None, "the words are not mapped yet"


def test_columns_are_mapped_as_the_caller_says(capsys, tmp_path, source) -> None:
    mapped = "item_id=filename,pv_object_type=colour"
    made(capsys, tmp_path / "new", source, "--map", mapped)
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert collection.items["item_id"].tolist() == [f"p{n}.png" for n in range(6)]
    assert collection.items["file"].tolist()[0] == "imgs/p0.png"
    assert set(collection.groups) == {"pv_object_type", "pv_place"}


def test_whole_numbers_are_classes_where_nothing_else_is_a_label(capsys, tmp_path) -> None:
    rows = [[f"i{n}", str(n % 3), str(n / 7)] for n in range(9)]
    table(tmp_path / "one" / "t.csv", ["id", "digit", "weight"], *rows)
    made(capsys, tmp_path / "new", tmp_path / "one")
    assert open_collection(tmp_path / "new", allow_path=True).groups == ("pv_digit",)
    two = [[*row, str(int(row[1]) // 2), f"c{n % 2}"] for n, row in enumerate(rows)]
    table(tmp_path / "two" / "t.csv", ["id", "digit", "weight", "half", "class"], *two)
    made(capsys, tmp_path / "newer", tmp_path / "two")
    assert open_collection(tmp_path / "newer", allow_path=True).groups == ("pv_class",)
    hint = "not taken for labels: digit (3 values), half (2 values); to judge by one, "
    hint += "take it for keywords: --map "
    assert f"{hint}pv_digit=digit" in complaints()


def test_captions_that_name_no_keyword_are_counted(capsys, tmp_path, source) -> None:
    rows = [[f"p{n}.png", COLOURS[n % 3], f"zzyzx qwrk {n}"] for n in range(6)]
    table(source / "labels.csv", ["filename", "colour", "caption"], *rows)
    last = made(capsys, tmp_path / "new", source)[-1]
    assert last["guessed"].endswith("; 6 of 9 name none, and have no value")


def test_columns_are_left_out_as_the_caller_says(capsys, tmp_path, source) -> None:
    mapped = ["--map", "item_id=filename,left_out=place;colour"]
    assert main(["init", str(tmp_path / "new"), "--from", str(source), *mapped]) == 1
    assert "no keyword of any item" in capsys.readouterr().err
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert not {"place", "colour"} & set(collection.items.columns)
    assert not {"pv_place", "pv_colour"} & set(collection.keywords["group"])
    wrong = ["init", str(tmp_path / "x"), "--from", str(source), "--map", "left_out=place;none"]
    assert main(wrong) == 2 and "left_out=none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("mapped", "sentence"),
    [
        ("item_id=nothing", "found item_id=nothing; wanted a column of the source (filename,"),
        ("name=filename", "wanted one of item_id, file"),
    ],
)
def test_a_wrong_mapping_is_a_sentence(capsys, tmp_path, source, mapped, sentence) -> None:
    call = ["init", str(tmp_path / "new"), "--from", str(source), "--map", mapped]
    assert main(call) == 2
    assert sentence in capsys.readouterr().err and not (tmp_path / "new").exists()


def test_a_second_run_adds_what_is_new_and_changes_nothing_else(capsys, tmp_path, source) -> None:
    new = tmp_path / "new"
    made(capsys, new, source)
    table_of_items = (new / "items.csv").read_text().replace("p0.png,image", "p0.png,picture")
    (new / "items.csv").write_text(table_of_items)
    picture(source / "imgs" / "p6.png", "red")
    with (source / "labels.csv").open("a") as file:
        file.write("p6.png,red,in\r\n")
    rows = {row["file"]: row["rows"] for row in made(capsys, new, source)}
    assert (rows["items.csv"], rows["media/"], rows["unified_annotation.csv"]) == (1, 1, 1)
    assert (new / "items.csv").read_text().startswith(table_of_items)
    assert "items.csv: 1 row differ from the source" in complaints().replace("differs", "differ")
    again = {row["file"]: row["rows"] for row in made(capsys, new, source)}
    assert set(again.values()) == {0}


def test_words_are_mapped_again_only_where_queries_or_keywords_are_others(
    capsys, tmp_path, monkeypatch
) -> None:
    source, new = tmp_path / "source", tmp_path / "new"
    for name in ("cat/1.jpg", "dog/2.jpg"):
        picture(source / name)
    made(capsys, new, source)
    table_of_words = new / "query_keywords.csv"
    edited = table_of_words.read_text().replace(",1.0000", ",0.9000", 1)
    assert edited != table_of_words.read_text()
    calls: list[object] = []
    mapped = keywords.candidates
    monkeypatch.setattr(keywords, "candidates", lambda *of: calls.append(of) or mapped(*of))
    again = {row["file"]: row["rows"] for row in made(capsys, new, source)}
    assert not calls and again["query_keywords.csv"] == 0
    table_of_words.write_text(edited)
    made(capsys, new, source)
    assert not calls and table_of_words.read_text() == edited, "what somebody corrected stays"
    picture(source / "fox" / "3.jpg")
    rows = {row["file"]: row["rows"] for row in made(capsys, new, source)}
    assert len(calls) == 1 and rows["query_keywords.csv"] == 3
    (new / "query_keywords.toml").unlink()
    made(capsys, new, source)
    assert len(calls) == 2


def test_folders_are_classes_and_parts(capsys, tmp_path) -> None:
    for part, name in (("train", "cat"), ("train", "dog"), ("test", "cat"), ("test", "dog")):
        picture(tmp_path / "source" / part / name / "1.jpg")
    made(capsys, tmp_path / "new", tmp_path / "source")
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert collection.items["item_id"].tolist()[0] == "test/cat/1.jpg"
    assert collection.items["split"].tolist() == ["test", "test", "train", "train"]
    assert collection.keywords["keyword"].tolist() == ["cat", "dog", "cat", "dog"]


def test_a_table_and_folders_that_contradict_each_other_are_named(capsys, tmp_path) -> None:
    for name in ("cat/1.jpg", "dog/2.jpg", "dog/3.jpg"):
        picture(tmp_path / "source" / name)
    rows = [["cat/1.jpg", "cat"], ["dog/2.jpg", "cat"], ["dog/3.jpg", "dog"]]
    table(tmp_path / "source" / "labels.csv", ["file", "label"], *rows)
    table(tmp_path / "source" / "more.csv", ["file", "label"], ["cat/1.jpg", "dog"])
    made(capsys, tmp_path / "new", tmp_path / "source")
    assert "labels.csv and more.csv contradict each other on 1 item (cat/1.jpg" in complaints()
    assert "the folder of 1 item contradict each other (dog/2.jpg" in complaints()
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert collection.keywords["keyword"].tolist() == ["cat", "cat", "dog"]


@pytest.mark.parametrize("clips", [True, False], ids=["clips", "pictures alone"])
def test_the_public_table_of_driving_scenes_with_its_parquet(capsys, tmp_path, clips) -> None:
    folder = tmp_path / "source"
    for number in range(4):
        picture(folder / "gifs" / f"c{number}.gif")
        if clips:
            (folder / f"c{number}.mp4").write_bytes(b"no clip")
    columns = ["slice_id", "video_path", "gif_path", "span_start", "span_end"]
    rows = [
        [f"s{n}", f"/home/x/c{n}.mp4", f"/home/x/gifs/c{n}.gif", "0", "2", "cyclist, car"]
        for n in range(4)
    ]
    table(folder / "annotation.csv", [*columns, "pv_object_type"], *rows)
    vectors = np.eye(4, 8, dtype="float32") + 1
    ids = [f"s{n}" for n in (3, 2, 1, 0)]
    frame = pd.DataFrame({"slice_id": ids, "embedding": list(vectors)})
    frame.to_parquet(folder / "embeddings.parquet")
    pd.DataFrame({"slice_id": ids, "sensor_video_file": "a.mp4"}).to_parquet(
        folder / "inputs.parquet"
    )
    made(capsys, tmp_path / "new", folder)
    collection = open_collection(tmp_path / "new", allow_path=True)
    items = collection.items.set_index("item_id")
    assert items.loc["s1", "span_end"] == "2"
    if clips:
        assert items.loc["s1", ["file", "poster"]].tolist() == ["c1.mp4", "gifs/c1.gif"]
    else:
        assert items.loc["s1", "file"] == "gifs/c1.gif"
    assert collection.versions == ("v1",)
    assert collection.models["v1"].items.ids == ("s0", "s1", "s2", "s3")
    assert set(collection.queries["text"]) == {""}, "nothing embeds a text"
    assert (collection.models["v1"].folder / "model.toml").read_text().count("digest") == 3


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "json"])
def test_labels_in_lists_and_in_columns(capsys, tmp_path, form) -> None:
    folder = tmp_path / "source"
    for number in range(6):
        picture(folder / f"p{number}.png")
    frame = pd.DataFrame(
        {
            "id": [f"p{n}" for n in range(6)],
            "tags": [["car", "left, turn"], ["car"], ["tram"], ["tram"], ["bus"], ["bus", "car"]],
            "wet": [1, 0, 1, 0, 0, 0],
            "dark": [0, 0, 0, 1, 1, 0],
            "foggy": [0, 0, 0, 0, 1, 1],
        }
    )
    if form == "csv":
        frame.to_csv(folder / "labels.csv", index=False)
    elif form == "parquet":
        frame.to_parquet(folder / "labels.parquet")
    else:
        frame.to_json(folder / f"labels.{form}", orient="records", lines=form == "jsonl")
    made(capsys, tmp_path / "new", folder)
    keywords = open_collection(tmp_path / "new", allow_path=True).keywords
    own = keywords[keywords["item_id"] == "p0"]
    if form != "jsonl":
        assert own["keyword"].tolist() == ["car", "left, turn", "wet"]
    assert set(own["group"]) == {"pv_tags", "pv_labels"}


def test_links_that_leave_and_damaged_names_are_left_out(capsys, tmp_path, source) -> None:
    picture(tmp_path / "outside" / "secret.png")
    (source / "imgs" / "link.png").symlink_to(tmp_path / "outside" / "secret.png")
    (source / "round").symlink_to(source)
    (source / "imgs" / "empty.png").touch()
    made(capsys, tmp_path / "new", source)
    assert "1 file left out: links that leave the source (imgs/link.png)" in complaints()
    assert "1 file left out: empty (imgs/empty.png)" in complaints()
    assert not list((tmp_path / "new").rglob("*link*"))


def test_ids_that_differ_by_case_or_path_stay_apart(capsys, tmp_path) -> None:
    for name in ("a/x.png", "b/x.png", "a/X.png"):
        picture(tmp_path / "source" / name)
    made(capsys, tmp_path / "new", tmp_path / "source")
    items = open_collection(tmp_path / "new", allow_path=True).items
    assert items["item_id"].tolist() == ["a/X.png", "a/x.png", "b/x.png"]
    assert "2 ids that differ only by upper and lower case (a/X.png, a/x.png)" in complaints()


def test_each_file_is_looked_at_once(monkeypatch, tmp_path) -> None:
    looked, number = [], 300
    (tmp_path / "s").mkdir()
    for each in range(number):
        (tmp_path / "s" / f"{each}.png").write_bytes(b"x")
    real = listing._state
    monkeypatch.setattr(listing, "_state", lambda *args: looked.append(1) or real(*args))
    assert len(listing.list_source(tmp_path / "s").files) == number == len(looked)


def test_too_many_files_are_refused(monkeypatch, tmp_path, source, capsys) -> None:
    monkeypatch.setattr(listing, "MOST_FILES", 3)
    assert main(["init", str(tmp_path / "new"), "--from", str(source)]) == 2
    assert "more than 3 files" in capsys.readouterr().err


@pytest.mark.parametrize("new", ["source/new", ".", "source"])
def test_nothing_is_written_into_the_source(capsys, tmp_path, source, new) -> None:
    before = state(source)
    assert main(["init", str(tmp_path / new), "--from", str(source)]) == 2
    assert "apart from the source" in capsys.readouterr().err and state(source) == before


def test_what_is_no_data_is_a_sentence(capsys, tmp_path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "notes.md").write_text("hello")
    assert main(["init", str(tmp_path / "new"), "--from", str(tmp_path / "source")]) == 2
    assert "found 1 file (notes.md); wanted pictures" in capsys.readouterr().err
    (tmp_path / "source" / "topics.tsv").write_text("1\tblue cars\n2\tred bikes\n")
    assert main(["init", str(tmp_path / "new"), "--from", str(tmp_path / "source")]) == 2
    alone = "found 2 queries and nothing else, in 2 files (notes.md, topics.tsv); wanted what they"
    assert alone in capsys.readouterr().err
    assert main(["init", str(tmp_path / "new"), "--from", str(tmp_path / "gone")]) == 2
    assert "no such folder or file" in capsys.readouterr().err


def test_an_error_leaves_nothing_behind(tmp_path) -> None:
    with pytest.raises(RuntimeError), drafts.draft_of(tmp_path / "new") as draft:
        (draft / "items.csv").write_text("half")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] in ([], [".new.lock"])


@pytest.mark.parametrize("linked", [True, False], ids=["links", "copies"])
def test_the_next_call_goes_on_with_the_files_that_were_taken(
    monkeypatch, tmp_path, source, capsys, linked
) -> None:
    real, taken = os.link, []

    def stops(target: Path, place: Path, **more: object) -> None:
        taken.append(place.name)
        if len(taken) == 5:
            raise KeyboardInterrupt
        if not linked:
            raise OSError("another file system")
        real(target, place, **more)

    monkeypatch.setattr(os, "link", stops)
    call = ["init", str(tmp_path / "new"), "--from", str(source)]
    assert main(call) == 2 and not (tmp_path / "new").exists()
    assert "the same command goes on" in capsys.readouterr().err
    draft = tmp_path / ".new.draft"
    (draft / "items.csv").write_text("half")
    (draft / "media" / "old").mkdir()
    (draft / "media" / "old" / "other.png").write_bytes(b"of another source")
    changed = source / "imgs" / "p1.png"
    changed.unlink()
    picture(changed, "yellow")
    files = {row["file"]: row["rows"] for row in made(capsys, tmp_path / "new", source)}
    assert taken[5:] == ["p1.png", "p4.png", "p5.png"] and files["media/"] == 6
    media = tmp_path / "new" / "media"
    assert sorted(path.name for path in media.rglob("*")) == [
        "imgs",
        *(f"p{n}.png" for n in range(6)),
    ]
    assert (media / "imgs" / "p1.png").read_bytes() == changed.read_bytes()
    assert not draft.exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from dashboard.storage.sources import drafts
calls = [int(sys.argv[2])]
def killing(real):
    def call(*args, **named):
        calls[0] -= 1
        if calls[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    return call
for owner, name in ((Path, "mkdir"), (Path, "rename"), (os, "link"), (drafts.shutil, "rmtree"),
                    (drafts.shutil, "copy2"), (Path, "write_text")):
    setattr(owner, name, killing(getattr(owner, name)))
with drafts.draft_of(Path(sys.argv[1])) as draft:
    (draft / "collection.toml").unlink(missing_ok=True)
    (draft / "collection.toml").write_text("title = 'new'")
    (draft / "items.csv").write_text("new")
"""


@pytest.mark.slow
@pytest.mark.parametrize("there", [False, True], ids=["new", "second run"])
def test_a_kill_at_any_moment_leaves_no_half_collection(tmp_path: Path, there: bool) -> None:
    root = Path(__file__).resolve().parents[1]
    for moment in range(12):
        place = tmp_path / f"{moment}" / "new"
        if there:
            place.mkdir(parents=True)
            (place / "collection.toml").write_text("title = 'old'")
            (place / "items.csv").write_text("old")
        call = [sys.executable, "-c", KILLED, str(place), str(moment)]
        ended = subprocess.run(call, cwd=root, capture_output=True, env=os.environ)
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr.decode()
        if place.exists():
            texts = {(place / n).read_text() for n in ("collection.toml", "items.csv")}
            assert texts in ({"title = 'old'", "old"}, {"title = 'new'", "new"})
        with drafts.draft_of(place) as draft:  # the next call goes on
            assert (
                there == (draft / "items.csv").exists() or ended.returncode == 0 or place.exists()
            )
            (draft / "next").touch()
        left = {path.name for path in place.parent.iterdir()} - {".new.lock"}
        assert left == {"new"} and (place / "next").exists()
        if ended.returncode == 0:
            return
    pytest.fail("the call never reached its end")


def test_a_second_call_at_the_same_time_is_refused(tmp_path: Path) -> None:
    again = drafts.draft_of(tmp_path / "new")
    with drafts.draft_of(tmp_path / "new"), pytest.raises(DataError, match="another call"), again:
        pass


def test_a_draft_is_no_collection(monkeypatch, tmp_path: Path) -> None:
    from dashboard.storage.collection import collection

    monkeypatch.setattr(collection, "COLLECTIONS", tmp_path)
    (tmp_path / ".new.draft").mkdir()
    (tmp_path / ".new.draft" / "collection.toml").touch()
    assert names() == []
