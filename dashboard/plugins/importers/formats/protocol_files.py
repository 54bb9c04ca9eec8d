"""Files of protocols: FashionIQ, CIRR and CIRCO with their splits; a study of context.

The tables of a study of context are taken as they are: relevance, viewed lists, satisfaction.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from dashboard.plugins.importers.blocks import read_blocks
from dashboard.plugins.importers.pieces import (
    Copied,
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    choose_part,
)
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.texts import parse_number

KEYS = (
    ("candidate", ("target",), "captions", ""),
    ("reference", ("target_hard",), "caption", "target_soft"),
    ("reference_img_id", ("target_img_id", "gt_img_ids"), "relative_caption", ""),
)
"""Keys of FashionIQ, CIRR and CIRCO: reference, targets, text, targets of less use."""
SPLITS = ("val", "dev", "test", "train")
MAX_OTHER_SCALE = 10.0
"""The largest relevance that tells another scale than that up to 100."""
TABLES = ("relevance.csv", "lists.csv", "satisfaction.csv")


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


def recognise_tables(source: Source) -> list[str]:
    """Return the tables of a study of context, where there is one of relevance."""
    found = {PurePosixPath(name).name: name for name in source.list_left(".csv")}
    first = source.read_head(found[TABLES[0]]).split("\n")[0] if TABLES[0] in found else ""
    is_ours = all(name in first for name in ("query_id", "item_id", "relevance"))
    return [found[name] for name in TABLES if name in found] if is_ours else []


def read_tables(source: Source, files: Sequence[str]) -> Pieces:
    """Yield the queries and items that the tables name, and the tables."""
    for name in files:
        rows, numbers = 0, list[float]()
        for block in read_blocks(source, name):
            rows += len(block.lines)
            numbers += map(parse_number, block.columns.get("relevance", []))
            items, asked = (
                list(dict.fromkeys(filter(None, block.columns.get(key, []))))
                for key in ("item_id", "query_id")
            )
            yield Items(name, items)
            yield Queries(name, asked, {"text": asked})
        largest = max((number for number in numbers if number == number), default=0.0)
        settings = {"relevance_scale": largest} if 0 < largest <= MAX_OTHER_SCALE else {}
        if settings:
            scale = f"relevance_scale = {largest:g} is set in collection.toml"
            wanted = f"up to 100; {scale}. Change it if the scale goes on"
            source.say(name, f"relevance up to {largest:g}", wanted, "note")
        yield Copied(name, PurePosixPath(name).name, rows, "context", settings)


COMPOSED = Format("composed queries", recognise, read)
CONTEXT = Format("context study", recognise_tables, read_tables)
