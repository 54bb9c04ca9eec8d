"""`python -m dashboard index`: builds indexes, copies vectors to a server, and says what an index
costs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from tqdm import tqdm

from dashboard.commands.console import (
    FINE,
    Answer,
    Command,
    add_collection,
    at_least_one,
    opened,
    resumed_later,
)
from dashboard.commands.experiments import add_keywords, add_rules, experiment_of
from dashboard.experiment import index_cost
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.experiment import Experiment

METRICS = "P@10 nDCG@10"
COLUMNS = ["figure", "of", "value", "low", "high", "queries"]


def add_to(command: Command) -> None:
    """Enter the command `index`."""
    added = command("index", _index, "build the versions' indexes; --evaluate: what they cost")
    add_collection(added)
    added.add_argument("--version", metavar="V", help="default: all versions with an index")
    text = "copy the vectors of --version to the Milvus server at this address"
    added.add_argument("--to", metavar="URI", help=text)
    text = "with --to: drop a collection of that name there first"
    added.add_argument("--replace", action="store_true", help=text)
    text = "recall against exact search, parts of a difference, latency, size, build time"
    added.add_argument("--evaluate", action="store_true", help=text)
    text = "with --evaluate: the version that --version is compared with"
    added.add_argument("--baseline", metavar="VERSION", help=text)
    text = f"recall on so many queries, evenly over the file ({index_cost.SAMPLE:,})"
    added.add_argument("--sample", type=at_least_one, metavar="N", help=text)
    add_rules(added)
    add_keywords(added)
    added.set_defaults(submission=None, dimension=None)


def _index(call: Namespace) -> Answer:
    collection = opened(call)
    for option, version in (("--version", call.version), ("--baseline", call.baseline)):
        if version:
            _check_there(collection, option, version)
    if call.to:
        return _copied(call, collection), FINE
    experiment = experiment_of(call, collection)
    versions = _versions(call, collection, experiment)
    if call.evaluate:
        return _evaluated(call, experiment, versions), FINE
    return pd.DataFrame([index_cost.built(experiment, version) for version in versions]), FINE


def _copied(call: Namespace, collection: Collection) -> pd.DataFrame:
    """A row on the version that was copied to a server; how far it is goes to stderr."""
    if not call.version:
        raise ValueError("--to: name the version whose vectors are copied, --version V")
    with resumed_later(), tqdm(total=0, unit=" rows", disable=None, leave=False) as bar:

        def progress(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        row = index_cost.copied(
            collection, call.version, call.to, replaces=call.replace, progress=progress
        )
    return pd.DataFrame([row])


def _check_there(collection: Collection, option: str, version: str) -> None:
    """Raise what is wrong with a version that cannot be used, ValueError where there is none."""
    if version in collection.versions:
        return
    if version in collection.broken:
        raise collection.broken[version]
    there = ", ".join(collection.versions)
    raise ValueError(f"{option}: no version {version!r}; there are {there}")


def _versions(call: Namespace, collection: Collection, experiment: Experiment) -> list[str]:
    """The versions of a call. Raises ValueError for one without an index."""
    wanted = [call.version] if call.version else list(collection.versions)
    found = index_cost.indexed(experiment, wanted)
    if not found:
        of = f"{call.version} has no" if call.version else "no version has an"
        raise ValueError(
            f"{of} index; write in models/VERSION/model.toml for example [index] and below it "
            'kind = "hnsw"'
        )
    return found


def _evaluated(call: Namespace, experiment: Experiment, versions: list[str]) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for version in versions:
        cost = index_cost.cost(experiment, version, call.sample or index_cost.SAMPLE)
        for row in cost.recall.to_dict("records"):
            bounds = {name: row[name] for name in ("low", "high", "queries")}
            rows.append({"figure": f"recall@{row['k']} of the index", "of": version,
                         "value": row["recall"], **bounds})  # fmt: skip
        if call.baseline and call.baseline != version:
            parts = index_cost.decomposed(
                experiment, call.baseline, version, call.metrics or METRICS, None
            )
            rows += [_part(row, call.baseline, version) for row in parts.to_dict("records")]
        rows += [
            {"figure": figure, "of": version, "value": value}
            for figure, value in index_cost.figures(cost).items()
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"queries": "Int64"})


def _part(row: Mapping[Hashable, Any], baseline: str, candidate: str) -> dict[str, object]:
    name = row["metric"] if pd.isna(row["cutoff"]) else f"{row['metric']}@{row['cutoff']}"
    return {
        "figure": f"{name}: {row['part']}",
        "of": f"{candidate} − {baseline}",
        "value": row["delta"],
        "low": row["low"],
        "high": row["high"],
        "queries": row["scored"],
    }
