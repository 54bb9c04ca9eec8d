"""Training captions: the vocabulary's words, put together by chance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from driving.labelling.clips import Clip
from driving.labelling.labels import GROUPS
from driving.texts.vocabulary import OTHER_WORDS

PER_CLIP = 6


def say(rng: random.Random, group: str, keyword: str) -> str:
    """A keyword or one of its other words."""
    return rng.choice((keyword, *OTHER_WORDS[group][keyword]))


def training_caption(rng: random.Random, clip: Clip, words: Mapping[str, Sequence[str]]) -> str:
    """An actor, what it does, and up to two of the clip's other keywords."""
    actor = rng.choice(clip.label.actors)
    said = [
        say(rng, "pv_object_type", actor.object_type),
        say(rng, "pv_actor_behavior", rng.choice(actor.behaviours)),
    ]
    others = [(group, word) for group in GROUPS[3:] for word in words[group]]
    others.append(("pv_spatial_relation", actor.relation))
    more = rng.sample(others, min(rng.choice((0, 0, 1, 2)), len(others)))
    said += [say(rng, group, word) for group, word in more]
    if more and rng.random() < 0.15:
        said = said[2:]
    return " ".join(said)


def training_captions(clips: Sequence[Clip], seed: int) -> list[list[str]]:
    """Some captions for each clip."""
    rng = random.Random(seed)
    return [[training_caption(rng, c, c.keywords()) for _ in range(PER_CLIP)] for c in clips]
