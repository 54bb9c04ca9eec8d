"""How each kind of vector about comparison, codes, captions and satisfaction is computed."""

import numpy as np
import pandas as pd

from dashboard.evaluation.compare import compare, deltas
from dashboard.evaluation.resampling import randomisation_p, units
from dashboard.evaluation.statistics import holm, paired_t


def measured(runs, metric="P", cutoff=5):
    """A measurements table from {run: {query: value or None}}."""
    rows = [
        (run, query, metric, cutoff, value)
        for run, values in runs.items()
        for query, value in values.items()
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "metric", "cutoff", "value"])
    return frame.astype({"cutoff": "Int64", "value": "float64"})


def null(value):
    """A number of the evaluation room as the vectors write it."""
    return None if np.isnan(value) else float(value)


def comparison(vector):
    table = measured({run: vector["inputs"][run] for run in "AB"})
    row = compare(table, "A", "B").iloc[0]
    queries = deltas(table, "A", "B")

    def ids(*reasons):
        return sorted(queries["query_id"][queries["why"].isin(reasons)])

    return {
        "n_common_scored": row["scored"],
        "wins_B": row["better"],
        "ties": row["same"],
        "losses_B": row["worse"],
        "mean_A": row["baseline"],
        "mean_B": row["candidate"],
        "mean_diff": row["delta"],
        "only_in_A": ids("only in baseline"),
        "only_in_B": ids("only in candidate"),
        "null_in_one": ids("null in baseline", "null in candidate"),
    }


def randomisation(vector):
    differences = np.array([vector["inputs"]["differences"]], dtype=float).T
    p, exact = randomisation_p(differences)
    t, t_p = paired_t(*units(differences))
    assert exact.all() == vector["params"]["exact"]
    return {"p_two_sided": p[0], "paired_t": t[0], "paired_t_p": t_p[0]}


def holm_correction(vector):
    corrected = holm(np.array(vector["inputs"]["p"]))
    return {f"p{i}": value for i, value in enumerate(corrected)}


KINDS = {
    "compare": comparison,
    "fisher_randomization": randomisation,
    "holm": holm_correction,
}
