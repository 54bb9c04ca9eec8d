"""Every worked case of the vectors files, to 1e-9; `--vectors FILE` takes another one instead."""

import math
from typing import Any

import pytest

from tests.evaluation import kinds_ranking, kinds_statistics

KINDS = kinds_ranking.KINDS | kinds_statistics.KINDS
TOLERANCE = 1e-9


def test_vector(vector: dict[str, Any]) -> None:
    if vector["metric"] not in KINDS:
        pytest.fail(f"no function computes cases of the kind {vector['metric']!r}")
    computed = KINDS[vector["metric"]](vector["inputs"], vector["params"])
    expected = vector["expected"]
    assert not set(expected) - set(computed), "not computed"
    wrong = [key for key, value in expected.items() if not is_same(computed[key], value)]
    assert not wrong, {key: (computed[key], expected[key]) for key in wrong}


def is_same(computed: Any, expected: Any) -> bool:
    """Compare numbers to 1e-9, absolute or relative; null (None, NaN) equals only null."""
    if isinstance(expected, list):
        computed = list(computed)
        return len(computed) == len(expected) and all(map(is_same, computed, expected))
    if isinstance(expected, str):
        return bool(computed == expected)
    if expected is None or computed is None:
        return expected is None and (computed is None or math.isnan(computed))
    return math.isclose(computed, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
