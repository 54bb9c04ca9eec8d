"""`init` on vectors: ids beside them, inside, in the order of the items, in shards."""

from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dashboard.tables import DataError
from tests.test_init_sources import made, trec_files, write

ITEMS = ["a", "b", "c"]
VECTORS = np.array([[1, 2, 3], [3, 2, 1], [0, 1, 0]], dtype="float32")


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


def test_tables_that_are_parts_of_one_are_one_version(tmp_path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for part, ids in enumerate((["c", "b"], ["a"])):
        vectors = list(VECTORS[2 * part :][: len(ids)])
        table = pd.DataFrame({"id": ids, "pv_kind": "x", "embedding": vectors})
        table.to_parquet(source / f"train-{part:05d}-of-00002.parquet")
    _, collection = made(tmp_path)
    assert collection.versions == ("v1",)
    items = collection.models["v1"].items
    found = dict(zip(items.ids, np.asarray(items.matrix), strict=True))
    for item, vector in zip("cba", VECTORS, strict=True):
        np.testing.assert_allclose(found[item], vector / np.linalg.norm(vector), rtol=1e-6)


def test_of_two_files_for_the_same_vectors_the_second_is_left_out_with_a_sentence(tmp_path) -> None:
    source = tmp_path / "source"
    for folder, vectors in (("here", VECTORS), ("there", -VECTORS)):
        (source / folder).mkdir(parents=True)
        table = pd.DataFrame({"id": ITEMS, "pv_kind": "x", "clip": list(vectors)})
        table.to_parquet(source / folder / "items.parquet")
    result, collection = made(tmp_path)
    assert collection.versions == ("clip",)
    assert [each for each in result.problems if "clip" in each] == [
        "left out: there/items.parquet, column clip: version clip has vectors of its items from "
        "here/items.parquet, column clip. To have both, call one by another name"
    ]


@pytest.mark.parametrize("texts", [True, False], ids=["captions too", "pictures alone"])
def test_shards_of_clip_retrieval(tmp_path, texts) -> None:
    """Row i of shard N stands in `metadata_N`; the shards are ordered by number."""
    rows = clip_shards(tmp_path / "source", (2, 10), texts)
    result, collection = made(tmp_path)
    model = collection.models["clip_retrieval"]
    assert not [each for each in result.problems if "left out" in each]
    for name, vector in rows.items():
        found = model.items.matrix[model.items.ids.index(name)]
        np.testing.assert_allclose(found, vector / np.linalg.norm(vector), rtol=1e-3)
    if texts:
        queries = collection.queries
        asked = dict(zip(queries["query_id"], queries["text"], strict=True))
        assert asked["t_p/10_1.jpg#1"] == "text 10 1" and model.queries is not None
        place = model.queries.ids.index("t_p/10_1.jpg#1")
        own = -rows["p/10_1.jpg"] / np.linalg.norm(rows["p/10_1.jpg"])
        np.testing.assert_allclose(model.queries.matrix[place], own, rtol=1e-3)
        taken = result.files.set_index("file").loc["models/clip_retrieval/items.npy", "taken_from"]
        assert taken == "2 files of img_emb, 2 files of text_emb"
        assert collection.protocols == ("crossmodal",) and "p/2_0.jpg#1" in model.items.ids


def test_shards_of_clip_retrieval_that_do_not_fit_are_refused(tmp_path) -> None:
    source = tmp_path / "source"
    clip_shards(source, (0, 1), texts=True)
    np.save(source / "img_emb/img_emb_1.npy", VECTORS)
    with pytest.raises(DataError, match=r"img_emb_1.npy: found 3 vec.* 2 rows of .*metadata_1.par"):
        made(tmp_path)
    (source / "img_emb/img_emb_1.npy").unlink()
    with pytest.raises(DataError, match=r"metadata_1.parquet: found no file .*img_emb_0.npy"):
        made(tmp_path)
    assert not (tmp_path / "new").exists()


def clip_shards(source: Path, numbers: tuple[int, ...], texts: bool) -> dict[str, np.ndarray]:
    """Write shards of two rows; returns picture → vector. A caption's vector is its opposite."""
    found = {}
    for folder in ("metadata", "img_emb", *(["text_emb"] if texts else [])):
        (source / folder).mkdir(parents=True)
    for n in numbers:
        names = [f"p/{n}_{i}.jpg" for i in range(2)]
        array = np.array([[n + 1, 2, i] for i in range(2)], dtype="float16")
        np.save(source / f"img_emb/img_emb_{n}.npy", array)
        rows = {"image_path": names, "url": [f"http://x/{name}" for name in names]}
        if texts:
            np.save(source / f"text_emb/text_emb_{n}.npy", -array)
            rows["caption"] = [f"text {n} {i}" for i in range(2)]
        pd.DataFrame(rows).to_parquet(source / f"metadata/metadata_{n}.parquet")
        found |= dict(zip(names, array.astype("float64"), strict=True))
    return found
