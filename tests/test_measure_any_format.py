"""`measure` on files of every format, with hostile ids: each value as plain Python has it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from tests.evaluation.test_hostile_ids import FORMS, hostile

Judged = dict[str, dict[str, int]]
Found = dict[str, dict[str, float]]
METRICS = "P@5 R@10 AP AP@10 nDCG nDCG@10 nDCG(exp)@5 RR Success@1 Rprec Judged@10 RBP(0.8)"
COLUMNS = {"run": ("query_id", "item_id", "score"), "qrels": ("query_id", "item_id", "grade")}


def plain(grades: dict[str, int], scores: dict[str, float]) -> dict[str, float]:
    """The metrics of one query, formula by formula, in trec_eval's order of results."""
    order = sorted(scores, key=lambda item: (np.float32(scores[item]), item), reverse=True)
    gains = [max(grades.get(item, 0), 0) for item in order]
    hits = [int(gain >= 1) for gain in gains]
    relevant = sum(grade >= 1 for grade in grades.values())
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)

    def dcg(values: list[int], k: int | None, exponential: bool = False) -> float:
        gains = [2**value - 1 if exponential else value for value in values[:k]]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    def over(top: float, bottom: float) -> float:
        return top / bottom if bottom else 0.0

    def ap(k: int | None) -> float:
        hit = [rank for rank, flag in enumerate(hits[:k], 1) if flag]
        return over(sum(number / rank for number, rank in enumerate(hit, 1)), relevant)

    return {
        "P@5": sum(hits[:5]) / 5,
        "R@10": over(sum(hits[:10]), relevant),
        "AP": ap(None),
        "AP@10": ap(10),
        "nDCG": over(dcg(gains, None), dcg(best, None)),
        "nDCG@10": over(dcg(gains, 10), dcg(best, 10)),
        "nDCG(exp)@5": over(dcg(gains, 5, True), dcg(best, 5, True)),
        "RR": over(1, hits.index(1) + 1) if any(hits) else 0.0,
        "Success@1": float(sum(hits[:1])),
        "Rprec": over(sum(hits[:relevant]), relevant),
        "Judged@10": over(sum(item in grades for item in order[:10]), len(order[:10])),
        "RBP(0.8)": sum(0.2 * 0.8**place * hit for place, hit in enumerate(hits)),
    }


def trec(table: dict, what: str) -> bytes:
    line = "{} Q0 {} 0 {!r} x\n" if what == "run" else "{} 0 {} {!r}\n"
    return "".join(line.format(q, i, v) for q in table for i, v in table[q].items()).encode()


def delimited(table: dict, what: str, delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([COLUMNS[what], *((q, i, v) for q in table for i, v in table[q].items())])
    return text.getvalue().encode()


def json_lines(table: dict, what: str) -> bytes:
    rows = [
        dict(zip(COLUMNS[what], (q, i, v), strict=True)) for q in table for i, v in table[q].items()
    ]
    return "".join(json.dumps(row, ensure_ascii=len(rows) % 2 == 0) + "\n" for row in rows).encode()


def parquet(table: dict, what: str) -> bytes:
    rows = [(q, i, v) for q in table for i, v in table[q].items()]
    return pd.DataFrame(rows, columns=list(COLUMNS[what])).to_parquet()


FORMATS: dict[str, Callable[[dict, str], bytes]] = {
    "trec": trec,
    "txt": trec,
    "csv": delimited,
    "tsv": lambda table, what: delimited(table, what, "\t"),
    "jsonl": json_lines,
    "parquet": parquet,
    "trec.gz": lambda table, what: gzip.compress(trec(table, what)),
    "csv.gz": lambda table, what: gzip.compress(delimited(table, what)),
    "jsonl.gz": lambda table, what: gzip.compress(json_lines(table, what)),
}


PAIRS = [
    pytest.param(number, form, marks=() if number == place % len(FORMATS) else pytest.mark.slow)
    for number in range(len(FORMATS))
    for place, form in enumerate(FORMS)
]
"""Of all pairs every format and every form of ids is among those that are not slow."""


@pytest.mark.parametrize(("number", "form"), PAIRS)
def test_every_format_gives_the_values_of_plain_python(
    number: int, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = 100 + number
    qrels, run = hostile(form, seed, same_scores=number % 3 == 0)
    names = list(FORMATS)
    paths = {"run": tmp_path / f"r.{names[number]}", "qrels": tmp_path / f"q.{names[-1 - number]}"}
    for what, table in (("run", run), ("qrels", qrels)):
        ending = paths[what].name.partition(".")[2]
        paths[what].write_bytes(FORMATS[ending](table, what))
    call = ["measure", "--qrels", str(paths["qrels"]), "--run", str(paths["run"])]
    assert main([*call, "--metrics", METRICS, "--by-query", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(qrels) * len(METRICS.split())
    expected = {query: plain(qrels[query], run.get(query, {})) for query in qrels}
    for row in rows:
        cutoff = "" if row["cutoff"] is None else f"@{row['cutoff']}"
        value = expected[row["query_id"]][f"{row['metric']}{cutoff}"]
        assert math.isclose(row["value"], value, rel_tol=1e-6, abs_tol=1e-9), row
