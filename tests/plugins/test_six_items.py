"""One world of six items worked by hand, under every protocol: what must hold for each of them.

Items are codes of eight bits, so that hashing measures the same lists. Cosines of the queries:

    q1  a 1, b and c .75, d .5, e 0, f -.5        asks for a and c
    q2  f .5, e 0, d -.5, b and c -.75, a -1      asks for d and e
    x1  a .75, c .5, d and e .25, f -.25          is about b, and asks for a
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dashboard
from dashboard.evaluation.metrics import NAMES, parse
from dashboard.storage.collection import open_collection
from dashboard.study.judging import list_all_rules
from dashboard.study.new_query import search
from dashboard.study.study import Study
from tests.plugins.worlds import call, open_world, write_world

FLIPPED = {"b": "0", "a": "", "f": "012345", "c": "1", "e": "0123", "d": "23"}
"""Bits in which an item differs from q1, in the order of the gallery."""
LABELS = {"a": "cat;dog", "b": "dog", "c": "cat", "d": "fox", "e": "fox", "f": ""}
ASKED = {"q1": "cat", "q2": "fox", "x1": ""}
GRADES = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}, "q2": {"d": 1, "e": 1, "f": 0},
          "x1": {"b": 1, "a": 1, "d": 0}}  # fmt: skip
LIGHT = {"q1": "day", "q2": "night", "x1": "day"}
LEAST = "0.1"
"""A similarity that a, b, c and d reach for q1, f for q2, and all but f for x1."""
PROTOCOLS = ("qrels", "alfa", "class_labels", "composed", "crossmodal", "hashing", "context")
AP = {name: (5 / 6, 7 / 12, 1.0) for name in PROTOCOLS}
AP |= {"qrels": (1.0, 7 / 12, 1.0), "crossmodal": (1.0, 1 / 4, 1.0)}
"""AP of q1, q2 and x1. Of b and c, equal for q1, b is the first in the gallery, c by id. Among
the items of side two, q1 finds a and c first, and q2 e after f, but d is of side one."""
AP["hashing"] = AP["hashing"][:2]
PASSING = {"qrels": (4, 1, 4), "alfa": (4, 1, 4), "class_labels": (4, 1, 4), "hashing": (4, 1),
           "composed": (4, 1, 2), "context": (4, 1, 2), "crossmodal": (2, 1, 3)}  # fmt: skip
"""Results with at least LEAST: of judged items, or of the side that is searched."""


def make_code(flipped: str) -> list[float]:
    return [-1.0 if str(bit) in flipped else 1.0 for bit in range(8)]


CODES = {name: make_code(flipped) for name, flipped in FLIPPED.items()}
ASKING = {"q1": make_code(""), "q2": make_code("01234567")}


def write(folder: Path, protocol: str, queries: tuple[str, ...], codes: Any = None) -> Path:
    """Write the six items for a protocol; versions v1 (vectors), r (the same as a file), z."""
    name = "trec" if protocol == "qrels" else protocol
    settings = f'protocols = ["{name}"]\n' + 'class_label = "labels"\n' * (name == "class_labels")
    items = "item_id,labels,side\n" + "".join(
        f"{item},{LABELS[item]},{'one' if item in 'bd' else 'two'}\n" for item in FLIPPED
    )
    if protocol != "crossmodal":
        items = items.replace(",side", ",x").replace(",one", ",").replace(",two", ",")
    rows = {
        "q1": "q1,a cat,,cat,two,day", "q2": "q2,a fox,,fox,two,night", "x1": "x1,,b,,,day",
    }  # fmt: skip
    asked = "query_id,text,item_id,labels,among,light\n" + "\n".join(rows[q] for q in queries)
    if protocol != "crossmodal":
        asked = asked.replace("among", "x")
    judged = protocol in ("qrels", "composed", "crossmodal")
    pairs = [(q, item, grade) for q in queries for item, grade in GRADES[q].items()]
    qrels = "".join(f"{q} 0 {item} {grade}\n" for q, item, grade in pairs)
    codes = CODES if codes is None else codes
    asking = {q: code for q, code in ASKING.items() if q in queries}
    write_world(folder, settings, items, asked, codes, asking, qrels if judged else "")
    if protocol == "alfa":
        words = "".join(f"{i},{each.replace(';', ' ; ')}\n" for i, each in LABELS.items())
        (folder / "unified_annotation.csv").write_text("slice_id,pv_kind\n" + words)
        mapped = "".join(f"{q},word,pv_kind,{word},1\n" for q, word in ASKED.items() if word)
        (folder / "query_keywords.csv").write_text("query_id,ngram,group,keyword,score\n" + mapped)
    if protocol == "context":
        said = "".join(f"{q},{item},{100 * grade}\n" for q, item, grade in pairs)
        (folder / "relevance.csv").write_text("query_id,item_id,relevance\n" + said)
    (folder / "runs").mkdir()
    for run, sign in (("r", 1), ("z", -1)):
        lines = [
            f"{q} Q0 {item} 1 {sign * np.dot(ASKING.get(q, codes['b']), code) / 8} t\n"
            for q in queries
            for item, code in sorted(codes.items())
        ]
        (folder / "runs" / f"{run}.trec").write_text("".join(lines))
    return folder


def list_queries(protocol: str) -> tuple[str, ...]:
    """Return the queries of a protocol; items are never queries of hash codes."""
    return ("q1", "q2") if protocol == "hashing" else ("q1", "q2", "x1")


def study_of(folder: Path, **given: str) -> Study:
    return open_world(folder, queries="all", **given)


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(protocol: str, tmp_path: Path) -> Path:
    return write(tmp_path / "data" / "w", protocol, list_queries(protocol))


def values(study: Study, version: str, metric: str) -> list[float]:
    return [round(each, 9) for each in study.values(version, metric).tolist()]


def approx(expected: Any) -> Any:
    return pytest.approx(list(expected), abs=1e-9)


@pytest.mark.parametrize("version", ["v1", "r"])
def test_values_by_hand(protocol: str, folder: Path, version: str) -> None:
    assert values(study_of(folder), version, "AP") == approx(AP[protocol])


@pytest.mark.parametrize("version", ["v1", "r"])
@pytest.mark.parametrize("given", ["item_id", "image"])
def test_own_item_is_neither_ranked_nor_relevant(
    protocol: str, folder: Path, version: str, given: str
) -> None:
    """Fault 1: b is judged relevant to x1, or has its keywords or class, and is left out."""
    if protocol == "hashing":
        path = folder / "queries.csv"
        path.write_text(path.read_text() + "\nx1,,b,dog,,day".replace(",,", ",,", 1))
        assert "1 items of the gallery among the queries (b)" in str(
            open_collection(folder).unread["hashing"]
        )
        return
    if given == "image":
        path = folder / "queries.csv"
        path.write_text(path.read_text().replace("item_id", "image"))
        (folder / "models" / "v1" / "queries.txt").write_text("q1\nq2\nx1")
        asking = np.array([*ASKING.values(), CODES["b"]])
        np.save(folder / "models" / "v1" / "queries.npy", asking)
    study = study_of(folder)
    measured = [values(study, version, each)[2] for each in ("AP", "R@5", "num_rel", "P@1", "RR")]
    assert measured == [1, 1, 1, 1, 1]
    rows = study.query("x1", [version], 10).rows
    assert rows[0]["item_id"] == "a" and "b" not in [row["item_id"] for row in rows]
    found = search(study, [version], item="b", depth=10).rows if version == "v1" else []
    assert "b" not in [row["item_id"] for row in found]


def test_one_order_of_equal_scores(protocol: str, tmp_path: Path) -> None:
    """Fault 2: six equal items stand by id, descending, or as in the gallery: b a f c e d."""
    folder = write(tmp_path / "w", protocol, ("q1", "q2"), dict.fromkeys(CODES, make_code("")))
    study = study_of(folder)
    order = "fedcba" if protocol == "qrels" else "bafced"
    kept = {"composed": "abcd", "context": "abcd", "crossmodal": "acef"}.get(protocol, "abcdef")
    for version in ("v1", "r"):
        rows = study.query("q1", [version], 10).rows
        assert "".join(row["item_id"] for row in rows) == "".join(i for i in order if i in kept)
    for metric in ("AP", "nDCG@2", "RR", "P@1", "Judged@3"):
        assert values(study, "v1", metric) == values(study, "r", metric)


def test_names(protocol: str) -> None:
    """Faults 3 and 4: each label once; a metric has its standard name, never a source's own."""
    by_name = {"qrels" if each.name == "trec" else each.name: each for each in list_all_rules()}
    assert by_name.keys() == set(PROTOCOLS)
    shown = [str(each) for each in parse(by_name[protocol].metrics)]
    assert len(set(shown)) == len(shown)
    assert not [name for name in NAMES if name in ("recall", "precision", "hit rate")]


def test_names_of_trec_eval(protocol: str, folder: Path) -> None:
    """Names of trec_eval are taken under every protocol."""
    names = "map P_5 recall_5 ndcg ndcg_cut_5 recip_rank Rprec bpref num_ret num_rel num_rel_ret "
    ours = "AP P@5 R@5 nDCG nDCG@5 RR Rprec bpref num_ret num_rel num_rel_ret Success@5"
    study = study_of(folder)
    (theirs,) = study.measure(["v1"], names + "success_5")
    (found,) = study.measure(["v1"], ours)
    assert " ".join(map(str, theirs.measures)) == ours
    np.testing.assert_array_equal(theirs.values, found.values)


def test_numbers_do_not_depend_on_the_order_of_queries(
    protocol: str, folder: Path, tmp_path: Path
) -> None:
    """Fault 7: the test and the bounds are the same for a file in another order."""
    turned = write(tmp_path / "turned", protocol, list_queries(protocol)[::-1])
    rows = [study_of(each).compare("v1", "z", "AP P@2 num_ret") for each in (folder, turned)]
    assert rows[0] == rows[1]
    assert all(0 < row["p"] <= 1 for row in rows[0])


@pytest.mark.parametrize("version", ["v1", "r"])
def test_least_similarity_is_obeyed(protocol: str, folder: Path, version: str) -> None:
    """Fault 8: in measure, query, compare, slices, in Python and on the command line."""
    study = study_of(folder, min_similarity=LEAST)
    passing, queries = PASSING[protocol], list_queries(protocol)
    assert values(study, version, "num_ret") == approx(passing)
    expected = [*AP[protocol]]
    expected[1] = 0.0  # only f is near to q2
    assert values(study, version, "AP") == approx(expected)
    for query, number in zip(queries, passing, strict=True):
        assert len(study.query(query, [version], 10).rows) == number
    (row,) = study.compare(version, "z", "num_ret")
    assert row["baseline"] == pytest.approx(np.mean(passing))
    means = {r["slice"]: r["mean"] for r in study.list_slice_means([version], "num_ret")}
    assert means["light=night"] == 1
    assert means["light=day"] == pytest.approx(np.mean([passing[0], *passing[2:]]))
    deltas = {r["slice"]: r["delta"] for r in study.compare_slices(version, "z", "num_ret")}
    change = study.values("z", "num_ret") - study.values(version, "num_ret")
    assert deltas["light=night"] == pytest.approx(change[1])
    opened = dashboard.open(folder)
    table = opened.measure("num_ret", version, min_similarity=float(LEAST), queries="all")
    assert table["mean"].tolist() == [pytest.approx(np.mean(passing))]
    words = ("--runs", version, "--metrics", "num_ret", "--queries", "all", "--by-query")
    code, rows, _ = call("measure", folder, *words, "--min-similarity", LEAST)
    assert code == 0 and [row["value"] for row in rows] == approx(passing)


@pytest.mark.parametrize("version", ["v1", "r"])
def test_a_slice_is_obeyed(protocol: str, folder: Path, version: str) -> None:
    """Fault 8: only the queries by day, and nothing of the others."""
    study = study_of(folder, slice="light=day")
    inside = [place for place, q in enumerate(list_queries(protocol)) if LIGHT[q] == "day"]
    assert values(study, version, "AP") == approx(AP[protocol][place] for place in inside)
    (row,) = study.compare(version, "z", "AP")
    assert (row["total"], row["scored"]) == (len(inside), len(inside))
    names = {r["slice"] for r in study.list_slice_means([version], "AP")}
    assert "light=day" not in names and "light=night" not in names


def test_groups_are_obeyed(tmp_path: Path) -> None:
    """Fault 8: without the group of the keywords no query asks for anything."""
    folder = write(tmp_path / "w", "alfa", ("q1", "q2", "x1"))
    path = folder / "unified_annotation.csv"
    lines = path.read_text().replace("pv_kind", "pv_kind,pv_other").splitlines()
    path.write_text("\n".join([lines[0], *(f"{line},thing" for line in lines[1:])]))
    every, other = (study_of(folder, groups=each) for each in ("pv_kind", "pv_other"))
    for version in ("v1", "r"):
        assert values(every, version, "AP") == approx(AP["alfa"])
        assert [None if v != v else v for v in values(other, version, "AP")] == [None, None, 1]
        (row,) = other.compare(version, "z", "AP")
        assert (row["scored"], row["total"]) == (1, 3)
        assert {r["hit"] for r in other.query("x1", [version]).rows} == {True}


OFF_SCALE = {"composed": "2", "hashing": "3", "context": "101"}


@pytest.mark.parametrize("name", OFF_SCALE)
def test_a_scale_is_stated_or_refused(name: str, tmp_path: Path) -> None:
    """Fault 6: a grade that is none of the protocol's is refused, and the screens say why."""
    folder = write(tmp_path / "w", name, ("q1", "q2"))
    said = f"q1 0 a 1\nq1 0 c {OFF_SCALE[name]}\n"
    (folder / "qrels.txt").write_text(said)
    (folder / "relevance.csv").unlink(missing_ok=True)
    collection = open_collection(folder)
    assert OFF_SCALE[name] in str(collection.unread[name])
    assert [each for each in collection.findings if each.level == "error"]
