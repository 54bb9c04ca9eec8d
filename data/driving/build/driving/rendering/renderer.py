"""OpenGL without a window: the picture of one moment, and who can be seen in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import moderngl
import numpy as np
from PIL import Image

from driving.rendering import shaders
from driving.rendering.actors import (
    Placed,
    body,
    glow,
    has_lamps,
    lamps_of,
    shadow_of,
    signal_states,
)
from driving.rendering.camera import Camera
from driving.rendering.meshes import WIDTH
from driving.rendering.overlay import bonnet, rain
from driving.rendering.scene import Scene
from driving.rendering.weather import Air

LAYOUT = ("3f 3f 3f 1f 2f", "position", "normal", "colour", "material", "uv")
MOST_VERTICES = 600_000
BONNET_SHARE = 0.10
"""The lowest part of the picture, which the bonnet covers."""


class Renderer:
    """Draws one scene at a time; pictures are drawn larger by `oversampling` and averaged."""

    def __init__(self, width: int, height: int, oversampling: int = 2) -> None:
        self.width, self.height, self.oversampling = width, height, oversampling
        self.context = moderngl.create_standalone_context(backend="egl")
        self.size = (width * oversampling, height * oversampling)
        self.target = self.context.framebuffer(
            [self.context.renderbuffer(self.size, 3)], self.context.depth_renderbuffer(self.size)
        )
        program = self.context.program
        self.surface = program(shaders.SURFACE_VERTEX, shaders.SURFACE_FRAGMENT)
        self.numbers = program(shaders.SURFACE_VERTEX, shaders.NUMBER_FRAGMENT)
        self.sky = program(shaders.SKY_VERTEX, shaders.SKY_FRAGMENT)
        corners = self.context.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self.sky_vertices = self.context.vertex_array(self.sky, [(corners, "2f", "corner")])
        self.moving = self.context.buffer(reserve=4 * WIDTH * MOST_VERTICES)
        self.moving_vertices = self.vertices(self.surface, self.moving)
        self.moving_numbers = self.vertices(self.numbers, self.moving)
        self.scene: Scene | None = None

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def vertices(self, program: moderngl.Program, buffer: moderngl.Buffer) -> moderngl.VertexArray:
        """A buffer of mesh vertices, read by a program that may leave out some of them."""
        return self.context.vertex_array(program, [(buffer, *LAYOUT)], skip_errors=True)

    def show(self, scene: Scene) -> None:
        """Take a scene; the pictures that follow are of it."""
        self.scene = scene
        still = self.context.buffer(np.ascontiguousarray(scene.triangles).tobytes())
        self.still_vertices = self.vertices(self.surface, still)
        self.still_numbers = self.vertices(self.numbers, still)
        shades = self.context.buffer(np.ascontiguousarray(scene.shadows).tobytes() or b"\0" * 48)
        self.shade_vertices = self.vertices(self.surface, shades)

    def draw(self, meshes: Sequence[np.ndarray], array: moderngl.VertexArray) -> None:
        """Draw meshes that are different in each picture."""
        if meshes:
            all_vertices = np.ascontiguousarray(np.concatenate(meshes), np.float32)
            self.moving.orphan()
            self.moving.write(all_vertices.tobytes())
            array.render(moderngl.TRIANGLES, vertices=len(all_vertices))

    def light(self, camera: Camera, air: Air) -> None:
        """Tell the shaders about the camera and the weather."""
        values = {
            "eye": camera.eye,
            "ahead": camera.ahead,
            "sun": np.array(air.sun) / np.linalg.norm(air.sun),
            "sunlight": air.sunlight,
            "ambient": air.ambient,
            "haze": air.haze,
        }
        for name, triple in values.items():
            self.surface[name].value = tuple(float(part) for part in triple)
        self.surface["view"].write(camera.matrix().tobytes())
        self.surface["fog"].value = air.fog
        self.surface["night"].value = self.sky["night"].value = float(air.night)
        self.surface["wet"].value = float(air.wet)
        self.sky["zenith"].value, self.sky["low"].value = air.zenith, air.horizon
        self.sky["horizon"].value, self.sky["clouds"].value = camera.horizon, air.clouds
        self.sky["yaw"].value = -camera.heading

    def picture(
        self,
        camera: Camera,
        everybody: Sequence[Placed],
        signals: dict[str, str],
        air: Air,
        seconds: float,
        seed: int,
    ) -> Image.Image:
        """The picture of one moment, with rain and bonnet."""
        if self.scene is None:
            raise ValueError("show a scene before drawing a picture of it")
        self.light(camera, air)
        self.draw_background(air)
        with self.blended(moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA):
            if air.shadows and len(self.scene.shadows):
                self.shade_vertices.render(moderngl.TRIANGLES)
            self.draw([shadow_of(one, air) for one in everybody], self.moving_vertices)
        bodies = [body(one) for one in everybody]
        bodies += [lamps_of(one, air, seconds) for one in everybody if has_lamps(one)]
        bodies += signal_states(self.scene.signals, signals, camera)
        self.draw(bodies, self.moving_vertices)
        with self.blended(moderngl.ONE, moderngl.ONE):
            self.draw(glow(everybody, self.scene.lamp_heads, camera, air), self.moving_vertices)
        return self.finish(air, seconds, seed)

    def draw_background(self, air: Air) -> None:
        """Draw the sky and all that stands still."""
        self.target.use()
        self.target.clear(*air.haze, 1.0)
        self.context.disable(moderngl.DEPTH_TEST)
        self.sky_vertices.render(moderngl.TRIANGLES)
        self.context.enable(moderngl.DEPTH_TEST)
        self.still_vertices.render(moderngl.TRIANGLES)

    @contextmanager
    def blended(self, source: int, target: int) -> Iterator[None]:
        """Mix what is drawn with what is there, without hiding what is drawn later."""
        self.target.depth_mask = False
        self.context.enable(moderngl.BLEND)
        self.context.blend_func = source, target
        yield
        self.context.disable(moderngl.BLEND)
        self.target.depth_mask = True

    def finish(self, air: Air, seconds: float, seed: int) -> Image.Image:
        """Read the picture, bring it to its size, add rain and bonnet."""
        pixels = self.target.read(components=3)
        picture = Image.frombytes("RGB", self.size, pixels)
        picture = picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        if self.oversampling > 1:
            picture = picture.resize((self.width, self.height), Image.Resampling.BOX)
        if air.wet:
            picture = rain(picture, seed * 1000 + round(seconds * 100), air.night)
        hood = bonnet(self.width, self.height, air.night)
        picture.paste(hood, (0, 0), hood)
        return picture

    def shares(self, camera: Camera, everybody: Sequence[Placed]) -> dict[int, float]:
        """Share of the picture that each actor covers, whatever hides it taken into account."""
        meshes = []
        for index, one in enumerate(everybody, start=1):
            mesh = body(one)
            mesh[:, 6:9] = index % 251 / 255, index // 251 / 255, 1
            meshes.append(mesh)
        self.numbers["view"].write(camera.matrix().tobytes())
        self.target.use()
        self.target.clear(0, 0, 0, 1)
        self.context.enable(moderngl.DEPTH_TEST)
        self.numbers["numbered"].value = 0.0
        self.still_numbers.render(moderngl.TRIANGLES)
        self.numbers["numbered"].value = 1.0
        self.draw(meshes, self.moving_numbers)
        raw = np.frombuffer(self.target.read(components=3), np.uint8)
        raw = raw.reshape(self.size[1], self.size[0], 3)[int(self.size[1] * BONNET_SHARE) :]
        index = raw[..., 0].astype(int) + 251 * raw[..., 1]
        seen, pixels = np.unique(index[raw[..., 2] > 128], return_counts=True)
        whole = self.size[0] * self.size[1]
        return {
            everybody[i - 1].number: float(n) / whole for i, n in zip(seen, pixels, strict=True)
        }
