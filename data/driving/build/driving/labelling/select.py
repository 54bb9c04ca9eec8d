"""A balanced choice of windows: each takes what the collection has least of so far."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from driving.labelling.labels import Label

Feature = tuple[str, ...]

FEATURE_WEIGHTS = {
    "what": 2.2,
    "ego": 1.2,
    "where": 0.8,
    "relation": 0.8,
    "scene": 0.5,
    "who and ego": 0.5,
    "place and what": 1.0,
    "bend": 1.5,
}
"""What is balanced, and how much it matters."""
RARE = 6
"""A feature that fewer windows have is not sought: it could never reach five clips."""
HIGHWAY_SHARE = (0.18, 0.24)
GAP = 100
"""Steps between two windows of one ego vehicle, or of one salient actor."""

CONDITIONS: dict[tuple[str, ...], int] = {
    ("daytime", "sunny"): 10,
    ("daytime", "overcast"): 7,
    ("daytime", "rainy"): 6,
    ("daytime", "foggy"): 6,
    ("nighttime",): 7,
    ("nighttime", "rainy"): 4,
}
"""Time of day and weather, and how many of forty clips get them."""


def features(label: Label) -> set[Feature]:
    """What a window adds to the collection's balance."""
    main = label.actors[0]
    found: set[Feature] = {("ego", label.ego_behavior)}
    found.add(("who and ego", main.object_type, label.ego_behavior))
    for one in label.actors:
        found |= {("what", one.object_type, behaviour) for behaviour in one.behaviours}
        found |= {("place and what", label.scene[0], behaviour) for behaviour in one.behaviours}
        found.add(("where", one.object_type, one.relation))
        found.add(("relation", one.relation))
    found |= {("scene", label.scene[0], word) for word in label.scene[1:]}
    if "curved road" in label.scene:
        found.add(("bend",))
    return found


def feature_table(labels: Sequence[Label]) -> tuple[np.ndarray, np.ndarray]:
    """Which window has which feature, (windows, features), and the features' weights."""
    per_label = [features(label) for label in labels]
    totals = Counter(feature for found in per_label for feature in found)
    kept = sorted(feature for feature, total in totals.items() if total >= RARE)
    column = {feature: i for i, feature in enumerate(kept)}
    table = np.zeros((len(labels), len(kept)))
    for row, found in enumerate(per_label):
        for feature in found:
            if feature in column:
                table[row, column[feature]] = 1
    return table, np.array([FEATURE_WEIGHTS[feature[0]] for feature in kept])


class Taken:
    """What has been chosen so far, to keep clips of one drive or one actor apart."""

    def __init__(self, per_ego: int, gap: int) -> None:
        self.per_ego, self.gap = per_ego, gap
        self.starts: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.egos: Counter[tuple[str, int]] = Counter()

    def allows(self, label: Label) -> bool:
        """Whether a window is far enough from all that were chosen."""
        ego = (label.recording, label.ego)
        shown = (label.recording, label.actors[0].actor)
        near = any(
            abs(label.start - start) < self.gap
            for who in (ego, shown)
            for start in self.starts[who]
        )
        return not near and self.egos[ego] < self.per_ego

    def add(self, label: Label) -> None:
        """Remember a window."""
        ego = (label.recording, label.ego)
        self.egos[ego] += 1
        self.starts[ego].append(label.start)
        self.starts[label.recording, label.actors[0].actor].append(label.start)


def choose(
    labels: Sequence[Label], count: int, seed: int, per_ego: int = 2, gap: int = GAP
) -> list[Label]:
    """Greedily choose up to `count` windows, rare features and near actors first.

    The seed only decides between windows of equal worth; the same labels, count and seed give
    the same choice in the same order.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    shuffled = [labels[i] for i in order]
    table, weights = feature_table(shuffled)
    closeness = np.array([math.exp(-one.actors[0].distance / 14) for one in shuffled])
    highway = np.array([one.scene[0] == "highway" for one in shuffled])
    worth = (0.4 + closeness) / np.sqrt(1 + table.sum(axis=1))
    have = np.zeros(table.shape[1])
    open_ = np.ones(len(shuffled), bool)
    taken, highways = Taken(per_ego, gap), 0
    chosen: list[Label] = []
    least, most = HIGHWAY_SHARE
    while len(chosen) < count:
        score = (table @ (weights / (1 + have))) * worth
        score[~open_] = -1
        if highways + 1 > most * count:
            score[highway] = -1
        elif highways < least * len(chosen) and open_[highway].any():
            score[~highway] = -1
        best = int(score.argmax())
        if score[best] < 0:
            break
        open_[best] = False
        if not taken.allows(shuffled[best]):
            continue
        taken.add(shuffled[best])
        have += table[best]
        highways += int(highway[best])
        chosen.append(shuffled[best])
    return chosen


def conditions(labels: Sequence[Label], seed: int) -> list[tuple[str, ...]]:
    """Time of day and weather for each window, spread evenly over what the windows show.

    Windows are lined up by what their main actor does, and a shuffled pattern of forty
    conditions is laid along that line, so that neighbours differ.
    """
    rng = np.random.default_rng(seed)
    line = sorted(
        range(len(labels)),
        key=lambda i: (labels[i].actors[0].behaviours, labels[i].actors[0].object_type, i),
    )
    pattern = [words for words, share in CONDITIONS.items() for _ in range(share)]
    given: list[tuple[str, ...]] = [()] * len(labels)
    for begin in range(0, len(line), len(pattern)):
        shuffled = [pattern[i] for i in rng.permutation(len(pattern))]
        for index, words in zip(line[begin:], shuffled, strict=False):
            given[index] = words
    return given
