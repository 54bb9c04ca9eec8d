"""Kinds of worked cases about comparisons and satisfaction, each computed by the program."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from dashboard.evaluation.differences import compare_runs
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import Measure, parse_one
from dashboard.evaluation.statistics import compute_randomisation_p, correct_holm, sum_units
from dashboard.plugins.context.correlation import (
    compute_correlation_p,
    compute_difference_interval,
    compute_spearman,
    compute_williams,
)
from dashboard.plugins.context.satisfaction import make_block, scale_satisfaction, split_by_variance

Values = dict[str, Any]


def make_measurement(name: str, values: dict[str, Any], queries: list[str]) -> Measurement:
    cells = np.array([[values.get(query) for query in queries]], dtype=float)
    return Measurement(name, (Measure("P", 5),), tuple(queries), cells)


def aggregate(inputs: Values, params: Values) -> Values:
    queries = [f"q{n}" for n in range(len(inputs["per_query"]))]
    values = dict(zip(queries, inputs["per_query"], strict=True))
    found = make_measurement("r", values, queries)
    (row,) = found.list_means()
    return {
        "mean": row["mean"],
        "n_scored": row["scored"],
        "n_total": row["total"],
        "mean_if_null_is_0": np.nan_to_num(found.values).mean(),
    }


def comparison(inputs: Values, params: Values) -> Values:
    first, second = inputs["A"], inputs["B"]
    queries = list(dict.fromkeys([*first, *second]))
    sides = [make_measurement(name, inputs[name], queries) for name in "AB"]
    (row,) = compare_runs(*sides, (), {})
    undefined = np.isnan(sides[1].values - sides[0].values)[0]
    both = first.keys() & second.keys()
    return {
        "n_common_scored": row["scored"],
        "wins_B": row["better"],
        "ties": row["same"],
        "losses_B": row["worse"],
        "mean_A": row["baseline"],
        "mean_B": row["candidate"],
        "mean_diff": row["delta"],
        "only_in_A": sorted(first.keys() - second.keys()),
        "only_in_B": sorted(second.keys() - first.keys()),
        "null_in_one": sorted(q for q, is_null in zip(queries, undefined, strict=True)
                              if is_null and q in both),
    }  # fmt: skip


def randomisation(inputs: Values, params: Values) -> Values:
    units = sum_units(np.array(inputs["differences"], dtype=float)[:, None], None)
    paired = stats.ttest_1samp(inputs["differences"], 0.0)  # the program has no t
    return {
        "p_two_sided": compute_randomisation_p(*units)[0],
        "paired_t": paired.statistic,
        "paired_t_p": paired.pvalue,
    }


def holm(inputs: Values, params: Values) -> Values:
    return {f"p{n}": p for n, p in enumerate(correct_holm(np.array(inputs["p"], dtype=float)))}


def tukey(inputs: Values, params: Values) -> Values:
    """Return Tukey's differences of the model score ~ topic + system; the program has none."""
    scores = np.array(inputs["scores_topics_x_systems"], dtype=float)
    topics, systems = scores.shape
    means = scores.mean(axis=0)
    residual = scores - means - scores.mean(axis=1, keepdims=True) + scores.mean()
    freedom = (topics - 1) * (systems - 1)
    error = np.sqrt((residual**2).sum() / freedom / topics)
    margin = stats.studentized_range.ppf(0.95, systems, freedom) * error
    found: Values = {}
    for first, second in combinations(range(systems), 2):
        pair = f"{inputs['systems'][second]}-{inputs['systems'][first]}"
        diff = means[second] - means[first]
        found |= {f"{pair} diff": diff, f"{pair} lower": diff - margin}
        found |= {f"{pair} upper": diff + margin}
        found[f"{pair} p_adj"] = stats.studentized_range.sf(abs(diff) / error, systems, freedom)
    return found


def spearman(inputs: Values, params: Values) -> Values:
    x, y = (np.array(inputs[axis], dtype=float) for axis in "xy")
    return {"r_s": compute_spearman(x, y).r}


def spearman_of_sums(inputs: Values, params: Values) -> Values:
    block = make_block([np.array(each, dtype=float) for each in inputs["lists"]])
    felt = np.array(inputs["y"], dtype=float)
    return {
        f"r_s_of_{name}_with_y": compute_spearman(parse_one(name)(block), felt).r
        for name in ("CG", "AVG")
    }


def correlation_p(inputs: Values, params: Values) -> Values:
    p = [compute_correlation_p(r, inputs["n"]) for r in inputs["r_s"]]
    stars = {f"star{n}": float(value < params["alpha"]) for n, value in enumerate(p)}
    return {f"p{n}": value for n, value in enumerate(p)} | stars


def williams(inputs: Values, params: Values) -> Values:
    t, p = compute_williams(**inputs)
    return {"t": t, "df": inputs["n"] - 3, "p_two_sided": p}


def zou(inputs: Values, params: Values) -> Values:
    low, high = compute_difference_interval(**inputs, level=params["confidence"])
    return {"lower": low, "upper": high}


def scaled_satisfaction(inputs: Values, params: Values) -> Values:
    scaled = scale_satisfaction(pd.Series(inputs["satisfaction"], dtype=float))
    return {f"s{n}": value for n, value in enumerate(scaled)}


def variance_split(inputs: Values, params: Values) -> Values:
    rows = [(name, value) for name, values in inputs["relevance"].items() for value in values]
    pages = pd.DataFrame(rows, columns=["list_id", "relevance"])
    variance, high, low = split_by_variance(pages, params["fraction"])
    return {f"var_{name}": value for name, value in variance.items()} | {"high": high, "low": low}


KINDS = {
    "aggregate": aggregate,
    "compare": comparison,
    "fisher_randomization": randomisation,
    "holm": holm,
    "tukey_hsd": tukey,
    "spearman": spearman,
    "spearman_pitfall": spearman_of_sums,
    "correlation_p": correlation_p,
    "williams_test": williams,
    "zou_ci": zou,
    "satisfaction_minmax": scaled_satisfaction,
    "variance_split": variance_split,
}
