"""Each format: files made in code, what comes out, and a value worked by hand.

Vectors of a, b (cat) and c, d (dog): d is nearer to b than to c, so P@1 is 3/4. Pictures p1 and p2,
texts of p1 and p2: t1b is nearer to p2, so i2t_R@1 is 1/2 and t2i_R@1 is 2/3. Results: a relevant
item in the second place and one in the first: AP is 3/4.
"""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.plugins.importers.sources import Case, init, make_picture, make_source


def write_groups(path: Path) -> None:
    with h5py.File(path, "w") as file:
        for name, row in zip("abcde", FIVE, strict=True):
            file[f"{name}.png/embedding"] = row if name == "a" else row[None]


NAMES = ["a", "b", "c", "d"]
VECTORS = np.array([[1, 0], [1, 0.1], [0, 1], [1, 0.9]], dtype=np.float32)
CLASSES = {"a": "cat", "b": "cat", "c": "dog", "d": "dog"}
LABELS = "id,label\n" + "".join(f"{name},{label}\n" for name, label in CLASSES.items())
CATS = {"v1 P@1": 0.75}
PICTURES = np.array([[1, 0], [0, 1]], dtype=np.float32)
TEXTS = np.array([[1, 0.1], [0.1, 1], [0.2, 1]], dtype=np.float32)
CAPTIONS = {"t1a": ("p1.png", "one a"), "t1b": ("p1.png", "one b"), "t2a": ("p2.png", "two a")}
TWO = {"im/p1.png": 1, "im/p2.png": 2}
FIVE = np.array([[1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 0.1]], dtype=np.float32)
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n"
RUN = "q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 b 1 2 x\n"
FEATURES = {"image": {"_type": "Image"}, "label": {"_type": "ClassLabel", "names": ["cat", "dog"]}}
ABOUT = {"huggingface": f'{{"info": {{"features": {FEATURES}}}}}'.replace("'", '"')}


def make_table(pictures: list[dict[str, Any]], **more: Any) -> pa.Table:
    kind = pa.list_(pa.float32(), 2)
    columns = {"image": pictures, "label": [0, 0, 1, 1], "emb": pa.array(VECTORS.tolist(), kind)}
    return pa.table(columns | more).replace_schema_metadata(ABOUT)


BY_PATH = [{"bytes": None, "path": f"/nowhere/{name}.png"} for name in NAMES]
ONE_NAME = [{"bytes": make_picture(i), "path": "1.png"} for i in range(4)]
SIDES = "items.csv", "item_id kind"
ROWS = "".join(f"{key},{file},{text}\n" for key, (file, text) in CAPTIONS.items())
JSONL = '{{"_id": "{}", "title": "", "text": "text {}"}}\n'
OF_NAMES = list(zip(NAMES, VECTORS.tolist(), strict=True))
VECTOR_ROWS = [f'{name},{CLASSES[name]},"{row}"\n' for name, row in OF_NAMES]
PAIRED = ["p1.png|t1a", "t1a|p1.png", "p1.png|t1b", "t1b|p1.png", "p2.png|t2a", "t2a|p2.png"]
LINES = ["p1.png#0", "p1.png#1", "p2.png#0"]
OF_LINES = [pair for name in LINES for pair in (f"{name[:6]}|{name}", f"{name}|{name[:6]}")]

CASES: dict[str, Case] = {
    "folders of classes": (
        {"train/cat/1.png": 1, "train/cat/2.png": 2, "train/dog/3.png": 3}, [],
        {("items.csv", "item_id class file"): [
            f"train/{n}|{n[:3]}|train/{n}" for n in ("cat/1.png", "cat/2.png", "dog/3.png")]}, {}),
    "npz with names and labels": (
        {f"{name}.png": 1 for name in NAMES} | {"v1.npz": lambda path: np.savez(
            path, embeddings=VECTORS[::-1], image_paths=[f"x/{n}.png" for n in NAMES[::-1]],
            labels=[1, 1, 0, 0], model="a name is no vector")},
        [], {("items.csv", "file labels"): ["d.png|1", "c.png|1", "b.png|0", "a.png|0"]}, CATS),
    "vectors in cells": (
        {"rows.csv": "id,label,embedding\n" + "".join(VECTOR_ROWS)}, [], {}, {"rows P@1": 0.75}),
    "Parquet with paths": (
        {"t.parquet": make_table(BY_PATH, bbox=[[0.5] * 4] * 4)},
        [], {("items.csv", "item_id label"): [f"{n}.png|{CLASSES[n]}" for n in NAMES]},
        {"t P@1": 0.75}),
    "pictures of one name": (
        {"t.parquet": make_table(ONE_NAME)},
        [], {("items.csv", "item_id"): ["1.png", "1.png#2", "1.png#3", "1.png#4"]}, {"t P@1": 0.75},
    ),
    "Flickr8k": (
        TWO | {"captions.txt": "image,caption\n" + "".join(
            f'{file},"{text}, so"\n' for file, text in CAPTIONS.values())}, [],
        {SIDES: ["p1.png|image", "p2.png|image", *(f"{each}|text" for each in LINES)],
         ("qrels.csv", "query_id item_id"): OF_LINES,
         ("queries.csv", "text"): ["", "", "one a, so", "one b, so", "two a, so"]}, {}),
    "table of captions, two arrays, a matrix": (
        TWO | {"c.csv": "sen_id,image,caption\n" + ROWS, "image_embeds.npy": PICTURES,
               "text_embeds.npy": TEXTS, "sims.npy": PICTURES @ TEXTS.T},
        ["--by-position", "--rows", "item"], {("qrels.csv", "query_id item_id"): PAIRED},
        {f"{version} {side}": value for version in ("v1", "sims")
         for side, value in (("i2t_R@1", 0.5), ("t2i_R@1", 2 / 3))}),
    "matrices with the ids of rows and columns": (
        TWO | {"c.csv": "sen_id,image,caption\n" + ROWS, "a.npy": (PICTURES @ TEXTS.T)[::-1],
               "a.rows.txt": "p2\np1\n", "a.columns.txt": "t1a\nt1b\nt2a\n",
               "b.npz": partial(np.savez, text_ids=["t2a", "t1b", "t1a"], image_ids=["p1", "p2"],
                                sims=TEXTS[::-1] @ PICTURES)}, [], {},
        {f"{version} {side}": value for version in ("a", "b_sims")
         for side, value in (("i2t_R@1", 0.5), ("t2i_R@1", 2 / 3))}),
    "ids in lists and tables whose names say so, in the order of each": (
        {"l.csv": LABELS, "image_ids.txt": "d\nc\nb\na\n", "v1/emb.npy": VECTORS[[2, 0, 1, 3]],
         "v1/metadata.jsonl": "".join(f'{{"row": 1, "path": "{name}"}}\n' for name in "cabd"),
         "v2/emb.npy": VECTORS[1:],
         "v2/meta.parquet": pa.table({"row": [1, 2, 3], "key": NAMES[1:]}),
         "v3.npy": VECTORS[::-1], "a/b_ids.txt": "a\nb\nc\nd\n"}, [], {},
        {"v1 P@1": 0.75, "v2 P@1": 1 / 3, "v3 P@1": 0.75}),
    "rows by their ids, as of YouCook2 and ActivityNet": (
        {"x.json": {"version": 1, "database": {name: {"duration": 9, "annotations": [
            {"segment": [1, 2], "sentence": f"{name} {at}"} for at in (1, 2)]} for name in "ab"}}},
        [], {("items.csv", "item_id kind caption"): ["a|video|", "b|video|", *(
            f"{name}#{at - 1}|text|{name} {at}" for name in "ab" for at in (1, 2))]}, {},
    ),
    "TREC, numbers with zeros and without": (
        {"qrels.txt": "001 0 07 1\n001 0 08 0\n002 0 08 1\n",
         "x.run.gz": gzip.compress(b"1 Q0 8 1 2 a tag\n1 Q0 7 2 1 a tag\n2 Q0 8 1 2 a tag\n"),
         "topics.xml": "<top><num> Number: 1\n<title> red car\n</top>"
         "<top><num>2</num><title>van</title></top>"}, [],
        {("queries.csv", "query_id text"): ["1|red car", "2|van"],
         ("qrels.csv", "query_id item_id grade"): ["1|07|1", "1|08|0", "2|08|1"]},
        {"x AP@None": 0.75}),
    "BEIR": (
        {"corpus.jsonl.gz": gzip.compress("".join(JSONL.format(n, n) for n in "abc").encode()),
         "x.tsv": "q1\tb\t1\nq1\ta\t2\nq2\tb\t1\n", "y.tsv": "q1\tb\t1\t9\nq1\ta\t2\t8\n",
         "queries.jsonl": "".join(JSONL.format(name, name) for name in ("q1", "q2", "q9")),
         "qrels/validation.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n",
         "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq9\ta\t1\n"}, [],
        {("items.csv", "item_id caption"): ["a|text a", "b|text b", "c|text c"],
         ("queries.csv", "query_id text"): ["q1|text q1", "q2|text q2"]},
        {"x AP@None": 0.75, "y AP@None": 0.25}),
    "Quepid": (
        {"0.png": 1, "1.png": 2, "r.csv": "Query Text,Doc ID,Rating\nred,0,3\nred,1,\nnone,,\n",
         "s.json": {"queries": [{"query": "van", "ratings": {"1": 2}}]}, "t.txt": "4 qid:7 # 0\n"},
        [], {("qrels.csv", "query_id item_id grade"): ["7|0.png|4", "red|0.png|3", "van|1.png|2"],
         ("queries.csv", "query_id text"): ["7|7", "red|red", "none|none", "van|van"]}, {}),
}  # fmt: skip

AP = {"x AP@None": 0.75}
SIGNS = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1]])
PAIRS = ["q1|a|1", "q1|b|0", "q2|b|1"]
JUDGED = {("qrels.csv", "query_id item_id grade"): PAIRS}
WIDE = pd.DataFrame(np.tile(VECTORS, 4), columns=[f"dim_{at}" for at in range(8)])
UPLOAD = "/data/upload/1/0123abcd-{}.png"
UUIDS = [f"upload/0123abcd-89ab-4cde-8fab-11223344556{at}.png" for at in range(4)]
RESULTS = {"query_id": ["q1", "q1", "q2"], "item_id": ["b", "a", "b"], "score": [2, 1, 2]}
ROWS = [[query, item, grade] for query, item, grade in (line.split("|") for line in PAIRS)]


def write_book(path: Path, **sheets: Any) -> None:
    with pd.ExcelWriter(path) as book:
        for name, columns in sheets.items():
            pd.DataFrame(columns).to_excel(book, sheet_name=name, index=False)


def list_found(keys: str, before: str = "") -> str:
    """Return a line a query: its key, those around its results, of an item and a score."""
    asked, outer, inner, item, score = keys.split()
    rows = [(q, [{item: before + i, score: 9 - at} for at, i in enumerate(own)])
            for q, own in (("q1", "ba"), ("q2", "b"))]  # fmt: skip
    found = [{asked: q, outer: {"relevance": 1, "id": 5, inner: own}} for q, own in rows]
    return "".join(f"{json.dumps(each)}\n" for each in found)


def make_disk(places: list[int]) -> pa.Table:
    pictures = [{"bytes": make_picture(at + 1), "path": None} for at in places]
    kind = pa.list_(pa.float32(), 2)
    columns = {"image": pictures, "label": [at // 2 for at in places],
               "emb": pa.array(VECTORS[places].tolist(), kind)}  # fmt: skip
    return pa.table(columns).replace_schema_metadata(ABOUT)


PICTURED = {f"im/{name}.png": at for at, name in enumerate(NAMES, 1)}
BY_NAME = {"v1.npy": VECTORS, "v1.txt": "\n".join(NAMES)}
CASES |= {
    "decimal commas": (
        {"judged.csv": "query;docid;score\n" + "".join(f"{q};{i};{g},0\n" for q, i, g in ROWS),
         "x.csv": "query_id;item_id;score\nq1;b;2,5\nq1;a;1,25\nq2;b;2,0\n"}, [], JUDGED, AP),
    "columns of a vector": (
        {"v1.csv": WIDE.assign(id=NAMES, label=CLASSES.values()).to_csv(index=False)}, [], {}, CATS,
    ),
    "objects in a row": (
        {"v1.jsonl": "".join(json.dumps({"id": at, "vector": v, "payload": {
            "file_name": f"{n}.png", "label": CLASSES[n]}}) + "\n"
            for at, (n, v) in enumerate(zip(NAMES, VECTORS.tolist(), strict=True)))} | PICTURED,
        [], {("items.csv", "file payload.label"): [f"im/{n}.png|{CLASSES[n]}" for n in NAMES]},
        CATS),
    "two sheets": (
        {"b.xlsx": partial(write_book, about={"note": ["read me"]}, items={
            "id": NAMES, "label": [*CLASSES.values()]})} | BY_NAME, [], {}, CATS),
    "numbers as ids": (
        {"i.csv": "id,label\n1.0,cat\n2.0,cat\n3.0,dog\n4.0,dog\n",
         "v1.npz": lambda path: np.savez(path, vectors=VECTORS, fid=[1, 2, 3, 4])}, [], {}, CATS),
    "splits of datasets": (
        {"split=train/data-00000-of-00001.arrow": make_disk([0, 2]),
         "split=test/data-00000-of-00001.arrow": make_disk([1, 3])}, [],
        {("items.csv", "label split"): ["cat|test", "dog|test", "cat|train", "dog|train"]}, CATS),
    "PyTerrier": (
        {"qrels.csv": "qid,docno,label\n" + "".join(f"{q},{i},{g}\n" for q, i, g in ROWS),
         "x.run": RUN, "y.csv": "qid,docid,docno,score\nq1,7,a,2\nq2,8,b,1\n"},
        [], JUDGED, AP | {"y AP@None": 1.0}),
    "tevatron": (
        {"corpus.jsonl": '{"docid": "a", "text": "x"}\n{"docid": "b", "text": "y"}\n',
         "queries.jsonl": '{"query_id": "q", "query": "red"}\n', "qrels.txt": "q 0 b 1\n",
         "rank.txt": "q\ta\t7.5\nq\tb\t7.25\n"},
        [], {("queries.csv", "query_id text"): ["q|red"]}, {"rank RR@None": 0.5}),
    "JSON of pandas by rows and by columns, captions as lists of words": (
        {"l.json": {str(at): {"file": f"im/{n}.png", "hue": "red"} for at, n in enumerate("ab")},
         "m.json": {"label": {"im/a.png": "x", "im/b.png": "y"}, "n": {"im/a.png": "1"}},
         "n.json": {"im/c.png": [["a", "red", "van", "waits"]]}} | PICTURED,
        ["--relevance", "label"], {("items.csv", "item_id label hue caption"):
         ["a.png|x|red|", "b.png|y|red|", "c.png|||a red van waits", "im/d.png|||"]}, {}),
    "BEIR in Parquet": (
        {"corpus/corpus.parquet": pa.table({"_id": ["a", "b", "c"], "text": ["x", "y", "z"]}),
         "queries/queries.parquet": pa.table({"_id": ["q1", "q2"], "text": ["red", "van"]}),
         "default/test.parquet": pa.table({"query-id": ["q1", "q1", "q2"],
                                           "corpus-id": ["a", "b", "b"], "score": [1., 0., 1.]}),
         "x.run": RUN},
        [], JUDGED | {("items.csv", "item_id"): ["a", "b", "c"],
                      ("queries.csv", "query_id text"): ["q1|red", "q2|van"]}, AP),
    "results for clips by the names of clips": (
        {"c.csv": "video,caption\nv.mp4,one\nw.mp4,two\nu.mp4,x\nu.mp4,y\n",
         "x.run": "v Q0 w 1 2 x\nv Q0 v 2 1 x\nw Q0 w 1 2 x\nz Q0 u 1 2 x\n"},
        [], {("runs/x.csv", "query_id item_id"): [
            "v.mp4#0|w.mp4", "v.mp4#0|v.mp4", "w.mp4#0|w.mp4", "z|u.mp4"]}, {"x t2i_R@1": 0.25}),
    "codes and labels of hashing models": (
        {"dsh/trn_binary.npy": SIGNS, "dsh/trn_binary.txt": "a\nb\nc",
         "dsh/tst_binary.npy": SIGNS[1:], "dsh/trn_label.npy": np.array([0, 1, 1]),
         "dsh/tst_label.npy": np.array([1, 0])},
        [], {("items.csv", "item_id labels"): ["a|0", "b|1", "c|1"]}, {"dsh P@1": 0.5}),
    "codes and labels in one file, those to train too": (
        {"csq.npz": partial(np.savez, retrieval_B=SIGNS, query_B=SIGNS[1:], trn_B=SIGNS, query_L=[
            [0, 1], [1, 0]], retrieval_L=[[1, 0], [0, 1], [0, 1]], trn_L=[[1, 0]] * 3)},
        [], {("queries.csv", "labels"): ['["label 1"]', '["label 0"]'],
             ("items.csv", "labels"): ['["label 0"]', *['["label 1"]'] * 2]}, {"csq P@1": 0.5}),
    "codes and tables of labels": (
        {"database_codes.npy": SIGNS, "database_codes.txt": "a\nb\nc", "query_codes.npy": SIGNS[1:],
         "query_codes.txt": "p\nq", "query_labels.csv": "item_id,label\np,y\nq,x\n",
         "database_labels.csv": "item_id,label\na,x\nb,y\nc,y\n"},
        [], {("items.csv", "item_id labels"): ["a|x", "b|y", "c|y"]}, {"v1 P@1": 0.5}),
    "a run called by its model": (
        {"qrels.json": {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}},
         "x.json": {"q1": {"b": 2.5, "a": 1.5}, "q2": {"b": 2.5, "a": 1}}}, [], JUDGED, AP),
    "numbers of Karpathy's pictures": (
        {"d.json": {"images": [{"filename": f"p{at}.png", "cocoid": 70 + at, "split": "test",
                                "sentences": [{"raw": f"text {at}", "sentid": at}]}
                               for at in (1, 2)]},
         "v1.npz": partial(np.savez, image=np.eye(2), text=np.eye(2)[::-1]),
         "image_ids.txt": "71\n72\n", "caption_ids.txt": "72\n71\n"},
        [], {}, {"v1 t2i_R@1": 1.0}),
    "vectors and labels alone, of which some ask": (
        {f"{name}.npz": partial(np.savez, features=VECTORS, targets=np.array(list("ccdd")),
                                is_query=[[1], [0], [0], [1]]) for name in ("v1", "v2")}, [],
        {("items.csv", "item_id targets"): ["1|c", "2|d"]}, {"v1 P@1": 0.5, "v2 P@1": 0.5}),
    "labels and vectors without ids, of two steps": (
        {f"step_{at}.jsonl": "".join(json.dumps({"label": CLASSES[n], "vector": v}) + "\n"
            for n, v in zip(NAMES, (at * VECTORS).tolist(), strict=True)) for at in (1, 2)}, [],
        {("items.csv", "item_id label"): ["0|cat", "1|cat", "2|dog", "3|dog"]},
        {f"step_{at} P@1": 0.75 for at in (1, 2)}),
    "versions by sheet and tag": (
        {"qrels/dev.txt": QRELS, "qrels/test.txt": "q3 0 a 1\n",
         "b.xlsx": partial(write_book, m1=RESULTS, m2=RESULTS),
         "all.trec": RUN + RUN.replace(" x\n", " y\n")}, [], JUDGED,
        {f"{name} AP@None": 0.75 for name in ("m1", "m2", "x", "y")}),
    "vectors of two models in one table": (
        {"t.jsonl": "".join(json.dumps({"model": m, "id": n, "label": CLASSES[n], "vector": v})
                            + "\n" for m in ("m1", "m2")
                            for n, v in zip(NAMES, VECTORS.tolist(), strict=True))}, [],
        {("items.csv", "item_id label"): [f"{n}|{CLASSES[n]}" for n in NAMES]},
        {"m1 P@1": 0.75, "m2 P@1": 0.75}),
    "ranks beside distances, judgements with a stratum": (
        {"qrels.tv": "q1 0 a 2 1\nq1 0 b 1 0\nq2 0 b 1 1\n",
         "x.csv": "query_id,item_id,rank,score\nq1,b,1,0.2\nq1,a,2,0.3\nq2,b,1,0.1\n"},
        [], JUDGED, AP),
    "names of pictures and of queries in one file, and 1.0 beside 1": (
        {"gallery.csv": "id,label\nb,1.0\nc,2.0\n", "query.csv": "image_id,label\na,1\n",
         "v1.npz": partial(np.savez, ids=np.array([[*"abc"]]).T, x=VECTORS[:3, None])}, [], {},
        {"v1 P@1": 1.0}),
    "lines of Elasticsearch's bulk": (
        {"v1.ndjson": "".join(f'{{"index": {{"_id": "{n}"}}}}\n' + json.dumps(
            {"label": CLASSES[n], "vector": v}) + "\n" for n, v in zip(
                NAMES, VECTORS.tolist(), strict=True))}, [],
        {("items.csv", "item_id"): NAMES}, CATS),
    "the part query asks the gallery": (
        {"l.csv": "id,label,split\na,cat,query\nb,cat,gallery\nc,dog,gallery\nd,dog,train\n",
         "v1.npy": VECTORS, "v1.txt": "a\nb\nc\nd\n"}, [],
        {("items.csv", "item_id"): ["b", "c"], ("queries.csv", "query_id label"): ["a|cat"]},
        {"v1 P@1": 1.0}),
    "vectors of the test part alone": (
        {f"{part}/{kind}/{at}.png": at for part, at in (("train", 1), ("test", 2), ("test", 3))
         for kind in ("cat", "dog")} | {"v1.npz": lambda path: np.savez(path, emb=VECTORS, ids=[
             f"test/{kind}/{at}.png" for kind in ("cat", "dog") for at in (2, 3)])},
        [], {("items.csv", "part"): ["test"] * 4}, CATS),
    "a file or a group for each vector, judgements by pictures": (
        {f"im/{name}.png": at for at, name in enumerate("abcde")}
        | {f"clip_features/{name}.npy": row for name, row in zip("abcde", FIVE, strict=True)}
        | {"gt.json": {"a.png": ["b.png"], "e.png": ["c.png", "d.png"]}, "v2.h5": write_groups}, [],
        {("qrels.csv", "query_id item_id"): [
            "a.png|im/b.png", "e.png|im/c.png", "e.png|im/d.png"]},
        {"clip P@1": 1.0, "v2 P@1": 1.0}),
    "names of pictures that are not there": (
        {"l.csv": "id,filename,label\n" + "".join(
            f"{at},im/{name}.jpg,{CLASSES[name]}\n" for at, name in enumerate(NAMES)),
         "v1.npy": VECTORS, "v1.txt": "a.jpg\nb.jpg\nc.jpg\nd.jpg\n"}, [],
        {("items.csv", "filename"): [f"im/{name}.jpg" for name in NAMES]}, CATS),
    "keys of sentences": (
        {"t.csv": "key,vid_key,video_id,sentence\nret0,m0,v0,one\nret1,m1,v1,two\n", "v0.mp4": b"1",
         "v1.npz": lambda path: np.savez(path, video=np.eye(2), video_ids=["v0", "v1"],
                                         text=np.eye(2), text_ids=["ret0", "ret1"])},
        [], {}, {"v1 t2i_R@1": 1.0}),
    "uploads of Label Studio": (
        {"p.json": [{"image": UPLOAD.format(n), "id": at, "annotator": 1,
                     "choice": CLASSES[n] if at % 2 else {"choices": [CLASSES[n]]}}
                    for at, n in enumerate(NAMES)]} | PICTURED | BY_NAME,
        [], {("items.csv", "file choice"): [f'im/{n}.png|["{CLASSES[n]}"]' for n in NAMES]}, CATS),
    "numbers of captions, numbered captions": (
        {"t.csv": "image| comment_number| comment\na.png| 0| one\na.png| 0| two\nb.png| 1| x\n",
         "u.csv": "image,caption_1,caption_2\nc.png,5,6\nd.png,7,8\n"} | PICTURED,
        [], {("queries.csv", "text"): [*[""] * 4, "one", "two", "x", *"5678"]}, {}),
    "a class a line": (
        {"train.txt": "im/a.jpg 12\nim/b.jpg 3\nim/c.jpg 3\n", "split.txt": "im/a.jpg 0\n",
         "test.txt": "d.JPEG\tn00000001\t0\t1\t2\t3\n"}, [],
        {("items.csv", "item_id labels"):
         ["d.JPEG|n00000001", "im/a.jpg|12", "im/b.jpg|3", "im/c.jpg|3"]}, {}),
    "vectors alone, and similarities": (
        {"i.csv": LABELS, "v1.jsonl": "".join(f'{{"embedding": {v}}}\n' for v in VECTORS.tolist()),
         "sim.npy": VECTORS @ VECTORS.T},
        ["--by-position"], {("items.csv", "item_id"): NAMES}, CATS | {"sim P@1": 0.5}),
    "models called B and L": (
        {"i.csv": LABELS} | {f"ViT-{model}.{end}": made for model in "BL"
                             for end, made in (("npy", VECTORS), ("txt", "\n".join(NAMES)))},
        [], {("items.csv", "item_id"): NAMES}, {"ViT_B P@1": 0.75, "ViT_L P@1": 0.75}),
    "shards of img2dataset": (
        {f"0000{at}/0000{at}.{end}": made for at in (0, 1)
         for end, made in (("png", at + 1), ("txt", f"text {at}\nmore {at}\n"))},
        [], {("queries.csv", "text"): ["", "", "text 0", "more 0", "text 1", "more 1"]}, {}),
    "YOLO, names in a row": (
        PICTURED | {f"labels/{n}.txt": f"{CLASSES[n] == 'dog':d} .5 .5 .1 .1\n" for n in NAMES}
        | {"data.yaml": "train: x\nnames: ['cat', 'dog']\nroboflow:\n  version: 1\n"} | BY_NAME,
        [], {("items.csv", "label"): [f'["{CLASSES[n]}"]' for n in NAMES]}, CATS),
    "classes by pictures in JSON": (
        PICTURED | {"x.json": {f"{n}.png": CLASSES[n] for n in NAMES}} | BY_NAME, [], {}, CATS),
    "results inside of queries": (
        {"qrels.csv": "query,url,rating\n" + "".join(f"{q},{i},{g}\n" for q, i, g in ROWS),
         "y.json": [{"query": q, "hits": list(own)} for q, own in (("q1", "ba"), ("q2", "b"))],
         "x.jsonl": list_found("query hits hits _id _score"),
         "solr.jsonl": list_found("q response docs id score"),
         "vespa.jsonl": list_found("query root children id relevance", "id:our:doc::")},
        [], JUDGED, AP | {f"{n} AP@None": 0.75 for n in ("y", "solr", "vespa")}),
    "columns and lists in objects, ids of queries, boxes": (
        {"v1.json": {"ids": NAMES, "embeddings": VECTORS.tolist(), "uris": None, "metadatas": [
            {"label": CLASSES[n], "box": [0.5, 1.5, 2.5]} for n in NAMES]},
         "v2.json": {"result": {"points": [{"id": n, "vector": row} for n, row in OF_NAMES]}},
         "words.csv": "id,query\nq1,red\nq2,van\n"}, ["--relevance", "metadatas.label"],
        {("queries.csv", "query_id text"): ["q1|red", "q2|van", "a|", "b|", "c|", "d|"]},
        CATS | {"v2 P@1": 0.75}),
    "lists of ids in a table, a table in JSON, clips of Kinetics, ids of several files": (
        {"t.csv": "query,false_positives,positives\nred,z,x;y\nvan,,z\n",
         "a/train.npy": VECTORS[:2], "a/test.npy": VECTORS[2:3],
         "ids.json": {"train": ["z", "y"], "test": ["x"]}, "x_000010_000020.mp4": b"1",
         "k.csv": "youtube_id,label,start,end\nx,1,10,20\ny,1,0,9\nz,2,0,9\n",
         "r.json": {"columns": ["query", "item_id", "score"], "data": [["red", "z", 3],
                                                                      ["red", "y", 2]]}},
        ["--relevance", "judgements"],
        {("items.csv", "item_id file"): ["x|x_000010_000020.mp4", "y|", "z|"],
         ("qrels.csv", "query_id item_id grade"): ["red|x|1", "red|y|1", "van|z|1"]},
        {"a RR@None": None, "r RR@None": 0.25}),
    "pairs without grades, asked by pictures in folders of VeRi": (
        {"truth.csv": "query_id,reference_id\nx,a\ny,\n", "image_query/x.png": 1,
         "image_query/y.png": 2, "image_test/a.png": 3, "image_train/b.png": 4},
        [], {("queries.csv", "query_id image"): ["x|image_query/x.png", "y|image_query/y.png"],
             ("qrels.csv", "query_id item_id grade"): ["x|image_test/a.png|1"],
             ("items.csv", "item_id"): ["image_test/a.png"]}, {}),
    "parts of clips": (
        {"t.csv": "segment_id,video,start_sec,end_sec,label\ns,v.mp4,1:05,1:10,x\nt,v.mp4,70,80,y\n"
         "u,w.mp4,1,2,x\n", "m/v.mp4": b"1", "m/w.mp4": b"2"},
        [], {("items.csv", "span_start file"): ["65|m/v.mp4", "70|m/v.mp4", "1|m/w.mp4"]}, {}),
    "titles above the header, which is like a picture, ids that come again": (
        {"t.csv": "Birds\nby;me\nim.png;sku;label\na.png;7;x\nb.png;7;x\nc.png;8;y\nd.png;8;y\n"}
        | PICTURED | BY_NAME, [],
        {("items.csv", "item_id sku"): ["a.png|7", "b.png|7", "c.png|8", "d.png|8"]}, CATS),
    "an index of pandas beside UUIDs": (
        {"t.csv": pd.DataFrame({"picture": UUIDS, "use": ["key", "target"] * 2}).to_csv()},
        ["--relevance", "use"], {("items.csv", "item_id"): [each[7:] for each in UUIDS]}, {}),
    "captions of Fashion200k, MSVD and ActivityNet": (
        {"a.txt": "im/a.png\t0.7\tred dress\n", "b.txt": "b a van\nb one van\n",
         "c.json": {"v_x": {"duration": 5, "sentences": ["1", "2"]}},
         "d.csv": 'filename,sentids,raw\nc.png,0,"[""3"", ""4""]"\n',
         "e.json": [{"videoID": "d", "enCap": ["5"]}]} | PICTURED,
        [], {("queries.csv", "text"): [*[""] * 5, "red dress", "a van", "one van", *"12345"]}, {}),
    "names with zeros beside others": (
        {"i.csv": "id,label\n7,cat\n007,cat\n8,dog\n9,dog\n", "v1.npy": VECTORS,
         "v1.txt": "x/007.jpg\nx/7.jpg\nx/8.jpg\nx/9.jpg\n"}, [], {}, CATS),
    "commas in names of folders": (
        {f"{'n0000000' if n in 'ab' else 'eel, Tinca'}/{n}.png": 1 for n in NAMES} | BY_NAME
        | {"synset_words.txt": "n0000000 tench, Tinca\nn0000001 carp\n"},
        [], {("items.csv", "class"): ['["eel, Tinca"]'] * 2 + ['["tench, Tinca"]'] * 2}, CATS),
}  # fmt: skip

LABELLED = {"i.csv": LABELS}
SAID: dict[str, tuple[dict[str, Any], str]] = {
    "a row of more labels": (
        {"database.txt": "a.jpg 1 0\nb.jpg 1 0\nc.jpg 0 1 1\nd.jpg 0 1\n"},
        "line 3: found 1 lines of another form than most; expected a path and 2 labels"),
    "bytes": (
        {"t.parquet": pa.table({"id": NAMES, "label": list("xxyy"), "emb": [b"\1\2"] * 4})},
        "a column emb of bytes that are no pictures"),
    "rows without a header": (
        LABELLED | {"t.csv": "a,photo\nb.png,clip\n", "a.png": 1, "b.png": 2}, "the column 'a'"),
    "folders that number files": (
        {f"im/{n[:2]}/{n}.png": 1 for n in ("010", "011", "020", "021")}, "nothing decides it"),
    "cut vectors": (
        {"t.csv": 'id,label,emb\na,x,"[0.1 0.2 ... 0.3]"\nb,x,"[0.1 0.2 ... 0.3]"\nc,y,\n'},
        "cells in the column emb that are no vectors as pandas cuts them"),
    "two pictures": ({"t.parquet": make_table(ONE_NAME, edited=ONE_NAME)}, "pictures (edited)"),
    "captions of a model": (
        LABELLED | {"results.json": [{"image_id": 1, "caption": "a"}]}, "found a model's captions"),
    "labels in another order": (
        {f"{at}.npz": partial(np.savez, features=VECTORS, label=[0, 1, at, 0]) for at in (0, 1)},
        "the labels in another order than before"),
    "texts alone": (
        {"c.csv": "image,caption\np1.png,one\np2.png,two\n", "v1.npz": lambda path: np.savez(
            path, image=np.eye(2), image_ids=["y", "z"], text=np.eye(2), text_ids=["one", "two"])},
        "vectors of texts and none of items for the version v1"),
    "tracks": (
        LABELLED | {"a.xml": "<annotations><track id='0' label='cat'/></annotations>"},
        "tracks of a clip"),
    "spans": (
        {"samples.json": {"samples": [{"filepath": f"{n}.mp4", "x": {"detections": [
            {"label": CLASSES[n], "support": [1, 20]}]}} for n in NAMES]}},
        "4 clips with labels of a part"),
    "swelling gzip": (LABELLED | {"x.csv.gz": gzip.compress(bytes(10**6))}, "bytes inside"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_said(name: str, source: Path) -> None:
    files, said = SAID[name]
    made = init(make_source(source, files))
    assert made.code == 0
    assert said in made.said


def test_columns_that_come_later(source: Path) -> None:
    """Rows of a later block may have other columns."""
    rows = [{"id": at, "image": f"{at}.png"} if at < 16_384 else {"id": at} for at in range(16_390)]
    text = "".join(json.dumps(row | {"label": f"x{row['id'] % 2}"}) + "\n" for row in rows)
    made = init(make_source(source, {"t.jsonl": text}))
    assert made.code == 0, made.said
    assert len(made.read("items.csv", "item_id")) == 16_390
