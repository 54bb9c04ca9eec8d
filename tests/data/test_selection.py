"""The choice of clips: balanced, kept apart, and the same each time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from driving.labelling.behaviours import CROSSING, SAME_DIRECTION, STATIONARY
from driving.labelling.clips import Clip, name_clips, read_clips, write_json
from driving.labelling.labels import Label, SalientActor
from driving.labelling.seen import seen
from driving.labelling.select import CONDITIONS, choose, conditions
from tiny_drives import drive, straight


def label(number: int, object_type: str, behaviour: str, place: str = "urban") -> Label:
    """A window of a drive of its own."""
    actor = SalientActor(1, object_type, (behaviour,), "corridor front", 10.0, 1.0)
    scene = (place, "non-intersection")
    return Label(f"drive{number}", 0, 50, (actor,), "proceeding straight", scene)


MANY = [label(i, "small vehicle", SAME_DIRECTION) for i in range(200)]
SOME = [label(200 + i, "bicyclist", CROSSING) for i in range(12)]
FEW = [label(300 + i, "large vehicle", STATIONARY, "highway") for i in range(12)]


def test_rare_behaviours_are_chosen_as_often_as_frequent_ones() -> None:
    chosen = choose(MANY + SOME + FEW, 30, seed=0)
    counts = Counter(one.actors[0].object_type for one in chosen)
    assert len(chosen) == 30
    assert counts["bicyclist"] >= 10
    assert counts["large vehicle"] == 7, "a highway gets at most 24 percent of thirty"


def test_the_same_seed_gives_the_same_choice() -> None:
    pool = MANY + SOME + FEW
    assert choose(pool, 25, seed=3) == choose(pool, 25, seed=3)
    assert choose(pool, 25, seed=3) != choose(pool, 25, seed=4)


def test_windows_of_one_drive_are_kept_apart() -> None:
    starts = (50, 90, 140, 160, 300)
    near = [replace(one, recording="d", start=s) for one, s in zip(MANY, starts, strict=False)]
    chosen = sorted(one.start for one in choose(near, 10, seed=0, per_ego=5))
    assert all(b - a >= 100 for a, b in zip(chosen, chosen[1:], strict=False))
    assert len(choose(near, 10, seed=0, per_ego=1)) == 1


def test_forty_clips_get_every_condition_by_its_share() -> None:
    given = conditions((MANY + SOME)[:40], seed=0)
    assert Counter(given) == Counter(CONDITIONS)
    assert given == conditions((MANY + SOME)[:40], seed=0)


def test_ids_are_readable_and_numbered_by_drive_and_time() -> None:
    clips = [Clip("", "s", one, ("nighttime",)) for one in (SOME[1], SOME[0], FEW[0])]
    named = name_clips(clips)
    assert [clip.item_id for clip in named] == [
        "highway_large_vehicle_stationary_001",
        "urban_bicyclist_crossing_001",
        "urban_bicyclist_crossing_002",
    ]
    assert named[1].label.recording < named[2].label.recording


def test_clips_survive_being_written_and_read(tmp_path) -> None:
    clips = name_clips([Clip("", "s", SOME[0], ("daytime", "sunny"), ("x",), 15)])
    write_json(clips, tmp_path / "clips.json")
    assert read_clips(tmp_path / "clips.json") == clips


def test_a_hidden_main_actor_drops_the_window_and_a_hidden_second_one_only_itself() -> None:
    recording = drive(
        straight("car", 0, 0, 10), straight("bicycle", 20, 0, 5), straight("walker", 20, 3, 1)
    )
    first = SOME[0].actors[0]
    second = replace(first, actor=2, object_type="pedestrian")
    both = replace(SOME[0], actors=(first, second))
    clear, tiny = {1: 0.02, 2: 0.01}, {1: 0.02, 2: 0.0001}
    found = seen(recording, both, [clear] * 8)
    assert found is not None and len(found.label.actors) == 2
    found = seen(recording, both, [clear, clear] + [tiny] * 6)
    assert found is not None and found.label.actors == (first,) and found.vulnerable
    assert seen(recording, both, [{2: 0.02}] * 8) is None


def test_the_poster_is_the_moment_with_the_largest_actor() -> None:
    recording = drive(straight("car", 0, 0, 10), straight("bicycle", 20, 0, 5))
    shares = [{1: 0.01}] * 5 + [{1: 0.05}] + [{1: 0.01}] * 2
    found = seen(recording, SOME[0], shares)
    assert found is not None and found.poster == 25
