"""Freeze the answers of the first edition: `python tests/golden/freeze.py` (about five minutes).

Written beside it: `values.json.xz` (each value of `measure --by-query`), `tables.json.xz` (rows of
`compare` and `satisfaction`), `queries.json.xz` (what the screen Query shows: ranks, scores, hits,
keywords, missed items) and `calls.json.xz` (exit code and messages of wrong calls). The script uses
the first edition only, and goes with it; the frozen files stay.
"""

from __future__ import annotations

import io
import itertools
import json
import lzma
import sys
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
SHIPPED = sorted(path.parent for path in (ROOT / "data").glob("*/collection.toml"))
QUERIES_PER_VIEW = 25
DEPTH = 10
DEEP = "P@1 P@10 R@5 R@50 Success@5 AP AP@10 Rprec RR RR@10 nDCG nDCG@10 DCG@10 CG@10"
OTHERS = "Judged@10 RBP(0.8)@20 ERR@20 num_ret num_rel num_rel_ret"
WRONG_CALLS = """
nothing | measure | measure gone | check gone | compare driving | compare driving --baseline v9
search driving | search driving x -k 0 | search driving --item none | keywords gone x
measure driving --metrics P | measure driving --metrics P@0 | measure driving --metrics nothing@5
measure driving --metrics RBP(2)@5 | measure driving --metrics nDCG@5x | measure driving --metrics ,
measure driving --protocol none | measure driving --protocol hashing | measure driving --queries x
measure driving --min-similarity low | measure driving --min-similarity nan
measure driving --groups colour | measure driving --threshold -0.1 | measure driving --threshold 1.5
measure driving --runs v9 | measure driving --runs v0.1 v9 | measure --qrels none.txt
measure driving --format xml | compare driving --baseline v0.1 --candidate v9
compare driving --baseline v0.1 --candidate v0.1 | compare driving --candidate v9
measure driving --qrels a.txt --run b.txt | measure --run b.txt | measure driving --copies some
"""


def list_calls() -> Iterator[tuple[str, list[str]]]:
    """Yield every call whose answer is frozen, and the file that it goes to."""
    for folder in SHIPPED:
        settings, name = tomllib.loads((folder / "collection.toml").read_text()), folder.name
        versions = sorted(path.name for path in (folder / "models").iterdir())
        for protocol in settings["protocols"]:
            measure = ["measure", name, "--protocol", protocol]
            for kind in ("text", "item", "all"):
                yield "values", [*measure, "--queries", kind]
            yield "values", [*measure, "--min-similarity", "0.3"]
            yield "values", [*measure, "--copies", "left_out"]
            for metrics in (DEEP, OTHERS):
                candidate = settings["default_candidate"]
                yield "values", [*measure, "--runs", candidate, "--metrics", metrics]
            for groups in [[g] for g in settings["groups"]] + [settings["groups"]] * 2:
                if protocol == "alfa":
                    yield "values", [*measure, "--groups", *groups]
                    yield "values", [*measure, "--groups", *groups, "--queries", "item"]
            for pair in list(itertools.combinations(versions, 2))[:6]:
                compare = ["compare", name, "--protocol", protocol]
                for kind in ("text", "item"):
                    call = [*compare, "--baseline", pair[0], "--candidate", pair[1]]
                    yield "tables", [*call, "--queries", kind]
        if (folder / "satisfaction.csv").exists():
            yield "tables", ["satisfaction", name]
            yield "tables", ["satisfaction", name, "--table", "depths"]
    yield from (("calls", text.split()) for text in WRONG_CALLS.replace("\n", "|").split("|"))


def answer(call: list[str]) -> dict[str, Any]:
    """Return the exit code, rows and messages of a call."""
    from dashboard.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(call)
        except SystemExit as end:
            code = int(end.code or 0)
    return {"code": code, "out": out.getvalue(), "err": err.getvalue().splitlines()}


def freeze_values(call: list[str]) -> dict[str, Any]:
    """Return the values of each metric by version, in the order of the listed queries."""
    found = answer([*call, "--by-query", "--format", "json"])
    rows = json.loads(found["out"] or "[]")
    queries = list(dict.fromkeys(row["query_id"] for row in rows))
    values: dict[str, dict[str, list[float | None]]] = {}
    for row in rows:
        name = row["metric"] if row["cutoff"] is None else f"{row['metric']}@{row['cutoff']}"
        values.setdefault(row["run"], {}).setdefault(name, []).append(row["value"])
    return {"code": found["code"], "queries": queries, "values": values}


def freeze_queries(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what the screen Query shows of some queries, without and with a threshold."""
    from dashboard.experiment import judging
    from dashboard.experiment.collection.collections import groups_named, opened_at
    from dashboard.experiment.experiment import Experiment
    from dashboard.views.cards.query_results import results_of

    collection = opened_at(str(folder))
    settings = tomllib.loads((folder / "collection.toml").read_text())
    for kind, least in itertools.product(("text", "item"), (-1.0, 0.3)):
        experiment = Experiment.of(
            collection,
            protocol=settings["protocols"][0],
            groups=groups_named(collection, None),
            mapping_threshold=settings.get("mapping_threshold", 0.6),
            queries=kind,  # type: ignore[arg-type]
            min_similarity=least,
        )
        some = judging.queries(experiment)["query_id"].astype(str).tolist()
        for query in some[:: max(1, len(some) // QUERIES_PER_VIEW)][:QUERIES_PER_VIEW]:
            shown = results_of(experiment, query, sorted(collection.versions))
            relevant = sorted(shown.relevant)
            yield {
                "collection": folder.name,
                "query": query,
                "kind": kind,
                "min_similarity": least,
                "required": [list(map(str, pair)) for pair in shown.required],
                "relevant": relevant,
                "runs": {
                    version: [
                        [str(item), round(float(score), 6), shown.hit(str(item))]
                        for item, score in shown.ranked(version)[["item_id", "score"]]
                        .head(DEPTH)
                        .itertuples(index=False)
                    ]
                    for version in shown.answered
                },
                "ranks": {
                    version: {i: at[0] for i, at in shown.places(version, relevant).items()}
                    for version in shown.answered
                },
                "problems": shown.problems,
            }


def write(name: str, content: object) -> None:
    """Write a frozen file, packed."""
    packed = lzma.compress(json.dumps(content, ensure_ascii=False).encode(), preset=9)
    (FOLDER / f"{name}.json.xz").write_bytes(packed)
    print(f"{name}: {len(packed):,} bytes", file=sys.stderr)


def main() -> None:
    """Ask the first edition everything and write its answers."""
    sys.path.insert(0, str(ROOT))
    frozen: dict[str, dict[str, Any]] = {"values": {}, "tables": {}, "calls": {}}
    for kind, call in list_calls():
        key = " ".join(call)
        if kind == "values":
            frozen[kind][key] = freeze_values(call)
        elif kind == "tables":
            found = answer([*call, "--format", "json"])
            frozen[kind][key] = {"code": found["code"], "rows": json.loads(found["out"] or "[]")}
        else:
            found = answer(call)
            frozen[kind][key] = {"code": found["code"], "err": found["err"]}
    for name, content in frozen.items():
        write(name, content)
    write("queries", [each for folder in SHIPPED for each in freeze_queries(folder)])


if __name__ == "__main__":
    main()
