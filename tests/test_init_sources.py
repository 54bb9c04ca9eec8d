"""`init` on data as each community writes it: small worlds by hand, and what packages ship."""

from __future__ import annotations

import base64
import io
import json
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dashboard.experiment.collection.initializing import Initialized, initialize
from dashboard.storage.collection.collection import Collection, open_collection


def write(folder: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith((".png", ".jpg")):
            Image.new("RGB", (4, 4)).save(path)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif name.endswith(".jsonl"):
            assert isinstance(content, list)
            path.write_text("".join(f"{json.dumps(row)}\n" for row in content), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def made(tmp_path: Path) -> tuple[Initialized, Collection]:
    result = initialize(str(tmp_path / "new"), str(tmp_path / "source"), {})
    return result, open_collection(tmp_path / "new", allow_path=True)


def keywords_of(collection: Collection, item: str) -> list[str]:
    found = collection.keywords[collection.keywords["item_id"] == item]
    return sorted(found["keyword"])


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_folder_of_hugging_face(tmp_path, form) -> None:
    source = write(tmp_path / "source", {"train/1.jpg": 0, "train/2.jpg": 0, "test/1.jpg": 0})
    rows = pd.DataFrame({"file_name": ["1.jpg", "2.jpg"], "label": ["cat", "dog"]})
    for part, some in (("train", rows), ("test", rows[:1])):
        path = source / part / f"metadata.{form}"
        if form == "csv":
            some.to_csv(path, index=False)
        elif form == "jsonl":
            some.to_json(path, orient="records", lines=True)
        else:
            some.to_parquet(path)
    _, collection = made(tmp_path)
    assert keywords_of(collection, "train/2.jpg") == ["dog"]
    splits = dict(zip(collection.items["item_id"], collection.items["split"], strict=True))
    assert splits == {"test/1.jpg": "test", "train/1.jpg": "train", "train/2.jpg": "train"}


def test_texts_of_hugging_face(tmp_path) -> None:
    write(tmp_path / "source", {"train.txt": "one text\nanother text\n", "test.txt": "a third\n"})
    _, collection = made(tmp_path)
    assert collection.items["caption"].tolist() == ["a third", "one text", "another text"]
    assert collection.items["split"].tolist() == ["test", "train", "train"]


def test_texts_in_a_table_with_labels(tmp_path) -> None:
    write(tmp_path / "source", {"train.csv": "text,label\na good film,pos\nbad,neg\ngood,pos\n"})
    _, collection = made(tmp_path)
    assert set(collection.items["kind"]) == {"text"}
    assert keywords_of(collection, "train#2") == ["pos"]
    assert "caption" in set(collection.queries["made_of"])


def test_captions_alone_say_that_nothing_judges_them(tmp_path) -> None:
    """As img2dataset reads its input: addresses and texts, and the index that pandas left."""
    source = write(tmp_path / "source", {})
    source.mkdir()
    rows = {"URL": ["http://x/1", "http://x/2"], "TEXT": ["a car", "a bike"]}
    pd.DataFrame({"__index_level_0__": [70, 80], **rows}).to_parquet(source / "part.parquet")
    result, collection = made(tmp_path)
    assert collection.items["item_id"].tolist() == rows["URL"], "not the numbers of pandas"
    assert "nothing judges them" in " ".join(result.files["guessed"].fillna(""))


COCO = {
    "images": [{"id": n, "file_name": f"{n}.jpg"} for n in (1, 2, 3)],
    "annotations": [{"id": n, "image_id": n % 3 + 1, "category_id": n % 2} for n in range(4)],
    "categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}],
}


def test_instances_of_coco(tmp_path) -> None:
    write(tmp_path / "source", {"instances.json": COCO, "val2017/1.jpg": 0, "images/2.jpg": 0})
    result, collection = made(tmp_path)
    assert collection.items["file"].tolist() == ["val2017/1.jpg", "images/2.jpg", ""]
    assert collection.items["split"].tolist() == ["val", "", ""]
    assert keywords_of(collection, "1.jpg") == ["cat", "dog"]
    assert "1 picture not there (3.jpg)" in result.problems


def test_captions_of_coco_are_matched_with_their_pictures(tmp_path) -> None:
    captions = [{"image_id": n % 2 + 1, "caption": f"text {n}"} for n in range(4)]
    captions.append({"image_id": 1, "caption": "long " * 201})
    content = {"images": COCO["images"][:2], "annotations": captions}
    write(tmp_path / "source", {"captions.json": content, "1.jpg": 0, "2.jpg": 0})
    result, collection = made(tmp_path)
    assert "1 caption of more than 1,000 letters not made a query (1.jpg)" in str(result.problems)
    pictures = collection.items[collection.items["side"] == "pictures"]
    assert pictures["caption"].tolist() == ["text 0", "text 1"], "the first of each"
    assert collection.protocols == ("crossmodal",)
    assert collection.items["side"].value_counts().to_dict() == {"texts": 4, "pictures": 2}
    assert collection.qrels is not None and len(collection.qrels) == 8
    searched = collection.queries.groupby("among")["query_id"].count().to_dict()
    assert searched == {"pictures": 4, "texts": 2}


FIFTYONE = {
    "samples": {
        "samples": [
            {
                "_id": {"$oid": "a1"},
                "filepath": "data/1.jpg",
                "tags": ["new"],
                "guess": {"_cls": "Classification", "label": "cow", "confidence": 0.4},
                "truth": {"_cls": "Classification", "label": "cat"},
                "boxes": {"detections": [{"label": "ear"}, {"label": "ear"}]},
            },
            {"filepath": "/home/x/data/2.jpg", "tags": [], "truth": {"label": "dog"}},
        ]
    },
    "labels": {"classes": ["cat", "dog"], "labels": {"1": 0, "2": {"label": "dog"}}},
}


@pytest.mark.parametrize("name", list(FIFTYONE))
def test_an_export_of_fiftyone(tmp_path, name) -> None:
    files = {f"{name}.json": FIFTYONE[name], "data/1.jpg": 0, "data/2.jpg": 0}
    nose = {"_sample_id": {"$oid": "a1"}, "frame_number": 1, "parts": {"label": "nose"}}
    source = write(tmp_path / "source", {**files, "frames.json": {"frames": [nose]}})
    (source / "names.pkl").write_bytes(b"no pickle")
    result, collection = made(tmp_path)
    assert not any("frames" in each for each in result.problems), "it belongs to the export"
    assert any("pickles are never read" in each for each in result.problems)
    whole = name == "samples"
    assert any("--map pv_guess=guess" in each for each in result.problems) == whole
    assert ("nose" in keywords_of(collection, "data/1.jpg")) == whole
    assert "cow" not in keywords_of(collection, "data/1.jpg")
    assert collection.items["item_id"].tolist() == ["data/1.jpg", "data/2.jpg"]
    assert keywords_of(collection, "data/2.jpg") == ["dog"]
    assert ("ear" in keywords_of(collection, "data/1.jpg")) == (name == "samples")


def test_a_folder_of_samples_of_fiftyone(tmp_path) -> None:
    """As `use_dirs=True` exports: a file for each sample; fields of text, and of vectors."""
    scenes = {1: "field", 2: "street", 3: "field", 4: "street"}
    one = {"truth": {"label": "cat"}, "clip": {"$binary": {"base64": "eJw="}}}
    files: dict[str, object] = {f"data/{n}.jpg": 0 for n in scenes}
    for n, scene in scenes.items():
        sample = {"filepath": f"data/{n}.jpg", "scene": scene, "remark": f"no. {n}", **one}
        files[f"samples/00000{n}-a.json"] = sample
    write(tmp_path / "source", {**files, "metadata.json": {"sample_fields": []}})
    result, collection = made(tmp_path)
    assert collection.items["item_id"].tolist() == [f"data/{n}.jpg" for n in scenes]
    assert keywords_of(collection, "data/2.jpg") == ["cat", "street"]
    assert "left out: the fields clip, remark, which" in str(result.problems)


def test_vectors_in_the_fields_of_fiftyone_become_versions(tmp_path) -> None:
    def packed(array: object, kind: str = "f4") -> dict[str, object]:
        file = io.BytesIO()
        np.save(file, np.asarray(array, dtype=kind), allow_pickle=False)
        text = base64.b64encode(zlib.compress(file.getvalue())).decode()
        return {"$binary": {"base64": text, "subType": "00"}}

    def sample(n: int) -> dict[str, object]:
        fields = {"clip emb": packed([n, 1, 0]), "old": [float(n)] * 8, "grid": packed(np.eye(2))}
        return {"filepath": f"data/{n}.jpg", "truth": {"label": "ab"[n % 2]}, **fields}

    samples = [sample(n) for n in range(1, 7)]
    samples[2]["clip emb"] = {"$binary": {"base64": "eJw=", "subType": "00"}}
    samples[3]["clip emb"] = packed([1, 2])
    del samples[4]["old"]
    bomb = base64.b64encode(zlib.compress(bytes(20_000_000))).decode()
    samples[5]["clip emb"] = {"$binary": bomb, "$type": "00"}
    write(tmp_path / "source", {f"data/{n}.jpg": 0 for n in range(1, 7)})
    (tmp_path / "source" / "samples.json").write_text(json.dumps({"samples": samples}))
    result, collection = made(tmp_path)
    said = str(result.problems)
    others = "data/3.jpg, data/4.jpg, data/6.jpg"
    assert f"3 vectors of the field clip emb ({others}), which cannot be read" in said
    assert "left out: the fields grid, which" in said
    clip, old = (collection.models[name].items for name in ("clip_emb", "old"))
    assert clip.ids == tuple(f"data/{n}.jpg" for n in (1, 2, 5))
    assert clip.matrix[2] == pytest.approx(np.array([5, 1, 0]) / 26**0.5)
    assert old.ids == tuple(f"data/{n}.jpg" for n in (1, 2, 3, 4, 6))


def test_beir(tmp_path) -> None:
    corpus = [{"_id": "d1", "title": "T", "text": "x"}, {"_id": "d2", "title": "", "text": "y"}]
    files = {
        "corpus.jsonl": corpus,
        "queries.jsonl": [{"_id": q, "text": f"what {q}"} for q in ("q1", "q2")],
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\n",
        "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq2\td2\t1\n",
    }
    write(tmp_path / "source", files)
    result, collection = made(tmp_path)
    assert collection.items["caption"].tolist() == ["T. x", "y"]
    assert collection.queries["query_id"].tolist() == ["q1"] and collection.protocols == ("trec",)
    assert collection.qrels is not None and collection.qrels["grade"].tolist() == [2]
    guessed = result.files.set_index("file").loc["qrels.csv", "guessed"]
    assert guessed == "the part test; 1 other file left out"


RUNS = {"v1": [("q1", "d1", 0.9), ("q1", "d2", 0.5), ("q2", "d2", 0.4)], "v2": [("q1", "d2", 1.5)]}
TOPICS = "<top>\n<num> Number: q1\n<title> blue cars\n</top>\n<top><num>q2<title>bikes</top>\n"


def trec_files() -> dict[str, object]:
    runs = {
        f"{name}.run": "".join(f"{q} Q0 {d} 1 {s} x\n" for q, d, s in rows)
        for name, rows in RUNS.items()
    }
    return {"topics.txt": TOPICS, "qrels.txt": "q1 0 d1 1\nq2 0 d3 2\n", **runs}


def json_files() -> dict[str, object]:
    def nested(rows: list) -> dict:
        return {q: {d: s for p, d, s in rows if p == q} for q, _, _ in rows}

    qrels = {"q1": {"d1": 1}, "q2": {"d3": 2}}
    runs = {f"{name}.json": nested(rows) for name, rows in RUNS.items()}
    return {"queries.csv": "query_id,text\nq1,blue cars\nq2,bikes\n", "qrels.json": qrels, **runs}


def marco_files() -> dict[str, object]:
    texts = "".join(f"{n}\ta text of {n}\n" for n in (7, 8, 9))
    files = {"collection.tsv": texts, "queries.dev.tsv": "1\tblue cars\n2\tred bikes\n"}
    candidates = "".join(f"1\t{n}\tblue cars\ta text of {n}\n" for n in (9, 10))
    files["top1000.dev.tsv"] = f"{candidates}3\t7\tgreen trams\ta text of 7\n"
    return {**files, "qrels.dev.tsv": "1\t0\t7\t1\n", "v1.tsv": "1\t7\t1\n1\t8\t2\n2\t9\t1\n"}


@pytest.mark.parametrize("files", [trec_files(), json_files()], ids=["TREC", "ranx"])
def test_judgements_and_runs_name_the_items(tmp_path, files) -> None:
    write(tmp_path / "source", files)
    result, collection = made(tmp_path)
    assert collection.versions == ("v1", "v2") and sorted(collection.items["item_id"]) == [
        "d1", "d2", "d3",
    ]  # fmt: skip
    texts = dict(zip(collection.queries["query_id"], collection.queries["text"], strict=True))
    assert texts == {"q1": "blue cars", "q2": "bikes"}
    assert result.findings is not None and "error" not in set(result.findings["level"])


def test_further_columns_of_queries_become_slices_where_queries_share_their_values(tmp_path):
    asked = "query_id,text,colour,Length,remark\nq1,blue cars,blue,short,one\nq2,bikes,,short,two\n"
    more = "query_id,text,Length\nq3,a long text,long\nq4,another one,long\nq1,blue cars,\n"
    files = {**json_files(), "queries.csv": asked, "queries_more.csv": more}
    write(tmp_path / "source", files)
    result, collection = made(tmp_path)
    lengths = dict(zip(*(collection.queries[name] for name in ("query_id", "Length")), strict=True))
    assert lengths == {"q1": "short", "q2": "short", "q3": "long", "q4": "long"}
    assert "colour" not in collection.queries and "remark" not in collection.queries
    (said,) = (each for each in result.problems if "no two queries share" in each)
    assert "queries.csv: the 2 columns colour, remark" in said
    assert result.files["guessed"].str.contains("slices: Length").any()


PUBLIC = {
    "judgements in a table called so, not a run": (
        {"qrels.csv": "q_id,doc_id,score\nq1,d1,1\n", "v1.csv": "q_id,doc_id,score\nq1,d1,0.5\n"},
        {"q1": "q1"},
    ),
    "one run in three formats": (
        {
            "qrels.txt": "q1 0 d1 1\n",
            "v1.json": {"q1": {"d1": 0.3, "d2": 0.1}},
            "v1.trec": "q1 Q0 d1 1 0.3 x\nq1 Q0 d2 2 0.1 x\n",
            "v1.csv": "query_id,doc_id,score\nq1,d1,0.3\nq1,d2,0.1\n",
        },
        {"q1": "q1"},
    ),
    "rounds in the second field": ({"q/qrels.round1.txt": "1 0.5  d1 2\n2 1  d1 1\n"}, {}),
    "topics of passages are no texts": (
        {
            "topics/topics.dl19-passage.txt": "1\tblue cars\n2\tred bikes\n",
            "qrels/qrels.dl19-passage.txt": "1 Q0 d1 3\n",
        },
        {"1": "blue cars", "2": "red bikes"},
    ),
    "topics in XML": (
        {
            "topics.xml": '<topics>\n<topic number="1"><query>cars &amp; bikes</query><question>x'
            '</question></topic>\n<topic number="2">\nonly <b>text</b></topic></topics>',
            "qrels.txt": "1 0 d1 1\n",
        },
        {"1": "cars & bikes", "2": "only text"},
    ),
    "queries of one word, and an iteration of letters": (
        {
            "queries.tsv": "1\tcars\n2\t滑铁卢\n",
            "docs.tsv": "d1\tblue\nd2\tred bikes\n",
            "qrels.robust": "1 U0 d1 4\n",
        },
        {"1": "cars", "2": "滑铁卢"},
    ),
    "BEIR without its corpus": (
        {
            "queries.jsonl": [{"_id": "7", "text": "blue cars", "metadata": {}}],
            "qrels/test.tsv": "query-id\tcorpus-id\tscore\n7\td1\t1\n",
        },
        {"7": "blue cars"},
    ),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_judgements_and_topics_as_public_repositories_hold_them(tmp_path, name) -> None:
    files, texts = PUBLIC[name]
    write(tmp_path / "source", files)
    _, collection = made(tmp_path)
    found = dict(zip(collection.queries["query_id"], collection.queries["text"], strict=True))
    assert texts in ({}, found) and set(collection.items["item_id"]) <= {"d1", "d2"}
    assert collection.qrels is not None and "d1" in set(collection.qrels["item_id"])
    assert collection.versions in ((), ("v1",))


def test_a_pointer_of_git_lfs_says_what_fetches_the_file(tmp_path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    source = write(tmp_path / "source", {"a/1.jpg": 0, "b/2.jpg": 0, "v1.npy": pointer})
    (source / "b" / "2.jpg").write_text(pointer)
    result, _ = made(tmp_path)
    assert result.findings is not None
    assert "a pointer of git LFS; fetch the file: git lfs pull (b/2.jpg)" in "".join(
        result.findings["found"]
    )


def test_a_row_whose_picture_is_not_there_is_no_text(tmp_path) -> None:
    table = "file_name,text\n1.jpg,a car\n2.jpg,a bike\n"
    write(tmp_path / "source", {"metadata.csv": table, "1.jpg": 0})
    _, collection = made(tmp_path)
    kinds = dict(zip(collection.items["item_id"], collection.items["kind"], strict=True))
    assert kinds["2.jpg"] == "image" and kinds["2.jpg#1"] == "text"


def test_ms_marco(tmp_path) -> None:
    write(tmp_path / "source", marco_files())
    _, collection = made(tmp_path)
    assert collection.items["item_id"].tolist() == ["7", "8", "9", "10"]
    assert collection.items["caption"].tolist()[3] == "a text of 10" and not collection.groups
    assert collection.queries["text"].tolist() == ["blue cars", "red bikes", "green trams"]
    assert collection.versions == ("v1",)
    assert collection.qrels is not None and collection.qrels["item_id"].tolist() == ["7"]


@pytest.mark.slow
def test_maps_of_eccv_caption(tmp_path) -> None:
    import importlib.util

    spec = importlib.util.find_spec("eccv_caption")  # its import wants another library
    assert spec is not None and spec.origin
    result = initialize(str(tmp_path / "new"), str(Path(spec.origin).parent / "data"), {})
    assert result.findings is not None
    errors = result.findings[result.findings["level"] == "error"]
    assert errors["file"].tolist() == ["models"], "only that no version is there yet"
    collection = open_collection(tmp_path / "new", allow_path=True)
    assert collection.protocols == ("crossmodal",) and collection.qrels is not None
    image = collection.qrels[collection.qrels["query_id"] == "i_373119"]
    assert len(image) == 18 and "caption_560256" in set(image["item_id"])
    assert "the maps eccv; cxc, original left out" in result.files["guessed"].tolist()


def test_json_of_other_kinds_is_left_out_in_one_sentence_and_lines_of_it_are_rows(tmp_path) -> None:
    files = {f"folds{n}.json": {"s1": {"train": ["q1"]}} for n in range(7)}
    rows = '{"id": "a", "image_id": 7, "text": "red"}\n{"id": "b", "image_id": 7, "text": "blue"}'
    write(tmp_path / "source", {**files, "texts.json": rows})
    result, collection = made(tmp_path)
    assert collection.items["item_id"].tolist() == ["a", "b"] and not collection.groups
    left = [each for each in result.problems if "left out" in each]
    assert len(left) == 1 and left[0].startswith("left out: 7 files with JSON of another kind")
    assert "folds4.json and 2 more" in left[0]


def test_ten_thousand_labels_of_which_most_occur_once(tmp_path) -> None:
    rows = [(f"i{n}", f"often{n % 1_000}", f"once{n}") for n in range(9_000)]
    text = "".join(f"{item},{one}; {two}\n" for item, one, two in rows)
    write(tmp_path / "source", {"items.csv": "item_id,tags\n" + text})
    result = initialize(str(tmp_path / "new"), str(tmp_path / "source"), {}, dry_run=True)
    files = result.files.set_index("file")
    assert files.loc["unified_annotation.csv", "rows"] == 9_000
    assert "(9,000 keywords are of one item)" in files.loc["queries.csv", "guessed"]
    assert "5,000 of 9,000 items" in files.loc["queries.csv", "guessed"]
