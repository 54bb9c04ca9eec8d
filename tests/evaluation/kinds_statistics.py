"""How each kind of vector about comparison, codes, captions and satisfaction is computed."""

from itertools import permutations

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from dashboard.evaluation.binary_codes import equation_1, equation_1_cosine, hamming
from dashboard.evaluation.comparison.compare import compare, deltas
from dashboard.evaluation.image_text.recalls import of_six, summarised
from dashboard.evaluation.image_text.vector_ranks import ranks_of_similarity
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.metrics.ties import bounds
from dashboard.evaluation.protocols.hashing import GRADES
from dashboard.evaluation.rankings import from_lists
from dashboard.evaluation.satisfaction.agreement import variance_split
from dashboard.evaluation.satisfaction.cleaning import min_max
from dashboard.evaluation.statistics.correlation import (
    correlation_p,
    spearman,
    williams,
    zou_interval,
)
from dashboard.evaluation.statistics.paired import holm, paired_t
from dashboard.evaluation.statistics.resampling import randomisation_p, units
from dashboard.evaluation.statistics.tukey import tukey_two_way
from tests.evaluation.worlds import code_rankings


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
    assert exact.all()
    return {"p_two_sided": p[0], "paired_t": t[0], "paired_t_p": t_p[0]}


def holm_correction(vector):
    corrected = holm(np.array(vector["inputs"]["p"]))
    return {f"p{i}": value for i, value in enumerate(corrected)}


def tukey_differences(vector):
    inputs = vector["inputs"]
    table = tukey_two_way(np.array(inputs["scores_topics_x_systems"]), inputs["systems"])
    names = {"delta": "diff", "low": "lower", "high": "upper", "p": "p_adj"}
    return {
        f"{row['candidate']}-{row['baseline']} {name}": row[column]
        for _, row in table.iterrows()
        for column, name in names.items()
    }


def rank_correlation(vector):
    x, y = (np.array(vector["inputs"][axis], dtype=float) for axis in "xy")
    return {"r_s": null(spearman(x, y).r)}


def rank_correlation_of_sums(vector):
    lists, y = vector["inputs"]["lists"], np.array(vector["inputs"]["y"], dtype=float)
    return {
        "r_s_of_CG_with_y": spearman(np.array([sum(each) for each in lists]), y).r,
        "r_s_of_AVG_with_y": spearman(np.array([sum(e) / len(e) for e in lists]), y).r,
    }


def significance_of_correlations(vector):
    n, alpha = vector["inputs"]["n"], vector["params"]["alpha"]
    p = [correlation_p(r, n) for r in vector["inputs"]["r_s"]]
    stars = {f"star{i}": float(value < alpha) for i, value in enumerate(p)}
    return {f"p{i}": value for i, value in enumerate(p)} | stars


def difference_of_correlations(vector):
    found = williams(**vector["inputs"])
    return {"t": found.t, "df": found.df, "p_two_sided": found.p}


def interval_of_a_difference(vector):
    low, high = zou_interval(**vector["inputs"], level=vector["params"]["confidence"])
    return {"lower": low, "upper": high}


def image_text(vector):
    inputs = vector["inputs"]
    owners = np.array(inputs["caption_to_image"])
    ranks = ranks_of_similarity(np.array(inputs["similarity_images_x_captions"]), owners)
    found = {}
    for row in summarised(ranks, owners).table.itertuples():
        if pd.isna(row.cutoff):
            found |= {row.metric: row.mean, f"{row.metric}_percent": row.percent}
        else:
            found[f"{row.metric}@{row.cutoff}"] = row.mean
    return found


def sum_of_recalls(vector):
    total, mean = of_six(vector["inputs"])
    return {"Rsum": total, "mR": mean, "Rsum_percent": 100 * total, "mR_percent": 100 * mean}


def code_distance(vector):
    first, second = (np.array(vector["inputs"][name]) for name in ("h_i", "h_j"))
    return {
        "eq1_euclidean": equation_1(first, second),
        "eq1_cosine": equation_1_cosine(first, second),
        "hamming": hamming(first[None], second[None])[0, 0],
    }


def code_retrieval(vector):
    inputs = vector["inputs"]
    query, gallery = np.array([inputs["query_code"]]), np.array(inputs["gallery_codes"])
    grades = np.array([[GRADES[t] for t in inputs["types"]]])
    rankings, distances = code_rankings(query, gallery, grades), hamming(query, gallery)
    found = {"order": np.argsort(distances[0], kind="stable"), "distances": np.sort(distances[0])}
    for p in vector["params"]["p"]:
        for divisor in ("retrieved", "relevant", "min"):
            found[f"ap@{p}/{divisor}"] = measured_once(f"AP({divisor})@{p}", rankings)
        found[f"ndcg@{p}/exp/judged"] = measured_once(f"nDCG(exp)@{p}", rankings)
    farthest = code_rankings(-query, gallery, grades)
    found[f"ap@{p}/retrieved_if_literally_descending_distance"] = measured_once(
        f"AP(retrieved)@{p}", farthest
    )
    return found


def tied_ap(vector):
    scores = np.array(vector["inputs"]["scores"])
    relevance = np.array(vector["inputs"]["relevance_in_gallery_order"])
    order = np.argsort(-scores, kind="stable")
    rankings = from_lists([relevance[order].tolist()], ties=[(-scores[order]).tolist()])
    ap = parse("AP")[0]
    worst, best = bounds(rankings, ap)
    return {
        "stable": ap(rankings)[0],
        "best": best[0],
        "worst": worst[0],
        "mean_over_orders": mean_over_orders(scores[order], relevance[order], ap),
        "sklearn_average_precision_score": average_precision_score(relevance, scores),
    }


def mean_over_orders(scores, relevance, measure):
    """The mean over all orders that results may stand in, equal scores in any."""
    orders = permutations(range(len(scores)))
    every = [of for of in orders if (np.diff(scores[list(of)]) <= 0).all()]
    return float(np.mean([measure(from_lists([relevance[list(of)]]))[0] for of in every]))


def scaled_satisfaction(vector):
    scaled = min_max(pd.Series(vector["inputs"]["satisfaction"]))
    return {f"s{i}": null(value) for i, value in enumerate(scaled)}


def split_by_variance(vector):
    pages = vector["inputs"]["relevance"]
    rows = [(query, value) for query, values in pages.items() for value in values]
    table = pd.DataFrame(rows, columns=["query_id", "relevance"])
    split = variance_split(table, vector["params"]["fraction"])
    found = {f"var_{query}": value for query, value in split.variance.items()}
    return found | {"high": split.high, "low": split.low}


def measured_once(name, rankings):
    return float(parse(name)[0](rankings)[0])


KINDS = {
    "compare": comparison,
    "fisher_randomization": randomisation,
    "holm": holm_correction,
    "image_text": image_text,
    "rsum": sum_of_recalls,
    "hash_distance": code_distance,
    "hash_retrieval": code_retrieval,
    "ap_ties": tied_ap,
    "satisfaction_minmax": scaled_satisfaction,
    "variance_split": split_by_variance,
    "tukey_hsd": tukey_differences,
    "spearman": rank_correlation,
    "spearman_pitfall": rank_correlation_of_sums,
    "correlation_p": significance_of_correlations,
    "williams_test": difference_of_correlations,
    "zou_ci": interval_of_a_difference,
}
