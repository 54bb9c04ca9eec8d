"""Conditions of a comparison, whether a candidate meets them, and files that say so.

They are JUnit XML for a pipeline, and Markdown for a pull request.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dashboard.commands.output import clean_cell, format_cell
from dashboard.errors import make_printable
from dashboard.evaluation.differences import NOT_WORSE, count_scored, find_limit
from dashboard.evaluation.metrics import WORD, Measure, parse, parse_one
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Names, Row, Rows
from dashboard.templates import TEMPLATES
from dashboard.texts import parse_number, write_number

EXAMPLES = {
    "<": '--fail-on "nDCG@10<-0.01 P@5<0"',
    ">": '--require "nDCG@10>-0.01", a limit below 0',
}
COLUMNS = (
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p_holm", "outcome",
    "scored", "total",
)  # fmt: skip


class Check(NamedTuple):
    """A condition of the difference of a metric, whether the candidate fails it, and why.

    Attributes:
        sign: "<": none below the limit, or ">": a loss that is none.
    """

    measure: Measure
    sign: str
    limit: float
    has_failed: bool = False
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.measure}{self.sign}{self.limit:g}"

    @property
    def title(self) -> str:
        """The condition with its option, in words."""
        return f"{'fail on' if self.sign == '<' else 'require'} {self}"


def read_conditions(text: str | None, sign: str) -> list[Check]:
    """Return the conditions of a sign that an option holds.

    Raises:
        ValueError: If a part of the text is none, or no metric has its name.
    """
    found: dict[Measure, Check] = {}
    joined = re.sub(r"\s*([<>])\s*(?=[-+.\d])", r"\1", text or "")
    for word in [] if text is None else WORD.findall(joined) or [""]:
        name, given, number = word.rpartition(sign)
        limit = parse_number(number)
        if not given or not np.isfinite(limit) or (sign == ">" and limit >= 0):
            raise ValueError(
                f"{word or text!r} is no such condition; write for example {EXAMPLES[sign]}."
            )
        measure = parse_one(name)
        if measure in found:
            raise ValueError(f"{found[measure]} and {word}: give one of them.")
        found[measure] = Check(measure, sign, limit)
    return list(found.values())


def make_checks(
    study: Study, choices: Choices, conditions: Sequence[Check]
) -> tuple[list[Check], Rows]:
    """Return the checks of two versions, and the rows of their comparison.

    Without a condition, each metric that is no median must not fall.

    Raises:
        ValueError: If a condition can never be checked.
    """
    versions = choices.pair
    measures = parse(choices["metrics"])
    conditions = conditions or [
        Check(each, "<", 0.0) for each in measures if not each.metric.is_median
    ]
    for each in conditions:
        if each.measure.metric.is_median:
            raise ValueError(f"{each}: a median has no interval; name another metric.")
        if len(study.queries) < 2:
            raise ValueError(f"{each}: one query has no interval; it takes two queries or more.")
        most = find_limit(*(study.values(version, str(each.measure)) for version in versions))
        if abs(each.limit) >= most:
            raise ValueError(f"{each}: choose a limit between {-most:g} and {most:g}.")
    rows = study.compare(*versions, choices["metrics"])
    by_measure = dict(zip(measures, rows, strict=True))
    return [_check(each, by_measure[each.measure]) for each in conditions], rows


def _check(condition: Check, row: Row) -> Check:
    known = count_scored(row)
    if row["p"] is None:
        why = f"no interval: {known} in both versions; it takes two"
        return condition._replace(has_failed=True, reason=why)
    has_interval = row["low"] is not None
    limit = condition.limit
    ends = [row["low"], row["high"]] if has_interval else [row["delta"]] * 2
    low, high = sorted(condition.measure.sign * each for each in ends)
    written = [write_number(each, "+") for each in (low, high)]
    interval = f"95 % interval of the difference {' to '.join(written)}"
    reason = f"{interval if has_interval else f'difference {written[0]} in every query'}, {known}"
    has_failed = row["outcome"] not in ("better", NOT_WORSE)
    if condition.sign == "<":
        has_failed = high < limit and (has_interval or row["outcome"] == "worse")
    why = f"all of it lies below {limit:g}"
    if high >= limit:
        why = f"a loss of {write_number(-limit)} is not excluded"
        if has_interval and low > limit:
            why += ", were there one query more that had gained, and one that had lost, all it can"
        if (row["needed"] or 0) > row["scored"]:
            why += f"; to see one of that size takes {row['needed']:,} queries"
    reason += f"; {why}" * has_failed
    return condition._replace(has_failed=has_failed, reason=reason)


def write_checks(
    template: str, checks: Sequence[Check], rows: Rows, names: Names, told: Names
) -> str:
    """Return checks as JUnit XML with a test case each, or in Markdown with the comparison.

    Args:
        template: junit.xml or checks.md.
        checks: All checks.
        rows: The comparison.
        names: Collection, candidate and baseline.
        told: Choices that change numbers, in words.
    """
    return TEMPLATES.get_template(f"plugins/gate/{template}").render(
        checks=checks,
        rows=rows,
        names=names,
        told=told,
        columns=COLUMNS,
        printable=make_printable,
        code=_write_code,
        clean=clean_cell,
        cell=format_cell,
    )


def _write_code(text: str) -> str:
    """Return a text as a code span, in which there are no links, tags or mentions.

    >>> _write_code("<b>"), _write_code("x`y")
    ('`<b>`', '`` x`y ``')
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{make_printable(text)}{space}{fence}"
