"""Pictures with a text that changes them: FashionIQ, CIRR and CIRCO with their splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Piece,
    Queries,
    choose_part,
    name_others,
)
from dashboard.plugins.importers.source import Source, find_stem

KEYS = (
    ("candidate", ("target",), "captions", ""),
    ("reference", ("target_hard",), "caption", "target_soft"),
    ("reference_img_id", ("target_img_id", "gt_img_ids"), "relative_caption", ""),
)
"""Keys of FashionIQ, CIRR and CIRCO: reference, targets, text, targets of less use."""
SPLITS = ("val", "dev", "test", "train")


def recognise(source: Source) -> list[str]:
    """Return files of queries, and of splits beside them."""
    queries = source.list_keyed(*(f"{reference} {text}" for reference, _, text, _ in KEYS))
    splits = [name for name in source.list_left(".json") if find_stem(name).startswith("split.")]
    return [*queries, *splits] if queries else []


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the gallery, the queries and the targets of one file."""
    splits = [name for name in files if find_stem(name).startswith("split.")]
    queries = [each for each in files if each not in splits]
    name = choose_part(source, queries, SPLITS, "files of queries, each with a gallery of its own")
    yield from name_others(queries, name, "further files of queries")
    found = source.read_json(name)
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    keys = next((each for each in KEYS if rows and each[0] in rows[0]), None)
    if keys is None:
        raise DataError(name, "no queries", "a list of objects with a reference and a text")
    words = find_stem(name).split(".")[1:]
    own = [each for each in splits if find_stem(each).split(".")[1:] == words]
    gallery = source.read_json(own[0]) if own else {}
    if gallery and isinstance(gallery, (dict, list)):
        yield Items(own[0], list(gallery), is_whole=True)
    yield from _list_rows(source, name, rows, keys)


def _list_rows(source: Source, name: str, rows: Sequence[Any], keys: Any) -> Iterator[Piece]:
    reference, targets, text, soft = keys
    ids, told, own = [], [], []
    pairs: dict[tuple[str, str], float] = {}
    for at, row in enumerate(rows):
        query = str(row.get("pairid", row.get("id", at)))
        said = row.get(text)
        ids.append(query)
        told.append(" and ".join(map(str, said)) if isinstance(said, list) else str(said or ""))
        own.append(_name(source, row.get(reference)))
        for key in targets:
            values = row.get(key)
            for each in values if isinstance(values, list) else [values]:
                if each is not None:
                    pairs[query, _name(source, each)] = 1.0
        for each, grade in (row.get(soft) or {}).items():
            if grade == -1.0:
                pairs.setdefault((query, _name(source, each)), 0.0)
    yield Items(name, list(dict.fromkeys([*own, *(item for _, item in pairs)])))
    yield Queries(name, ids, {"text": told, "item_id": own})
    named = [query for query, _ in pairs], [item for _, item in pairs]
    yield Judgements(name, *named, list(pairs.values()))


def _name(source: Source, value: Any) -> str:
    """Return the id of a picture; COCO's are numbers of twelve digits in names of files."""
    padded = f"{value:012d}" if isinstance(value, int) else ""
    return padded if padded and source.find_media(padded) else str(value)


FORMAT = Format("composed queries", "FashionIQ, CIRR, CIRCO", recognise, read)
