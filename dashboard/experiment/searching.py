"""The results of a search by text, item or picture, of each version, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from dashboard.evaluation.coverage import is_outside, outside, outside_said
from dashboard.evaluation.protocols.ticks import matches
from dashboard.experiment.experiment import TYPED, Experiment
from dashboard.experiment.judging import is_hit, judgement, required_keywords
from dashboard.experiment.ranking import run
from dashboard.storage.collection.annotation import matched_ids
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media import uploads
from dashboard.storage.media.safe_open import Unusable, open_inside
from dashboard.tables import DataError, Findings

RESULTS = ["run", "rank", "item_id", "score", "hit", "matched", "required"]


def search(
    experiment: Experiment, versions: Sequence[str], k: int, findings: Findings
) -> pd.DataFrame:
    """The first `k` results of each version: run, rank, item_id, score, hit, matched, required.

    hit: whether the protocol judges the item relevant; null where it is not judged. matched: how
    many of the required keywords the item has. A version that cannot be searched is an error in
    `findings`. Raises DataError where none can be searched.
    """
    found: dict[str, pd.DataFrame] = {}
    problem = DataError(experiment.collection.name, "no usable version", "a model or a run")
    for version in versions:
        try:
            ranked = run(experiment, version)
        except DataError as refused:
            problem = refused
            findings.error(refused)
            continue
        found[version] = ranked[ranked["rank"] <= k]
    if not found:
        raise problem
    beyond = outside(found, experiment.collection.items["item_id"])
    for version, sentence in outside_said(beyond, condensed=experiment.rules.condensed).items():
        findings.warning(version, sentence, "")
    results = pd.concat([part.assign(run=name) for name, part in found.items()], ignore_index=True)
    results["item_id"] = results["item_id"].astype("str")
    results = results.join(_matched(experiment), on="item_id")
    return results.assign(hit=_hits(experiment, results))[RESULTS]


def _matched(experiment: Experiment) -> pd.DataFrame:
    """How many of the required keywords each annotated item has."""
    keywords = experiment.collection.keywords
    counts = matches(required_keywords(experiment), keywords, experiment.groups)
    by_item = counts.astype({"item_id": "str"}).set_index("item_id")
    return by_item[["matched", "required"]].astype("Int64")


def _hits(experiment: Experiment, results: pd.DataFrame) -> pd.Series:
    """Whether each result is relevant; null where it is not judged."""
    judgements = judgement(experiment)
    qrels = judgements.of_queries([TYPED]).qrels
    judged = set(qrels["item_id"].astype("str"))
    good = qrels["grade"] >= judgements.relevant_from
    relevant = set(qrels.loc[good, "item_id"].astype("str"))
    is_strange = is_outside(results, experiment.collection.items["item_id"])
    strange, rules = set(results.loc[is_strange, "item_id"]), experiment.rules
    hits = [is_hit(rules, item, relevant, judged, strange) for item in results["item_id"]]
    return pd.Series(hits, results.index, dtype="boolean")


def item_called(collection: Collection, name: str) -> str:
    """The id of the item that a name stands for. Raises DataError where there is none."""
    known = matched_ids([name], collection.items["item_id"].tolist())
    if name not in known:
        found = f"no item {name[:80]!r}"
        raise DataError(collection.name, found, "an item of the collection")
    return known[name]


def item_of_file(collection: Collection, path: Path) -> str:
    """The item whose own clip or picture a file is, byte for byte; empty: none."""
    if not path.is_file():
        return ""
    items = collection.items
    same_name = items[items["file"].map(lambda file: Path(file).name) == path.name]
    content = path.read_bytes()
    for item_id, file in zip(same_name["item_id"], same_name["file"], strict=True):
        with suppress(Unusable), open_inside(collection.folder, collection.media_root, file) as own:
            if own.size == len(content) and own.file.read() == content:
                return str(item_id)
    return ""


def save_picture(path: Path) -> str:
    """Saves a picture to search with, as the screen does, and returns its fingerprint.

    Raises DataError for a file that is missing, is no picture, or cannot be saved.
    """
    if not path.is_file():
        raise DataError(path.name, "no such file", "a picture, or an item's clip")
    try:
        return uploads.keep(path.read_bytes())
    except uploads.NotKept as word:
        raise DataError(path.name, f"a picture, but {word}", "room in the cache folder") from word
    except Unusable as word:
        found = f"no picture ({word}), and no clip that is in the collection"
        cure = "Search with one of its items, or with a text."
        raise DataError(path.name, found, "one of them", cure=cure) from word
