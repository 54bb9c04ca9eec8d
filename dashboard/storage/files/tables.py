"""A file of any tabular format → a checked table.

A frame's index is the line of the file that a row stood in, so that every later sentence about a
row can name its line. All cells are text, byte for byte: `007`, `NA` and `1e5` are ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dashboard.ids import are_plain
from dashboard.letters import escaped, invisible_in, skeleton, visible
from dashboard.storage.files.contents import read_text, suffix
from dashboard.storage.files.delimited import BLANKS, read_delimited
from dashboard.storage.files.json_lines import read_json_lines
from dashboard.storage.files.limits import check_ids
from dashboard.storage.files.parquet import read_parquet
from dashboard.tables import DataError, Findings, Table, counted, listed


def read_table(
    path: Path, table: Table, name: str = "", findings: Findings | None = None
) -> pd.DataFrame:
    """The rows of a file as `table` declares them, checked; the index is the line in the file.

    Raises DataError naming the file and the line: a missing column, an empty id, an id twice.
    Rows repeated word for word are kept once, with a note.
    """
    name = name or path.name
    findings = findings if findings is not None else Findings()
    needed = [column for column in table.columns if column not in table.optional]
    frame = read_frame(path, needed, name, findings)
    frame = named_columns(frame, list(table.columns), name, findings)
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        found = f"the columns {listed(frame.columns)}"
        raise DataError(name, found, f"a column {' and a column '.join(missing)}", line=1)
    frame = unique_rows(frame, table.key, name, findings)
    lines = frame.index
    checked = table.check(frame.reset_index(drop=True), name)
    return checked.set_axis(lines)


def read_frame(path: Path, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    """All columns of a file as text, indexed by line. `needed` helps to find the delimiter."""
    read = READERS.get(suffix(path), _delimited)
    return _visible_columns(read(path, needed, name, findings), name, findings)


def _delimited(path: Path, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    return read_delimited(read_text(path, name, findings), needed, name, findings)


def _json_lines(path: Path, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    return read_json_lines(read_text(path, name, findings), name)


def _parquet(path: Path, needed: Sequence[str], name: str, findings: Findings) -> pd.DataFrame:
    return read_parquet(path, name)


READERS = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
}
"""The reader of each extension. Runs and judgements may have each of them."""


def _visible_columns(frame: pd.DataFrame, name: str, findings: Findings) -> pd.DataFrame:
    """The frame, invisible letters removed from its column names, with a note."""
    new = {c: plain for c in map(str, frame.columns) if (plain := visible(c)) != c}
    if not new:
        return frame
    letters = sum(len(invisible_in(column)) for column in new)
    found = f"{counted(letters, 'invisible letter')} in the header ({listed(map(escaped, new))})"
    findings.note(name, found, f"{listed(new.values())}; read as that", 1)
    renamed = frame.rename(columns=new)
    twice = renamed.columns[renamed.columns.duplicated()]
    if len(twice):
        raise DataError(name, f"the column {twice[0]} twice", "each column once", line=1)
    return renamed


def named_columns(
    frame: pd.DataFrame, wanted: Sequence[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The frame with columns that differ from a wanted one only by case or blanks renamed to it."""
    plain = {column: str(column).strip().lower() for column in frame.columns}
    new = {c: p for c, p in plain.items() if c != p and p in wanted and p not in frame.columns}
    if new:
        findings.note(name, f"the column {listed(new)}", f"{listed(new.values())}; read as that", 1)
    renamed = frame.rename(columns=new)
    twice = renamed.columns[renamed.columns.duplicated()]
    if len(twice):
        raise DataError(name, f"the column {twice[0]} twice", "each column once", line=1)
    return renamed


def _warn_of_alike_ids(ids: pd.Series, column: str, name: str, findings: Findings) -> None:
    """Warn of ids that hold invisible letters, or look like another id."""
    if are_plain(ids):
        return
    odd = [not (each.isascii() and each.isprintable()) for each in ids]
    hidden = ids[odd][[bool(invisible_in(each)) for each in ids[odd]]]
    if len(hidden):
        named = listed(escaped(each) for each in dict.fromkeys(hidden))
        found = f"{counted(len(hidden), 'value')} of {column} with invisible letters ({named})"
        wanted = "letters that are seen; ids are compared byte for byte, so they stay as they are"
        findings.warning(name, found, wanted, int(hidden.index[0]))
    unlike = dict.fromkeys(ids[[not each for each in odd]])
    several = dict.fromkeys(ids[odd])
    first: dict[str, str] = {}
    for each in [*unlike, *several]:
        other = first.setdefault(skeleton(each), each)
        if other != each:
            line = int(ids.index[ids == each][0])
            found = f"the {column} {escaped(each)}, which looks like {escaped(other)}"
            findings.warning(name, found, "one of the two, or ids that differ to the eye", line)
            return


def unique_rows(
    frame: pd.DataFrame, key: Sequence[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The frame with trimmed ids, without repeated rows, its keys unique."""
    for column in key:
        trimmed = frame[column].str.strip(BLANKS)
        changed = frame.index[trimmed != frame[column]]
        if len(changed):
            found = f"blanks around {counted(len(changed), 'value')} of {column}"
            findings.note(name, found, "none; they were trimmed", int(changed[0]))
            frame = frame.assign(**{column: trimmed})
        check_ids(frame[column], name)
        _warn_of_alike_ids(trimmed, column, name, findings)
        blank = frame.index[trimmed == ""]
        if len(blank):
            where = f" (lines {listed(blank)})" if len(blank) > 1 else ""
            raise DataError(name, f"an empty {column}{where}", f"a {column}", line=int(blank[0]))
    if not frame.duplicated(list(key)).any():
        return frame
    repeated = frame.duplicated()
    if repeated.any():
        first = int(frame.index[repeated][0])
        found = counted(int(repeated.sum()), "repeated row")
        findings.note(name, found, "each row once; kept once", first)
        frame = frame[~repeated]
    second = frame.index[frame.duplicated(list(key))]
    if len(second):
        row = frame.loc[second[0]]
        first = frame.index[(frame[list(key)] == row[list(key)]).all(axis=1)][0]
        values = " and ".join(f"{column} {row[column]!r}" for column in key)
        found = f"{values} again (lines {first} and {second[0]})"
        raise DataError(name, found, "each only once", line=int(second[0]))
    return frame
