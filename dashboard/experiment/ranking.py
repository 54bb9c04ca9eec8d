"""What each version found: its ranked results, and those of them that count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from dashboard.evaluation import duplicates
from dashboard.evaluation.coverage import is_outside
from dashboard.evaluation.protocols.alfa import own_items
from dashboard.experiment.collection.collections import collection_in
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.judging import (
    copies_left_out,
    judgement,
    queries,
)
from dashboard.experiment.memory import remembered
from dashboard.experiment.protocols.submissions import PROTOCOL, Submitted, score
from dashboard.retrieval import comparable, one_query, runs
from dashboard.retrieval.encoders.query_vectors import query_vectors, to_encode
from dashboard.retrieval.one_query import TYPED
from dashboard.retrieval.runs import Which
from dashboard.storage.media.uploads import uploaded_picture
from dashboard.storage.runs.order import Ties
from dashboard.storage.runs.run_record import read_record
from dashboard.tables import RUN, DataError

ROWS = 4_000_000
"""So many rows of whole rankings of single queries are remembered, some 24 bytes each."""
Rules = tuple[str, Ties]
Live = tuple[str, str, str, str]
"""What is searched with: text, item, picture, and the state of the text model that encodes it."""


@remembered(64)
def whole_run(experiment: Experiment, version: str) -> pd.DataFrame:
    """The ranking of one version without a least similarity, whoever is judged."""
    return _without_copies(experiment, _ranking(experiment, version))


@remembered(64)
def run(experiment: Experiment, version: str) -> pd.DataFrame:
    """The ranked results of one version for the queries in question (table `run`).

    Where a ranking ends early though the protocol ranks judged items only, these follow it.
    """
    ranked = whole_run(replace(experiment, min_similarity=NO_CUT), version)
    answered = has_index(experiment, version)
    if ranked.attrs.get("cut") and experiment.rules.condensed and not answered:
        ranked = _without_copies(experiment, _with_judged(experiment, version))
    if experiment.min_similarity > NO_CUT:
        ranked = _similar(ranked, experiment.min_similarity)
    return ranked


def _similar(ranked: pd.DataFrame, least: float) -> pd.DataFrame:
    """The results with at least this score; a list that loses one ends there."""
    lower = ranked["score"] < least
    ended = set(ranked.loc[lower, "query_id"].astype("str"))
    kept = ranked[~lower]
    if partial := ranked.attrs.get("partial"):
        kept.attrs["partial"] = {q: more for q, more in partial.items() if q not in ended}
    return kept


@remembered(64)
def counted_run(experiment: Experiment, version: str) -> pd.DataFrame:
    """The run as metrics see it: where copies are left out, each goes by the first one's name."""
    ranked, copies = run(experiment, version), copies_left_out(experiment)
    return duplicates.as_one(ranked, copies) if copies else ranked


def query_runs(
    experiment: Experiment, version: str, query_id: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ranked results of one query by one version, and the same without a least similarity, as
    `run` and `whole_run` have them. Long rankings are whole; no other query is ranked for them."""
    if not is_long(experiment, version):
        return _query_runs(experiment, version, query_id)
    whole = _long_query_run(replace(experiment, min_similarity=NO_CUT), version, query_id)
    if experiment.min_similarity > NO_CUT:
        return _similar(whole, experiment.min_similarity).reset_index(drop=True), whole
    return whole, whole


def _rows(both: tuple[pd.DataFrame, pd.DataFrame]) -> float:
    return len(both[0]) + len(both[1]) + 1


@remembered(ROWS, size=_rows)
def _query_runs(
    experiment: Experiment, version: str, query_id: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    found, whole = run(experiment, version), whole_run(experiment, version)
    mine = of_query(whole, query_id).reset_index(drop=True)
    if found is whole:
        return mine, mine
    return of_query(found, query_id).reset_index(drop=True), mine


def of_query(table: pd.DataFrame, query_id: str) -> pd.DataFrame:
    """The rows of one query, a part of the table where they stand together."""
    names = table["query_id"]
    if not isinstance(names.dtype, pd.CategoricalDtype):
        return table[names == query_id]
    (code,) = names.cat.categories.get_indexer(pd.Index([query_id], dtype="str"))
    rows = np.flatnonzero(names.cat.codes.to_numpy() == code) if code >= 0 else np.empty(0, int)
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return table.iloc[rows[0] : rows[-1] + 1]
    return table.iloc[rows]


@remembered(64)
def outside_items(experiment: Experiment, version: str) -> frozenset[str]:
    """The results of a version, for all queries, that are no item of the collection: long rankings
    are of items alone."""
    if is_long(experiment, version):
        return frozenset()
    whole = whole_run(experiment, version)
    beyond = is_outside(whole, experiment.collection.items["item_id"])
    return frozenset(whole.loc[beyond, "item_id"].astype("str"))


def counted_query_run(experiment: Experiment, version: str, query_id: str) -> pd.DataFrame:
    """The run of one query as metrics see it."""
    if is_long(experiment, version):
        found, copies = query_runs(experiment, version, query_id)[0], copies_left_out(experiment)
        return duplicates.as_one(found, copies) if copies else found
    counted = counted_run(experiment, version)
    return counted[counted["query_id"] == query_id]


@remembered(ROWS, size=len)
def _long_query_run(experiment: Experiment, version: str, query_id: str) -> pd.DataFrame:
    encode_stored(experiment, version)
    collection = experiment.collection.under(experiment.protocol)
    asked, only = (collection, version, experiment.queries), frozenset([query_id])
    whole = runs.run_of(*asked, exact=experiment.exact, only=only)
    return _without_copies(experiment, whole)


def outline(experiment: Experiment, version: str) -> pd.DataFrame:
    """A run for what is the same at any depth: which queries were not run, what is no item. Of
    long rankings no result is in it, for all are items."""
    if not is_long(experiment, version):
        return counted_run(experiment, version)
    run, collection = RUN.empty(), experiment.collection.under(experiment.protocol)
    run.attrs["not_run"] = runs.not_run(collection, version, experiment.queries)
    return run


@remembered(256)
def is_long(experiment: Experiment, version: str) -> bool:
    """Whether metrics are given parts of a version's rankings, for whole ones would be too much."""
    submitted = any(each.name == version for each in experiment.submissions)
    if experiment.live or submitted:
        return False
    return runs.is_long(experiment.collection, version, experiment.queries, exact=experiment.exact)


def ends(experiment: Experiment, versions: Iterable[str]) -> int | None:
    """The rank at which lists end for metrics without a cutoff, too; None: at their ends."""
    return known_to(experiment, [v for v in versions if not has_index(experiment, v)])


def known_to(experiment: Experiment, versions: Iterable[str]) -> int | None:
    """The rank beyond which it is not known where relevant items stand; None: it is known of all.
    In long rankings their ranks are counted, however deep."""
    return cut(experiment, [v for v in versions if not is_long(experiment, v)])


def has_index(experiment: Experiment, version: str) -> bool:
    """Whether a version is searched through an index, which answers the first results alone."""
    model = experiment.collection.under(experiment.protocol).searched.get(version)
    return model is not None and model.index is not None and not experiment.exact


def index_sentence(experiment: Experiment, version: str) -> str:
    """How a version with an index is searched, and what is not known of it, as a sentence."""
    index = experiment.collection.searched[version].index
    if index is None:
        raise ValueError(f"{version} has no index")
    approximate = "approximately, " * index.is_approximate
    return (
        f"is searched {approximate}through {index}, {index.depth:,} results a query; later ranks "
        "are unknown, and metrics that read them have no value"
    )


def service_sentence(experiment: Experiment, version: str) -> str:
    """How a search service answered the queries of a version, as a sentence; empty: none did."""
    path = experiment.collection.run_files.get(version)
    record = read_record(path) if path else None
    return f"was answered by {record.search}: {record.sentence()}" if record else ""


def cut(experiment: Experiment, versions: Iterable[str]) -> int | None:
    """At which rank lists end because whole ones would not fit in memory; None: at their ends."""
    depths = [_cut(experiment, version) for version in versions]
    return min((depth for depth in depths if depth), default=None)


@remembered(128, lasts=True)
def _cut(experiment: Experiment, version: str) -> int | None:
    depth = run(experiment, version).attrs.get("cut")
    return None if depth is None else int(depth)


def unlike(experiment: Experiment, baseline: str, candidate: str) -> list[str]:
    """The ways in which two versions are not comparable, a sentence each.

    A version that the collection does not have is a submission, whose annotated pairs were all
    there when it was scored.
    """
    records = comparable.records(experiment.collection, baseline, candidate)
    texts = experiment.queries != "item"
    return list(_unlike(experiment.folder, experiment.digest, records, baseline, candidate, texts))


@remembered(64)
def _unlike(
    folder: str,
    digest: str,
    records: tuple[str, ...],
    baseline: str,
    candidate: str,
    texts: bool,
) -> tuple[str, ...]:
    collection = collection_in(folder, digest)
    if not {baseline, candidate} <= set(collection.versions):
        return ()
    return tuple(comparable.unlike(collection, baseline, candidate, texts=texts))


def identical(experiment: Experiment, baseline: str, candidate: str) -> bool:
    """Whether two versions are two names of the same content."""
    return comparable.identical(experiment.collection, baseline, candidate)


def _without_copies(experiment: Experiment, ranked: pd.DataFrame) -> pd.DataFrame:
    copies = copies_left_out(experiment)
    if not copies:
        return ranked
    return duplicates.without(ranked, copies, own_items(queries(experiment)))


def _with_judged(experiment: Experiment, version: str) -> pd.DataFrame:
    """A ranking that ended early, followed by the judged items that it does not hold."""
    pairs, copies = judgement(experiment).qrels, copies_left_out(experiment)
    if copies:
        pairs = duplicates.with_copies(pairs, copies)
    collection = experiment.collection.under(experiment.protocol)
    return runs.with_judged(collection, version, _ranking(experiment, version), pairs)


def _ranking(experiment: Experiment, version: str) -> pd.DataFrame:
    """What one version found, as deep as fits in memory."""
    submitted = next((each for each in experiment.submissions if each.name == version), None)
    if submitted is not None:
        return _submitted(experiment, submitted)
    folder, digest, collection = experiment.folder, experiment.digest, experiment.collection
    reads_signs = collection.under(experiment.protocol) is not collection
    rules = (experiment.protocol if reads_signs else "", experiment.rules.ties)
    encode_stored(experiment, version)
    live, exact = _live(experiment, version), not has_index(experiment, version)
    return _ranked(folder, digest, version, experiment.queries, rules, live, exact)


def encode_stored(experiment: Experiment, version: str) -> None:
    """Encodes the stored texts that a version has no vectors of, said where it takes long."""
    model = experiment.collection.searched.get(version)
    if not experiment.live and model and to_encode(model, queries(experiment)):
        folder, digest = experiment.folder, experiment.digest
        _encode(folder, digest, version, experiment.queries, experiment.text_model)


@remembered(32, work="Encoding the stored queries …")
def _encode(folder: str, digest: str, version: str, which: Which, model: str) -> None:
    """Encodes the stored texts that a version has no vectors of; model: the encoder's state."""
    collection = collection_in(folder, digest)
    query_vectors(collection.searched[version], runs.queries_of(collection, which))


@remembered(32, work="Searching …")
def _ranked(
    folder: str,
    digest: str,
    version: str,
    which: Which,
    rules: Rules,
    live: Live,
    exact: bool,
) -> pd.DataFrame:
    """All results of one version: what the run depends on, and nothing that merely judges it.

    rules: the protocol where it reads vectors in a way of its own, and how ties are broken. exact:
    without the version's index, where it has one.
    """
    text, item, picture, _ = live
    protocol, ties = rules
    collection = collection_in(folder, digest).under(protocol)
    everything = len(collection.items)
    if picture:
        seen = uploaded_picture(picture)
        return one_query.picture_run(collection, version, seen, k=everything, exact=exact)
    if text:
        found = one_query.text_run(collection, version, text, k=everything, exact=exact)
        return _typed(found)
    if item:
        found = one_query.item_run(collection, version, item, k=everything, exact=exact)
        return _typed(found)
    return runs.run_of(collection, version, which=which, ties=ties, exact=exact)


def _typed(found: pd.DataFrame) -> pd.DataFrame:
    """The results of one query as those of what is searched with."""
    named = found.assign(query_id=TYPED)
    if partial := found.attrs.get("partial"):
        named.attrs["partial"] = dict.fromkeys([TYPED], *partial.values())
    return named


def _submitted(experiment: Experiment, submitted: Submitted) -> pd.DataFrame:
    """What a submission ranks for the queries in question: the items annotated for each."""
    if experiment.live:
        raise DataError(
            submitted.name, "submitted features of stored queries only", "a stored query"
        )
    if experiment.protocol != PROTOCOL:
        found = f"submitted features under the protocol {experiment.protocol}"
        raise DataError(submitted.name, found, f"{PROTOCOL}: only annotated pairs are scored")
    scored = score(experiment.folder, experiment.digest, submitted)
    if scored.refusal is not None:
        raise scored.refusal
    return scored.run[scored.run["query_id"].isin(queries(experiment)["query_id"])]


def _live(experiment: Experiment, version: str) -> Live:
    """Beside a picture the text only judges, and few versions see with the text model."""
    if not experiment.picture:
        return experiment.text, experiment.item, "", experiment.text_model
    model = experiment.collection.models.get(version)
    sees = model is not None and model.picture is not None and not model.picture.networks
    return "", "", experiment.picture, experiment.text_model if sees else ""
