"""A clip of the collection: a labelled window with its weather, its id and its poster's moment."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from driving.labelling.behaviours import (
    CROSSING,
    ENTERING,
    OPPOSITE_DIRECTION,
    SAME_DIRECTION,
    STATIONARY,
    TURNING_ACROSS,
)
from driving.labelling.labels import Label, SalientActor

SHORT = {
    ENTERING: "entering",
    CROSSING: "crossing",
    TURNING_ACROSS: "turning_across",
    STATIONARY: "stationary",
    SAME_DIRECTION: "same_direction",
    OPPOSITE_DIRECTION: "opposite_direction",
}
"""A behaviour as a part of an item's id."""


@dataclass(frozen=True)
class Clip:
    """One clip; `weather` and `extra` are scene keywords that no recording knows."""

    item_id: str
    scene: str
    label: Label
    weather: tuple[str, ...]
    extra: tuple[str, ...] = ()
    poster: int = 0

    def keywords(self) -> dict[str, list[str]]:
        """The clip's row of the annotation: group to keywords."""
        found = self.label.keywords()
        found["pv_scene_type"] += [*self.extra, *self.weather]
        return found

    def pairs(self) -> set[tuple[str, str]]:
        """The clip's keywords as (group, keyword)."""
        return {(g, word) for g, words in self.keywords().items() for word in words}


def stem(label: Label) -> str:
    """The readable part of an item's id: place, main actor, what it does."""
    main = label.actors[0]
    return "_".join([label.scene[0], main.object_type.replace(" ", "_"), SHORT[main.behaviours[0]]])


def name_clips(clips: Sequence[Clip]) -> list[Clip]:
    """Give each clip its id, numbered among its like by drive and time; sorted by id."""
    families: dict[str, list[Clip]] = defaultdict(list)
    for clip in sorted(clips, key=lambda c: (c.label.recording, c.label.ego, c.label.start)):
        families[stem(clip.label)].append(clip)
    return [
        replace(clip, item_id=f"{family}_{number:03d}")
        for family in sorted(families)
        for number, clip in enumerate(families[family], start=1)
    ]


def write_json(rows: Sequence[Clip] | Sequence[Label], path: Path) -> None:
    """Keep clips or labels between two steps of the build."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


def read_label(row: dict[str, Any]) -> Label:
    """A label from its JSON."""
    actors = tuple(
        SalientActor(**{**one, "behaviours": tuple(one["behaviours"])}) for one in row["actors"]
    )
    return Label(**{**row, "actors": actors, "scene": tuple(row["scene"])})


def read_labels(path: Path) -> list[Label]:
    """Labels that `write_json` wrote."""
    return [read_label(row) for row in json.loads(path.read_text(encoding="utf-8"))]


def read_clips(path: Path) -> list[Clip]:
    """Clips that `write_json` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Clip(
            **{
                **row,
                "label": read_label(row["label"]),
                "weather": tuple(row["weather"]),
                "extra": tuple(row["extra"]),
            }
        )
        for row in rows
    ]
