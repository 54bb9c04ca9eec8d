"""`python -m dashboard prepare`: what screens show first, computed before anybody opens them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
from tqdm import tqdm

from dashboard.commands.console import (
    FINDING,
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain,
    opened,
    resumed_later,
    unusable,
)
from dashboard.commands.output import one_line
from dashboard.experiment import memory, preparing
from dashboard.experiment.collection.collections import Collection
from dashboard.progress import Listener
from dashboard.tables import DataError

ABOUT = "compute what the screens of a collection show first; resumes where it was stopped"


def add_prepare(command: Command) -> None:
    """Enter the command `prepare`."""
    add_collection(command("prepare", _prepare, ABOUT))


def _prepare(call: Namespace) -> Answer:
    with resumed_later():
        return _prepared(opened(call))


def _prepared(collection: Collection) -> Answer:
    every, rows = list(preparing.steps(collection)), []
    code = WRONG if unusable(collection) else FINE
    with tqdm(every, unit=" steps", disable=None, dynamic_ncols=True) as bar:  # none in a log file
        memory.announce_by(_beside(bar))
        try:
            for step in bar:
                bar.set_description(one_line(f"{step.protocol} {step.what}".strip()))
                try:
                    done = step.run()
                except DataError as problem:
                    complain(problem)
                    done, code = str(problem), WRONG
                rows.append((step.protocol or None, step.what, done))
        finally:
            memory.announce_by(memory.silently)
    if code == FINE and any(done == preparing.UNWRITTEN for *_, done in rows):
        code = FINDING
    return pd.DataFrame(rows, columns=["protocol", "what", "state"]), code


def _beside(bar: tqdm) -> memory.Announcing:
    @contextmanager
    def announcing(work: str) -> Iterator[Listener]:
        yield lambda part, done, total: bar.set_postfix_str(f"{part} {done / max(total, 1):.0%}")

    return announcing
