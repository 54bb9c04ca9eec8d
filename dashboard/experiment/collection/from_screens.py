"""What readers of the screens may write into collections, where the operator allows it."""

from __future__ import annotations

import os

from dashboard.experiment.collection import checking
from dashboard.experiment.collection.collections import Collection
from dashboard.storage.versions import model_record

VARIABLE = "DASHBOARD_WRITE"
_YES = ("1", "yes", "true", "on")


def allowed() -> bool:
    """Whether the operator lets the screens write: by `DASHBOARD_WRITE=1`; not by itself."""
    return os.environ.get(VARIABLE, "").strip().lower() in _YES


def check_allowed() -> None:
    """Raise PermissionError where the operator does not let the screens write."""
    if not allowed():
        raise PermissionError(f"The operator of this dashboard has not set {VARIABLE}=1.")


def retrained(collection: Collection, *versions: str) -> list[str]:
    """Those versions whose vectors are not those on record."""
    models = [collection.searched[name] for name in versions if name in collection.searched]
    return [model.name for model in models if model_record.is_retrained(model)]


def renew_record(collection: Collection, version: str) -> None:
    """Record a version's vectors anew. Raises PermissionError, or DataError where they are those on
    record."""
    check_allowed()
    checking.renew_record(collection, version)
