"""Ranks that are counted are those of whole rankings, in double precision, sorted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.evaluation.duplicates import as_one, without
from dashboard.retrieval.counting import Kinds, count_ranks
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors


@st.composite
def worlds(draw):
    """Vectors of queries and of a gallery, many of which are alike, or hash codes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    queries, items = draw(st.integers(1, 5)), draw(st.integers(1, 50))
    width = draw(st.sampled_from([1, 2, 8, 64]))
    codes = draw(st.booleans())
    values = [-1.0, 1.0] if codes else draw(st.sampled_from([[1.0, 2.0], [-1.0, 0.5, 1.0], None]))
    made = []
    for prefix, number in (("q", queries), ("i", items)):
        shape = (number, width)
        matrix = random.standard_normal(shape) if values is None else random.choice(values, shape)
        matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        if not codes:  # as they are read from a file
            matrix = matrix.astype(draw(st.sampled_from(["float32", "float16"]))).astype("float64")
            matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        ids = tuple(f"{prefix}{place}" for place in range(number))
        made.append(Vectors(ids, matrix.astype("float32"), codes))
    asking, there = made
    k = draw(st.integers(1, 60))
    some = np.flatnonzero(random.random(queries * items) < draw(st.sampled_from([0, 0.2, 1])))
    own = {q: f"i{random.integers(items)}" for q in asking.ids if draw(st.booleans())}
    at_least = draw(st.sampled_from([-1.0, 0.0, 0.25, 0.999999, 1.0]))
    return asking, there, k, (some // items, some % items), own, at_least


def expected(asking, there, k, wanted, own, at_least):
    """Every item of every query sorted, then cut."""
    rows, lengths = [], {}
    exact = asking.matrix.astype("float64") @ there.matrix.astype("float64").T
    if asking.codes:
        exact = exact.round(9)
    pairs = set(zip(*(part.tolist() for part in wanted), strict=True))
    for query, name in enumerate(asking.ids):
        scores = exact[query].round(6) + 0.0
        order = np.lexsort((np.arange(len(scores)), -scores))
        order = [item for item in order.tolist() if there.ids[item] != own.get(name)]
        order = [item for item in order if scores[item] >= at_least]
        lengths[name] = len(order)
        rows += [
            (name, there.ids[item], scores[item], rank)
            for rank, item in enumerate(order, start=1)
            if rank <= k or (query, item) in pairs
        ]
    return rows, lengths


@given(worlds())
@settings(max_examples=100, deadline=None)
def test_ranks_are_those_of_whole_rankings(world):
    asking, there, k, wanted, own, at_least = world
    found = Gallery(there).ranked(asking, k, wanted, own, at_least)
    rows, lengths = expected(*world)
    assert [tuple(row) for row in found.astype({"query_id": str, "item_id": str}).values] == rows
    assert found.attrs["lengths"] == lengths
    below = Gallery(there).below(asking)
    before = below.copy()
    again = Gallery(there).ranked(asking, k, wanted, own, at_least, below=below)
    assert again.equals(found) and again.attrs == found.attrs, "products that are held already"
    assert np.array_equal(below, before), "they can be held for the next one"


@given(worlds(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_ranks_of_several_that_count_as_one_are_those_of_rankings_without_copies(world, seed):
    asking, there, k, wanted, own, at_least = world
    first = np.random.default_rng(seed).integers(0, np.arange(len(there.ids)) // 2 + 1)
    copy_of = {there.ids[n]: there.ids[first[first[n]]] for n in range(len(there.ids)) if n % 3}
    copy_of = {item: one for item, one in copy_of.items() if one not in copy_of and item != one}
    kinds = Kinds.of([copy_of.get(item, item) for item in there.ids])
    known = wanted[1] < len(kinds.names)
    wanted = (wanted[0][known], wanted[1][known])
    itself = {query: copy_of.get(item, item) for query, item in own.items()}
    found = Gallery(there).ranked(asking, k, wanted, itself, at_least, kinds)
    whole = without(Gallery(there).search(asking, len(there.ids), own), copy_of, own)
    whole = as_one(whole[whole["score"] >= at_least], copy_of).astype({"query_id": str})
    pairs = {(asking.ids[q], kinds.names[i]) for q, i in zip(*wanted, strict=True)}
    named = pd.Series(list(zip(whole["query_id"], whole["item_id"].astype(str), strict=True)))
    rows = whole[(whole["rank"] <= k) | named.isin(pairs).to_numpy()].astype({"item_id": str})
    found = found.astype({"query_id": str, "item_id": str})
    assert found.to_numpy().tolist() == rows[found.columns].to_numpy().tolist()
    lengths = whole["query_id"].value_counts().reindex(asking.ids, fill_value=0)
    assert found.attrs["lengths"] == dict(lengths)


@pytest.mark.parametrize("many", [0, 50, 9_000])
@pytest.mark.parametrize("number", [1, 70_000, 300_000])
def test_many_items_and_few_bins(number, many):
    random = np.random.default_rng(number)
    below = random.integers(0, 2_000_000 if number > 100_000 else 40, number)
    wanted = np.unique(random.integers(0, number, many))
    first, ranks = count_ranks(below, wanted, 1_000)
    order = np.argsort(below, kind="stable")
    place = np.empty(number, dtype=int)
    place[order] = np.arange(1, number + 1)
    assert first.tolist() == order[:1_000].tolist() and ranks.tolist() == place[wanted].tolist()


def test_a_block_of_queries_at_a_time_changes_nothing(monkeypatch):
    random = np.random.default_rng(3)
    vectors = random.standard_normal((40, 8)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asking = Vectors(tuple(f"q{n}" for n in range(9)), vectors[:9])
    there = Gallery(Vectors(tuple(f"i{n}" for n in range(31)), vectors[9:]))
    wanted = (np.arange(9), np.arange(9) * 3)
    whole = there.ranked(asking, 2, wanted)
    monkeypatch.setattr("dashboard.retrieval.gallery.COUNTED", 70)
    monkeypatch.setattr("dashboard.storage.vectors.rows.BLOCK", 7 * 4 * 8)
    assert there.ranked(asking, 2, wanted).equals(whole)
    listed = there.search(asking, 31)
    assert listed.merge(whole).shape == whole.shape and (whole["rank"] > 2).any()
