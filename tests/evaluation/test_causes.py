"""Each cause in a world made for it: twelve items around three directions, two versions."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from dashboard.evaluation.diagnosis import case as diagnosis_case
from dashboard.evaluation.diagnosis import causes as suspecting
from dashboard.evaluation.diagnosis import neighbours
from dashboard.evaluation.diagnosis.case import Case
from dashboard.evaluation.diagnosis.causes import causes
from dashboard.evaluation.diagnosis.neighbours import usual
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors

BIKE, CAR = ("type", "bicyclist"), ("type", "car")
CROSSING, STILL = ("behaviour", "crossing"), ("behaviour", "stationary")


class Space:
    def __init__(self, ids, rows):
        matrix = np.array(rows, dtype="float32")
        self.ids = tuple(ids)
        self.matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def gallery(self):
        return Gallery(Vectors(self.ids, self.matrix.copy()))

    def there(self, items):
        return self.gallery().there(items)

    def fetch(self, ids):
        return self.gallery().fetch(ids)

    def similarities(self, items, others):
        return self.gallery().similarities(items, others)

    def part_of(self, ids):
        inside = [name in ids for name in self.ids]
        names = [name for name in self.ids if name in ids]
        return Space(names, self.matrix[inside])

    def nearest(self, items, k, among=None):
        return self.gallery().nearest(items, k, among and among.gallery())


def world(wide=0.02, **changes):
    """Items b0–b29 (bicyclist, crossing) near one direction, c0–c29 (car, stationary) near another,
    and three of their own: `half` (bicyclist only), `far`, and `like` (as the c)."""
    rng = np.random.default_rng(1)
    names = [f"b{n}" for n in range(30)] + [f"c{n}" for n in range(30)] + ["half", "far", "like"]
    centres = {"b": (1, 0, 0, 0), "c": (0, 1, 0, 0), "f": (0, 0, 1, 0), "l": (0, 1, 0, 0)}
    at = [centres.get(n[0], (1, 0, 0, 0)) for n in names]
    at = np.array(at, dtype=float)
    at[names.index("half")] = (0, 0, 0, 1)
    spaces = {v: Space(names, at + rng.normal(size=at.shape) * wide) for v in ("v1", "v2")}
    keywords = [(n, *p) for n in names if n[0] == "b" for p in (BIKE, CROSSING)]
    keywords += [(n, *p) for n in names if n[0] == "c" for p in (CAR, STILL)]
    keywords += [("half", *BIKE), ("far", *CAR), ("like", *CAR), ("like", *STILL)]
    table = pd.DataFrame(keywords, columns=["item_id", "group", "keyword"])
    ranks = {v: {name: rank for rank, name in enumerate(names, start=1)} for v in spaces}
    relevant = tuple(n for n in names if n[0] == "b")
    given = {"required": (BIKE, CROSSING), "relevant": relevant, "depth": 5, "keywords": table}
    return Case(spaces=spaces, ranks=ranks, **{**given, **changes})


def only(case, wrong=(), missed=()):
    found = causes(case, wrong, missed)
    assert len(found) == 1
    return next(iter(found.values()))


def with_keywords(case_changes, item, pairs):
    table = world().keywords
    table = table[table["item_id"] != item]
    extra = pd.DataFrame([(item, *p) for p in pairs], columns=table.columns)
    return world(keywords=pd.concat([table, extra]), **case_changes)


def test_a_keyword_that_the_neighbours_have_may_be_missing_on_the_item():
    relevant = tuple(f"b{n}" for n in range(1, 30))
    found = only(with_keywords({"relevant": relevant}, "b0", [BIKE]), ["b0"])
    assert found.cause == "label" and found.short == "missing annotation: crossing"
    assert "10 of 10 by v1, 10 of 10 by v2" in found.sentence and "may" in found.sentence


def test_neighbours_of_one_version_are_not_enough():
    relevant = tuple(f"b{n}" for n in range(1, 30))
    case = with_keywords({"relevant": relevant}, "b0", [BIKE])
    other = dict(case.spaces)
    moved = other["v2"].matrix.copy()
    moved[0] = (0, 1, 0, 0)
    other["v2"] = Space(other["v2"].ids, moved)
    case = Case(**{k: getattr(case, k) for k in case.__dataclass_fields__} | {"spaces": other})
    assert only(case, ["b0"]).cause == "near"


@pytest.mark.parametrize(("others", "cause"), [(10, "label"), (9, "near")])
def test_neighbours_speak_only_where_ten_others_show_what_is_rare(others, cause):
    case = with_keywords({"relevant": tuple(f"b{n}" for n in range(1, 30))}, "b0", [BIKE])
    kept = case.keywords
    annotated = [f"b{n}" for n in range(30)] + [f"c{n}" for n in range(others)]
    changed = {k: getattr(case, k) for k in case.__dataclass_fields__}
    changed["keywords"] = kept[kept["item_id"].isin(annotated)]
    assert only(Case(**changed), ["b0"]).cause == cause


def test_all_keywords_but_one_is_a_near_miss():
    found = only(world(), ["half"])
    assert found == (
        "near",
        "near miss: no crossing",
        "Has 1 of 2 keywords; lacks only “crossing”.",
    )


def test_one_keyword_of_one_is_no_near_miss():
    found = only(world(required=(CROSSING,)), ["half"])
    assert found.cause == "model"


def test_what_looks_like_a_relevant_item_but_has_other_keywords():
    moved = world(wide=0.02)
    for space in moved.spaces.values():
        space.matrix[space.ids.index("like")] = space.matrix[0]
    found = only(moved, ["like"])
    assert found.cause == "alike"
    assert "1.00 similar to “b0”, which is relevant" in found.sentence
    assert "99 of 100 pairs of items are below" in found.sentence


def test_of_many_relevant_items_those_that_a_version_ranks_first_are_compared(monkeypatch):
    moved = world(wide=0.02)
    for space in moved.spaces.values():
        space.matrix[space.ids.index("like")] = space.matrix[29]  # b29 has rank 30 in each
    for most, compared in ((30, True), (29, False)):
        monkeypatch.setattr(suspecting, "MOST_COMPARED", most)
        assert ("similar to “b29”" in only(moved, ["like"]).sentence) == compared


def test_what_looks_like_the_querys_own_item():
    moved = world(own="b7")
    for space in moved.spaces.values():
        space.matrix[space.ids.index("like")] = space.matrix[7]
    assert "similar to the query's own item" in only(moved, ["like"]).sentence


def test_nothing_else_explains_it():
    found = only(world(), ["far"])
    assert found.cause == "model"
    assert found.sentence == "Rank 62 in v1, 62 in v2. Nothing else explains it."


def test_a_query_that_is_known_to_ask_for_something_else():
    case = world(known=frozenset([CAR, STILL]))
    wrong, missed = causes(case, ["c3"], []), causes(case, [], ["b9"])
    assert wrong["c3"].cause == missed["b9"].cause == "mapping"
    assert "known to ask for “car” and “stationary”, which this item has" in wrong["c3"].sentence
    assert only(case, ["far"]).cause == "model", "wrong by both"


def test_a_query_that_is_known_to_ask_for_just_that_has_no_wrong_mapping():
    case = world(known=frozenset([CROSSING, BIKE]))
    assert only(case, ["half"]).cause == "near"


def test_a_weak_mapping_is_said_with_its_words_and_similarity():
    mapped = {CROSSING: ("going over", 0.62), BIKE: ("cyclist", 1.0)}
    found = only(world(mapped=mapped), ["half"])
    assert found.short == "weak keyword mapping"
    assert found.sentence == "Mapped with doubt: “going over” to “crossing” at only 0.62."
    assert only(world(mapped={CROSSING: ("going over", 0.7)}), ["half"]).cause == "near"


def test_a_missed_item_with_a_keyword_that_no_neighbour_has():
    case = with_keywords({"relevant": (*world().relevant, "far")}, "far", [BIKE, CROSSING])
    for space in case.spaces.values():
        space.matrix[space.ids.index("far")] = space.matrix[space.ids.index("c0")]
    found = only(case, missed=["far"])
    assert found.cause == "label" and "0 of 10 by v1" in found.sentence
    assert "may be wrong" in found.sentence


def test_a_missed_item_just_below_the_last_one_shown():
    assert only(world(), missed=["b9"]).sentence == "Just below the first 5: rank 10 in v1."
    assert only(world(), missed=["b10"]).cause == "model"


def test_a_missed_item_that_looks_like_others():
    case = world(relevant=("b0", "b1", "b2", "b3", "far"), required=())
    found = only(case, missed=["far"])
    assert found.cause == "alike"
    assert "None of its 4 nearest neighbours is relevant by 2 of 2 versions" in found.sentence


def test_without_vectors_there_are_still_causes():
    bare = world()
    case = Case(**{k: getattr(bare, k) for k in bare.__dataclass_fields__} | {"spaces": {}})
    assert only(case, ["half"]).cause == "near"
    assert only(case, missed=["b20"]).cause == "model"
    assert only(case, missed=["nobody"]).sentence.startswith("No version ranks it.")


def test_neighbours_are_the_nearest_and_never_the_item_itself():
    space = Space("abcd", [(1, 0), (0.9, 0.1), (0, 1), (0.1, 0.9)])
    near = space.nearest(["a", "gone"], 2)
    assert list(near) == ["a"] and [other for other, _ in near["a"]] == ["b", "d"]
    few = space.part_of(pd.Index(["c", "a"]))
    assert [other for other, _ in space.nearest(["a"], 5, few)["a"]] == ["c"]


@pytest.mark.parametrize(("size", "said"), [(1, 1.0), (2, 0.0)])
def test_what_is_usual_of_few_items(size, said):
    assert usual(Space("ab"[:size], np.eye(2)[:size])) == said


def test_a_keyword_that_similar_items_often_lack_is_not_suspected():
    """Where many items without the keyword have such neighbours, neighbours say nothing."""
    case = with_keywords({"relevant": tuple(f"b{n}" for n in range(6, 30))}, "b0", [BIKE])
    kept = case.keywords
    lacking = kept["item_id"].isin([f"b{n}" for n in range(6)]) & (kept["keyword"] == "crossing")
    changed = {k: getattr(case, k) for k in case.__dataclass_fields__}
    assert only(Case(**changed | {"keywords": kept[~lacking]}), ["b0"]).cause == "near"


@pytest.mark.parametrize("items", [5, 6, 30])
def test_shares_are_those_of_plain_loops_and_too_few_neighbours_say_nothing(items):
    kept = world().keywords
    few = [f"b{n}" for n in range(items // 2)] + [f"c{n}" for n in range(items - items // 2)]
    case = world(keywords=kept[kept["item_id"].isin(few)])
    for version, pair, has in product(("v1", "v2"), (BIKE, CAR, ("type", "none")), (True, False)):
        near = case.annotated.around[version].near
        expected = [
            sum(pair in case.has[other] for other in of) / len(of)
            for item, of in near.items()
            if len(of) >= 5 and (pair in case.has[item]) == has and item != few[0]
        ]
        found = case.annotated.shares(version, pair, few[0], has).tolist()
        assert found == expected and (items > 5 or not found)


def test_of_a_large_gallery_a_part_from_all_over_it_is_searched_and_said(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST", 40)
    monkeypatch.setattr(neighbours, "SOME", 23)  # 11 stretches
    monkeypatch.setattr(neighbours, "STRETCH", 2)
    monkeypatch.setattr(diagnosis_case, "HITS", 1)

    def beside_c0(*relevant):
        case = world(relevant=(*relevant, "far"), required=())
        for space in case.spaces.values():
            space.matrix[space.ids.index("far")] = space.matrix[space.ids.index("c0")]
        return case

    case = beside_c0("b0", "b1", "b6", "b7", "b12", "b3")
    assert case.annotated.every["v1"].ids[:6] == ("b0", "b1", "b6", "b7", "b12", "b13")
    assert len(case.annotated.every["v1"].ids) == 22
    found = only(case, missed=["far"])  # b3 is not among those that are searched
    assert "None of its 5 nearest neighbours among 22 items is relevant" in found.sentence
    assert "though 6 other items are" in found.sentence
    assert only(beside_c0("b2", "b3", "b4", "b5"), missed=["far"]).cause == "model"
    monkeypatch.setattr(neighbours, "MOST", 63)
    assert world().among == ""


def test_all_annotated_items_of_a_large_gallery_are_searched_where_they_are_few(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST", 22)
    monkeypatch.setattr(neighbours, "SOME", 22)
    monkeypatch.setattr(neighbours, "STRETCH", 2)
    kept = world().keywords
    case = world(keywords=kept[kept["item_id"].isin([f"b{n}" for n in range(20)])])
    assert case.among == "" and world(required=(), keywords=case.keywords).among != ""
