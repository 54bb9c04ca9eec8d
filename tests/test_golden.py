"""The second edition gives the numbers of the first, frozen in tests/golden.

A frozen call is compared where its protocol, options and metrics exist; the least counts below keep
anything that is compared today from dropping out unseen.
"""

import contextlib
import io
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.judgement import find_relevant
from dashboard.evaluation.metrics import parse
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import open_study

ROOT = Path(__file__).parents[1]
BUILT = ("alfa", "composed", "context", "crossmodal", "hashing")
NOT_BUILT = ("--copies",)  # tests/plugins/near_duplicates/test_golden_copies.py

CHANGED = {"compare driving": "the collection names its usual baseline and candidate"}
NEW_METRICS = ("i2t_MdR", "i2t_MnR", "t2i_MdR", "t2i_MnR")
"""Shown without being asked for since the second edition."""
CONDENSED = ("composed", "context")
LEAST_VALUES, LEAST_QUERIES = 350_000, 400


def read(name: str) -> Any:
    packed = (ROOT / "tests" / "golden" / f"{name}.json.xz").read_bytes()
    return json.loads(lzma.decompress(packed))


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_DATA", str(ROOT / "data"))


def list_built(name: str) -> dict[str, Any]:
    def is_built(call: str) -> bool:
        words = call.split()
        protocol = words[words.index("--protocol") + 1] if "--protocol" in words else ""
        return protocol in BUILT and not set(NOT_BUILT) & set(words)

    return {call: frozen for call, frozen in read(name).items() if is_built(call)}


def split(call: str) -> list[str]:
    """Return the words of a call; its metrics, frozen as words, are one."""
    before, _, metrics = call.partition(" --metrics ")
    return [*before.split(), *(["--metrics", metrics] if metrics else [])]


def answer(words: list[str]) -> tuple[int, list[dict[str, Any]]]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main([*words, "--format", "json"])
    return code, json.loads(out.getvalue() or "[]")


def keep_known(words: list[str]) -> list[str]:
    """Return a call that asks for those of its metrics that there are."""
    if "--metrics" not in words:
        return words
    known = []
    for name in words[-1].split():
        with contextlib.suppress(ValueError):
            known += [name] if parse(name) else []
    return [*words[:-1], " ".join(known)] if known else []


def test_values() -> None:
    compared = 0
    for call, frozen in list_built("values").items():
        words = keep_known(split(call))
        if not words:
            continue
        code, rows = answer([*words, "--by-query"])
        assert code == frozen["code"], call
        found: dict[tuple[str, str], list[float | None]] = {}
        for row in rows:
            name = row["metric"] if row["cutoff"] is None else f"{row['metric']}@{row['cutoff']}"
            if "--metrics" not in words and name in NEW_METRICS:
                continue
            found.setdefault((row["run"], name), []).append(row["value"])
        assert list(dict.fromkeys(row["query_id"] for row in rows)) == frozen["queries"], call
        for (run, name), values in found.items():
            old = np.array(frozen["values"][run][name], dtype=float)
            new = np.array(values, dtype=float)
            np.testing.assert_allclose(new, old, rtol=0, atol=1e-12, err_msg=f"{call} {run} {name}")
            compared += len(values)
    print(f"{compared:,} values are equal")
    assert compared >= LEAST_VALUES


def test_comparisons() -> None:
    exact = ("metric", "cutoff", "baseline", "candidate", "delta", "scored", "total")
    for call, frozen in list_built("tables").items():
        if not call.startswith("compare"):
            continue
        code, rows = answer(split(call))
        assert code == frozen["code"], call
        before = {(old["metric"], old["cutoff"]): old for old in frozen["rows"]}
        for new in rows:
            if new["metric"] in NEW_METRICS:
                continue
            old = before[new["metric"], new["cutoff"]]
            for column in (*exact, "better", "same", "worse"):
                assert new[column] == pytest.approx(old[column], abs=1e-12), (call, column)
            assert new["p"] == pytest.approx(old["p"], abs=0.005), call
            if old["low"] == old["high"]:  # the same values everywhere: now not defined
                assert new["low"] is None
            else:  # 10,000 resamples of another seed
                width = old["high"] - old["low"]
                for bound in ("low", "high"):
                    assert new[bound] == pytest.approx(old[bound], abs=0.06 * width), call


def test_queries() -> None:
    compared = 0
    for frozen in read("queries"):
        collection = open_collection(ROOT / "data" / frozen["collection"])
        given = {"queries": frozen["kind"]}
        if frozen["min_similarity"] > -1:
            given["min_similarity"] = str(frozen["min_similarity"])
        study = open_study(collection, resolve(collection, given))
        shown = study.query(frozen["query"], sorted(frozen["runs"]), 10)
        position = collection.queries.index[frozen["query"]]
        relevant = find_relevant(study.judgement, position)
        assert sorted(collection.items.ids[item] for item in relevant) == frozen["relevant"]
        for run, old in frozen["runs"].items():
            rows = [row for row in shown.rows if row["run"] == run]
            new = [[row["item_id"], round(row["score"], 6), row["hit"]] for row in rows]
            assert new == [[item, score, hit] for item, score, hit in old], frozen["query"]
            # below a threshold the first edition gave ranks among all items
            if not (given.get("min_similarity") and study.rules.name in CONDENSED):
                assert find_ranks(study, run, position, relevant) == frozen["ranks"][run]
        compared += 1
    assert compared >= LEAST_QUERIES


def find_ranks(study: Any, version: str, query: int, relevant: Any) -> dict[str, int]:
    (found,) = study.run(version).find_all(np.array([query]), 0, lambda _: relevant)
    names = (study.collection.items.ids[item] for item in found.items)
    return dict(zip(names, found.rank.tolist(), strict=True))


def test_wrong_calls() -> None:
    compared = 0
    for call, frozen in read("calls").items():
        words = call.split()
        if call in CHANGED:
            continue
        if words[:1] not in (["measure"], ["compare"], ["check"], ["search"], ["nothing"]):
            continue
        code: int | str | None
        try:
            with contextlib.redirect_stderr(io.StringIO()) as complained:
                code = main(words)
        except SystemExit as end:
            code = end.code
        assert code == frozen["code"] and (complained.getvalue() or code == 0), call
        compared += 1
    assert compared >= 30
