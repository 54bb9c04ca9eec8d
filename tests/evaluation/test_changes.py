"""Which queries turned, and the histogram of differences, by hand and by property."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.evaluation.comparison.changes import bins, turned


def measured(a, b):
    rows = [(run, f"q{i}", "P", 1, v) for run, of in (("a", a), ("b", b)) for i, v in enumerate(of)]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "metric", "cutoff", "value"])
    return frame.astype({"cutoff": "Int64"})


def test_only_a_full_value_that_became_none_turned():
    world = measured(a=[1, 1, 0.5, 0, None, 1], b=[0, 1, 0, 1, 0, None])
    assert turned(world, "a", "b", "P", 1) == ["q0"]
    assert turned(world, "b", "a", "P", 1) == ["q3"]


def test_an_unknown_version_is_refused():
    with pytest.raises(ValueError, match="'c'"):
        turned(measured([1], [0]), "a", "c", "P", 1)


def test_few_differences_are_counted_each():
    found = bins(pd.DataFrame({"delta": [0.2, -0.2, 0.2, 0.0, None]}))
    assert found["queries"].tolist() == [1, 1, 2]
    assert found["side"].tolist() == ["worse", "same", "better"]
    assert found["low"].tolist() == found["high"].tolist() == [-0.2, 0.0, 0.2]


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), max_size=200))
def test_every_difference_is_in_one_bin_of_its_side(values):
    found = bins(pd.DataFrame({"delta": np.array(values, dtype=float)}))
    assert found["queries"].sum() == len(values)
    by_side = found.groupby("side")["queries"].sum()
    assert by_side.get("better", 0) == sum(v > 1e-9 for v in values)
    assert by_side.get("worse", 0) == sum(v < -1e-9 for v in values)


def test_no_difference_at_all_has_no_bin():
    assert bins(pd.DataFrame({"delta": [None, None]}, dtype=float)).empty
