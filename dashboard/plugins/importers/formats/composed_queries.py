"""Pictures with a text that changes them: FashionIQ, CIRR and CIRCO with their splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.pieces import Format, Items, Judgements, Piece, Queries, Unsure
from dashboard.plugins.importers.source import Source, find_stem

KEYS = (
    ("candidate", ("target",), ("captions",), ()),
    ("reference", ("target_hard",), ("caption",), ("target_soft",)),
    ("reference_img_id", ("target_img_id", "gt_img_ids"), ("relative_caption",), ()),
)
"""Keys of FashionIQ, CIRR and CIRCO: reference, targets, texts, targets of less use."""
SPLITS = ("val", "dev", "test", "train")


def recognise(source: Source) -> list[str]:
    """Return files of queries, and of splits beside them."""
    found = [(name, source.read_head(name)) for name in source.list_left(".json")]
    marks = [(f'"{reference}"', f'"{texts[0]}"') for reference, _, texts, _ in KEYS]
    queries = [name for name, head in found if any(a in head and b in head for a, b in marks)]
    splits = [name for name, _ in found if find_stem(name).startswith("split.")]
    return [*queries, *splits] if queries else []


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the gallery, the queries and the targets of one file."""
    splits = [name for name in files if find_stem(name).startswith("split.")]
    name = _choose(source, [each for each in files if each not in splits])
    others = [each for each in files if each not in (name, *splits)]
    if others:
        wanted = f"one; {name} counts. Another one: --judgements {others[0]}"
        yield Finding("note", name, None, f"{len(others):,} further files of queries", wanted)
    found = source.read_json(name)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    keys = next((each for each in KEYS if rows and each[0] in rows[0]), None)
    if keys is None:
        raise DataError(name, "no queries", "a list of objects with a reference and a text")
    words = find_stem(name).split(".")[1:]
    own = [each for each in splits if find_stem(each).split(".")[1:] == words]
    gallery = source.read_json(own[0]) if own else {}
    names = list(gallery) if isinstance(gallery, (dict, list)) else []
    if names:
        files_of = [source.find_media(each) for each in names]
        yield Items(own[0], names, {"file": files_of}, is_whole=True)
    yield from _list_rows(source, name, rows, keys)


def _choose(source: Source, files: Sequence[str]) -> str:
    """Return the file of queries that counts: the one named, or the only one of the best split."""
    stated = [n for n in files if source.judgements in (n, PurePosixPath(n).name)]
    ranked = [[n for n in files if split in find_stem(n).split(".")] for split in SPLITS]
    best = stated or next((each for each in ranked if each), list(files))
    if len(best) > 1:
        found = f"{len(best):,} files of queries, each with a gallery of its own"
        lines = [f"--judgements {name}" for name in best]
        raise Unsure(best[0], found, "one a collection", lines)
    return best[0]


def _list_rows(source: Source, name: str, rows: Sequence[Any], keys: Any) -> Iterator[Piece]:
    reference, targets, texts, soft = keys
    ids, told, own = [], [], []
    pairs: dict[tuple[str, str], float] = {}
    for at, row in enumerate(rows):
        query = str(row.get("pairid", row.get("id", at)))
        said = row.get(texts[0])
        text = " and ".join(map(str, said)) if isinstance(said, list) else str(said or "")
        ids.append(query)
        told.append(text)
        own.append(_name(source, row.get(reference)))
        for key in targets:
            values = row.get(key)
            for each in values if isinstance(values, list) else [values]:
                if each is not None:
                    pairs[query, _name(source, each)] = 1.0
        for key in soft:
            for each, grade in (row.get(key) or {}).items():
                if grade == -1.0:
                    pairs.setdefault((query, _name(source, each)), 0.0)
    items = list(dict.fromkeys([*own, *(item for _, item in pairs)]))
    yield Items(name, items, {"file": [source.find_media(each) for each in items]})
    yield Queries(name, ids, {"text": told, "item_id": own})
    named = [query for query, _ in pairs], [item for _, item in pairs]
    yield Judgements(name, *named, list(pairs.values()))


def _name(source: Source, value: Any) -> str:
    """Return the id of a picture; COCO's are numbers of twelve digits in names of files."""
    padded = f"{value:012d}" if isinstance(value, int) else ""
    return padded if padded and source.find_media(padded) else str(value)


FORMAT = Format("composed queries", "FashionIQ, CIRR, CIRCO", recognise, read)
