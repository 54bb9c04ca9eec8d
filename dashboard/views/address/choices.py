"""Every choice that an address can hold: key, meaning, default, and how its text is read.

To add a choice, add one line to CHOICES. `read` gives the value or raises ValueError with what was
found and wanted; nothing is ever replaced by a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.evidence import LONGEST_TEXT, is_visible
from dashboard.views import cached

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
COLUMNS = {"line": "One line", "3": "3", "5": "5", "6": "6", "10": "10"}
DIFFERING = {"no": "All results", "yes": "Only what differs"}
COPIES = {"counted": "Counted", "left_out": "Left out"}


@dataclass(frozen=True)
class Choice:
    """One key of the address; `many` marks a key that may stand in it more than once."""

    means: str
    default: Callable[[Any], Any]
    read: Callable[[str, Any], Any]
    many: bool = False


def _one_of(what: str, allowed: Callable[[Any], Iterable[str]]) -> Callable[[str, Any], str]:
    def read(text: str, collection: Any) -> str:
        known = list(allowed(collection))
        if text in known:
            return text
        few = ", ".join(known[:12]) or "none"
        raise ValueError(f"there is no {what} {text[:80]!r}; there is {few}")

    return read


def _id_or_nothing(what: str, ids: Callable[[Any], Any]) -> Callable[[str, Any], str]:
    def read(text: str, collection: Any) -> str:
        if text and not (ids(collection) == text).any():
            raise ValueError(f"there is no {what} {text[:80]!r} in this collection (any more)")
        return text

    return read


def _number(low: float, high: float) -> Callable[[str, Any], float]:
    def read(text: str, collection: Any) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise ValueError(f"found {text[:20]!r}, wanted a number from {low:g} to {high:g}")
        return round(value, 4)

    return read


def _metric(text: str, collection: Any) -> str:
    measures = parse(text)
    if len(measures) != 1:
        raise ValueError(f"found {text[:80]!r}, wanted one metric, such as nDCG@10")
    return str(measures[0])


def _slice(text: str, collection: Any) -> str:
    by, _, name = text.partition("=")
    if text and name not in cached.known_slices(collection).get(by, ()):
        raise ValueError(f"there is no {name[:80]!r} among the queries by {by[:80]!r}")
    return text


def _versions(text: str, collection: Any) -> str:
    for version in text.split(",") if text else ():
        _version(version, collection)
    return text


def _range(text: str, collection: Any) -> str:
    parts = text.split("..") if text else []
    if parts and len(parts) != 2:
        raise ValueError(f"found {text[:40]!r}, wanted two numbers, such as -0.4..-0.2")
    for part in parts:
        _number(-1e9, 1e9)(part, collection)
    return text


def _text(text: str, collection: Any) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"found {len(text):,} characters, wanted at most {LONGEST_TEXT:,}")
    return text.strip() if is_visible(text) else ""


def _nothing(collection: Any) -> str:
    return ""


def protocols_of(collection: Any) -> list[str]:
    """The protocols of a collection that there are."""
    return [protocol for protocol in collection.protocols if protocol in PROTOCOLS]


_version = _one_of("model version", lambda c: c.versions)
_item = _id_or_nothing("item", lambda c: c.items["item_id"])

CHOICES: dict[str, Choice] = {
    "baseline": Choice(
        "the version that others are compared with", lambda c: c.default_baseline, _version
    ),
    "candidate": Choice("the version in question", lambda c: c.default_candidate, _version),
    "runs": Choice("the versions on the overview", lambda c: c.versions, _version, many=True),
    "protocol": Choice(
        "whose rules judge the results",
        lambda c: protocols_of(c)[0],
        _one_of("protocol", lambda c: protocols_of(c)),
    ),
    "metric": Choice(
        "the metric in front, such as nDCG@10",
        lambda c: str(PROTOCOLS[protocols_of(c)[0]].at(c.cutoffs).front),
        _metric,
    ),
    "queries": Choice(
        "text queries, item queries or all",
        cached.usual_queries,
        _one_of("kind of queries", lambda c: WHICH_QUERIES),
    ),
    "slice": Choice(
        "only a part of the queries, such as pv_object_type=bicyclist", _nothing, _slice
    ),
    "groups": Choice(
        "the semantic groups whose keywords decide what is relevant",
        lambda c: c.default_groups,
        _one_of("keyword group", lambda c: c.groups),
        many=True,
    ),
    "mapping_threshold": Choice(
        "the least similarity at which words of a query count as a keyword",
        lambda c: c.mapping_threshold,
        _number(0, 1),
    ),
    "min_similarity": Choice(
        "results less similar than this are left out; the divisor stays K",
        lambda c: -1.0,
        _number(-1, 1),
    ),
    "anyway": Choice(
        "yes: versions are compared although they are not comparable",
        lambda c: "no",
        _one_of("answer", lambda c: ("no", "yes")),
    ),
    "by": Choice(
        "what the slices divide the queries by",
        lambda c: next(iter(cached.known_slices(c)), ""),
        _one_of("way to divide the queries", cached.known_slices),
    ),
    "names": Choice(
        "metric names of the source or of the field",
        lambda c: "source",
        _one_of("kind of names", lambda c: NAMES),
    ),
    "outcome": Choice(
        "queries with this outcome: worse, better, lost_first, broke, …",
        lambda c: "all",
        _one_of("outcome", lambda c: OUTCOMES),
    ),
    "between": Choice("only queries with a difference in this range: low..high", _nothing, _range),
    "at": Choice("only queries with these values: baseline..candidate", _nothing, _range),
    "find": Choice("only queries whose words hold this", _nothing, _text),
    "shown": Choice(
        "how many results a row shows",
        lambda c: "10",
        _one_of("number of results", lambda c: SHOWN),
    ),
    "columns": Choice(
        "how many cards stand side by side: line, 3, 5, 6 or 10",
        lambda c: "5" if protocols_of(c)[0] == "context" else "line",  # people saw a grid
        _one_of("number of columns", lambda c: COLUMNS),
    ),
    "also": Choice(
        "further versions with a row of results, with commas between them", _nothing, _versions
    ),
    "differing": Choice(
        "only results that stand elsewhere in another version: yes or no",
        lambda c: "no",
        _one_of("answer", lambda c: DIFFERING),
    ),
    "copies": Choice(
        "near-duplicates: counted, or left_out of the results and the metrics",
        lambda c: "counted",
        _one_of("way with near-duplicates", lambda c: COPIES),
    ),
    "query": Choice(
        "the query that is open",
        _nothing,
        _id_or_nothing("query", lambda c: c.queries["query_id"]),
    ),
    "clip": Choice("the clip or picture that is open", _nothing, _item),
    "beside": Choice("the clip that plays in step with the open one", _nothing, _item),
    "text": Choice("the text searched for", _nothing, _text),
    "item": Choice("the item searched with", _nothing, _item),
}
