"""`init` on data as each community writes it: small worlds by hand, and what packages ship."""

from __future__ import annotations

import json
from pathlib import Path

import faiss
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from dashboard.experiment.collection.initializing import Initialized, initialize
from dashboard.storage.collection.collection import Collection, open_collection

ITEMS = ["a", "b", "c"]
VECTORS = np.array([[1, 2, 3], [3, 2, 1], [0, 1, 0]], dtype="float32")


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


COCO = {
    "images": [{"id": n, "file_name": f"{n}.jpg"} for n in (1, 2, 3)],
    "annotations": [{"id": n, "image_id": n % 3 + 1, "category_id": n % 2} for n in range(4)],
    "categories": [{"id": 0, "name": "cat"}, {"id": 1, "name": "dog"}],
}


def test_instances_of_coco(tmp_path) -> None:
    write(tmp_path / "source", {"instances.json": COCO, "images/1.jpg": 0, "images/2.jpg": 0})
    result, collection = made(tmp_path)
    assert collection.items["file"].tolist() == ["images/1.jpg", "images/2.jpg", ""]
    assert keywords_of(collection, "1.jpg") == ["cat", "dog"]
    assert "1 picture not there (3.jpg)" in result.problems


def test_captions_of_coco_are_matched_with_their_pictures(tmp_path) -> None:
    captions = [{"image_id": n % 2 + 1, "caption": f"text {n}"} for n in range(4)]
    content = {"images": COCO["images"][:2], "annotations": captions}
    write(tmp_path / "source", {"captions.json": content, "1.jpg": 0, "2.jpg": 0})
    _, collection = made(tmp_path)
    assert collection.protocols == ("crossmodal",)
    assert collection.items["side"].value_counts().to_dict() == {"texts": 4, "pictures": 2}
    assert collection.qrels is not None and len(collection.qrels) == 8
    searched = collection.queries.groupby("among")["query_id"].count().to_dict()
    assert searched == {"pictures": 4, "texts": 2}


FIFTYONE = {
    "samples": {
        "samples": [
            {
                "filepath": "data/1.jpg",
                "tags": ["new"],
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
    write(tmp_path / "source", {**files, "frames.json": {"frames": []}})
    result, collection = made(tmp_path)
    assert not any("frames" in each for each in result.problems), "it belongs to the export"
    assert collection.items["item_id"].tolist() == ["data/1.jpg", "data/2.jpg"]
    assert keywords_of(collection, "data/2.jpg") == ["dog"]
    assert ("ear" in keywords_of(collection, "data/1.jpg")) == (name == "samples")


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


def _npy(folder: Path) -> None:
    np.save(folder / "v1.npy", VECTORS)
    (folder / "v1.txt").write_text("c\nb\na\n")


def _npz(folder: Path) -> None:
    np.savez(folder / "v1.npz", embeddings=VECTORS, ids=np.array(["c", "b", "a"]))


def _safetensors(folder: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"v1": VECTORS}, folder / "vectors.safetensors")
    (folder / "vectors_ids.json").write_text('["c", "b", "a"]')


def _parquet(folder: Path) -> None:
    pd.DataFrame({"id": ["c", "b", "a"], "vector": list(VECTORS)}).to_parquet(folder / "v1.parquet")


def _arrow(folder: Path) -> None:
    lists = pa.FixedSizeListArray.from_arrays(pa.array(VECTORS.ravel()), 3)
    table = pa.table({"id": ["c", "b", "a"], "vector": lists})
    with pa.ipc.new_file(str(folder / "v1.arrow"), table.schema) as file:
        file.write_table(table)


def _faiss(folder: Path) -> None:
    index = faiss.IndexFlatIP(3)
    index.add(VECTORS)
    faiss.write_index(index, str(folder / "v1.faiss"))
    (folder / "v1_ids.txt").write_text("c\nb\na\n")


@pytest.mark.parametrize(
    ("save", "items"),
    [
        pytest.param(
            save,
            items,
            id=f"{'items' if items else 'vectors alone'}-{save.__name__}",
            marks=() if items or save is _faiss else pytest.mark.slow,
        )
        for items in (True, False)
        for save in (_npy, _npz, _safetensors, _parquet, _arrow, _faiss)
    ],
)
def test_vectors_with_ids(tmp_path, save, items) -> None:
    source = write(tmp_path / "source", {f"{n}.png": 0 for n in ITEMS} if items else {"x.md": ""})
    save(source)
    _, collection = made(tmp_path)
    model = collection.models["v1"]
    by_path = items and save not in (_parquet, _arrow)  # a table's ids are the items' ids
    place = list(model.items.ids).index("a.png" if by_path else "a")
    unit = VECTORS[2] / np.linalg.norm(VECTORS[2])
    np.testing.assert_allclose(model.items.matrix[place], unit, rtol=1e-6)
    assert collection.items["item_id"].tolist() == (
        [f"{n}.png" for n in ITEMS] if by_path else ["c", "b", "a"]
    )


def test_vectors_without_ids_are_in_the_order_of_the_items(tmp_path) -> None:
    source = write(tmp_path / "source", {f"{n}.png": 0 for n in ITEMS})
    np.save(source / "v1.npy", VECTORS)
    np.save(source / "v2.npy", VECTORS[:2])
    result, collection = made(tmp_path)
    assert collection.models["v1"].items.ids == ("a.png", "b.png", "c.png")
    notes = result.files.set_index("file")
    assert notes.loc["models/v1/items.npy", "guessed"] == "ids: the order of the items"
    assert any("v2.npy: 2 vectors without ids for 3 items" in each for each in result.problems)


def test_vectors_of_queries_belong_to_their_version(tmp_path) -> None:
    source = write(tmp_path / "source", trec_files())
    for name, ids in (("clip_items", ["d1", "d2", "d3"]), ("clip_queries", ["q1", "q2"])):
        np.save(source / f"{name}.npy", VECTORS[: len(ids)])
        (source / f"{name}_ids.txt").write_text("\n".join(ids) + "\n")
    _, collection = made(tmp_path)
    assert collection.versions == ("clip", "v1", "v2")
    queries = collection.models["clip"].queries
    assert queries is not None and queries.ids == ("q1", "q2")


def test_what_cannot_be_read_is_left_out_with_a_sentence(tmp_path) -> None:
    source = write(tmp_path / "source", {f"{n}.png": 0 for n in ITEMS})
    np.save(source / "objects.npy", np.array([[{}], [1]], dtype=object), allow_pickle=True)
    np.savez(source / "more.npz", a=np.array([{}], dtype=object))
    (source / "broken.faiss").write_bytes(b"IxFI" + b"\xff" * 60)
    (source / "broken.safetensors").write_bytes(b"\xff" * 40)
    index = faiss.IndexLSH(3, 8)
    index.add(VECTORS)
    faiss.write_index(index, str(source / "lsh.index"))
    np.savez_compressed(source / "bomb.npz", a=np.zeros((2_000, 2_000)))
    result, collection = made(tmp_path)
    assert collection.versions == ("lsh",)
    for name, word in (
        ("objects.npy", "pickled data are never read"),
        ("more.npz", "pickles are never read"),
        ("broken.faiss", "no index that faiss reads"),
        ("broken.safetensors", "no tensors"),
        ("lsh.index", "IndexLSH keeps codes"),
        ("bomb.npz", "swell"),
    ):
        assert any(name in each and word in each for each in result.problems), (
            name,
            result.problems,
        )


def test_ten_thousand_labels_of_which_most_occur_once(tmp_path) -> None:
    rows = [(f"i{n}", f"often{n % 1_000}", f"once{n}") for n in range(9_000)]
    text = "".join(f"{item},{one}; {two}\n" for item, one, two in rows)
    write(tmp_path / "source", {"items.csv": "item_id,tags\n" + text})
    result = initialize(str(tmp_path / "new"), str(tmp_path / "source"), {}, dry_run=True)
    files = result.files.set_index("file")
    assert files.loc["unified_annotation.csv", "rows"] == 9_000
    assert "(9,000 keywords are of one item)" in files.loc["queries.csv", "guessed"]
    assert "5,000 of 9,000 items" in files.loc["queries.csv", "guessed"]
