"""Other programs that are too heavy for the tests, on tiny cases: their number beside ours.

`python -m tests.benchmarks.heavy_peers` prints a row for each claim of
`dashboard/evaluation/README.md` about a program that is installed: ranx 0.3.21, torchmetrics
1.9.0, trectools 0.0.50, pytorch-metric-learning 2.9.0 and sentence-transformers 6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def rank_in_ranx(count: int) -> float:
    """Return the rank of the first of some results with equal scores."""
    from ranx import Qrels, Run, evaluate

    names = [f"d{n:02}" for n in range(count)]
    run = Run({"q": dict.fromkeys(names, 1.0)})
    return round(1 / float(evaluate(Qrels({"q": {names[0]: 1}}), run, "mrr")))


def rank_in_torchmetrics() -> float:
    """Return the rank of the last of 40 results with equal scores."""
    import torch
    from torchmetrics.retrieval import RetrievalMRR

    target = torch.zeros(40, dtype=torch.long)
    target[-1] = 1
    values = RetrievalMRR()(torch.full((40,), 0.5), target, indexes=torch.zeros(40).long())
    return round(1 / float(values))


def average_in_torchmetrics() -> float:
    """Return the mean AP of a query with AP 1 and one without a relevant item."""
    import torch
    from torchmetrics.retrieval import RetrievalMAP

    scores, asked = torch.tensor([0.5, 0.4, 0.5, 0.4]), torch.tensor([0, 0, 1, 1])
    return float(RetrievalMAP()(scores, torch.tensor([1, 0, 0, 0]), indexes=asked))


def evaluate_in_trectools(metric: str) -> float:
    """Return a metric of two equal results, the first relevant, and a query without results."""
    import pandas as pd
    from trectools import TrecEval, TrecQrel, TrecRun

    run, judged = TrecRun(), TrecQrel()
    names = ["query", "q0", "docid", "rank", "score", "system"]
    rows = [("1", "Q0", "a", 1, 1.0, "t"), ("1", "Q0", "b", 2, 1.0, "t")]
    run.run_data = pd.DataFrame(rows, columns=names)
    rows = [("1", 0, "a", 1), ("2", 0, "a", 1)]
    judged.qrels_data = pd.DataFrame(rows, columns=["query", "q0", "docid", "rel"])
    return float(getattr(TrecEval(run, judged), metric)(depth=10, trec_eval=True))


def average_in_pytorch_metric_learning() -> float:
    """Return precision at 1 of a right query and of one whose label no reference has."""
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    asked, found = torch.eye(2), torch.tensor([[1.0, 0.1], [0.0, 1.0]])
    calculator = AccuracyCalculator(include=("precision_at_1",))
    got = calculator.get_accuracy(asked, torch.tensor([0, 5]), found, torch.tensor([0, 1]))
    return float(got["precision_at_1"])


def make_evaluator(relevant: dict[str, set[str]], **given: Any) -> Any:
    """Return the evaluator of sentence-transformers for three documents."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    texts = {name: name for name in "abc"}
    return InformationRetrievalEvaluator(dict.fromkeys(relevant, "x"), texts, relevant, **given)


def count_in_sentence_transformers() -> int:
    """Return how many of two queries are counted, one of them without a relevant document."""
    return len(make_evaluator({"q1": {"a"}, "q2": set()}).queries_ids)


def divide_in_sentence_transformers() -> float:
    """Return AP@2 of two hits where three documents are relevant."""
    found = [[{"corpus_id": "a", "score": 1.0}, {"corpus_id": "b", "score": 0.9}]]
    evaluator = make_evaluator({"q1": set("abc")}, map_at_k=[2])
    return float(evaluator.compute_metrics(found)["map@k"][2])


CASES: tuple[tuple[str, Callable[[], float], str], ...] = (
    ("ranx: rank of the first of 15 equal results", lambda: rank_in_ranx(15), "1 or 15"),
    ("ranx: rank of the first of 20 equal results", lambda: rank_in_ranx(20), "1 or 20"),
    ("torchmetrics: rank of the last of 40 equal results", rank_in_torchmetrics, "40 or 1"),
    ("torchmetrics: mean with a query of nothing relevant", average_in_torchmetrics, "1 or 0.5"),
    ("trectools: MAP", lambda: evaluate_in_trectools("get_map"), "0.25"),
    ("trectools: nDCG", lambda: evaluate_in_trectools("get_ndcg"), "0.315"),
    ("pytorch-metric-learning: P@1", average_in_pytorch_metric_learning, "1, one scored of two"),
    ("sentence-transformers: queries", count_in_sentence_transformers, "2, or one scored of two"),
    ("sentence-transformers: AP@2", divide_in_sentence_transformers, "AP(min) 1, AP 0.667"),
)
"""A claim, their number, and ours: by the order of the gallery or of ids; null or zero."""


def main() -> None:
    """Print a row for each claim."""
    for claim, compute, ours in CASES:
        try:
            found = f"{compute():.3g}"
        except ImportError as error:
            found = f"not installed ({error.name})"
        print(f"{claim:55} {found:30} ours: {ours}")


if __name__ == "__main__":
    main()
