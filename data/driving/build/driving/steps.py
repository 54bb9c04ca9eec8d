"""The steps of the build, and where each leaves what the next one needs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import version

from PIL import Image

from driving import files, model_steps
from driving.labelling.clips import Clip, name_clips, read_labels, write_json
from driving.labelling.labels import Label, mine
from driving.labelling.seen import Seen
from driving.labelling.select import choose, conditions
from driving.rendering.encode import write_film, write_overview, write_poster
from driving.rendering.films import FRAMES, FRAMES_PER_SECOND, frames
from driving.rendering.renderer import Renderer
from driving.rendering.visibility import seen_labels
from driving.texts.queries import text_queries
from driving.workshop import VRU, Build
from driving.world import recordings
from driving.world.roadside import ground, roadside, sight_past
from driving.world.simulate import Drive, gallery_drives, place, simulate, training_drives

LOG = logging.getLogger("driving")
EVERY = 20
"""Steps between two windows that are looked at."""
SHORTLIST = 2.0
"""How many windows are looked at for hidden actors, for each clip that is wanted."""
PICTURE_SIZE = (480, 270)
OVERVIEW = 12
"""How many posters the overview shows."""


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
    build.show(renderer, drive)
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
            "",
            f"{one.recording}_{who[one.recording][one.ego].actor_id}",
            one,
            weather,
            (VRU,) if found[one].vulnerable else (),
            found[one].poster,
        )
        for one, weather in zip(chosen, conditions(chosen, build.seed), strict=True)
    ]
    write_json(name_clips(clips), build.work / "clips.json")


def render_share(build: Build, share: int) -> int:
    """Films and posters of every n-th clip, n being the number of processes."""
    renderer = Renderer(*PICTURE_SIZE)
    own = list(enumerate(build.chosen()))[share :: build.workers]
    for drive in gallery_drives(build.seed):
        recording = build.recording(drive)
        build.show(renderer, drive)
        for number, clip in own:
            if clip.label.recording == drive.name:
                write_clip(
                    build, list(frames(renderer, recording, clip, range(FRAMES), number)), clip
                )
    return len(own)


def write_clip(build: Build, pictures: list[Image.Image], clip: Clip) -> None:
    """One film, and its most telling picture as the poster."""
    write_film(pictures, build.to / "media" / f"{clip.item_id}.mp4", FRAMES_PER_SECOND)
    poster = clip.poster * FRAMES_PER_SECOND // recordings.STEPS_PER_SECOND
    write_poster(pictures[poster], build.to / "posters" / f"{clip.item_id}.webp")


def render_clips(build: Build) -> None:
    """Draw and encode all clips, and remove films of clips that are no longer chosen."""
    wanted = {clip.item_id for clip in build.chosen()}
    for folder in ("media", "posters"):
        (build.to / folder).mkdir(parents=True, exist_ok=True)
        for file in (build.to / folder).iterdir():
            if file.stem not in wanted:
                file.unlink()
    done = build.map(render_share, [build] * build.workers, range(build.workers))
    posters = sorted((build.to / "posters").iterdir())
    write_overview(posters[:: len(posters) // OVERVIEW][:OVERVIEW], build.to / "overview.webp")
    LOG.info("  %d clips", sum(done))


def write_texts(build: Build) -> None:
    """Write the collection's text files."""
    clips = build.chosen()
    queries = text_queries(clips)
    files.write_files(clips, queries, version("eclipse-sumo"), build.to)
    LOG.info("  %d clips, %d text queries", len(clips), len(queries))


SETS = {"gallery": gallery_drives, "training": training_drives}
STEPS: dict[str, Callable[[Build], None]] = {
    "simulate": simulate_all,
    "label": label_all,
    "select": select_clips,
    "queries": write_texts,
    "render": render_clips,
    "frames": model_steps.look_at_frames,
    "train": model_steps.train_versions,
    "measure": model_steps.print_measures,
}
