"""From two TREC files on disk to six metrics of each query, beside pytrec_eval (and ranx, where it
is installed) doing the same from the same files, reading included.

`python tests/benchmarks/bench_files.py [QUERIES DEPTH]` prints milliseconds, the least of a few
runs, the ratio, and whether the values agree.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytrec_eval

from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.files import read_qrels, read_run

SIX = "R@10 P@10 AP nDCG@10 RR RBP(0.8)"
PEER = {"R": "recall.10", "P": "P.10", "AP": "map", "nDCG": "ndcg_cut.10", "RR": "recip_rank"}
RANX = ["recall@10", "precision@10", "map", "ndcg@10", "mrr", "rbp.80"]
JUDGED = 20


def least(work: Callable[[], object], times: int = 3) -> float:
    """Milliseconds of the quickest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return min(taken)


def write_files(folder: Path, queries: int, depth: int) -> tuple[Path, Path]:
    """Judgements and a run without ties over 200,000 items; half of the judged are retrieved."""
    random = np.random.default_rng(0)
    run, qrels = folder / "run.trec", folder / "qrels.txt"
    with run.open("w") as ranked, qrels.open("w") as judged:
        for query in range(queries):
            items = random.choice(200_000, depth + JUDGED // 2, replace=False)
            scores = np.sort(random.random(depth))[::-1] * 20
            grades = random.integers(0, 4, JUDGED)
            known = np.r_[random.choice(items[:depth], JUDGED // 2, replace=False), items[depth:]]
            ranked.writelines(
                f"q{query:06} Q0 doc{items[i]:07} {i + 1} {scores[i]:.6f} system\n"
                for i in range(depth)
            )
            judged.writelines(
                f"q{query:06} 0 doc{item:07} {grade}\n"
                for item, grade in zip(known, grades, strict=True)
            )
    return qrels, run


def ours(qrels: Path, run: Path) -> pd.DataFrame:
    """The measurements of the run."""
    protocol = PROTOCOLS["trec"]
    evidence = SimpleNamespace(queries=None, items=None, keywords=None, query_keywords=None)
    evidence.qrels = read_qrels(qrels)
    judgement = protocol.judge(evidence, None)
    return measure({"run": read_run(run, "trec")}, judgement, protocol, parse(SIX))


def pytrec(qrels: Path, run: Path) -> dict[str, dict[str, float]]:
    """pytrec_eval's values, {query: {measure: value}}; it has no RBP."""
    with qrels.open() as judged, run.open() as ranked:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(judged), set(PEER.values())
        )
        return dict(evaluator.evaluate(pytrec_eval.parse_run(ranked)))


def ranx(qrels: Path, run: Path) -> object:
    """ranx's means."""
    from ranx import Qrels, Run, evaluate

    read = Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec")
    return evaluate(*read, RANX, make_comparable=True)


def largest_difference(table: pd.DataFrame, peer: dict[str, dict[str, float]]) -> float:
    """Over all queries and the metrics that both have."""
    known = table[table["metric"].isin(PEER)]
    theirs = [
        peer[query][PEER[metric].replace(".", "_")]
        for query, metric in zip(known["query_id"], known["metric"], strict=True)
    ]
    return float(np.abs(known["value"].to_numpy() - np.array(theirs)).max())


def compare(queries: int, depth: int) -> None:
    """Print the times of reading and of the whole, and of the peers."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = write_files(Path(folder), queries, depth)
        size = run.stat().st_size / 1e6
        print(f"{queries:,} queries x {depth:,} results, {size:.0f} MB, {SIX}")
        print(f"  reading the run        {least(lambda: read_run(run, 'trec'), 5):9.0f} ms")
        own = least(lambda: ours(qrels, run), 5)
        print(f"  ours, whole            {own:9.0f} ms")
        theirs = least(lambda: pytrec(qrels, run), 2)
        print(f"  pytrec_eval, five      {theirs:9.0f} ms = {theirs / own:.1f} x ours")
        if find_spec("ranx"):
            theirs = least(lambda: ranx(qrels, run), 2)
            print(f"  ranx, warm             {theirs:9.0f} ms = {theirs / own:.1f} x ours")
        difference = largest_difference(ours(qrels, run), pytrec(qrels, run))
        print(f"  largest difference     {difference:.1e}")


if __name__ == "__main__":
    sizes = [tuple(map(int, sys.argv[1:3]))] if sys.argv[2:] else [(10_000, 100), (1_000, 1_000)]
    for size in sizes:
        compare(*size)
