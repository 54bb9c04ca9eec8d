"""`python -m dashboard keywords`: which keywords a text is mapped to."""

from __future__ import annotations

from argparse import Namespace

from dashboard.commands.console import FINE, Answer, Command, add_collection, opened
from dashboard.commands.experiments import add_keywords, threshold_of
from dashboard.experiment.collection import mapping


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
        return mapping.draft_vocabulary(collection), FINE
    threshold = threshold_of(call, collection)
    if call.write:
        return mapping.write_keywords(collection, threshold), FINE
    mapped = mapping.mapped_text(collection, call.text or "", threshold)
    return mapped[["ngram", "keyword", "group", "score", "kept"]], FINE
