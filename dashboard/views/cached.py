"""The command line's functions, remembered between reruns; the only place with st.cache_*.

Tables are shared between sessions and must not be changed by who gets them. What a result depends
on is its key: a `Question` of plain values with the content digest of its collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.evaluation import compare as comparing
from dashboard.evaluation import measure as measuring
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS, Judgement
from dashboard.evaluation.protocols.alfa import required_keywords as required_by
from dashboard.retrieval import encoders, keywords, runs
from dashboard.storage import collection as collections
from dashboard.storage import media
from dashboard.storage.collection import Collection
from dashboard.storage.freshness import stamp
from dashboard.tables import DataError

TYPED = "typed"


class Question(NamedTuple):
    """All that numbers depend on, beside the versions and the metrics.

    With `text` or `item` it is about this one typed or chosen query (its query_id is TYPED), else
    about the collection's stored queries of the kind `queries`.
    """

    collection: str
    digest: str
    protocol: str
    groups: tuple[str, ...]
    mapping_threshold: float
    min_similarity: float
    queries: str
    text: str = ""
    item: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a protocol judges from (tables of the collection; of its queries those in question)."""

    queries: pd.DataFrame
    items: pd.DataFrame
    keywords: pd.DataFrame
    query_keywords: pd.DataFrame
    qrels: pd.DataFrame | None


def collection_names() -> list[str]:
    """The names of the collections that can be opened, in order."""
    return collections.names()


def collection(name: str) -> tuple[Collection | None, str]:
    """The opened collection and "", or `None` and why it cannot be opened."""
    try:
        return _opened(name, stamp(name)), ""
    except DataError as error:
        return None, str(error)


def opened(name: str) -> Collection:
    """The opened collection that `collection` has already found usable."""
    return _opened(name, stamp(name))


def titles() -> dict[str, str]:
    """The name of each collection and its title (the name again where it cannot be opened)."""
    found = {name: collection(name)[0] for name in collection_names()}
    return {name: known.title if known else name for name, known in found.items()}


def query_names(name: str) -> dict[str, str]:
    """What each stored query is called: its text, or the item that it is about."""
    stored = opened(name).queries
    names = stored["text"].where(stored["text"] != "", "like " + stored["item_id"])
    return dict(zip(stored["query_id"], names, strict=True))


@st.cache_resource(max_entries=8, show_spinner="Opening the collection …")
def _opened(name: str, state: str) -> Collection:
    return collections.open_collection(name)


@st.cache_resource(max_entries=8, show_spinner=False)
def _keywords_of(name: str, digest: str) -> pd.DataFrame:
    known = opened(name).keywords[["group", "keyword"]]
    return known.drop_duplicates().sort_values(["group", "keyword"], ignore_index=True)


def keywords_of(collection: Collection) -> pd.DataFrame:
    """Every keyword that an item of the collection has, once: group, keyword."""
    return _keywords_of(collection.name, collection.digest)


def question(view: Any, *, live: bool = False) -> Question:
    """What this view's numbers depend on; `live` for the text or item that is searched with."""
    return Question(
        view.collection,
        opened(view.collection).digest,
        view.protocol,
        view.groups,
        view.mapping_threshold,
        view.min_similarity,
        view.queries,
        view.text if live else "",
        view.item if live and not view.text else "",
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def queries(asked: Question) -> pd.DataFrame:
    """The queries in question (table `queries`)."""
    if asked.text or asked.item:
        return pd.DataFrame({"query_id": [TYPED], "text": [asked.text], "item_id": [asked.item]})
    stored = opened(asked.collection).queries
    if asked.queries == "all":
        return stored
    return stored[(stored["text"] != "") == (asked.queries == "text")]


@st.cache_resource(max_entries=64, show_spinner=False)
def query_keywords(asked: Question) -> pd.DataFrame:
    """What the words of each text query map to: candidates with scores, `kept` marked."""
    known = opened(asked.collection)
    candidates = known.query_keywords
    if asked.text and _stored(asked):
        candidates = candidates[candidates["query_id"] == _stored(asked)].assign(query_id=TYPED)
    elif asked.text:
        candidates = keywords.candidates({TYPED: asked.text}, known.vocabulary)
    return keywords.keep(candidates, asked.mapping_threshold)


def evidence(asked: Question) -> Evidence:
    """What a protocol judges from. Raises DataError where a file of labels could not be used."""
    known = opened(asked.collection)
    known.check_evidence()
    return Evidence(
        queries=queries(asked),
        items=known.items,
        keywords=known.keywords,
        query_keywords=query_keywords(asked),
        qrels=known.qrels,
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def judgement(asked: Question) -> Judgement:
    """Which items are relevant to which query, by the protocol's rules and the chosen groups."""
    return PROTOCOLS[asked.protocol].judge(evidence(asked), asked.groups)


@st.cache_resource(max_entries=64, show_spinner=False)
def run(asked: Question, version: str) -> pd.DataFrame:
    """The ranked results of one version for the queries in question (table `run`)."""
    known = opened(asked.collection)
    everything = len(known.items)
    if asked.text:
        ranked = runs.text_run(known, version, asked.text, k=everything).assign(query_id=TYPED)
    elif asked.item:
        ranked = runs.item_run(known, version, asked.item, k=everything).assign(query_id=TYPED)
    else:
        ranked = runs.run_of(known, version, which=asked.queries)
    return ranked[ranked["score"] >= asked.min_similarity]


@st.cache_resource(max_entries=128, show_spinner=False)
def _measured(asked: Question, version: str, metrics: str) -> pd.DataFrame:
    protocol = PROTOCOLS[asked.protocol]
    found = {version: run(asked, version)}
    return measuring.measure(found, judgement(asked), protocol, parse(metrics))


def measurements(asked: Question, versions: tuple[str, ...], metrics: str) -> pd.DataFrame:
    """The value of each metric for each version and query (table `measurements`)."""
    return pd.concat([_measured(asked, v, metrics) for v in versions], ignore_index=True)


@st.cache_resource(max_entries=64, show_spinner=False)
def comparison(
    asked: Question, baseline: str, candidate: str, metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Baseline against candidate, a row a metric: means, difference, interval, p, counts.

    only: the query_ids to compare on; `None` for all in question.
    """
    measured = measurements(asked, (baseline, candidate), metrics)
    if only is not None:
        measured = measured[measured["query_id"].isin(only)]
    return comparing.compare(measured, baseline, candidate, groups=_scenes(asked))


def _scenes(asked: Question) -> Mapping[str, str] | None:
    """Which queries come from one scene and are therefore resampled together."""
    known = queries(asked)
    if "scene" not in known.columns:
        return None
    in_scene = known[known["scene"] != ""]
    return dict(zip(in_scene["query_id"], in_scene["scene"], strict=True))


@st.cache_resource(max_entries=64, show_spinner=False)
def required_keywords(asked: Question) -> pd.DataFrame:
    """The keywords that each query asks for, of every group: query_id, group, keyword."""
    return required_by(evidence(asked))


def media_of(name: str, item_ids: Sequence[str]) -> pd.DataFrame:
    """How items are shown: addresses of clip and poster, or the word for what is wrong with them.

    Not remembered: whether a file is there is looked up each time.
    """
    return media.media(opened(name), item_ids)


@st.cache_resource(show_spinner=False)
def _loading_text_model() -> Any:
    return encoders.warm()


def load_text_model() -> None:
    """Begin to load the text model in the background, once; screens call it when they are drawn."""
    _loading_text_model()


def text_model() -> str:
    """The state of the text model: ready, loading or failed."""
    if encoders.ready():
        return "ready"
    return "loading" if _loading_text_model().is_alive() else "failed"


def needs_text_model(asked: Question) -> bool:
    """Whether the text is not one of the stored queries, whose keywords and vectors are known."""
    return bool(asked.text) and not _stored(asked)


def _stored(asked: Question) -> str:
    """The id of the stored query with exactly this text, if there is one."""
    known = opened(asked.collection).queries
    same = known.loc[known["text"] == asked.text, "query_id"]
    return str(same.iloc[0]) if asked.text and len(same) else ""
