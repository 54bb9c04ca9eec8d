"""A folder of pictures or clips, with or without tables that describe them; tables alone, too.

Also Hugging Face's image and video folders: `metadata.csv`, `.jsonl` or `.parquet` with a column
`file_name`, one folder a class, `train/` and `test/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from dashboard.storage.collection.annotation import keyword_key, keywords_in
from dashboard.storage.collection.settings import group_name
from dashboard.storage.sources.content import (
    CAPTION_COLUMNS,
    ITEM_COLUMNS,
    KEYWORD_COLUMNS,
    Content,
    Detected,
    Reader,
    Rows,
    empty,
)
from dashboard.storage.sources.listing import Listing, ending, is_media, kind_of, parent, stem
from dashboard.storage.sources.tables import (
    PLAIN,
    SPLITS,
    TABLES,
    TRUE,
    Roles,
    SourceTable,
    check_columns,
    file_named,
    left_out,
    names_of_files,
    read_source_table,
    roles_of,
)
from dashboard.tables import KEYWORDS, DataError, Findings, counted, listed

GENERAL = {"images", "image", "imgs", "img", "pictures", "photos", "videos", "video", "clips",
           "media", "data", "files", "jpg", "jpeg", "png", "posters", "gifs", "raw", "all",
           "dataset", "thumbnails"}  # fmt: skip
"""Names of folders that are no class."""
VECTORS = {"embedding", "embeddings", "vector", "vectors", "emb", "feature", "features", "items"}
"""Names of columns and files that name no version."""


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """The pictures, clips and tables of a source."""
    media = [name for name in files if is_media(name)]
    tables = [name for name in files if ending(name) in TABLES]
    if not media and not tables:
        return None
    clips = sum(kind_of(name) == "video" for name in media)
    kinds = (clips, "clip"), (len(media) - clips, "picture"), (len(tables), "table")
    what = ", ".join(counted(number, word) for number, word in kinds if number)
    return Detected((*media, *tables), what)


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The items, labels, captions and vectors of the files."""
    content = Content()
    tables = []
    for name in detected.files:
        if not is_media(name):
            try:
                tables.append(read_source_table(listing, name))
            except DataError as problem:
                content.problems.append(f"left out: {problem}")
    check_columns(columns, tables)
    tables = [without(table, left_out(columns)) for table in tables]
    media = [name for name in detected.files if is_media(name)]
    files = names_of_files(media) if tables else {}
    gathered = _Gathered()
    for table in tables:
        roles = roles_of(table, files, columns)
        _gather(table, roles, files, gathered, content)
    posters = _posters(media, gathered)
    _add_files([name for name in media if name not in posters], gathered, bool(tables), content)
    _fill(gathered, content)
    if not tables or content.keywords.empty:
        _add_classes(content)
    _note_folders(content)
    return content


def without(table: SourceTable, columns: Sequence[str]) -> SourceTable:
    """A table without some columns."""
    cells = table.cells.drop(columns=[each for each in columns if each in table.cells.columns])
    vectors = {name: array for name, array in table.vectors.items() if name not in columns}
    return SourceTable(table.name, cells, vectors)


@dataclass(eq=False)
class _Gathered:
    """What tables say: item → its cells; file → item; labels as long rows; posters' files."""

    items: dict[str, dict[str, str]] = field(default_factory=dict)
    by_file: dict[str, str] = field(default_factory=dict)
    labels: list[pd.DataFrame] = field(default_factory=list)
    captions: dict[tuple[str, str], None] = field(default_factory=dict)
    posters: set[str] = field(default_factory=set)


def _gather(
    table: SourceTable,
    roles: Roles,
    files: Mapping[str, str],
    gathered: _Gathered,
    content: Content,
) -> None:
    """Add the rows of a table that describe items."""
    cells, folder = table.cells, parent(table.name)
    if not files and not cells.empty and not {"item_id", "file"} & set(roles.of):
        numbers = [f"{stem(table.name)}#{line}" for line in cells.index]
        cells = cells.assign(item_id=numbers)
        guessed = (*roles.guessed, "item_id: the line of each row")
        roles = replace(roles, of={**roles.of, "item_id": "item_id"}, guessed=guessed)
    if not {"item_id", "file"} & set(roles.of) or cells.empty:
        content.problems.append(
            f"left out: {table.name} ({listed(cells.columns) or 'no columns'}): no column names "
            "items or files; name one with --map item_id=COLUMN"
        )
        return
    named = [
        file_named(cell, files, folder)
        for cell in cells[roles.of.get("file", roles.of.get("item_id"))]
    ]
    if "item_id" in roles.of:
        ids = cells[roles.of["item_id"]].str.strip().tolist()
        if "file" not in roles.of:
            named = [file_named(cell, files, folder) for cell in ids]
    else:
        given = cells[roles.of["file"]].str.strip().tolist()
        ids = [file or cell for file, cell in zip(named, given, strict=True)]
    ids = [gathered.by_file.get(file, item) for item, file in zip(ids, named, strict=True)]
    plain = {ours: cells[column].tolist() for ours, column in roles.of.items() if ours in PLAIN}
    known = {column for column in (*roles.of.values(), *roles.labels, *roles.hot)}
    others = {c: cells[c].tolist() for c in cells.columns if c not in known}
    posters = cells[roles.of["poster"]].tolist() if "poster" in roles.of else [""] * len(ids)
    lost = set()
    for row, (item, file) in enumerate(zip(ids, named, strict=True)):
        if not item:
            continue
        own = gathered.items.setdefault(item, {})
        if file:
            own.setdefault("file", file)
            gathered.by_file.setdefault(file, item)
        elif "file" in roles.of and files:
            lost.add(item)
            if kind := kind_of(cells[roles.of["file"]].iloc[row]):
                own.setdefault("kind", kind)
        if poster := file_named(posters[row], files, folder):
            own.setdefault("poster", poster)
            gathered.posters.add(poster)
        for name, values in {**others, **plain}.items():
            if values[row].strip():
                own.setdefault(name, values[row])
    lost = {item for item in lost if "file" not in gathered.items[item]}
    if lost:
        content.problems.append(
            f"{table.name}: {counted(len(lost), 'row')} of files that are not there "
            f"({listed(sorted(lost))}); kept as items without a picture"
        )
    _gather_captions(cells, roles, ids, gathered)
    labels = _labels_of(cells, roles, ids, table.name, content)
    if len(labels):
        gathered.labels.append(labels)
    _gather_vectors(table, ids, content)
    if roles.maybe:
        some = listed(f"{column} ({number:,} values)" for column, number in roles.maybe.items())
        first = next(iter(roles.maybe))
        content.problems.append(
            f"{table.name}: not taken for labels: {some}; to judge by one, take it for keywords: "
            f"--map {group_name(first.strip().lower())}={first}"
        )
    told = {each.partition(":")[0] for each in roles.guessed}
    said = [f"{o}: {c}" for o, c in roles.of.items() if c.lower() != o and o not in told]
    content.note("items.csv", len(set(ids)), table.name, "; ".join([*said, *roles.guessed]))


def _gather_captions(
    cells: pd.DataFrame, roles: Roles, ids: Sequence[str], gathered: _Gathered
) -> None:
    if "caption" not in roles.of:
        return
    for item, cell in zip(ids, cells[roles.of["caption"]], strict=True):
        if item and cell.strip():
            gathered.captions[item, cell.strip()] = None


def _labels_of(
    cells: pd.DataFrame, roles: Roles, ids: Sequence[str], name: str, content: Content
) -> pd.DataFrame:
    """The labels in a table: item_id, group, keyword, and the table's name."""
    frame = pd.DataFrame({"slice_id": ids}, index=cells.index)
    for column in roles.labels:
        frame[column] = cells[column]
    parts = []
    findings = Findings()
    if roles.labels:
        groups = {column: group_name(group) for column, group in roles.labels.items()}
        parts.append(KEYWORDS.check(keywords_in(frame, groups, name, findings), name))
    found = findings.frame()
    content.problems += [f"{name}: {each}" for each in found[found["level"] == "warning"]["found"]]
    for column in roles.hot:
        there = cells[column].str.strip().str.lower().isin(TRUE).to_numpy()
        chosen = frame["slice_id"][there].tolist()
        hot = pd.DataFrame({"item_id": chosen, "group": "pv_labels", "keyword": column})
        parts.append(hot)
    if not parts:
        return empty(KEYWORD_COLUMNS)
    labels = pd.concat(parts, ignore_index=True).drop_duplicates(ignore_index=True)
    return labels[labels["item_id"] != ""].assign(table=name)


def _gather_vectors(table: SourceTable, ids: Sequence[str], content: Content) -> None:
    for column, array in table.vectors.items():
        words = [column, stem(table.name), "v1"]
        name = next(word for word in words if word.lower() not in VECTORS)
        if len(set(ids)) < len(ids):
            content.problems.append(f"left out: {table.name}, column {column}: ids stand twice")
            continue
        rows = Rows(array, tuple(ids), f"{table.name}, column {column}")
        content.vectors.setdefault(name, {})["items"] = rows


def _posters(media: Sequence[str], gathered: _Gathered) -> set[str]:
    """The pictures that show clips: those that a table names, and GIFs beside a clip of their
    name."""
    clips = {stem(name): name for name in media if kind_of(name) == "video"}
    for name in media:
        if name.lower().endswith(".gif") and (clip := clips.get(stem(name))):
            item = gathered.by_file.setdefault(clip, clip)
            if gathered.items.setdefault(item, {"file": clip}).setdefault("poster", name) == name:
                gathered.posters.add(name)
    return gathered.posters - {own.get("file", "") for own in gathered.items.values()}


def _add_files(media: Sequence[str], gathered: _Gathered, tables: bool, content: Content) -> None:
    """Add an item for each file that no table names; its id is its path."""
    bare = [name for name in media if name not in gathered.by_file]
    for name in bare:
        gathered.items.setdefault(name, {}).setdefault("file", name)
    if bare:
        guessed = "item_id: the path of each file, in the order of the paths"
        named = "; no table names them" if tables and len(bare) < len(media) else ""
        content.note("items.csv", len(bare), f"{counted(len(bare), 'file')}{named}", guessed)


def _fill(gathered: _Gathered, content: Content) -> None:
    """The tables of a content from what was gathered."""
    captions = pd.DataFrame(list(gathered.captions), columns=list(CAPTION_COLUMNS), dtype="str")
    first = captions.drop_duplicates("item_id").set_index("item_id")["caption"].to_dict()
    rows: list[dict[str, Any]] = []
    for item, own in gathered.items.items():
        file = own.get("file", "")
        kind = own.get("kind") or kind_of(file) or ("text" if item in first and not file else "")
        split = own.get("split") or _split(file or item.rpartition("#")[0] + "/")
        rows.append(
            {**own, "item_id": item, "kind": kind, "caption": first.get(item, "")}
            | ({"split": split} if split else {})
        )
    content.items = pd.DataFrame(rows, columns=None if rows else list(ITEM_COLUMNS), dtype="str")
    others = [c for c in content.items.columns if c not in ITEM_COLUMNS]
    content.items = content.items.fillna("").reindex(
        columns=[*ITEM_COLUMNS, *others], fill_value=""
    )
    content.captions = captions
    if gathered.labels:
        content.keywords = _united(gathered.labels, content)
        for name, part in content.keywords.groupby("table", sort=False):
            groups = listed(part["group"].unique())
            content.note("unified_annotation.csv", part["item_id"].nunique(), str(name), groups)
        content.keywords = content.keywords[list(KEYWORD_COLUMNS)]
    if len(captions):
        several = f"{counted(len(captions), 'caption')} of {counted(len(first), 'item')}"
        content.note("items.csv", 0, "a column of captions", several * (len(captions) > len(first)))


def _united(labels: Sequence[pd.DataFrame], content: Content) -> pd.DataFrame:
    """The labels of several tables. Where two differ on an item, the first table counts, and a
    sentence says so."""
    united = labels[0]
    for other in labels[1:]:
        both = ["item_id", "group"]
        mine, theirs = (
            part.assign(key=part["keyword"].map(keyword_key)).groupby(both)["key"].agg(frozenset)
            for part in (united, other)
        )
        shared = mine.index.intersection(theirs.index)
        differ = [pair for pair in shared if mine[pair] != theirs[pair]]
        if differ:
            item, group = differ[0]
            content.problems.append(
                f"{united['table'].iloc[0]} and {other['table'].iloc[0]} contradict each other on "
                f"{counted(len(differ), 'item')} ({item}, {group}: "
                f"{' and '.join(sorted(mine[differ[0]]))} or "
                f"{' and '.join(sorted(theirs[differ[0]]))}); the first file counts"
            )
        new = pd.MultiIndex.from_frame(other[both])
        united = pd.concat([united, other[~new.isin(mine.index)]], ignore_index=True)
    return united


def _add_classes(content: Content) -> None:
    """Take the folders of the files for their classes, where there are several."""
    items = content.items
    classes = [_class(file) for file in items["file"]]
    different = {each for each in classes if each}
    if len(different) < 2 or len([each for each in classes if each]) < len(items) / 2:
        return
    found = items.assign(group="pv_label", keyword=classes)[list(KEYWORD_COLUMNS)]
    content.keywords = found[found["keyword"] != ""].reset_index(drop=True)
    guessed = f"pv_label: the folder of each file ({listed(sorted(different))})"
    content.note("unified_annotation.csv", len(content.keywords), "folders", guessed)


def _note_folders(content: Content) -> None:
    """Say where labels and folders disagree."""
    classes = pd.Series([_class(f) for f in content.items["file"]], content.items["item_id"])
    classes = classes[classes != ""].map(keyword_key)
    if content.keywords.empty or classes.nunique() < 2:
        return
    keys = content.keywords.assign(key=content.keywords["keyword"].map(keyword_key))
    for group, part in keys.groupby("group"):
        if len(set(classes) & set(part["key"])) < classes.nunique() / 2:
            continue
        of_item = part.groupby("item_id")["key"].agg(set)
        both = of_item.index.intersection(classes.index)
        differ = [item for item in both if classes[item] not in of_item[item]]
        if differ:
            first = differ[0]
            content.problems.append(
                f"the label and the folder of {counted(len(differ), 'item')} contradict each "
                f"other ({first}: {listed(sorted(of_item[first]))} in {group}, "
                f"{classes[first]} by its folder); the label counts"
            )


def _class(file: str) -> str:
    """The folder that may be the class of a file: the innermost one that is no general name."""
    folders = file.split("/")[:-1]
    own = [each for each in folders if each.lower() not in {*GENERAL, *SPLITS}]
    return own[-1] if own and folders[-1] == own[-1] else ""


def _split(file: str) -> str:
    """The part of a data set that a file belongs to by a folder's name; empty: none."""
    folders = file.lower().split("/")[:-1]
    return next((SPLITS[each] for each in folders if each in SPLITS), "")


READER = Reader("pictures, clips and tables", detect, read)
