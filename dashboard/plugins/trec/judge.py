"""The protocol trec: the core's judged pairs under trec_eval's name, and its bpref."""

import math
from dataclasses import replace

import numpy as np

from dashboard.errors import DataError, Findings, add_finding
from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.judgement import judge_table
from dashboard.evaluation.metrics import metric
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pairs
from dashboard.study.judging import QRELS

TREC = replace(
    QRELS,
    name="trec",
    title="TREC, plain qrels",
    instead_of=QRELS.name,
    judge=lambda collection, choices: replace(
        judge_table(collection), relevant_from=choices["relevant_from"]
    ),
    definition=QRELS.definition.replace(" is relevant;", ", or relevant_from, is relevant;"),
)


def find_pairs(collection: Collection, findings: Findings) -> Pairs | None:
    """Return the judged pairs of a collection; None if it has none.

    Raises:
        DataError: If some grades are above 0 and none reaches 1, or relevant_from of the settings
            if that is less; not for a collection whose settings name other protocols.
    """
    named = collection.protocols
    if collection.qrels is None or (named and TREC.name not in named):
        return collection.qrels
    grades, least = collection.qrels.values, collection.settings.get("relevant_from", 1)
    if not 0 < least < math.inf:
        found = f"relevant_from = {least:g}"
        raise DataError("collection.toml", found, "the least grade of a relevant item, above 0")
    floor = min(least, 1)
    parts = grades[(grades > 0) & (grades < floor)]
    if len(parts):
        found = f"grades between 0 and 1, such as {parts[0]:g} (rows: {len(parts):,})"
        expected = "whole grades, 1 and more for relevant items; below 1 counts as not relevant"
        if grades.max() < floor:
            found += f", and none from {floor:g} on"
            do = "Multiply or round the grades, or set relevant_from in collection.toml."
            raise DataError("qrels", found, expected, do=do)
        add_finding(findings, "qrels", found, expected)
    if grades.max() < least != 1:
        found = f"no grade from relevant_from = {least:g} on"
        add_finding(findings, "qrels", found, "relevant items; every query counts 0")
    scale = np.unique(grades) if grades.min() >= least else grades[:1]
    if len(scale) > 1:
        found = f"grades from {scale[0]:g} to {scale[-1]:g}, so that every judged pair is relevant"
        expected = f"lower ones of what is not, or relevant_from = {scale[1]:g} in collection.toml"
        add_finding(findings, "qrels", found, expected, "note")
    return collection.qrels


@metric(
    "bpref",
    formula="Σ over hits of (1 − min(judged non-relevant results before it, R) ÷ min(judged "
    "non-relevant items, R)) ÷ R",
    source="Buckley and Voorhees 2004; trec_eval bpref",
    cutoff="never",
    reads="judged",
)
def compute_bpref(block: Block, k: Cut) -> Sum:
    """Compute how rarely a judged non-relevant item precedes a relevant one."""
    before = block.count_so_far(block.nonrelevant)
    most = block.relevant[block.row]
    possible = np.minimum(block.judged_nonrelevant[block.row], most)
    lost = np.minimum(before, most) / np.maximum(possible, 1)
    return block.sum(np.where(block.hit, 1 - lost, 0.0), block.relevant)
