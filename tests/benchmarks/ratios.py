"""All ratios to other programs in one table, beside those of the last release.

`python -m tests.benchmarks.ratios [NAME ...]` runs the benchmarks that print a ratio, one after the
other, on a quiet machine; `--write` keeps the ratios that were measured for the next release.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.measure_large import run_alone

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("ratios.json")
"""Ratios of the last release, by name."""
VERDICT = 'import dashboard; dashboard.open("driving").verdict("v0.2", "v0.3")'
BENCHMARKS: dict[str, tuple[list[str], str, str]] = {
    "TREC files 10,000 x 100": (["trec_large"], r"([\d.]+) times faster", "pytrec_eval, >= 7"),
    "TREC files 1,000 x 1,000": (
        ["trec_large", "--queries", "1000", "--depth", "1000"],
        r"([\d.]+) times faster",
        "pytrec_eval, >= 7",
    ),
    "200,000 x 500 x 2": (["measure_large"], r"([\d.]+) x the products", "the products"),
    "5,000 pictures, 25,000 texts": (["crossmodal_5k"], r"([\d.]+) times the", "products, <= 1.3"),
    "54,000 codes": (["hashing_54k"], r"([\d.]+) times as long", "faiss, <= 1.5"),
    "first use on Overview": (
        ["screen_steps", "--first"],
        r"([\d.]+) x the second",
        "second use, <= 3",
    ),
}
"""Arguments of each benchmark, the ratio in what it prints, and what it is beside."""


def measure_ratio(name: str) -> float:
    """Run a benchmark and return its ratio."""
    words, pattern, _ = BENCHMARKS[name]
    call = [sys.executable, "-m", f"tests.benchmarks.{words[0]}", *words[1:]]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    found = re.findall(pattern, done.stdout)
    if done.returncode or not found:
        raise SystemExit(f"{words[0]} printed no ratio: {done.stderr[-500:]}")
    return float(found[-1])


def measure_verdict() -> float:
    """Return the processor time from `import dashboard` to a verdict, beside pandas' import."""
    used = [min(run_alone([sys.executable, "-c", code])[0] for _ in range(3))
            for code in ("import pandas", VERDICT)]  # fmt: skip
    return used[1] / used[0]


def main() -> None:
    """Print a row for each ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--write", action="store_true", help="keep what was measured")
    call = parser.parse_args()
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    measured: dict[str, float] = {}
    besides = {name: beside for name, (_, _, beside) in BENCHMARKS.items()}
    besides["import to a verdict"] = "import of pandas, <= 2"
    for name in call.names or besides:
        measured[name] = measure_ratio(name) if name in BENCHMARKS else measure_verdict()
        before = f"{kept[name]:.2f}" if name in kept else "not kept"
        print(f"{name:30} {measured[name]:6.2f}  before {before:8}  {besides[name]}", flush=True)
    if call.write:
        KEPT.write_text(json.dumps(kept | measured, indent=2) + "\n")


if __name__ == "__main__":
    main()
