"""Keywords of windows whose states are written down by hand.

The ego drives east along y = 0 at 10 m/s, one metre a step, unless a test says otherwise.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from driving.labelling.behaviours import (
    CROSSING,
    ENTERING,
    OPPOSITE_DIRECTION,
    SAME_DIRECTION,
    STATIONARY,
    TURNING_ACROSS,
)
from driving.labelling.labels import Label, label_window
from driving.labelling.scenes import Place, ego_behavior
from driving.world.recordings import Recording
from tiny_drives import Track, bent, drive, straight

EGO = straight("car", 0, 0, 10)


def only(recording: Recording, place: Place) -> Label:
    """The label of the first window."""
    label = label_window(recording, 0, 0, place)
    assert label is not None
    return label


def lane_change(kind: str, x: float, speed: float, from_y: float, to_y: float) -> Track:
    """A vehicle that moves over between steps 10 and 30."""

    def state(step: int) -> tuple[float, float, float, float, str]:
        part = float(np.clip((step - 10) / 20, 0, 1))
        lane = "road_1" if part < 0.5 else "road_0"
        return x + speed * step / 10, from_y + part * (to_y - from_y), 0.0, speed, lane

    return kind, state


CASES = {
    "a car ahead in our lane": (
        straight("car", 20, 0, 10), "small vehicle", SAME_DIRECTION, "corridor front",
    ),
    "a motorcycle ahead in the left lane": (
        straight("motorcycle", 15, 3.3, 10), "motorcyclist", SAME_DIRECTION, "left adjacent front",
    ),
    "a truck beside us on the right": (
        straight("truck", 9.5, -3.3, 10), "large vehicle", SAME_DIRECTION, "right adjacent",
    ),
    "a car that stands in our lane": (
        straight("car", 55, 0, 0), "small vehicle", STATIONARY, "corridor front",
    ),
    "a truck coming the other way": (
        straight("truck", 80, 3.5, 8, math.pi), "large vehicle", OPPOSITE_DIRECTION,
        "left adjacent front",
    ),
    "a cyclist coming the other way beyond another lane": (
        straight("bicycle", 60, 7.5, 5, math.pi), "bicyclist", OPPOSITE_DIRECTION,
        "left split front",
    ),
    "a cyclist that crosses from the right": (
        straight("bicycle", 52, -10, 6, math.pi / 2), "bicyclist", CROSSING, "left adjacent front",
    ),
    "a car that cuts in from the left": (
        lane_change("car", 14, 10, 3.3, 0), "small vehicle", ENTERING, "corridor front",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_actor_is_labelled_by_what_it_does(case: str, town: Place) -> None:
    track, object_type, behaviour, relation = CASES[case]
    actor = only(drive(EGO, track), town).actors[0]
    assert (actor.object_type, actor.behaviours, actor.relation) == (
        object_type,
        (behaviour,),
        relation,
    )


def test_a_walker_that_steps_in_front_of_a_waiting_car_enters_and_crosses(town: Place) -> None:
    ego = straight("car", 0, 0, 0)
    walker = straight("walker", 6, -5, 1.3, math.pi / 2)
    label = only(drive(ego, walker), town)
    assert label.actors[0].behaviours == (ENTERING, CROSSING)
    assert label.ego_behavior == "ego stationary"


def test_an_oncoming_car_that_turns_left_turns_across_the_path(town: Place) -> None:
    points = []
    for step in range(60):
        turn = float(np.clip((step - 8) / 20, 0, 1)) * math.pi / 2
        x = 52 - 0.5 * min(step, 8) - 6 * math.sin(turn)
        y = 3.5 - 6 * (1 - math.cos(turn)) - 0.5 * max(step - 28, 0)
        points.append((x, y, math.pi + turn, 5.0, "other_1"))
    label = only(drive(EGO, bent("car", points)), town)
    assert label.actors[0].behaviours == (TURNING_ACROSS,)


def test_a_car_does_not_enter_our_path_because_we_change_lane(town: Place) -> None:
    ego = lane_change("car", 0, 10, 0, 3.3)
    other = straight("car", 18, 3.3, 10, lane="road_0")
    label = only(drive(ego, other), town)
    assert label.ego_behavior == "ego lane change"
    assert label.actors[0].behaviours == (SAME_DIRECTION,)


def test_an_actor_behind_a_building_is_not_labelled(town: Place) -> None:
    recording = drive(EGO, straight("car", 60, 0, 0))
    hidden = label_window(recording, 0, 0, town, lambda eye, points: np.zeros(len(points), bool))
    assert hidden is None


def test_a_window_in_which_somebody_touches_our_bonnet_is_dropped(town: Place) -> None:
    recording = drive(EGO, straight("walker", 25, 0.3, 0))
    assert label_window(recording, 0, 0, town) is None


def test_nobody_in_sight_gives_no_label(town: Place) -> None:
    assert label_window(drive(EGO, straight("car", -30, 0, 5)), 0, 0, town) is None


def test_the_second_actor_is_named_only_if_it_is_of_another_type(town: Place) -> None:
    cars = drive(EGO, straight("car", 15, 0, 10), straight("car", 15.5, 3.3, 10))
    assert len(only(cars, town).actors) == 1
    mixed = drive(
        EGO, straight("bicycle", 30, 1.2, 6), straight("motorcycle", 30, -0.8, 6)
    )  # fmt: skip
    assert {a.object_type for a in only(mixed, town).actors} == {"bicyclist", "motorcyclist"}


def test_the_main_actor_comes_first_in_the_annotation(town: Place) -> None:
    walker = straight("walker", 8, -5, 1.3, math.pi / 2)
    recording = drive(straight("car", 0, 0, 0), straight("car", 12, 0, 0), walker)
    words = only(recording, town).keywords()
    assert words["pv_object_type"][0] == "pedestrian"
    assert words["pv_ego_behavior"] == ["ego stationary"]


def turning(lane: str) -> Track:
    """An ego that turns left on a circle of 20 m."""

    def state(step: int) -> tuple[float, float, float, float, str]:
        angle = 0.6 * step / 20
        return 20 * math.sin(angle), 20 * (1 - math.cos(angle)), angle, 6.0, lane

    return "car", state


def test_a_turn_counts_at_a_junction_and_a_bend_does_not() -> None:
    assert ego_behavior(drive(turning(":n1_3_0")), 0, 0) == "ego turning"
    assert ego_behavior(drive(turning("road_1")), 0, 0) == "proceeding straight"


def test_a_bend_and_a_junction_are_parts_of_the_scene(town: Place) -> None:
    car = straight("car", 22, 18.6, 0)
    assert "curved road" in only(drive(turning("road_1"), car), town).scene
    at_junction = only(drive(turning(":n1_3_0"), car), town).scene
    assert "intersection" in at_junction and "curved road" not in at_junction


def test_a_crosswalk_ahead_is_a_part_of_the_scene(town: Place) -> None:
    recording = drive(EGO, straight("car", 20, 0, 10))
    near = replace(town, crossings=np.array([[15.0, 1.0]]))
    beside = replace(town, crossings=np.array([[15.0, 9.0]]))
    assert "crosswalk" in only(recording, near).scene
    assert "crosswalk" not in only(recording, beside).scene
