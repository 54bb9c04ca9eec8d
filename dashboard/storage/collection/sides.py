"""Collections with two sides, such as pictures and captions: a query searches one side only.

The column `side` of the items holds the side of each, `among` of the queries the side that a query
searches. An item query with an empty `among` searches the other side of two. Where the column
`side` is missing it is inferred from `kind`: ranked in one gallery with the texts, or on a mistyped
side, a picture is never found, and every number is wrong without a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import pandas as pd

from dashboard.storage.collection import digests
from dashboard.tables import DataError, Findings, listed

MATCHING = "crossmodal"
"""The protocol that searches both ways: texts for a picture and pictures for a text."""
BY_WORDS = "alfa"
"""The protocol whose judgements follow from the words of a text query."""
QUERY_COLUMNS = ("query_id", "text", "item_id", "among")
"""The columns that define a query: another value makes another query."""


def sides(items: pd.DataFrame) -> dict[str, str]:
    """The side of each item that has one; empty for a collection without sides."""
    if "side" not in items.columns:
        return {}
    told = items[items["side"].str.strip() != ""]
    names, side = told["item_id"].tolist(), told["side"].str.strip().tolist()  # not cell by cell
    return dict(zip(names, side, strict=True))


def other_side(items: pd.DataFrame, item_id: str) -> str:
    """The side that an item query searches: the other one of two; empty: both."""
    known = sides(items)
    return _other(known, set(known.values()), item_id)


def _other(known: dict[str, str], names: Collection[str], item_id: str) -> str:
    others = [name for name in names if name != known.get(item_id, "")]
    return others[0] if item_id in known and len(others) == 1 else ""


def side_of_texts(queries: pd.DataFrame) -> str:
    """The side that most text queries search; empty: both."""
    if "among" not in queries.columns:
        return ""
    said = queries.loc[queries["text"] != "", "among"]
    return str(said.mode().iloc[0]) if len(said) else ""


def side_of_pictures(items: pd.DataFrame) -> str:
    """The side that an uploaded picture searches, as the gallery's pictures do; empty: both."""
    if "side" not in items.columns:
        return ""
    pictures = items.loc[items["file"] != "", "item_id"]
    return other_side(items, str(pictures.iloc[0])) if len(pictures) else ""


def usual_queries(
    queries: pd.DataFrame,
    protocols: Sequence[str] = (),
    query_keywords: pd.DataFrame | None = None,
) -> Literal["text", "item", "all"]:
    """The queries that are measured by default: text queries; all queries of a collection with two
    sides or of the matching of pictures and texts; item queries where there are no texts.

    Item queries, too, where judgements follow from keywords and `query_keywords` map no text.
    """
    if "among" in queries.columns or MATCHING in protocols:
        return "all"
    texts = queries["text"] != ""
    if query_keywords is not None and BY_WORDS in protocols[:1] and texts.any() and not texts.all():
        mapped = queries.loc[texts, "query_id"].isin(query_keywords["query_id"])
        return "text" if mapped.any() else "item"
    return "text" if texts.any() else "item"


def with_among(
    queries: pd.DataFrame, items: pd.DataFrame, name: str, findings: Findings, of_texts: str = ""
) -> pd.DataFrame:
    """The queries (index: the line in the file), `among` filled with the side that each searches.

    A query that names a side without items is left out, with a warning. of_texts: the side of text
    queries whose `among` is empty.
    """
    of_item = sides(items)
    known = sorted(set(of_item.values()))
    if not known and "among" not in queries.columns:
        return queries
    said = queries.get("among", pd.Series("", index=queries.index, dtype="str")).str.strip()
    strange = ~said.isin([*known, ""])
    if strange.any():
        found = f"{int(strange.sum()):,} queries among {listed(said[strange].unique())}"
        wanted = f"a side of the items ({listed(known) or 'they have none'}); they were left out"
        findings.warning(name, found, wanted, int(strange.index[strange][0]))
    others = {item: _other(of_item, known, item) for item in queries["item_id"].unique() if item}
    meant = said.where(said != "", queries["item_id"].map(lambda item: others.get(item, "")))
    meant = meant.mask((meant == "") & (queries["text"] != ""), of_texts)
    _warn_of_lost_queries(known, meant, queries, of_item, name, findings)
    return queries.assign(among=meant.astype("str"))[~strange]


def _warn_of_lost_queries(
    known: Sequence[str],
    meant: pd.Series,
    queries: pd.DataFrame,
    of_item: dict[str, str],
    name: str,
    findings: Findings,
) -> None:
    """Warn of item queries whose side is unclear; they search all items."""
    lost = queries.index[(meant == "") & queries["item_id"].isin(of_item)]
    if len(known) > 1 and len(lost):
        found = f"{len(lost):,} item queries that do not say among which of {len(known):,} sides "
        found += f"they search ({listed(known)})"
        wanted = "a column among, or two sides (is one mistyped?); they search everything"
        findings.warning(name, found, wanted, int(lost[0]))


def digest_of_sides(items: pd.DataFrame) -> tuple[str, ...]:
    """The fingerprint of the sides, where there are any."""
    return (digests.of_table(items, ["item_id", "side"]),) if sides(items) else ()


PICTURES, TEXTS = "pictures", "texts"
OF_KIND = {"image": PICTURES, "video": PICTURES, "text": TEXTS}

FEW = 0.05
"""A side without queries and with less than this share of the items is taken for mistyped."""


def with_sides(
    items: pd.DataFrame, protocols: list[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The items with a column `side`, inferred from their kind where image–text matching needs it
    and the file has none. Adds a note, or an error where a kind tells no side."""
    if MATCHING not in protocols or sides(items):
        return items
    kinds = items["kind"].str.strip().str.lower()
    told = kinds.map(OF_KIND)
    if told.notna().all():
        if told.nunique() < 2:
            return items  # one direction only: all items are of one kind
        numbers = " and ".join(f"{int(n):,} {side}" for side, n in told.value_counts().items())
        found = f"no column side in the items; sides taken from kind: {numbers}"
        findings.note(name, found, "a column side; each query searches the other side")
        return items.assign(side=told.astype("str"))
    strange = items.loc[told.isna(), "item_id"]
    found = f"no side of the items, and {len(strange):,} of {len(items):,} items of no kind that "
    found += f"tells it ({listed(strange)})"
    wanted = "a column side (pictures or texts), or kind image, video or text for each item"
    cure = "Until then pictures and texts are ranked as one gallery."
    findings.error(DataError(name, found, wanted, cure=cure))
    return items


def side_searched_by_texts(items: pd.DataFrame, protocols: list[str]) -> str:
    """The side that texts search in image–text matching: the one of two without texts; empty where
    that is unclear."""
    of_item = sides(items)
    if MATCHING not in protocols or len(set(of_item.values())) != 2:
        return ""
    of_kind = items["kind"].str.strip().str.lower().map(OF_KIND)
    side = items["item_id"].map(of_item)
    with_texts = set(side[of_kind == TEXTS].dropna())
    with_pictures = set(side[of_kind == PICTURES].dropna())
    only = with_pictures - with_texts
    return only.pop() if len(only) == 1 and with_texts else ""


def check_side_names(
    items: pd.DataFrame, queries: pd.DataFrame, lines: Callable[[], pd.Series], findings: Findings
) -> None:
    """Warn, with the line, of each side that is likely mistyped, and of items without a side.

    A side is suspect that no query searches and that is one of more than two, or has few items.
    lines: gives the line of each item; called only where a warning needs it.
    """
    side = pd.Series(sides(items), dtype="str")
    searched = set(queries["among"]) - {""} if "among" in queries.columns else set()
    if side.empty or not searched:
        return
    name, sizes = "items.csv", side.value_counts()
    unasked = sizes[~sizes.index.isin(list(searched))]
    suspect = unasked[(unasked < FEW * len(items)) | (len(sizes) > 2)]
    for found, number in suspect.items():
        line = _line(lines(), side.index[side == found][0])
        said = f"{number:,} items on the side {str(found)[:80]!r}, which no query searches"
        wanted = f"a side that is searched ({listed(sorted(searched))}); nothing finds them"
        findings.warning(name, said, wanted, line)
    bare = items.loc[~items["item_id"].isin(side.index), "item_id"]
    if len(bare):
        said = f"{len(bare):,} of {len(items):,} items on no side ({listed(bare)})"
        wanted = "a side for each item; no query that searches a side finds them"
        findings.warning(name, said, wanted, _line(lines(), bare.iloc[0]))


def _line(lines: pd.Series, item_id: object) -> int | None:
    line = lines.get(item_id)
    return None if line is None else int(line)
