"""`python -m dashboard search`: what versions find for a text, an item or a picture."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.commands.answers import mapped_text
from dashboard.commands.arguments import at_least_one
from dashboard.commands.console import (
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain_about,
    opened,
    unusable,
)
from dashboard.commands.experiments import add_keywords, groups_of, threshold_of
from dashboard.evaluation.coverage import is_outside, outside, outside_said
from dashboard.evaluation.protocols.ticks import matches
from dashboard.retrieval import runs
from dashboard.retrieval.runs import TYPED
from dashboard.storage.collection.annotation import matched_ids
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media import uploads
from dashboard.storage.media.safe_open import Unusable, open_inside
from dashboard.tables import DataError, Findings

DEEPEST = 1_000
USAGE = "give one of TEXT, --item ID or --file PATH (or a picture and TEXT, its target)"


@dataclass(frozen=True)
class Asked:
    """What is searched with.

    required: the keywords that a relevant item has (group, keyword). find: the results of one
    version, so many deep; raises DataError where it cannot be asked this.
    """

    required: pd.DataFrame
    find: Callable[[str, int], pd.DataFrame]


def add_search(command: Command) -> None:
    """Enter the command `search`."""
    added = command("search", _search, "the results of a text, an item or a picture")
    add_collection(added)
    added.add_argument("text", nargs="?", metavar="TEXT")
    added.add_argument("--item", metavar="ID")
    added.add_argument("--file", type=Path, metavar="PATH", help="a picture, or an item's clip")
    added.add_argument("--model", nargs="+", metavar="VERSION", help="default: all versions")
    added.add_argument("-k", type=at_least_one, default=5, help="how many results (5)")
    add_keywords(added)


def _search(call: Namespace) -> Answer:
    known, noted = opened(call), Findings()
    collection = known.under(known.protocols[0])
    table = search(
        collection,
        asked(collection, call.text, call.item, call.file, threshold_of(call, collection)),
        call.model or collection.versions,
        min(call.k, DEEPEST),
        groups_of(call, collection),
        noted,
    )
    findings = noted.frame()
    complain_about(findings, ("error", "warning"))
    gone = unusable(collection) if call.model is None else []
    refused = (findings["level"] == "error").any()
    return table, WRONG if refused or gone else FINE


def asked(
    collection: Collection,
    text: str | None,
    item_id: str | None,
    file: Path | None,
    threshold: float,
) -> Asked:
    """What is searched with: a text, an item, or a file that is an item's own or a picture.

    Raises ValueError where none or several are given, DataError where it cannot be used.
    """
    if item_id is None and file is None and text is not None:
        return _of_text(collection, text, threshold)
    if item_id is not None and file is None and text is None:
        return _of_item(collection, _known_item(collection, item_id))
    if item_id is None and file is not None:
        own = item_of_file(collection, file)
        if not own:
            return _of_picture(collection, file, text, threshold)
        if text is None:
            return _of_item(collection, own)
        raise ValueError(f"{file.name} is the item {own!r}, whose keywords count: leave TEXT out")
    raise ValueError(USAGE)


def _of_text(collection: Collection, text: str, threshold: float) -> Asked:
    return Asked(
        _required(collection, text, threshold),
        lambda version, k: runs.text_run(collection, version, text, k),
    )


def _required(collection: Collection, text: str, threshold: float) -> pd.DataFrame:
    """The keywords that a text asks for."""
    mapped = mapped_text(collection, text, threshold)
    return mapped[mapped["kept"]]


def _of_item(collection: Collection, item_id: str) -> Asked:
    return Asked(
        collection.keywords[collection.keywords["item_id"] == item_id],
        lambda version, k: runs.item_run(collection, version, item_id, k),
    )


def _of_picture(collection: Collection, file: Path, text: str | None, threshold: float) -> Asked:
    """A picture that is no item, laid out as the screens do it; a text says what it should find."""
    if not file.is_file():
        raise DataError(file.name, "no such file", "a picture, or an item's clip")
    try:
        picture = uploads.clean(file.read_bytes())
    except Unusable as word:
        found = f"no picture ({word}), and no clip that is in the collection"
        cure = "Search with one of its items, or with a text."
        raise DataError(file.name, found, "one of them", cure=cure) from word
    nothing = pd.DataFrame({"group": [], "keyword": []}, dtype="str")
    return Asked(
        _required(collection, text, threshold) if text else nothing,
        lambda version, k: runs.picture_run(collection, version, picture, k),
    )


def search(
    collection: Collection,
    asked: Asked,
    versions: Sequence[str],
    k: int,
    groups: Sequence[str],
    complaints: Findings,
) -> pd.DataFrame:
    """The results of what is asked: run, rank, item_id, score, hit, matched, required.

    A version that cannot be asked this is left out, said; DataError where none can.
    """
    found: dict[str, pd.DataFrame] = {}
    problem = DataError(collection.name, "no usable version", "a model or a run")
    for name in versions:
        try:
            found[name] = asked.find(name, k)
        except DataError as refused:
            problem = refused
            complaints.error(refused)
    if not found:
        raise problem
    results = pd.concat([run.assign(run=name) for name, run in found.items()], ignore_index=True)
    results["item_id"] = results["item_id"].astype("str")
    ticked = matches(asked.required.assign(query_id=TYPED), collection.keywords, groups)
    ticked = ticked.astype({"item_id": "str"}).set_index("item_id")[["matched", "required"]]
    results = results.join(ticked.astype("Int64"), on="item_id")
    results["hit"] = (results["matched"] == results["required"]).astype("boolean")
    _say_outside(found, results, collection, complaints)
    return results[["run", "rank", "item_id", "score", "hit", "matched", "required"]]


def _say_outside(
    found: dict[str, pd.DataFrame],
    results: pd.DataFrame,
    collection: Collection,
    complaints: Findings,
) -> None:
    """Mark and say which results are no item of the collection: they count as not relevant."""
    results.loc[is_outside(results, collection.items["item_id"]), "hit"] = False
    beyond = outside(found, collection.items["item_id"])
    for name, sentence in outside_said(beyond, condensed=False).items():
        complaints.warning(name, sentence, "")


def _known_item(collection: Collection, item_id: str) -> str:
    known = matched_ids([item_id], collection.items["item_id"].tolist())
    if item_id not in known:
        wanted = "an item of the collection"
        raise DataError(collection.name, f"no item {item_id[:80]!r}", wanted)
    return known[item_id]


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
