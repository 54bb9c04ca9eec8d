"""The record beside a run, `runs/NAME.json`: how a search service was asked for it, how long it
took, and which queries have no answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dashboard.storage.collection.settings import fits
from dashboard.storage.files.contents import read_text
from dashboard.tables import DataError, Findings

SUFFIX = ".json"


@dataclass(frozen=True)
class RunRecord:
    """search: what was asked. fingerprint: of its settings. depth: results that were asked for.
    p50_ms, p95_ms: milliseconds of an answer. not_run: query_id → why it has no answer."""

    search: str = ""
    fingerprint: str = ""
    date: str = ""
    note: str = ""
    depth: int = 0
    queries: int = 0
    answered: int = 0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    not_run: Mapping[str, str] = field(default_factory=dict)

    def values(self) -> dict[str, Any]:
        """The keys of the file, the table last."""
        return asdict(self)

    def sentence(self) -> str:
        """How many queries were answered, and how quickly."""
        of = f"{self.answered:,} of {self.queries:,} queries"
        took = f"p50 {self.p50_ms:,.1f} ms, p95 {self.p95_ms:,.1f} ms"
        return f"{of}, {took} (half, and 95 %, of its answers took no longer)"


def place_of(run: Path) -> Path:
    """The place of the record beside a run's file."""
    bare = run.with_suffix("") if run.suffix.lower() == ".gz" else run
    return bare.with_suffix(SUFFIX)


def read_record(run: Path) -> RunRecord | None:
    """The record beside a run; None where there is none.

    Raises DataError where it cannot be read: which queries count is not known then.
    """
    path = place_of(run)
    if not path.is_file():
        return None
    name, usual = f"runs/{path.name}", RunRecord().values()
    try:
        found = json.loads(read_text(path, name, Findings()))
        whole = found.keys() == usual.keys() and all(fits(found[k], usual[k]) for k in usual)
    except (ValueError, RecursionError, AttributeError):
        whole = False
    if not whole or not all(isinstance(reason, str) for reason in found["not_run"].values()):
        wanted = f"an object with {', '.join(usual)}"
        raise DataError(name, "no record of a run", wanted, cure="Run it again, or remove both.")
    return RunRecord(**found)


def write_record(path: Path, record: RunRecord) -> None:
    """Write a record into a file."""
    text = json.dumps(record.values(), ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", errors="replace")
