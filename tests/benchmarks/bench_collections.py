"""How long the chooser takes with many collections: `python -m tests.benchmarks.bench_collections`.

Copies of a collection that ships (its tables and versions, without media) stand in one folder. What
the cards need is read once for each state of the files; a rerun looks at the files only.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dashboard.experiment.collection import catalogue
from dashboard.storage.collection import collection as collections


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--collections", type=int, default=100)
    asked.add_argument("--of", default="openmoji_composed")
    call = asked.parse_args()
    logging.disable(logging.WARNING)  # Streamlit's cache says that no browser is there
    source = collections.COLLECTIONS / call.of
    with tempfile.TemporaryDirectory() as place:
        for number in range(call.collections):
            ignored = shutil.ignore_patterns("media", "posters", "build")
            shutil.copytree(source, Path(place) / f"c{number:03d}", ignore=ignored)
        collections.COLLECTIONS = Path(place)
        names = collections.names()
        first = taken(lambda: [catalogue.glance(name) for name in names])
        again = taken(lambda: [catalogue.glance(name) for name in names])
        titles = taken(lambda: catalogue.titles())
        few = names[:10]
        whole = taken(lambda: [collections.open_collection(name) for name in few]) / len(few)
    print(
        f"{len(names)} collections like {call.of}: at a glance {1000 * first:,.0f} ms the first "
        f"time ({1000 * first / len(names):.1f} each), {1000 * again:.1f} ms at a rerun; titles "
        f"{1000 * titles:.1f} ms; opening them all would take {1000 * whole * len(names):,.0f} ms"
    )


def taken(work: Callable[[], object]) -> float:
    """How many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
