"""What the command line prints for the collections of the demo: as the README.md of their builder
states it, and as an independent computation gives it."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from dashboard.__main__ import main

DATA = Path(__file__).resolve().parents[2] / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")
FIGURES = (DATA / "openmoji_build" / "README.md").read_text(encoding="utf-8")
Rows = list[dict[str, str]]


def table(name: str, file: str) -> Rows:
    with (DATA / name / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def vectors(name: str, version: str, stem: str) -> dict[str, np.ndarray]:
    folder = DATA / name / "models" / version
    ids = (folder / f"{stem}.txt").read_text(encoding="utf-8").split("\n")
    matrix = np.load(folder / f"{stem}.npy").astype(float)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return dict(zip([each for each in ids if each], matrix, strict=True))


def grades(name: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    if name == "openmoji_context":
        return relevance(name)
    for row in table(name, "qrels.csv"):
        found.setdefault(row["query_id"], {})[row["item_id"]] = float(row["grade"])
    return found


def relevance(name: str) -> dict[str, dict[str, float]]:
    """The mean of the workers' valid answers, -1 without any."""
    said: dict[str, dict[str, list[float]]] = {}
    for row in table(name, "relevance.csv"):
        of = said.setdefault(row["query_id"], {}).setdefault(row["item_id"], [])
        of += [float(row["relevance"])] * (float(row["relevance"]) >= 0)
    return {
        query: {item: float(np.mean(a)) if a else -1.0 for item, a in of.items()}
        for query, of in said.items()
    }


def stated(section: str) -> dict[str, list[float]]:
    """The rows of the first table after "`section`, measured" in the builder's README."""
    text = FIGURES.partition(f"`{section}`, measured")[2].split("\n\n")[1]
    cells = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {row[0]: [float(cell) for cell in row[1:]] for row in cells}


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]):
    def asked(*words: str) -> list[dict]:
        code = main([*words, "--format", "json"])
        assert code == 0 or (words[0] == "compare" and code == 1)  # 1: something became worse
        return json.loads(capsys.readouterr().out)

    return asked


def by_name(rows: list[dict]) -> dict[tuple[str, str, int | None], float]:
    return {(row["run"], row["metric"], row["cutoff"]): row["mean"] for row in rows}


def test_composed_map(answer) -> None:
    means = by_name(answer("measure", "openmoji_composed", "--metrics", "AP(annotated)"))
    judged = grades("openmoji_composed")
    for version in ("v0.1", "v0.2", "v0.3"):
        items, queries = (vectors("openmoji_composed", version, s) for s in ("items", "queries"))
        values = [
            average_precision_score(
                list(labels.values()), [float(items[i] @ queries[query]) for i in labels]
            )
            for query, labels in judged.items()
            if any(labels.values())
        ]
        mean = means[version, "AP(annotated)", None]
        assert mean == pytest.approx(np.mean(values), abs=1e-4)
        assert stated("openmoji_composed")[version] == [round(mean, 3)]


@pytest.mark.slow
def test_two_way_recalls_and_their_sum(answer) -> None:
    name = "openmoji_captions"
    means = by_name(answer("measure", name))
    side = {row["item_id"]: row["side"] for row in table(name, "items.csv")}
    judged = grades(name)
    for version in ("v0.1", "v0.2", "v0.3"):
        items, texts = vectors(name, version, "items"), vectors(name, version, "queries")
        among = {s: [i for i in side if side[i] == s] for s in ("pictures", "captions")}
        stacked = {s: np.array([items[i] for i in ids]) for s, ids in among.items()}
        ranks: dict[str, list[int]] = {"pictures": [], "captions": []}
        for row in table(name, "queries.csv"):
            vector = items[row["item_id"]] if row["item_id"] else texts[row["query_id"]]
            scores = np.round(stacked[row["among"]] @ vector, 6)
            order = np.argsort(-scores, kind="stable")
            right = (among[row["among"]][place] in judged[row["query_id"]] for place in order)
            ranks[row["among"]].append(next(rank for rank, is_it in enumerate(right) if is_it))
        shares = [
            float(np.mean(np.array(ranks[s]) < k))
            for s in ("captions", "pictures")
            for k in (1, 5, 10)
        ]
        names = [(m, k) for m in ("i2t_R", "t2i_R") for k in (1, 5, 10)]
        assert [means[version, m, k] for m, k in names] == pytest.approx(shares, abs=1e-9)
        assert means[version, "Rsum", None] == pytest.approx(sum(shares))
        assert means[version, "mR", None] == pytest.approx(sum(shares) / 6)
        percents = [100 * share for share in (*shares, sum(shares), sum(shares) / 6)]
        assert stated(name)[version] == pytest.approx(percents, abs=0.0501)


@pytest.mark.parametrize(
    "name", [pytest.param("openmoji_hashes", marks=pytest.mark.slow), "digits_hashes"]
)
def test_hashing_map_and_ndcg(answer, name: str) -> None:
    p = 50
    metrics = f"AP(retrieved)@{p} nDCG(exp)@{p}"
    means = by_name(answer("measure", name, "--metrics", metrics))
    judged = grades(name)
    for version, figures in stated(name).items():
        if version == "random codes":
            continue
        items, queries = (vectors(name, version, stem) for stem in ("items", "queries"))
        gallery = [row["item_id"] for row in table(name, "items.csv")]
        codes = np.array([items[item] > 0 for item in gallery])
        precision, gain = [], []
        for query, labels in judged.items():
            far = (codes != (queries[query] > 0)).sum(axis=1).tolist()
            order = sorted(range(len(gallery)), key=lambda place: (far[place], place))[:p]  # noqa: B023
            found = [labels.get(gallery[place], 0.0) for place in order]
            hits = [rank for rank, grade in enumerate(found, 1) if grade]
            shares = [count / rank for count, rank in enumerate(hits, 1)]
            precision.append(sum(shares) / len(hits) if hits else 0.0)
            best = sorted(labels.values(), reverse=True)[:p]
            gains = [
                sum((2**g - 1) / math.log2(rank + 1) for rank, g in enumerate(each, 1))
                for each in (found, best)
            ]
            gain.append(gains[0] / gains[1])
        expected = [float(np.mean(precision)), float(np.mean(gain))]
        assert [means[version, m, p] for m in ("AP(retrieved)", "nDCG(exp)")] == pytest.approx(
            expected
        )
        assert figures == pytest.approx(expected, abs=0.000501)


def test_context_gain(answer) -> None:
    name, k = "openmoji_context", 10
    rows = answer("measure", name, "--metrics", f"CAG(DCG,w=5)@{k} MAX@{k}", "--by-query")
    values = {(r["run"], r["query_id"], r["metric"].split("(")[0]): r["value"] for r in rows}
    for version in ("by-name", "v0.3"):
        items, queries = (vectors(name, version, stem) for stem in ("items", "queries"))
        for query, answers in grades(name).items():
            if values[version, query, "MAX"] is None:
                continue
            valid = [i for i in items if answers.get(i, -1) >= 0]
            place = {item: number for number, item in enumerate(items)}
            score = {i: round(float(items[i] @ queries[query]), 6) for i in valid}
            found = sorted(valid, key=lambda i: (-score[i], place[i]))[:k]  # noqa: B023
            r = [answers[item] / 100 for item in found]
            highest = np.maximum.accumulate(r)
            context = [x * x / top if top else 0.0 for x, top in zip(r, highest, strict=True)]
            g = [float(np.mean(context[max(0, n - 4) : n + 1])) for n in range(len(r))]
            gain = sum(x / math.log2(n + 2) for n, x in enumerate(g)) / len(r)
            assert values[version, query, "CAG"] == pytest.approx(gain)
            assert values[version, query, "MAX"] == pytest.approx(max(r))


COLLECTIONS = re.findall(r"^\| `(\w+)/` \| `\w+` \|", README, re.MULTILINE)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=() if each == "openmoji_composed" else pytest.mark.slow)
        for each in COLLECTIONS
    ],
)
def test_every_command_answers(answer, name: str) -> None:
    assert not [row for row in answer("check", name) if row["level"] != "note"]
    settings = (DATA / name / "collection.toml").read_text(encoding="utf-8")
    versions = [
        re.search(rf'default_{role} = "(.*)"', settings)[1] for role in ("baseline", "candidate")
    ]
    rows = answer("compare", name, "--baseline", versions[0], "--candidate", versions[1])
    assert all(row["delta"] is not None for row in rows if row["scored"])
    item = table(name, "items.csv")[0]["item_id"]
    found = answer("search", name, "--item", item, "-k", "3", "--model", versions[1])
    assert [row["rank"] for row in found] == [1, 2, 3]
    assert item not in {row["item_id"] for row in found}
