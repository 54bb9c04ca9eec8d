"""Small files that ask for much memory or time are refused by their name, in little of both.

What `check` takes of each, `python -m tests.benchmarks.bench_bombs` prints.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dashboard.experiment.collection.checking import note_networks
from dashboard.storage.collection.collection import open_collection
from dashboard.tables import DataError, Findings
from tests.bombs import BOMBS, ROOT, make_all
from tests.storage.tiny import make_collection

FILES = {
    "a network": "picture.onnx",
    "a vocabulary": "vocabulary.toml",
    "a keyword with": "vocabulary.toml",
    "JSON": "items.jsonl",
    "TOML": "collection.toml",
    "CSV: 330 MB": "items.csv.gz",
    "CSV: 4,": "items.csv.gz",
    "JSON: 4": "items.jsonl.gz",
    "ids of": "items.csv",
    "an id of": "items.txt",
    "npy": "items.npy",
    "npz": "items.npz",
    "Parquet: 100": "items.parquet",
}
"""The file that is named for each; else the annotation."""

pytestmark = pytest.mark.slow


def refusals(folder: Path) -> str:
    """What is said of a collection's files."""
    try:
        collection = open_collection(folder, allow_path=True)
    except DataError as problem:
        return str(problem)
    findings = Findings()
    note_networks(collection, findings)
    said = [*collection.broken.values(), *collection.refused.values()]
    return "\n".join([*map(str, said), *map(str, findings.frame().itertuples(index=False))])


def look_at_all(sound: str, *folders: str) -> None:
    """Print for each folder the MB and the seconds of the processor that looking at it took, and
    what was said. The largest memory never falls: all together may not take much."""
    refusals(Path(sound))
    for folder in folders:
        before, began = _largest(), time.process_time()
        said = refusals(Path(folder))
        print(json.dumps([_largest() - before, time.process_time() - began, said]))


def _largest() -> float:
    used = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(each).ru_maxrss for each in used) / 1_024


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    """For each bomb MB, seconds and what was said."""
    place = tmp_path_factory.mktemp("bombs")
    folders = make_all(place, *BOMBS)
    sound = make_collection(place / "sound")
    script = "import sys; from tests.test_bombs import look_at_all; look_at_all(*sys.argv[1:])"
    command = [sys.executable, "-c", script, str(sound), *map(str, folders.values())]
    looked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    lines = looked.stdout.splitlines()
    assert len(lines) == len(folders), looked.stderr[-3_000:]
    return dict(zip(folders, map(json.loads, lines), strict=True))


@pytest.mark.parametrize("name", list(BOMBS))
def test_a_bomb_is_refused_by_its_file_in_little_time_and_memory(taken: dict, name: str) -> None:
    memory, seconds, said = taken[name]
    file = next((file for begin, file in FILES.items() if name.startswith(begin)), "annotation")
    assert file in said, said
    assert len(said) < 3_000, "what the file says is not said again at length"
    assert memory < 200
    assert seconds < 2
