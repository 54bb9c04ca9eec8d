"""A plain sentence for each clip, said from its keywords alone."""

from __future__ import annotations

from driving.labelling.clips import Clip
from driving.labelling.labels import SalientActor

NOUN = {
    "small vehicle": "small vehicle",
    "large vehicle": "large vehicle",
    "pedestrian": "pedestrian",
    "motorcyclist": "motorcyclist",
    "bicyclist": "bicyclist",
}
VERB = {
    "entering ego path": "enters the ego vehicle's path",
    "straight crossing path": "crosses the ego vehicle's path",
    "oncoming turn across path": "comes the other way and turns across the ego vehicle's path",
    "stationary": "stands still",
    "traveling in same direction": "travels in the same direction",
    "traveling in opposite direction": "travels in the opposite direction",
}
WHERE = {
    "corridor front": "in the corridor ahead",
    "left adjacent": "alongside on the left",
    "right adjacent": "alongside on the right",
    "left adjacent front": "ahead on the left",
    "right adjacent front": "ahead on the right",
    "left split front": "farther off on the left",
    "right split front": "farther off on the right",
}
EGO = {
    "ego stationary": "the ego vehicle stands still",
    "ego turning": "the ego vehicle turns",
    "ego lane change": "the ego vehicle changes lane",
    "proceeding straight": "the ego vehicle proceeds straight",
}


def actor_phrase(actor: SalientActor) -> str:
    """What one actor does and where."""
    deeds = " and ".join(VERB[behaviour] for behaviour in actor.behaviours)
    return f"a {NOUN[actor.object_type]} {deeds}, {WHERE[actor.relation]}"


def caption(clip: Clip) -> str:
    """Two sentences: who does what while the ego does what; then place, time and weather."""
    actors = " while ".join(actor_phrase(one) for one in clip.label.actors)
    place = ", ".join([*clip.label.scene, *clip.extra, *clip.weather])
    sentence = f"{actors}; {EGO[clip.label.ego_behavior]}."
    return f"{sentence[0].upper()}{sentence[1:]} {place[0].upper()}{place[1:]}."
