"""From two TREC files on disk to six metrics of each query, beside pytrec_eval (and ranx, where a
Python that has it is named) doing the same from the same files, reading included.

`python -m tests.benchmarks.bench_files [QUERIES DEPTH] [--ranx PYTHON]` prints the median of the
milliseconds of turns in which all work one after the other and the median of the ratios, the least
of both (nearest to a machine that does nothing else), and whether the values agree. `--growth`
prints how our time grows up to 100,000 queries instead.

On machines of two cores pytrec_eval took 3.4 to 6.2 times as long at 10,000 x 100 and 3.7 to 6.6
times at 1,000 x 1,000; in CPU time, which other work on the machine changes less, 3.3 and 3.9
times. A third of our CPU time goes into splitting lines and reading scores (Arrow's CSV reader), a
sixth into the keys of ids. With Arrow's dictionaries and pandas' Index in place of those keys, the
whole takes as much CPU time as pytrec_eval.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, Popen
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytrec_eval

from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.runs.runs import read_qrels, read_run

SIX = "R@10 P@10 AP nDCG@10 RR RBP(0.8)"
PEER = {"R": "recall.10", "P": "P.10", "AP": "map", "nDCG": "ndcg_cut.10", "RR": "recip_rank"}
JUDGED = 20


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


@contextmanager
def ranx(python: str, qrels: Path, run: Path) -> Iterator[Callable[[], list[float]]]:
    """A process that gives ranx's milliseconds, whole and from prepared objects, at each call."""
    command = [python, "-W", "ignore", str(Path(__file__).with_name("peer_ranx.py")), qrels, run]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin and process.stdout

        def turn() -> list[float]:
            process.stdin.write("\n")
            process.stdin.flush()
            return [float(number) for number in process.stdout.readline().split()]

        yield turn
        process.stdin.close()


def largest_difference(table: pd.DataFrame, peer: dict[str, dict[str, float]]) -> float:
    """Over all queries and the metrics that both have."""
    known = table[table["metric"].isin(PEER)]
    theirs = [
        peer[query][PEER[metric].replace(".", "_")]
        for query, metric in zip(known["query_id"], known["metric"], strict=True)
    ]
    return float(np.abs(known["value"].to_numpy() - np.array(theirs)).max())


def compare(queries: int, depth: int, turns: int, python: str) -> None:
    """Print the medians of turns taken one after the other, and the medians of their ratios."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as peers:
        qrels, run = write_files(Path(folder), queries, depth)
        prepared = prepare(qrels, run)
        works = {
            "from files, ours": lambda: timed(lambda: ours(qrels, run)),
            "from files, pytrec_eval (five of six)": lambda: timed(lambda: pytrec(qrels, run)),
            "from codes, ours": lambda: timed(prepared),
        }
        whole = "from files, ranx"
        if python:
            turn = peers.enter_context(ranx(python, qrels, run))
            works[whole] = turn
        taken: dict[str, list[float]] = {}
        for _ in range(turns):
            for name, work in works.items():
                for part, milliseconds in zip([name, "prepared, ranx"], work(), strict=False):
                    taken.setdefault(part, []).append(milliseconds)
        print(f"{queries:,} queries x {depth:,} results, {run.stat().st_size / 1e6:.0f} MB, {SIX}")
        for name, times in taken.items():
            own = "from codes, ours" if name.startswith("prepared") else "from files, ours"
            ratio = np.median(np.array(times) / taken[own])
            said = "" if "ours" in name else f" = {ratio:5.1f} x ours"
            quickest = "" if "ours" in name else f" = {min(times) / min(taken[own]):5.1f} x ours"
            print(f"  {name:38}{np.median(times):6.0f} ms{said:15}", end="")
            print(f"  least {min(times):6.0f} ms{quickest}")
        difference = largest_difference(ours(qrels, run), pytrec(qrels, run))
        print(f"  largest difference from pytrec_eval {difference:.1e}")


def prepare(qrels: Path, run: Path) -> Callable[[], object]:
    """The work that is left when ids are codes already: join and six metrics."""
    trec = PROTOCOLS["trec"]
    judged, ranked = read_qrels(qrels), read_run(run, "trec")
    items = pd.Index(pd.concat([judged["item_id"], ranked["item_id"]]).unique())
    for table in (judged, ranked):
        table["item_id"] = pd.Categorical.from_codes(
            items.get_indexer(table["item_id"]).astype(np.int32), categories=items
        )
    evidence = dict.fromkeys(("queries", "items", "keywords", "query_keywords"))

    def work() -> pd.DataFrame:
        judgement = trec.judge(SimpleNamespace(qrels=judged, **evidence), None)
        return measure({"run": ranked}, judgement, trec, parse(SIX))

    return work


def timed(work: Callable[[], object]) -> list[float]:
    """Milliseconds of one run, alone in a list."""
    start = time.perf_counter()
    work()
    return [(time.perf_counter() - start) * 1000]


def growth(sizes: Sequence[int], depth: int) -> None:
    """Print how the time grows with the number of queries."""
    before = None
    for queries in sizes:
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = write_files(Path(folder), queries, depth)
            least = min(timed(partial(ours, qrels, run))[0] for _ in range(5))
        grown = "" if before is None else f", {least / before:.1f} times as long"
        print(f"{queries:8,} queries x {depth} results {least:9.0f} ms{grown}")
        before = least


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int, nargs="*", metavar="QUERIES DEPTH")
    parser.add_argument("--turns", type=int, default=7)
    here = sys.executable if find_spec("ranx") else ""
    parser.add_argument("--ranx", default=here, metavar="PYTHON", help="one that has ranx")
    parser.add_argument("--growth", action="store_true", help="1,000 to 100,000 queries instead")
    call = parser.parse_args()
    if call.growth:
        growth((1_000, 10_000, 100_000), 100)
    else:
        for size in [tuple(call.size)] if call.size else [(10_000, 100), (1_000, 1_000)]:
            compare(*size, call.turns, call.ranx)
