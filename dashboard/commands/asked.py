"""What a call asks of a collection: which queries, judged how. Numbers depend on nothing else."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import pandas as pd

from dashboard.commands.answers import protocol_named
from dashboard.commands.copies import copies_of
from dashboard.commands.numbers import cosine, positive, share
from dashboard.commands.submitted import Extras, submitted_runs
from dashboard.evaluation import duplicates
from dashboard.evaluation.divisions import divisions
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol, protocol_of, trec
from dashboard.evaluation.protocols.alfa import own_items, required_keywords
from dashboard.evaluation.protocols.protocol import Evidence
from dashboard.retrieval import comparable, keywords, runs
from dashboard.retrieval.pairs import with_pairs
from dashboard.retrieval.runs import Which
from dashboard.storage.collection import Collection
from dashboard.storage.evidence import scenes
from dashboard.storage.findings import Findings
from dashboard.storage.placed import placing
from dashboard.storage.settings import group_name
from dashboard.storage.sides import usual_queries

NO_CUT = -1.0
LEFT_OUT = "left_out"
OF_A_COLLECTION = ("runs", "groups", "threshold", "queries", "copies", "min_similarity")


def add_rules(parser: ArgumentParser) -> None:
    """The options that say which queries count, and how they are judged."""
    parser.add_argument("--protocol", default="", help="default: the collection's first, or trec")
    parser.add_argument("--metrics", default=None, metavar='"P@5 nDCG@10"')
    parser.add_argument("--queries", choices=("text", "item", "all"), help="default: texts")
    parser.add_argument("--scale", type=positive, metavar="N", help="trec: credit is grade ÷ N")
    text = "near-duplicates (counted): of several, left_out keeps the first in a list"
    parser.add_argument("--copies", choices=("counted", LEFT_OUT), help=text)
    text = "results less similar are left out; the divisor stays K"
    parser.add_argument("--min-similarity", type=cosine, metavar="S", help=text)


def add_keywords(parser: ArgumentParser, *, groups: bool = True) -> None:
    """The options that say which keywords count."""
    if groups:
        parser.add_argument(
            "--groups", nargs="+", metavar="GROUP", help="default: the collection's"
        )
    parser.add_argument("--threshold", type=share, metavar="T", help="least score of a keyword")


def refuse_for_files(call: Namespace) -> None:
    """Raise ValueError where a call of plain files asks for what only a collection can tell."""
    given = [name for name in OF_A_COLLECTION if getattr(call, name, None) is not None]
    if given:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ValueError(f"{flags}: only a COLLECTION has that; leave it out with --qrels")


def scaled(protocol: Protocol, scale: float | None) -> Protocol:
    """The protocol trec with credit = grade ÷ scale. Raises ValueError for any other protocol."""
    if scale is None:
        return protocol
    if protocol.name != trec.TREC.name:
        raise ValueError(f"--scale is of the protocol trec; {protocol.name} has a scale of its own")
    return replace(protocol, judge=partial(trec.judge, scale=scale))


def groups_of(call: Namespace, collection: Collection) -> list[str]:
    """The keyword groups of a call. Raises ValueError for one that the collection has not."""
    groups = [group_name(group) for group in call.groups or collection.default_groups]
    unknown = [group for group in groups if group not in collection.groups]
    if unknown:
        raise ValueError(f"no group {unknown[0]!r}; there are {', '.join(collection.groups)}")
    return groups


def threshold_of(call: Namespace, collection: Collection) -> float:
    """The least score of a keyword: the call's, or else the collection's own."""
    return collection.mapping_threshold if call.threshold is None else float(call.threshold)


@dataclass(frozen=True, eq=False)
class Asked:
    """A collection with the choices of one call, and what there was to say of its submissions."""

    collection: Collection
    protocol: Protocol
    groups: Sequence[str]
    which: Which
    threshold: float
    copies: str = "counted"
    min_similarity: float = NO_CUT
    extras: Extras = Extras()
    noted: Findings = field(default_factory=Findings)

    @cached_property
    def evidence(self) -> Collection:
        """The collection with the queries in question and their mapped keywords marked as kept.

        Raises DataError where a file of labels was refused.
        """
        self.collection.check_evidence()
        asked = runs.asked_queries(self.collection, self.which)
        mapped = keywords.keep(self.collection.query_keywords, self.threshold)
        return replace(self.collection, queries=asked, query_keywords=mapped)

    @cached_property
    def copy_of(self) -> dict[str, str]:
        """Each copy → the item that stands for it, where near-duplicates are left out."""
        return copies_of(self.collection) if self.copies == LEFT_OUT else {}

    @property
    def rules(self) -> Protocol:
        """The protocol; where near-duplicates are left out, several are judged as one."""
        if not self.copy_of:
            return self.protocol
        return duplicates.rules_as_one(self.protocol, self.copy_of)

    @property
    def scenes(self) -> dict[str, str] | None:
        """Which queries belong together and are drawn together."""
        return scenes(self.collection.queries)

    @cached_property
    def submitted(self) -> dict[str, pd.DataFrame]:
        """What each submission ranks, by its name. Raises as `submitted_runs`."""
        if not self.extras.submitted:
            return {}
        judged = self.protocol.judge(self.evidence, self.groups)
        return submitted_runs(self.extras, self.protocol, judged, self.noted, self.collection)

    def run(self, version: str) -> pd.DataFrame:
        """The ranked results of a version or submission that count. Raises DataError where there
        is none of that name, or it cannot be used."""
        if version in self.submitted:
            return self.counting(self.submitted[version])
        ties = self.protocol.ties
        run = runs.run_of(self.collection, version, self.which, ties=ties)
        if run.attrs.get("cut") and self.protocol.condensed:
            judged = self.protocol.judge(self.evidence, self.groups).qrels
            pairs = duplicates.with_copies(judged, self.copy_of) if self.copy_of else judged
            run = with_pairs(self.collection, version, run, pairs)
        return self.counting(run)

    def counting(self, run: pd.DataFrame) -> pd.DataFrame:
        """The results of a run that count, a copy by the name of the item that stands for it."""
        if self.copy_of:
            run = duplicates.without(run, self.copy_of, own_items(self.evidence.queries))
            run = duplicates.as_one(run, self.copy_of)
        return run if self.min_similarity <= NO_CUT else run[run["score"] >= self.min_similarity]

    def said(self) -> dict[str, str]:
        """The choices in words, for a report."""
        least = f"{self.min_similarity:g}" if self.min_similarity > NO_CUT else ""
        copies = duplicates.said_of_copies(len(self.copy_of))
        said = {
            "Least similarity of words and keyword": f"{self.threshold:g}",
            "Least similarity of a result": least,
            "Near-duplicates": copies if self.copies == LEFT_OUT else "",
        }
        for each in self.extras.submitted:
            said[f"Submission {each.name}"] = f"features {each.gallery} and {each.queries}"
        return {name: value for name, value in said.items() if value}

    def divisions(self) -> pd.DataFrame:
        """The slices of the queries: query_id, by, slice."""
        evidence, groups = self.evidence, list(self.groups)
        judgement = self.rules.judge(evidence, groups)
        return divisions(evidence.queries, required_keywords(evidence), groups, judgement)

    def unlike(self, baseline: str, candidate: str) -> list[str]:
        """The ways in which two versions are not comparable, a sentence each.

        A submission has what every other is scored on: all annotated pairs, or it is refused.
        """
        if {baseline, candidate} & set(self.submitted):
            return []
        return comparable.unlike(self.collection, baseline, candidate)


def _placing(protocol: Protocol, folder: Path) -> Protocol:
    """The protocol, which tells what it refuses with its file and line."""

    def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> Judgement:
        with placing(folder):
            return protocol.judge(evidence, groups)

    return replace(protocol, judge=judge)


def asked_of(call: Namespace, collection: Collection) -> Asked:
    """What a call asks of an opened collection; what it leaves open is as the screens have it."""
    named = protocol_named(call.protocol, collection.protocols)
    return Asked(
        collection,
        _placing(scaled(protocol_of(collection, named.name), call.scale), collection.folder),
        groups_of(call, collection),
        call.queries
        or usual_queries(collection.queries, collection.protocols, collection.query_keywords),
        threshold_of(call, collection),
        call.copies or "counted",
        NO_CUT if call.min_similarity is None else call.min_similarity,
        Extras.of(call),
    )
