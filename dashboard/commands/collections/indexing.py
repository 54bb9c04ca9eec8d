"""`python -m dashboard index`: builds indexes, copies vectors to a server, and says what an index
costs."""

from __future__ import annotations

from argparse import Namespace

import pandas as pd
from tqdm import tqdm

from dashboard.commands.console import (
    FINE,
    Answer,
    Command,
    add_collection,
    at_least_one,
    complain,
    opened,
    resumed_later,
)
from dashboard.commands.experiments import add_keywords, add_rules, experiment_of
from dashboard.experiment import index_cost
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.experiment import Experiment

ON_A_SERVER = "nothing was built, its index is on a Milvus server; to build it there add"
METRICS = "P@10 nDCG@10"
RECALL = ["version", "index", "k", "recall", "low", "high", "queries", "total"]
COSTS = ["p50_ms", "p95_ms", "bytes", "build_s"]
BESIDE = ["alone_p50_ms", "alone_p95_ms", "exact_p50_ms", "exact_p95_ms", "vectors_bytes"]
PARTS = ["baseline", "metric", "cutoff", "part", "value"]
WHOLE = ["k", "queries", "total", "bytes", "vectors_bytes", "cutoff"]


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
    table = pd.DataFrame([index_cost.built(experiment, version) for version in versions])
    for version in versions:
        if index_cost.is_on_a_server(experiment, version):
            complain(f"note: {version}: {ON_A_SERVER} --version {version} --to ADDRESS")
    return table, FINE


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
    """A row for each version and K; with a baseline, one for each part of a difference follows."""
    rows: list[dict[str, object]] = []
    for version in versions:
        cost = index_cost.cost(experiment, version, call.sample or index_cost.SAMPLE)
        of = cost.recall.assign(version=version, index=cost.index, total=cost.total)
        rows += _rows(of.assign(**index_cost.figures(cost)))
    for version in versions:
        if call.baseline and call.baseline != version:
            parts = index_cost.decomposed(
                experiment, call.baseline, version, call.metrics or METRICS, None
            )
            parts = parts.rename(columns={"delta": "value", "scored": "queries"})
            rows += _rows(parts.assign(version=version, baseline=call.baseline))
    columns = [*RECALL, *COSTS, *BESIDE, *(PARTS if call.baseline else ())]
    table = pd.DataFrame(rows, columns=columns)
    return table.astype({name: "Int64" for name in columns if name in WHOLE})


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
