"""Checks for other programs: JUnit XML for a pipeline, Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

from dashboard.commands.compare_versions import COLUMNS
from dashboard.commands.output import write_rows
from dashboard.errors import make_printable
from dashboard.evaluation.measurement import Row
from dashboard.plugins.gate.checks import Check


def write_junit(checks: Sequence[Check], versions: Sequence[str]) -> str:
    """Return JUnit XML with a test case a check."""
    failures = sum(each.has_failed for each in checks)
    told = {"tests": str(len(checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", told)
    title = make_printable(" against ".join(versions))
    suite = ElementTree.SubElement(root, "testsuite", {"name": title} | told)
    for each in checks:
        names = {"classname": "compare", "name": each.name, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", names)
        if each.has_failed:
            ElementTree.SubElement(case, "failure", {"message": each.reason})
        else:
            ElementTree.SubElement(case, "system-out").text = each.reason
    ElementTree.indent(root)
    return f"{ElementTree.tostring(root, 'unicode', xml_declaration=True)}\n"


def write_markdown(
    checks: Sequence[Check], rows: Iterable[Row], versions: Sequence[str], told: Iterable[str]
) -> str:
    """Return the verdict, the checks, choices that change numbers, and the comparison."""
    failed = sum(each.has_failed for each in checks)
    verdict = f"{failed:,} of {len(checks):,} checks failed" if failed else "all checks passed"
    lines = [f"## {' against '.join(map(_write_code, versions))}: {verdict}", ""]
    for name, has_failed, reason in checks:
        outcome = "**failed**" if has_failed else "passed"
        lines.append(f"- {outcome} {_write_code(name)}: {_write_code(reason)}")
    lines += [f"- {_write_code(each)}" for each in told]
    return "\n".join([*lines, "", "```text", write_rows(rows, COLUMNS, "table") + "```", ""])


def _write_code(text: str) -> str:
    """Return a text as a code span, in which there are no links, tags or mentions.

    >>> _write_code("<b>"), _write_code("x`y")
    ('`<b>`', '`` x`y ``')
    """
    runs = map(len, re.findall("`+", text))
    fence = "`" * (1 + max(runs, default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{make_printable(text)}{space}{fence}"
