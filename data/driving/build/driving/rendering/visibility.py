"""Who can really be seen in a window: actors hidden behind others are found by drawing numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driving.labelling.geometry import WINDOW
from driving.labelling.labels import Label
from driving.labelling.seen import Seen, seen
from driving.rendering.films import moment
from driving.rendering.renderer import Renderer
from driving.world.recordings import Recording

LOOKS = 8
"""Moments of a window that are drawn."""


def looks(
    recording: Recording, label: Label, renderer: Renderer, number: int = LOOKS
) -> list[dict[int, float]]:
    """Shares of the picture by actor, at moments spread over a window."""
    steps = range(label.start, label.start + WINDOW, WINDOW // number)
    return [renderer.shares(*moment(recording, label.ego, step, renderer.aspect)) for step in steps]


def seen_labels(
    recording: Recording, labels: Sequence[Label], renderer: Renderer
) -> Iterator[Seen]:
    """What is left of some labels of one recording; the renderer shows its scene already."""
    for label in labels:
        found = seen(recording, label, looks(recording, label, renderer))
        if found is not None:
            yield found
