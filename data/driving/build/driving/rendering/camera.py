"""A dashcam behind the windscreen, and the matrix that projects what it sees."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from driving.labelling.geometry import EYE_BACK

EYE_HEIGHT = 1.38
FIELD_OF_VIEW = math.radians(74)
PITCH = math.radians(-3.5)
NEAREST, FARTHEST = 0.25, 900.0


@dataclass(frozen=True)
class Camera:
    """Where the eye is and which way it looks; `aspect` is width over height."""

    eye: np.ndarray
    heading: float
    aspect: float

    @property
    def ahead(self) -> np.ndarray:
        """The direction of view."""
        flat = math.cos(PITCH)
        return np.array(
            [math.cos(self.heading) * flat, math.sin(self.heading) * flat, math.sin(PITCH)]
        )

    @property
    def right(self) -> np.ndarray:
        """To the right in the picture."""
        return np.array([math.sin(self.heading), -math.cos(self.heading), 0.0])

    @property
    def up(self) -> np.ndarray:
        """Upwards in the picture."""
        return np.cross(self.right, self.ahead)

    @property
    def focus(self) -> float:
        """Half the picture's width is this many times the distance."""
        return 1 / math.tan(FIELD_OF_VIEW / 2)

    @property
    def horizon(self) -> float:
        """Height of the horizon in the picture, from -1 to 1."""
        return math.tan(-PITCH) * self.focus * self.aspect

    def matrix(self) -> np.ndarray:
        """World to clip coordinates, column by column as OpenGL wants it."""
        view = np.eye(4)
        view[:3, :3] = self.right, self.up, -self.ahead
        view[:3, 3] = -view[:3, :3] @ self.eye
        n, f = NEAREST, FARTHEST
        projection = np.array(
            [
                [self.focus, 0, 0, 0],
                [0, self.focus * self.aspect, 0, 0],
                [0, 0, -(f + n) / (f - n), -2 * f * n / (f - n)],
                [0, 0, -1, 0],
            ]
        )
        return (projection @ view).astype(np.float32).T


def dashcam(x: float, y: float, heading: float, aspect: float) -> Camera:
    """The camera of a car whose front is at (x, y)."""
    eye = np.array([x - EYE_BACK * math.cos(heading), y - EYE_BACK * math.sin(heading), EYE_HEIGHT])
    return Camera(eye, heading, aspect)
