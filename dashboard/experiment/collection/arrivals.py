"""What has arrived in a collection since a page was drawn: versions and mended files.

All pages of a server share one look at a folder. What differs counts once two looks have seen the
same: a file that is still being copied is not announced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.experiment.collection.collections import state_of
from dashboard.experiment.memory import is_remembered, remembered
from dashboard.storage.collection.digests import stamp, stamps
from dashboard.storage.versions.versions import run_files
from dashboard.tables import Findings, natural

LOOK = 1.0
"""Seconds for which a look at a folder counts for all pages."""
MOST = 256
"""States of pages that are remembered."""
_before: dict[str, str] = {}


@dataclass(frozen=True)
class Arrivals:
    """What differs from the state that a page was drawn from: new versions, versions whose files
    were written again, versions that are gone, and other files. known: whether this server knows
    that state; else it cannot tell what differs."""

    state: str
    new: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    known: bool = True


def drawn_from(name: str) -> str:
    """The stamp of the files that a page of the collection is drawn from, which is remembered."""
    folder, state = state_of(name)
    _drawn(str(folder), state)
    return state


def since(name: str, state: str) -> Arrivals | None:
    """What has arrived since a page was drawn from a state; None while files are being written.

    Raises DataError where there is no such collection.
    """
    folder = str(state_of(name)[0])
    now = _look(folder)
    if now is None:
        return None
    if now[0] == state:
        return Arrivals(state)
    then = _drawn(folder, state) if is_remembered(_drawn, folder, state) else None
    return Arrivals(now[0], known=False) if then is None else _compared(now[0], then, now[1])


@remembered(MOST)
def _drawn(folder: str, state: str) -> Mapping[str, str] | None:
    """The parts of a state; None where something was written meanwhile."""
    parts = _parts(Path(folder))
    return parts if stamp(Path(folder)) == state else None


@remembered(64, seconds=LOOK)
def _look(folder: str) -> tuple[str, Mapping[str, str]] | None:
    state = stamp(Path(folder))
    settled = _before.get(folder, state) == state
    _before[folder] = state
    return (state, _parts(Path(folder))) if settled else None


def _parts(folder: Path) -> dict[str, str]:
    """The stamps of versions, by `/` and their names, and of other files by theirs."""
    runs = sorted(run_files(folder / "runs", Findings()), key=len, reverse=True)
    parts: dict[str, str] = {}
    for path, written in stamps(folder).items():
        place, _, name = path.partition("/")
        if place == "runs":  # the file of a run, and those beside it
            name = next((run for run in runs if name.startswith(f"{run}.")), name)
        part = f"/{name}" if name else path
        parts[part] = parts.get(part, "") + written
    return parts


def _compared(state: str, then: Mapping[str, str], now: Mapping[str, str]) -> Arrivals:
    def names(parts: set[str], version: bool) -> tuple[str, ...]:
        chosen = [part.removeprefix("/") for part in parts if part.startswith("/") is version]
        return tuple(sorted(chosen, key=natural))

    new, gone = now.keys() - then.keys(), then.keys() - now.keys()
    rewritten = {part for part in now.keys() & then.keys() if now[part] != then[part]}
    return Arrivals(
        state,
        names(new, True),
        names(rewritten, True),
        names(gone, True),
        names(new | gone | rewritten, False),
    )
