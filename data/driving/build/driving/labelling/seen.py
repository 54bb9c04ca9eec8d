"""Which of a window's actors can really be seen, judged by how much of the picture they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driving.labelling.geometry import WINDOW
from driving.labelling.labels import VULNERABLE, Label
from driving.world.recordings import Recording

SEEN_SHARE = 0.0008
"""An actor that covers less of the picture cannot be recognised."""
MAIN_SHARE = 0.005
"""The main actor has to be at least this large at its best moment."""
ENOUGH = 3
"""An actor counts as seen if it is seen at this many moments."""
LARGEST = 0.15
"""A poster does not get more telling when the actor fills more of it."""


@dataclass(frozen=True)
class Seen:
    """A label of which only seen actors are left; `poster` is a step of the window."""

    label: Label
    vulnerable: bool
    poster: int


def seen(recording: Recording, label: Label, shares: Sequence[dict[int, float]]) -> Seen | None:
    """The label without hidden actors, or None if its main actor is hidden or tiny."""

    def often(actor: int, share: float = SEEN_SHARE) -> bool:
        enough = min(ENOUGH, len(shares) // 2)
        return sum(look.get(actor, 0.0) >= share for look in shares) >= enough

    actors = tuple(one for one in label.actors if often(one.actor))
    main = label.actors[0]
    best = max(look.get(main.actor, 0.0) for look in shares)
    if not actors or actors[0] != main or best < MAIN_SHARE:
        return None
    present = {actor for look in shares for actor in look}
    vulnerable = any(
        recording.actors[actor].object_type in VULNERABLE and often(actor)
        for actor in sorted(present)
    )
    telling = [
        sum(min(look.get(one.actor, 0.0), LARGEST) ** 0.5 for one in actors) for look in shares
    ]
    poster = int(np.argmax(telling)) * (WINDOW // len(shares))
    return Seen(replace(label, actors=actors), vulnerable, poster)
