"""Measure plain TREC files, beside pytrec_eval: seconds of processor of whole processes.

`python -m tests.benchmarks.trec_large` writes judgements and results of many queries to a
temporary folder and prints a row for each program; reading the files counts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks.measure_large import read_options, run_each

METRICS = {"map": "AP", "P.10": "P@10", "recall.100": "R@100", "ndcg_cut.10": "nDCG@10"}
METRICS |= {"recip_rank": "RR"}
"""Our name of each metric of pytrec_eval."""
PEER = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    judged, found = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
values = pytrec_eval.RelevanceEvaluator(judged, set(sys.argv[3:])).evaluate(found)
for name in next(iter(values.values())):
    print(name, sum(each[name] for each in values.values()) / len(values))
"""


def write_files(folder: Path, queries: int, depth: int) -> tuple[str, str]:
    """Write judgements, most of them of results, and results with scores of 6 decimals."""
    rng = np.random.default_rng(0)
    qrels, run = folder / "qrels.txt", folder / "run.trec"
    with qrels.open("w") as judged, run.open("w") as found:
        for query in range(queries):
            items = rng.choice(100_000, depth + depth // 4, replace=False).tolist()
            grades = rng.integers(0, 4, depth // 2).tolist()
            pairs = zip(rng.permutation(items)[: depth // 2].tolist(), grades, strict=True)
            judged.writelines(f"q{query} 0 d{item} {grade}\n" for item, grade in pairs)
            scores = np.sort(rng.random(depth))[::-1].tolist()
            results = enumerate(zip(items, scores, strict=False), start=1)
            found.writelines(f"q{query} Q0 d{i} {rank} {s:.6f} t\n" for rank, (i, s) in results)
    return str(qrels), str(run)


def main() -> None:
    """Print a row for each program."""
    call = read_options(__doc__, queries=10_000, depth=100)
    with tempfile.TemporaryDirectory() as made:
        files = write_files(Path(made), call.queries, call.depth)
        ours = ["-m", "dashboard", "measure", "--qrels", files[0], "--run", files[1]]
        options = ["--metrics", " ".join(METRICS.values()), "--format", "csv"]
        programs = {
            "pytrec_eval": [sys.executable, "-c", PEER, *files, *METRICS],
            "measure": [sys.executable, *ours, *options],
        }
        used = run_each(programs)
        print(f"{used[0] / used[1]:.1f} times faster")


if __name__ == "__main__":
    main()
