"""No command holds anything for each query and item."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

QUERIES, FEW, MANY = 300, 2_000, 10_000
GROUPS = ("actor", "scene")
CALLS = """
import contextlib, io, json, resource, sys
from dashboard.__main__ import main
from dashboard.experiment import long_rankings
from dashboard.retrieval import gallery, runs

runs.LONG = 0  # as if each gallery were large, and blocks, whose size is bounded, are small
gallery.AT_ONCE, gallery.COUNTED, long_rankings.PAIRS = 8, 1 << 16, 1 << 18
pair = ["--baseline", "v1", "--candidate", "v2"]
for folder in sys.argv[1:]:
    for call in (
        ["check", folder],
        ["measure", folder],
        ["measure", folder, "--queries", "item", "--metrics", "bpref Judged@5"],
        ["compare", folder, *pair],
        ["report", folder, *pair, "-o", f"{folder}.html"],
    ):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main(call)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps([call[0], code, peak / 1024]))
"""


def write_collection(folder: Path, items: int) -> Path:
    """Items with a keyword of each group; each query is an item, and asks for its keywords."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    (folder / "collection.toml").write_text('title = "Many"\nprotocols = ["alfa"]\n')
    names, asked = [f"v{n}" for n in range(items)], [f"q{n}" for n in range(QUERIES)]
    has = [rng.integers(0, 20, items).tolist() for _ in GROUPS]
    tables = {
        "items": ["item_id,file,kind,caption", *(f"{name},,video," for name in names)],
        "queries": ["query_id,text,item_id", *(f"q{n},,v{n}" for n in range(QUERIES))],
        "unified_annotation": [
            ",".join(["slice_id", *(f"pv_{group}" for group in GROUPS)]),
            *(f"v{n},actor {a},scene {s}" for n, (a, s) in enumerate(zip(*has, strict=True))),
        ],
    }
    for name, lines in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(lines))
    for version in ("v1", "v2"):
        place = folder / "models" / version
        place.mkdir(parents=True)
        (place / "model.toml").write_text('encoder = "none"\ndimension = 8\n')
        for what, ids in (("items", names), ("queries", asked)):
            np.save(place / f"{what}.npy", rng.standard_normal((len(ids), 8), dtype=np.float32))
            (place / f"{what}.txt").write_text("\n".join(ids))
    return folder


def test_memory_does_not_grow_with_pairs_of_query_and_item(tmp_path: Path) -> None:
    folders = [write_collection(tmp_path / str(n), n) for n in (FEW, MANY)]
    alone = {"DASHBOARD_CACHE_MB": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CALLS, *map(str, folders)],
        env=os.environ | alone,
        capture_output=True,
        text=True,
        check=True,
    )
    calls = [json.loads(line) for line in done.stdout.splitlines()]
    assert [code for _, code, _ in calls if code not in (0, 1)] == [], calls
    before = calls[len(calls) // 2 - 1][2]
    bytes_of_a_pair = {
        name: (peak - before) * 2**20 / ((MANY - FEW) * QUERIES) for name, _, peak in calls[4:]
    }
    assert max(bytes_of_a_pair.values()) < 25, bytes_of_a_pair
