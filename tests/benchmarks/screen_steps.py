"""Draw warm screens again, beside a three-line app: milliseconds of processor.

`python -m tests.benchmarks.screen_steps` draws each screen of the shipped collection driving
in a process of its own, steps from query to query on Query, and prints the median of its reruns.
With `--first` it prints the first use of some metrics and thresholds on Overview beside the second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "dashboard" / "main.py"
SCREENS = ("plain", "query", "overview", "compare", "slices", "search", "collections")
REPEATS = 20
USES = [("metric", "nDCG@10"), ("metric", "AP"), ("metric", "RR"),
        ("min_similarity", "0.1"), ("min_similarity", "0.2")]  # fmt: skip


def measure_steps(screen: str, collection: str) -> list[float]:
    """Return the milliseconds of processor of each rerun of a warm screen."""
    from streamlit.testing.v1 import AppTest

    if screen == "plain":
        app = AppTest.from_string('import streamlit as st\nst.title("a")\nst.write("b")')
        app.run()
    else:
        app = AppTest.from_file(str(MAIN), default_timeout=180)
        app.query_params["collection"] = collection
        app.run()
        app.switch_page(f"screens/{screen}.py")
    for _ in range(3):
        app.run()
    found = []
    queries = list_queries(app) if screen == "query" else []
    for place in range(REPEATS):
        if queries:
            app.query_params["query"] = queries[place % len(queries)]
        start = time.process_time()
        app.run()
        found.append(1000 * (time.process_time() - start))
    return found


def measure_first_uses(collection: str) -> None:
    """Print the milliseconds of the first and second use of each value, and the largest ratio."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(MAIN), default_timeout=180)
    app.query_params["collection"] = collection
    for _ in range(3):
        app.run()
    largest = 0.0
    for key, value in USES:
        app.query_params[key] = value
        times = []
        for _ in range(3):
            start = time.process_time()
            app.run()
            times.append(1000 * (time.process_time() - start))
        first, second = times[0], min(times[1:])
        largest = max(largest, first / second)
        print(f"{key} {value:8} first {first:6.0f} ms, second {second:6.0f} ms")
    print(f"{largest:.2f} x the second use")


def list_queries(app: object) -> list[str]:
    """Return the queries next to the open one, in the order of the keys."""
    import json

    for each in app.get("bidi_component"):  # type: ignore[attr-defined]
        payload = json.loads(each.proto.bytes or each.proto.json)
        if "queries" in payload:
            return [query for query, _ in payload["queries"]]
    raise SystemExit("the screen Query has no list of queries")


def main() -> None:
    """Print a row for each screen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", default="driving")
    parser.add_argument("--screen", choices=SCREENS, help="measure one, in this process")
    parser.add_argument("--first", action="store_true", help="measure first uses instead")
    call = parser.parse_args()
    if call.first:
        return measure_first_uses(call.collection)
    if call.screen:
        print(statistics.median(measure_steps(call.screen, call.collection)))
        return
    plain = 0.0
    for screen in SCREENS:
        words = [sys.executable, "-m", "tests.benchmarks.screen_steps", "--screen", screen]
        words += ["--collection", call.collection]
        done = subprocess.run(words, cwd=ROOT, env=os.environ, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr[-500:])
        taken = float(done.stdout.split()[-1])
        plain = plain or taken
        print(f"{screen:12} {taken:7.1f} ms  {taken / plain:5.1f} x")


if __name__ == "__main__":
    main()
