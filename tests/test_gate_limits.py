"""The gate at limits other than zero, on the least slice, and at the very border."""

import numpy as np
import pandas as pd
import pytest

from dashboard.commands.gate.checks import LEAST, check_slices, check_whole
from dashboard.commands.gate.conditions import conditions
from dashboard.commands.gate.known_queries import check_known_queries
from dashboard.experiment.plain_files import KnownQueries


def measured(deltas, name="P", cutoff=5):
    """Two versions, the candidate's value higher by each difference."""
    number = len(deltas)
    rows = [
        pd.DataFrame({"run": run, "query_id": [f"q{n:03}" for n in range(number)],
                      "metric": name, "cutoff": cutoff, "value": values})
        for run, values in (("a", np.full(number, 0.5)), ("b", 0.5 + np.asarray(deltas)))
    ]  # fmt: skip
    table = pd.concat(rows, ignore_index=True)
    return table.astype({"cutoff": "Int64"})


def sliced(number, name="part"):
    queries = [f"q{n:03}" for n in range(number)]
    return pd.DataFrame({"query_id": queries, "by": "column", "slice": name})


def spread(middle, number=40, width=0.01):
    return middle + np.linspace(-width, width, number)


@pytest.mark.parametrize(
    ("middle", "limit", "outcome"),
    [
        (-0.05, -0.1, "passed"),  # worse than the baseline, within what is allowed
        (-0.15, -0.1, "failed"),
        (0.05, 0.1, "failed"),  # better, less than what is asked for
        (0.15, 0.1, "passed"),
        (-0.05, 0, "failed"),
        (0.05, 0, "passed"),
    ],
)
def test_whole_and_slice_are_held_to_the_limit_and_not_to_zero(middle, limit, outcome):
    table, asked = measured(spread(middle)), conditions(f"P@5<{limit}")
    (whole,) = check_whole(table, "a", "b", asked)
    (part,) = check_slices(table, "a", "b", asked, sliced(40))
    assert (whole.outcome, part.outcome) == (outcome, outcome)
    # all differences lie on one side of the limit
    assert f", p < 0.0001 against {limit:g} after Holm" in part.reason
    # how many digits stand there is the rule of digits, not this test's
    mean = float(part.reason.split(",")[0].replace("−", "-"))
    assert mean == pytest.approx(middle, abs=1e-3)


def test_the_p_of_a_slice_is_against_the_limit():
    # as often above as below the limit, and all of them below zero
    table, asked = measured(spread(-0.1, 40, 0.05)), conditions("P@5<-0.1")
    (part,) = check_slices(table, "a", "b", asked, sliced(40))
    assert part.outcome == "passed" and "p = 1 against -0.1" in part.reason


def test_a_bound_that_is_the_limit_does_not_fail():
    table = measured(np.full(12, -0.25))
    for limit, outcome in ((-0.25, "passed"), (-0.2, "failed"), (-0.3, "passed")):
        asked = conditions(f"P@5<{limit}")
        assert check_whole(table, "a", "b", asked)[0].outcome == outcome
        assert check_slices(table, "a", "b", asked, sliced(12))[0].outcome == outcome


@pytest.mark.parametrize(("number", "outcome"), [(LEAST - 1, "small"), (LEAST, "failed")])
def test_a_slice_counts_from_the_least_number_on(number, outcome):
    table = measured(np.full(40, -0.5))
    (part,) = check_slices(table, "a", "b", conditions("P@5<0"), sliced(number))
    assert part.outcome == outcome


@pytest.mark.parametrize(
    ("value", "status", "outcome"),
    [(0.5, "good", "passed"), (0.499, "good", "failed"), (0.501, "good", "passed"),
     (0.5, "fails", "failed"), (0.499, "fails", "passed"), (0.5 - 1e-12, "good", "passed")],
)  # fmt: skip
def test_a_known_query_is_good_at_the_very_value(value, status, outcome):
    table = measured([value - 0.5])
    row = {"query_id": ["q000"], "metric": ["P@5"], "least": [0.5], "status": [status]}
    known = KnownQueries(
        "known.csv", pd.DataFrame(row, index=[2]), (conditions("P@5<0")[0].measure,)
    )
    assert check_known_queries(table, "b", known)[0].outcome == outcome
