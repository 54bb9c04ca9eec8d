"""Rows printed as a table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.errors import make_printable
from dashboard.storage.drafts import write_file
from dashboard.texts import write_number

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.tables import Names, Rows, Texts

FORMATS = ("table", "csv", "json")
SIGNS = re.compile(r"[`|]|\*(?=\w)|(?<=\w)\*|<(?=[a-z/!])|\b_|_\b|\[(?=[^]]*]\()", re.IGNORECASE)
"""What Markdown takes for its own in a line."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_rows(rows: Rows, columns: Names, form: str) -> str:
    """Return rows as a text; JSON is one array with a row a line, null for a missing value."""
    if form == "json":
        picked = ({column: row.get(column) for column in columns} for row in rows)
        lines = [json.dumps(row, allow_nan=False) for row in picked]
        return "[" + ",".join(f"\n{line}" for line in lines) + ("\n]\n" if lines else "]\n")
    if form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(map(row.get, columns) for row in rows)  # "" for None
        return text.getvalue()
    table = [[*columns], *([format_cell(row.get(column)) for column in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    padded = (map(str.ljust, line, widths) for line in table)
    return "".join("  ".join(line).rstrip() + "\n" for line in padded)


def clean_cell(text: str) -> str:
    r"""Return a text on one line that Markdown shows letter by letter.

    >>> clean_cell("<i> *z* a_b _c_ p < 0.1")
    '\\<i> \\*z\\* a_b \\_c\\_ p < 0.1'
    """
    return SIGNS.sub(r"\\\g<0>", " ".join(text.split()))


def protect_rows(rows: Rows) -> Rows:
    """Return rows of which no spreadsheet takes a cell for a formula."""
    return [
        {
            key: f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
            for key, cell in row.items()
        }
        for row in rows
    ]


@contextmanager
def draw_bar(unit: str) -> Iterator[Callable[..., None]]:
    """Draw how far a work has come; yield `(done, total, what)`, which draws it anew."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    with tqdm(unit=f" {unit}", disable=None) as bar:

        def show(done: int, total: int, what: str = "") -> None:
            bar.set_description(what, refresh=False)
            bar.total, bar.n = total, done
            bar.refresh()

        yield show


def replace_file(path: Path, content: bytes) -> None:
    """Write a file at once; raise ValueError where it cannot be one."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder. Name a file in it.")
    if not path.parent.is_dir():
        raise ValueError(f"{path.parent} is no folder; make it first.")
    write_file(path, content)


def say(text: str) -> None:
    """Print a line beside the rows, without characters that act on a terminal."""
    print(make_printable(text), file=sys.stderr)


def say_each(level: str, told: Iterable[object]) -> None:
    """Print some notes, warnings or errors, a line each."""
    for each in told:
        say(f"{level}: {each}")


def list_values(collection: Collection, version: str, baseline: str = "") -> Texts:
    """Return what addresses the comparison of a new version with a baseline, or the usual one."""
    from dashboard.storage.versions import order_versions

    others = [name for name in order_versions(collection.versions) if name != version]
    usual = baseline or collection.settings.get("default_baseline")
    first = usual if usual in others else "".join(others[:1])
    values = {"collection": collection.name, "baseline": first, "candidate": version}
    return {key: value for key, value in values.items() if value}


def say_where(collection: Collection, version: str, baseline: str = "") -> None:
    """Print the address at which a new version is compared, usually with the usual baseline."""
    from urllib.parse import urlencode

    values = list_values(collection, version, baseline)
    page = "compare" if "baseline" in values else ""
    address = f"http://localhost:8501/{page}?{urlencode(values)}"
    say(f"{version} is a version of {collection.name} now: {address}")


def format_cell(cell: object) -> str:
    """Return the text of a cell of a table."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return write_number(cell)
    return make_printable(str(cell))
