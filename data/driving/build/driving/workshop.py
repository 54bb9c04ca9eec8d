"""Where the build keeps what it makes, and how it shares work among processes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from driving.labelling.clips import Clip, read_clips
from driving.rendering.renderer import Renderer
from driving.rendering.scene import build_scene
from driving.world import recordings
from driving.world.simulate import Drive, read_network

VRU = "vulnerable road user present"


@dataclass(frozen=True)
class Build:
    """What the command was called with, and the folders of the work."""

    work: Path
    to: Path
    clips: int
    seed: int
    workers: int

    def recording(self, drive: Drive) -> recordings.Recording:
        """A drive's recording."""
        return recordings.load(self.work / "recordings" / f"{drive.name}.npz")

    def network(self, drive: Drive) -> Any:
        """A drive's road network."""
        return read_network(self.work / "maps" / f"{drive.name}.net.xml")

    def show(self, renderer: Renderer, drive: Drive) -> None:
        """Let a renderer take a drive's scene."""
        renderer.show(build_scene(self.network(drive), drive.kind))

    def chosen(self) -> list[Clip]:
        """The clips of the collection."""
        return read_clips(self.work / "clips.json")

    def map(self, do: Callable[..., Any], *rows: Any) -> list[Any]:
        """Do something for each row, in the build's processes, in order."""
        with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as pool:
            return list(pool.map(do, *rows))
