"""`python -m dashboard check` and `digests`: faults of files, and which models are on record."""

from __future__ import annotations

from argparse import Namespace

from dashboard.commands.console import (
    FINDING,
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain,
    complain_about,
    opened,
    unusable,
)
from dashboard.experiment.collection import catalogue, checking

ABOUT_DIGESTS = "compare the models with their recorded fingerprints; --write records missing ones"


def add_check(command: Command) -> None:
    """Enter the command `check`."""
    about = "check a collection: what is missing, repaired or unusable"
    add_collection(command("check", _check, about))


def _check(call: Namespace) -> Answer:
    table = checking.check(call.collection)
    for sentence in catalogue.hidden_by(call.collection):
        complain(sentence)
    if table.empty:
        complain("nothing is missing, and nothing was repaired or left out")
    return table, FINDING if (table["level"] == "error").any() else FINE


def add_digests(command: Command) -> None:
    """Enter the command `digests`."""
    added = command("digests", _digests, ABOUT_DIGESTS)
    add_collection(added)
    text = "record fingerprints in each model.toml without any; use it for new models only"
    added.add_argument("--write", action="store_true", help=text)
    text = "record a version's vectors anew that was trained again under its old name"
    added.add_argument("--renew", metavar="VERSION", help=text)


def _digests(call: Namespace) -> Answer:
    collection = opened(call)
    if call.renew:
        collection = checking.renew_record(collection, call.renew)
    if call.write:
        collection = checking.record_fingerprints(collection)
        complain_about(collection.findings, ("error", "warning"))
    table = checking.fingerprints(collection)
    if unusable(collection):
        return table, WRONG
    return table, FINDING if (table["state"] == checking.OTHER).any() else FINE
