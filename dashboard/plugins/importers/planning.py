"""Tables of the new collection: items, queries and judged pairs, by what decides relevance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dashboard.evaluation.labels import count_missing, report_missing
from dashboard.plugins.importers.deciding import (
    Basis,
    choose_basis,
    clean_classes,
    merge_judgements,
    settle_classes,
)
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.source import find_kind

MAX_ITEM_QUERIES = 5_000
"""Items that are asked for where nobody wrote queries; more are taken evenly from all."""
KINDS = ("image", "video", "text")
RESERVED = {"side": "source_side", "query_id": "source_query_id", "image": "source_image"}
"""Columns of items whose name has another meaning here, and the name that keeps them as labels."""
OF_QUERIES = {"scene": "scene_label", "among": "among_label"}


@dataclass(eq=False)
class Plan:
    """A collection before it is written.

    Attributes:
        texts: Ids of the texts that belong to pictures, in the order of their files.
        of_queries: Guesses about queries.csv.
        missing: Cells by the word that says that there is no class.
    """

    basis: Basis
    items: Rows
    queries: Rows
    qrels: list[tuple[str, str, float]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    of_queries: str = ""
    missing: Counter[str] = field(default_factory=Counter)


def make_plan(found: Gathered) -> Plan:
    """Return the tables of a collection.

    Raises:
        Unsure: If what decides relevance is not certain.
        DataError: If there is nothing to search.
    """
    _name_items(found)
    _rename_columns(found)
    basis = choose_basis(found)
    plan = Plan(basis, found.items, found.queries, pictures=list(found.items.index))
    if basis.kind == "judgements":
        _plan_judgements(found, plan)
    elif basis.kind == "labels":
        _plan_labels(found, plan)
    elif basis.kind == "keywords":
        for name in [each for each in found.items.columns if each.startswith("pv_")]:
            _clean_column(plan, found.items, name)
        plan.settings["protocols"] = ["alfa"]
        texts = sum(map(bool, found.queries.get("text")))
        wanted = "them; python -m dashboard keywords NAME --write maps their words"
        found.count("queries.csv", texts, "texts without keywords", wanted, "warning")
    elif basis.kind == "captions":
        _plan_captions(found, plan)
    elif basis.kind == "tables":
        plan.settings["protocols"] = [each.protocol for each in found.copied.values()][:1]
        for table in found.copied.values():
            plan.settings |= table.settings
    if basis.kind != "captions":
        _describe_items(found, plan)
        _add_item_queries(plan, plan.pictures)
    return plan


def _name_items(found: Gathered) -> None:
    """Take the items from judgements, runs or vectors where nothing else names them."""
    if len(found.items):
        return
    named: dict[str, str] = {}
    for file, grades in found.judged.items():
        named |= {item: file for _, item in grades}
    for run in found.runs.values():
        named |= dict.fromkeys(run.items, run.file)
    for (_, side), own in found.vectors.items():
        if side == "items" and own.has_ids:
            named |= dict.fromkeys(own.ids, next(iter(own.files)))
    found.items.add(list(named), {})
    found.taken.update(("items.csv", file) for file in named.values())


def _rename_columns(found: Gathered) -> None:
    """Keep columns whose names mean something else here under other names, and say so."""
    kinds = set(found.items.get("kind"))
    odd_kind = {} if kinds <= {"", *KINDS} else {"kind": "source_kind"}
    for rows, names in ((found.items, RESERVED | odd_kind), (found.queries, OF_QUERIES)):
        for name in [each for each in names if each in rows.columns]:
            rows.columns[names[name]] = rows.columns.pop(name)
            said = f"a column {name!r}, a name with a meaning of its own here"
            wanted = f"a label; kept as {names[name]!r}"
            found.say("note", found.sources.get(name, "queries"), said, wanted)


def _describe_items(found: Gathered, plan: Plan) -> None:
    """Give each item its first caption and its kind."""
    names = found.match_items((item for item, _, _ in found.captions), "captions")
    told = [(names[item], text) for item, text, _ in found.captions if item in names]
    plan.items.add([item for item, _ in told], {"caption": [text for _, text in told]})
    plan.items.add(list(plan.items.index), {"kind": list(map(find_kind, plan.items.get("file")))})


def _plan_judgements(found: Gathered, plan: Plan) -> None:
    merged = merge_judgements(found)
    file = plan.basis.name
    names = found.match_items((item for _, item in merged), file)
    shared = [name for name, times in Counter(names.values()).items() if times > 1]
    wanted = "one name; the first one counts"
    found.count(file, shared, "items under two names", wanted, "warning")
    pairs: dict[tuple[str, str], float] = {}
    for (query, item), grade in merged.items():
        pairs.setdefault((query, names.get(item, item)), grade)
    plan.qrels = [(query, item, grade) for (query, item), grade in pairs.items()]
    plan.settings["protocols"] = ["trec"]
    judged = {query for query, _, _ in plan.qrels}
    asked = found.queries
    asked.add(list(judged), {})
    own = zip(list(asked.index), *(asked.get(c) for c in ("text", "item_id", "image")), strict=True)
    bare = [query for query, *cells in own if not any(cells)]
    asked.add(bare, {"text": bare})
    plan.of_queries = "text: each id" if bare else ""
    what = "queries that nothing is judged for"
    found.count(file, len(asked) - len(judged), what, "judgements; kept, without a value")


def _plan_labels(found: Gathered, plan: Plan) -> None:
    column = plan.basis.name
    settle_classes(found.items, column)
    clean = _clean_column(plan, found.items, column)
    plan.settings |= {"protocols": ["class_labels"], "class_label": column}
    found.findings += report_missing(found.sources.get(column, column), column, plan.missing)
    if found.source.options.queries_from:
        classes = list(dict.fromkeys(filter(None, clean)))
        found.queries.add(classes, {"text": classes, column: classes})
        plan.of_queries = "each class as a text"
    elif any(_clean_column(plan, found.queries, column)):
        plan.of_queries = f"their own {column}"
    else:
        labelled = [name for name, cell in zip(found.items.index, clean, strict=True) if cell]
        _add_item_queries(plan, labelled, always=True)


def _clean_column(plan: Plan, rows: Rows, column: str) -> list[str]:
    """Return the cells of a column without the words for no class, which the plan counts."""
    clean = clean_classes(rows.get(column))
    plan.missing += count_missing(rows.get(column))
    if column in rows.columns:
        rows.columns[column] = clean
    return clean


def _add_item_queries(plan: Plan, items: Sequence[str], always: bool = False) -> None:
    """Ask for items, where there are no queries."""
    if len(plan.queries) and not always:
        return
    few = np.linspace(0, len(items) - 1, min(len(items), MAX_ITEM_QUERIES)).astype(int)
    asked = [items[place] for place in few]
    plan.queries.add(asked, {"item_id": asked})
    some = f"{len(few):,} of {len(items):,} items" if len(few) < len(items) else "each item"
    plan.of_queries = f"{some}, for nobody wrote queries" if len(items) else ""


def _plan_captions(found: Gathered, plan: Plan) -> None:
    """Make texts items and queries, and ask for texts by pictures and the other way round."""
    plan.settings["protocols"] = ["crossmodal"]
    names = found.match_items((item for item, _, _ in found.captions), "captions")
    plan.queries = Rows()
    times: Counter[str] = Counter()
    kept: list[tuple[str, str, str]] = []
    first: dict[tuple[str, str], str] = {}
    for item, text, given in found.captions:
        if item in names and text and first.setdefault((names[item], text), item) == item:
            name = given or f"{names[item]}#{times[names[item]]}"
            times[names[item]] += 1
            kept.append((names[item], text, name))
    used = {*plan.items.index}
    kinds = [find_kind(file) or "image" for file in plan.items.get("file")]
    plan.items.add(plan.pictures, {"kind": kinds})
    asked = [item for item in plan.pictures if times[item]]
    plan.queries.add(asked, {"item_id": asked})
    for item, _, name in kept:
        own = name if name not in used else f"text {name}"
        while own in used:
            own += "+"
        used.add(own)
        plan.texts.append(own)
        plan.qrels += [(item, own, 1.0), (own, item, 1.0)]
    texts = [text for _, text, _ in kept]
    plan.items.add(plan.texts, {"kind": ["text"] * len(texts), "caption": texts})
    plan.queries.add(plan.texts, {"text": texts})
    plan.of_queries = "a picture asks for its texts, a text for its picture"
    bare = [item for item in plan.pictures if not times[item]]
    found.count("captions", bare, "pictures without a text", "texts; they are searched")
