"""The rooms of the builder of drawings that ask, measure and make codes, on tiny cases."""

from __future__ import annotations

import doctest
import importlib
import random
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

BUILDER = Path(__file__).resolve().parents[2] / "data" / "openmoji_build"
sys.path[:0] = [str(BUILDER), str(BUILDER.parent)]

from drawings.asking import browsing, captions, composed, hashes, relevance  # noqa: E402
from drawings.learning.codes import anchored, itq, lsh, signs  # noqa: E402
from drawings.measuring import captions as captions_worth  # noqa: E402
from drawings.measuring import composed as composed_worth  # noqa: E402
from drawings.measuring import context as context_worth  # noqa: E402
from drawings.measuring import hashes as hashes_worth  # noqa: E402
from drawings.sources import Drawing, distinct  # noqa: E402


def drawing(name: str, group: str = "objects", subgroup: str = "tool", **more: object) -> Drawing:
    """A drawing with a name, and words where a test gives some."""
    words = {"keywords": (), "tags": (), "shortcodes": (), **more}
    return Drawing(name.upper(), name, group, subgroup, "", "A. Author", **words)  # type: ignore[arg-type]


PEOPLE = [
    composed.Person(f"{gender}-{tone}-{role}", gender, tone, role, "")
    for role in ("cook", "farmer", "singer", "surfing", "swimming", "pilot")
    for gender in ("man", "woman")
    for tone in (composed.PLAIN, *composed.TONES)
]


def test_variants_of_a_drawing_are_one_family() -> None:
    names = ("cook", "man cook", "woman cook: dark skin tone", "person: beard", "woman: beard")
    assert [drawing(name).family for name in names] == ["cook"] * 3 + ["beard"] * 2
    assert drawing("man").family == "man"


def test_words_are_kept_once_in_order() -> None:
    assert distinct(["Red ", "apple", "red"]) == ("red", "apple")


def test_every_query_has_one_feedback_on_each_attribute_and_asks_for_a_change() -> None:
    rng = random.Random(0)
    for person in PEOPLE:
        three = composed.wishes(person, ["cook", "surfing"], rng)
        assert sorted(wish.attribute for wish in three) == ["gender", "role", "tone"]
        assert not all(wish.met(person) for wish in three)
        assert all(wish.met_by for wish in three)


def test_labels_say_who_meets_all_three_feedbacks() -> None:
    asked = composed.queries(PEOPLE, 6, 2, seed=3)
    assert Counter(Counter(query.image for query in asked).values()) == {2: 6}
    people = {person.item_id: person for person in PEOPLE}
    for query in asked:
        assert len(query.labels) == composed.ANNOTATED
        assert query.image not in dict(query.labels)
        for item, grade in query.labels:
            assert grade == all(wish.met(people[item]) for wish in query.wishes)
        assert 1 in dict(query.labels).values()


def test_lighter_and_darker_are_meant_from_the_picture() -> None:
    person = composed.Person("x", "man", "medium", "cook", "")
    said = {}
    rng = random.Random(1)
    for _ in range(200):
        wish = composed._tone_wish(person, rng)
        said[wish.said] = wish.met_by
    assert said["with lighter skin"] == {"light", "medium-light"}
    assert said["a darker tone"] == {"medium-dark", "dark"}
    assert said["the same skin tone"] == {"medium"}


def test_a_third_of_the_roles_of_each_kind_is_held_out() -> None:
    held = composed.held_out_roles(0)
    for roles in composed.KINDS.values():
        assert 1 <= len(held.intersection(roles)) <= len(roles) / 2
    assert held == composed.held_out_roles(0) != composed.held_out_roles(1)


def test_five_texts_hold_every_keyword_once() -> None:
    words = ("cut", "cutting", "tool", "paper", "hair", "craft", "school")
    scissors = drawing("scissors", keywords=words, shortcodes=("shears",))
    found = captions.texts(scissors)
    assert found[:2] == ["scissors", "shears"] and len(found) == 5
    assert sorted(", ".join(found[2:]).split(", ")) == sorted(words)
    assert captions.texts(scissors, deal=1) != found == captions.texts(scissors)
    assert captions.has_five(scissors) and not captions.has_five(drawing("scissors"))


def test_a_shortcode_that_says_the_name_again_is_no_text() -> None:
    words = tuple("abcdefgh")
    found = captions.texts(drawing("red apple", keywords=words, shortcodes=("red apple", "fruit")))
    assert found[1] == "fruit"
    alone = captions.texts(drawing("red apple", keywords=words, shortcodes=("redapple",)))
    assert len(alone) == 5 and "redapple" not in alone


def test_families_are_held_out_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captions, "HELD_OUT", 6)
    drawings = [
        drawing(f"{person} {role}", keywords=tuple(f"{person}{role}{n}" for n in range(7)))
        for role in ("cook", "pilot", "guard", "judge", "artist")
        for person in ("man", "woman")
    ]
    asked, held, rest = captions.split(drawings, seed=0)
    assert len(asked) == 6 == len(held) and len(rest) == 4
    assert {d.family for d in held}.isdisjoint(d.family for d in rest)


def test_digits_are_dealt_evenly() -> None:
    found = hashes.classed_digits([n % 3 for n in range(60)], each=4, seed=0)
    parts = Counter((one.fine, one.part) for one in found)
    for digit in "012":
        assert [parts[digit, p] for p in (hashes.QUERY, hashes.TRAIN, hashes.REST)] == [4, 8, 8]


def test_queries_are_drawings_of_large_subgroups_that_nothing_learned_from() -> None:
    drawings = [drawing(f"d{n}", subgroup="big" if n < 40 else f"small{n}") for n in range(50)]
    found = hashes.classed_drawings(drawings, 5, seed=1)
    assert Counter(one.part for one in found) == {"train": 25, "rest": 20, "query": 5}
    assert {one.fine for one in found if one.part == "query"} == {"big"}


def test_codes_are_signs_and_keep_neighbours() -> None:
    rng = np.random.default_rng(0)
    middles = np.repeat(rng.normal(size=(4, 20)), 30, axis=0)
    seen = middles + 0.1 * rng.normal(size=middles.shape)
    for method in (lsh, itq):
        codes = method(seen[::2], 16, 0)(seen)
        assert codes.dtype == np.int8 and set(np.unique(codes)) == {-1, 1}
        near = (codes[:30] != codes[0]).sum(1).mean()
        far = (codes[30:] != codes[0]).sum(1).mean()
        assert near + 3 < far, method.__name__
    assert signs(np.zeros(2)).tolist() == [1, 1]


def test_nearness_to_itself_is_one() -> None:
    seen = np.random.default_rng(0).normal(size=(5, 3))
    near = anchored(seen, seen).near(seen)
    assert np.allclose(np.diag(near), 1) and near.min() > 0 and np.allclose(near, near.T)


def test_five_sources_answer_and_silent_ones_are_invalid() -> None:
    rain = drawing("cloud with rain", "travel-places", "sky-weather", keywords=("rain", "cloud"))
    assert dict(zip(relevance.WORKERS, relevance.answers("rain", rain), strict=True)) == {
        "name": 70, "cldr": 100, "tags": -1, "codes": -1, "group": 0,
    }  # fmt: skip
    assert relevance.mean(relevance.answers("rain", rain)) == pytest.approx(56.67)
    assert relevance.mean([-1, -2]) == -1


def test_a_patient_person_is_more_content_with_what_fits() -> None:
    viewer = browsing.Viewer("p", 5, 0.25, 0.1, 0.95, 0.05, (1, 5), 9)
    rng = np.random.default_rng(0)
    good = np.mean([browsing.contentment(viewer, [0.7] * 50, rng) for _ in range(50)])
    bad = np.mean([browsing.contentment(viewer, [0.0] * 50, rng) for _ in range(50)])
    assert good > 0.8 > 0.4 > bad


def test_people_answer_on_their_own_part_of_the_scale() -> None:
    queries = [f"w{n}" for n in range(20)]
    seen = browsing.sessions(queries, ["a", "b"], lambda *grid: [0.3] * 5 * grid[2], seed=0)
    assert seen == browsing.sessions(queries, ["a", "b"], lambda *g: [0.3] * 5 * g[2], seed=0)
    lists = Counter(shown.participant for shown in seen)
    assert len(lists) == browsing.PEOPLE and lists[f"p{browsing.PEOPLE}"] == 2
    assert {shown.satisfaction for shown in seen if shown.participant == "p03"} == {4}
    assert len({(s.participant, s.query_id) for s in seen}) == len(seen)


def test_figures_by_hand() -> None:
    hits = np.array([True, False, True, False])
    assert composed_worth.average_precision(hits) == pytest.approx((1 + 2 / 3) / 2)
    graded = np.array([0.0, 2.0, 1.0])
    assert hashes_worth.average_precision(graded) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert hashes_worth.discounted_gain(graded) == pytest.approx(3 / np.log2(3) + 1 / 2)
    assert context_worth.gain([1.0, 0.5, 9.0], 2) == pytest.approx((1 + 0.5 / np.log2(3)) / 2)
    assert context_worth.spearman(np.array([1, 2, 3]), np.array([9, 4, 1])) == pytest.approx(-1)
    # 2 of 24 texts are right: one of them is first by chance once in 12 times.
    assert captions_worth.chance(12, 2)[0] == pytest.approx(100 / 12)


EXAMPLES = (
    "sources", "files", "asking.hashes", "asking.relevance", "asking.browsing", "learning.codes",
    "measuring.composed", "measuring.captions", "measuring.hashes", "measuring.context",
)  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_the_builder_are_right(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"drawings.{name}"))
    assert tried and not failed


def test_each_requirement_is_bounded_and_says_what_it_is_for() -> None:
    text = (BUILDER / "requirements.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            assert re.fullmatch(r"[\w\-]+(==[\w.]+|>=[\w.]+,<[\w.]+) +# \S.*", line), line
