"""Which keyword groups a collection has: those that it names, else those that its items carry."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.storage.collection.collection import Collection, open_collection
from tests.storage.conftest import Spoil

OWN = "slice_id,pv_shape,pv_object_type,pv_colour,pv_scene_type\n"
TOLD = """\
groups = ["pv_object_type", "pv_actor_behavior"]
default_groups = ["pv_object_type", "pv_actor_behavior"]
"""


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


@pytest.fixture
def untold(tiny: Path, spoil: Spoil) -> Path:
    """The tiny collection, whose settings name no groups any more."""
    spoil("collection.toml", TOLD, "")
    return tiny


def test_groups_are_those_of_the_items_where_none_are_named(untold: Path) -> None:
    collection = opened(untold)
    assert collection.groups == ("pv_object_type", "pv_actor_behavior")
    assert collection.default_groups == collection.groups


def test_groups_of_ones_own_stand_behind_the_known_ones_and_count(untold: Path) -> None:
    rows = "v00,round,,red,\nv01,,,blue,\nv02,square,small vehicle,,\n"
    (untold / "unified_annotation.csv").write_text(OWN + rows)
    collection = opened(untold)
    assert collection.groups == ("pv_object_type", "pv_shape", "pv_colour")
    assert collection.default_groups == ("pv_object_type",)
    (untold / "unified_annotation.csv").write_text("slice_id,pv_colour\nv00,red\n")
    assert opened(untold).default_groups == ("pv_colour",)


@pytest.mark.parametrize("annotation", [None, "slice_id,pv_colour\nv00,\n", "no table\n"])
def test_without_keywords_there_are_no_groups(untold: Path, annotation: str | None) -> None:
    path = untold / "unified_annotation.csv"
    path.unlink() if annotation is None else path.write_text(annotation)
    collection = opened(untold)
    assert (collection.groups, collection.default_groups) == ((), ())


def test_named_groups_stay_whatever_the_items_carry(tiny: Path, spoil: Spoil) -> None:
    spoil("collection.toml", TOLD, 'groups = ["scene_type", "colour"]\n')
    collection = opened(tiny)
    assert collection.groups == ("pv_scene_type", "pv_colour")
    assert collection.default_groups == ("pv_scene_type", "pv_colour")
    spoil("collection.toml", '["scene_type", "colour"]', "[]")
    assert opened(tiny).groups == ()


def test_default_groups_are_of_those_that_the_items_carry(untold: Path) -> None:
    path = untold / "collection.toml"
    path.write_text('default_groups = ["actor_behavior", "weather"]\n' + path.read_text())
    collection = opened(untold)
    assert collection.default_groups == ("pv_actor_behavior",)
    assert collection.findings["found"].str.contains("default_groups with pv_weather").any()
