"""Drawings of lists that people saw: they read names of our own, and say what is not known."""

import json

import numpy as np
import pandas as pd
import pytest

from dashboard.views.charts import context
from dashboard.views.protocols.context.agreement import _long
from tests.views.test_charts import fields

ODD = ["datum.x", "<b>", 'a"b']


def spread(satisfaction):
    table = pd.DataFrame({"list_id": ODD, "words": ODD, "version": ODD, "participant": ODD})
    numbers = {"mean": [0.0, 0.5, 1.0], "deviation": [0.0, 0.2, 0.1], "satisfaction": satisfaction}
    return table.assign(**numbers, deviation_in_context=[0.0, 0.3, 0.05])


def gains(r):
    shared = {"discount": ["DCG"], "n": [9], "dagger": [True], "between": [0.9]}
    each = {"r_original": [r], "p_original": [0.2], "star_original": [False]}
    aware = {"r_context": [0.7], "p_context": [0.01], "star_context": [True]}
    return _long(pd.DataFrame(shared | each | aware))


@pytest.mark.parametrize(
    "chart",
    [
        context.means_and_deviations(spread([0.0, 1.0, np.nan])),
        context.means_and_deviations(spread([np.nan] * 3)),
        context.deviations(spread([np.nan] * 3)),
        context.gain_matrix(gains(0.1)),
    ],
)
def test_a_chart_reads_only_names_of_our_own(chart):
    spec = chart.to_dict()
    rows = {column for table in spec["datasets"].values() for row in table for column in row}
    assert set(fields(spec)) and set(fields(spec)) <= rows
    json.dumps(spec, allow_nan=False)


def test_the_matrix_says_star_and_dagger_and_leaves_a_null_blank():
    assert gains(0.5)["text"].tolist() == ["0.500", "0.700*†"]
    assert gains(np.nan)["text"].tolist() == ["–", "0.700*†"]


def test_the_dashed_line_reaches_the_largest_deviation():
    spec = context.deviations(spread([0.0] * 3)).to_dict()
    ends = [rows for rows in spec["datasets"].values() if "list" not in rows[0]]
    assert ends == [
        [
            {"deviation": 0.0, "deviation_in_context": 0.0},
            {"deviation": 0.3, "deviation_in_context": 0.3},
        ]
    ]
