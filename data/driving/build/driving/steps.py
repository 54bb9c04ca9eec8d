"""The steps of the build, and where each leaves what the next one needs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from importlib.metadata import version
from pathlib import Path
from typing import Any

from driving import files
from driving.labelling.clips import Clip, name_clips, read_clips, read_labels, write_json
from driving.labelling.labels import Label, mine
from driving.labelling.select import choose, conditions
from driving.texts.queries import text_queries
from driving.world import recordings
from driving.world.roadside import ground, roadside, sight_past
from driving.world.simulate import (
    Drive,
    gallery_drives,
    place,
    read_network,
    simulate,
    training_drives,
)

LOG = logging.getLogger("driving")
EVERY = 20
"""Steps between two windows that are looked at."""


@dataclass(frozen=True)
class Build:
    """What the command was called with, and the folders of the work."""

    work: Path
    to: Path
    clips: int
    seed: int
    workers: int

    def recording(self, drive: Drive) -> recordings.Recording:
        """A drive's recording."""
        return recordings.load(self.work / "recordings" / f"{drive.name}.npz")

    def network(self, drive: Drive) -> Any:
        """A drive's road network."""
        return read_network(self.work / "maps" / f"{drive.name}.net.xml")

    def map(self, do: Callable[..., Any], *rows: Any) -> list[Any]:
        """Do something for each row, in the build's processes, in order."""
        with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as pool:
            return list(pool.map(do, *rows))


def simulate_drive(build: Build, drive: Drive) -> str:
    """Simulate and record one drive."""
    recording = simulate(drive, build.work / "maps")
    recordings.save(recording, build.work / "recordings" / f"{drive.name}.npz")
    return f"{drive.name}: {recording.steps} steps, {len(recording.actors)} actors"


def simulate_all(build: Build) -> None:
    """Record all drives, each in a process of its own."""
    drives = gallery_drives(build.seed) + training_drives(build.seed)
    for line in build.map(simulate_drive, [build] * len(drives), drives):
        LOG.info("  %s", line)


def label_drive(build: Build, drive: Drive) -> list[Label]:
    """The labels of one drive."""
    network = build.network(drive)
    stands = roadside(network, drive.kind, ground(network, drive.kind))
    sight = sight_past(stands.buildings)
    return mine(build.recording(drive), place(network, drive.kind), sight, EVERY, build.seed)


def label_all(build: Build) -> None:
    """Label all windows of the gallery's and of the training drives."""
    for name, drives in SETS.items():
        per_drive = build.map(label_drive, [build] * 4, drives(build.seed))
        labels = [label for found in per_drive for label in found]
        write_json(labels, build.work / f"{name}_labels.json")
        LOG.info("  %s: %d labelled windows", name, len(labels))


def select_clips(build: Build) -> None:
    """Choose, give each clip its weather and name it."""
    labels = read_labels(build.work / "gallery_labels.json")
    chosen = choose(labels, build.clips, build.seed)
    who = {d.name: build.recording(d).actors for d in gallery_drives(build.seed)}
    clips = [
        Clip("", f"{one.recording}_{who[one.recording][one.ego].actor_id}", one, weather)
        for one, weather in zip(chosen, conditions(chosen, build.seed), strict=True)
    ]
    write_json(name_clips(clips), build.work / "clips.json")


def write_texts(build: Build) -> None:
    """Write the collection's text files."""
    clips = read_clips(build.work / "clips.json")
    queries = text_queries(clips)
    files.write_files(clips, queries, version("eclipse-sumo"), build.to)
    LOG.info("  %d clips, %d text queries", len(clips), len(queries))


SETS = {"gallery": gallery_drives, "training": training_drives}
STEPS: dict[str, Callable[[Build], None]] = {
    "simulate": simulate_all,
    "label": label_all,
    "select": select_clips,
    "queries": write_texts,
}
