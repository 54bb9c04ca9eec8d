"""Maps, recordings, weather and camera: what the builder's other rooms rest on."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from driving.labelling.select import CONDITIONS
from driving.rendering.camera import dashcam
from driving.rendering.weather import AIRS
from driving.world.networks import arc, grid_town, motorway, ring_town
from driving.world.recordings import load, save
from tiny_drives import drive, straight


def test_the_same_seed_gives_the_same_map() -> None:
    assert grid_town(3, (1, 2)) == grid_town(3, (1, 2))
    assert grid_town(3, (1, 2)) != grid_town(4, (1, 2))
    assert ring_town(3) == ring_town(3) and motorway(3, 3) == motorway(3, 3)


def test_every_street_of_a_town_goes_both_ways_with_a_walkway() -> None:
    edges = grid_town(3, (1,)).edges
    assert len(edges) == 2 * 2 * 4 * 3
    assert all('allow="pedestrian"' in edge for edge in edges)


def test_an_arc_begins_and_ends_where_it_should() -> None:
    points = arc(10, 0, math.pi / 2)
    assert points[0] == pytest.approx((10, 0)) and points[-1] == pytest.approx((0, 10))


def test_a_recording_survives_being_written_and_read(tmp_path: Path) -> None:
    recording = drive(straight("car", 0, 0, 10), straight("walker", 5, 3, 1))
    save(recording, tmp_path / "tiny.npz")
    again = load(tmp_path / "tiny.npz")
    assert again.actors == recording.actors and again.lanes == recording.lanes
    np.testing.assert_array_equal(again.x, recording.x)


def test_a_state_between_two_steps_is_between_them() -> None:
    recording = drive(straight("car", 0, 0, 10))
    assert recording.state(0, 3.5) == pytest.approx((3.5, 0, 0, 10, 0))
    assert recording.present(0) == (0, recording.steps)


def test_a_vehicle_is_placed_by_its_front_and_a_walker_by_its_middle() -> None:
    recording = drive(straight("car", 10, 0, 0), straight("walker", 5, 3, 0))
    np.testing.assert_allclose(recording.centre(0), [[10 - 2.25, 0], [5, 3]])


def test_each_condition_has_its_light_and_air() -> None:
    assert set(AIRS) == set(CONDITIONS)


def test_the_camera_sees_what_is_ahead_in_the_middle() -> None:
    camera = dashcam(0, 0, 0.3, 16 / 9)
    far = camera.eye + 400 * np.array([math.cos(0.3), math.sin(0.3), 0])
    x, y, _, w = camera.matrix().T @ [*far, 1]
    assert x / w == pytest.approx(0, abs=1e-4)
    assert y / w == pytest.approx(camera.horizon, abs=1e-3)
    left = far + 10 * np.array([-math.sin(0.3), math.cos(0.3), 0])
    assert (camera.matrix().T @ [*left, 1])[0] < 0
