"""Whether the sides of a collection are told rightly, and what its kinds tell where they are not.

Ranked in one gallery with the texts, or on a mistyped side, a picture would not be found, and every
number would be wrong in silence.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dashboard.storage.collection.evidence import lines_of_items
from dashboard.storage.collection.sides import MATCHING, sides
from dashboard.tables import DataError, Findings, listed

PICTURES, TEXTS = "pictures", "texts"
OF_KIND = {"image": PICTURES, "video": PICTURES, "text": TEXTS}

FEW = 0.05
"""Of how small a share of the items a side that nobody searches is taken for mistyped."""


def with_sides(
    items: pd.DataFrame, protocols: list[str], name: str, findings: Findings
) -> pd.DataFrame:
    """The items with the `side` that their kind tells, where a collection of pictures and texts
    that are to be matched names none; a note says so, an error that it cannot be told."""
    if MATCHING not in protocols or sides(items):
        return items
    kinds = items["kind"].str.strip().str.lower()
    told = kinds.map(OF_KIND)
    if told.notna().all():
        if told.nunique() < 2:
            return items  # one direction only: all that can be found is of one kind
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


def side_of_pictures(items: pd.DataFrame, protocols: list[str]) -> str:
    """The side that texts search in image–text matching: the one of two that holds no text; empty
    where that cannot be told."""
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
    folder: Path, items: pd.DataFrame, queries: pd.DataFrame, findings: Findings
) -> None:
    """A warning, with its line, for each side that is likely mistyped, and for items on no side.

    A side is suspect that no query searches, where it is one of more than two or holds few items.
    """
    side = pd.Series(sides(items), dtype="str")
    searched = set(queries["among"]) - {""} if "among" in queries.columns else set()
    if side.empty or not searched:
        return
    name, sizes = "items.csv", side.value_counts()
    unasked = sizes[~sizes.index.isin(list(searched))]
    suspect = unasked[(unasked < FEW * len(items)) | (len(sizes) > 2)]
    for found, number in suspect.items():
        line = _line(folder, side.index[side == found][0])
        said = f"{number:,} items on the side {str(found)[:80]!r}, which no query searches"
        wanted = f"a side that is searched ({listed(sorted(searched))}); nothing finds them"
        findings.warning(name, said, wanted, line)
    bare = items.loc[~items["item_id"].isin(side.index), "item_id"]
    if len(bare):
        said = f"{len(bare):,} of {len(items):,} items on no side ({listed(bare)})"
        wanted = "a side for each item; no query that searches a side finds them"
        findings.warning(name, said, wanted, _line(folder, bare.iloc[0]))


def _line(folder: Path, item_id: object) -> int | None:
    line = lines_of_items(folder).get(item_id)
    return None if line is None else int(line)
