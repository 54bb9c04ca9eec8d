"""`init` on sources that are nearly as their community writes them: right, or a sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from dashboard.experiment.collection.initializing import initialize
from dashboard.tables import DataError
from tests.test_init_sources import keywords_of, made, write

CORPUS = [{"_id": f"00{n}", "title": "", "text": f"text {n}"} for n in (1, 2, 3)]
ASKED = [{"_id": f"q{n}", "text": f"what {n}"} for n in (1, 2)]
PAIRS = "q1\t001\t2\nq2\t002\t1\n"
HEADER = "query-id\tcorpus-id\tscore\n"


def beir(**changed: object) -> dict[str, object]:
    names = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels/test.tsv"}
    files = {"corpus": CORPUS, "queries": ASKED, "qrels": HEADER + PAIRS, **changed}
    return {names[key]: content for key, content in files.items() if content is not None}


JUDGED = {
    "no header": PAIRS,
    "TREC's four fields": "q1\t0\t001\t2\nq2\t0\t002\t1\n",
    "blanks": "q1 001 2\nq2 001 0\nq2 002 1\n",
    "another order": "corpus-id\tquery-id\tscore\n001\tq1\t2\n002\tq2\t1\n",
    "a mark, and lines that end as on Windows": "\ufeff" + (HEADER + PAIRS).replace("\n", "\r\n"),
    "two grades of a pair": PAIRS + "q1\t001\t0\n",
}


@pytest.mark.parametrize("name", list(JUDGED))
def test_judgements_of_beir_are_read_by_their_header_or_their_places(tmp_path, name) -> None:
    write(tmp_path / "source", beir(qrels=JUDGED[name]))
    result, collection = made(tmp_path)
    assert collection.qrels is not None and collection.queries["query_id"].tolist() == ["q1", "q2"]
    pairs = collection.qrels[collection.qrels["grade"] > 0]
    assert pairs[["query_id", "item_id", "grade"]].values.tolist() == [
        ["q1", "001", 2], ["q2", "002", 1],
    ]  # fmt: skip
    contradicted = "1 pair with two different grades (query q1, item 001); the first counts"
    assert (contradicted in result.problems) == (name == "two grades of a pair")


def test_packed_beir_has_one_part_of_its_judgements(tmp_path) -> None:
    folder = write(tmp_path / "source", {**beir(), "qrels/train.tsv": HEADER + "q2\t003\t1\n"})
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    _, collection = made(tmp_path)
    assert collection.qrels is not None and collection.qrels["item_id"].tolist() == ["001", "002"]


def test_other_keys_of_beir_and_ids_that_stand_twice(tmp_path) -> None:
    corpus = [{"id": row["_id"], "contents": row["text"]} for row in [*CORPUS, CORPUS[0]]]
    asked = [{"_id": row["_id"], "query": row["text"]} for row in ASKED]
    again = {"_id": "q1", "query": "something else"}
    write(tmp_path / "source", beir(corpus=corpus, queries=[*asked, again]))
    result, collection = made(tmp_path)
    assert collection.items["caption"].tolist() == ["text 1", "text 2", "text 3"]
    assert collection.queries["text"].tolist() == ["what 1", "what 2"]
    twice = "1 id stands twice, with different texts (query_id q1); the first counts"
    assert result.problems == [twice]


@pytest.mark.parametrize(
    ("qrels", "sentence"),
    [
        (None, "nothing says which texts answer the queries: put judgements into qrels/test.tsv"),
        ("x1\t001\t1\n", "qrels/test.tsv judges none of the queries: its ids (x1) are not"),
    ],
)
def test_queries_stay_where_nothing_judges_them(tmp_path, qrels, sentence) -> None:
    write(tmp_path / "source", beir(qrels=qrels))
    result, collection = made(tmp_path)
    assert sentence in str(result.problems)
    assert collection.queries["text"].tolist()[:2] == ["what 1", "what 2"]


COLLECTION = "001\tfirst text\n002\tsecond text\n"
MARCO = {
    "collection.tsv": COLLECTION,
    "qrels.tsv": "1\t0\t002\t1\n",
    "queries.tsv": "1\tred cars\n",
}
REFUSED = {
    "a field too few": (beir(qrels="q1\t001\n"), "qrels/test.tsv, line 1: found 2 fields"),
    "a word as a grade": (
        beir(qrels=f"{HEADER}{PAIRS}q1\t003\tgood\n"),
        "qrels/test.tsv, line 4: found the grade 'good'; wanted a number",
    ),
    "no ids": (beir(corpus=[{"text": "a"}]), "corpus.jsonl: found the keys text; wanted _id"),
    "two data sets": (
        {f"{name}/{key}": content for name in "ab" for key, content in beir().items()},
        "found 2 data sets of BEIR (a/, b/); wanted one",
    ),
    "a text without an id": (
        {**MARCO, "collection.tsv": f"{COLLECTION}no tab\n"},
        "collection.tsv, line 3: found 'no tab'; wanted an id, a tab and a text",
    ),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_would_be_another_collection_is_refused(tmp_path: Path, name: str) -> None:
    files, sentence = REFUSED[name]
    write(tmp_path / "source", files)
    with pytest.raises(DataError) as refused:
        initialize(str(tmp_path / "new"), str(tmp_path / "source"), {})
    assert sentence in str(refused.value) and not (tmp_path / "new").exists()


def test_texts_in_another_encoding_are_refused_with_their_line(tmp_path) -> None:
    folder = write(tmp_path / "source", MARCO)
    (folder / "collection.tsv").write_bytes(f"{COLLECTION}003\tcafé noir\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"collection\.tsv, line 3: found byte 0xe9"):
        made(tmp_path)


def test_headers_documents_and_line_separators_of_ms_marco(tmp_path) -> None:
    texts = "pid\ttext\n001\tone\u2028line\n002\tsecond text\n"
    asked, judged = "qid\tquery\n1\tred cars\n", "qid\tpid\trel\n1\t002\t1\n"
    files = {"collection.tsv": texts, "queries.tsv": asked, "qrels.tsv": judged}
    write(tmp_path / "source", files)
    _, collection = made(tmp_path)
    assert collection.items["item_id"].tolist() == ["001", "002"]
    assert collection.queries["text"].tolist() == ["red cars"] and collection.qrels is not None
    documents = "D1\thttp://a\tCars\tAll of them\nD2\thttp://b\tTrams\tSome of them\n"
    write(tmp_path / "other/source", {**MARCO, "collection.tsv": "", "msmarco-docs.tsv": documents})
    _, collection = made(tmp_path / "other")
    assert collection.items["caption"].tolist() == ["Cars. All of them", "Trams. Some of them"]


def test_a_caption_with_the_name_of_a_column_is_no_query(tmp_path) -> None:
    rows = [{"file_name": f"{n}.png", "text": f"the topic of picture {n}"} for n in "ab"]
    write(tmp_path / "source", {"metadata.jsonl": rows, "a.png": 0, "b.png": 0})
    _, collection = made(tmp_path)
    assert collection.items["caption"].tolist()[:1] == ["the topic of picture a"]


def test_queries_are_known_by_the_name_of_their_folder(tmp_path) -> None:
    asked = [{"id": "q1", "title": "red cars"}, {"id": "q2", "title": "trams"}]
    pairs = [{"qid": "q2", "pid": "002", "question": "trams"}, {"qid": "q3", "question": ""}]
    files = {"queries/whole.jsonl": asked, "queries/z.jsonl": pairs, "qrels.tsv": HEADER + PAIRS}
    write(tmp_path / "source", files)
    result, collection = made(tmp_path)
    assert result.problems == ["left out: queries/z.jsonl: 1 query without words (q3)"]
    assert collection.queries["text"].tolist() == ["red cars", "trams"]
    assert collection.items["item_id"].tolist() == ["001", "002"]


def test_parts_whose_pictures_have_the_same_names(tmp_path) -> None:
    """A folder of images as Hugging Face has it: each metadata file names what lies beside it."""
    table = "file_name,label\n1.png,{}\n2.png,{}\n"
    files: dict[str, object] = {f"{p}/{n}.png": 0 for p in ("train", "test") for n in (1, 2)}
    files["train/metadata.csv"] = table.format("cat", "dog")
    files["test/metadata.csv"] = table.format("dog", "cat")
    write(tmp_path / "source", files)
    result, collection = made(tmp_path)
    assert not result.problems
    assert keywords_of(collection, "test/1.png") == ["dog"]
    assert keywords_of(collection, "train/1.png") == ["cat"]


@pytest.mark.parametrize("key", ["category", "categories", "labels"])
def test_labels_of_objects_are_read(tmp_path, key) -> None:
    rows = [
        {"file_name": "a.png", "objects": {"bbox": [[1, 2, 3, 4]], key: ["cat"]}},
        {"file_name": "b.png", "objects": {"bbox": [[1, 2, 3, 4]] * 3, key: ["dog", "cat", "dog"]}},
        {"file_name": "c.png", "objects": {"bbox": [], key: []}},
    ]
    pictures = {f"{name}.png": 0 for name in "abc"}
    write(tmp_path / "source", {"metadata.jsonl": rows, **pictures})
    _, collection = made(tmp_path)
    assert [keywords_of(collection, f"{name}.png") for name in "abc"] == [
        ["cat"], ["cat", "dog"], [],
    ]  # fmt: skip


def test_names_of_files_in_another_case(tmp_path) -> None:
    table = "file_name,label\nA.PNG,cat\nb.png,dog\nc.png,cow\n"
    pictures = {"data/a.png": 0, "data/b.png": 0, "data/C.png": 0, "data/c.png": 0}
    write(tmp_path / "source", {"metadata.csv": table, **pictures})
    result, collection = made(tmp_path)
    files = dict(zip(collection.items["item_id"], collection.items["file"], strict=True))
    assert files["data/a.png"] == "data/a.png" and keywords_of(collection, "data/a.png") == ["cat"]
    assert keywords_of(collection, "data/c.png") == ["cow"], "where both are there, the one named"
    assert "names of files in whatever case" in str(result.files["guessed"].tolist())


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("id,label\n1,cat\n2,dog\n", "2 ids of id (1, 2) and no file of such a name (001.png"),
        ("file_name,label\nx.png,cat\n", "(file_name: x.png): none of these files is there (001"),
    ],
)
def test_a_table_that_names_no_file_says_what_it_names(tmp_path, table, sentence) -> None:
    write(tmp_path / "source", {"labels.csv": table, "001.png": 0, "002.png": 0})
    result, _ = made(tmp_path)
    assert sentence in str(result.problems)


@pytest.mark.parametrize("broken", ["1", "2"])
def test_one_broken_sample_of_fiftyone_leaves_the_others(tmp_path, broken) -> None:
    files: dict[str, object] = {f"data/{n}.jpg": 0 for n in "123"}
    for n in "123":
        sample = {"_id": n, "filepath": f"data/{n}.jpg", "truth": {"label": "cat"}}
        files[f"samples/{n}.json"] = '{"filepath": "da' if n == broken else sample
    files["frames/1.json"] = "{"
    write(tmp_path / "source", {**files, "metadata.json": {"name": "x"}})
    result, collection = made(tmp_path)
    there = [f"data/{n}.jpg" for n in "123" if n != broken]
    assert collection.items["item_id"].tolist() == there
    found = "line 1: found a file that ends in the middle; wanted a complete JSON file."
    assert result.problems == [
        f"left out: samples/{broken}.json, {found}",
        f"left out: frames/1.json, {found}",
    ]


def test_numbers_that_are_no_class_of_fiftyone_are_named(tmp_path) -> None:
    labels = {"classes": ["cat", "dog"], "labels": {"1": 1, "2": 7}}
    write(tmp_path / "source", {"labels.json": labels, "data/1.jpg": 0, "data/2.jpg": 0})
    result, collection = made(tmp_path)
    assert "1 label of no class (2): numbers from 0 to 1 are classes" in str(result.problems)
    assert collection.items["kind"].tolist() == ["image", "image"]


def test_a_picture_of_coco_without_a_name_leaves_the_others(tmp_path) -> None:
    named = {"id": 1, "file_name": "1.jpg"}
    found = [{"image_id": n, "category_id": 3} for n in (1, 2)]
    categories = [{"id": 3, "name": "cat"}]
    coco = {"images": [named, {"id": 2}], "annotations": found, "categories": categories}
    write(tmp_path / "source", {"instances.json": coco, "1.jpg": 0})
    result, collection = made(tmp_path)
    assert keywords_of(collection, "1.jpg") == ["cat"]
    assert result.problems == [
        "left out: instances.json: 1 picture without id or file_name",
        "instances.json: 1 annotation of pictures that it does not name",
    ]


def test_packed_json_of_judgements(tmp_path) -> None:
    folder = write(tmp_path / "source", {"run.json": {"q1": {"001": 0.5, "002": 0.4}}})
    (folder / "qrels.json.gz").write_bytes(gzip.compress(b'{"q1": {"001": 1}}'))
    result, collection = made(tmp_path)
    assert not result.problems and collection.versions == ("run",)
    assert collection.qrels is not None and collection.qrels["item_id"].tolist() == ["001"]


def test_of_vectors_without_any_ids_the_most_name_the_items(tmp_path) -> None:
    arrays = {"a_places.npy": np.eye(3, dtype="float32"), "z.npy": np.eye(5, dtype="float32")}
    (tmp_path / "source").mkdir()
    for name, array in arrays.items():
        np.save(tmp_path / "source" / name, array)
    result, collection = made(tmp_path)
    assert len(collection.items) == 5 and collection.versions == ("z",)
    assert "a_places.npy: 3 vectors without ids for 5 items" in str(result.problems)


def test_labels_in_an_array_are_no_version(tmp_path) -> None:
    (tmp_path / "source").mkdir()
    for name in ("clip_embeddings", "clip_labels", "y"):
        np.save(tmp_path / "source" / f"{name}.npy", np.eye(3, dtype="float32"))
    result, collection = made(tmp_path)
    assert collection.versions == ("clip",)
    for name in ("clip_labels", "y"):
        assert f"left out: {name}.npy, by its name labels and no vectors" in str(result.problems)
