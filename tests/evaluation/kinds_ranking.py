"""Kinds of worked cases about lists of results, each computed by the program."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import lcm
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dashboard.evaluation.block import Block, label
from dashboard.evaluation.judgement import Judgement, TableJudgement, find_relevant
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import parse_one
from dashboard.plugins.alfa.judge import KeywordJudgement, describe_results
from dashboard.plugins.context.judge import INVALID, MAX_INVALID_SHARE, compute_gain, read_answers
from dashboard.plugins.context.satisfaction import make_block
from dashboard.retrieval.gallery import Ranking, SortedRanking
from dashboard.retrieval.sources import Run, order_run
from dashboard.storage.collection import open_collection
from dashboard.storage.runs import Pairs
from dashboard.study.choices import resolve
from dashboard.study.study import Study, open_study
from dashboard.tables import Table

Values = dict[str, Any]


class Lists:
    """One given list as a source."""

    def __init__(self, ranking: Ranking) -> None:
        self.ranking, self.not_run = ranking, dict[int, str]()

    def rank(self, queries: Any) -> Iterator[Ranking]:
        yield self.ranking


def label_list(items: list[int], judgement: Judgement, own: int = -1) -> Block:
    """Return the block of one list of items."""
    ranking = SortedRanking(np.array(items, dtype=np.int64), -np.arange(len(items), dtype=float))
    found = Run(Lists(ranking), np.array([own])).find_all(np.arange(1), len(items))
    return label(np.arange(1), found, judgement)


def grade_list(retrieved: list[float], others: list[float]) -> Block:
    """Return the block of a list of graded results; `others` are judged and not found."""
    grades = np.array([*retrieved, *others], dtype=float)
    judgement = TableJudgement(len(grades), {0: (np.arange(len(grades)), grades)}, unscorable={})
    return label_list(list(range(len(retrieved))), judgement)


def label_hits(inputs: Values) -> Block:
    found = inputs["retrieved_relevance"]
    return grade_list(found, [1] * (inputs["n_relevant"] - sum(found)))


def compute(name: str, block: Block) -> float:
    return float(parse_one(name)(block)[0])


def open_world(folder: Path, files: dict[str, str], **given: str) -> Study:
    """Write a collection and return its study."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    collection = open_collection(folder)
    return open_study(collection, resolve(collection, given))


def write_rows(header: str, rows: Any) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def hits(inputs: Values, params: Values) -> Values:
    block, ideal = label_hits(inputs), grade_list([1] * inputs["n_relevant"], [])
    ids = ("hits_over_k", "hits_over_relevant", "hit_any")
    found = {f"{i}@{k}": compute(f"{i}@{k}", block) for i in ids for k in params["K"]}
    return found | {f"hits_ceiling@{k}": compute(f"P@{k}", ideal) for k in params["K"]}


def video_to_video(inputs: Values, params: Values) -> Values:
    """Compute P@K of a list without the query; literally: cut before the query is removed."""
    query, listed, found = inputs["query"], inputs["raw_ranking_including_query"], Values()
    keywords = [(i, f'"{", ".join(words)}"') for i, words in inputs["keywords"].items()]
    files = {
        "items.csv": write_rows("item_id", [[item] for item in inputs["keywords"]]),
        "queries.csv": f"query_id,item_id\nv,{query}\n",
        "unified_annotation.csv": write_rows("slice_id,pv_g", keywords),
    }
    with TemporaryDirectory() as made:
        study = open_world(Path(made), files)
    judgement, items = study.judgement, study.collection.items.find(listed).tolist()
    assert isinstance(judgement, KeywordJudgement)
    own = int(study.collection.own_items[0])
    for k in params["K"]:
        found[f"corrected hits_over_k@{k}"] = compute(f"P@{k}", label_list(items, judgement, own))
        literal = label_list(items[:k], judgement, own)
        found[f"literal_algorithm_2@{k}"] = compute(f"P@{k}", literal)
    everything = replace(judgement, own_items=np.array([-1]))
    return found | {
        "n_relevant_excluding_query": len(find_relevant(judgement, 0)),
        "n_relevant_including_query": len(find_relevant(everything, 0)),
    }


def keyword_ticks(inputs: Values, params: Values) -> Values:
    wanted, has = inputs["query_keywords"], inputs["result_keywords"]
    mapped = [("q", f"word{n}", "pv_g", word, 1) for n, word in enumerate(wanted)]
    keywords = [("i", f'"{", ".join([*has, "annotated"])}"'), ("other", f'"{", ".join(wanted)}"')]
    files = {
        "items.csv": "item_id\ni\nother\n",
        "queries.csv": "query_id,text\nq,a text\n",
        "unified_annotation.csv": write_rows("slice_id,pv_g", keywords),
        "query_keywords.csv": write_rows("query_id,ngram,group,keyword,score", mapped),
    }
    with TemporaryDirectory() as made:
        study = open_world(Path(made), files)
    _, (row,) = describe_results(study, 0, "", [{"item_id": "i"}])
    is_judged = 0 not in study.judgement.unscorable
    return {
        "matched": row["matched"],
        "total": row["required"],
        "relevant": study.judgement.grades(0)[0],
        "partial_gain": study.judgement.credits(0)[0] if is_judged else None,
    }


def average_precision(inputs: Values, params: Values) -> Values:
    block = label_hits(inputs)
    return {
        f"ap@{p}/{divisor}": compute(f"AP({divisor})@{p}", block)
        for p in params["p"]
        for divisor in ("relevant", "retrieved", "min")
    }


def ap_trap(inputs: Values, params: Values) -> Values:
    """Compute AP, and its value with hits ÷ relevant in the place of hits ÷ rank."""
    block = label_hits(inputs)
    ranks = [rank for rank, hit in enumerate(inputs["retrieved_relevance"], start=1) if hit]
    wrong = sum(compute(f"R@{rank}", block) for rank in ranks) / inputs["n_relevant"]
    name = "ap_if_seed_Precision@k_(hits/|Relevant|)_were_used"
    return {"ap_with_hits_over_k": compute("AP", block), name: wrong}


def ndcg(inputs: Values, params: Values) -> Values:
    others = Counter(inputs["all_judged_grades"]) - Counter(inputs["retrieved_grades"])
    block, found = grade_list(inputs["retrieved_grades"], list(others.elements())), Values()
    for p in params["p"]:
        for gain in ("linear", "exp"):
            found[f"dcg@{p}/{gain}"] = compute(f"DCG({gain})@{p}", block)
            found[f"ndcg@{p}/{gain}/judged"] = compute(f"nDCG({gain})@{p}", block)
            settings = "ideal=retrieved" if gain == "linear" else "exp,ideal=retrieved"
            found[f"ndcg@{p}/{gain}/retrieved"] = compute(f"nDCG({settings})@{p}", block)
    return found


def write_run(lists: dict[str, list[tuple[Any, float]]]) -> str:
    rows = [(query, *pair) for query, pairs in lists.items() for pair in pairs]
    return write_rows("query_id,item_id,score", rows)


def measure_world(files: dict[str, str], metrics: str, **given: str) -> Measurement:
    with TemporaryDirectory() as made:
        study = open_world(Path(made), files, **given)
        name = next(iter(study.collection.versions))
        return study.measure([name], metrics)[0]


def ap_annotated(inputs: Values, params: Values) -> Values:
    asked = {f"q{n}": each for n, each in enumerate(inputs["queries"])}
    items = dict.fromkeys(item for each in asked.values() for item in each["similarity"])
    qrels = [(q, i, g) for q, each in asked.items() for i, g in each["labels"].items()]
    files = {
        "collection.toml": 'protocols = ["composed"]\n',
        "items.csv": write_rows("item_id", [[item] for item in items]),
        "queries.csv": write_rows("query_id,text", [(name, "a text") for name in asked]),
        "qrels.csv": write_rows("query_id,item_id,grade", qrels),
        "runs/r.csv": write_run({q: [*each["similarity"].items()] for q, each in asked.items()}),
    }
    found = measure_world(files, "AP(annotated)")
    (row,) = found.list_means()
    return {f"ap_{row['query_id']}": row["value"] for row in found.list_values()} | {
        "map": row["mean"],
        "n_scored": row["scored"],
        "n_total": row["total"],
        "map_if_unscorable_count_as_0": np.nan_to_num(found.values).mean(),
    }


def measure_captions(
    owners: list[int],
    lists: dict[str, list[tuple[Any, float]]],
    pictures: int,
    cutoffs: Sequence[int] = (1, 5, 10),
) -> Values:
    """Return the metrics of both directions; pictures are p0 …, captions c0 …."""
    names = [f"p{n}" for n in range(pictures)], [f"c{n}" for n in range(len(owners))]
    pairs = [(f"p{owner}", f"c{n}") for n, owner in enumerate(owners)]
    kinds = [(name, kind) for kind, side in zip(("image", "text"), names, strict=True)
             for name in side]  # fmt: skip
    files = {
        "collection.toml": 'protocols = ["crossmodal"]\n',
        "items.csv": write_rows("item_id,kind", kinds),
        "queries.csv": write_rows("query_id,item_id", [(f"q{name}", name) for name, _ in kinds]),
        "qrels.csv": write_rows(
            "query_id,item_id,grade",
            [row for p, c in pairs for row in ((f"q{p}", c, 1), (f"q{c}", p, 1))],
        ),
        "runs/r.csv": write_run(lists),
    }
    recalls = [f"{side}_R@{k}" for side in ("i2t", "t2i") for k in cutoffs]
    rows = list(measure_world(files, " ".join([*recalls, "Rsum", "mR"])).list_means())
    found = {
        row["metric"] + (f"@{row['cutoff']}" if row["cutoff"] else ""): row["mean"] for row in rows
    }
    return found | {f"{name}_percent": 100 * found[name] for name in ("Rsum", "mR")}


def image_text(inputs: Values, params: Values) -> Values:
    matrix = np.array(inputs["similarity_images_x_captions"])
    lists = {f"qp{n}": [(f"c{c}", s) for c, s in enumerate(row)] for n, row in enumerate(matrix)}
    lists |= {f"qc{n}": [(f"p{p}", s) for p, s in enumerate(row)] for n, row in enumerate(matrix.T)}
    return measure_captions(inputs["caption_to_image"], lists, len(matrix), params["K"])


def sum_of_recalls(inputs: Values, params: Values) -> Values:
    """Compute Rsum and mR of a world whose lists have the six recalls."""
    shares = {name: Fraction(value).limit_denominator(10_000) for name, value in inputs.items()}
    size = max(12, lcm(*(share.denominator for share in shares.values())))
    lists: dict[str, list[tuple[Any, float]]] = {}
    for side, asks, finds in (("i2t", "p", "c"), ("t2i", "c", "p")):
        ends = [int(size * shares[f"{side}_R@{k}"]) for k in (1, 5, 10)]
        for n in range(size):
            rank = next((k for k, end in zip((1, 5, 10), ends, strict=True) if n < end), 11)
            found = [f"{finds}{(n + step) % size}" for step in range(1, 11)]
            found.insert(rank - 1, f"{finds}{n}")
            lists[f"q{asks}{n}"] = [(name, -place) for place, name in enumerate(found)]
    return measure_captions(list(range(size)), lists, size)


def code_distance(inputs: Values, params: Values) -> Values:
    """Return equation 1 of the source in both forms; the program says distances by the cosine."""
    first, second = (np.array(inputs[name]) for name in ("h_i", "h_j"))
    unit, other = (each / np.linalg.norm(each) for each in (first, second))
    return {
        "eq1_euclidean": len(first) / 4 * ((unit - other) ** 2).sum(),
        "eq1_cosine": len(first) / 2 * (1 - unit @ other),
        "hamming": ((first > 0) != (second > 0)).sum(),
    }


def code_retrieval(inputs: Values, params: Values) -> Values:
    names = {"retrieved": "AP(retrieved)", "relevant": "AP", "min": "AP(min)"}
    metrics = {f"ap@{p}/{key}": f"{m}@{p}" for p in params["p"] for key, m in names.items()}
    metrics |= {f"ndcg@{p}/exp/judged": f"nDCG(exp)@{p}" for p in params["p"]}
    query = np.array(inputs["query_code"])
    with TemporaryDirectory() as near, TemporaryDirectory() as far:
        found, rows = search_codes(Path(near), query, inputs, metrics)
        opposite = -query if np.min([query, *inputs["gallery_codes"]]) < 0 else 1 - query
        turned, _ = search_codes(Path(far), opposite, inputs, metrics)
    key = f"ap@{params['p'][-1]}/retrieved"
    return found | {
        "order": [int(row["item_id"]) for row in rows],
        "distances": [round((1 - row["score"]) / 2 * len(query)) for row in rows],
        f"{key}_if_literally_descending_distance": turned[key],
    }


def search_codes(
    folder: Path, query: Any, inputs: Values, metrics: dict[str, str]
) -> tuple[Values, list[Values]]:
    """Return the metrics of one code among others, and the results."""
    (folder / "models" / "v").mkdir(parents=True)
    count = len(inputs["gallery_codes"])
    for stem, codes in (("items", inputs["gallery_codes"]), ("queries", [query])):
        np.save(folder / "models" / "v" / f"{stem}.npy", np.array(codes, dtype=np.int8))
    files = {
        "collection.toml": 'protocols = ["hashing"]\n',
        "items.csv": write_rows("item_id", [[n] for n in range(count)]),
        "queries.csv": "query_id,image\nq,photo\n",
        "qrels.csv": write_rows(
            "query_id,item_id,grade", [("q", n, 3 - t) for n, t in enumerate(inputs["types"])]
        ),
        "models/v/items.txt": "".join(f"{n}\n" for n in range(count)),
        "models/v/queries.txt": "q\n",
    }
    study = open_world(folder, files)
    (values,) = study.measure(["v"], " ".join(metrics.values()))
    by_name = dict(zip(map(str, values.measures), values.values[:, 0], strict=True))
    found = {key: by_name[str(parse_one(name))] for key, name in metrics.items()}
    return found, study.query("q", ["v"], count).rows


def tied_ap(inputs: Values, params: Values) -> Values:
    from sklearn.metrics import average_precision_score

    scores, relevance = np.array(inputs["scores"]), inputs["relevance_in_gallery_order"]
    count = len(scores)
    pairs = Pairs(("q",), tuple(map(str, range(count))), np.zeros(count, int), np.arange(count),
                  scores)  # fmt: skip
    items = Table("", "item_id", {"item_id": tuple(map(str, range(count)))})
    queries = Table("", "query_id", {"query_id": ["q"]})
    ranking = order_run(pairs, queries, items, "gallery")[0]
    groups = [np.flatnonzero(scores == score).tolist() for score in sorted(set(scores))[::-1]]
    orders = [sum(each, ()) for each in product(*map(permutations, groups))]

    def measure(order: Any) -> float:
        return compute("AP", grade_list([relevance[item] for item in order], []))

    every = [measure(order) for order in orders]
    return {
        "stable": measure(ranking.find(count, np.empty(0, int), -np.inf).items),
        "best": max(every),
        "worst": min(every),
        "mean_over_orders": np.mean(every),
        "sklearn_average_precision_score": average_precision_score(relevance, scores),
    }


PLAIN = {"RBP": "RBP", "DCG": "DCG(credit)", "ERR": "ERR", "CG": "CG", "AVG": "AVG", "MAX": "MAX"}


def gains_in_context(inputs: Values, params: Values) -> Values:
    credit = np.array(inputs["relevance"], dtype=float) / inputs["scale"]
    block, found, p = make_block([credit]), Values(), params["p_rbp"]
    readings = [(w, divide) for w in params["w"] for divide in ("window", "w")]
    found["r_adjusted"] = compute_gain(credit, 1)
    for w, divide in readings:
        found[f"gains/w={w}/divide={divide}"] = compute_gain(credit, w, divide)
    for name, plain in PLAIN.items():
        head, inner = (f"RBP({p},", f"RBP({p})") if name == "RBP" else (f"{plain}(", name)
        head = head.replace("credit)(", "credit,")
        for per, end in (("list", ""), ("image", "/per_image")):
            found[f"{name}/ORG{end}"] = compute(f"{head}per={per})", block)
            for w, divide in readings:
                metric = f"CAG({inner},w={w},divide={divide},per={per})"
                found[f"{name}/CAG/w={w}/divide={divide}{end}"] = compute(metric, block)
    return found


def cleaning(inputs: Values, params: Values) -> Values:
    assert params["max_invalid_share"] == MAX_INVALID_SHARE
    asked = inputs["relevance"]
    places = range(max(map(len, asked.values())))
    said = [(q, f"i{n}", value) for q, values in asked.items() for n, value in enumerate(values)]
    files = {
        "collection.toml": 'protocols = ["context"]\n',
        "items.csv": write_rows("item_id", [[f"i{n}"] for n in places]),
        "queries.csv": write_rows("query_id,text", [(name, "a text") for name in asked]),
        "relevance.csv": write_rows("query_id,item_id,relevance", said),
    }
    with TemporaryDirectory() as made:
        study = open_world(Path(made), files)
        pairs = read_answers(study.collection, [])
    removed = [q for at, q in enumerate(asked) if study.judgement.unscorable.get(at) == INVALID]
    shares = {
        f"invalid_share_{q}": float(np.mean(pairs.values[pairs.query == at] < 0))
        for at, q in enumerate(pairs.queries)
    }
    return shares | {"removed": removed, "kept": [q for q in asked if q not in removed]}


KINDS = {
    "hits": hits,
    "video_to_video": video_to_video,
    "keyword_ticks": keyword_ticks,
    "ap": average_precision,
    "ap_trap": ap_trap,
    "ndcg": ndcg,
    "ap_annotated": ap_annotated,
    "image_text": image_text,
    "rsum": sum_of_recalls,
    "hash_distance": code_distance,
    "hash_retrieval": code_retrieval,
    "ap_ties": tied_ap,
    "cag": gains_in_context,
    "cleaning": cleaning,
}
