"""The meaning of a table's columns, by their names and by what their cells name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from dashboard.errors import DataError
from dashboard.plugins.importers.blocks import Block
from dashboard.plugins.importers.source import Side, Source, find_folder_of, find_stem
from dashboard.storage.vector_ids import TEXT_WORDS

ITEM = ("item_id", "slice_id", "docid", "doc_id", "docno", "document_id", "corpus_id",
        "product_id", "image_id", "video_id", "clip_id", "asset_id", "id", "_id", "uid", "uuid",
        "sku", "asin", "pid", "key")  # fmt: skip
FILE = ("file", "file_name", "filename", "filepath", "file_path", "path", "image", "image_name",
        "image_path", "img", "img_path", "image_file", "video", "video_path", "video_file", "clip",
        "clip_path", "picture", "photo", "sensor_video_file", "sensor_frame_file")  # fmt: skip
POSTER = ("poster", "gif_path", "gif_file", "thumbnail", "poster_path")
CAPTION = ("caption", "captions", "text", "sentence", "sentences", "comment", "description",
           "title", "product_title", "prompt")  # fmt: skip
KEYS = ("id", "_id", "key", "uid")
"""Columns that name the rows of captions, where another one names the items."""
CAPTION_ID = ("caption_id", "sentid", "sent_id", "sentence_id", "caption_number", "comment_number")
QUERY = ("query_id", "qid", "q_id", "topic", "topic_id", "query", "query_text")
QUERY_TEXT = ("text", "query_text", "query", "title", "question")
OURS = ("item_id", "query_id", "file", "poster", "caption", "caption_id", "text", "grade", "score")
"""Names that columns can be mapped to."""
GRADE = (
    "grade",
    "rating",
    "relevance",
    "rel",
    "judgment",
    "judgement",
    "relevance_score",
    "esci_label",
)
SCORE = ("score", "similarity")
RANK = ("rank", "position", "doc_position")
GENERAL = frozenset(
    {"item", "items", "gallery", "corpus", "doc", "docs", "image", "images", "img", "video",
     "videos", "clips", "clip", "passage", "embedding", "embeddings", "embeds", "emb", "embs",
     "vector", "vectors", "feature", "features", "feats", "feat", "index", "data", "models", "arr",
     "0", "x", "weight", "train", "test", "val", "visual", "vision", "values", "database", "dim"}
) - {"clip"}  # fmt: skip
"""Words in names of files and columns that tell no version from another."""


@dataclass(eq=False)
class Roles:
    """Columns of a table by their role.

    Attributes:
        kind: "pairs", "queries", or "items".
        of: Column by role: item, file, poster, caption, caption_id, query, text, grade, score,
            rank, run.
    """

    kind: str
    of: dict[str, str]

    def read(self, block: Block, role: str) -> list[str]:
        """Return the cells of a role; empty ones where no column has it."""
        return block.columns.get(self.of.get(role, "")) or [""] * len(block.lines)


def name_row(source: Source, cell: str, key: object, file: str, line: int) -> str:
    """Return the id of a row by the path in it: base name, its folder, or the row's number.

    Rows that mean different things, which `key` tells, by one name stay apart.
    """
    parts = [part for part in cell.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    tails = ["/".join(parts[-length:]) for length in range(1, min(len(parts), 4) + 1)]
    numbered = [f"{tails[0]}#{line}"] if tails else []
    for name in [*tails, *numbered, f"{find_stem(file)}-{line}"]:
        if source.named.setdefault(name, key) == key:
            return name
    return f"{file}-{line}"


def find_roles(block: Block, source: Source) -> Roles:
    """Return the roles of a table's columns.

    Raises:
        DataError: If no column names an item, a picture, a query or a vector.
    """
    small = {re.sub(r"[\s-]+", "_", n.strip().lower()): n for n in reversed([*block.columns])}
    for name in list(small):  # cells inside objects, as payload.file_name
        small.setdefault(name.rpartition(".")[2], small[name])
    mapped = {ours: name for ours, name in source.options.columns.items() if name in block.columns}
    source.mapped.update(mapped)
    renamed = {"item_id": "item", "query_id": "query"}
    of = {renamed.get(ours, ours): name for ours, name in mapped.items()}

    def take(role: str, names: Iterable[str]) -> None:
        free = [small[name] for name in names if name in small and small[name] not in of.values()]
        if free:
            of.setdefault(role, free[0])

    take("query", QUERY)
    stem, folder = find_stem(block.file).lower(), find_folder_of(block.file).rpartition("/")[2]
    named = {"item", "file"} & of.keys() or any(name in small for name in (*ITEM, *FILE))
    if "query" in of and named:
        take("grade", GRADE)
        if "grade" not in of and _hold_numbers(block, small.get("label", "")):
            take("grade", ("label",))  # PyTerrier
        if "grade" not in of:
            told = "corpus_id" in small and _hold_numbers(block, small.get("score", ""))
            take("grade" if told or "qrel" in block.file.lower() else "score", SCORE)
        if "score" not in of and _hold_numbers(block, next(filter(None, map(small.get, RANK)), "")):
            take("rank", RANK)
        take("item", ITEM)
        take("item", FILE)
        for name in ("query_text", "query"):
            if name in small:
                of["text"] = small[name]
            take("run", ("snapshot_name",))
        if of.keys() & {"grade", "score", "rank"}:
            return Roles("pairs", of)
    if "query" in of and (stem.startswith(("quer", "topic")) or not named):
        of.pop("item", None)
        take("text", QUERY_TEXT)
        return Roles("queries", of)
    of.pop("query", None)
    is_asked = re.match("quer|topic", stem) or folder in ("query", "queries", "topics")
    if is_asked and not any(name in small for name in FILE):
        take("query", ITEM)
        take("text", QUERY_TEXT)
        if {"query", "text"} <= of.keys():
            return Roles("queries", of)
        of.pop("query", None)
    return Roles("items", _find_item_roles(block, source, of, small))


def _find_item_roles(
    block: Block, source: Source, of: dict[str, str], small: dict[str, str]
) -> dict[str, str]:
    """Return the roles of a table that describes items."""

    def find(names: Sequence[str]) -> list[str]:
        return [small[name] for name in names if name in small and small[name] not in of.values()]

    folder = find_folder_of(block.file)
    inside = [name for name in block.contents if any(block.contents[name]) or block.columns[name]]
    files = [*inside, *find(FILE)]
    if source.media and not inside:
        shares = {name: share_media(block.columns[name], source, folder) for name in block.columns}
        files = [name for name in files if shares[name]] or files
        best = max(shares, key=lambda name: shares[name], default="")
        if best and shares[best] >= 0.5 and not any(shares.get(name) for name in files):
            files = [best]
    if files and "file" not in of:
        of["file"] = files[0]
    for role, names in (("poster", POSTER), ("caption", CAPTION), ("caption_id", CAPTION_ID)):
        for each in find(names)[:1]:
            of.setdefault(role, each)
    repeated = "file" in of and _is_repeated(block.columns[of["file"]])
    for name in find(ITEM):
        if "item" not in of and not (repeated and not _is_repeated(block.columns[name])):
            of["item"] = name
        elif (
            "caption_id" not in of
            and (repeated or ("caption" in of and name in map(small.get, KEYS)))
            and not _is_repeated(block.columns[name])
        ):
            of["caption_id"] = name
    if not of.keys() & {"item", "file", "caption"} and not block.vectors:
        found = f"the columns {', '.join(block.columns) or '(none)'}"
        do = "Name the column of the ids: --map item_id=COLUMN."
        raise DataError(block.file, found, "a column of items, files or queries", do=do)
    return of


def _hold_numbers(block: Block, column: str) -> bool:
    """Return whether the cells of a column are whole numbers."""
    cells = block.columns.get(column, [])
    return bool(cells) and all(re.fullmatch(r"-?\d+", cell) for cell in cells if cell)


def _is_repeated(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return len(set(filled)) < len(filled)


def share_media(cells: Sequence[str], source: Source, folder: str) -> float:
    """Return the share of cells that name pictures; of the first 200."""
    some = [cell for cell in cells[:200] if cell]
    return sum(bool(source.find_media(cell, folder)) for cell in some) / max(1, len(some))


def clean_name(name: str) -> str:
    """Return a name as a version can have it."""
    return re.sub(r"^[^\w]+|[^\w.+@-]+", "_", name)[:80]


def name_version(file: str, column: str = "") -> tuple[str, Side]:
    """Return the version and the side that the names of a file and a column tell.

    >>> name_version("v2/items.npy"), name_version("clip_text.npy")
    (('v2', 'items'), ('clip', 'texts'))
    >>> name_version("image_embeds.npy")
    ('v1', 'items')
    """
    path = PurePosixPath(file)
    words = [word for word in re.split(r"[_\-\s.]+", f"{path.stem}_{column}") if word]
    small = [word.lower() for word in words]
    own = dict.fromkeys(
        word
        for word, each in zip(words, small, strict=True)
        if each not in TEXT_WORDS | GENERAL and not re.fullmatch(r"0*\d{5}|of", each)
    )
    folder = path.parent.name
    plain = "_".join(own) or (folder if folder.lower() not in GENERAL else "") or "v1"
    return clean_name(plain), "texts" if TEXT_WORDS & set(small) else "items"
