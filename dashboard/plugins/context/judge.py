"""Relevance from 0 to 100: what workers said, or the share of required keywords."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dashboard.errors import DataError, Finding, Findings
from dashboard.evaluation.judgement import (
    NO_RELEVANT,
    Judgement,
    JudgingRules,
    TableJudgement,
    judge_table,
    list_judged,
)
from dashboard.plugins.context.metrics import NAME, SOURCE
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pair, Pairs, make_pairs
from dashboard.study.choices import Choices
from dashboard.study.judging import has_equal_grades
from dashboard.tables import FloatArray, IntArray, Reasons, read_table
from dashboard.texts import parse_number

FILE = "relevance.csv"
VIEWED = ("lists.csv", "satisfaction.csv")
SCALE = 100.0
HALF = 50.0
"""Least relevance of a hit; the source has no threshold."""
MAX_INVALID_SHARE = 0.9
MAX_OTHER_SCALE = 10.0
"""Largest relevance of a file that is taken for one on a scale of 0 to 1, 0 to 4 or 1 to 10."""
STATED = "relevance_scale"
"""Setting that states the largest relevance of another scale, which begins at 0."""
CANNOT_TELL = (
    "All judged items of a query are equally relevant: any order of them has the same gain, so "
    "that context cannot tell versions apart"
)
INVALID = "over 90 % invalid relevance"


class RelevanceJudgement(TableJudgement):
    """Valid relevance from 0 to 100; credit is relevance ÷ 100."""

    def credits(self, query: int) -> FloatArray:
        return np.nan_to_num(self.grades(query)) / SCALE


class ShareJudgement(NamedTuple):
    """Relevance as the share of required keywords that an item has, times 100."""

    keywords: Judgement
    unscorable: Reasons
    relevant_from: float = HALF

    def grades(self, query: int) -> FloatArray:
        judged = ~np.isnan(self.keywords.grades(query))
        return np.where(judged, self.keywords.credits(query) * SCALE, np.nan)

    def credits(self, query: int) -> FloatArray:
        return self.keywords.credits(query)


def read_tables(collection: Collection, findings: Findings) -> Pairs | str | None:
    """Return the mean relevance of pairs (-1: no valid answer), or "keywords"; None without either.

    Relevance is that of `relevance.csv`, with a row for each worker, else that of the judged pairs.
    What is wrong with viewed lists and with satisfaction is reported.

    Raises:
        DataError: If a relevance is off the scale, and neither -1 nor -2.
    """
    folder = collection.folder
    is_named = NAME in collection.protocols
    if not ((folder / FILE).is_file() or (is_named and collection.qrels)):
        return "keywords" if is_named and collection.tables.get("alfa") else None
    found = read_answers(collection, findings)
    if any((folder / name).is_file() for name in VIEWED):
        from dashboard.plugins.context.lists import read_lists

        try:
            read_lists(collection, findings)
        except DataError as error:
            findings.append(Finding.from_error(error))
    return found


def read_answers(collection: Collection, findings: Findings) -> Pairs:
    """Return the mean of the valid answers of workers for each pair, -1 where there is none.

    Raises:
        DataError: If there are neither answers nor judged pairs, or one is off the scale.
    """
    largest = float(collection.settings.get(STATED, SCALE))
    if not 0 < largest < np.inf:
        raise DataError("collection.toml", f"{STATED} = {largest:g}", "the best relevance, above 0")
    path = collection.folder / FILE
    if not path.is_file():
        if not collection.qrels:
            raise DataError(FILE, "no such file", "relevance of each worker, or means in qrels.csv")
        values = _scale(collection.qrels.values, "qrels", largest)
        return collection.qrels._replace(values=values)
    table = read_table(path, FILE, ("query_id", "item_id", "relevance"), findings, unique=False)
    values = np.array([parse_number(text) for text in table["relevance"]])
    values = _scale(values, FILE, largest, table.lines)
    pairs: dict[Pair, list[float]] = {}
    for query, item, value in zip(table["query_id"], table["item_id"], values, strict=True):
        pairs.setdefault((query, item), []).extend([value] if value >= 0 else [])
    return make_pairs(
        {pair: sum(said) / len(said) if said else -1.0 for pair, said in pairs.items()}
    )


def _scale(
    values: FloatArray, name: str, most: float, lines: Sequence[int] | None = None
) -> FloatArray:
    """Return relevance from 0 to 100; DataError for one off its scale, or plainly on another."""
    strange = ~((values >= 0) & (values <= most) | np.isin(values, (-1, -2)))
    if strange.any() or not len(values):
        row = int(np.argmax(strange)) if len(values) else 0
        raise DataError(
            name,
            f"relevance {values[row]:g}" if len(values) else "no relevance",
            f"a relevance from 0 to {most:g}, or -1 or -2 for an invalid answer",
            line=lines[row] if lines else None,
        )
    largest = values.max()
    if most == SCALE and 0 < largest <= MAX_OTHER_SCALE:
        raise DataError(
            name,
            f"relevance up to {largest:g} only",
            "a scale of 0 to 100",
            do=f"State the best possible one in collection.toml, such as {STATED} = {largest:g}.",
        )
    return np.where(values > 0, values * SCALE / most, values)


def judge(collection: Collection, choices: Choices) -> Judgement:
    """Judge by valid relevance; queries with more than 90 % invalid pairs are not scorable."""
    tables = collection.tables[NAME]
    if tables == "keywords":
        from dashboard.plugins.alfa.judge import judge as judge_keywords

        made = judge_keywords(collection, choices)
        reasons = {q: why for q, why in made.unscorable.items() if why != NO_RELEVANT}
        return ShareJudgement(made, reasons)
    every = judge_table(collection, tables)
    pairs = {}
    unscorable = dict(every.unscorable)
    for query, (items, grades) in every.pairs.items():
        if np.mean(grades < 0) > MAX_INVALID_SHARE:
            unscorable[query] = INVALID
        else:
            pairs[query] = items[grades >= 0], grades[grades >= 0]
    return RelevanceJudgement(every.items, pairs, unscorable, HALF)


def list_valid(collection: Collection, judgement: Judgement, query: int) -> IntArray | None:
    """Return the items with a valid relevance, which alone are ranked; None: nobody judged."""
    found, _ = list_judged(judgement, query)
    return found if len(found) or judgement.unscorable.get(query) == INVALID else None


CONTEXT = JudgingRules(
    name=NAME,
    title="Image search in context",
    judge=judge,
    metrics="CAG(RBP(0.95))@50 CAG(DCG)@50 CAG(CG)@50 CAG(AVG)@50 CAG(ERR)@50 CAG(MAX)@50 "
    "RBP(0.95,per=image)@50 DCG(credit,per=image)@50 CG(per=image)@50 AVG@50 ERR@50 MAX@50",
    nothing_relevant="formula",
    definition="Each result has a relevance from 0 to 100, the mean of what people said; invalid "
    "answers are left out, and so are queries where more than 90 % of them are. Its credit r is "
    "relevance ÷ 100; a hit has 50 or more, a threshold that the source does not have.",
    source=SOURCE,
    blind="It is a model of how people feel: only satisfaction that people report shows whether it "
    "is better than the plain gain. The value depends on w and on the depth.",
    candidates=list_valid,
    doubt=lambda study, metrics: CANNOT_TELL if has_equal_grades(study) else "",
)
