"""Tables of the new collection: items, queries and judged pairs, by what decides relevance."""

import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from itertools import compress, count

import numpy as np

from dashboard.errors import Unsure, list_names
from dashboard.evaluation.labels import count_missing
from dashboard.plugins.importers.deciding import (
    KEYWORDS,
    TEST,
    choose_basis,
    clean_classes,
    join_marks,
    merge_judgements,
    name_classes,
    settle_classes,
)
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.source import Names, Object, Pair, find_kind
from dashboard.texts import split_cells

SPLIT = re.compile("split|subset", re.I)
MAX_ITEM_QUERIES = 5_000
"""Items that are asked for where nobody wrote queries; more are taken evenly from all."""
KINDS = ("image", "video", "text")
RESERVED = ("side", "query_id", "image")
OF_QUERIES = ("scene", "among")
"""Columns of items and of queries whose names mean something else here; they are labels."""


@dataclass(eq=False)
class Placed:
    """A version that was written.

    Attributes:
        said: What it was taken from, for the answer.
        rows: Rows of each of its files.
        form: What its vectors are, as `find_form` says.
    """

    name: str
    said: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    form: str = ""


@dataclass(eq=False)
class Plan:
    """A collection before it is written.

    Attributes:
        basis: What decides relevance: a key of PLANS, or "" for nothing.
        column: The column of classes, if they decide.
        pictures: Ids of the items but for texts that belong to them.
        texts: Ids of the texts that belong to pictures, in the order of their files.
        files: The files by which relevance is decided.
        notes: More about it, for the answer.
        of_queries: Guesses about queries.csv.
        placed: Versions that were written, but for results.
        tables: Rows of each table, by its file, with the header first.
    """

    basis: str
    column: str
    items: Rows
    queries: Rows
    pictures: list[str]
    qrels: list[tuple[str, str, float]] = field(default_factory=list)
    settings: Object = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    files: Names = ()
    notes: list[str] = field(default_factory=list)
    of_queries: str = ""
    placed: list[Placed] = field(default_factory=list)
    tables: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)


def make_plan(found: Gathered) -> Plan:
    """Return the tables of a collection.

    Raises:
        Unsure: If what decides relevance is not certain.
        DataError: If there is nothing to search.
    """
    found.rename()
    _name_items(found)
    _rename_columns(found)
    join_marks(found)
    name_classes(found)
    basis, column, others = choose_basis(found)
    plan = Plan(basis, column, found.items, found.queries, list(found.items.index))
    if basis:
        PLANS[basis](found, plan)
    if basis != "captions":
        _describe_items(found, plan)
        if not len(plan.queries):
            _add_item_queries(plan, plan.pictures)
    if others:
        plan.notes.append(f"instead: --relevance {' or '.join(others[:4])}")
    return plan


def _name_items(found: Gathered) -> None:
    """Take the items from judgements, runs or vectors where nothing else names them."""
    if len(found.items):
        return
    named = {item: file for file, _, item, _ in found.judged}
    named |= {item: run.file for run in found.runs.values() for _, item, _ in run.rows}
    for own in [own for (_, side), own in found.vectors.items() if side == "items"]:
        named |= dict.fromkeys(own.ids, own.file)
    found.items.add(list(named), {})
    found.taken["items"] |= dict.fromkeys(named.values())


def _rename_columns(found: Gathered) -> None:
    """Keep columns whose names mean something else here under other names, and say so."""
    odd_kind = ["kind"] if {*found.items.get("kind")} - {"", *KINDS} else []
    for rows, names in ((found.items, [*RESERVED, *odd_kind]), (found.queries, OF_QUERIES)):
        for name in [each for each in names if each in rows.columns]:
            rows.columns[f"source_{name}"] = rows.columns.pop(name)
            found.source.say(
                found.sources.get(name, "queries"),
                f"a column {name!r}, a name with a meaning of its own here",
                f"a label; kept as 'source_{name}'",
                "note",
            )


def _describe_items(found: Gathered, plan: Plan) -> None:
    """Give each item its first caption and its kind."""
    names = found.match_items((item for _, item, _, _ in found.captions), "captions")
    told = [(names[item], text) for _, item, text, _ in found.captions if item in names]
    plan.items.add([item for item, _ in told], {"caption": [text for _, text in told]})
    plan.items.add(list(plan.items.index), {"kind": list(map(find_kind, plan.items.get("file")))})


def _plan_judgements(found: Gathered, plan: Plan) -> None:
    merged, plan.files, settled = merge_judgements(found)
    if settled:
        how = found.source.options.disagreements
        plan.notes.append(f"{settled:,} pairs with different grades: the {how} of each")
    file = list_names(plan.files)
    plan.qrels = [(query, item, grade) for (query, item), grade in merged.items()]
    plan.settings["protocols"] = ["trec"]
    every = zip(
        list(plan.queries.index),
        *[plan.queries.get(each) for each in ("text", "item_id", "image")],
        strict=True,
    )
    bare = [query for query, *own in every if not any(own)]
    own_items = found.match_items(
        [query for query in bare if found.source.find_media(query) and not query.isdecimal()], file
    )
    plan.queries.add(list(own_items), {"item_id": list(own_items.values())})
    bare = [query for query in bare if query not in own_items]
    texts = {name: text for _, _, text, name in found.captions if name}
    plan.queries.add(bare, {"text": [texts.get(query, query) for query in bare]})
    plan.of_queries = "text: each id" if {*bare} - texts.keys() else ""
    unjudged = len(plan.queries) - len({query for query, _, _ in plan.qrels})
    found.source.count(
        file,
        unjudged,
        "queries that nothing is judged for",
        "judgements; kept, without a value",
        "note",
    )


def _plan_labels(found: Gathered, plan: Plan) -> None:
    column, options = plan.column, found.source.options
    others = plan.items.disputed.get(column)
    if others and not (options.judgements or options.disagreements):
        files = [found.sources[column], *others]
        told = f"another {column} for {list_names(others.values(), 2)} than in {files[0]}"
        ways = [f"--judgements {shlex.quote(file)}" for file in files]
        ways.append("--disagreements majority")
        raise Unsure(files[1], told, "the same, or what counts", ways)
    if options.disagreements == "majority":
        settle_classes(plan.items, column)
    _clean_columns(plan, [column])
    cells = plan.items.get(column)
    parts = split_cells(filter(None, cells))
    classes = list(dict.fromkeys(part for cell in cells for part in parts.get(cell, ())))
    plan.settings |= {"protocols": ["class_labels"], "class_label": column}
    plan.files = [found.sources.get(column, "")]
    if options.queries_from == "keywords":
        plan.queries.add(classes, {"text": classes, column: classes})
        plan.of_queries = "each class as a text"
    elif any(plan.queries.get(column)):
        plan.of_queries = f"their own {column}"
    else:
        _add_item_queries(plan, list(compress(plan.items.index, cells)))


def _clean_columns(plan: Plan, columns: Names) -> None:
    """Take the words for no class out of some columns, and note how many cells had each."""
    missing: Counter[str] = Counter()
    for rows in (plan.items, plan.queries):
        for column in filter(rows.columns.__contains__, columns):
            missing += count_missing(rows.columns[column])
            rows.columns[column] = clean_classes(rows.columns[column])
    words = list_names(f"{word} ({times:,})" for word, times in missing.most_common())
    plan.notes += [f"no class: {words}"] if words else []


def _add_item_queries(plan: Plan, items: Names) -> None:
    """Ask for items, where there are no queries."""
    few = np.linspace(0, len(items) - 1, min(len(items), MAX_ITEM_QUERIES)).astype(int)
    asked = [items[place] for place in few]
    plan.queries.add(asked, {"item_id": asked})
    some = f"{len(few):,} of {len(items):,} items" if len(few) < len(items) else "each item"
    plan.of_queries = f"{some}, for nobody wrote queries" if len(items) else ""


def _plan_keywords(found: Gathered, plan: Plan) -> None:
    _clean_columns(plan, [name for name in plan.items.columns if name.startswith(KEYWORDS)])
    plan.settings["protocols"] = ["alfa"]
    plan.files = list(found.taken["items"])
    found.source.count(
        "queries.csv",
        sum(map(bool, plan.queries.get("text"))),
        "texts without keywords",
        "them; python -m dashboard keywords NAME --write maps their words",
    )


def _plan_tables(found: Gathered, plan: Plan) -> None:
    for table in found.copied.values():
        plan.settings |= {"protocols": [table.protocol], **table.settings}
    plan.files = [each.file for each in found.copied.values()]


def _keep_test(found: Gathered) -> None:
    """Keep the test split alone of captions with splits, as their evaluations do."""
    column = next(filter(SPLIT.fullmatch, found.items.columns), "")
    splits = dict(zip(found.items.index, map(str.lower, found.items.get(column)), strict=True))
    away = {name: split for name, split in splits.items() if split not in TEST}
    if column and len(away) < len(splits):
        what = f"items of other splits ({list_names(sorted({*away.values()}))})"
        wanted = "the split test; left out"
        found.source.count(found.sources[column], len(away), what, wanted, "note")
        found.items.drop(away.keys())
        found.captions = [row for row in found.captions if row[1] not in away]
        found.written = {name: own for name, own in found.written.items() if name not in away}


def _plan_captions(found: Gathered, plan: Plan) -> None:
    """Make texts items and queries, and ask for texts by pictures and the other way round."""
    _keep_test(found)
    plan.pictures = list(found.items.index)
    plan.settings["protocols"] = ["crossmodal"]
    names = found.match_items((item for _, item, _, _ in found.captions), "captions")
    plan.queries = Rows()
    times: Counter[str] = Counter()
    owners = Counter(name for name, *_ in {(name, *own) for _, *own, name in found.captions})
    used = {*plan.items.index, *owners}
    first: dict[Pair, Pair] = {}
    kept: list[tuple[str, str, str]] = []
    for file, given, text, name in found.captions:
        item = names.get(given, "")
        if item and text and first.setdefault((item, text), (file, given)) == (file, given):
            if not name or owners[name] > 1 or name in plan.items.index:
                numbered = (f"{item}#{number}" for number in count(times[item]))
                name = next(each for each in numbered if each not in used)
            used.add(name)
            kept.append((item, text, name))
            times[item] += 1
    files = zip(plan.items.get("file"), plan.items.get("kind"), plan.pictures, strict=True)
    kinds = [find_kind(file) or kind or find_kind(name) or "image" for file, kind, name in files]
    plan.items.columns["kind"] = kinds
    asked = [item for item in plan.pictures if times[item]]
    plan.queries.add(asked, {"item_id": asked})
    plan.texts = [name for _, _, name in kept]
    for item, _, name in kept:
        plan.qrels += [(item, name, 1.0), (name, item, 1.0)]
    texts = [text for _, text, _ in kept]
    plan.items.add(plan.texts, {"kind": ["text"] * len(texts), "caption": texts})
    plan.queries.add(plan.texts, {"text": texts})
    plan.files = list(dict.fromkeys(file for file, _ in first.values()))
    plan.of_queries = "a picture asks for its texts, a text for its picture"
    found.source.count(
        "captions",
        [item for item in plan.pictures if not times[item]],
        "pictures without a text",
        "texts; they are searched",
        "note",
    )


PLANS = {
    "labels": _plan_labels,
    "judgements": _plan_judgements,
    "keywords": _plan_keywords,
    "captions": _plan_captions,
    "tables": _plan_tables,
}
