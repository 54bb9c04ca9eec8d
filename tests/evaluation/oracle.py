"""Second opinions: made-up judgements and runs, trec_eval's order, and formulas as plain loops."""

import math

import numpy as np
import pandas as pd


def made_up(seed, queries=1000, items=40, grades=(0, 0, 0, 1, 1, 2, 3)):
    """{query: {item: grade}} and {query: {item: score}}, with all that real files hold.

    Ties, scores that only float64 tells apart, short and long lists, queries that are judged but
    not run, run but not judged, and judged without anything relevant.
    """
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(queries):
        query = f"q{number}"
        judged = random.choice(items, random.integers(1, 15), replace=False)
        found = random.choice(items, random.integers(1, items), replace=False)
        if number % 11:
            qrels[query] = {f"d{i}": int(random.choice(grades)) for i in judged}
            # pytrec_eval ends the process on a query that has grades below 0 only
            qrels[query][f"d{judged[0]}"] = abs(qrels[query][f"d{judged[0]}"])
        if number % 7:
            scores = random.integers(0, 6, len(found)) / 3 + random.choice([0, 1e-9], len(found))
            run[query] = {f"d{i}": float(s) for i, s in zip(found, scores, strict=True)}
    return qrels, run


def qrels_table(qrels):
    rows = [(q, i, g) for q, items in qrels.items() for i, g in items.items()]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])


def trec_run(run):
    """The run in trec_eval's order: float32 scores descending, ties by item id descending."""
    rows = []
    for query, items in run.items():
        order = sorted(items, key=lambda i: (np.float32(items[i]), i), reverse=True)
        rows += [(query, i, items[i], place) for place, i in enumerate(order, 1)]
    return pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])


def plain_err(chances, k):
    """Expected reciprocal rank with a stop probability for each result."""
    total, going = 0.0, 1.0
    for place, chance in enumerate(chances[:k], 1):
        total += going * chance / place
        going *= 1 - chance
    return total


def plain_cag(credit, discount, k, *, w=10, divide="window", per="list", p=0.95, rows=0):
    """Context-aware gain of one list, formula by formula: r', the window, the discount, the sum."""
    looked_at = credit[:k]
    adjusted, gains = [], []
    for place, r in enumerate(looked_at, 1):
        best = max(looked_at[:place])
        adjusted.append(r**2 / best if best else 0.0)
        window = adjusted[max(0, place - w) :]
        gains.append(sum(window) / (w if divide == "w" else len(window)))
    count = len(looked_at)
    if not count:
        return 0.0
    if discount == "MAX":
        total = max(gains)
    elif discount == "AVG" and rows:
        cut = [gains[start : start + rows] for start in range(0, count, rows)]
        total = sum(sum(row) / len(row) for row in cut) / len(cut)
    else:
        weight = {
            "RBP": lambda k: (1 - p) * p ** (k - 1),
            "DCG": lambda k: 1 / math.log2(k + 1),
            "CG": lambda k: 1.0,
            "AVG": lambda k: 1 / count,
            "ERR": lambda k: math.prod(1 - r for r in looked_at[: k - 1]) / k,
        }[discount]
        total = sum(g * weight(place) for place, g in enumerate(gains, 1))
    return total / count if per == "image" else total
