"""Composed queries: FashionIQ, CIRR and CIRCO with their splits."""

from collections.abc import Sequence
from typing import Any

from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    choose_part,
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
    """Return files of queries with a picture, and of splits beside them."""
    queries = source.list_keyed(*(f"{reference} {text}" for reference, _, text, _ in KEYS))
    splits = [name for name in source.list_left(".json") if find_stem(name).startswith("split.")]
    return [*queries, *splits] if queries else []


def read(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the gallery, the queries and the targets of one file."""
    splits = [name for name in files if find_stem(name).startswith("split.")]
    queries = [each for each in files if each not in splits]
    name = choose_part(source, queries, SPLITS, "files of queries, each with a gallery of its own")
    rows = source.read_json(name)
    reference, targets, text, soft = next((e for e in KEYS if e[0] in rows[0]), KEYS[0])
    words = find_stem(name).split(".")[1:]
    own = [each for each in splits if find_stem(each).split(".")[1:] == words]
    if own:
        yield Items(own[0], [*map(str, source.read_json(own[0]))], is_whole=True)
    ids, texts, asked = [], [], []
    pairs: dict[tuple[str, str], float] = {}
    for at, row in enumerate(rows):
        query = str(row.get("pairid", row.get("id", at)))
        ids.append(query)
        texts.append(" and ".join(map(str, _make_list(row.get(text)))))
        asked.append(_name(source, row.get(reference)))
        named = [each for key in targets for each in _make_list(row.get(key))]
        pairs |= {(query, _name(source, each)): 1.0 for each in named}
        for each, grade in (row.get(soft) or {}).items():
            if grade == -1.0:
                pairs.setdefault((query, _name(source, each)), 0.0)
    yield Items(name, list(dict.fromkeys([*asked, *(item for _, item in pairs)])))
    yield Queries(name, ids, {"text": texts, "item_id": asked})
    yield Judgements(name, [(query, item, grade) for (query, item), grade in pairs.items()])


def _make_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _name(source: Source, value: Any) -> str:
    """Return the id of a picture; COCO's are numbers of twelve digits in names of files."""
    padded = f"{value:012d}" if isinstance(value, int) else ""
    return padded if padded and source.find_media(padded) else str(value)


COMPOSED = Format("composed queries", recognise, read)
