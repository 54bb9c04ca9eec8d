"""ALFA 0.1: an item is relevant if it has all the keywords that the query asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.evaluation.join import codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.keyword_judgement import KeywordJudgement
from dashboard.evaluation.protocols.protocol import (
    CEILING,
    NO_RELEVANT,
    RECALL,
    TIES,
    Evidence,
    Protocol,
    add_reasons,
)
from dashboard.evaluation.protocols.ticks import within
from dashboard.tables import DataError

NO_KEYWORD = "no keyword mapped"
NO_ITEM_KEYWORD = "item without keywords"


def judge(evidence: Evidence, groups: Sequence[str] | None = None) -> KeywordJudgement:
    """Every annotated item against every query: grade 1 with all required keywords, else 0.

    Credit is matched ÷ required. A text query requires its kept keywords, an item query those of
    its own item, both in the chosen groups; the item itself never counts. A query that requires
    nothing is not scorable; an item without any annotation is unjudged.
    """
    queries, keywords = evidence.queries, evidence.keywords
    if queries is None or keywords is None:
        raise DataError("keywords", "no annotation", "the keywords of each item, for alfa")
    own = own_items(queries)
    required = required_keywords(evidence, groups)
    having = set(required["query_id"])
    reasons = {
        query: NO_ITEM_KEYWORD if query in own else NO_KEYWORD
        for query in queries["query_id"]
        if query not in having
    }
    query_ids = queries["query_id"].tolist()
    made = KeywordJudgement(required, keywords, query_ids, unscorable=reasons, leave_out=own)
    add_reasons(reasons, made, NO_RELEVANT)
    return made


def required_keywords(evidence: Evidence, groups: Sequence[str] | None = None) -> pd.DataFrame:
    """What each query requires: query_id, group, keyword, in the order of the queries."""
    queries, keywords = evidence.queries, evidence.keywords
    if queries is None or keywords is None:
        raise DataError("keywords", "no annotation", "the keywords of each item, for alfa")
    own = own_items(queries)
    columns = ["query_id", "group", "keyword"]
    of_items = pd.DataFrame({"query_id": list(own), "item_id": list(own.values())}, dtype="str")
    theirs = keywords[ids.among(keywords["item_id"], of_items["item_id"])]  # few of a large table
    required = [of_items.merge(theirs, on="item_id")[columns]]
    if evidence.query_keywords is not None:
        mapped = evidence.query_keywords
        mapped = mapped[mapped["kept"] & ~mapped["query_id"].isin(own)]
        required.append(mapped[columns])
    table = within(pd.concat(required), groups).drop_duplicates()
    order = codes(table["query_id"], pd.Index(queries["query_id"]))
    table = table[order >= 0]
    return table.iloc[np.argsort(order[order >= 0], kind="stable")].reset_index(drop=True)


def own_items(queries: pd.DataFrame) -> dict[str, str]:
    """The item of each item query: query_id → item_id."""
    if "item_id" not in queries.columns:
        return {}
    asks = queries["item_id"].notna() & (queries["item_id"].astype("str").str.strip() != "")
    return dict(zip(queries["query_id"][asks], queries["item_id"][asks], strict=True))


def keep(run: pd.DataFrame, judgement: Judgement) -> pd.DataFrame:
    """The run without the item that an item query is about; the other results close up."""
    return _without_own(run, judgement.leave_out)


def _without_own(table: pd.DataFrame, own: Mapping[str, str]) -> pd.DataFrame:
    if not own:
        return table
    item_ids = pd.Index(list(own.values()), dtype="str").unique()
    query = codes(table["query_id"], pd.Index(list(own), dtype="str"))
    theirs = np.append(codes(pd.Series(list(own.values()), dtype="str"), item_ids), -2)[query]
    return table[pd.Series(codes(table["item_id"], item_ids) != theirs, index=table.index)]


ALFA = Protocol(
    name="alfa",
    title="ALFA 0.1, all keywords",
    source="Retrieval Evaluation Framework for ALFA 0.1 embedding search",
    metrics="P@1 P@3 P@5 R@1 R@3 R@5 AP nDCG@5 CAG(DCG)@5",
    shown_as={
        "P": "Recall@K (hits ÷ K, ALFA 0.1; elsewhere: Precision@K)",
        "R": "Precision@K (hits ÷ relevant, ALFA 0.1; elsewhere: Recall@K)",
        "AP": "AP (Σ hits ÷ k at each hit ÷ relevant, ALFA 0.1; its mean: MAP)",
        "nDCG": "NDCG@K (gain 1 for all keywords, log2, ALFA 0.1; ideal: all relevant items)",
        "CAG(DCG)": "CAG, DCG discount (gain: matched ÷ required keywords, in context)",
    },
    nothing_relevant="null",
    judge=judge,
    keep=keep,
    of_keywords=True,
    definition="An item is relevant when it has every keyword that the query asks for in the "
    "chosen groups: the keywords that the words of a text query map to, or those of the item that "
    "an item query is about. That item itself is left out. A query that asks for no keyword, or "
    "for what no item has, is not scored.",
    formula="Recall@K, ALFA 0.1 = hits ÷ K; Precision@K, ALFA 0.1 = hits ÷ relevant items; AP = Σ "
    "over hits of (hits up to its rank ÷ its rank) ÷ relevant items; NDCG@K = Σ over hits of "
    "1 ÷ log2(rank + 1), divided by that of the best order.",
    blind=(
        "All keywords or nothing: an item with two of three counts like one with none does. CAG, "
        "ticks and crosses show the difference.",
        "A keyword that the annotation leaves out counts as missing: the item then counts as "
        "wrong.",
        CEILING,
        RECALL,
        TIES,
    ),
)
