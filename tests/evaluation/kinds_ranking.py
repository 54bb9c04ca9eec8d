"""How each kind of vector about rankings is computed by the evaluation room."""

import math

import pandas as pd

from dashboard.evaluation.measure import measure, summarise
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.context import adjusted, in_context
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.context import clean, invalid_share
from dashboard.evaluation.protocols.ticks import matches
from dashboard.evaluation.rankings import from_lists, rank
from tests.evaluation.worlds import World, run_of


def value(name, rankings):
    """One metric of the only query of `rankings`."""
    return float(parse(name)[0](rankings)[0])


def of_relevance(inputs):
    return from_lists([inputs["retrieved_relevance"]], relevant=[inputs["n_relevant"]])


def hits(vector):
    rankings = of_relevance(vector["inputs"])
    ids = ("hits_over_k", "hits_over_relevant", "hit_any", "hits_ceiling")
    return {f"{i}@{k}": value(f"{i}@{k}", rankings) for i in ids for k in vector["params"]["K"]}


def video_to_video(vector):
    """Algorithm 2 put right (drop the query, then cut to K) and as it stands (cut, then drop)."""
    inputs, found = vector["inputs"], {}
    query, ranking = inputs["query"], inputs["raw_ranking_including_query"]
    world = World(
        queries=pd.DataFrame({"query_id": ["v"], "item_id": [query]}, dtype="str"),
        keywords=pd.DataFrame(
            [(i, "g", word) for i, words in inputs["keywords"].items() for word in words],
            columns=["item_id", "group", "keyword"],
        ),
    )
    alfa = PROTOCOLS["alfa"]
    judgement = alfa.judge(world, None)
    for k in vector["params"]["K"]:
        right = rank(alfa.keep(run_of({"v": ranking}), judgement), judgement)
        literal = rank(alfa.keep(run_of({"v": ranking[:k]}), judgement), judgement)
        found[f"corrected hits_over_k@{k}"] = value(f"P@{k}", right)
        found[f"literal_algorithm_2@{k}"] = value(f"P@{k}", literal)
    found["n_relevant_excluding_query"] = int(judgement.relevant[0])
    every = matches(
        pd.DataFrame(
            [("v", "g", word) for word in inputs["keywords"][query]],
            columns=["query_id", "group", "keyword"],
        ),
        world.keywords,
    )
    found["n_relevant_including_query"] = int((every["matched"] == every["required"]).sum())
    return found


def keyword_ticks(vector):
    inputs = vector["inputs"]
    required = pd.DataFrame({"keyword": inputs["query_keywords"]}).assign(query_id="q", group="g")
    has = pd.DataFrame({"keyword": inputs["result_keywords"]}).assign(item_id="i", group="g")
    table = matches(required, has)
    if table.empty:  # nothing is required, so that nothing can be said of an item
        return {"matched": 0, "total": 0, "relevant": None, "partial_gain": None}
    row = table.iloc[0]
    return {
        "matched": row["matched"],
        "total": row["required"],
        "relevant": float(row["matched"] == row["required"]),
        "partial_gain": row["matched"] / row["required"],
    }


def ap(vector):
    rankings = of_relevance(vector["inputs"])
    return {
        f"ap@{p}/{divisor}": value(f"AP({divisor})@{p}", rankings)
        for p in vector["params"]["p"]
        for divisor in ("relevant", "retrieved", "min")
    }


def ap_trap(vector):
    """AP, and what it would be with the source's own Precision@k (hits ÷ relevant) inside."""
    rankings = of_relevance(vector["inputs"])
    relevance = vector["inputs"]["retrieved_relevance"]
    reversed_precision = [value(f"R@{k}", rankings) for k, r in enumerate(relevance, 1) if r]
    wrong = sum(reversed_precision) / vector["inputs"]["n_relevant"]
    return {
        "ap_with_hits_over_k": value("AP", rankings),
        "ap_if_seed_Precision@k_(hits/|Relevant|)_were_used": wrong,
    }


def ndcg(vector):
    inputs, found = vector["inputs"], {}
    rankings = from_lists([inputs["retrieved_grades"]], judged_grades=[inputs["all_judged_grades"]])
    for p in vector["params"]["p"]:
        for gain in ("linear", "exp"):
            found[f"dcg@{p}/{gain}"] = value(f"DCG({gain})@{p}", rankings)
            for ideal in ("judged", "retrieved"):
                name = f"nDCG({gain},ideal={ideal})@{p}"
                found[f"ndcg@{p}/{gain}/{ideal}"] = value(name, rankings)
    return found


def ap_annotated(vector):
    """Through the whole room: protocol composed, AP of the annotated items, nulls and means."""
    queries = vector["inputs"]["queries"]
    qrels = pd.DataFrame(
        [(f"q{n}", i, g) for n, q in enumerate(queries) for i, g in q["labels"].items()],
        columns=["query_id", "item_id", "grade"],
    )
    names = [f"q{n}" for n in range(len(queries))]
    order = {
        f"q{n}": sorted(q["similarity"], key=q["similarity"].get, reverse=True)
        for n, q in enumerate(queries)
    }
    world = World(queries=pd.DataFrame({"query_id": names}), qrels=qrels)
    composed = PROTOCOLS["composed"]
    table = measure({"r": run_of(order)}, composed.judge(world, None), composed, "AP(annotated)")
    mean = summarise(table).iloc[0]
    found = {f"ap_{q}": v for q, v in zip(table["query_id"], table["value"], strict=True)}
    return found | {
        "map": mean["mean"],
        "n_scored": mean["scored"],
        "n_total": mean["total"],
        "map_if_unscorable_count_as_0": table["value"].fillna(0).mean(),
    }


def aggregate(vector):
    values = [math.nan if v is None else v for v in vector["inputs"]["per_query"]]
    table = pd.DataFrame({"run": "r", "metric": "P", "cutoff": 1, "value": values})
    mean = summarise(table).iloc[0]
    return {
        "mean": mean["mean"],
        "n_scored": mean["scored"],
        "n_total": mean["total"],
        "mean_if_null_is_0": table["value"].fillna(0).mean(),
    }


ORG = {
    "RBP": "RBP({p})",
    "DCG": "DCG(credit)",
    "ERR": "ERR",
    "CG": "CG",
    "AVG": "AVG",
    "MAX": "MAX",
}


def cag(vector):
    inputs, params = vector["inputs"], vector["params"]
    credit = [r / inputs["scale"] for r in inputs["relevance"]]
    rankings = from_lists([[1] * len(credit)], credit=[credit])
    steps = adjusted(rankings.credit, len(credit))
    found = {"r_adjusted": [float(step[0]) for step in steps]}
    for w in params["w"]:
        for divide in ("window", "w"):
            gains = in_context(rankings.credit, len(credit), w, divide)
            found[f"gains/w={w}/divide={divide}"] = [float(gain[0]) for gain in gains]
    for name, plain in ORG.items():
        original = parse(plain.format(p=params["p_rbp"]))[0].name.rstrip(")")
        original += "," if "(" in original else "("
        found[f"{name}/ORG"] = value(f"{original}per=list)", rankings)
        found[f"{name}/ORG/per_image"] = value(f"{original}per=image)", rankings)
        inner = f"RBP({params['p_rbp']})" if name == "RBP" else name
        for w in params["w"]:
            for divide in ("window", "w"):
                key = f"{name}/CAG/w={w}/divide={divide}"
                call = f"CAG({inner},w={w},divide={divide},per="
                found[key] = value(f"{call}list)", rankings)
                found[f"{key}/per_image"] = value(f"{call}image)", rankings)
    return found


def cleaning(vector):
    qrels = pd.DataFrame(
        [
            (query, f"i{n}", grade)
            for query, grades in vector["inputs"]["relevance"].items()
            for n, grade in enumerate(grades)
        ],
        columns=["query_id", "item_id", "grade"],
    )
    kept, removed = clean(qrels, vector["params"]["max_invalid_share"])
    share = invalid_share(qrels)
    return {
        "kept": list(kept["query_id"].unique()),
        "removed": removed,
        **{f"invalid_share_{query}": value for query, value in share.items()},
    }


KINDS = {
    "hits": hits,
    "video_to_video": video_to_video,
    "keyword_ticks": keyword_ticks,
    "ap": ap,
    "ap_trap": ap_trap,
    "ndcg": ndcg,
    "ap_annotated": ap_annotated,
    "aggregate": aggregate,
    "cag": cag,
    "cleaning": cleaning,
}
