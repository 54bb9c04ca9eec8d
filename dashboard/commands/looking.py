"""`python -m dashboard check`, `search`, `keywords` and `metrics`: what there is and is found."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from dashboard.commands import answers
from dashboard.commands.asked import add_keywords, groups_of, threshold_of
from dashboard.commands.numbers import at_least_one
from dashboard.commands.said import (
    FINDING,
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain_about,
    opened,
    unusable,
)
from dashboard.storage.findings import Findings

DEEPEST = 1_000


def add_check(command: Command) -> None:
    """Enter the command `check`."""
    about = "what is missing, repaired or unusable in a collection"
    add_collection(command("check", _check, about))


def _check(call: Namespace) -> Answer:
    table = answers.check(call.collection)
    return table, FINDING if (table["level"] == "error").any() else FINE


def add_search(command: Command) -> None:
    """Enter the command `search`."""
    added = command("search", _search, "the results of a text, an item or an item's clip")
    add_collection(added)
    added.add_argument("text", nargs="?", metavar="TEXT")
    added.add_argument("--item", metavar="ID")
    added.add_argument("--file", type=Path, metavar="PATH", help="the clip of an item")
    added.add_argument("--model", nargs="+", metavar="VERSION", help="default: all versions")
    added.add_argument("-k", type=at_least_one, default=5, help="how many results (5)")
    add_keywords(added)


def _search(call: Namespace) -> Answer:
    asked = [call.text is not None, call.item is not None, call.file is not None]
    if sum(asked) != 1:
        raise ValueError("give one of TEXT, --item ID and --file PATH")
    collection, noted = opened(call), Findings()
    item_id = answers.item_of_clip(collection, call.file) if call.file else call.item
    table = answers.search(
        collection,
        call.model or collection.versions,
        min(call.k, DEEPEST),
        groups_of(call, collection),
        threshold_of(call, collection),
        noted,
        text=call.text or "",
        item_id=item_id or "",
    )
    complain_about(noted.frame(), ("error",))
    gone = unusable(collection) if call.model is None else []
    return table, WRONG if noted.rows or gone else FINE


def add_keywords_of(command: Command) -> None:
    """Enter the command `keywords`."""
    added = command("keywords", _keywords, "which keywords a text is mapped to")
    add_collection(added)
    added.add_argument("text", nargs="?", metavar="TEXT")
    added.add_argument("--write", action="store_true", help="map and store all text queries")
    add_keywords(added, groups=False)


def _keywords(call: Namespace) -> Answer:
    collection = opened(call)
    threshold = threshold_of(call, collection)
    if call.write:
        return answers.write_keywords(collection, threshold), FINE
    mapped = answers.mapped_text(collection, call.text or "", threshold)
    return mapped[["ngram", "keyword", "group", "score", "kept"]], FINE


def add_metrics(command: Command) -> None:
    """Enter the command `metrics`."""
    command("metrics", _metrics, "every metric with its formula and source")


def _metrics(_call: Namespace) -> Answer:
    return answers.metrics(), FINE
