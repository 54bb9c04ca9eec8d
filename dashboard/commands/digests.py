"""`python -m dashboard digests`: what models were made for and are on record as, and of today."""

from __future__ import annotations

from argparse import Namespace

import pandas as pd

from dashboard.commands.said import (
    FINDING,
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    opened,
    unusable,
)
from dashboard.storage.collection import Collection
from dashboard.storage.recorded import of_today, record

ABOUT = "whether models are those on record, made for today's gallery; --write puts that down"
SAME, OTHER, NONE = "same", "other", "not recorded"


def add_to(command: Command) -> None:
    """Enter the command `digests`."""
    added = command("digests", _digests, ABOUT)
    add_collection(added)
    text = "record today's in the model.toml of models that have none; of models just made only"
    added.add_argument("--write", action="store_true", help=text)


def _digests(call: Namespace) -> Answer:
    collection = opened(call)
    if call.write:
        for model in collection.models.values():
            record(model, collection.digests)
        collection = opened(call)
    table = digests(collection)
    if unusable(collection):
        return table, WRONG
    return table, FINDING if (table["state"] == OTHER).any() else FINE


def digests(collection: Collection) -> pd.DataFrame:
    """The fingerprints on record and today's: version, key, recorded, today, state."""
    rows = [
        (model.name, key, str(model.settings[key]), today)
        for model in collection.models.values()
        for key, today in of_today(model, collection.digests).items()
    ]
    table = pd.DataFrame(rows, columns=["version", "key", "recorded", "today"], dtype="str")
    state = [
        NONE if not recorded else SAME if recorded == today else OTHER
        for recorded, today in zip(table["recorded"], table["today"], strict=True)
    ]
    return table.assign(state=pd.Series(state, index=table.index, dtype="str"))
