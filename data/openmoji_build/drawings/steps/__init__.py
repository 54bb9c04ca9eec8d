"""The steps of the build: three that all share, one for each collection, and the figures."""

from __future__ import annotations

from collections.abc import Callable

from drawings.steps import captions, composed, context, hashes, shared
from drawings.workshop import Build

STEPS: dict[str, Callable[[Build], None]] = {
    "fetch": shared.fetch,
    "draw": shared.draw,
    "look": shared.look,
    "composed": composed.build,
    "captions": captions.build,
    "hashes": hashes.build_drawings,
    "digits": hashes.build_digits,
    "context": context.build,
    "measure": shared.measure,
}
