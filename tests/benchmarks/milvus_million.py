"""Copy a large version to Milvus, read it back and search it: seconds and values of each step.

`python -m tests.benchmarks.milvus_million` needs pymilvus and milvus-lite. With `--to URI` it
copies to a server instead of a file of milvus-lite.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.measure_large import run_alone, write_collection


def main() -> None:
    """Print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--to", default="", metavar="URI")
    call = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, uri = Path(made) / "large", call.to or f"{made}/copy.db"
        sizes = {"items": call.items, "queries": call.queries, "versions": 1}
        write_collection(folder, argparse.Namespace(**sizes, width=128, judged=100))
        os.environ["DASHBOARD_MILVUS"] = uri
        ours = [sys.executable, "-m", "dashboard"]
        for words in (
            ["index", str(folder), "--version", "v0.1", "--to", uri],
            ["index", str(folder), "--version", "v0.1", "--evaluate"],
            ["measure", str(folder), "--metrics", "P@5 R@100", "--format", "csv"],
        ):
            begun = time.perf_counter()
            seconds, memory, answer = run_alone([*ours, *words])
            passed = time.perf_counter() - begun
            print(f"{words[0]}: {passed:.1f} s, {seconds:.1f} s CPU, {memory:.0f} MB\n{answer}")


if __name__ == "__main__":
    main()
