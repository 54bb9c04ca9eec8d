"""The committed lists that people saw, in which one caption is hostile."""

from __future__ import annotations

import shutil
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "data" / "openmoji_context"
HOSTILE = '"<img src=x onerror=document.title=1>\u202eend"'
FIRST = "1F99E"  # the first picture of list l001


def build(folder: Path) -> None:
    """Copy the collection, with that caption for the first picture."""
    shutil.copytree(SOURCE, folder)
    rows = (folder / "items.csv").read_text(encoding="utf-8").splitlines()
    named = next(row for row in rows if row.startswith(f"{FIRST},"))
    cells = named.split(",")
    spoilt = ",".join([*cells[:4], HOSTILE, *cells[5:]])
    text = "\n".join(spoilt if row == named else row for row in rows)
    (folder / "items.csv").write_text(text + "\n", encoding="utf-8")
