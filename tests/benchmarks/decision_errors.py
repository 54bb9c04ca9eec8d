"""How often a comparison decides wrongly, in worlds where the truth is known.

`python -m tests.benchmarks.decision_errors` draws 2,000 comparisons of each kind twice: without a
difference, where "better" is an error of type I, and with a true loss that is exactly the margin,
where "better" and "not worse" are. It prints the share of each error, and the largest one last.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dashboard.evaluation.differences import compare_runs
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import parse
from tests.benchmarks.measure_large import read_options

MARGIN = 0.04
SCENE = 5
"""Queries of a scene, in kinds whose queries belong to scenes."""
Values = np.ndarray
Draw = Callable[[np.random.Generator, int, float], Values]


def draw_sparse(chance: float) -> Draw:
    """Return a kind in which few queries lose or gain everything."""

    def draw(rng: np.random.Generator, number: int, loss: float) -> Values:
        chances = [chance + loss, 1 - 2 * chance - loss, chance]
        return rng.choice([-1.0, 0.0, 1.0], number, p=chances)

    return draw


def draw_scenes(rng: np.random.Generator, number: int, loss: float) -> Values:
    """Draw differences that the queries of a scene share for the most part."""
    return np.repeat(rng.normal(-loss, 0.2, number // SCENE), SCENE) + rng.normal(0, 0.1, number)


def draw_sparse_scenes(rng: np.random.Generator, number: int, loss: float) -> Values:
    """Draw scenes of which few lose or gain everything."""
    return np.repeat(draw_sparse(0.03)(rng, number // SCENE, loss), SCENE)


KINDS: dict[str, Draw] = {
    "few losses and gains": draw_sparse(0.02),
    "only losses": draw_sparse(0.0),
    "many losses and gains": draw_sparse(0.3),
    "normal": lambda rng, number, loss: rng.normal(-loss, 0.2, number),
    "long tails": lambda rng, number, loss: rng.laplace(-loss, 0.1, number),
    "scenes": draw_scenes,
    "sparse scenes": draw_sparse_scenes,
}
"""Differences of so many queries with a mean loss."""


def count_errors(draw: Draw, queries: int, worlds: int, has_scenes: bool) -> tuple[float, float]:
    """Return the share of errors without a difference, and with a loss of the margin."""
    rng, measures = np.random.default_rng(0), tuple(parse("AP"))
    ids = tuple(f"q{number:04}" for number in range(queries))
    scenes = [f"s{number // SCENE}" for number in range(queries)] if has_scenes else ()
    baseline = Measurement("a", measures, ids, np.full((1, queries), 0.5))
    wrong = np.zeros(2)
    for _ in range(worlds):
        for at, loss in enumerate((0.0, MARGIN)):
            values = 0.5 + draw(rng, queries, loss)[None]
            candidate = Measurement("b", measures, ids, values)
            (row,) = compare_runs(baseline, candidate, scenes, {"AP": MARGIN} if at else {})
            wrong[at] += row["outcome"] in (("better", "not worse") if at else ("better",))
    return float(wrong[0] / worlds), float(wrong[1] / worlds)


def main() -> None:
    """Print the errors of each kind."""
    call = read_options(__doc__, worlds=2_000, queries=60)
    largest = 0.0
    for name, draw in KINDS.items():
        none, lost = count_errors(draw, call.queries, call.worlds, "scenes" in name)
        print(f"{name:24} no difference {none:.4f}, a loss of the margin {lost:.4f}", flush=True)
        largest = max(largest, none, lost)
    print(f"largest {largest:.4f}")


if __name__ == "__main__":
    main()
