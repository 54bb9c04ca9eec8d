"""ranx's time, asked for by bench_files.py; it needs ranx alone, in an environment of its own.

`python peer_ranx.py QRELS RUN` answers each line on stdin, after one turn to warm up, with the
milliseconds of the whole and of `evaluate` on the objects that were made of the files.
"""

from __future__ import annotations

import sys
import time

from ranx import Qrels, Run, evaluate

METRICS = ["recall@10", "precision@10", "map", "ndcg@10", "mrr", "rbp.80"]


def turn(qrels: str, run: str) -> tuple[float, float]:
    """Milliseconds of reading and evaluating, and of evaluating."""
    start = time.perf_counter()
    judged, ranked = Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec")
    read = time.perf_counter()
    evaluate(judged, ranked, METRICS, make_comparable=True)
    done = time.perf_counter()
    return (done - start) * 1000, (done - read) * 1000


if __name__ == "__main__":
    turn(*sys.argv[1:3])
    for _ in sys.stdin:
        print(*turn(*sys.argv[1:3]), flush=True)
