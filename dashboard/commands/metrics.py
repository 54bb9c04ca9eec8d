"""`metrics`: every metric, from the register, and other programs that compute some of them.

Nothing stands in the tables that no test runs (tests/evaluation/test_peers.py).
"""

from argparse import Namespace
from inspect import getdoc

from dashboard.commands.options import FINE, Answer

HELP = "every metric with its formula and source, and which other programs agree"
COLUMNS = ("metric", "formula", "source", "summary", "agrees", "differs")


def answer(call: Namespace) -> Answer:
    """Return a row a metric."""
    from dashboard.evaluation.metrics import NAMES
    from dashboard.plugins import load_all

    load_all("metrics")
    rows = [
        {
            "metric": each.title,
            "formula": each.formula,
            "source": each.source,
            "summary": (getdoc(each.function) or "").partition("\n")[0],
            "agrees": describe_peers(each.name, AGREES),
            "differs": describe_peers(each.name, DIFFERS),
        }
        for each in dict.fromkeys(NAMES.values())
    ]
    return rows, COLUMNS, FINE


_GDEVAL = "rounds to five places; takes only query ids that are numbers"
AGREES = {
    "pytrec_eval-terrier 0.5.11": {
        "P": "P",
        "R": "recall",
        "Success": "success",
        "AP": "map, map_cut",
        "Rprec": "Rprec",
        "RR": "recip_rank",
        "bpref": "bpref",
        "nDCG": "ndcg, ndcg_cut",
        "num_ret": "num_ret",
        "num_rel": "num_rel",
        "num_rel_ret": "num_rel_ret",
    },
    "ir_measures 0.4.3": {
        "P": "P",
        "R": "R",
        "Success": "Success",
        "AP": "AP",
        "Rprec": "Rprec",
        "RR": "RR without a cutoff",
        "Judged": "Judged where no scores are equal",
        "nDCG": "nDCG",
        "num_ret": "NumRet",
        "num_rel": "NumRel",
        "num_rel_ret": "NumRet(rel=1)",
    },
    "scikit-learn 1.9.1": {
        "AP": "average_precision_score where all items are ranked, no scores are equal and "
        "something is relevant",
        "nDCG": "ndcg_score where all items are ranked and no scores are equal",
    },
}
"""By program, in the version that the tests have run, its name of each metric of ours."""
DIFFERS = {
    "ir_measures 0.4.3": {
        "RR": "RR@K puts equal scores in ascending order of ids, in double precision",
        "ERR(exp)": f"ERR {_GDEVAL}",
        "nDCG(exp)": f"nDCG(dcg='exp-log2') {_GDEVAL}",
    },
    "scikit-learn 1.9.1": {
        "AP": "average_precision_score counts equal scores as one step, and is 0 where nothing "
        "is relevant; label_ranking_average_precision_score is 1 there",
        "nDCG": "ndcg_score averages over the orders of equal scores, and refuses one item",
    },
}
"""What programs do otherwise, by our metric."""


def describe_peers(metric: str, told: dict[str, dict[str, str]]) -> str | None:
    """Return what AGREES or DIFFERS tells of a metric; None if that is nothing."""
    said = [f"{name}: {each[metric]}" for name, each in told.items() if metric in each]
    return "; ".join(said) or None
