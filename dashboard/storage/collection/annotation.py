"""`unified_annotation.csv`: which keywords of which semantic group an item carries.

Every form that teams have is read: groups with or without the `pv_` prefix, several keywords in a
cell, ids with or without the clip's extension, spans of longer videos, other people's paths (only
the file's name counts). Keywords are compared without case and blanks around them, in Unicode's NFC
form, without invisible letters; each is shown in its most frequent spelling. A cell that
holds a list as a program printed it is read as that list.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.letters import (
    escape,
    invisible_in,
    visible,
    without_invisible,
)
from dashboard.storage.collection.settings import COLLECTION, group_name
from dashboard.storage.files.limits import check_cells, check_number
from dashboard.storage.files.listings import Unreadable, elements, unquoted
from dashboard.storage.files.tables import named_columns, read_frame, unique_rows
from dashboard.tables import DataError, Findings, counted, listed

GROUPS: tuple[str, ...] = tuple(COLLECTION["groups"])
FILES = {
    "video_path": "file",
    "sensor_video_file": "file",
    "gif_path": "poster",
    "gif_file": "poster",
}
Numbers = npt.NDArray[np.int64]
OTHERS = ("span_start", "span_end", "category")
SEPARATORS = (";", "|", ",")
EXTENSIONS = re.compile(r"\.(mp4|mov|webm|mkv|avi|m4v|gif|png|jpe?g|webp|avif)$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Annotation:
    """`name` is the file, `keywords` the table KEYWORDS; `clips` has a row for each item: item_id,
    and where the file tells them file, poster, span_start, span_end (seconds), category.
    `item_lines` says where an item stood."""

    name: str
    keywords: pd.DataFrame
    clips: pd.DataFrame
    item_lines: dict[str, int]


def read_annotation(
    path: Path,
    groups: Sequence[str] = (),
    name: str = "",
    findings: Findings | None = None,
) -> Annotation:
    """The annotation in a CSV or Parquet file; `groups` names columns beyond the five known groups.

    Raises DataError naming the line: no slice_id, an id twice with different keywords, a broken
    row.
    """
    name, findings = name or path.name, findings if findings is not None else Findings()
    frame = read_frame(path, ["slice_id", *groups], name, findings)
    frame = named_columns(frame, ["slice_id", *FILES, *OTHERS], name, findings)
    if "slice_id" not in frame.columns:
        found = f"the columns {listed(frame.columns)}"
        raise DataError(name, found, "a column slice_id", line=1)
    if frame.empty:
        raise DataError(name, "a header and no rows", "at least one annotated item")
    columns = _group_columns(frame, groups, name)
    frame = _once(frame, columns, name, findings)
    for column in columns:
        check_cells(frame[column].drop_duplicates(), name)
    keywords = keywords_in(frame, columns, name, findings)
    check_number(keywords["keyword"].unique(), name)
    lines = dict(zip(frame["slice_id"].tolist(), frame.index.tolist(), strict=True))
    return Annotation(name, keywords, _clips(frame, name, findings), lines)


def keyword_key(keyword: str) -> str:
    """A keyword in the form that all its spellings share.

    >>> keyword_key("  Small   VEHICLE ")
    'small vehicle'
    """
    return " ".join(unicodedata.normalize("NFC", without_invisible(keyword)).split()).casefold()


def matched_ids(found: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """Each of `found` that names an item → the item's id: word for word, or without path and
    extension.

    >>> matched_ids(["a.mp4", "/home/x/b.mp4", "c"], ["a", "b", "d"])
    {'a.mp4': 'a', '/home/x/b.mp4': 'b'}
    """
    names = [name for name in found if name]
    if not names:
        return {}
    exact = set(known)
    matches = {name: name for name in names if name in exact}
    others = [name for name in names if name not in matches]
    if not others:
        return matches
    stems = list(map(_stem, known))
    times = Counter(stems)
    by_stem = {stem: item for stem, item in zip(stems, known, strict=True) if times[stem] == 1}
    matches |= {name: by_stem[stem] for name in others if (stem := _stem(name)) in by_stem}
    return {name: matches[name] for name in names if name in matches}


def file_name(path: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[\\/]", path)[-1]


def _stem(text: str) -> str:
    return EXTENSIONS.sub("", file_name(text) or text)


def _group_columns(frame: pd.DataFrame, groups: Sequence[str], name: str) -> dict[str, str]:
    """The columns that hold keywords → their group's name."""
    wanted = {*GROUPS, *map(group_name, groups)}
    columns: dict[str, str] = {}
    for column in map(str, frame.columns):
        group = group_name(column)
        if column.strip().lower().startswith("pv_") or group in wanted:
            if group in columns.values():
                raise DataError(
                    name, f"the group {group} in two columns", "each group once", line=1
                )
            columns[column] = group
    if not columns:
        raise _without_groups(list(map(str, frame.columns)), groups, name)
    return columns


def _without_groups(columns: Sequence[str], groups: Sequence[str], name: str) -> DataError:
    """The error for a file in which no column holds keywords, with the line to write."""
    own = [column for column in columns if column not in {"slice_id", *FILES, *OTHERS}]
    found = f"the columns {listed(columns)}"
    if groups:
        wanted = f"a column for a group that collection.toml names ({listed(groups)})"
        return DataError(name, found, wanted, line=1)
    wanted = "a column of keywords: its name begins with pv_, or collection.toml names it"
    example = json.dumps(own[:5] or ["colour"], ensure_ascii=False)
    return DataError(name, found, wanted, line=1, cure=f"Write there: groups = {example}")


def _once(
    frame: pd.DataFrame, columns: dict[str, str], name: str, findings: Findings
) -> pd.DataFrame:
    """Each item once: rows of an item with the same keywords become one, others are refused."""
    if not frame["slice_id"].duplicated().any():
        return unique_rows(frame, ["slice_id"], name, findings)
    second = frame.index[frame.duplicated(["slice_id", *columns])]
    if len(second):
        found = f"{counted(len(second), 'item')} again with the same keywords"
        findings.note(name, found, "each item once; kept once", int(second[0]))
        frame = frame.drop(index=second)
    return unique_rows(frame, ["slice_id"], name, findings)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells with something in them, column after column. Each text is looked at once, however many
    cells it stands in: `texts` are the different ones in order of appearance.

    text: which of them stands in each cell; row, column: where the cell is; line: in the file.
    """

    texts: list[str]
    text: Numbers
    row: Numbers
    column: Numbers
    line: Numbers

    @classmethod
    def of(cls, frame: pd.DataFrame, columns: Iterable[str]) -> _Cells:
        every = [frame[column] for column in columns]
        codes, texts = pd.factorize(pd.concat(every, ignore_index=True))
        column, row = np.divmod(np.arange(len(codes)), max(len(frame), 1))
        filled = (pd.Series(texts, dtype="str").str.strip() != "").to_numpy()
        there = np.flatnonzero(filled[codes])
        text, lines = (np.cumsum(filled) - 1)[codes[there]], frame.index.to_numpy()
        kept = pd.Series(texts, dtype="str")[filled].tolist()
        return cls(kept, text, row[there], column[there], lines[row[there]])

    def having(self, wanted: Iterable[bool]) -> Numbers:
        """The places of the cells with a text that is wanted. wanted: for each of `texts`."""
        return np.flatnonzero(np.fromiter(wanted, bool, len(self.texts))[self.text])


def keywords_in(
    frame: pd.DataFrame, columns: dict[str, str], name: str, findings: Findings
) -> pd.DataFrame:
    """The columns of KEYWORDS of the cells of a frame (index: lines; slice_id). columns: those with
    keywords → their group."""
    cells = _Cells.of(frame, columns)
    _note_invisible(cells, name, findings)
    listings = _listings(cells, name, findings)
    separator = _separator(cells, listings)
    _warn_of_other_separators(cells, listings, separator, name, findings)
    if separator != ",":
        findings.note(name, f"keywords separated by {separator}", "a comma; they were split there")
    split = [
        [unquoted(part) for part in text.split(separator)] if listing is None else listing
        for text, listing in zip(cells.texts, listings, strict=True)
    ]
    sizes = np.array(list(map(len, split)), dtype=np.int64)
    keywords, names = pd.factorize(np.array([part for parts in split for part in parts], object))
    keys = {keyword: keyword_key(keyword) for keyword in names.tolist()}
    key, plain = pd.factorize(np.array([keys[keyword] for keyword in names], dtype=object))
    many = sizes[cells.text]
    cell = np.repeat(np.arange(len(many)), many)
    within = np.arange(len(cell)) - np.repeat(np.cumsum(many) - many, many)
    keyword = keywords[(np.cumsum(sizes) - sizes)[cells.text[cell]] + within]
    named = np.array([text != "" for text in plain], dtype=bool)[key[keyword]]
    cell, keyword = cell[named], keyword[named]
    spelling = _spellings(np.bincount(keyword, minlength=len(names)), keys, name, findings)
    group, groups = pd.factorize(np.array(list(columns.values()), dtype=object))
    row, group = cells.row[cell], group[cells.column[cell]]
    item = pd.factorize(frame["slice_id"])[0][row]
    pair = (item * len(groups) + group) * len(plain) + key[keyword]
    repeated = pd.Series(pair).duplicated().to_numpy()
    if repeated.any():
        found = f"{counted(int(repeated.sum()), 'keyword')} repeated in a cell"
        findings.note(name, found, "each once; kept once")
    row, group, keyword = (each[~repeated] for each in (row, group, keyword))
    spelled = pd.Series([spelling.get(text, "") for text in plain], dtype="str")
    table = {
        "item_id": frame["slice_id"].take(row).reset_index(drop=True),
        "group": pd.Series(groups, dtype="str").take(group).reset_index(drop=True),
        "keyword": spelled.take(key[keyword]).reset_index(drop=True),
    }
    return pd.DataFrame(table)


def _note_invisible(cells: _Cells, name: str, findings: Findings) -> None:
    """Note the invisible letters in keywords, which are taken out."""
    letters = [invisible_in(text) for text in cells.texts]
    places = cells.having(map(bool, letters))
    found = [
        (int(line), letter)
        for line, text in zip(cells.line[places], cells.text[places], strict=True)
        for letter in letters[text]
    ]
    if found:
        kinds = listed(dict.fromkeys(escape(letter) for _, letter in found))
        lines = sorted({line for line, _ in found})
        said = f"{counted(len(found), 'invisible letter')} ({kinds}) in keywords of "
        said += f"{counted(len(lines), 'line')} ({listed(lines)})"
        findings.note(name, said, "none; they are taken out and count for nothing", lines[0])


def _listings(cells: _Cells, name: str, findings: Findings) -> list[list[str] | None]:
    """The elements of the list that each text is, None for a text that is none; adds a note.

    Raises DataError with the line of a list that cannot be read.
    """
    found: list[list[str] | None] = []
    for number, text in enumerate(cells.texts):
        try:
            found.append(elements(visible(text)))
        except Unreadable as why:
            cure = "Write keywords with commas between them: car, urban"
            said, wanted = f"{text[:60]!r}, {why}", "a whole list of keywords"
            line = int(cells.line[np.argmax(cells.text == number)])
            raise DataError(name, said, wanted, line=line, cure=cure) from why
    there = cells.having(each is not None for each in found)
    if len(there):
        first = cells.texts[cells.text[there[0]]][:60]
        said = f"a list in {counted(len(there), 'cell')}, such as {first}"
        wanted = "keywords with commas between them; each was read as the list that it is"
        findings.note(name, said, wanted, int(cells.line[there[0]]))
    return found


def _warn_of_other_separators(
    cells: _Cells,
    listings: Sequence[list[str] | None],
    separator: str,
    name: str,
    findings: Findings,
) -> None:
    """Warn of cells with another separator than the column; each counts as one keyword."""
    others = [mark for mark in SEPARATORS if mark != separator]
    odd = cells.having(
        listing is None and separator not in text and any(mark in text for mark in others)
        for text, listing in zip(cells.texts, listings, strict=True)
    )
    if len(odd):
        said = f"{counted(len(odd), 'cell')} with {' or '.join(others)} and no {separator}"
        said += f", such as {cells.texts[cells.text[odd[0]]][:60]}"
        wanted = f"keywords separated by {separator}, as in the other cells; each is one keyword"
        findings.warning(name, said, wanted, int(cells.line[odd[0]]))


def _separator(cells: _Cells, listings: Sequence[list[str] | None]) -> str:
    """Of `;`, `|` and the comma the one that most cells without a list have."""
    texts = list(zip(cells.texts, listings, strict=True))
    counts = {
        mark: len(cells.having(listing is None and mark in text for text, listing in texts))
        for mark in SEPARATORS
    }
    return most_frequent(counts)


def most_frequent(counts: Mapping[str, int]) -> str:
    """The separator that most cells have, of how many have each; the comma where none has one."""
    return max(counts, key=lambda mark: counts[mark]) if any(counts.values()) else ","


def _spellings(
    times: Numbers, keys: dict[str, str], name: str, findings: Findings
) -> dict[str, str]:
    """For each key its most frequent spelling, trimmed and in NFC. times: how often each keyword of
    `keys` stands in the file."""
    counts: dict[str, Counter[str]] = {}
    for (keyword, key), count in zip(keys.items(), times.tolist(), strict=True):
        if count:
            tidy = " ".join(unicodedata.normalize("NFC", visible(keyword)).split())
            counts.setdefault(key, Counter())[tidy] += count
    several = [key for key, found in counts.items() if len(found) > 1]
    if several:
        found = f"several spellings of {listed(several)}"
        findings.note(name, found, "one; compared without case, shown in the most frequent one")
    return {key: found.most_common(1)[0][0] for key, found in counts.items()}


def _clips(frame: pd.DataFrame, name: str, findings: Findings) -> pd.DataFrame:
    clips = pd.DataFrame({"item_id": frame["slice_id"]})
    for column, new in FILES.items():
        if column in frame.columns and new not in clips.columns:
            clips[new] = frame[column].map(file_name)
    for column in OTHERS:
        if column in frame.columns:
            seconds = column.startswith("span")
            clips[column] = _seconds(frame[column], name) if seconds else frame[column]
    if {"span_start", "span_end"} <= set(clips.columns):
        empty = clips.index[clips["span_end"] <= clips["span_start"]]
        if len(empty):
            found = f"a span that ends before it begins in {counted(len(empty), 'row')}"
            findings.warning(name, found, "an end after the start; shown whole", int(empty[0]))
            clips.loc[empty, ["span_start", "span_end"]] = float("nan")
    return clips.reset_index(drop=True)


def _seconds(cells: pd.Series, name: str) -> pd.Series:
    seconds = pd.to_numeric(cells, errors="coerce")
    wrong = cells.index[(cells.str.strip() != "") & (seconds.isna() | (seconds < 0))]
    if len(wrong):
        line = int(wrong[0])
        raise DataError(name, f"{cells.name} {cells[line]!r}", "seconds from 0", line=line)
    return seconds.astype("float64")
