"""How each kind of vector about rankings is computed by the evaluation room."""

from dashboard.evaluation.metrics import parse
from dashboard.evaluation.rankings import from_lists


def value(name, rankings):
    """One metric of the only query of `rankings`."""
    return float(parse(name)[0](rankings)[0])


def hits(vector):
    inputs = vector["inputs"]
    rankings = from_lists([inputs["retrieved_relevance"]], relevant=[inputs["n_relevant"]])
    ids = ("hits_over_k", "hits_over_relevant", "hit_any")
    return {f"{i}@{k}": value(f"{i}@{k}", rankings) for i in ids for k in vector["params"]["K"]}


KINDS = {"hits": hits}
