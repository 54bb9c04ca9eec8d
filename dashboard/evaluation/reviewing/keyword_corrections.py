"""What reviewers correct of items' keywords and of what queries' words are mapped to."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.rankings import Flags

RULE = (
    "A keyword is added or removed where a curator decides so, else where more than half of its "
    "reviewers say so, each once; otherwise it stays as it is."
)
ADD, REMOVE = "add", "remove"
COLUMNS = ["id", "group", "keyword", "value", "reviewers"]
_KEYWORD = ["group", "keyword"]
_SUBJECT = ["id", *_KEYWORD]


def keyword_corrections(said: pd.DataFrame, decided: pd.DataFrame) -> pd.DataFrame:
    """What is to be changed by RULE: columns COLUMNS.

    said: id (of the item or query), group, keyword, author and value, oldest first: ADD, REMOVE, or
    of a mapping `add` and the query's words that mean the keyword. Of several by one author the
    last counts. decided: the same by curators, of whom the last counts.
    """
    last = said.drop_duplicates([*_SUBJECT, "author"], keep="last")
    counts = last.groupby([*_SUBJECT, "value"]).size().rename("votes").reset_index()
    counts["reviewers"] = counts.groupby(_SUBJECT)["votes"].transform("sum")
    majority = counts.loc[2 * counts["votes"] > counts["reviewers"], COLUMNS]
    if decided.empty:
        return majority.reset_index(drop=True)
    every = pd.concat([majority, decided.assign(reviewers=1)[COLUMNS]], ignore_index=True)
    every = every.drop_duplicates(_SUBJECT, keep="last").sort_values(_SUBJECT)
    return every.astype({"reviewers": "int64"}).reset_index(drop=True)


def keyword_disagreements(said: pd.DataFrame, decided: pd.DataFrame) -> pd.DataFrame:
    """The keywords on which reviewers differ and no curator has decided: id, group, keyword and
    reviews, in which each reviewer stands with a value. said, decided: as `keyword_corrections`."""
    last = said.drop_duplicates([*_SUBJECT, "author"], keep="last")
    last = last[~_among(last, decided, _SUBJECT)]
    rows = [
        [*subject, list(zip(of["author"], of["value"], strict=True))]
        for subject, of in last.groupby(_SUBJECT)
        if of["value"].nunique() > 1
    ]
    return pd.DataFrame(rows, columns=[*_SUBJECT, "reviews"])


def corrected_keywords(keywords: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The keywords of items (table `keywords`) with the corrections in them."""
    named = table.rename(columns={"id": "item_id"})
    key = ["item_id", *_KEYWORD]
    kept = keywords[~_among(keywords, named[named["value"] == REMOVE], key)]
    added = named[named["value"] == ADD]
    added = added[~_among(added, kept, key)]
    if added.empty:
        return kept.reset_index(drop=True)
    # as texts: categories of the file may lack what is added
    return pd.concat([kept.astype("str"), added[key].astype("str")], ignore_index=True)


def corrected_mapping(candidates: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The candidates of queries' words (table `query_keywords`) with the corrections in them; what
    is added has the score 1, as a keyword that occurs word for word."""
    named = table.rename(columns={"id": "query_id"})
    kept = candidates[~_among(candidates, named[named["value"] == REMOVE], ["query_id", *_KEYWORD])]
    added = named[named["value"] != REMOVE]
    added = added.assign(ngram=added["value"].str.removeprefix(f"{ADD} "), score=1.0, kept=False)
    if added.empty:
        return kept.reset_index(drop=True)
    key = ["query_id", "ngram", *_KEYWORD]
    kept = kept[~_among(kept, added, key)]
    texts = dict.fromkeys(key, "str")
    parts = (part.astype(texts) for part in (kept, added[[*key, "score", "kept"]]))
    return pd.concat(parts, ignore_index=True)


def changing(keywords: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The corrections of items that change something."""
    there = _among(table, keywords.rename(columns={"item_id": "id"}), ["id", *_KEYWORD])
    return table[np.where(table["value"] == ADD, ~there, there)].reset_index(drop=True)


def changing_mapping(candidates: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The corrections of queries that change something."""
    named = candidates.rename(columns={"query_id": "id"})
    there = _among(table, named, ["id", *_KEYWORD])
    sure = named[named["score"] == 1].assign(value=lambda of: f"{ADD} " + of["ngram"].astype(str))
    exact = _among(table, sure, ["id", *_KEYWORD, "value"])
    return table[np.where(table["value"] == REMOVE, there, ~exact)].reset_index(drop=True)


def _among(rows: pd.DataFrame, others: pd.DataFrame, key: list[str]) -> Flags:
    """Which rows have the key of one of the others."""
    if rows.empty or others.empty:
        return np.zeros(len(rows), dtype=bool)
    return np.asarray(
        pd.MultiIndex.from_frame(rows[key].astype(str)).isin(
            pd.MultiIndex.from_frame(others[key].astype(str))
        )
    )
