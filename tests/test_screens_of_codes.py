"""What the screens show of hash codes: right numbers, a link for each view, and what is refused."""

import csv
import json
import shutil
from functools import partial
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_curve

from dashboard.experiment import measuring, memory, ranking
from dashboard.experiment.collection import near_duplicates
from dashboard.experiment.protocols import hash_codes
from dashboard.retrieval import runs
from dashboard.storage.collection import collection as collections
from dashboard.views.protocols.hashing.overview import _right_end
from tests.test_screens import (  # noqa: F401
    drawn,
    no_text_model,
    opened,
    question_of,
    said,
    with_open,
)

NAME = "digits_hashes"


def numbers_of(app):
    """The table of each version in numbers."""
    return next(table.value for table in app.dataframe if "lower bound" in table.value)


def titles(app):
    """The titles of the charts, in one text."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]
    return "\n".join(" ".join(spec["title"]["text"]) for spec in specs)


asked = partial(question_of, NAME)


@pytest.fixture(scope="module")
def files():
    """Gallery, grades and codes as the files hold them, read without the dashboard."""
    folder = collections.COLLECTIONS / NAME
    with (folder / "items.csv").open(encoding="utf-8") as lines:
        gallery = [row["item_id"] for row in csv.DictReader(lines)]
    place = {item: number for number, item in enumerate(gallery)}
    with (folder / "queries.csv").open(encoding="utf-8") as lines:
        queries = [row["query_id"] for row in csv.DictReader(lines)]
    grades = np.zeros((len(queries), len(gallery)))
    with (folder / "qrels.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            grades[queries.index(row["query_id"]), place[row["item_id"]]] = float(row["grade"])

    def far(version):
        stored = {}
        for stem, ids in (("items", gallery), ("queries", queries)):
            names = (folder / "models" / version / f"{stem}.txt").read_text().split()
            matrix = np.load(folder / "models" / version / f"{stem}.npy")
            stored[stem] = matrix[[names.index(name) for name in ids]] > 0
        return (stored["queries"][:, None, :] != stored["items"][None]).sum(axis=2)

    return grades, far


def test_curves_over_p_end_at_scikit_learns_values_with_the_gallerys_order(files):
    grades, far = files
    n = grades.shape[1]
    metrics = f"AP(retrieved)@{n} nDCG(exp)@{n}"
    table = measuring.tie_bounds(asked(), ("itq-16", "supervised-64"), metrics)
    for version in ("itq-16", "supervised-64"):
        order = -(far(version) + np.arange(n) / 10_000)  # equal distances in gallery order
        ours = table[table["run"] == version].set_index("metric")["mean"]
        theirs = [average_precision_score(g > 0, o) for g, o in zip(grades, order, strict=True)]
        assert ours["AP(retrieved)"] == pytest.approx(np.mean(theirs))
        gains = [ndcg_score([2**g - 1], [o]) for g, o in zip(grades, order, strict=True)]
        assert ours["nDCG(exp)"] == pytest.approx(np.mean(gains))


def test_precision_and_recall_by_radius_equal_scikit_learns_means(files):
    grades, far = files
    table = hash_codes.by_radius(asked(), "itq-32", 32, None).set_index("radius")
    curves = [
        precision_recall_curve(g > 0, -f, drop_intermediate=False)
        for g, f in zip(grades, far("itq-32"), strict=True)
    ]
    for radius in range(33):
        shares, recalls = [], []
        for precision, recall, thresholds in curves:
            within = np.flatnonzero(-thresholds <= radius)  # ascending: the first is the farthest
            shares.append(precision[within[0]] if len(within) else None)
            recalls.append(recall[within[0]] if len(within) else 0)
        found = [share for share in shares if share is not None]
        row = table.loc[radius]
        assert row["found"] == len(found)
        assert row["recall"] == pytest.approx(np.mean(recalls))
        assert row["precision"] == pytest.approx(sum(found) / len(grades))
        if found:
            assert row["precision_found"] == pytest.approx(np.mean(found))


def three_alike(folder, digest, item_ids):
    """Hashes of pictures that nobody has looked at: three items in a row have one."""
    return {
        item: sha256(bytes([n // 3 % 256, n // 768])).digest() for n, item in enumerate(item_ids)
    }


@pytest.mark.parametrize(
    "choices",
    [
        {},
        pytest.param({"min_similarity": ["0.25"]}, marks=pytest.mark.slow),
        pytest.param({"copies": ["left_out"]}, marks=pytest.mark.slow),
    ],
)
def test_radii_do_not_depend_on_where_rankings_end(monkeypatch, choices):
    monkeypatch.setattr(near_duplicates, "_hashes", three_alike)  # 1,647 pictures take 20 seconds
    memory.forget()
    whole = hash_codes.by_radius(asked(**choices), "itq-16", 16, None)
    memory.forget()
    monkeypatch.setattr(runs, "MOST_RESULTS", 1)
    assert ranking.cut(asked(**choices), ["itq-16"]) == 100
    cut = hash_codes.by_radius(asked(**choices), "itq-16", 16, None)
    pd.testing.assert_frame_equal(cut, whole)
    memory.forget()


@pytest.mark.slow
def test_the_overview_of_long_rankings_makes_no_whole_ones(monkeypatch):
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 0)
    monkeypatch.setattr(ranking, "_ranked", None)
    app = opened(collection=NAME)
    memory.forget()
    assert not app.exception and numbers_of(app).iloc[:, 1:].notna().any().all()


@pytest.mark.slow
def test_bounds_are_none_where_lists_end_within_equal_distances(short_of_memory):
    app = opened(collection=NAME)
    assert not app.exception
    words = said(app)
    assert "No bounds where rankings are cut within ties" in words
    assert "Rankings are cut at rank 100" in words
    numbers = numbers_of(app).set_index("Version")
    assert pd.isna(numbers.loc["itq-16", "lower bound"]) and numbers.loc["itq-16"].iloc[0] > 0


def test_the_overview_says_what_it_draws_and_on_how_many_queries():
    app = opened(collection=NAME)
    assert "mAP@p" not in titles(app)
    with_open(app, "over-p")
    words = said(app)
    assert "mAP@p, 16 bits" in titles(app) and "nDCG@p, 64 bits" in titles(app)
    assert "Means of 150 of 150 queries" in words
    assert "without such items counts as 0" in words
    assert "150 queries × 1,647 gallery items." in words
    numbers = numbers_of(app)
    assert numbers["Version"].tolist() == list(collections.open_collection(NAME).versions)
    assert (numbers["lower bound"] < numbers.iloc[:, 1]).all()
    assert (numbers.iloc[:, 1] < numbers["upper bound"]).all()
    pairs = next(table.value for table in app.table if "Pairs" in table.value)
    assert pairs["Pairs"].tolist() == ["24,705", "0", "222,345"]
    assert [button.proto.label for button in app.get("link_button")] == ["Numbers as CSV"] * 3


@pytest.mark.slow
def test_bounds_and_curves_are_of_the_slice_in_view():
    sliced = opened(collection=NAME, slice="digit=3")
    assert "Means of 15 of 15 queries" in said(sliced)
    numbers, whole = numbers_of(sliced), numbers_of(drawn(collection=NAME))
    assert (numbers["Queries scored"] == 15).all()
    assert (numbers["lower bound"] != whole["lower bound"]).any()


@pytest.mark.slow
def test_a_metric_without_bounds_is_said_to_have_none():
    app = opened(collection=NAME, metric="Judged@10")
    assert "Bounds over ties are not available for Judged" in said(app)
    numbers = numbers_of(app)
    assert numbers["lower bound"].isna().all() and numbers["Judged@10"].notna().all()


def test_the_versions_in_view_are_those_drawn():
    app = with_open(opened(collection=NAME, runs="itq-32"), "over-p")
    assert "needs codes of at least two lengths" in said(app)
    assert "mAP@p, 32 bits" in titles(app) and "mAP@p, 16 bits" not in titles(app)


def pair_of(app):
    table = next(t.value for t in app.table if "Hamming distance" in t.value)
    return table.rename(index=lambda version: version.replace("\\", ""))


def test_equation_1_of_a_pair_holds_and_its_bits_are_drawn(files):
    _, far = files
    app = drawn("query", collection=NAME, query="q_d0023", pair="d0005")
    folder = collections.COLLECTIONS / NAME
    queries = (folder / "models/itq-64/queries.txt").read_text().split()
    items = [item for item in collections.open_collection(NAME).items["item_id"]]
    distance = far("itq-64")[queries.index("q_d0023"), items.index("d0005")]
    row = pair_of(app).loc["itq-64"]
    assert row["Hamming distance"] == f"**{distance}** of 64"
    inner = 64 - 2 * distance
    assert row["(K − ⟨h, h′⟩) ÷ 2"].endswith(f"{inner}) ÷ 2 = {distance}")
    assert row["K ÷ 2 · (1 − cos)"].endswith(f"= {distance}")
    assert row["K ÷ 4 · ‖…‖²"] == f"{distance}"
    assert "A pair of **type 3**: grade 0, gain 0, not relevant." in said(app)
    assert f"**itq-64**, {distance} of 64 bits differ" in said(app)


def test_without_a_choice_the_pair_is_the_open_item_or_the_candidates_first():
    first = opened("query", collection=NAME, query="q_d0023")
    assert pair_of(first).loc["supervised-64", "Rank"] == "1"
    clip, pair = (
        drawn("query", collection=NAME, query="q_d0023", **{key: "d0005"})
        for key in ("clip", "pair")
    )
    assert pair_of(clip).equals(pair_of(pair))
    assert not pair_of(clip).equals(pair_of(first))


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A copy of the digits without pictures and with two versions, to break."""
    copy = tmp_path / "data" / NAME
    left_out = shutil.ignore_patterns("media", "lsh-*", "*-16", "*-32")
    shutil.copytree(collections.COLLECTIONS / NAME, copy, ignore=left_out)
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    memory.forget()  # judgements are kept by what enters numbers, and names do not
    return copy


def test_codes_that_are_not_binary_are_refused_by_row_and_id(broken):
    path = broken / "models" / "itq-64" / "items.npy"
    matrix = np.load(path)
    matrix[3, 5] = 2
    np.save(path, matrix)
    sentence = "models/itq-64/items.npy: found the value 2 in row 3 (d0003) beside -1; wanted codes"
    app = opened(collection=NAME, baseline="supervised-64")
    assert sentence in "\n".join(warning.value for warning in app.warning).replace("\\", "")


def test_floats_of_signs_are_codes_with_radius_and_bits(broken):
    for stem in ("items", "queries"):
        path = broken / "models" / "itq-64" / f"{stem}.npy"
        np.save(path, np.load(path).astype(np.float32))
    app = opened(collection=NAME)
    assert not app.exception
    assert "Without hash codes" not in said(app)
    query = opened("query", collection=NAME, query="q_d0023")
    assert not query.exception and "Without codes of both" not in said(query)


@pytest.mark.slow
def test_a_file_of_results_has_no_codes_though_a_model_has_its_name(broken):
    (broken / "runs").mkdir()
    lines = ["query_id,item_id,score", "q_d0023,d0005,-1", "q_d0023,d0003,-2"]
    (broken / "runs" / "itq-64.csv").write_text("\n".join(lines) + "\n")
    app = opened(collection=NAME)
    assert not app.exception
    assert "Without hash codes: itq-64." in said(app)
    query = opened("query", collection=NAME, query="q_d0023")
    assert not query.exception and "Without codes of both: itq-64." in said(query)


def test_a_version_may_name_its_method_itself(broken):
    path = broken / "models" / "itq-64" / "model.toml"
    path.write_text('method = "rotated"\n' + path.read_text())
    known = hash_codes.lengths(collections.open_collection(NAME), ["itq-64", "supervised-64"])
    assert known["method"].tolist() == ["rotated", "supervised"]
    assert known["bits"].tolist() == [64, 64]


def test_a_gallery_that_holds_a_query_is_refused(broken):
    path = broken / "queries.csv"
    path.write_text(path.read_text().replace("d0023.png", "d0003.png", 1))
    app = opened(collection=NAME)
    error = app.error[0].value.replace("\\", "")
    assert "found 1 item of the gallery among the queries (d0003)" in error
    assert not app.exception and not app.get("vega_lite_chart")


def test_a_grade_that_is_not_known_is_refused(broken):
    path = broken / "qrels.csv"
    path.write_text(path.read_text().replace("q_d0023,d0003,2", "q_d0023,d0003,3"))
    error = opened(collection=NAME).error[0].value.replace("\\", "")
    assert "found grade 3 for the query 'q_d0023' and the item 'd0003'; wanted 2 (type 1)" in error


def test_labels_that_are_not_there_are_said_to_be_wanted(broken):
    (broken / "qrels.csv").unlink()
    error = opened(collection=NAME).error[0].value.replace("\\", "")
    assert "judged pairs of query and item, as the hashing protocol needs" in error


def test_the_right_end_is_chance_only_where_nothing_is_left_out():
    assert _right_end(SimpleNamespace(min_similarity=-1.0)).endswith("in the gallery (chance).")
    other = _right_end(SimpleNamespace(min_similarity=0.25))
    assert "similarity threshold 0.25" in other and other.endswith("not chance.")
