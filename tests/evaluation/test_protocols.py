"""What each protocol makes of the evidence: grades, credit, what is left out, what is refused."""

import pandas as pd
import pytest

from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import REGISTRY, parse
from dashboard.evaluation.metrics.names import root
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.alfa import required_keywords
from dashboard.evaluation.protocols.hashing import types
from dashboard.evaluation.protocols.trec import judge as judge_trec
from dashboard.evaluation.rankings import rank
from dashboard.tables import DataError
from tests.evaluation.worlds import World, run_of


def qrels(rows, value="grade"):
    return pd.DataFrame(rows, columns=["query_id", "item_id", value])


def judge(protocol, **evidence):
    return PROTOCOLS[protocol].judge(World(**evidence), None)


def kept(protocol, run, judgement):
    table = PROTOCOLS[protocol].keep(run_of(run), judgement)
    return {q: rows["item_id"].tolist() for q, rows in table.groupby("query_id")}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_complete(name):
    protocol = PROTOCOLS[name]
    assert protocol.name == name
    assert protocol.title and protocol.source
    assert parse(protocol.metrics)
    for shown, label in protocol.shown_as.items():
        assert root(shown) in REGISTRY
        assert "(" in label, "a label states its formula"


def test_alfa_labels_stand_beside_the_standard_names():
    labels = PROTOCOLS["alfa"].shown_as
    assert labels["P"] == "Recall@K (hits ÷ K, ALFA 0.1; elsewhere: Precision@K)"
    assert labels["R"] == "Precision@K (hits ÷ relevant, ALFA 0.1; elsewhere: Recall@K)"


def test_alfa_asks_for_the_kept_keywords_or_the_clips_own(tiny_world):
    required = required_keywords(tiny_world, ["pv_object_type"])
    assert list(required.itertuples(index=False, name=None)) == [
        ("q1", "pv_object_type", "bicyclist"),
        ("q2", "pv_object_type", "bicyclist"),
        ("q3", "pv_object_type", "pedestrian"),
        ("q5", "pv_object_type", "vehicle"),
    ]


def test_alfa_without_annotation_says_what_it_needs():
    with pytest.raises(DataError, match="keywords of each item, for alfa"):
        judge("alfa", queries=pd.DataFrame({"query_id": ["q"]}))


def test_a_keyword_asked_for_by_two_ngrams_is_required_once(tiny_world):
    twice = tiny_world.query_keywords.iloc[[0]].assign(ngram="bike")
    tiny_world.query_keywords = pd.concat([tiny_world.query_keywords, twice])
    made = PROTOCOLS["alfa"].judge(tiny_world, None)
    assert made.relevant.tolist()[0] == 2
    assert set(made.qrels["credit"]) <= {0, 1 / 3, 1 / 2, 2 / 3, 1}


def test_trec_takes_grades_as_they_are_and_credit_by_scale():
    table = qrels([("q", "a", 3), ("q", "b", 1), ("q", "c", 0), ("q", "d", -2)])
    made = judge("trec", qrels=table)
    assert made.qrels["credit"].tolist() == [1, 1, 0, 0]
    assert made.relevant.tolist() == [2]
    assert judge_trec(World(qrels=table), scale=4).qrels["credit"].tolist() == [0.75, 0.25, 0, 0]


def test_a_query_without_any_judgement_is_not_scored():
    queries = pd.DataFrame({"query_id": ["asked", "judged"]})
    made = judge("trec", qrels=qrels([("judged", "a", 0), ("other", "a", 1)]), queries=queries)
    assert made.query_ids == ("asked", "judged", "other")
    assert made.unscorable == {"asked": "no judged item"}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_without_its_evidence_says_so(name):
    """It refuses, naming itself and what it needs; or nothing is judged, with a note."""
    try:
        made = judge(name)
    except DataError as problem:
        kind = "keywords" if PROTOCOLS[name].of_keywords else "qrels"
        assert str(problem).startswith(f"{kind}: found no ") and name in str(problem)
    else:
        assert made.qrels.empty and any("no relevance is known" in note for note in made.notes)


def test_composed_ranks_the_annotated_items_alone():
    made = judge("composed", qrels=qrels([("q", "b", 1), ("q", "c", 0), ("r", "c", 0)]))
    assert kept("composed", {"q": list("abcd"), "x": ["b"]}, made) == {"q": ["b", "c"]}
    assert made.unscorable == {"r": "no relevant item"}


def test_composed_refuses_other_labels_and_strange_items():
    with pytest.raises(DataError, match="label 2 for item 'a'"):
        judge("composed", qrels=qrels([("q", "a", 2)]))
    with pytest.raises(DataError, match="item 'a'; wanted an item of the gallery"):
        judge("composed", qrels=qrels([("q", "a", 1)]), items=pd.DataFrame({"item_id": ["b"]}))


def test_composed_says_which_queries_are_not_a_picture_with_three_feedbacks():
    labels = qrels([("q", "i", 1), ("r", "i", 1), ("s", "i", 1)])
    columns = ["query_id", "image", "item_id", "feedback_1", "feedback_2", "feedback_3"]
    whole = [("q", "a.png", "", "red", "long", "new"), ("r", "", "i", "red", "long", "new")]
    asked = pd.DataFrame([*whole, ("s", "a.png", "", "red", " ", "new")], columns=columns)
    assert judge("composed", qrels=labels, queries=asked[:2]).notes == ()
    (note,) = judge("composed", qrels=labels, queries=asked).notes
    assert note == (
        "1 of 3 queries are not a picture with exactly 3 feedbacks, such as 's' with a picture "
        "and 2; they are scored."
    )
    asked.loc[0, "image"] = ""
    (note,) = judge("composed", qrels=labels, queries=asked).notes
    assert "2 of 3 queries" in note and "'q' with no picture and 3" in note
    assert judge("composed", qrels=labels, queries=asked[["query_id", "image"]]).notes == ()


def test_crossmodal_counts_any_match():
    made = judge("crossmodal", qrels=qrels([("image", f"s{n}", 1) for n in range(5)]))
    run = run_of({"image": ["x", "s3", "s1"]})
    table = measure({"r": run}, made, "crossmodal", "Success@1 Success@5 R@5")
    assert table["value"].tolist() == [0, 1, 2 / 5]


def test_hashing_grades_by_type():
    table = qrels([("q", "a", 1), ("q", "b", 2), ("q", "c", 3)], "type")
    made = judge("hashing", qrels=table.assign(grade=0))
    assert made.qrels["grade"].tolist() == [2, 1, 0]
    assert made.relevant.tolist() == [2]
    run = run_of({"q": ["c", "a", "b"]})
    found = measure({"r": run}, made, "hashing", "AP(retrieved)@2 nDCG(exp)@1")
    assert found["value"].tolist() == [1 / 2, 0]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"type": 4}, "type 4 for the query 'q' and the item 'a'; wanted 1, 2 or 3"),
        ({"type": "near"}, "type near for the query 'q' and the item 'a'"),
        ({"grade": 3.0}, r"grade 3 for the query 'q' and the item 'a'; wanted 2 \(type 1\), 1"),
        ({"grade": 0.5}, "grade 0.5 for the query 'q'"),
        ({"grade": -1.0}, "grade -1 for the query 'q'"),
    ],
)
def test_hashing_refuses_a_type_or_grade_that_is_not_known(columns, said):
    with pytest.raises(DataError, match=said):
        judge("hashing", qrels=qrels([("q", "a", 1)]).assign(**columns))


def test_hashing_counts_pairs_of_each_type_and_those_that_nobody_named():
    made = judge("hashing", qrels=qrels([("q", "a", 2), ("q", "b", 1), ("r", "a", 0)]))
    table = types(made, ["a", "b", "c", "d"]).set_index("type")
    assert table["pairs"].to_dict() == {1: 1, 2: 1, 3: 2 + 4}
    assert table["gain"].tolist() == [3, 1, 0] and table["grade"].tolist() == [2, 1, 0]
    assert table.loc[3, ["mean", "least", "most"]].tolist() == [3, 2, 4]
    few = types(made, ["a", "c"], only=["q"]).set_index("type")
    assert few["pairs"].tolist() == [1, 0, 1] and few["queries"].tolist() == [1] * 3
    assert types(made, ["a"], only=[])["mean"].isna().all()


@pytest.mark.parametrize(
    ("asked", "items"),
    [
        ({"query_id": ["b"]}, {"item_id": ["a", "b"]}),
        ({"query_id": ["q"], "item_id": ["b"]}, {"item_id": ["a", "b"]}),
        ({"query_id": ["q"], "image": ["b"]}, {"item_id": ["a", "b"]}),
        ({"query_id": ["q"], "image": ["b.png"]}, {"item_id": ["a", "b"], "file": ["", "b.png"]}),
    ],
)
def test_hashing_refuses_a_query_that_is_in_the_gallery(asked, items):
    with pytest.raises(DataError, match=r"1 item of the gallery among the queries \(b\)"):
        judge(
            "hashing",
            qrels=qrels([(asked["query_id"][0], "a", 1)]),
            queries=pd.DataFrame(asked),
            items=pd.DataFrame(items),
        )


def test_hashing_lets_a_query_that_nobody_judged_be_an_item():
    made = judge(
        "hashing",
        qrels=qrels([("q", "a", 1)]),
        queries=pd.DataFrame({"query_id": ["q", "typed"], "item_id": ["", "a"], "image": ["", ""]}),
        items=pd.DataFrame({"item_id": ["a"], "file": [""]}),
    )
    assert made.unscorable == {"typed": "no judged item"}


def test_context_drops_invalid_answers_and_queries_full_of_them():
    rows = [("good", "a", 80), ("good", "b", -1), ("good", "c", 40), ("good", "d", -2)]
    rows += [("bad", f"i{n}", -1) for n in range(10)] + [("bad", "a", 50)]
    rows += [("edge", f"i{n}", -1) for n in range(9)] + [("edge", "a", 50)]
    made = judge("context", qrels=qrels(rows))
    assert made.unscorable == {"bad": "over 90 % invalid relevance"}
    assert made.notes[0].startswith("21 of 25 query–picture pairs have no valid")
    run = {"good": list("badcx"), "edge": ["i1", "a"], "bad": ["a"]}
    assert kept("context", run, made) == {"good": ["a", "c"], "edge": ["a"]}
    found = rank(PROTOCOLS["context"].keep(run_of(run), made), made)
    assert found.credit[:, :2].tolist() == [[0.8, 0.4], [0, 0], [0.5, 0]]
    assert found.hits[:, :2].tolist() == [[True, False], [False, False], [True, False]]


def test_context_refuses_a_relevance_above_the_scale():
    with pytest.raises(DataError, match="grade 101 of query 'q'"):
        judge("context", qrels=qrels([("q", "a", 101)]))


def test_context_without_qrels_takes_the_share_of_keywords_and_says_so(tiny_world):
    context, alfa = PROTOCOLS["context"], PROTOCOLS["alfa"]
    groups = ["pv_object_type", "pv_actor_behavior"]
    made = context.judge(tiny_world, groups)
    assert made.notes[0] == (
        "Relevance is the share of required keywords that an item has, times 100."
    )
    assert "50 or more" in made.notes[1]
    assert set(made.qrels["grade"]) == {0, 50, 100}
    # nobody has both keywords of q2, but i1, which v1 finds first, has one of them
    run = {"v1": tiny_world.runs["v1"]}
    in_context = measure(run, made, context, "CG@2").set_index("query_id")["value"]
    strict = measure(run, alfa.judge(tiny_world, groups), alfa, "CG@2").set_index("query_id")[
        "value"
    ]
    assert in_context["q2"] == 0.5
    assert strict.isna().to_dict()["q2"]
    assert in_context.drop("q2").equals(strict.drop("q2"))


@pytest.mark.parametrize("known", [None, qrels([])])
@pytest.mark.parametrize(
    ("texts", "what"),
    [(["fur"], "this text"), ([""], "this picture"), (["a", "b"], "these queries")],
)
def test_context_says_where_neither_relevance_nor_keywords_are_known(known, texts, what):
    ids = [f"q{n}" for n in range(len(texts))]
    made = judge(
        "context",
        qrels=known,
        queries=pd.DataFrame({"query_id": ids, "text": texts, "item_id": [""] * len(texts)}),
    )
    assert made.notes[0].startswith(f"Nothing is judged for {what}:")
    assert made.unscorable == dict.fromkeys(ids, "no judged item")
    assert made.qrels.empty


def test_a_collection_may_move_the_cutoffs():
    alfa = PROTOCOLS["alfa"].at((2, 7))
    assert alfa.metrics == "P@2 P@7 R@2 R@7 AP nDCG@7 CAG(DCG)@7"
    assert str(alfa.front) == "P@7"
    assert PROTOCOLS["alfa"].at(()) is PROTOCOLS["alfa"]
    assert PROTOCOLS["hashing"].at((10, 50)).metrics == "AP(retrieved)@50 nDCG(exp)@50 P@50"
