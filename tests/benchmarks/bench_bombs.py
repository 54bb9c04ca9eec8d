"""Prints memory and seconds that `check` takes of each bomb, beside those of a sound collection.

`python -m tests.benchmarks.bench_bombs [part of a name …]`; run it in an older state to compare.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.bombs import BOMBS, make_all, measured
from tests.storage.tiny import make_collection


def main(wanted: list[str]) -> None:
    names = [name for name in BOMBS if not wanted or any(part in name for part in wanted)]
    with tempfile.TemporaryDirectory() as place:
        least = _checked("a sound collection", make_collection(Path(place) / "sound"))
        for name, folder in make_all(Path(place), *names).items():
            _checked(name, folder, least)


def _checked(name: str, folder: Path, least: float = 0) -> float:
    command = [sys.executable, "-m", "dashboard", "check", str(folder)]
    seconds, memory, said = measured(command)
    words = [line for line in said.splitlines() if "error" in line or "Error" in line] or [""]
    print(f"{name:40} {seconds:6.1f} s {memory - least:+8.0f} MB  {words[-1][:110]}", flush=True)
    return memory


if __name__ == "__main__":
    main(sys.argv[1:])
