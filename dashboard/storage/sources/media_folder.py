"""A folder of pictures or clips, with or without tables that describe them; tables alone, too.

Also Hugging Face's image and video folders: `metadata.csv`, `.jsonl` or `.parquet` with a column
`file_name`, one folder a class, `train/` and `test/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from dashboard.storage.collection.annotation import keyword_key, keywords_in
from dashboard.storage.collection.settings import group_name
from dashboard.storage.sources.clip_retrieval import Shards, read_shards, shards_in
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
from dashboard.storage.sources.folders import add_classes, note_folders, split_of
from dashboard.storage.sources.listing import Listing, ending, is_media, kind_of, parent, stem
from dashboard.storage.sources.nested import unnested
from dashboard.storage.sources.tables import (
    CAPTION,
    FILE,
    PLAIN,
    TABLES,
    TRUE,
    FileNames,
    Roles,
    SourceTable,
    check_columns,
    file_named,
    left_out,
    names_of_files,
    read_source_table,
    roles_of,
    split_named,
)
from dashboard.tables import KEYWORDS, DataError, Findings, counted, listed

VECTORS = {"embedding", "embeddings", "vector", "vectors", "emb", "feature", "features", "items"}
"""Names of columns and files that name no version."""
_SHARD = re.compile(r"-[0-9]{5}-of-[0-9]{5}$")
"""How names of files end that are parts of one table."""


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """The pictures, clips and tables of a source."""
    media = [name for name in files if is_media(name)]
    tables = [name for name in files if ending(name) in TABLES]
    if not media and not tables:
        return None
    clips = sum(kind_of(name) == "video" for name in media)
    kinds = (clips, "clip"), (len(media) - clips, "picture"), (len(tables), "table")
    what = ", ".join(counted(number, word) for number, word in kinds if number)
    sharded = [name for each in shards_in(files) for name in each.files() if name not in tables]
    return Detected((*media, *tables, *sharded), what)


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The items, labels, captions and vectors of the files."""
    content = Content()
    tables = []
    wrong: dict[tuple[str, str], list[DataError]] = {}
    shards = shards_in(detected.files)
    in_shards = {name for each in shards for name in each.files()}
    for name in detected.files:
        if not is_media(name) and name not in in_shards:
            try:
                tables.append(unnested(read_source_table(listing, name)))
            except DataError as problem:
                wrong.setdefault((problem.found, problem.wanted), []).append(problem)
    for (found, wanted), each in wrong.items():
        several = f"{len(each):,} files with {found}; wanted {wanted} ("
        several += f"{listed(problem.file for problem in each)})"
        content.problems.append(f"left out: {each[0] if len(each) == 1 else several}")
    tables += [_table_of(each, listing, content) for each in shards]
    check_columns(columns, tables)
    tables = [without(table, left_out(columns)) for table in tables]
    media = [name for name in detected.files if is_media(name)]
    files = names_of_files(media) if tables else FileNames()
    gathered = _Gathered()
    for table in tables:
        roles = roles_of(table, files, columns)
        _gather(table, roles, files, gathered, content)
    for name, parts in gathered.vectors.items():
        content.add_vectors(name, "items", parts)
    for own in shards:
        if rows := content.vectors.get(own.version, {}).get("items"):
            kind = min(own.vectors)
            rows = replace(rows, taken_from=f"{counted(len(own.metadata), 'file')} of {kind}")
            content.vectors[own.version]["items"] = rows
    posters = _posters(media, gathered)
    _add_files([name for name in media if name not in posters], gathered, bool(tables), content)
    _fill(gathered, content)
    if not tables or content.keywords.empty:
        add_classes(content)
    note_folders(content)
    return content


def _table_of(shards: Shards, listing: Listing, content: Content) -> SourceTable:
    """The metadata of some shards with the vectors of its rows; those of captions go into the
    content, for no row says yet what its queries are."""
    table, arrays = read_shards(listing, shards)
    names = {column.strip().lower(): column for column in table.cells.columns}
    caption = next((names[each] for each in CAPTION if each in names), None)
    texts = arrays.get("text_emb")
    if texts is not None and "img_emb" not in arrays:
        return replace(table, vectors={shards.version: texts})
    if texts is not None and caption is None:
        content.problems.append(
            f"left out: {shards.folder}/text_emb: {table.name} has no column of captions"
        )
    elif texts is not None:
        words = tuple(table.cells[caption].str.strip())
        taken = f"{counted(len(shards.vectors['text_emb']), 'file')} of text_emb"
        content.caption_vectors[shards.version] = Rows(texts, words, taken)
    cells = table.cells if "kind" in names else table.cells.assign(kind="image")
    return replace(table, cells=cells, vectors={shards.version: arrays["img_emb"]})


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
    vectors: dict[str, list[Rows]] = field(default_factory=dict)


def _gather(
    table: SourceTable,
    roles: Roles,
    files: FileNames,
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
        content.problems.append(f"left out: {table.name} ({_nothing_named(table, files)}")
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
    if files and "file" not in roles.of and ids and not any(named):
        content.problems.append(
            f"{table.name}: {counted(len(set(ids)), 'id')} of {roles.of['item_id']} "
            f"({listed(dict.fromkeys(ids))}) and no file of such a name "
            f"({listed(dict.fromkeys(files.values()))}): items without a picture. Write them as "
            "the files are called, leading zeros too, or name another column: --map file=COLUMN"
        )
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
    _gather_vectors(table, ids, gathered, content)
    if roles.maybe:
        some = listed(f"{column} ({number:,} values)" for column, number in roles.maybe.items())
        first = next(iter(roles.maybe))
        content.problems.append(
            f"{table.name}: not taken for labels: {some}; to judge by one, take it for keywords: "
            f"--map {group_name(first.strip().lower())}={first}"
        )
    told = {each.partition(":")[0] for each in roles.guessed}
    names = cells[roles.of.get("file", roles.of.get("item_id"))]
    if any(_by_case(cell, file) for cell, file in zip(names, named, strict=True)):
        roles = replace(roles, guessed=(*roles.guessed, "names of files in whatever case"))
    said = [f"{o}: {c}" for o, c in roles.of.items() if c.lower() != o and o not in told]
    content.note("items.csv", len(set(ids)), table.name, "; ".join([*said, *roles.guessed]))


def _by_case(cell: str, file: str) -> bool:
    """Whether a cell names a file but for the case of its letters."""
    last = re.split(r"[/\\]", cell.strip())[-1]
    return bool(file) and last not in file and last.casefold() in file.casefold()


def _nothing_named(table: SourceTable, files: FileNames) -> str:
    """Why the rows of a table describe no items."""
    cells = table.cells
    column = next((c for c in cells.columns if c.strip().lower() in FILE and files), None)
    if column is None or cells.empty:
        there = listed(cells.columns) or "no columns"
        return f"{there}): no column names items or files; name one with --map item_id=COLUMN"
    some, there = listed(cells[column]), listed(dict.fromkeys(files.values()))
    return f"{column}: {some}): none of these files is there ({there})"


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


def _gather_vectors(
    table: SourceTable, ids: Sequence[str], gathered: _Gathered, content: Content
) -> None:
    """Note the vectors of a table under the version that the names of its columns, else its own,
    tell; tables that are parts of one are of one version."""
    whole = _SHARD.sub("", stem(table.name))
    for column, array in table.vectors.items():
        words = [column, "v1" if split_named(whole) else whole, "v1"]
        name = next(word for word in words if word.lower() not in VECTORS)
        if len(set(ids)) < len(ids):
            content.problems.append(f"left out: {table.name}, column {column}: ids stand twice")
            continue
        rows = Rows(array, tuple(ids), f"{table.name}, column {column}")
        gathered.vectors.setdefault(name, []).append(rows)


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
        split = own.get("split") or split_of(file or item.rpartition("#")[0] + "/")
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


READER = Reader("pictures, clips and tables", detect, read)
