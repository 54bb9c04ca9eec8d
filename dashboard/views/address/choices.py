"""Every choice that an address can hold: key, meaning, default, and how its text is read.

To add a choice, add one field to `View`. `python -m dashboard keys` prints them. A value that
cannot be used is never replaced by the default.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from dashboard.evaluation.metrics.registry import check_averaged, parse
from dashboard.evaluation.protocols import PROTOCOLS, protocol_of
from dashboard.evaluation.reviewing.corrections import LEFT_ALONE
from dashboard.experiment import measuring
from dashboard.experiment.collection import collections, media
from dashboard.experiment.protocols import context_study
from dashboard.experiment.reviews.corrections import CORRECTED, GIVEN
from dashboard.letters import is_visible
from dashboard.tables import LONGEST_TEXT
from dashboard.views.address.collection_in_view import read_submissions
from dashboard.views.address.columns import COLUMNS, LINE, as_in_lists, columns_of
from dashboard.views.address.reading import (
    NOTHING,
    Choice,
    Default,
    Reader,
    Together,
    always,
    id_or_nothing,
    number,
    one_of,
    one_of_its,
    whole,
)

WHICH_QUERIES = ("text", "item", "all")
OUTCOMES = {
    "all": "All",
    "worse": "Worse",
    "lost_first": "Hit at rank 1 lost",
    "broke": "All hits lost",
    "same": "Same",
    "better": "Better",
    "null": "Not scored",
    "nothing_relevant": "No relevant items",
}
NAMES = {"source": "As in the source", "standard": "Standard"}
SHOWN = ("5", "10", "20", "50")
DIFFERING = {"no": "All results", "yes": "Differences only"}
TEST_NAMES = {"whole": "All", "1K": "COCO 1K", "five-fold 1K": "COCO five-fold 1K"}
JUDGING = ("no", "yes")
DENSITIES = {"compact": "Compact", "comfortable": "Comfortable"}
COPIES = {"counted": "Counted", "left_out": "Left out"}
LABELS = {GIVEN: "As given", CORRECTED: "With corrections"}


def _with_lists(usual: str) -> Default:
    """A default where people saw lists, nothing elsewhere."""
    words = f"{usual} where there are lists, else nothing"
    return Default(words, lambda c: usual if context_study.has_lists(c) else "")


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
    if text and name not in measuring.slices_of(collection).get(by, ()):
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


def _labels(text: str, collection: Any) -> str:
    value, protocol = (
        one_of("kind of labels", LABELS)(text, collection),
        protocols_of(collection)[0],
    )
    if value == CORRECTED and protocol in LEFT_ALONE:
        raise ValueError(f"asks for corrected labels; the protocol {protocol} has them as given")
    return str(value)


def _picture(text: str, collection: Any) -> str:
    if text and not media.is_saved(text):
        raise ValueError("asks for a picture that is no longer stored; upload it again")
    return text


def _in_rows(collection: Any) -> bool:
    return PROTOCOLS[protocols_of(collection)[0]].in_rows


def protocols_of(collection: Any) -> list[str]:
    """The protocols of a collection that there are."""
    return [protocol for protocol in collection.protocols if protocol in PROTOCOLS]


_usable_version = one_of_its("model version", lambda c: c.versions)


def _version(text: str, collection: Any) -> str:
    if text in collection.broken and text not in collection.versions:
        raise ValueError(f"asks for the version {text[:80]!r}: {collection.broken[text]}")
    return str(_usable_version(text, collection))


_place = whole("missed item", 1, 10_000_000)
_item = id_or_nothing("item", lambda c, text: (c.items["item_id"] == text).any())
_version_of_it = Reader("a version of the collection, or a submission", _version)
_free_text = Reader(f"a text of at most {LONGEST_TEXT:,} characters", _text)
_low_and_high = Reader("two numbers, such as -0.4..-0.2", _range)


def key(
    means: str,
    default: Default,
    read: Reader,
    *,
    changes_numbers: bool = False,
    many: bool = False,
    together: Together | None = None,
    of_one_query: bool = False,
) -> Any:
    """A field of `View` that a key of the address holds."""
    choice = Choice(means, default, read, changes_numbers, many, together, of_one_query)
    return field(metadata={"choice": choice})


@dataclass(kw_only=True)
class View:
    """What a link asks for: the one value that every screen is drawn from, a field for each key.

    A choice that a link asks for and that cannot be followed is None in place of its value: the
    screen says so, and `frame.need` stops it before it computes anything from it.
    """

    collection: str
    baseline: str = key(
        "the version to compare with",
        Default("the collection's, else its first", lambda c: c.default_baseline),
        _version_of_it,
    )
    candidate: str = key(
        "the version under test",
        Default("the collection's, else its last", lambda c: c.default_candidate),
        _version_of_it,
    )
    runs: tuple[str, ...] = key(
        "the versions on the Overview",
        Default("all versions", lambda c: c.versions),
        _version_of_it,
        many=True,
    )
    protocol: str = key(
        "the protocol that judges the results",
        Default("the collection's first", lambda c: protocols_of(c)[0]),
        one_of_its("protocol", protocols_of),
        changes_numbers=True,
    )
    submissions: tuple[str, ...] = key(
        "submitted features, shown as versions",
        Default("none", lambda c: ()),
        Reader("NAME=GALLERY.npy,QUERIES.npy", _text),
        changes_numbers=True,
        many=True,
        together=read_submissions,
    )
    metric: str = key(
        "the selected metric",
        Default("the protocol's", lambda c: str(protocol_of(c, protocols_of(c)[0]).front)),
        Reader("a metric, such as nDCG@10", _metric),
    )
    queries: str = key(
        "kind of queries",
        Default("text, else item", collections.usual_queries),
        one_of("kind of queries", WHICH_QUERIES),
        changes_numbers=True,
    )
    slice: str = key(
        "the query slice",
        NOTHING,
        Reader("COLUMN=VALUE, such as pv_object_type=bicyclist", _slice),
        changes_numbers=True,
    )
    groups: tuple[str, ...] = key(
        "the keyword groups that decide relevance",
        Default("the collection's default groups", lambda c: c.default_groups),
        one_of_its("keyword group", lambda c: c.groups),
        changes_numbers=True,
        many=True,
    )
    mapping_threshold: float = key(
        "keyword match threshold: the lowest similarity of a phrase and its keyword",
        Default("the collection's", lambda c: c.mapping_threshold),
        number("keyword match threshold", 0, 1),
        changes_numbers=True,
    )
    min_similarity: float = key(
        "similarity threshold: results below it are removed; P@K still divides by K",
        always(-1.0),
        number("similarity threshold", -1, 1),
        changes_numbers=True,
    )
    anyway: str = key(
        "yes: compare versions that are not comparable",
        always("no"),
        one_of("answer", ("no", "yes")),
    )
    by: str = key(
        "what the screen Slices divides the queries by",
        Default("the first that it has", lambda c: next(iter(measuring.slices_of(c)), "")),
        one_of_its("slicing", measuring.slices_of),
    )
    names: str = key(
        "metric names: of the protocol's source, or standard",
        always("source"),
        one_of("kind of names", NAMES),
    )
    outcome: str = key(
        "only queries with this outcome",
        always("all"),
        one_of("outcome", OUTCOMES),
    )
    between: str = key("only queries with a difference in this range", NOTHING, _low_and_high)
    at: str = key(
        "only queries with these values of baseline and candidate", NOTHING, _low_and_high
    )
    find: str = key("only queries that contain this text", NOTHING, _free_text)
    shown: str = key(
        "results per version",
        always("10"),
        one_of("{} results", SHOWN),
    )
    columns: str = key(
        "cards per row; line scrolls",
        Default(
            f"{LINE}; under context as many as in the lists",
            lambda c: as_in_lists(c) if _in_rows(c) else LINE,
        ),
        Reader(
            f"{LINE}, {', '.join(map(str, COLUMNS))}, or as many as in the lists",
            one_of_its("{} cards per row", columns_of),
        ),
    )
    density: str = key(
        "how much stands on a card; the rest of a compact one shows on hover and focus",
        always("compact"),
        one_of("density", DENSITIES),
    )
    judging: str = key(
        "yes: review mode, in which keys judge the focused result",
        always("no"),
        one_of("answer", JUDGING),
    )
    also: str = key(
        "additional versions with a row of results",
        NOTHING,
        Reader("versions with commas between them", _versions),
    )
    missed: str = key(
        "the first missed item that is shown",
        NOTHING,
        Reader(_place.values, lambda text, collection: text and _place(text, collection)),
        of_one_query=True,
    )
    differing: str = key(
        "yes: only results with another rank in another version",
        always("no"),
        one_of("answer", DIFFERING),
    )
    copies: str = key(
        "whether near-duplicates count in the results and the metrics",
        always("counted"),
        one_of("choice of near-duplicates", COPIES),
        changes_numbers=True,
    )
    labels: str = key(
        "labels as given in the collection's files, or with the reviewers' corrections",
        always(GIVEN),
        Reader(", ".join(LABELS), _labels),
        changes_numbers=True,
    )
    query: str = key(
        "the open query", NOTHING, id_or_nothing("query", lambda c, text: text in c.query_ids)
    )
    clip: str = key("the open clip or picture", NOTHING, _item, of_one_query=True)
    beside: str = key("the clip or picture beside the open one", NOTHING, _item, of_one_query=True)
    review: str = key(
        "the open review, on the screen Reviews",
        NOTHING,
        Reader("its id", lambda text, collection: text[:40]),
    )
    test: str = key(
        "test of image–text matching: the whole gallery, or COCO's of 1,000 pictures",
        always("whole"),
        one_of("test", TEST_NAMES),
        changes_numbers=True,
    )
    pair: str = key("the item whose hash code is compared with the query's", NOTHING, _item)
    list: str = key(
        "the open list of a participant",
        NOTHING,
        id_or_nothing("list", lambda c, text: (context_study.list_ids(c.name) == text).any()),
        of_one_query=True,
    )
    rows: str = key(
        "rows per list: shorter lists do not count",
        _with_lists("10"),
        whole("number of rows", 1, 1_000),
        changes_numbers=True,
    )
    window: str = key(
        "window of the context-aware gain, in pictures",
        _with_lists("10"),
        whole("window", 1, 10_000),
        changes_numbers=True,
    )
    divide: str = key(
        "window divisor: window (its pictures) or w (always its size)",
        _with_lists("window"),
        one_of("divisor", ("window", "w")),
        changes_numbers=True,
    )
    average: str = key(
        "AVG over pictures, or over row means",
        _with_lists("pictures"),
        one_of("average", ("pictures", "rows")),
        changes_numbers=True,
    )
    text: str = key("the search text", NOTHING, _free_text, changes_numbers=True)
    item: str = key("the item to search with", NOTHING, _item, changes_numbers=True)
    picture: str = key(
        "the uploaded picture to search with; text describes its target",
        NOTHING,
        Reader("its fingerprint", _picture),
        changes_numbers=True,
    )


CHOICES: dict[str, Choice] = {
    each.name: each.metadata["choice"] for each in fields(View) if "choice" in each.metadata
}
NOTHING_OPEN = {key: "" for key, choice in CHOICES.items() if choice.of_one_query}
"""What the keys that belong to the open query hold where another one is opened."""
