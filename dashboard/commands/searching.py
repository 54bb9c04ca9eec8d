"""`python -m dashboard search`: what versions find for a text, an item or a picture."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from dashboard.commands.console import (
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    at_least_one,
    complain,
    complain_about,
    opened,
    unusable,
)
from dashboard.commands.experiments import add_keywords, groups_of, threshold_of
from dashboard.experiment import searching
from dashboard.experiment.collection.collections import Collection, usual_queries
from dashboard.experiment.experiment import Experiment
from dashboard.letters import is_visible
from dashboard.tables import Findings

DEEPEST = 1_000
"""Results of a version that are printed at most."""
USAGE = "give one of TEXT, --item ID or --file PATH (or a picture and TEXT, its target)"


def add_search(command: Command) -> None:
    """Enter the command `search`."""
    added = command("search", _search, "the results of a text, an item or a picture")
    add_collection(added)
    added.add_argument("text", nargs="?", metavar="TEXT")
    added.add_argument("--item", metavar="ID")
    added.add_argument("--file", type=Path, metavar="PATH", help="a picture, or an item's clip")
    added.add_argument("--model", nargs="+", metavar="VERSION", help="default: all versions")
    added.add_argument(
        "-k", type=at_least_one, default=5, help=f"how many results (5), at most {DEEPEST:,}"
    )
    add_keywords(added)


def _search(call: Namespace) -> Answer:
    collection, noted = opened(call), Findings()
    experiment = experiment_of(call, collection)
    versions = call.model or collection.under(experiment.protocol).versions
    table = searching.search(experiment, versions, min(call.k, DEEPEST), noted)
    if min(call.k, len(collection.items)) > DEEPEST:
        complain(f"note: -k {call.k:,}: a search prints {DEEPEST:,} results of a version at most")
    findings = noted.frame()
    complain_about(findings, ("error", "warning"))
    gone = unusable(collection) if call.model is None else []
    refused = (findings["level"] == "error").any()
    return table, WRONG if refused or gone else FINE


def experiment_of(call: Namespace, collection: Collection) -> Experiment:
    """The experiment of a search with a text, an item, or a file: a picture, or an item's own clip.
    A text beside a picture describes what the picture should find.

    Raises ValueError where none or several are given, DataError where one cannot be used.
    """
    text, item, picture = _searched(call, collection)
    return Experiment.of(
        collection,
        protocol=collection.protocols[0],
        groups=groups_of(call, collection),
        mapping_threshold=threshold_of(call, collection),
        queries=usual_queries(collection),
        text=text,
        item=item,
        picture=picture,
    )


def _searched(call: Namespace, collection: Collection) -> tuple[str, str, str]:
    """The text, the item and the fingerprint of the picture; empty where there is none."""
    text, file = call.text, call.file
    if text is not None and call.item is None and not is_visible(text):
        raise ValueError("the text is empty; type what you look for")
    if call.item is None and file is None and text is not None:
        return text.strip(), "", ""
    if call.item is not None and file is None and text is None:
        return "", searching.item_called(collection, call.item), ""
    if call.item is not None or file is None:
        raise ValueError(USAGE)
    own = searching.item_of_file(collection, file)
    if own and text is not None:
        raise ValueError(f"{file.name} is the item {own!r}, whose keywords count: leave TEXT out")
    if own:
        return "", own, ""
    return (text or "").strip(), "", searching.save_picture(file)
