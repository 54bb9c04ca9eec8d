"""How long six metrics take from prepared tables, beside pytrec_eval on its own prepared dicts.

`python -m tests.benchmarks.bench_metrics [queries] [depth]` prints milliseconds (the least of five
runs) and ratios; reading of files is measured elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytrec_eval

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.ticks import matches
from dashboard.evaluation.rankings import from_lists, rank

SIX = "R@10 P@10 AP nDCG@10 RR RBP(0.8)"
PEER = {"recall.10", "P.10", "map", "ndcg_cut.10", "recip_rank"}
JUDGED = 20


def least(work: Callable[[], object], times: int = 5) -> float:
    """Milliseconds of the quickest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return min(taken)


def synthetic(queries: int, depth: int, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run and qrels over a gallery 100 times as deep; half of the judged items are retrieved."""
    random = np.random.default_rng(seed)
    items = max(100 * depth, 10_000)
    query_ids = pd.Index([f"q{n:06}" for n in range(queries)], dtype="str")
    item_ids = pd.Index([f"document-{n:07}" for n in range(items)], dtype="str")
    start, step = random.integers(0, items, queries), random.integers(1, 90, queries)
    found = (start[:, None] + step[:, None] * np.arange(depth + 10)) % items
    found = random.permutation(items)[found]
    place = np.argsort(random.random((queries, depth), dtype=np.float32), axis=1)[:, : JUDGED // 2]
    judged = np.take_along_axis(found, place, axis=1)
    judged = np.hstack([judged, found[:, depth : depth + JUDGED // 2]])
    run = pd.DataFrame(
        {
            "query_id": categorical(query_ids, np.repeat(np.arange(queries), depth)),
            "item_id": categorical(item_ids, found[:, :depth].ravel()),
            "score": np.tile(np.arange(depth, 0, -1, dtype=float), queries),
            "rank": np.tile(np.arange(1, depth + 1), queries),
        }
    )
    qrels = pd.DataFrame(
        {
            "query_id": categorical(query_ids, np.repeat(np.arange(queries), judged.shape[1])),
            "item_id": categorical(item_ids, judged.ravel()),
            "grade": random.integers(0, 4, judged.size).astype(float),
        }
    )
    qrels["credit"] = (qrels["grade"] >= 1).astype(float)
    return run, qrels


def categorical(ids: pd.Index, codes: np.ndarray) -> pd.Categorical:
    """A column of ids that is held as integer codes."""
    return pd.Categorical.from_codes(codes.astype(np.int32), categories=ids)


def nested(table: pd.DataFrame, value: str, kind: type) -> dict[str, dict[str, float]]:
    """{query: {item: value}}, as pytrec_eval wants it."""
    found: dict[str, dict[str, float]] = {}
    columns = (table["query_id"].astype(str), table["item_id"].astype(str), table[value])
    for query, item, number in zip(*columns, strict=True):
        found.setdefault(query, {})[item] = kind(number)
    return found


def six_metrics(queries: int, depth: int) -> None:
    """Print the times of the join, of six metrics and of the whole, and of pytrec_eval."""
    run, qrels = synthetic(queries, depth)
    query_ids = tuple(qrels["query_id"].cat.categories)
    measures = parse(SIX)

    def fresh() -> Judgement:
        return Judgement(qrels, query_ids, {})

    rankings = rank(run, fresh())

    def whole() -> pd.DataFrame:
        return measure({"run": run}, fresh(), PROTOCOLS["trec"], measures)

    texts = run.astype({"query_id": "str", "item_id": "str"})
    print(f"{queries:,} queries x {depth} results, {SIX}")
    print(f"  join, from codes       {least(lambda: rank(run, fresh())):9.1f} ms")
    print(f"  six metrics            {least(lambda: [m(rankings) for m in measures]):9.1f} ms")
    for each in measures:
        print(f"    {each!s:20} {least(lambda each=each: each(rankings)):9.2f} ms")
    own = least(whole)
    print(f"  measure, from codes    {own:9.1f} ms")
    from_texts = least(lambda: measure({"run": texts}, fresh(), PROTOCOLS["trec"], measures), 2)
    print(f"  measure, from texts    {from_texts:9.1f} ms")
    peer_qrels, peer_run = nested(qrels, "grade", int), nested(run, "score", float)
    peer = least(lambda: pytrec_eval.RelevanceEvaluator(peer_qrels, PEER).evaluate(peer_run), 2)
    print(
        f"  pytrec_eval, from dicts, five of the metrics {peer:9.1f} ms = {peer / own:.1f} x ours"
    )


def context_aware(queries: int, depth: int) -> None:
    """Print the time of CAG for all lists at once and of a plain Python loop for some of them."""
    random = np.random.default_rng(1)
    credit = random.random((queries, depth)).round(2)
    rankings = from_lists([[1] * depth] * queries, credit=credit.tolist())
    name = parse("CAG(RBP)")[0]
    own = least(lambda: name(rankings))
    some = credit[:200].tolist()
    loop = least(lambda: [plain_cag(r) for r in some], 2) * queries / len(some)
    print(f"CAG(RBP), {queries:,} lists x {depth}")
    print(f"  {own:.2f} ms; plain Python loop {loop:.0f} ms = {loop / own:.0f} x ours")


def plain_cag(credit: list[float], w: int = 10, p: float = 0.95) -> float:
    """CAG under RBP, one list, as the formulas read."""
    best, adjusted, total = 0.0, [], 0.0
    for k, r in enumerate(credit, 1):
        best = max(best, r)
        adjusted.append(r * r / best if best else 0.0)
        window = adjusted[max(0, k - w) :]
        total += sum(window) / len(window) * (1 - p) * p ** (k - 1)
    return total / len(credit)


def keyword_truth(items: int, queries: int) -> None:
    """Print the time of matched ÷ required for all pairs of items and queries."""
    random = np.random.default_rng(2)
    words = [("g", f"word {n}") for n in range(200)]

    def table(ids: list[str], key: str, most: int) -> pd.DataFrame:
        rows = [
            (i, *words[w]) for i in ids for w in random.choice(200, random.integers(1, most + 1))
        ]
        return pd.DataFrame(rows, columns=[key, "group", "keyword"]).drop_duplicates()

    keywords = table([f"i{n}" for n in range(items)], "item_id", 12)
    asked = table([f"q{n}" for n in range(queries)], "query_id", 3)
    print(f"matches, {items:,} items x {queries:,} queries")
    print(f"  {least(lambda: matches(asked, keywords), 2):.0f} ms")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]] or [10_000, 100]
    six_metrics(*numbers)
    context_aware(*numbers)
    keyword_truth(numbers[0], numbers[0] // 10)
