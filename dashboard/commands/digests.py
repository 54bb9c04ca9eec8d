"""`python -m dashboard digests`: what models were made for and are on record as, and of today."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

import pandas as pd

from dashboard.commands.console import (
    FINDING,
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    opened,
    unusable,
)
from dashboard.storage.collection.collection import Collection
from dashboard.storage.versions.model_record import of_today, record, still_holds
from dashboard.storage.versions.versions import Model

ABOUT = "compare the models with their recorded fingerprints; --write records missing ones"
SAME, OTHER, NONE = "same", "other", "not recorded"


def add_to(command: Command) -> None:
    """Enter the command `digests`."""
    added = command("digests", _digests, ABOUT)
    add_collection(added)
    text = "record fingerprints in each model.toml without any; use it for new models only"
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
    known = collection.digests
    rows = [
        (model.name, key, str(model.settings[key]), today, _state(model, key, today, known))
        for model in collection.models.values()
        for key, today in of_today(model, known).items()
    ]
    columns = ["version", "key", "recorded", "today", "state"]
    return pd.DataFrame(rows, columns=columns, dtype="str")


def _state(model: Model, key: str, today: str, collection: Mapping[str, str]) -> str:
    recorded = str(model.settings[key])
    if not recorded:
        return NONE
    return SAME if still_holds(key, recorded, today, collection) else OTHER
