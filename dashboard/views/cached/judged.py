"""What is asked, which items are relevant to it, and what each version found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard.evaluation import duplicates
from dashboard.evaluation.pairing import of_item
from dashboard.evaluation.protocols import PROTOCOLS, Judgement
from dashboard.evaluation.protocols.alfa import own_items
from dashboard.evaluation.protocols.alfa import required_keywords as required_by
from dashboard.retrieval import comparable, keywords, runs
from dashboard.retrieval.runs import TYPED
from dashboard.storage.pictures import uploaded_picture
from dashboard.storage.placed import placing
from dashboard.tables import DataError
from dashboard.views.cached.alike import copies
from dashboard.views.cached.asked import NO_CUT, Question
from dashboard.views.cached.behind import is_missing_judged, with_judged
from dashboard.views.cached.opened import opened_as
from dashboard.views.cached.submitted import PROTOCOL, Submitted, score


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a protocol judges from (tables of the collection; of its queries those in question)."""

    queries: pd.DataFrame
    items: pd.DataFrame
    keywords: pd.DataFrame
    query_keywords: pd.DataFrame
    qrels: pd.DataFrame | None


@st.cache_resource(max_entries=64, show_spinner=False)
def queries(asked: Question) -> pd.DataFrame:
    """The queries in question (table `queries`)."""
    if asked.live:
        return pd.DataFrame({"query_id": [TYPED], "text": [asked.text], "item_id": [asked.item]})
    stored = opened_as(asked.collection, asked.digest).queries
    if asked.queries == "all":
        return stored
    return stored[(stored["text"] != "") == (asked.queries == "text")]


@st.cache_resource(max_entries=64, show_spinner=False)
def query_keywords(asked: Question) -> pd.DataFrame:
    """What the words of each text query map to: candidates with scores, `kept` marked."""
    known = opened_as(asked.collection, asked.digest)
    candidates = known.query_keywords
    if asked.text and _stored(asked):
        candidates = candidates[candidates["query_id"] == _stored(asked)].assign(query_id=TYPED)
    elif asked.text:
        candidates = keywords.candidates({TYPED: asked.text}, known.vocabulary)
    return keywords.keep(candidates, asked.mapping_threshold)


def evidence(asked: Question) -> Evidence:
    """What a protocol judges from. Raises DataError where a file of labels could not be used."""
    known = opened_as(asked.collection, asked.digest)
    known.check_evidence()
    return Evidence(
        queries=queries(asked),
        items=known.items,
        keywords=known.keywords,
        query_keywords=query_keywords(asked),
        qrels=_judgements(asked, known.qrels),
    )


def _judgements(asked: Question, qrels: pd.DataFrame | None) -> pd.DataFrame | None:
    """The judgements; of what is searched with those of the stored query that is the same.

    A picture is no stored query, whatever words say it should find.
    """
    if qrels is None or not asked.live:
        return qrels
    if asked.picture:
        return qrels.iloc[:0]
    same = _stored(asked)
    if asked.item:
        known = queries(asked._replace(queries="item", item=""))
        return of_item(qrels, known, asked.item, PROTOCOLS[asked.protocol]).assign(query_id=TYPED)
    return qrels[qrels["query_id"] == same].assign(query_id=TYPED)


@st.cache_resource(max_entries=64, show_spinner=False)
def judgement(asked: Question) -> Judgement:
    """Which items are relevant to which query, by the protocol's rules and the chosen groups."""
    with placing(opened_as(asked.collection, asked.digest).folder):
        return PROTOCOLS[asked.protocol].judge(evidence(asked), asked.groups)


@st.cache_resource(max_entries=64, show_spinner=False)
def required_keywords(asked: Question) -> pd.DataFrame:
    """The keywords that each query asks for, of every group: query_id, group, keyword."""
    return required_by(evidence(asked))


@st.cache_resource(max_entries=32, show_spinner=False)
def _ranked(
    name: str, digest: str, version: str, which: str, ties: str, live: tuple[str, str, str, str]
) -> pd.DataFrame:
    """All results of one version: what the run depends on, and nothing that merely judges it."""
    text, item, picture, _ = live  # and the state of the text model
    known = opened_as(name, digest)
    everything = len(known.items)
    if picture:
        return runs.picture_run(known, version, uploaded_picture(picture), k=everything)
    if text:
        return runs.text_run(known, version, text, k=everything).assign(query_id=TYPED)
    if item:
        return runs.item_run(known, version, item, k=everything).assign(query_id=TYPED)
    return runs.run_of(known, version, which=which, ties=ties)


def _submitted(asked: Question, given: Submitted) -> pd.DataFrame:
    """What a submission ranks for the queries in question: the items annotated for each."""
    if asked.live:
        raise DataError(given.name, "submitted features of stored queries only", "a stored query")
    if asked.protocol != PROTOCOL:
        found = f"submitted features under the protocol {asked.protocol}"
        raise DataError(given.name, found, f"{PROTOCOL}: only annotated pairs are scored")
    found = score(asked.collection, asked.digest, given)
    if found.problem:
        raise DataError(given.name, "a submission that cannot be used", found.problem.rstrip("."))
    return found.run[found.run["query_id"].isin(queries(asked)["query_id"])]


def _found(asked: Question, version: str) -> pd.DataFrame:
    """What one version found, as deep as fits in memory."""
    name, digest, ties = asked.collection, asked.digest, PROTOCOLS[asked.protocol].ties
    given = next((each for each in asked.submissions if each.name == version), None)
    if given is not None:
        return _submitted(asked, given)
    return _ranked(name, digest, version, asked.queries, ties, _live(asked, version))


def _live(asked: Question, version: str) -> tuple[str, str, str, str]:
    """What is searched with: text, item, picture, and the state of the text model that encodes it.

    Beside a picture the text only judges, and few versions see with the text model.
    """
    if not asked.picture:
        return asked.text, asked.item, "", asked.text_model
    model = opened_as(asked.collection, asked.digest).models.get(version)
    sees = model is not None and model.picture is not None and not model.picture.networks
    return "", "", asked.picture, asked.text_model if sees else ""


@st.cache_resource(max_entries=64, show_spinner=False)
def whole_run(asked: Question, version: str) -> pd.DataFrame:
    """The ranking of one version without a least similarity, whoever is judged."""
    return _first_copies(asked, _found(asked, version))


@st.cache_resource(max_entries=64, show_spinner=False)
def run(asked: Question, version: str) -> pd.DataFrame:
    """The ranked results of one version for the queries in question (table `run`).

    Where a ranking ends early though the protocol ranks judged items only, these follow it.
    """
    ranked = whole_run(asked._replace(min_similarity=NO_CUT), version)
    if is_missing_judged(asked, ranked):
        further = with_judged(asked, version, _found(asked, version), judgement(asked))
        ranked = _first_copies(asked, further)
    if asked.min_similarity > NO_CUT:
        ranked = ranked[ranked["score"] >= asked.min_similarity]
    return ranked


def _first_copies(asked: Question, ranked: pd.DataFrame) -> pd.DataFrame:
    if asked.copies != "left_out":
        return ranked
    known = copies(asked.collection, asked.digest)
    return duplicates.without(ranked, known, own_items(queries(asked)))


def cut(asked: Question, versions: Iterable[str]) -> int | None:
    """At which rank lists end because whole ones would not fit in memory; None: at their ends."""
    found = [run(asked, version).attrs.get("cut") for version in versions]
    return min((depth for depth in found if depth), default=None)


@st.cache_resource(max_entries=64, show_spinner=False)
def counted_run(asked: Question, version: str) -> pd.DataFrame:
    """The run as metrics see it: where copies are left out, each goes by the first one's name."""
    found = run(asked, version)
    if asked.copies == "left_out":
        return duplicates.as_one(found, copies(asked.collection, asked.digest))
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def counted_judgement(asked: Question) -> Judgement:
    """The judgement as metrics see it: where copies are left out, several count as one."""
    judged = judgement(asked)
    if asked.copies == "left_out":
        return duplicates.judged_as_one(judged, copies(asked.collection, asked.digest))
    return judged


@st.cache_resource(max_entries=64, show_spinner=False)
def unlike(name: str, digest: str, baseline: str, candidate: str) -> list[str]:
    """The ways in which two versions are not comparable, a sentence each.

    A version that the collection does not have is a submission, whose annotated pairs were all
    found when it was scored.
    """
    known = opened_as(name, digest)
    if not {baseline, candidate} <= set(known.versions):
        return []
    return comparable.unlike(known, baseline, candidate)


def identical(name: str, digest: str, baseline: str, candidate: str) -> bool:
    """Whether two versions are two names of the same content."""
    return comparable.identical(opened_as(name, digest), baseline, candidate)


def needs_text_model(asked: Question) -> bool:
    """Whether the text is not one of the stored queries, whose keywords and vectors are known."""
    return bool(asked.text) and not _stored(asked)


def _stored(asked: Question) -> str:
    """The id of the stored query with exactly this text, if there is one."""
    known = opened_as(asked.collection, asked.digest).queries
    same = known.loc[known["text"] == asked.text, "query_id"]
    return str(same.iloc[0]) if asked.text and len(same) else ""
