"""What is sent to the cards: plain values from tables, built without Streamlit."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import quote

import pandas as pd

from dashboard.evaluation.diagnosis.case import Pair
from dashboard.views.cards import captions
from dashboard.views.cards.captions import LABEL
from dashboard.views.cards.head import Head
from dashboard.views.cards.values import (
    Once,
    Record,
    flag_of,
    list_of,
    number_of,
    text_of,
    whole_of,
)
from dashboard.views.texts import shown


@dataclass(frozen=True)
class Row:
    """One row of cards: the results of a version, its whole ranking, the ideal order, or what was
    missed.

    results: item_id, rank, score in the order shown, note where there is one; rank and score may
        be null (missed). before: the results with those that were hidden, where movements and hits
        are counted; None: none were hidden.
    colour, shape: the version's, as #rrggbb and as a symbol of the charts.
    measure, value: such as nDCG@5 and its value for this query.
    note: a sentence under the name, such as why there is nothing to show.
    total: how many items there are where the row shows a page of them, else 0.
    previous_page, next_page: the place of the first item of that page; 0: there is none.
    answered: whether the version could be asked; from one that could not nothing moves.
    """

    name: str
    results: pd.DataFrame
    colour: str = ""
    role: Literal["version", "whole", "ideal", "missed"] = "version"
    measure: str = ""
    value: float | None = None
    note: str = ""
    before: pd.DataFrame | None = None
    shape: str = ""
    total: int = 0
    previous_page: int = 0
    next_page: int = 0
    answered: bool = True

    @cached_property
    def item_ids(self) -> list[str]:
        """The ids of its results. Each look into a table leaves a reference in it, which pandas
        clears away by hundreds: too many where tables are remembered."""
        ids: list[str] = self.results["item_id"].tolist()
        return ids

    @property
    def every(self) -> pd.DataFrame:
        """The results with those that are hidden."""
        return self.results if self.before is None else self.before


def payload(
    rows: Sequence[Row],
    items: pd.DataFrame | Sequence[Record],
    *,
    required: Sequence[Pair] = (),
    ticks: Mapping[str, Sequence[bool | None]] = MappingProxyType({}),
    places: Mapping[str, Mapping[str, tuple[int, float]]] = MappingProxyType({}),
    annotations: Mapping[str, Sequence[Pair]] = MappingProxyType({}),
    baseline: str = "",
    columns: int | None = None,
    depth: int | None = None,
    askable: Container[str] = frozenset(),
    head: Head | None = None,
) -> dict[str, Any]:
    """Everything that the component draws, as values that JSON can hold.

    items: one row for each item that is shown or open: item_id and the columns of
        `media.media_of`; also, where known, hit (True, False, null: not judged),
        matched, required, outside (no item of the collection: nobody judged it), note, why (cause,
        short, sentence; null: none), twins (name, what says so, id of each), reviewed (what
        reviewers said in words, and their last words one by one).
    required: the keywords that the query asks for, each with its group, once.
    ticks: for each item whether it has each of these (null: it has no annotation).
    places: version → rank and score of each item that it ranks, to its whole depth.
    annotations: the keywords of each item that has some.
    baseline: the row that movements start from. columns: cards side by side; None: one line.
    depth: how many results the metric looks at; None: all.
    askable: the items that some version can be searched with.
    head: what stands above the rows; None: nothing.
    """
    records = items.to_dict("records") if isinstance(items, pd.DataFrame) else items
    known: dict[str, Record] = {str(record["item_id"]): record for record in records}
    index = {item_id: number for number, item_id in enumerate(known)}
    placed = {version: of for version, of in places.items() if of}
    keywords = {
        pair: number for number, pair in enumerate(dict.fromkeys(chain(*annotations.values())))
    }
    whys, stems = Once(), Once()
    can = [number for item_id, number in index.items() if item_id in askable]
    built = {
        "rows": [_row(row, rows, baseline, known, index) for row in rows],
        "items": [
            _item(record, captions.longest(len(known)), whys, stems)
            | {
                "ticks": list(ticks.get(item_id, [None] * len(required))),
                "annotations": [keywords[pair] for pair in annotations.get(item_id, ())],
                "places": [
                    [number, whole_of(of[item_id][0]), number_of(of[item_id][1])]
                    for number, of in enumerate(placed.values())
                    if item_id in of
                ],
            }
            for item_id, record in known.items()
        ],
        "whys": whys.values,
        "stems": stems.values,
        "keywords": captions.words(keywords),
        "versions": [shown(version, LABEL) for version in placed],
        "required": captions.words(required),
        "ways": [[shown(row.name, LABEL), row.colour, row.shape] for row in rows if row.colour],
        "columns": columns,
        "depth": depth,
        "askable": len(can) == len(index) or can,
        **({} if head is None else {"head": head.record()}),
    }
    json.dumps(built, allow_nan=False)  # a number that JSON cannot hold would kill the component
    return built


def captions_of(looks: Iterable[Record]) -> dict[str, str]:
    """The caption of each item, of which a card may have a part."""
    return {str(look["item_id"]): text_of(look, "caption") for look in looks}


def opened(
    texts: Mapping[str, str],
    *,
    selected: str | None = None,
    beside: str | None = None,
    answer: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What changes while one looks at a grid: the item that is open, by its number among the items.

    texts: the caption of each item.
    beside: the item that plays in step with it. answer: what came of a verdict: the name of its
    saying, and what was wrong. text: the caption of the open item, where its card has a part of it,
    and how much of it that is, in words.
    """
    index = {item_id: number for number, item_id in enumerate(texts)}
    return {
        "selected": index.get(selected or ""),
        "beside": index.get(beside or ""),
        "answer": None if answer is None else list(answer),
        "text": captions.whole(texts.get(selected or "", ""), len(texts)),
    }


def movement(rank: float | None, before: float | None, depth: int) -> str:
    """How a result moved since the baseline, which showed `depth` results: ↑3, ↓2, same, new."""
    if rank is None:
        return ""
    if before is None or before > depth:
        return "new"
    if before == rank:
        return "same"
    return f"{'↑' if before > rank else '↓'}{abs(int(before - rank)):,}"


def _row(
    row: Row,
    rows: Sequence[Row],
    baseline: str,
    known: Mapping[str, Record],
    index: Mapping[str, int],
) -> dict[str, Any]:
    found = [record for record in _records(row.results) if record["item_id"] in known]
    moves = _moves(row, rows, baseline)
    results = [
        {
            "item": index[record["item_id"]],
            "rank": whole_of(record.get("rank")),
            "score": number_of(record.get("score")),
            **({"move": moves[record["item_id"]]} if moves.get(record["item_id"]) else {}),
            **({"note": shown(str(record["note"]), LABEL)} if record.get("note") else {}),
        }
        for record in found
    ]
    every = [known[i] for i in row.every["item_id"] if i in known]
    hits = [None if item.get("outside") else flag_of(item.get("hit")) for item in every]
    return {
        "name": shown(row.name, LABEL),
        "role": row.role,
        "colour": row.colour,
        "shape": row.shape,
        "measure": shown(row.measure, LABEL),
        "value": number_of(row.value, 12),
        "note": shown(row.note),
        "hits": sum(hit is True for hit in hits),
        "judged": sum(hit is not None for hit in hits),
        "number": len(hits),
        "total": row.total,
        "previous_page": row.previous_page,
        "next_page": row.next_page,
        "results": results,
    }


def _records(results: pd.DataFrame) -> Iterator[Record]:
    """The rows of a table as far as a card shows them."""
    columns = [name for name in ("item_id", "rank", "score", "note") if name in results]
    values = [results[name].tolist() for name in columns]
    return (dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True))


def _moves(row: Row, rows: Sequence[Row], baseline: str) -> dict[str, str]:
    """How each result moved; in the baseline's own row what no other version shows is gone."""
    asked = [other for other in rows if other.role == "version" and other.answered]
    versions = {other.name: other.every for other in asked}
    if row.role != "version" or baseline not in versions or len(versions) < 2:
        return {}
    if row.name == baseline:
        others = [frame["item_id"] for version, frame in versions.items() if version != baseline]
        still = set().union(*others)
        return {item_id: "gone" for item_id in row.item_ids if item_id not in still}
    old = versions[baseline]
    before = dict(zip(old["item_id"], old["rank"], strict=True))
    ranks = zip(row.item_ids, row.results["rank"], strict=True)
    return {
        item: movement(whole_of(rank), whole_of(before.get(item)), len(old)) for item, rank in ranks
    }


def _item(record: Record, longest: int, whys: Once, stems: Once) -> dict[str, Any]:
    """What is empty is left out where the script knows what that means."""
    kind = text_of(record, "kind") or "none"
    item_id, label = record["item_id"], shown(record["item_id"], LABEL)
    caption, few = captions.cut(text_of(record, "caption"), longest)
    optional = {
        "few": few,
        "label": label if label != item_id else "",
        "kind": kind if kind != "clip" else "",
        "problem": shown(text_of(record, "problem"), LABEL),
        "note": shown(text_of(record, "note"), LABEL),
        "span": _span(record),
        "why": whys.places([shown(words, None) for words in list_of(record, "why")]),
        "poster": _address(record, "poster", stems),
        "media": _address(record, "clip", stems),
        "twins": [[shown(word, LABEL) for word in twin] for twin in list_of(record, "twins")],
        "reviewed": list_of(record, "reviewed"),
    }
    return {
        "id": item_id,
        "caption": caption,
        "hit": flag_of(record.get("hit")),
        "matched": whole_of(record.get("matched")),
        "required": whole_of(record.get("required")),
        **{key: value for key, value in optional.items() if value},
    }


def _span(record: Record) -> list[Any]:
    """From where to where in its file an item lies, and whether the file's length may tell
    otherwise; empty: all of it."""
    begin, end = number_of(record.get("begin")), number_of(record.get("end"))
    if (begin, end) == (None, None):
        return []
    return [begin, end, True] if record.get("length_decides") else [begin, end]


def _address(record: Record, column: str, stems: Once) -> list[Any]:
    """An address as the number of its stem, with a star for the item's id, and its version."""
    address = text_of(record, column).replace(quote(str(record["item_id"]), safe=""), "*", 1)
    stem, sign, version = address.rpartition("=")
    return [*stems.places(stem + sign), version] if address else []


def needed(rows: Iterable[Row], *selected: str | None) -> list[str]:
    """The ids of all items that are shown or open, each once: what to look media up for."""
    ids = [item_id for row in rows for item_id in row.item_ids]
    return list(dict.fromkeys(ids + [item_id for item_id in selected if item_id]))
