"""Figures of the versions, and what they are taught with."""

from __future__ import annotations

import numpy as np
import pytest
from driving.labelling.clips import Clip
from driving.labelling.labels import Label, SalientActor
from driving.models.captions import training_captions
from driving.models.measure import hits_and_ap, item_measures, known_keywords, text_measures
from driving.models.train import overlap


def clip(object_type: str, behaviour: str) -> Clip:
    """A clip of one actor."""
    actor = SalientActor(1, object_type, (behaviour,), "corridor front", 9.0, 1.0)
    label = Label("d", 0, 0, (actor,), "ego turning", ("urban",))
    return Clip("", "s", label, ("daytime", "sunny"))


CLIPS = [
    clip("bicyclist", "stationary"),
    clip("bicyclist", "straight crossing path"),
    clip("pedestrian", "stationary"),
    clip("large vehicle", "traveling in same direction"),
]


def test_hits_and_average_precision_by_hand() -> None:
    order = np.array([3, 0, 1, 2, 4, 5])
    relevant = np.array([True, False, False, True, False, True])
    # The relevant items 3, 0 and 5 are at the ranks 1, 2 and 6: (1/1 + 2/2 + 3/6) / 3.
    assert hits_and_ap(order, relevant) == pytest.approx((2 / 5, 2.5 / 3))


def test_a_query_without_a_relevant_item_is_not_scored() -> None:
    assert hits_and_ap(np.arange(3), np.zeros(3, bool)) is None


def test_known_keywords_are_read_back() -> None:
    cell = "pv_object_type=bicyclist; pv_scene_type=non-intersection"
    assert known_keywords(cell) == {
        ("pv_object_type", "bicyclist"),
        ("pv_scene_type", "non-intersection"),
    }


def test_measures_on_three_clips_that_a_person_can_check() -> None:
    a, b = ("pv_object_type", "a"), ("pv_actor_behavior", "b")
    words = [frozenset({a}), frozenset({a, b}), frozenset({b})]
    vectors = np.eye(3, dtype=np.float32)
    everything = np.ones(3, bool)
    asked = vectors[[1]]
    assert text_measures(vectors, asked, [frozenset({a, b})], words, everything) == (0.2, 1.0, 1)
    # Clip 1 asks for both keywords and finds nobody; clips 0 and 2 find clip 1 first or second.
    hits, precision, scored = item_measures(vectors, words, everything)
    assert (hits, scored) == (pytest.approx(0.2), 2)
    assert precision == pytest.approx((1 + 1 / 2) / 2)


def test_clips_are_alike_by_their_shared_keywords() -> None:
    alike = overlap(CLIPS)
    assert np.allclose(np.diag(alike), 1)
    # One of three keywords is common: a third, squared.
    assert alike[0, 1] == pytest.approx(1 / 9)
    assert alike[1, 2] == 0 and alike[0, 3] == 0


def test_training_captions_name_the_actor_and_are_the_same_each_time() -> None:
    said = training_captions(CLIPS, seed=1)
    assert said == training_captions(CLIPS, seed=1)
    assert said != training_captions(CLIPS, seed=2)
    assert all(text.strip() for per_clip in said for text in per_clip)
