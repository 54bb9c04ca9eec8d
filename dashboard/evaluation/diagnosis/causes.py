"""Why a result is wrong, or a relevant item was missed: five causes, suspected from numbers.

The first that holds is given; each but the last names the numbers that speak for it.

mapping  The keywords that the query is known to ask for differ from those that its words were
         mapped to, and by them the item is judged the other way. Or every keyword that a wrong
         result lacks was mapped from words less than WEAK similar.
label    A wrong result lacks one keyword only, yet most of its nearest neighbours (MOST of NEAREST)
         have it, by most versions. Or hardly any neighbour of a missed item (FEW of NEAREST) has
         one of its keywords, by most versions. A version speaks only where that is RARE: where of
         COMMON or more other items that lack the keyword, or have it, few have such neighbours.
near     A wrong result lacks one keyword of two or more. Or a missed item stands below the last
         result shown, yet within twice that depth in some version.
alike    A wrong result is as similar to a relevant item, or to the query's own item, as one pair of
         items in a hundred is; of many relevant items, to one of those that versions rank first.
         Or none of the nearest neighbours of a missed item is relevant, by most versions, though
         there are enough relevant items.
model    None of these: the model is the suspect that is left.

Neighbours are items with an annotation, nearest by cosine of a version's own vectors; in a large
gallery, of up to 50,000 items from all over it, as the sentence then says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dashboard.evaluation.diagnosis.case import NEAREST, Case, Near, Pair
from dashboard.evaluation.diagnosis.neighbours import Resemblance, resemblances

MOST, FEW = 0.7, 0.1
RARE, COMMON = 0.05, 10
WEAK = 0.7
NAME = 80
"""Letters of what an item is called in a sentence."""
MOST_COMPARED = 250
"""Relevant items that wrong results are compared with: of more, those that versions rank first."""


class Cause(NamedTuple):
    """A suspected cause: its name, a few words for a card, a sentence with the numbers."""

    cause: str
    short: str
    sentence: str


def causes(case: Case, wrong: Sequence[str], missed: Sequence[str]) -> dict[str, Cause]:
    """The suspected cause of each wrong result and each missed item: item_id → Cause.

    An item without an annotation that is neither relevant nor judged has no cause.
    """
    around = _around(case, [*_nearly(case, wrong), *missed])
    to = [case.own] if case.own else case.best_ranked(MOST_COMPARED)
    alike = resemblances(case.spaces, case.annotated.around, wrong, to)
    found = {item: _of_wrong(case, item, around.get(item, {}), alike.get(item)) for item in wrong}
    return found | {item: _of_missed(case, item, around[item]) for item in missed}


Around = dict[str, Near]


def _around(case: Case, items: Sequence[str]) -> dict[str, Around]:
    """The nearest annotated neighbours of each item by each version, with their similarity."""
    found: dict[str, Around] = {item: {} for item in items}
    for version in case.spaces:
        for item, near in case.nearest(version, items).items():
            found[item][version] = near
    return found


def _nearly(case: Case, wrong: Sequence[str]) -> list[str]:
    """The wrong results that lack one keyword: of others no neighbour says anything."""
    return [item for item in wrong if len(case.lacks(item)) == 1]


def _of_wrong(case: Case, item: str, around: Around, alike: Resemblance | None) -> Cause:
    lacking = case.lacks(item)
    looks = _looks_like(case, alike)
    candidates = (_wrongly_mapped(case, item, lacking), _label_missing(case, item, lacking, around))
    for cause in candidates:
        if cause:
            return cause
    if len(lacking) == 1 and len(case.required) > 1:
        rest = f"Has {len(case.required) - 1:,} of {len(case.required):,} keywords"
        said = f"{rest}; lacks only {_word(lacking[0])}."
        return Cause("near", f"near miss: no {lacking[0][1]}", f"{said} {looks}".strip())
    if looks:
        return Cause("alike", "look-alike with other keywords", looks)
    return Cause("model", "model error", f"{_places(case, item)} Nothing else explains it.")


def _of_missed(case: Case, item: str, around: Around) -> Cause:
    for cause in (
        _only_by_mapping(case, item),
        _label_doubtful(case, item, around),
        _just_below(case, item),
        _looks_like_others(case, item, around),
    ):
        if cause:
            return cause
    return Cause("model", "model error", f"{_places(case, item)} Nothing else explains it.")


def _wrongly_mapped(case: Case, item: str, lacking: list[Pair]) -> Cause | None:
    known = case.remapped
    if known is not None and known and known <= case.has.get(item, frozenset()):
        sentence = (
            f"The query is known to ask for {_words(known)}, which this item has; "
            f"its words were mapped to {_words(case.required)}."
        )
        return Cause("mapping", "wrong keyword mapping", sentence)
    weak = [case.mapped[pair] for pair in lacking if pair in case.mapped]
    if lacking and len(weak) == len(lacking) and all(score < WEAK for _, score in weak):
        pairs = zip(weak, lacking, strict=True)
        said = "; ".join(f"“{w}” to {_word(p)} at only {s:.2f}" for (w, s), p in pairs)
        return Cause("mapping", "weak keyword mapping", f"Mapped with doubt: {said}.")
    return None


def _only_by_mapping(case: Case, item: str) -> Cause | None:
    known = case.remapped
    if known is None or known <= case.has.get(item, frozenset()):
        return None
    sentence = (
        f"Relevant only to {_words(case.required)}, which the query's words were mapped to; "
        f"it is known to ask for {_words(known) or 'nothing'}."
    )
    return Cause("mapping", "wrong keyword mapping", sentence)


def _label_missing(case: Case, item: str, lacking: list[Pair], around: Around) -> Cause | None:
    if len(lacking) != 1:
        return None
    said = _spoken(case, item, lacking[0], around, has=False)
    if not said:
        return None
    sentence = (
        f"Lacks only {_word(lacking[0])}, but of its nearest neighbours{case.among} {said} "
        "have it, which is rare: the annotation may lack it."
    )
    return Cause("label", f"missing annotation: {lacking[0][1]}", sentence)


def _label_doubtful(case: Case, item: str, around: Around) -> Cause | None:
    for pair in case.required:
        said = _spoken(case, item, pair, around, has=True)
        if said:
            sentence = (
                f"Has {_word(pair)}, but of its nearest neighbours{case.among} only {said} "
                "have it, which is rare: the annotation may be wrong."
            )
            return Cause("label", f"wrong annotation: {pair[1]}", sentence)
    return None


def _spoken(case: Case, item: str, pair: Pair, around: Around, *, has: bool) -> str:
    """The versions' evidence against an item's annotation; empty where most have none."""
    speaking = {}
    for version, near in around.items():
        share = case.annotated.share(pair, [other for other, _ in near])
        if not (share <= FEW if has else share >= MOST):
            continue
        others = case.annotated.shares(version, pair, item, has)
        odd = int(((others <= FEW) if has else (others >= MOST)).sum())
        if len(others) >= COMMON and odd <= RARE * len(others):
            speaking[version] = f"{round(share * len(near))} of {len(near):,} by {version}"
    return ", ".join(speaking.values()) if _by_most(case, len(speaking)) else ""


def _just_below(case: Case, item: str) -> Cause | None:
    ranks = {v: of[item] for v, of in case.ranks.items() if item in of}
    below = {v: rank for v, rank in ranks.items() if case.depth < rank <= 2 * case.depth}
    if not below:
        return None
    version, rank = min(below.items(), key=lambda pair: pair[1])
    said = f"Just below the first {case.depth}: rank {rank} in {version}."
    return Cause("near", f"near miss: rank {rank}", said)


def _looks_like(case: Case, best: Resemblance | None) -> str:
    """A sentence on the relevant item that a wrong result is most similar to, if it is unusual."""
    if best is None:
        return ""
    name = _shortened(case.names.get(best.other, best.other))
    what = "the query's own item" if case.own else f"“{name}”, which is relevant"
    return (
        f"{best.similarity:.2f} similar to {what}, by {best.version}; "
        f"99 of 100 pairs of items are below {best.usual:.2f}."
    )


def _looks_like_others(case: Case, item: str, around: Around) -> Cause | None:
    others = case.other_hits(item)
    nearest_of = {v: near[: min(NEAREST, others)] for v, near in around.items()}
    none = [not any(other in case.hits for other, _ in near) for near in nearest_of.values()]
    if others < 3 or not _by_most(case, sum(none)):
        return None
    sentence = (
        f"None of its {min(NEAREST, others):,} nearest neighbours{case.among} is relevant by "
        f"{sum(none):,} of {len(none):,} versions, "
        f"though {len(case.relevant) - 1:,} other items are."
    )
    return Cause("alike", "look-alike of items with other keywords", sentence)


def _by_most(case: Case, number: int) -> bool:
    return 2 * number > max(len(case.spaces), 1)


def _shortened(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


def _places(case: Case, item: str) -> str:
    ranks = [f"{of[item]} in {v}" for v, of in case.ranks.items() if item in of]
    return f"Rank {', '.join(ranks)}." if ranks else "No version ranks it."


def _word(pair: Pair) -> str:
    return f"“{pair[1]}”"


def _words(pairs: Sequence[Pair] | frozenset[Pair]) -> str:
    return " and ".join(sorted(map(_word, pairs)))
