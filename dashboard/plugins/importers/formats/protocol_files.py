"""Files of protocols: FashionIQ, CIRR and CIRCO with their splits; context.

The tables of a study of context are taken as they are: relevance, viewed lists, satisfaction.
"""

import re
from pathlib import PurePosixPath

from dashboard.plugins.importers.blocks import read_blocks
from dashboard.plugins.importers.pieces import (
    Copied,
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    RunLines,
    choose_part,
)
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.tables import Names, Row, Texts
from dashboard.texts import parse_number

REFERENCES = ("candidate", "reference", "reference_img_id")
TARGETS = ("target", "target_hard", "target_img_id", "gt_img_ids")
TEXTS = ("captions", "caption", "relative_caption")
KEYS = ("candidate captions", "reference caption", "reference_img_id relative_caption")
"""Keys of FashionIQ, CIRR and CIRCO, and those of a file of each."""
BESIDE = re.compile(r"^split\.|\.ext\.")
SUBMITTED = re.compile(
    r'\{(?!.*recall_subset)\s*("\w+":\s*"[^"]*",\s*)*"\w+":\s*\[|\[\s*\{[^{}]*"ranking"', re.S
)
"""Names of splits and of CIRR's longer texts, and the beginning of results to submit."""
SPLITS = ("val", "dev", "test", "train")
MAX_OTHER_SCALE = 10.0
"""The largest relevance that tells another scale than that up to 100."""
TABLES = ("relevance.csv", "lists.csv", "satisfaction.csv")
RELEVANCE = re.compile("(?=.*query_id)(?=.*item_id).*relevance")
"""Tables of a study of context, and the header of the first."""


def recognise(source: Source) -> Names:
    """Return files of queries with a picture, and of splits and results beside them."""
    queries = source.list_keyed(*KEYS)
    beside = source.list_headed(SUBMITTED.match, ".json")
    beside += [name for name in source.list_left(".json") if BESIDE.search(find_stem(name))]
    return [*queries, *beside] if queries else []


def read(source: Source, files: Names) -> Pieces:
    """Yield the gallery, the queries, the targets and the results of one file."""
    submitted = [name for name in files if SUBMITTED.match(source.read_head(name))]
    queries = [e for e in files if not (e in submitted or BESIDE.search(find_stem(e)))]
    name = choose_part(source, queries, SPLITS, "files of queries, each with a gallery of its own")
    own = find_stem(name).replace("cap.", "split.")
    for each in files:
        if find_stem(each) == own != find_stem(name):
            yield Items(each, list(map(str, source.read_json(each))), is_whole=True)
    lists = source.list_keyed("images file_name")  # of COCO, by the names of the same pictures
    known: Texts = {}
    for at, row in enumerate(source.read_json(name)):
        query = str(row.get("pairid", row.get("id", at)))
        asked, texts, targets = (_list_names(row, keys) for keys in (REFERENCES, TEXTS, TARGETS))
        soft = row.get("target_soft") or {}
        grades = {each: 0.0 for each, grade in soft.items() if grade == -1.0}
        grades |= dict.fromkeys(targets, 1.0)
        if not lists:
            yield Items(name, [*asked, *grades])
        text = " and ".join(texts)
        yield Queries(name, [query], {"text": [text], "item_id": asked[:1] or [""]})
        yield Judgements(name, [(query, item, grade) for item, grade in grades.items()])
        known |= {query: query, " ".join([*asked, text]): query}
    for each in submitted:
        found = source.read_json(each)
        if isinstance(found, list):  # FashionIQ's, by the picture and the texts
            found = {
                f"{row['candidate']} {' and '.join(row['captions'])}": row["ranking"]
                for row in found
            }
        rows = [
            (known[query], str(item), -at)
            for query, own in found.items()
            if query in known
            for at, item in enumerate(own)
        ]
        yield RunLines(each, find_stem(each), rows)


def _list_names(row: Row, keys: Names) -> Names:
    """Return the values of some keys, each one or a list."""
    values = [row[key] for key in keys if row.get(key) is not None]
    return [str(each) for own in values for each in (own if isinstance(own, list) else [own])]


def recognise_tables(source: Source) -> Names:
    """Return the tables of a study of context, where there is one of relevance."""
    found = {PurePosixPath(name).name: name for name in source.list_left(".csv")}
    is_ours = source.list_headed(RELEVANCE.match, TABLES[0])
    return [found[name] for name in TABLES if name in found] if is_ours else []


def read_tables(source: Source, files: Names) -> Pieces:
    """Yield the queries and items that the tables name, and the tables."""
    for name in files:
        rows, largest = 0, 0.0
        for block in read_blocks(source, name):
            rows += len(block.lines)
            numbers = map(parse_number, block.columns.get("relevance", ()))
            largest = max(largest, *numbers, 0.0)  # a cell that is no number is never larger
            items, asked = (
                list(filter(None, block.columns.get(key, ()))) for key in ("item_id", "query_id")
            )
            yield Items(name, items)
            yield Queries(name, asked, {"text": asked})
        settings: Row = {"protocols": ["context"]}
        if 0 < largest <= MAX_OTHER_SCALE:
            settings["relevance_scale"] = largest
            scale = f"relevance_scale = {largest:g} is set in collection.toml"
            source.say(
                name,
                f"relevance up to {largest:g}",
                f"up to 100; {scale}. Change it if the scale goes on",
                "note",
            )
        yield Copied(name, PurePosixPath(name).name, rows, settings)


COMPOSED = Format("composed queries", recognise, read)
CONTEXT = Format("context study", recognise_tables, read_tables)
