"""Each format: files made in code, what comes out, and a value worked by hand.

Vectors of a, b (cat) and c, d (dog): d is nearer to b than to c, so P@1 is 3/4. Pictures p1 and p2,
texts of p1 and p2: t1b is nearer to p2, so i2t_R@1 is 1/2 and t2i_R@1 is 2/3. Results: a relevant
item in the second place and one in the first: AP is 3/4.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import save_file

from tests.plugins.importers.sources import Case, check_case, make_picture

NAMES = ["a", "b", "c", "d"]
VECTORS = np.array([[1, 0], [1, 0.1], [0, 1], [1, 0.9]], dtype=np.float32)
CLASSES = {"a": "cat", "b": "cat", "c": "dog", "d": "dog"}
LABELS = "id,label\n" + "".join(f"{name},{label}\n" for name, label in CLASSES.items())
LABELLED = [f"{name}|{label}" for name, label in CLASSES.items()]
CATS = {"v1 P@1": 0.75}
PICTURES = np.array([[1, 0], [0, 1]], dtype=np.float32)
TEXTS = np.array([[1, 0.1], [0.1, 1], [0.2, 1]], dtype=np.float32)
CAPTIONS = {"t1a": ("p1.png", "one a"), "t1b": ("p1.png", "one b"), "t2a": ("p2.png", "two a")}
TWO = {"im/p1.png": 1, "im/p2.png": 2}
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n"
RUN = "q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 b 1 2 x\n"
FEATURES = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": ["cat", "dog"]}}
ABOUT = {"huggingface": f'{{"info": {{"features": {FEATURES}}}}}'.replace("'", '"')}


def make_table(pictures: list[dict[str, Any]], **more: Any) -> pa.Table:
    kind = pa.list_(pa.float32(), 2)
    columns = {"image": pictures, "label": [0, 0, 1, 1], "emb": pa.array(VECTORS.tolist(), kind)}
    return pa.table(columns | more).replace_schema_metadata(ABOUT)


INSIDE = [{"bytes": make_picture(i), "path": f"{n}.png"} for i, n in enumerate(NAMES, 1)]
BY_PATH = [{"bytes": None, "path": f"/nowhere/{name}.png"} for name in NAMES]
ONE_NAME = [{"bytes": make_picture(i), "path": "1.png"} for i in range(4)]
WITH_IDS = {"labels.csv": LABELS, "items.npy": VECTORS}
SIDES = "items.csv", "item_id kind"
SPLIT = [{"filename": name, "split": split, "filepath": "im", "sentences": [
    {"raw": text, "sentid": key} for key, (file, text) in CAPTIONS.items() if file == name]}
    for name, split in (("p1.png", "test"), ("p2.png", "test"), ("p3.png", "train"))]  # fmt: skip
COCO = {"images": [{"id": 1, "file_name": "p1.png"}, {"id": 2, "file_name": "p2.png"}],
        "annotations": [{"id": key, "image_id": int(file[1]), "caption": text}
                        for key, (file, text) in CAPTIONS.items()]}  # fmt: skip
ROWS = "".join(f"{key},{file},{text}\n" for key, (file, text) in CAPTIONS.items())
JSONL = '{{"_id": "{}", "title": "", "text": "text {}"}}\n'
OF_NAMES = list(zip(NAMES, VECTORS.tolist(), strict=True))
VECTOR_ROWS = [f'{name},{CLASSES[name]},"{row}"\n' for name, row in OF_NAMES]
PAIRED = ["p1.png|t1a", "t1a|p1.png", "p1.png|t1b", "t1b|p1.png", "p2.png|t2a", "t2a|p2.png"]
LINES = ["p1.png#0", "p1.png#1", "p2.png#0"]
OF_LINES = [pair for name in LINES for pair in (f"{name[:6]}|{name}", f"{name}|{name[:6]}")]

CASES: dict[str, Case] = {
    "folders of classes": (
        {"train/cat/1.png": 1, "train/cat/2.png": 2, "train/dog/3.png": 3},
        [],
        {("items.csv", "item_id class file"): [
            f"train/{name}|{name[:3]}|train/{name}"
            for name in ("cat/1.png", "cat/2.png", "dog/3.png")
        ]},
        {},
    ),
    "texts beside pictures": (
        {"00/a.png": 1, "00/a.txt": "one\n", "00/b.png": 2, "00/b.txt": "two"},
        [],
        {("queries.csv", "query_id text item_id"): [
            "00/a.png||00/a.png", "00/b.png||00/b.png", "00/a.png#0|one|", "00/b.png#0|two|"]},
        {},
    ),
    "table, npy and ids": (
        {**WITH_IDS, "items.txt": "a\nb\nc\nd\n"},
        [], {("items.csv", "item_id label"): LABELLED}, CATS,
    ),
    "ids in another order": (
        {"labels.csv": LABELS, "items.npy": VECTORS[[3, 0, 1, 2]], "items.txt": "d\na\nb\nc\n"},
        [], {}, CATS,
    ),
    "by position": (WITH_IDS, ["--by-position"], {}, CATS),
    "npz with names and labels": (
        {f"{name}.png": 1 for name in NAMES} | {"v1.npz": lambda path: np.savez(
            path, embeddings=VECTORS[::-1], image_paths=[f"x/{n}.png" for n in NAMES[::-1]],
            labels=[1, 1, 0, 0], model="a name is no vector")},
        [], {("items.csv", "file labels"): ["d.png|1", "c.png|1", "b.png|0", "a.png|0"]}, CATS,
    ),
    "safetensors": (
        {"labels.tsv": LABELS.replace(",", "\t"), "v1.ids": "a\nb\nc\nd",
         "v1.safetensors": lambda path: save_file({"emb": VECTORS}, path)},
        [], {("items.csv", "item_id label"): LABELLED}, CATS,
    ),
    "vectors in cells": (
        {"rows.csv": "id,label,embedding\n" + "".join(VECTOR_ROWS)}, [], {}, {"rows P@1": 0.75},
    ),
    "JSON lines": (
        {"v1.jsonl": "".join(f'{{"id": "{n}", "label": "{CLASSES[n]}", "vector": {v}}}\n'
                             for n, v in OF_NAMES)},
        [], {("items.csv", "item_id label"): LABELLED}, CATS,
    ),
    "Parquet with pictures inside": (
        {"train-00000-of-00001.parquet": make_table(INSIDE)},
        [], {("items.csv", "item_id label"): [f"{n}.png|{CLASSES[n]}" for n in NAMES]}, CATS,
    ),
    "Parquet with paths": (
        {"t.parquet": make_table(BY_PATH)},
        [], {("items.csv", "item_id label"): [f"{n}.png|{CLASSES[n]}" for n in NAMES]},
        {"t P@1": 0.75},
    ),
    "pictures of one name": (
        {"t.parquet": make_table(ONE_NAME)},
        [], {("items.csv", "item_id"): ["1.png", "1.png#2", "1.png#3", "1.png#4"]}, {"t P@1": 0.75},
    ),
    "save_to_disk": (
        {"data-00000-of-00001.arrow": make_table(INSIDE), "dataset_info.json": {},
         "state.json": {}},
        [], {("items.csv", "label"): list(CLASSES.values())}, CATS,
    ),
    "Flickr8k": (
        TWO | {"captions.txt": "image,caption\n" + "".join(
            f'{file},"{text}, so"\n' for file, text in CAPTIONS.values())},
        [],
        {SIDES: ["p1.png|image", "p2.png|image", *(f"{each}|text" for each in LINES)],
         ("qrels.csv", "query_id item_id"): OF_LINES,
         ("queries.csv", "text"): ["", "", "one a, so", "one b, so", "two a, so"]},
        {},
    ),
    "Flickr30k": (
        TWO | {"results.token": "".join(
            f"{line}\t{text}\n" for line, (_, text) in zip(LINES, CAPTIONS.values(), strict=True))},
        [], {("qrels.csv", "query_id item_id"): OF_LINES}, {},
    ),
    "table of captions, two arrays": (
        TWO | {"c.csv": "caption_id,image,caption\n" + ROWS, "image_embeds.npy": PICTURES,
               "text_embeds.npy": TEXTS},
        ["--by-position"],
        {("qrels.csv", "query_id item_id"): PAIRED},
        {"v1 i2t_R@1": 0.5, "v1 t2i_R@1": 2 / 3},
    ),
    "captions with ids of texts": (
        TWO | {"c.csv": "caption_id,image,caption\n" + ROWS, "v1.npz": lambda path: np.savez(
            path, image=PICTURES[::-1], image_ids=["p2", "p1"], text=TEXTS[[2, 0, 1]],
            text_ids=["t2a", "t1a", "t1b"])},
        [], {}, {"v1 i2t_R@1": 0.5, "v1 t2i_R@1": 2 / 3},
    ),
    "Karpathy": (
        TWO | {"im/p3.png": 3, "dataset.json": {"images": SPLIT}},
        [],
        {SIDES: ["p1.png|image", "p2.png|image", "t1a|text", "t1b|text", "t2a|text"],
         ("qrels.csv", "query_id item_id"): PAIRED},
        {},
    ),
    "COCO captions": (
        TWO | {"captions_val.json": COCO}, [], {("qrels.csv", "query_id item_id"): PAIRED}, {},
    ),
    "matrix": (
        TWO | {"c.csv": "caption_id,image,caption\n" + ROWS, "sims.npy": PICTURES @ TEXTS.T},
        ["--rows", "item"], {}, {"sims i2t_R@1": 0.5, "sims t2i_R@1": 2 / 3},
    ),
    "TREC": (
        {"qrels.txt": QRELS, "x.run": RUN, "topics.xml": "<top><num> Number: q1\n<title> red car\n"
         "</top><top><num>q2</num><title>van</title></top>"},
        [],
        {("queries.csv", "query_id text"): ["q1|red car", "q2|van"],
         ("qrels.csv", "query_id item_id grade"): ["q1|a|1", "q1|b|0", "q2|b|1"]},
        {"x AP@None": 0.75},
    ),
    "TREC by names of pictures": (
        {"im/a.png": 1, "im/b.png": 2, "qrels.txt": QRELS, "x.run": RUN},
        [], {("items.csv", "item_id"): ["im/a.png", "im/b.png"]}, {"x AP@None": 0.75},
    ),
    "BEIR": (
        {"corpus.jsonl": "".join(JSONL.format(name, name) for name in "abc"), "x.run": RUN,
         "queries.jsonl": "".join(JSONL.format(name, name) for name in ("q1", "q2", "q9")),
         "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n",
         "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq9\ta\t1\n"},
        [],
        {("items.csv", "item_id caption"): ["a|text a", "b|text b", "c|text c"],
         ("queries.csv", "query_id text"): ["q1|text q1", "q2|text q2"]},
        {"x AP@None": 0.75},
    ),
    "Quepid": (
        {"0.png": 1, "1.png": 2, "r.csv": "Query Text,Doc ID,Rating\nred,0,3\nred,1,\nnone,,\n"},
        [],
        {("qrels.csv", "query_id item_id grade"): ["red|0.png|3"],
         ("queries.csv", "query_id text"): ["red|red", "none|none"]},
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_format(name: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_case(CASES[name], source, capsys)
