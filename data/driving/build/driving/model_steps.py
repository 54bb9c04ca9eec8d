"""The later steps of the build: features of frames, the model versions, and their figures."""

from __future__ import annotations

import logging

import numpy as np
from networks_build.exported import write_body

from driving.labelling.clips import Clip, read_clips, read_labels, write_json
from driving.labelling.labels import Label
from driving.labelling.seen import seen
from driving.labelling.select import choose, conditions
from driving.models.captions import training_captions
from driving.models.features import PICTURES, clip_features, film_pictures, frame_encoder
from driving.models.measure import table
from driving.models.text import encode_texts
from driving.models.train import RECIPES, train_version
from driving.models.versions import write_version
from driving.rendering.films import frames
from driving.rendering.renderer import Renderer
from driving.rendering.visibility import looks
from driving.texts.queries import text_queries
from driving.workshop import VRU, Build
from driving.world.simulate import Drive, training_drives

LOG = logging.getLogger("driving")
TRAINING_WINDOWS = 1600
"""How many windows of the training drives are looked at; some are dropped as hidden."""


def training_drive(build: Build, drive: Drive, labels: list[Label]) -> list[Clip]:
    """Draw, check and look at one drive's training windows; keep their features."""
    renderer, recording = Renderer(256, 144), build.recording(drive)
    build.show(renderer, drive)
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
    """Teach the three versions and write their vectors and picture sides."""
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
    write_body(build.work, build.to)
    for recipe in RECIPES:
        vectors = train_version(recipe, clips, features, said, gallery)
        write_version(build.to / "models" / recipe.name, recipe, vectors, asked, *ids)
        LOG.info("  %s", recipe.name)


def print_measures(build: Build) -> None:
    """Print what the versions are worth."""
    print(table(build.to))
