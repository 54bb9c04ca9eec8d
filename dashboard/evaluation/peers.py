"""Other programs that compute some of the metrics: which agree, and what they do otherwise.

Nothing stands here that no test runs (tests/evaluation/test_peers.py). README.md tells more.
"""

from typing import Literal, NamedTuple

from dashboard.tables import Texts


class Peer(NamedTuple):
    """A program, in the version that the tests have run.

    Attributes:
        agrees: Its name of each of our metrics that it computes equally.
        differs: What it does otherwise, by our metric.
    """

    name: str
    version: str
    agrees: Texts
    differs: Texts


_GDEVAL = "rounds to five places; takes only query ids that are numbers"
PEERS = (
    Peer(
        "pytrec_eval-terrier",
        "0.5.11",
        agrees={
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
        differs={},
    ),
    Peer(
        "ir_measures",
        "0.4.3",
        agrees={
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
        differs={
            "RR": "RR@K puts equal scores in ascending order of ids, in double precision",
            "ERR(exp)": f"ERR {_GDEVAL}",
            "nDCG(exp)": f"nDCG(dcg='exp-log2') {_GDEVAL}",
        },
    ),
    Peer(
        "scikit-learn",
        "1.9.1",
        agrees={
            "AP": "average_precision_score where all items are ranked, no scores are equal and "
            "something is relevant",
            "nDCG": "ndcg_score where all items are ranked and no scores are equal",
        },
        differs={
            "AP": "average_precision_score counts equal scores as one step, and is 0 where nothing "
            "is relevant; label_ranking_average_precision_score is 1 there",
            "nDCG": "ndcg_score averages over the orders of equal scores, and refuses one item",
        },
    ),
)


def describe_peers(metric: str, field: Literal["agrees", "differs"]) -> str | None:
    """Return what a field of each program says of a metric; None if none of them says anything."""
    told = [(f"{p.name} {p.version}", getattr(p, field).get(metric)) for p in PEERS]
    return "; ".join(f"{name}: {what}" for name, what in told if what) or None
