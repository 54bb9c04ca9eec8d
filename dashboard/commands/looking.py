"""`python -m dashboard check` and `keywords`: what is in a collection and how it is read."""

from __future__ import annotations

from argparse import Namespace

from dashboard.commands import answers
from dashboard.commands.console import (
    FINDING,
    FINE,
    Answer,
    Command,
    add_collection,
    opened,
)
from dashboard.commands.experiments import add_keywords, threshold_of


def add_check(command: Command) -> None:
    """Enter the command `check`."""
    about = "check a collection: what is missing, repaired or unusable"
    add_collection(command("check", _check, about))


def _check(call: Namespace) -> Answer:
    table = answers.check(call.collection)
    return table, FINDING if (table["level"] == "error").any() else FINE


def add_keywords_of(command: Command) -> None:
    """Enter the command `keywords`."""
    added = command("keywords", _keywords, "the keywords that a text is mapped to")
    add_collection(added)
    added.add_argument("text", nargs="?", metavar="TEXT")
    what = added.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="map and store all text queries")
    text = "write a vocabulary.toml to edit, where there is none"
    what.add_argument("--draft", action="store_true", help=text)
    add_keywords(added, groups=False)


def _keywords(call: Namespace) -> Answer:
    collection = opened(call)
    if call.draft:
        return answers.draft_vocabulary(collection), FINE
    threshold = threshold_of(call, collection)
    if call.write:
        return answers.write_keywords(collection, threshold), FINE
    mapped = answers.mapped_text(collection, call.text or "", threshold)
    return mapped[["ngram", "keyword", "group", "score", "kept"]], FINE
