"""Checks for other programs: JUnit XML for a pipeline, Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from dashboard.commands.output import format_cell, write_markdown_table
from dashboard.errors import make_printable
from dashboard.evaluation.measurement import Row
from dashboard.plugins.gate.checks import Check

COLUMNS = (
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p_holm", "outcome",
    "scored", "total",
)  # fmt: skip


def write_junit(checks: Sequence[Check], names: Sequence[str], told: Iterable[str]) -> str:
    """Return JUnit XML with a test case a check.

    Args:
        checks: All checks.
        names: Collection, candidate and baseline.
        told: Choices that change numbers, in words.
    """
    failures = sum(each.has_failed for each in checks)
    counts = {"tests": str(len(checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", counts)
    title = make_printable("{}: {} against {}".format(*names))
    suite = ElementTree.SubElement(root, "testsuite", {"name": title} | counts)
    choices = ElementTree.SubElement(suite, "properties")
    for each in told:
        named = {"name": "choice", "value": make_printable(each)}
        ElementTree.SubElement(choices, "property", named)
    for check in checks:
        called = {"classname": title, "name": _name(check), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", called)
        if check.has_failed:
            ElementTree.SubElement(case, "failure", {"message": check.reason})
        else:
            ElementTree.SubElement(case, "system-out").text = check.reason
    ElementTree.indent(root)
    return f"{ElementTree.tostring(root, 'unicode', xml_declaration=True)}\n"


def write_markdown(
    checks: Sequence[Check], rows: Iterable[Row], names: Sequence[str], told: Iterable[str]
) -> str:
    """Return the verdict, the checks, choices that change numbers, and the comparison."""
    failed = sum(each.has_failed for each in checks)
    verdict = f"{failed:,} of {len(checks):,} checks failed" if failed else "all checks passed"
    lines = ["## {}: {} against {}: ".format(*map(_write_code, names)) + verdict, ""]
    for each in checks:
        outcome = "**failed**" if each.has_failed else "passed"
        lines.append(f"- {outcome} {_write_code(_name(each))}: {_write_code(each.reason)}")
    lines += [f"- {_write_code(each)}" for each in told]
    cells = ([format_cell(row[column]) for column in COLUMNS] for row in rows)
    table = write_markdown_table([COLUMNS, ["---"] * len(COLUMNS), *cells])
    return "\n".join([*lines, "", table])


def _name(check: Check) -> str:
    return f"{'fail on' if '<' in check.name else 'require'} {check.name}"


def _write_code(text: str) -> str:
    """Return a text as a code span, in which there are no links, tags or mentions.

    >>> _write_code("<b>"), _write_code("x`y")
    ('`<b>`', '`` x`y ``')
    """
    runs = map(len, re.findall("`+", text))
    fence = "`" * (1 + max(runs, default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{make_printable(text)}{space}{fence}"
