"""What the versions are worth, counted from the committed files alone, as Markdown tables."""

from __future__ import annotations

from pathlib import Path

from drawings.measuring import captions, composed, context, hashes


def tables(data: Path) -> str:
    """The table of every collection, each under its folder's name."""
    made = {
        "openmoji_composed": composed.table,
        "openmoji_captions": captions.table,
        "openmoji_hashes": hashes.table,
        "digits_hashes": hashes.table,
        "openmoji_context": context.table,
    }
    return "\n\n".join(f"{name}\n\n{table(data / name)}" for name, table in made.items())
