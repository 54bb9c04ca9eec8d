"""The moments of a clip, drawn one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PIL import Image

from driving.labelling.clips import Clip
from driving.rendering.actors import Placed, placed_actors
from driving.rendering.camera import Camera, dashcam
from driving.rendering.renderer import Renderer
from driving.rendering.weather import AIRS
from driving.world.recordings import STEPS_PER_SECOND, Recording

FRAMES_PER_SECOND = 12
FRAMES = 48
REACH = 130.0
"""Metres within which actors are drawn."""
BEHIND = 14.0


def moment(
    recording: Recording, ego: int, time: float, aspect: float
) -> tuple[Camera, list[Placed]]:
    """The camera of a vehicle at a (fractional) step, and everybody who may be in its picture."""
    state = recording.state(ego, time)
    if state is None:
        raise ValueError(f"vehicle {ego} is not on the map of {recording.name} at step {time:.1f}")
    camera = dashcam(*state[:3], aspect)
    everybody = [
        one
        for one in placed_actors(recording, time, ego, REACH)
        if (one.x - camera.eye[0]) * camera.ahead[0] + (one.y - camera.eye[1]) * camera.ahead[1]
        > -BEHIND
    ]
    return camera, everybody


def frames(
    renderer: Renderer, recording: Recording, clip: Clip, numbers: Iterable[int], seed: int
) -> Iterator[Image.Image]:
    """Some of a clip's 48 pictures, by their numbers."""
    air = AIRS[clip.weather]
    for number in numbers:
        seconds = number / FRAMES_PER_SECOND
        time = clip.label.start + seconds * STEPS_PER_SECOND
        camera, everybody = moment(recording, clip.label.ego, time, renderer.aspect)
        lights = recording.lights[int(time)]
        yield renderer.picture(camera, everybody, lights, air, seconds, seed)
