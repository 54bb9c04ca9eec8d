"""Every worked case of the vectors files, to 1e-9; `--vectors FILE` takes another one instead."""

import json
import math
from pathlib import Path

import pytest

from tests.evaluation import kinds_ranking, kinds_statistics

KINDS = {**kinds_ranking.KINDS, **kinds_statistics.KINDS}
TOLERANCE = 1e-9
HERE = Path(__file__).parent


def pytest_generate_tests(metafunc):
    given = metafunc.config.getoption("vectors")
    files = [Path(given)] if given else sorted(HERE.parent.glob("*vectors.json"))
    vectors = [v for f in files for v in json.loads(f.read_text(encoding="utf-8"))["vectors"]]
    metafunc.parametrize("vector", vectors, ids=[v["name"] for v in vectors])


def test_vector(vector):
    kind = vector["metric"]
    if kind not in KINDS:
        pytest.fail(f"{vector['name']}: no function computes vectors of the kind {kind!r}")
    computed = KINDS[kind](vector)
    missing = [key for key in vector["expected"] if key not in computed]
    assert not missing, f"not computed: {missing}"
    wrong = {
        key: (computed[key], value)
        for key, value in vector["expected"].items()
        if not same(computed[key], value)
    }
    assert not wrong, f"computed, expected: {wrong}"


def same(computed, expected):
    """Equal to 1e-9, absolute or relative; null (None, NaN) only for null; lists place by place."""
    if isinstance(expected, list):
        computed = list(computed)
        return len(computed) == len(expected) and all(map(same, computed, expected))
    if isinstance(expected, str):
        return computed == expected
    if expected is None:
        return computed is None or math.isnan(computed)
    if computed is None:
        return False
    return math.isclose(computed, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
