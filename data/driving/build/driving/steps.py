"""The steps of the build, and where each leaves what the next one needs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from driving import files
from driving.labelling.clips import Clip, name_clips, read_clips, read_labels, write_json
from driving.labelling.labels import Label, mine
from driving.labelling.seen import Seen, seen
from driving.labelling.select import choose, conditions
from driving.models.captions import training_captions
from driving.models.features import PICTURES, clip_features, film_pictures, frame_encoder
from driving.models.measure import table
from driving.models.text import encode_texts
from driving.models.train import RECIPES, train_version
from driving.models.versions import write_version
from driving.rendering.encode import write_film, write_poster
from driving.rendering.films import FRAMES, FRAMES_PER_SECOND, frames
from driving.rendering.renderer import Renderer
from driving.rendering.scene import build_scene
from driving.rendering.visibility import looks, seen_labels
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
SHORTLIST = 2.0
"""How many windows are looked at for hidden actors, for each clip that is wanted."""
TRAINING_WINDOWS = 1900
VRU = "vulnerable road user present"


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

    def chosen(self) -> list[Clip]:
        """The clips of the collection."""
        return read_clips(self.work / "clips.json")

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


def see_drive(build: Build, drive: Drive, labels: list[Label]) -> list[Seen]:
    """Those of one drive's labels whose main actor can be seen."""
    renderer = Renderer(256, 144, oversampling=1)
    renderer.show(build_scene(build.network(drive), drive.kind))
    return list(seen_labels(build.recording(drive), labels, renderer))


def select_clips(build: Build) -> None:
    """Choose a shortlist, drop what is hidden, choose the clips, name them, give them weather."""
    labels = read_labels(build.work / "gallery_labels.json")
    shortlist = choose(labels, int(build.clips * SHORTLIST), build.seed)
    drives = gallery_drives(build.seed)
    per_drive = [[one for one in shortlist if one.recording == d.name] for d in drives]
    shown = build.map(see_drive, [build] * len(drives), drives, per_drive)
    found = {one.label: one for per_drive in shown for one in per_drive}
    LOG.info("  of %d windows %d show their main actor", len(shortlist), len(found))
    chosen = choose(list(found), build.clips, build.seed)
    who = {d.name: build.recording(d).actors for d in drives}
    clips = [
        Clip(
            "", f"{one.recording}_{who[one.recording][one.ego].actor_id}", one, weather,
            (VRU,) if found[one].vulnerable else (), found[one].poster,
        )
        for one, weather in zip(chosen, conditions(chosen, build.seed), strict=True)
    ]  # fmt: skip
    write_json(name_clips(clips), build.work / "clips.json")


def render_share(build: Build, share: int) -> int:
    """Films and posters of every n-th clip, n being the number of processes."""
    renderer, shown = Renderer(480, 270), None
    drives = {drive.name: drive for drive in gallery_drives(build.seed)}
    recording = None
    clips = list(enumerate(build.chosen()))
    mine_ = sorted(clips[share :: build.workers], key=lambda row: row[1].label.recording)
    for number, clip in mine_:
        if shown != clip.label.recording:
            shown = clip.label.recording
            recording = build.recording(drives[shown])
            renderer.show(build_scene(build.network(drives[shown]), drives[shown].kind))
        pictures = list(frames(renderer, recording, clip, range(FRAMES), number))
        write_film(pictures, build.to / "media" / f"{clip.item_id}.mp4", FRAMES_PER_SECOND)
        poster = clip.poster * FRAMES_PER_SECOND // recordings.STEPS_PER_SECOND
        write_poster(pictures[poster], build.to / "posters" / f"{clip.item_id}.webp")
    return len(mine_)


def render_clips(build: Build) -> None:
    """Draw and encode all clips, and remove films of clips that are no longer chosen."""
    wanted = {clip.item_id for clip in build.chosen()}
    for folder in ("media", "posters"):
        (build.to / folder).mkdir(parents=True, exist_ok=True)
        for file in (build.to / folder).iterdir():
            if file.stem not in wanted:
                file.unlink()
    done = build.map(render_share, [build] * build.workers, range(build.workers))
    LOG.info("  %d clips", sum(done))


def write_texts(build: Build) -> None:
    """Write the collection's text files."""
    clips = build.chosen()
    queries = text_queries(clips)
    files.write_files(clips, queries, version("eclipse-sumo"), build.to)
    LOG.info("  %d clips, %d text queries", len(clips), len(queries))


def training_drive(build: Build, drive: Drive, labels: list[Label]) -> list[Clip]:
    """Draw, check and look at one drive's training windows; keep their features."""
    renderer, recording = Renderer(256, 144), build.recording(drive)
    renderer.show(build_scene(build.network(drive), drive.kind))
    encoder, clips, features = frame_encoder(), [], []
    weathers = conditions(labels, build.seed + 1)
    for number, (label, weather) in enumerate(zip(labels, weathers, strict=True)):
        found = seen(recording, label, looks(recording, label, renderer, 4))
        if found is None:
            continue
        extra = (VRU,) if found.vulnerable else ()
        clip = Clip("", "", found.label, weather, extra, found.poster)
        pictures = list(frames(renderer, recording, clip, PICTURES, number))
        clips.append(clip)
        features.append(clip_features(encoder, pictures))
    np.save(build.work / f"{drive.name}_features.npy", np.stack(features))
    return clips


def look_at_frames(build: Build) -> None:
    """Features of the training windows and of the committed films."""
    labels = read_labels(build.work / "training_labels.json")
    chosen = choose(labels, TRAINING_WINDOWS, build.seed, per_ego=8, gap=40)
    drives = training_drives(build.seed)
    per_drive = [[one for one in chosen if one.recording == d.name] for d in drives]
    clips = build.map(training_drive, [build] * len(drives), drives, per_drive)
    write_json([clip for found in clips for clip in found], build.work / "training_clips.json")
    encoder = frame_encoder()
    films = [build.to / "media" / f"{clip.item_id}.mp4" for clip in build.chosen()]
    gallery = [clip_features(encoder, film_pictures(film)) for film in films]
    np.save(build.work / "gallery_features.npy", np.stack(gallery))
    LOG.info("  %d training windows", sum(len(found) for found in clips))


def train_versions(build: Build) -> None:
    """Teach the three versions and write their vectors."""
    clips = read_clips(build.work / "training_clips.json")
    names = [f"{drive.name}_features.npy" for drive in training_drives(build.seed)]
    features = np.concatenate([np.load(build.work / name) for name in names])
    gallery = np.load(build.work / "gallery_features.npy")
    order = np.random.default_rng(build.seed).permutation(len(clips))
    clips, features = [clips[i] for i in order], features[order]
    captions = training_captions(clips, build.seed)
    said = encode_texts([text for per_clip in captions for text in per_clip])
    said = said.reshape(len(clips), -1, said.shape[1])
    queries = text_queries(build.chosen())
    asked = encode_texts([query.text for query in queries])
    ids = [clip.item_id for clip in build.chosen()], [query.query_id for query in queries]
    for recipe in RECIPES:
        vectors = train_version(recipe, clips, features, said, gallery)
        write_version(build.to / "models" / recipe.name, recipe, vectors, asked, *ids)
        LOG.info("  %s", recipe.name)


def print_measures(build: Build) -> None:
    """Print what the versions are worth."""
    print(table(build.to))


SETS = {"gallery": gallery_drives, "training": training_drives}
STEPS: dict[str, Callable[[Build], None]] = {
    "simulate": simulate_all,
    "label": label_all,
    "select": select_clips,
    "queries": write_texts,
    "render": render_clips,
    "frames": look_at_frames,
    "train": train_versions,
    "measure": print_measures,
}
