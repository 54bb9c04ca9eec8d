"""What the screens show of image-text matching: right numbers both ways, and what is said."""

import csv
import shutil
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.image_text import recalls as six_recalls
from dashboard.experiment import explaining, judging, measuring, memory, ranking
from dashboard.experiment.experiment import TYPED
from dashboard.experiment.protocols import matching
from dashboard.retrieval import runs
from dashboard.storage.collection import collection as collections
from dashboard.views.address import view_of
from dashboard.views.experiments import experiment_of
from dashboard.views.protocols.crossmodal import recall as section
from dashboard.views.protocols.crossmodal.ranks import _first_rank
from tests.test_screens import cards, drawn, no_text_model, opened, question_of, said  # noqa: F401

NAME = "openmoji_captions"
SIX = [f"{way} R@{k}" for way in ("i → t", "t → i") for k in (1, 5, 10)]


def recalls(app):
    """The source's table: a row a version."""
    table = next(table.value for table in app.table if "Rsum (of 600)" in table.value)
    return table.rename(index=lambda name: name.replace("\\", ""))


def numbers(row):
    return [float(cell.strip("*")) for cell in row]


asked = partial(question_of, NAME)


@pytest.fixture(scope="module")
def truth():
    """Ranks of the first right answers and similarities, from the files alone."""
    folder = collections.COLLECTIONS / NAME

    def rows(name):
        with (folder / name).open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    pairs = {(row["query_id"], row["item_id"]) for row in rows("qrels.csv")}
    side = {row["item_id"]: row["side"] for row in rows("items.csv")}
    queries = rows("queries.csv")

    def vectors(version, stem):
        names = (folder / f"models/{version}/{stem}.txt").read_text().split()
        return dict(zip(names, np.load(folder / f"models/{version}/{stem}.npy"), strict=True))

    @cache
    def ranks(version, own=None):
        """query_id → rank of its first right answer among the items of some pictures (or all)."""

        def keep(picture):
            return own is None or picture in own

        items, stored = vectors(version, "items"), vectors(version, "queries")
        found = {}
        for among in ("captions", "pictures"):
            there = [i for i in side if side[i] == among and keep(i.split("_")[0])]
            gallery = np.array([items[i] for i in there], dtype=float)
            gallery /= np.linalg.norm(gallery, axis=1, keepdims=True)
            for row in queries:
                query, item = row["query_id"], row["item_id"]
                if row["among"] != among or not keep(query.split("_")[1]):
                    continue
                vector = (items[item] if item else stored[query]).astype(float)
                scores = np.round(gallery @ (vector / np.linalg.norm(vector)), 6)
                order = np.argsort(-scores, kind="stable")
                right = [(query, there[place]) in pairs for place in order]
                found[query] = right.index(True) + 1
        return found

    return ranks


def six_of(ranks):
    """The six recalls of ranks by query, in per cent."""
    ways = [[r for q, r in ranks.items() if q.startswith(way)] for way in ("i_", "t_")]
    return [100 * float(np.mean(np.array(way) <= k)) for way in ways for k in (1, 5, 10)]


def test_the_sources_table_has_the_recalls_of_both_ways_their_sum_and_mean(truth):
    table = recalls(drawn(collection=NAME))
    assert table.index.tolist() == ["v0.1", "v0.2", "v0.3"]
    for version in ("v0.1", "v0.3"):
        six = six_of(truth(version))
        assert numbers(table.loc[version, SIX]) == pytest.approx(six, abs=0.0501)
        both = numbers(table.loc[version, ["Rsum (of 600)", "mR"]])
        assert both == pytest.approx([sum(six), sum(six) / 6], abs=0.0501)
    assert table.loc["v0.3"].str.startswith("**").all()  # the best of each column


def test_the_overview_says_how_many_ask_among_how_many_and_what_is_not_offered():
    words = said(drawn(collection=NAME))
    assert "Image to text: 400 pictures, any of their texts counts." in words
    assert "Text to image: 2,000 texts, each with its picture." in words
    assert "A picture has 5 texts (as in the source)." in words
    assert "400 pictures among 2,000 texts" in words and "2,000 texts among 400" in words
    assert "COCO 1K needs 1,000 pictures, COCO five-fold 1K needs 5,000 pictures; this" in words


def test_the_overview_says_which_queries_each_row_is_of():
    words = said(drawn(collection=NAME))
    assert "Rsum and mR: 400 picture queries. Text to image: 2,000 text queries." in words
    assert "All queries are scored in the rows of their kind." in words
    one_way = said(opened(collection=NAME, queries="item"))
    assert "Some metrics have no value for some queries, see Scored." in one_way, "text to image"
    assert "queries are scored" not in one_way


def test_a_text_that_is_searched_with_is_judged_by_its_picture():
    view, _ = view_of({"collection": [NAME], "item": ["1F600_2"], "metric": ["t2i_R@10"]})
    live = experiment_of(view, live=True)
    judged = judging.judgement(live)
    assert judged.notes == (), "nothing is said of the collection"
    assert judged.qrels[["item_id", "grade"]].values.tolist() == [["1F600", 1.0]]
    assert judged.kinds == {TYPED: "text"}
    app = opened("search", collection=NAME, item="1F600_2", metric="t2i_R@10")
    stored = opened("query", collection=NAME, query="t_1F600_2", metric="t2i_R@10")
    values = [row["value"] for row in cards(app)["rows"]]
    assert values == [row["value"] for row in cards(stored)["rows"]] and None not in values[:2]
    assert "1 relevant item in the collection" in said(app)
    assert "has no value" not in said(app)


@pytest.mark.parametrize("query, what", [("t_1F600_2", "i2t_R@10"), ("i_1F600", "t2i_R@10")])
def test_a_metric_of_the_other_direction_says_that_it_has_no_value(query, what):
    kind = "text" if query.startswith("t_") else "picture"
    words = said(opened("query", collection=NAME, query=query, metric=what))
    assert f"R@10 has no value for a {kind} query. “All metrics of this query” below lists" in words


@pytest.fixture
def unpaired(tmp_path, monkeypatch):
    """Two pictures and two texts, of which only one pair belongs together; one run."""
    folder = tmp_path / "data" / "pairs"
    (folder / "runs").mkdir(parents=True)
    files = {
        "collection.toml": 'protocols = ["crossmodal"]\n',
        "items.csv": "item_id,kind,caption\np,image,\nq,image,\na,text,one\nb,text,other\n",
        "queries.csv": "query_id,item_id\nip,p\nib,b\n",
        "qrels.csv": "query_id,item_id,grade\nip,a,1\n",
        "runs/r.trec": "ip Q0 a 1 1 x\nib Q0 q 1 1 x\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content)
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")


@pytest.mark.parametrize(
    "item, why", [("b", "and none asks for this item"), ("q", "and none asks for this item")]
)
def test_an_item_without_a_pair_says_why_it_is_not_scored(unpaired, item, why):
    words = said(opened("search", collection="pairs", item=item))
    assert f"Not scored: only stored queries have judgements, {why}." in words


def test_ranks_of_first_answers_and_their_shares_are_those_of_a_stable_sort(truth):
    ranks = truth("v0.2")
    found = matching.first_hits(asked(), "v0.2", None).set_index("query_id")
    assert found["rank"].to_dict() == ranks
    assert set(found["kind"]) == {"image", "text"}
    assert (found.loc[found["kind"] == "image", "relevant"] == 5).all()
    of_texts = np.array([rank for query, rank in ranks.items() if query.startswith("t_")])
    app = opened(collection=NAME, runs="v0.2")
    assert f"v0.2: median rank {np.median(of_texts):g}" in said(app)


def test_one_direction_alone_has_no_sum():
    app = opened(collection=NAME, queries="text")
    table = recalls(app)
    assert (table[[*SIX[:3], "Rsum (of 600)", "mR"]] == "–").all(axis=None)
    assert (table[SIX[3:]] != "–").all(axis=None)
    assert "Image to text: no such query in view, so Rsum and mR" in said(app)
    assert "Text to image, 2,000" in said(app).replace("*", "")
    assert "Image to text, " not in said(app).replace("*", "")


@pytest.mark.slow
def test_a_slice_of_one_direction_has_no_sum():
    app = opened(collection=NAME, slice="kind of query=item query", queries="all")
    table = recalls(app)
    assert (table[[*SIX[3:], "Rsum (of 600)", "mR"]] == "–").all(axis=None)
    assert (table[SIX[:3]] != "–").all(axis=None)
    assert "Text to image: no such query in view, so Rsum and mR" in said(app)


def test_a_test_that_is_too_large_is_an_error_and_no_number():
    app = opened(collection=NAME, test="five-fold 1K")
    error = "COCO five-fold 1K is not available: this collection has 400 picture queries."
    assert app.error[0].value.replace("\\", "") == error
    assert not [table for table in app.table if "Rsum (of 600)" in table.value]
    assert "asks for the test '2K'" in opened(collection=NAME, test="2K").error[0].value.replace(
        "\\", ""
    )


@pytest.mark.slow
def test_folds_are_those_of_the_first_pictures_in_order(truth, monkeypatch):
    monkeypatch.setattr(six_recalls, "FOLD", 80)  # a thousand pictures are not to be had here
    monkeypatch.setattr(section, "FOLD", 80)
    memory.forget()
    table = recalls(opened(collection=NAME, test="five-fold 1K", runs="v0.3"))
    folder = collections.COLLECTIONS / NAME
    with (folder / "queries.csv").open(encoding="utf-8", newline="") as lines:
        pictures = [row["item_id"] for row in csv.DictReader(lines) if row["item_id"]]
    parts = []
    for fold in range(5):
        parts.append(six_of(truth("v0.3", frozenset(pictures[80 * fold : 80 * fold + 80]))))
    six = np.mean(parts, axis=0).tolist()
    assert numbers(table.loc["v0.3", SIX]) == pytest.approx(six, abs=0.0501)
    assert numbers(table.loc["v0.3", ["Rsum (of 600)"]]) == pytest.approx([sum(six)], abs=0.0501)
    memory.forget()


def test_a_picture_shows_all_its_texts_with_their_ranks_and_what_they_find(truth):
    app = opened("query", collection=NAME, query="i_1F603")
    assert cards(app)["head"]["title"] == "Like grinning face with big eyes"
    own, back = (t.value for t in app.table if t.value.index.name == "Text")
    assert len(own) == len(back) == 5
    for version in own.columns:
        plain = version.replace("\\", "")
        ranks = [int(cell.strip("*").replace(",", "")) for cell in own[version]]
        assert min(ranks) == truth(plain)["i_1F603"]
        assert [cell.startswith("**") for cell in own[version]] == [r == min(ranks) for r in ranks]
        found = truth(plain)
        theirs = [found[f"t_1F603_{n}"] for n in range(1, 6)]
        assert [int(cell.replace(",", "")) for cell in back[version]] == theirs


def test_a_text_shows_its_picture_with_its_rank(truth):
    app = opened("query", collection=NAME, query="t_1F603_2")
    table = next(t.value for t in app.table if t.value.index.name == "Picture")
    assert table.index.tolist() == ["grinning face with big eyes"]
    found = {version.replace("\\", ""): int(rank) for version, (rank,) in table.items()}
    assert found == {version: truth(version)["t_1F603_2"] for version in found}


def test_the_ideal_order_of_a_picture_is_worth_the_whole_rsum():
    view, _ = view_of({"collection": [NAME], "metric": ["Rsum"]})
    asked = experiment_of(view), "i_1F603", "v0.3"
    run = ranking.counted_query_run(asked[0], asked[2], asked[1])
    _, value = explaining.ideal(*asked, "Rsum", 10, run)
    assert value == pytest.approx(6)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A copy of the captions without pictures and with one version, to break."""
    copy = tmp_path / "data" / NAME
    left_out = shutil.ignore_patterns("media", "v0.1", "v0.2")
    shutil.copytree(collections.COLLECTIONS / NAME, copy, ignore=left_out)
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    memory.forget()
    return copy


def without(path, *starts):
    """Leave out the lines of a file that start so."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(starts)))


@pytest.mark.slow
def test_a_text_without_a_picture_is_left_out_and_said(broken):
    without(broken / "qrels.csv", "t_1F603_2,", "i_1F603,1F603_2,")
    app = opened(collection=NAME)
    words = said(app)
    assert "The 400 pictures have 4 to 5 texts each, not the source's 5" in words
    assert "1 of 2,000 texts that can be found belong to no picture that is asked" in words
    assert "Text to image: 1,999 texts" in words
    assert "A picture has 4 to 5 texts (the source has 5)." in words
    assert not app.exception


@pytest.mark.slow
def test_a_text_of_two_pictures_is_counted_but_has_no_test_of_a_thousand(broken):
    path = broken / "qrels.csv"
    path.write_text(path.read_text() + "t_1F603_2,1F600,1\n")
    app = opened(collection=NAME, test="1K")
    error = app.error[0].value.replace("\\", "")
    assert "the text 't_1F603_2' belongs to more than one picture" in error


def test_a_side_that_nobody_stands_on_is_refused_by_line(broken):
    path = broken / "queries.csv"
    path.write_text(path.read_text().replace("i_1F603,,1F603,captions", "i_1F603,,1F603,caption"))
    findings = collections.open_collection(NAME).findings
    row = findings[findings["file"] == "queries.csv"].iloc[0]
    assert "1 queries among caption" in row["found"] and "a side of the items" in row["wanted"]
    assert row["line"] == 3


@pytest.mark.slow
def test_a_version_without_a_picture_leaves_that_one_out_and_says_so(broken):
    folder = broken / "models" / "v0.3"
    names = (folder / "items.txt").read_text().split()
    keep = [place for place, name in enumerate(names) if name != "1F603"]
    np.save(folder / "items.npy", np.load(folder / "items.npy")[keep])
    (folder / "items.txt").write_text("\n".join(names[place] for place in keep) + "\n")
    app = opened(collection=NAME)
    assert "Image to text: 399 pictures" in said(app)
    six = numbers(recalls(app).loc["v0.3", SIX])
    both = numbers(recalls(app).loc["v0.3", ["Rsum (of 600)"]])
    assert both == pytest.approx([sum(six)], abs=0.31)
    reason = "no value per query, because a text is scored whose picture is not."
    assert f"v0.3: Rsum and mR have {reason}" in said(app)
    assert not app.exception


@pytest.mark.slow
def test_lists_that_end_early_are_drawn_to_their_end_and_say_so(broken, monkeypatch):
    monkeypatch.setattr(runs, "MOST_RESULTS", 2_400 * 100)
    words = said(opened(collection=NAME))
    assert "Rankings are cut at rank 100 to fit in memory" in words
    assert "pictures have none within rank 100" in words
    memory.forget()


def test_every_pair_rests_on_the_lists_of_the_queries_that_are_scored():
    """By a metric of the pictures alone, no number of a pair is of the texts' lists."""
    asked = question_of("openmoji_captions", queries=["all"])
    pictures = question_of("openmoji_captions", queries=["item"])
    versions = ("v0.1", "v0.2", "v0.3")
    found = measuring.pairs(asked, versions, "i2t_R@10", None)
    theirs = measuring.pairs(pictures, versions, "i2t_R@10", None)
    assert set(found["scored"]) == set(found["queries"]) == {400}
    assert set(found["total"]) == {2_400}
    for column in ("delta", "low", "high", "p", "jaccard", "rbo", "shift"):
        assert found[column].tolist() == pytest.approx(theirs[column].tolist(), abs=1e-12)


@pytest.mark.parametrize(
    "name, metric, lists",
    [
        pytest.param(
            *("openmoji_context", "CAG(RBP(0.95))@50", "first 50 judged results"),
            marks=pytest.mark.slow,
        ),
        ("openmoji_composed", "AP(annotated)", "first 10 judged results"),
        ("driving", "P@5", "first 5 results"),
        ("driving", "P@1", "first result"),
    ],
)
def test_on_what_pairs_rest_is_said(name, metric, lists):
    app = drawn(collection=name, metric=metric)
    assert f"Similarity of the lists ({lists}): shared results" in said(app)


@pytest.mark.parametrize("number, called", [(1_000, "1K test"), (5_000, "5K test"), (400, "")])
def test_the_test_of_all_pictures_has_the_sources_name(monkeypatch, number, called):
    monkeypatch.setattr(matching, "picture_queries", lambda asked: number)
    app = opened(collection=NAME)
    assert not app.exception and not app.error
    told = said(app)
    assert (f"this collection: the {called}." in told) == bool(called)
    offered = [o.content for g in app.get("button_group") for o in g.proto.options]
    assert (f"{called} (all)" in [each.replace("\\", "") for each in offered]) == (number == 5_000)
    assert "COCO 1K needs" not in told or number == 400, "of a thousand the first thousand are all"


def test_one_query_without_a_correct_result_is_a_text_and_not_texts():
    found = pd.DataFrame({"rank": [1.0, np.nan], "tied": [False, False]})
    assert _first_rank("v", found, "texts", " within rank 9").startswith("v: ")
    assert ", 1 text has none within rank 9" in _first_rank("v", found, "texts", " within rank 9")
