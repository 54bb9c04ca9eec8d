"""Annotations, archives, indexes, benchmarks: what comes out of each, and a value worked by hand.

The worlds are those of test_formats: P@1 of the classes is 3/4, AP of the results 3/4.
"""

import io
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dashboard.__main__ import main
from tests.plugins.importers.sources import (
    Case,
    check_case,
    init,
    make_picture,
    make_source,
    write_tar,
)
from tests.plugins.importers.test_formats import CASES as OTHERS
from tests.plugins.importers.test_formats import (
    CATS,
    CLASSES,
    LABELS,
    PICTURES,
    RUN,
    TEXTS,
    VECTORS,
)

ABC = {"a.png": 1, "b.png": 2, "c.png": 3}
FOUND = ['a.png|["cat"]', 'b.png|["cat", "dog"]', "c.png|"]
COCO = {
    "images": [
        {"id": 1, "file_name": "a.png"},
        {"id": 2, "coco_url": "http://x.org/im/b.png"},
        {"id": 3, "file_name": "c.png"},
    ],
    "annotations": [
        {"image_id": 1, "category_id": 7},
        {"image_id": 2, "category_id": 8},
        {"image_id": 2, "segments_info": [{"id": at, "category_id": at} for at in (7, 9, 7)]},
    ],
    "categories": [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}],
}
SETS = {"a.png": [["cat"]], "b.png": [["cat", "dog"], ["dog"]], "c.png": []}
TASKS = [
    {"id": 1, "data": {"image": f"/data/upload/1/01234567-{name}"}, "annotations": [
        {"completed_by": "x@y.org", "result": [{"value": {key: own, "text": ["good"]}}]}
        for key, own in zip(("choices", "rectanglelabels"), sets, strict=False)]}
    for name, sets in SETS.items()
]  # fmt: skip
SAMPLES = {"samples": [
    {"filepath": name, "tags": ["val"], "truth": {"label": label}, "dino_emb": [len(label), 0.5]}
    for name, label in (("a.png", "cat"), ("b.png", "cat"), ("c.png", "dog"))
]}  # fmt: skip
CVAT = """<annotations><image name="a.png"><box label="cat">
<attribute name="hue">red</attribute></box></image><image name="b.png"><box label="cat"/>
<polygon label="dog"/></image><image name="c.png"/><image name="b.png"/></annotations>"""
VOC = "<annotation><filename>{}.png</filename><source><image/></source>{}</annotation>"
OBJECT = "<object><name>{}</name></object>"
ENTITY = '<!DOCTYPE x [<!ENTITY y "z">]><annotations><image name="a.png"/>&y;</annotations>'
CIRR = [{"pairid": 12, "reference": "a", "target_hard": "b", "caption": "is blue",
         "target_soft": {"b": 1.0, "c": -1.0}}]  # fmt: skip
FASHION = [{"candidate": "a", "target": "b", "captions": ["is blue", "has dots"]}]
CODES = np.array([[1, 1, -1], [1, -1, -1], [-1, -1, 1]], dtype=np.float32)
VIDEOS = {"videos": [{"video_id": f"video{at}", "split": split} for at, split in
                     enumerate(("test", "test", "train"))],
          "sentences": [{"video_id": f"video{video}", "caption": f"text {at}", "sen_id": at}
                        for at, video in enumerate((0, 0, 1, 2), 10)]}  # fmt: skip


def save_array(row: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, row)
    return file.getvalue()


def write_index(path: Path) -> None:
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(2), 2, 2)
    index.train(VECTORS)
    index.add_with_ids(VECTORS[::-1].copy(), np.array([40, 30, 20, 10]))
    faiss.write_index(index, str(path))


def write_hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["train"], file["test"] = VECTORS, np.array([[0, 1], [1, 0.1]], dtype=np.float32)
        file["neighbors"] = np.array([[2, -1], [0, -1]])
        file.attrs["distance"] = "euclidean"


BITS = np.array([[int(bit) for bit in word] for word in
                 ("11110000", "11000000", "11111110", "00001111")], dtype=np.uint8)  # fmt: skip
"""By bits that differ a is nearest to b, by the cosine of 0 and 1 to c; c to a, d to c."""
MATRIX = np.eye(8)[[0, *range(8)]] + 0.25
TEXT_IDS = [*"01234567", "NA"]
CODED = {"l.csv": LABELS, "v1.txt": "a\nb\nc\nd\n"}
NUMBERED = "id,label,shelf\n1,cat,10\n2,cat,20\n3,dog,30\n4,dog,40\n"
SHARD = {f"{n}.jpg": make_picture(at) for at, n in enumerate("abcd")}
SHARD |= {f"{n}.kind.cls": b"01"[at // 2 :][:1] for at, n in enumerate("abcd")}
SHARD |= {f"{n}.v1.npy": save_array(VECTORS[at]) for at, n in enumerate("abcd")}
NAMED = partial(np.savez, ids=[*"abcd"], x=VECTORS)
CASES: dict[str, Case] = {
    "COCO": (
        ABC | {"x.json": COCO | {"annotations": [{"x": "x" * 70_000}, *COCO["annotations"]]},
               "v1.npz": partial(np.savez, ids=[3, 2, 1], emb=VECTORS[2::-1])},
        [], {("items.csv", "file label"): FOUND}, {"v1 P@1": 1.0}),
    "FiftyOne classes and samples": (
        ABC | {"labels.json": {"classes": ["cat", "dog"], "labels": {"a": 1, "b": 1, "c": 0}},
               "samples.json": SAMPLES}, ["--relevance", "truth"],
        {("items.csv", "label"): ['["dog"]', '["dog"]', '["cat"]'],
         ("models/dino/items.txt", "a"): ["b", "c"],
         ("items.csv", "file truth"): ['a.png|["cat"]', 'b.png|["cat"]', 'c.png|["dog"]']}, {}),
    "numbers and names of classes": (
        {"x.csv": "id,label,kind_name,class_name\na,0,x,cat\nb,1,x,dog\nc,0,y,cat\n"}, [],
        {("items.csv", "label class_name"): ["0|cat", "1|dog", "0|cat"]}, {}),
    "Label Studio": (ABC | {"x.json": TASKS}, [], {("items.csv", "file label"): FOUND}, {}),
    "Label Studio, a column a control; files keep their prefix": (
        {"img/01234567-a.png": 1, "img/01234567-b.png": 2, "x.json": [
            {"data": {"image": f"/data/upload/3/01234567-{name}.png"}, "annotations": [{"result": [
                {"from_name": "weather", "value": {"choices": [weather]}},
                {"from_name": "hour", "value": {"choices": ["day"]}}]}]}
            for name, weather in (("a", "rain"), ("b", "sun"))]},
        ["--relevance", "weather"], {("items.csv", "file weather hour"):
         [f'img/01234567-{n}.png|["{w}"]|["day"]' for n, w in (("a", "rain"), ("b", "sun"))]}, {}),
    "Label Studio's judgements of pictures, short and whole": (
        ABC | {"x.json": [{"id": 7, "query": "red", "image": "/data/local-files/?d=source/a.png",
                           "relevance": "relevant"}],
               "w.json": [{"query": "red", "image": "c.png", "rel": [{"rating": 2}]}],
               "z.csv": 'image,query,rel\nx/0123abcd__c.png,blue,"[{""rating"":3}]"\n',
               "y.json": [{"data": {"query": "red", "image": "/data/upload/1/01234567-b.png"},
                           "annotations": [{"result": [{"value": {"rating": 4}}]}]}]},
        [], {("qrels.csv", "query_id item_id grade"):
             ["red|b.png|4", "red|c.png|2", "red|a.png|1", "blue|c.png|3"],
             ("runs/w.csv", "item_id"): []}, {}),
    "parts of the data in names of folders, a control called kind": (
        {"W_train/1-cat/a.png": 1, "W_val/2-dog/b.png": 2, "W_val/1-cat/c.png": 3, "x.json": [
            {"data": {"image": "a.png"}, "annotations": [
                {"result": [{"from_name": "kind", "value": {"choices": ["one"]}}]}]}]},
        ["--relevance", "class"], {("items.csv", "class source_kind"):
                                   ['1-cat|["one"]', "1-cat|", "2-dog|"]}, {}),
    "OpenImages, boxes in rows, Label Studio's regions": (
        ABC | {"d.png": 4, "x.csv": 'image,label\nd.png,"[{""x"": 1, ""choices"": [""Elk""]}]"',
               "class-descriptions.csv": "/m/1,Cat\n/m/2,Dog\n",
               "v.csv": "ImageID,Source,LabelName,Confidence\n"
               "a,x,/m/1,1\na,x,/m/2,0\nb,x,/m/1,1\nb,x,/m/2,1\n",
               "w.csv": "filename,label,xmin,ymin\nc.png,Dog,0,0\nc.png,0,1,1\n"},
        [], {("items.csv", "file label"):
             ['a.png|["Cat"]', 'b.png|["Cat", "Dog"]', 'c.png|["Dog", "0"]', 'd.png|["Elk"]']},
        {}),
    "objects in lists, as of Visual Genome": (
        {f"{n}.png": 1 for n in "bc"} | {
            "t.parquet": pa.table({"image": ["b.png", "c.png"], "objects": [
                [{"names": ["cat"], "x": 1}, {"names": ["dog"]}], [{"names": ["dog"]}]]})},
        [], {("items.csv", "file objects.names"):
             ['b.png|["cat", "dog"]', 'c.png|["dog"]']}, {}),
    "Prodigy": (
        {f"{n}.png": 1 for n in "cde"} | {"z.jsonl": "\n".join(
            f'{{"image": "{n}.png", "options": [{{"id": "x"}}], "accept": ["fox {n}"], '
            f'"answer": "{word}", "_input_hash": 1}}' for n, word in zip(
                "cde", ("accept", "accept", "reject"), strict=True))},
        ["--relevance", "none"],
        {("items.csv", "file label"): ['c.png|["fox c"]', 'd.png|["fox d"]', "e.png|"]}, {}),
    "ratings of OpenSearch and Elasticsearch": (
        {"a.json": {"judged": [{"query": "q", "ratings": [{"docId": "a", "rating": "3"}]}]},
         "b.json": {"requests": [{"id": "r", "request": 1,
                                   "ratings": [{"_id": "b", "rating": 2}]}]},
         "c.json": {"details": {n: {"hits": [{"hit": {"_id": n}, "rating": 1}]} for n in "ab"}}},
        [], {("qrels.csv", "query_id item_id grade"):
             ["q|a|3", "r|b|2", "a|a|1", "b|b|1"],
             ("runs/c.csv", "query_id item_id"): ["a|a", "b|b"],
             ("runs/a.csv", "item_id"): []}, {}),
    "objects in cells, outlines, and vectors of frames": (
        {"t.parquet": pa.table({"id": list("abcd"), "polygon": [[0.5] * 8] * 4,
                                "frames": [[[0.5] * 8] * at for at in (1, 2, 1, 1)],
                                "meta": [f'{{"label": "{own}"}}' for own in "xxyy"]})},
        [], {("items.csv", "meta.label"): list("xxyy"), ("items.csv", "polygon"):
             [str([0.5] * 8)] * 4, ("models/t_frames/items.txt", "a"): []}, {}),
    "a column a class": (
        ABC | {"t.csv": "filename, cat, dog, cow\na.png, 1, 0, 0\n"
               "b.png, True, 1, 1\nc.png, 0, -1, 0\n"},
        [], {("items.csv", "file classes"): [FOUND[0], 'b.png|["cat", "dog", "cow"]', FOUND[2]]},
        {}),
    "Flickr8k and Flickr30k": (
        ABC | {"Flickr8k.token.txt": "a.png#0\tred car\na.png#1\tan old car\n",
               "Flickr8k.lemma.token.txt": "a.png#0\tred car be\n", "r.token": "b.png#0\ta van\n",
               "ExpertAnnotations.txt": "a.png  b.png#2\t1\t1\t1\na.png  a.png#0\t1\t1\t2\n",
               "CrowdFlowerAnnotations.txt": "a.png\ta.png#0\t1\t3\t0\n"},
        [], {("queries.csv", "query_id text"):
             ["a.png|", "b.png|", "a.png#0|red car", "a.png#1|an old car", "b.png#0|a van"]}, {}),
    "img2dataset, compressed": (
        {"0.tar.gz": write_tar({"00.i.png": make_picture(1), "00.text.txt": b"red\nrot",
                                "b.caption": b"two"}, "w:gz"),
         "0.parquet": pa.table({"key": ["00"], "url": ["http://x.org/00.jpg"]})},
        [], {("items.csv", "file"): ["0.png", "", "", "", ""],
             ("queries.csv", "text"): ["", "", "red", "rot", "two"]}, {}),
    "clip-retrieval": (
        {f"{side}_emb/{side}_emb_{at}.npy": VECTORS[2 * at : 2 * at + 2] for at in (0, 1)
         for side in ("img", "text")} | {f"metadata/metadata_{at}.parquet": pa.table(
             {"id": list("abcd"[2 * at :][:2]), "caption": list("wx")}) for at in (0, 1)},
        ["--by-position", "--relevance", "captions"], {}, {"v1 t2i_R@1": 1.0}),
    "vectors by names of files": (
        CODED | {"v2.parquet": pa.table({"image_path": [f"x/{n}.jpg" for n in "abcd"],
                                         "emb": VECTORS.tolist()})},
        [], {("items.csv", "item_id"): list("abcd")}, {"v2 P@1": 0.75}),
    "CVAT and VOC": (
        ABC | {"d.png": 4, "e.png": 5, "z.xml": CVAT} | {
            f"Annotations/{n}.xml": VOC.format(n, "".join(map(OBJECT.format, own)))
            for n, own in (("d", ["cat", "dog"]), ("e", []))},
        [], {("items.csv", "file label hue"):
             ['d.png|["cat", "dog"]|', "e.png||", 'a.png|["cat"]|["red"]',
              'b.png|["cat", "dog"]|', "c.png||"]}, {}),
    "YOLO": (
        {"images/a.png": 1, "images/b.png": 2, "labels/a.txt": "0 .5 .5 .1 .1\n",
         "labels/b.txt": "0 .5 .5 .1 .1\n1 .5 .5 .1 .1\n", "train.txt": "images/a.png\n",
         "data.yaml": "nc: 2\nnames:\n  0: cat\n  1: dog\n"}, [],
        {("items.csv", "file label"): ['images/a.png|["cat"]', 'images/b.png|["cat", "dog"]']}, {}),
    "WebDataset": (
        {"0.tar": write_tar(dict(sorted(SHARD.items())) | {"../e.jpg": b"x"}),
         "classnames.txt": "cat\ndog\n"},
        [], {("items.csv", "item_id cls"): [f'{n}|["{CLASSES[n]}"]' for n in CLASSES]}, CATS),
    "FAISS with lists": ({"l.csv": NUMBERED, "v1.faiss": write_index, "im/001.png": 1}, [],
                         {("items.csv", "file"): ["im/001.png", "", "", ""]}, CATS),
    "AudioSet, an id in two shards and of other models": (
        {"eval.csv": "# made\n# n=4, m=2\n# YTID, start_seconds, end_seconds, positive_labels\n"
         'a, 0, 10, "/m/1,/m/2"\nb, 0, 10, "/m/1"\nc, 0, 10, "/m/3"\nd, 30, 40, "/m/3"\n',
         **{f"v1/emb_{at + 1}.npz": partial(np.savez, ids=list("abcd"[at : at + 3]),
                                        emb=VECTORS[at : at + 3]) for at in (0, 2)},
         **{f"{name}.npz": partial(np.savez, ids=list("abc"[at:]), emb=VECTORS[: 3 - at])
            for name, at in (("m_1", 0), ("m_2", 2), ("n/w", 0), ("o/w", 1))}},
        [], {("items.csv", "item_id span_start"): ["a|0", "b|0", "c|0", "d|30"]},
        CATS | {"m_1 P@1": 2 / 3, "m_2 P@1": 0, "n_w P@1": 2 / 3, "o_w P@1": 0}),
    "ids in a table beside, and in lines with a header; the form of an answer": (
        {"l.csv": LABELS, "v1.npy": VECTORS[::-1], "v1.csv": "n,filename\n4,d\n3,c\n2,b\n1,a\n",
         "x/v2.npy": VECTORS[::-1], "x/ids.tsv": "item_id\nd\nc\nb\na\n",
         "v3.npy": VECTORS[::-1], "v3.json": dict(zip("abcd", (3, 2, 1, 0), strict=True)),
         "sample_submission.csv": "id,label\na,dog\n"},
        [], {("items.csv", "item_id"): list("abcd")}, CATS | {"v2 P@1": 0.75, "v3 P@1": 0.75}),
    "codes of 0 and 1": (CODED | {"v1.npy": BITS.astype(np.float32)}, [], {}, CATS),
    "packed codes": (
        CODED | {"v1.npy": np.packbits(BITS, axis=1)}, ["--codes", "packed"], {}, CATS),
    "no codes": (CODED | {"v1.npy": BITS}, ["--codes", "none"], {}, {"v1 P@1": 0.5}),
    "Stanford Online Products": (
        {f"bicycle_final/{n}_0.JPG": at for at, n in enumerate(CLASSES, 1)} | {
            "Ebay_test.txt": "image_id class_id super_class_id path\n" + "".join(
                f"{at} {CLASSES[n] == 'dog':d} 1 bicycle_final/{n}_0.JPG\n"
                for at, n in enumerate("abcd", 1)),
            "Ebay_train.txt": "image_id class_id super_class_id path\n9 9 1 bicycle_final/z.JPG\n",
            "v1.npy": VECTORS},
        ["--by-position"], {("items.csv", "class"): list("0011")}, CATS),
    "In-shop": (
        {f"img/{n}.jpg": at for at, n in enumerate("abcqt", 1)} | {
            "Eval/list_eval_partition.txt":
                "5\nimage_name item_id evaluation_status\nimg/a.jpg    id_1   gallery\n"
                "img/b.jpg id_2 gallery\nimg/q.jpg id_1 query\nimg/t.jpg id_3 train\n",
            "v1_items.npy": VECTORS[[0, 2]], "v1_query.npy": VECTORS[:1]},
        ["--by-position"], {("items.csv", "item_id class"): ["img/a.jpg|id_1", "img/b.jpg|id_2"],
         ("queries.csv", "query_id class"): ["img/q.jpg|id_1"]}, {"v1 P@1": 1.0}),
    "snapshots of Quepid": (
        {"ratings.csv": "query,docid,rating\nq1,a,1\nq1,b,0\nq2,b,1\n", "s.csv":
         "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n" + "".join(
             f"(3/5/26) {name},2026-03-05T12:00:00Z,8,{row},x\n" for name, row in (
                 ("new", "q1,b,1"), ("new", "q1,a,2"), ("new", "q2,b,1"), ("old", "q1,a,1")))},
        [], {}, {"3_5_26_new AP@None": 0.75, "3_5_26_old AP@None": 0.5}),
    "ann-benchmarks": (
        {"x.hdf5": write_hdf5}, [],
        {("qrels.csv", "query_id item_id"): ["test 0|train 2", "test 1|train 0"]},
        {"v1 RR@None": 0.75}),
    "MSR-VTT": (
        {"videos.json": VIDEOS}, [],
        {("items.csv", "item_id kind"): ["video0|video", "video1|video", "10|text",
                                           "11|text", "12|text"]}, {}),
    "MSR-VTT beside its test list": (
        {"videos.json": VIDEOS,
         "test.csv": "key,vid_key,video_id,sentence\nr0,m0,video0,text 10\nr1,m1,video1,text 12\n"},
        ["--judgements", "test.csv"], {("qrels.csv", "query_id item_id"):
                                       ["video0|r0", "r0|video0", "video1|r1", "r1|video1"]}, {}),
    "ESCI": (
        {"x.csv": "example_id,query,query_id,product_id,esci_label,split\n1,red car,q1,a,E,test\n"
                  "2,red car,q1,b,I,test\n3,van,q2,b,S,test\n4,elk,q9,b,E,train\n",
         "x.run": RUN}, [],
        {("qrels.csv", "query_id item_id grade"): ["q1|a|3", "q1|b|0", "q2|b|2"],
         ("queries.csv", "query_id text"): ["q1|red car", "q2|van"]},
        {"x AP@None": 0.75}),
    "lists of captions and of their ids, or texts by the numbers of captions": (
        {"t.parquet": pa.table({"filename": ["x.png", "y.png"], "caption": [["1", "2"], ["3", "4"]],
                                "sentids": [[5, 6], [7, 8]]}), "x.png": 1, "y.png": 2} | {
            f"{name}.npz": partial(np.savez, image=np.eye(2), image_ids=["x", "y"], text_ids=ids,
                                   text=np.eye(2)[[0, 0, 1, 1]])
            for name, ids in (("a", [5, 6, 7, 8]), ("b", ["x#1", "x#2", "y#1", "y#2"]))},
        [], {}, {"a t2i_R@1": 1.0, "b t2i_R@1": 1.0}),
    "texts by numbers from 1 on": (
        {"c.csv": "image,caption\na,1\na,2\nb,3\nb,4\n", "v1.npz": partial(
            np.savez, image=np.eye(2), image_ids=["a", "b"], text=np.eye(2)[[0, 1, 1, 1]],
            text_ids=["a#01", "a#02", "b#01", "b#02"])}, [], {}, {"v1 t2i_R@1": 0.75}),
    "CIRCO, whose gallery a list of COCO names": (
        {"val.json": [{"id": 0, "reference_img_id": 1, "relative_caption": "x", "gt_img_ids": [2]}],
         "image_info.json": {"info": {}, "images": [
             {"id": at, "file_name": f"00{at}.jpg"} for at in (1, 2, 3)]},
         "v1.npz": lambda path: np.savez(path, np.eye(3), ids=["001.jpg", "002.jpg", "003.jpg"])},
        [], {("items.csv", "item_id"): ["001.jpg", "002.jpg", "003.jpg"],
             ("queries.csv", "item_id"): ["001.jpg"]}, {}),
    "CIRCO, whose gallery vectors name": (
        {"val.json": [{"id": 0, "reference_img_id": 1, "relative_caption": "x", "gt_img_ids": [2]}],
         "v1.npz": lambda path: np.savez(path, np.eye(3), ids=["1", "2", "3"])},
        [], {("items.csv", "item_id"): ["1", "2", "3"]}, {}),
    "similarities of the items, beside boxes; vectors and classes in JSON": (
        {"labels.json": CLASSES, "v1_emb.json": dict(zip(CLASSES, VECTORS.tolist(), strict=True)),
         "m.npz": partial(np.savez, sims=VECTORS @ VECTORS.T, names=[*CLASSES], bbox=np.eye(4)),
         "model=d/x.npz": partial(np.savez, dist=9 - VECTORS @ VECTORS.T, names=[*CLASSES])},
        [], {}, CATS | {"m_sims P@1": 0.5, "d P@1": 0.5}),
    "one list of ids for pairs, of numbers that captions have, too": (
        {"c.csv": "image_id,caption_id,caption\n1,2,one\n2,1,two\n2,3,six\n",
         "v1.npz": partial(np.savez, image=PICTURES, image_ids=[1, 2], text=TEXTS,
                           caption_ids=[2, 1, 3])}, [], {}, {"v1 t2i_R@1": 1.0}),
    "FashionIQ": (
        ABC | {"captions/cap.dress.val.json": FASHION, "captions/cap.shirt.train.json": FASHION,
               "image_splits/split.dress.val.json": ["a", "b"],
               "v1.json": [FASHION[0] | {"ranking": ["a", "b"]}],
               "w.npz": partial(np.savez, index=PICTURES, index_names=["a", "b"],
                                predicted=TEXTS[1:2], target_names=["b"])}, ["--by-position"],
        {("items.csv", "item_id file"): ["a|a.png", "b|b.png"],
         ("queries.csv", "query_id text item_id"): ["0|is blue and has dots|a"],
         ("qrels.csv", "query_id item_id grade"): ["0|b|1"]},
        {"v1 RR@None": 1.0, "w RR@None": 1.0}),
    "CIRR": (
        ABC | {"cap.rc2.val.json": CIRR, "split.rc2.val.json": {n: f"./{n}.png" for n in "abc"},
               "cap.ext.rc2.val.json": CIRR, "v1.json": {"version": "rc2", "12": ["c", "b"]}},
        [], {("qrels.csv", "query_id item_id grade"): ["12|c|0", "12|b|1"]}, {"v1 RR@None": 0.5}),
    "labels beside vectors of two models, and an array that is none": (
        {"v1_features.npy": VECTORS, "v2_features.npy": VECTORS[:, ::-1], "tsne.npy": np.eye(2),
         "labels.npy": np.array([0, 0, 1, 1])}, [],
        {("items.csv", "item_id labels"): ["0|0", "1|0", "2|1", "3|1"]},
        {"v1 P@1": 0.75, "v2 P@1": 0.75}),
    "query and gallery with their classes": (
        {"v1.npz": partial(np.savez, qf=VECTORS[:1], q_labels=[[5]],
                           gf=VECTORS[1:], g_labels=[[5], [6], [5]]),
         "w_query_x.npy": VECTORS[:1], "w_query_labels.npy": np.eye(2)[:1],
         "w_gallery_x.npy": VECTORS[1:], "w_gallery_labels.npy": np.eye(2)[[0, 1, 0]]}, [],
        {("queries.csv", "labels"): ["5", '["label 0"]']}, {"v1 AP@None": 1.0, "w AP@None": 1.0}),
    "query and reference in files with their classes": (
        {f"{side}.npz": partial(np.savez, descriptors=own, labels=labels) for side, own, labels in (
            ("query", VECTORS[:1], [5]), ("reference", VECTORS[1:], [5, 6, 5]))},
        [], {}, {"v1 AP@None": 1.0}),
    "similarities with ids beside, distances in a table": (
        {"c.csv": "image,caption_id,caption\na,0,a\n" + "".join(
            f"{n},{TEXT_IDS[at]},text {at}\n" for at, n in enumerate("abcdefgh", 1)),
         "dist/encoder_sims.npy": MATRIX[::-1], "dist/image_ids.txt": "\n".join("abcdefgh"),
         "dist/caption_ids.txt": "\n".join(TEXT_IDS[::-1]),
         "w_dist.csv": partial(pd.DataFrame(2 - MATRIX.T, [*"abcdefgh"], TEXT_IDS).to_csv,
                               encoding="utf-16")},
        [], {}, {"encoder_sims t2i_R@1": 1.0, "w_dist t2i_R@1": 1.0}),
    "lists of what is relevant, and of results": (
        {"ground_truth.csv": "query,ids\nq1,a;c\nq2,b\nq3,\n", "x.run": RUN,
         "r.json": {"q1": ["a", "c"], "q2": ["b", "a"]}}, [],
        {("queries.csv", "query_id"): ["q1", "q2", "q3"]}, {"x AP@None": 0.625, "r AP@None": 1.0}),
    "probes and a gallery in groups, as many of both": (
        {"v1.npz": partial(np.savez, **{
            f"{side}/{key}": own[at : at + 2] for side, at in (("probe", 0), ("gallery", 2))
            for key, own in (("x", VECTORS), ("labels", [5, 6, 6, 5]), ("paths", [*"abcd"]))})},
        [], {("queries.csv", "query_id labels"): ["a|5", "b|6"]}, {"v1 P@1": 0.5}),
    "codes of two models beside the labels of both": (
        {"database_labels.npy": np.eye(2)[[0, 0, 1, 1]]} | dict.fromkeys(
            ("a_database_codes.npy", "b_database_codes.npy"), np.sign(VECTORS - 0.5)),
        [], {("items.csv", "item_id"): [f"database_labels {at}" for at in range(4)]}, {}),
    "folders of clip-retrieval": (
        {"c.csv": "image,caption\np1.png,one\np2.png,two\n"} | {
            f"{name}/x/{side}_emb/{side}_emb_0.{ending}": own
            for name, step in (("a", 1), ("b", -1))
            for side, rows in (("img", PICTURES[::step]), ("text", PICTURES * (2 - step)))
            for ending, own in (("npy", rows), ("txt", "p1\np2\n"))},
        [], {}, {"a t2i_R@1": 1.0, "b t2i_R@1": 0.0}),
    "paths that folders tell apart, under any title; e has no vector": (
        {"x.csv": "Bild;label\n" + "".join(f"./im/{n}/0.jpg;{own}\n" for n, own in
                                           [*CLASSES.items(), ("e", "cat")]),
         "v1.npz": partial(np.savez, ids=[f"{n}/0" for n in "abcd"], x=VECTORS)}, [],
        {("items.csv", "item_id"): [f"{n}/0.jpg" for n in "abcd"]}, {"v1 P@1": 0.75}),
    "no header": (
        {"x.csv": "".join(f"{n}.jpg,{own}\n" for n, own in CLASSES.items()),
         "v1.npy": VECTORS, "v1.txt": "a\nb\nc\nd\n"}, [], {}, CATS),
    "queries called as items; numbers are not": (
        {"qrels.txt": "a 0 b 1\nb 0 1 1\n1 0 a 1\n",
         "v1.npz": partial(np.savez, ids=[*"ab1"], x=VECTORS[:3])}, [],
        {("queries.csv", "query_id item_id"): ["a|a", "b|b", "1|"]}, {}),
    "judgements of two parts, both run": (
        {"qrels.dev.txt": "q1 0 b 1\n", "qrels.test.txt": "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n",
         "x.run": RUN}, [], {}, {"x AP@None": 0.75}),
    "tables of query and gallery, in whose columns nothing says so": (
        {"query.csv": "file,label\na,1\nb,2\n", "gallery.csv": "file,label\nb,2\nc,1\nd,1\n",
         "v1.npz": NAMED}, [], {("queries.csv", "query_id item_id"): ["b|b", "a|"]},
        {"v1 P@2": 0.5}),
    "query and reference in a column of any title, which e has not": (
        {"x.csv": "id,label,use\na,1,query\nb,2,reference\nc,1,reference\nd,1,train\n",
         "z.csv": "id,label\ne,2\n", "v1.npz": NAMED}, [],
        {("queries.csv", "query_id"): ["a"]}, {"v1 P@2": 0.5}),
    "vectors of classes in the order of a list": (
        {"classes.txt": "dog\ncat\n", "val.csv": "a.png 1\nb.png 1\nc.png 0\nd.png 0\n",
         "image.npy": VECTORS, "text.npy": VECTORS[[3, 0]]},
        ["--by-position", "--queries-from", "keywords"],
        {("queries.csv", "query_id"): ["dog", "cat"]}, {"v1 P@1": 1.0}),
    "a list of judgements in JSON": (
        {"judgements.json": [{"query": "q1", "results": [{"id": "a", "rating": 1}, {
            "id": "b", "rating": 0}]}, {"query": "q2", "results": [{"id": "b", "rating": 1}]}],
         "x.run": RUN}, [], {}, {"x AP@None": 0.75}),
    "descriptions in lines, ids of each array by its length": (
        {"all_descriptions.txt": "v1_0 one cat runs\nv1_0 a cat sat\nv2_0 two dogs sit\n",
         "video.npz": partial(np.savez, video_ids=["v1_0", "v2_0"], vid=PICTURES, cap=TEXTS,
                           sen_ids=["v1_0#0", "v1_0#1", "v2_0#0"])}, [], {},
        {"v1 i2t_R@1": 0.5, "v1 t2i_R@1": 2 / 3}),
    "hashing": (
        {"database.txt": "im/a.jpg 1 0\nim/b.jpg 1 1\nim/c.jpg 0 1\n", "test.txt": "im/q.jpg 1 0\n",
         "x-trn_v1.npy": CODES, "x-tst_v1.npy": CODES[:1], "x-trn_label.npy": CODES},
        ["--by-position"],
        {("items.csv", "labels"): ['["label 0"]', '["label 0", "label 1"]', '["label 1"]']},
        {"v1 P@1": 1.0}),
    "codes beside DeepHash's lists": (
        {"database.txt": "a.jpg 1 0 0\nb.jpg 0 1 0\nc.jpg 0 1 0\n", "test.txt": "q.jpg 1 0 0\n",
         "train.txt": "a.jpg 1 0 0\n", "database_b.npy": CODES, "test_b.npy": CODES[1:2]},
        ["--by-position"], {}, {"b AP@None": 0.5}),
    "context study": (
        {"relevance.csv": "query_id,item_id,relevance\nq1,a,100\nq1,a,50\nq1,b,0\n"}, [],
        {("relevance.csv", "relevance"): ["100", "50", "0"], ("items.csv", "item_id"): ["a", "b"]},
        {}),
}  # fmt: skip


def test_pictures_of_queries(source: Path) -> None:
    """A picture that asks and is no item is shown, too."""
    files, options, _, _ = CASES["In-shop"]
    made = init(make_source(source, files), *options)
    assert {each.name for each in made.folder.rglob("*.jpg")} == {"a.jpg", "b.jpg", "q.jpg"}


@pytest.mark.parametrize(
    ("files", "told"), [
        ({"reid.json": [{"id": at // 2, "file_path": f"{at}.jpg", "captions": ["a man", "a hat"]}
                        for at in range(4)]}, "finds no other picture of its id"),
        ({"train.csv": "image,tags_label\n" + "".join(
            f"{a}{b}.jpg,{a} {b}\n{b}{a}.jpg,{a} {b}\n" for a in "abcdefg" for b in "hijklmn")},
         "49 classes of 14 words"),
    ],
)  # fmt: skip
def test_said(files: dict[str, Any], told: str, source: Path) -> None:
    """What a team may have meant otherwise, and is counted as it stands."""
    assert told in init(make_source(source, files)).said


EVERY = OTHERS | CASES


@pytest.mark.parametrize("name", EVERY)
def test_format(name: str, source: Path) -> None:
    check_case(EVERY[name], source)


@pytest.mark.parametrize("name", EVERY)
def test_cut_in_half(name: str, source: Path) -> None:
    """Whatever a file is cut to, `init` makes what `check` accepts, or nothing."""
    files, options, _, _ = EVERY[name]
    make_source(source, files)
    for path in [each for each in source.rglob("*") if each.is_file()]:
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        made = init(source, *options, "--update")
        assert made.code in (0, 2)
        assert made.code == 2 or main(["check", "made"]) == 0
        path.write_bytes(whole)
