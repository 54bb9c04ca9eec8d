"""`python -m dashboard reviews`: copies of the store of reviews, whether it is whole, and what
reviewers said of a collection."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pandas as pd

from dashboard.commands.console import FINDING, FINE, Answer, Command, opened
from dashboard.experiment import reviewing

ABOUT = "backup FILE, restore FILE, verify [FILE], or export COLLECTION: the reviewers' verdicts"
_NEEDS = {"backup": "the new file", "restore": "a copy", "export": "a collection"}


def add_reviews(command: Command) -> None:
    """Enter the command `reviews`."""
    parser = command("reviews", _reviews, ABOUT)
    parser.add_argument("action", choices=("backup", "restore", "verify", "export"))
    parser.add_argument("subject", nargs="?", metavar="FILE | COLLECTION", default="")
    parser.add_argument(
        "--history", action="store_true", help="export: replaced and withdrawn reviews, too"
    )


def _reviews(call: Namespace) -> Answer:
    action, subject = call.action, call.subject
    if call.history and action != "export":
        raise ValueError("--history is of export: reviews export COLLECTION --history")
    if action in _NEEDS and not subject:
        raise ValueError(f"reviews {action} needs {_NEEDS[action]}: reviews {action} NAME")
    if action == "export":
        call.collection = subject
        return reviewing.all_reviews(opened(call), history=call.history), FINE
    if action == "verify":
        rows = pd.DataFrame(reviewing.verify(Path(subject) if subject else None))
        return rows, FINE if (rows["state"] == "ok").all() else FINDING
    work = {"backup": reviewing.backup, "restore": reviewing.restore}[action]
    return pd.DataFrame({"file": [subject], "reviews": [work(Path(subject))]}), FINE
