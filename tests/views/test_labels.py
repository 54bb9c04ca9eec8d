"""Labels: a metric's carries its cutoff and formula; items and queries are called what they are."""

from types import SimpleNamespace

import pandas as pd
import pytest

from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection.names import item_names, query_names, words
from dashboard.views.labels import label, short_label, without_cutoff


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("names", ["source", "standard"])
def test_no_label_leaves_its_cutoff_or_formula_out(protocol, names):
    view = SimpleNamespace(protocol=protocol, names=names)
    for measure in parse(PROTOCOLS[protocol].metrics):
        text = label(view, str(measure))
        assert "(" in text
        assert "@K" not in text and "_K" not in text
        if measure.cutoff is not None:
            assert str(measure.cutoff) in short_label(view, str(measure))


def test_hits_over_k_is_never_a_bare_recall():
    source = SimpleNamespace(protocol="alfa", names="source")
    assert label(source, "P@5") == "Recall@5 (hits ÷ 5, ALFA 0.1; elsewhere: Precision@5)"
    standard = SimpleNamespace(protocol="alfa", names="standard")
    assert label(standard, "P@5") == "P@5 (hits in the first 5 ÷ 5)"


@pytest.mark.parametrize(
    "protocol, names, metric, called",
    [
        ("trec", "source", "P@1", "P"),
        ("trec", "source", "nDCG@1", "ndcg_cut"),
        ("trec", "source", "AP@1", "map"),
        ("alfa", "source", "P@1", "Recall"),
        ("context", "source", "MAX@1", "MAX, original gain"),
        ("trec", "standard", "nDCG(exp)@1", "nDCG(exp)"),
    ],
)
def test_a_metric_at_every_k_is_called_by_its_name_alone(protocol, names, metric, called):
    view = SimpleNamespace(protocol=protocol, names=names)
    assert without_cutoff(view, metric) == called


def table(columns, rows):
    return pd.DataFrame(rows, columns=columns.split(), dtype="str")


def world(kinds, *queries):
    items = table("item_id kind", [(f"i{n}", kind) for n, kind in enumerate(kinds)])
    asked = [(f"q{n}", *query) for n, query in enumerate(queries)]
    return words(items, table("query_id text item_id image", asked))


def test_clips_that_are_asked_for_by_words_and_by_clips():
    said = world(["video"] * 3, ("a car", "", ""), ("", "i0", ""), ("", "i1", ""))
    assert (said.item, said.gallery) == ("a clip", "3 clips")
    assert said.queries == {"text": "Text queries", "item": "Clip queries", "all": "All queries"}
    assert said.query_counts == "1 text query · 2 clip queries"
    assert said.example == "a car"


def test_pictures_with_words_about_them_are_composed_queries():
    said = world(["image"], ("in red", "", "i0"), ("in blue", "", "i0"))
    assert said.gallery == "1 picture"
    assert said.queries["text"] == "Composed queries" and said.queries["item"] == "Picture queries"
    assert said.example == "", "the words mean nothing without the picture"


def test_words_alone_among_composed_queries_make_them_text_queries():
    said = world(["image"], ("in red", "", "i0"), ("a cat", "", ""))
    assert said.queries["text"] == "Text queries" and said.query_counts == "2 text queries"
    assert said.example == "a cat"


def test_two_kinds_of_items_are_counted_apart_and_called_items():
    said = world(["image", "text", "text"], ("a cat", "", ""), ("", "i0", ""))
    assert (said.item, said.gallery) == ("an item", "1 picture and 2 texts")
    assert said.queries["item"] == "Picture queries", "no text item is asked with"


def test_texts_that_are_items_are_no_text_queries():
    said = world(["text"], ("", "i0", ""), ("a car", "", ""))
    assert said.query_counts == "1 text query · 1 text item query"
    assert world(["text"], ("", "i0", "")).queries["item"] == "Text item queries"


def test_pictures_from_outside_the_gallery_and_unknown_kinds():
    assert world(["", "Video"], ("", "", "a.png")).queries["item"] == "Picture queries"
    assert world(["", "Video"]).gallery == "1 item and 1 clip"
    assert world(["mesh"]).item == "an item" and world(["mesh"]).query_counts == "no queries"


ASKED = pd.DataFrame(
    [
        ("t", "a bus", "", "", ""),
        ("i", "", "v1", "", ""),
        ("j", "", "v2", "", ""),
        ("p", "", "", "p.png", "a digit"),
        ("n", "", "", "", ""),
    ],
    columns=["query_id", "text", "item_id", "image", "caption"],
)


def test_a_query_goes_by_its_text_its_picture_or_its_items_caption():
    items = pd.DataFrame({"item_id": ["v1", "v2", "v3"], "caption": ["grin", "smile", "grin"]})
    names = query_names(ASKED, items)
    assert names == {"t": "a bus", "i": "like grin", "j": "like smile", "p": "a digit", "n": "n"}


@pytest.mark.parametrize(
    ("captions", "first", "second"),
    [
        (["grin", "grin"], "like grin (v1)", "like grin (v2)"),
        (["grin", ""], "like grin", "like v2"),
        (["", ""], "like v1", "like v2"),
    ],
)
def test_captions_that_do_not_tell_items_apart_have_their_ids_behind_them(captions, first, second):
    items = pd.DataFrame({"item_id": ["v1", "v2"], "caption": captions})
    names = query_names(ASKED.drop(columns="caption"), items)
    assert (names["i"], names["j"], names["p"]) == (first, second, "p.png")


def test_an_item_is_called_by_its_caption_or_else_by_its_id():
    items = table("item_id caption", [("v1", "a cat"), ("v2", "  "), ("v3", "a cat")])
    assert item_names(items) == {"v1": "a cat", "v2": "v2", "v3": "a cat"}
