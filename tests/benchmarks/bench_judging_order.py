"""How many judgements decide which of two versions is ahead: in the order of the queue, and at
random. `python -m tests.benchmarks.bench_judging_order [--collection driving] [--seeds 20]`

All labels of a collection are hidden and uncovered one by one. Decided: whatever the labels that
are still hidden say, the same version is ahead by the mean over these queries.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dashboard.evaluation.metrics.registry import measure as measure_named
from dashboard.evaluation.reviewing import bounds, queue
from dashboard.evaluation.reviewing.bounds import Pool
from dashboard.experiment.collection.collections import opened
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import counted_judgement
from dashboard.experiment.long_rankings import measured_run

Pair = tuple[int, int]
"""The place of a query's pool, and of a result in it."""


def pools_of(name: str, pair: Sequence[str], metric: str) -> list[Pool]:
    """The pools of both versions with all labels that the collection has."""
    collection = opened(name)
    experiment = Experiment.of(
        collection,
        protocol=collection.protocols[0],
        groups=collection.default_groups,
        mapping_threshold=collection.mapping_threshold,
        queries="text",
    )
    judged, measure = counted_judgement(experiment), measure_named(metric)
    runs = [
        experiment.rules.keep(measured_run(experiment, version, [measure]), judged)
        for version in pair
    ]
    return bounds.pools(*runs, judged, measure)


def needed(pools: Sequence[Pool], metric: str, order: Iterable[Pair]) -> int | None:
    """How many labels, uncovered in this order, decide the sign; None: not even all of them."""
    measure = measure_named(metric)
    gains = tuple({float(gain) for pool in pools for gain in pool.gain if gain > 0}) or (1.0,)
    hidden = [replace(pool, gain=np.full(len(pool.gain), np.nan)) for pool in pools]
    spans = [bounds.span(pool, measure, gains) for pool in hidden]
    for number, (at, place) in enumerate([(-1, 0), *order]):
        if at >= 0:
            hidden[at].gain[place] = np.nan_to_num(pools[at].gain[place])  # unjudged: not relevant
            spans[at] = bounds.span(hidden[at], measure, gains)
        mean = bounds.mean_span(spans)
        if mean.low > bounds.SURE or mean.high < -bounds.SURE:
            return number
    return None


def in_queue(pools: Sequence[Pool], metric: str) -> list[Pair]:
    """The order in which the queue names the results."""
    hidden = [replace(pool, gain=np.full(len(pool.gain), np.nan)) for pool in pools]
    at = {pool.query_id: place for place, pool in enumerate(pools)}
    table = queue.queue(measure_named(metric), hidden)
    pairs = zip(table["query_id"], table["item_id"], strict=True)
    return [(at[query], pools[at[query]].items.index(item)) for query, item in pairs]


def at_random(pools: Sequence[Pool], seed: int) -> list[Pair]:
    """All results of the pools in a random order."""
    every = [(at, place) for at, pool in enumerate(pools) for place in range(len(pool.items))]
    return [every[place] for place in np.random.default_rng(seed).permutation(len(every))]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", default="driving")
    parser.add_argument("--baseline", default="v0.2")
    parser.add_argument("--candidate", default="v0.3")
    parser.add_argument("--metrics", default="P@5 P@10 DCG@10")
    parser.add_argument("--seeds", type=int, default=20)
    call = parser.parse_args(arguments)
    for metric in call.metrics.split():
        pools = pools_of(call.collection, (call.baseline, call.candidate), metric)
        total = sum(len(pool.items) for pool in pools)
        first = needed(pools, metric, in_queue(pools, metric))
        random = [needed(pools, metric, at_random(pools, seed)) for seed in range(call.seeds)]
        decided = [number for number in random if number is not None]
        told = f"{metric}: {len(pools)} queries, {total:,} results in both pools; queue {first}"
        if decided:
            low, middle, high = np.quantile(decided, [0, 0.5, 1])
            told += (
                f"; at random {middle:.0f} ({low:.0f} to {high:.0f}, seeds 0 to {call.seeds - 1})"
            )
        print(told)


if __name__ == "__main__":
    main()
