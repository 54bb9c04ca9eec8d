"""Ids as numbers: equal ids have equal keys, wherever and beside whatever they stand."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard import ids

TEXTS = st.lists(st.text(max_size=30), max_size=40)


@given(TEXTS, st.integers(0, 40), st.sampled_from([pa.string(), pa.large_string()]))
@settings(deadline=None)
def test_a_key_is_of_the_id_alone(texts: list[str], cut: int, kind: pa.DataType) -> None:
    alone = [ids.keys(pa.chunked_array([[text]], kind))[0] for text in texts]
    whole = pa.array(["before", *texts], kind)[1:]
    for column in (pa.chunked_array([whole]), pa.chunked_array([whole[:cut], whole[cut:]], kind)):
        assert ids.keys(column).tolist() == alone
    assert len(set(alone)) == len(set(texts))


@given(st.lists(st.sampled_from(["", "a", "b", "ab", "x" * 9, "x" * 10, "y" * 300]), max_size=30))
@settings(deadline=None)
def test_between_stretches_an_id_is_the_same(texts: list[str]) -> None:
    found = ids.stretches(pa.chunked_array([texts], pa.string())).tolist()
    changes = [n for n in range(len(texts)) if n == 0 or texts[n] != texts[n - 1]]
    assert set(changes) <= set(found)
    short = [n for n in range(1, len(texts)) if len(texts[n]) <= ids.LONGEST]
    assert set(found) & set(short) <= set(changes)


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=30)
def test_ids_are_among_others_as_texts_and_as_categories(
    texts: list[str], known: list[str]
) -> None:
    others = pd.Series(known, dtype="str")
    right = [text in known for text in texts]
    column = pd.Series(texts, dtype="str")
    assert ids.among(column, others).tolist() == right
    assert ids.among(column.astype("category"), others).tolist() == right
    assert ids.among(column[:0], others).tolist() == []
    assert not ids.among(pd.Series([None], dtype="category"), others).any()


def test_ids_that_count_up_have_as_many_keys() -> None:
    for form in ("{}", "document-{:09}", "{:07}-of-the-catalogue-with-a-long-name"):
        texts = [form.format(n) for n in range(300_000)]
        found = np.sort(ids.keys(pa.chunked_array([texts])))
        assert (found[1:] != found[:-1]).all()
        tops = np.unique(found >> np.uint64(44))
        assert len(tops) > 250_000, "of 2^20 values about as many as chance gives"


def test_ids_longer_than_what_is_looked_at_are_compared_as_texts() -> None:
    long = ["x" * 400 + "a", "x" * 400 + "b"]
    column = pa.chunked_array([long])
    assert ids.keys(column)[0] == ids.keys(column)[1]
    assert not ids.same(column, np.array([0]), column, np.array([1]))
    assert ids.stretches(column).tolist() == [0, 1]


def test_keys_that_are_known_are_those_of_the_texts_and_go_with_them() -> None:
    texts = [f"document {n}" for n in range(50)]
    written = pa.array(texts, pa.large_string())
    ends, held = (part.copy() for part in ids.laid_out(written))
    expected = ids.keys(pa.chunked_array([written]))
    before = len(ids._KEYS)
    column = ids.column(ends, held, expected.copy())
    assert column.to_pylist() == texts and len(ids._KEYS) == before + 1
    part = pa.chunked_array([column.chunk(0).slice(3, 4), written.slice(0, 2)])
    assert ids.keys(part).tolist() == [*expected[3:7], *expected[:2]]
    # texts cut elsewhere from the same bytes are others
    shifted = pa.Array.from_buffers(
        pa.large_string(), 50, [None, pa.py_buffer(np.maximum(ends - 1, 0)), pa.py_buffer(held)]
    )
    other = pa.chunked_array([shifted])
    assert ids.keys(other).tolist() == ids.keys(pa.chunked_array([other.to_pylist()])).tolist()
    del column, part, shifted, other, held
    gc.collect()
    assert len(ids._KEYS) == before


def test_places_of_many_names_are_looked_up_once_and_belong_to_these_indexes_alone() -> None:
    index = pd.Index([f"v{n}" for n in range(ids.BLOCK)], dtype="str")
    names = index[: ids.BLOCK // 50].append(pd.Index(["none"], dtype="str"))[::-1]
    found = ids.places(names, index)
    expected = [-1, *range(len(names) - 1)[::-1]]
    assert found.tolist() == expected == ids.places(names.astype("object"), index).tolist()
    assert ids.places(names, index) is found
    assert ids.places(pd.Index(["v1", "v7", "v0"], dtype="str"), index).tolist() == [1, 7, 0]
    assert ids.places(names, index) is found, "few are not kept, and take no place of what is"
    assert ids.places(names, index[1:]).tolist() == [max(place - 1, -1) for place in expected]
    assert ids.places(index, names)[:3].tolist() == [len(names) - 1 - n for n in range(3)]


def test_equal_indexes_of_many_ids_are_one_while_somebody_holds_it(monkeypatch):
    monkeypatch.setattr(ids, "BLOCK", 2)
    one, other = (pd.Index(list("abc"), dtype="str") for _ in range(2))
    assert ids.shared(one) is one and ids.shared(other) is one
    different = pd.Index(list("abd"), dtype="str")
    assert ids.shared(different) is different
    few = pd.Index(list("ab"), dtype="str")
    assert ids.shared(few) is few and ids.shared(pd.Index(list("ab"), dtype="str")) is not few
    del one
    gc.collect()
    assert ids.shared(other) is other
