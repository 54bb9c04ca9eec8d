"""Every choice that an address can hold: key, meaning, default, and how its text is read.

To add a choice, add one line to CHOICES and its field to `View`. `read` gives the value or raises
ValueError with what was found and wanted; nothing is ever replaced by a default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dashboard.evaluation.metrics.registry import check_averaged, parse
from dashboard.evaluation.protocols import PROTOCOLS, protocol_of
from dashboard.experiment import collections, context_study, measuring, media
from dashboard.letters import is_visible
from dashboard.tables import LONGEST_TEXT
from dashboard.views.address.columns import LINE, as_in_lists, columns_of
from dashboard.views.address.reading import Choice, id_or_nothing, number, one_of, whole
from dashboard.views.address.seen import read_submissions

WHICH_QUERIES = ("text", "item", "all")
OUTCOMES = {
    "all": "All",
    "worse": "Worse",
    "lost_first": "Lost the first hit",
    "broke": "Was right, now wrong",
    "same": "Same",
    "better": "Better",
    "null": "Not scored",
    "nothing_relevant": "Nothing relevant exists",
}
NAMES = {"source": "As in the source", "standard": "Standard"}
SHOWN = ("5", "10", "20", "50")
DIFFERING = {"no": "All results", "yes": "Differences only"}
TEST_NAMES = {"whole": "All", "1K": "COCO 1K", "five-fold 1K": "COCO five-fold 1K"}
COPIES = {"counted": "Counted", "left_out": "Left out"}


def _with_lists(usual: str) -> Callable[[Any], str]:
    """A default where people saw lists, nothing elsewhere."""
    return lambda collection: usual if context_study.has_lists(collection) else ""


def _metric(text: str, collection: Any) -> str:
    try:
        measures = parse(text)
    except ValueError as error:
        raise ValueError(f"asks for the metric {text[:80]!r}: {error}") from None
    if len(measures) != 1:
        raise ValueError(f"asks for the metric {text[:80]!r}; choose one, such as nDCG@10")
    check_averaged(measures[0].name)
    return str(measures[0])


def _slice(text: str, collection: Any) -> str:
    by, _, name = text.partition("=")
    if text and name not in measuring.known_slices(collection).get(by, ()):
        raise ValueError(f"asks for the slice {text[:80]!r}, which this collection does not have")
    return text


def _versions(text: str, collection: Any) -> str:
    for version in text.split(",") if text else ():
        _version(version, collection)
    return text


def _range(text: str, collection: Any) -> str:
    parts = text.split("..") if text else []
    if parts and len(parts) != 2:
        raise ValueError(f"asks for the range {text[:40]!r}; write two numbers, such as -0.4..-0.2")
    for part in parts:
        number("bound", -1e9, 1e9)(part, collection)
    return text


def _text(text: str, collection: Any) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"holds a text of {len(text):,} characters; at most {LONGEST_TEXT:,} fit")
    return text.strip() if is_visible(text) else ""


def _picture(text: str, collection: Any) -> str:
    if text and not media.is_saved(text):
        raise ValueError("asks for a picture that is no longer stored; upload it again")
    return text


def _nothing(collection: Any) -> str:
    return ""


def _in_rows(collection: Any) -> bool:
    return PROTOCOLS[protocols_of(collection)[0]].in_rows


def protocols_of(collection: Any) -> list[str]:
    """The protocols of a collection that there are."""
    return [protocol for protocol in collection.protocols if protocol in PROTOCOLS]


_usable_version = one_of("model version", lambda c: c.versions)


def _version(text: str, collection: Any) -> str:
    if text in collection.broken and text not in collection.versions:
        raise ValueError(f"asks for the version {text[:80]!r}: {collection.broken[text]}")
    return _usable_version(text, collection)


_item = id_or_nothing("item", lambda c: c.items["item_id"])

CHOICES: dict[str, Choice] = {
    "baseline": Choice(
        "the version that others are compared with", lambda c: c.default_baseline, _version
    ),
    "candidate": Choice("the version in question", lambda c: c.default_candidate, _version),
    "runs": Choice("the versions on the overview", lambda c: c.versions, _version, many=True),
    "protocol": Choice(
        "whose rules judge the results",
        lambda c: protocols_of(c)[0],
        one_of("protocol", lambda c: protocols_of(c)),
    ),
    "submissions": Choice(
        "features that stand among the versions: NAME=GALLERY.npy,QUERIES.npy",
        lambda c: (),
        _text,
        many=True,
        together=read_submissions,
    ),
    "metric": Choice(
        "the metric in front, such as nDCG@10",
        lambda c: str(protocol_of(c, protocols_of(c)[0]).front),
        _metric,
    ),
    "queries": Choice(
        "text queries, item queries or all",
        collections.usual_queries,
        one_of("kind of queries", lambda c: WHICH_QUERIES),
    ),
    "slice": Choice(
        "only a part of the queries, such as pv_object_type=bicyclist", _nothing, _slice
    ),
    "groups": Choice(
        "the semantic groups whose keywords decide what is relevant",
        lambda c: c.default_groups,
        one_of("keyword group", lambda c: c.groups),
        many=True,
    ),
    "mapping_threshold": Choice(
        "the least similarity at which words of a query count as a keyword",
        lambda c: c.mapping_threshold,
        number("keyword match threshold", 0, 1),
    ),
    "min_similarity": Choice(
        "results less similar than this are left out; the divisor stays K",
        lambda c: -1.0,
        number("similarity threshold", -1, 1),
    ),
    "anyway": Choice(
        "yes: versions are compared although they are not comparable",
        lambda c: "no",
        one_of("answer", lambda c: ("no", "yes")),
    ),
    "by": Choice(
        "what the slices divide the queries by",
        lambda c: next(iter(measuring.known_slices(c)), ""),
        one_of("slicing", measuring.known_slices),
    ),
    "names": Choice(
        "metric names of the source or of the field",
        lambda c: "source",
        one_of("kind of names", lambda c: NAMES),
    ),
    "outcome": Choice(
        "queries with this outcome: worse, better, lost_first, broke, …",
        lambda c: "all",
        one_of("outcome", lambda c: OUTCOMES),
    ),
    "between": Choice("only queries with a difference in this range: low..high", _nothing, _range),
    "at": Choice("only queries with these values: baseline..candidate", _nothing, _range),
    "find": Choice("only queries whose words hold this", _nothing, _text),
    "shown": Choice(
        "how many results a row shows",
        lambda c: "10",
        one_of("{} results", lambda c: SHOWN),
    ),
    "columns": Choice(
        "how many cards stand side by side: line, 3, 4, 5, 6, 10 or as many as in the lists",
        lambda c: as_in_lists(c) if _in_rows(c) else LINE,
        one_of("{} cards per row", columns_of),
    ),
    "also": Choice(
        "further versions with a row of results, with commas between them", _nothing, _versions
    ),
    "missed": Choice(
        "the first of the missed items that their row shows",
        _nothing,
        lambda text, collection: text and whole("missed item", 1, 10_000_000)(text, collection),
    ),
    "differing": Choice(
        "only results that stand elsewhere in another version: yes or no",
        lambda c: "no",
        one_of("answer", lambda c: DIFFERING),
    ),
    "copies": Choice(
        "near-duplicates: counted, or left_out of the results and the metrics",
        lambda c: "counted",
        one_of("choice of near-duplicates", lambda c: COPIES),
    ),
    "query": Choice(
        "the query that is open",
        _nothing,
        id_or_nothing("query", lambda c: c.queries["query_id"]),
    ),
    "clip": Choice("the clip or picture that is open", _nothing, _item),
    "beside": Choice("the clip that plays in step with the open one", _nothing, _item),
    "test": Choice(
        "of image–text matching: whole, or COCO's 1K or five-fold 1K",
        lambda c: "whole",
        one_of("test", lambda c: TEST_NAMES),
    ),
    "pair": Choice("the item whose hash code is held against the query's", _nothing, _item),
    "list": Choice(
        "the list that is open, of those that people saw",
        _nothing,
        id_or_nothing("list", lambda c: context_study.list_ids(c.name)),
    ),
    "rows": Choice(
        "how many rows of the lists count, of lists that have them",
        _with_lists("10"),
        whole("number of rows", 1, 1_000),
    ),
    "window": Choice(
        "over how many pictures the context-aware gain is averaged",
        _with_lists("10"),
        whole("window", 1, 10_000),
    ),
    "divide": Choice(
        "by what: window, the pictures in it, or w, always its size",
        _with_lists("window"),
        one_of("divisor", lambda c: ("window", "w")),
    ),
    "average": Choice(
        "what AVG is the mean of: all pictures, or the means of the rows of the grid",
        _with_lists("pictures"),
        one_of("average", lambda c: ("pictures", "rows")),
    ),
    "text": Choice("the text searched for", _nothing, _text),
    "item": Choice("the item searched with", _nothing, _item),
    "picture": Choice(
        "the uploaded picture searched with: its fingerprint; text says what it should find",
        _nothing,
        _picture,
    ),
}
