"""What the intervals and tests of the comparison are worth, and how long they take beside scipy's.

`python -m tests.benchmarks.bench_statistics [coverage] [false] [speed]` prints, by simulation, how
often the 95 % interval holds the true difference, how often identical versions are called
different, and the time of all pairs of 10 versions × 1,000 queries × 6 metrics. `--experiments N`
simulates so many (4,000, half as many of identical versions), `--queries N` times so many.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from dashboard.evaluation.comparison.compare import compare, compare_all, deltas
from dashboard.evaluation.statistics.drawing import draw_counts
from dashboard.evaluation.statistics.paired import paired_t
from dashboard.evaluation.statistics.resampling import bootstrap_interval
from dashboard.evaluation.statistics.tukey import tukey

EXPERIMENTS = 4_000
RESAMPLES = 2_000
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def ap_like(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Two systems around the same difficulty of each query, values anywhere in [0, 1]."""
    level = rng.beta(0.6, 1, size)
    return rng.beta(1 + 8 * level, 9 - 8 * level) - rng.beta(1 + 8 * level, 9 - 8 * level)


def precision_at_5(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Six values only, the candidate better by a little."""
    level = rng.beta(0.6, 1, size)
    better = np.clip(level + 0.05, 0, 1)
    return (rng.binomial(5, better) - rng.binomial(5, level)) / 5


def reciprocal_rank(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """1, 1/2, 1/3 …: large steps at the top."""
    return 1 / rng.geometric(0.4, size) - 1 / rng.geometric(0.3, size)


def mostly_equal(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Three queries in four are the same, the others skewed."""
    steps = rng.choice([-0.2, 0.2, 0.5, 1.0], size, p=[0.35, 0.35, 0.2, 0.1])
    return np.where(rng.random(size) < 0.25, steps, 0)


def few_regressions(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """One query in eight loses much, nothing else changes."""
    return np.where(rng.random(size) < 0.12, -rng.beta(2, 1, size), 0)


def exponential(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """As skewed as an exponential variable: harder than differences of metrics are."""
    return rng.exponential(1, size) - 1


DRAWS: dict[str, Draw] = {
    "AP-like": ap_like,
    "P@5": precision_at_5,
    "RR": reciprocal_rank,
    "mostly equal": mostly_equal,
    "few regressions": few_regressions,
    "exponential": exponential,
}


def percentile(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The plain percentile interval, for comparison."""
    rng = np.random.default_rng(0)
    n = len(differences)
    means = np.concatenate([counts @ differences / n for counts in draw_counts(rng, n, RESAMPLES)])
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return low, high


def coverage(experiments: int) -> None:
    """The share of intervals that hold the true mean, ours and the plain percentile one."""
    print(
        f"coverage of the 95 % interval, {experiments:,} experiments each "
        f"(± {196 * (0.05 * 0.95 / experiments) ** 0.5:.1f} points)"
    )
    print(f"{'differences':18}{'queries':>8}{'ours':>8}{'percentile':>12}{'width':>8}")
    for name, draw in DRAWS.items():
        seeds = range(max(1, experiments // 200))  # of a few experiments it need not be exact
        true = float(
            np.mean([draw(np.random.default_rng(s), (1_000, 1_000)).mean() for s in seeds])
        )
        for n in (20, 40, 80, 200):
            sample = draw(np.random.default_rng(100 + n), (n, experiments))
            low, high = bootstrap_interval(sample)
            other_low, other_high = percentile(sample)
            ours = ((low <= true + 1e-9) & (true - 1e-9 <= high)).mean()
            plain = ((other_low <= true + 1e-9) & (true - 1e-9 <= other_high)).mean()
            wider = (high - low).mean() / (other_high - other_low).mean()
            print(f"{name:18}{n:8}{ours:8.1%}{plain:12.1%}{wider:7.2f}x")


def false_positives(experiments: int) -> None:
    """How often two versions that differ by chance alone are called different by the verdict."""
    for n in (20, 84):
        rng = np.random.default_rng(n)
        any_of_six = single = 0
        for _ in range(experiments):
            rows = compare(_alike(rng, n), "A", "B")
            any_of_six += bool((rows["p_holm"] < 0.05).any())
            single += bool(rows["p"].iloc[0] < 0.05)
        print(
            f"identical versions, {n} queries, {experiments:,} experiments: called different at "
            f"one metric {single / experiments:.1%}, at any of six with Holm "
            f"{any_of_six / experiments:.1%}"
        )


def _alike(rng: np.random.Generator, n: int) -> pd.DataFrame:
    level = rng.beta(0.6, 1, (n, 1))
    ranked = rng.random((2, n, 20)) < level
    discount = 1 / np.log2(np.arange(2, 22))
    metrics = {
        "P1": ranked[..., 0],
        "P5": ranked[..., :5].mean(-1),
        "P10": ranked[..., :10].mean(-1),
        "RR": (ranked / np.arange(1, 21)).max(-1),
        "DCG": ranked @ discount,
        "Success3": ranked[..., :3].any(-1),
    }
    pieces = [
        pd.DataFrame(
            {
                "run": np.repeat(["A", "B"], n),
                "query_id": np.tile([f"q{i}" for i in range(n)], 2),
                "metric": name,
                "cutoff": pd.array([None] * 2 * n, dtype="Int64"),
                "value": values.reshape(-1).astype(float),
            }
        )
        for name, values in metrics.items()
    ]
    return pd.concat(pieces, ignore_index=True)


def ten_versions(queries: int = 1_000, versions: int = 10, metrics: int = 6) -> pd.DataFrame:
    """Made-up measurements of ten versions that differ a little."""
    rng = np.random.default_rng(0)
    level = rng.random((1, queries, 1))
    values = np.clip(level + rng.normal(0, 0.2, (versions, queries, metrics)), 0, 1)
    run, query, metric = (place.ravel() for place in np.indices(values.shape))
    return pd.DataFrame(
        {
            "run": np.array([f"v{i}" for i in range(versions)])[run],
            "query_id": np.array([f"q{i:04}" for i in range(queries)])[query],
            "metric": np.array(list("ABCDEF"))[metric],
            "cutoff": pd.array(np.full(values.size, 5), dtype="Int64"),
            "value": values.ravel(),
        }
    )


def speed(queries: int) -> None:
    """All 45 pairs × 6 metrics, 10,000 resamplings, beside scipy called for each of the 270."""
    table = ten_versions(queries)
    all_pairs = least(lambda: compare_all(table))
    print(f"all pairs: interval, randomisation, t, Holm, counts of 270 tests {all_pairs:9.0f} ms")
    print(f"Tukey, 45 pairs of one metric {least(lambda: tukey(table, 'A', 5)):44.0f} ms")
    print(f"deltas of one pair, 6 metrics {least(lambda: deltas(table, 'v0', 'v1')):44.0f} ms")
    wide = table.pivot(index="query_id", columns=["run", "metric"], values="value")
    d = (wide["v1"] - wide["v0"])["A"].to_numpy()
    zeros = np.zeros_like(d)

    def mean(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(a - b, axis=axis)

    permutation = {"permutation_type": "samples", "n_resamples": 9_999, "vectorized": True}
    test = least(lambda: stats.permutation_test((d, zeros), mean, **permutation), 2)
    bca = least(lambda: stats.bootstrap((d,), np.mean, n_resamples=9_999, vectorized=True), 2)
    t_test = least(lambda: paired_t(d[:, None], np.ones((len(d), 1))), 2)
    print(f"scipy: one permutation test {test:.0f} ms, one BCa bootstrap {bca:.0f} ms (times 270:")
    print(f"  {(test + bca) * 0.27:.0f} s, {(test + bca) * 270 / all_pairs:.0f} times ours)")
    print(f"one paired t {t_test:.2f} ms")


def least(work: Callable[[], object], times: int = 5) -> float:
    """Milliseconds of the quickest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1_000)
    return min(taken)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("parts", nargs="*", metavar="PART", help="coverage, false or speed")
    asked.add_argument("--experiments", type=int, default=EXPERIMENTS)
    asked.add_argument("--queries", type=int, default=1_000)
    call = asked.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "coverage": lambda: coverage(call.experiments),
        "false": lambda: false_positives(max(1, call.experiments // 2)),
        "speed": lambda: speed(call.queries),
    }
    for part in call.parts or parts:
        parts[part]()
