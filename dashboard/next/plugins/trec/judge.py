"""The protocol trec: the core's judged pairs under trec_eval's name."""

from __future__ import annotations

from dataclasses import replace

from dashboard.next.errors import Finding
from dashboard.next.storage.collection import Collection
from dashboard.next.storage.runs import Pairs
from dashboard.next.study.judging import QRELS

TREC = replace(QRELS, name="trec", title="TREC, plain qrels", instead_of=QRELS.name)


def find_pairs(collection: Collection, findings: list[Finding]) -> Pairs | None:
    """Return the judged pairs of a collection; None if it has none."""
    return collection.qrels
