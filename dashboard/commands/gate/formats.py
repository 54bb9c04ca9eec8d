"""The checks of a gate for other programs: JUnit XML, and a summary in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pandas as pd

from dashboard.commands.gate.checks import SLICE_RULE, WHOLE_RULE, Check
from dashboard.evaluation.comparison.scores import written
from dashboard.evaluation.digits import chance, number, signed
from dashboard.evaluation.reviewing.cause_counts import RULE
from dashboard.experiment.reviews.reviewing import CauseCounts

SIGNS = {"passed": "✅", "failed": "❌", "undecided": "❌", "small": "➖"}
TITLES = {"versions": "Versions", "metric": "Metrics", "slice": "Slices", "query": "Known queries"}
RULES = {
    "versions": "Versions of unlike galleries, queries or depths differ by that alone.",
    "metric": f"A metric {WHOLE_RULE}; one that cannot be measured fails too.",
    "slice": f"A slice {SLICE_RULE}. Smaller slices are listed only.",
    "query": "A good query fails below its least value; one known to fail at or above it; one"
    " that is not measured here fails, too.",
}
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(checks: Sequence[Check], title: str) -> str:
    """JUnit XML, a test case for each check; small slices are skipped ones."""
    count = {
        "tests": len(checks),
        "failures": sum(each.outcome == "failed" for each in checks),
        "errors": sum(each.outcome == "undecided" for each in checks),
        "skipped": sum(each.outcome == "small" for each in checks),
    }
    numbers = {key: str(number) for key, number in count.items()}
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(title), **numbers})
    words = {"failed": "failure", "undecided": "error", "small": "skipped"}
    for each in checks:
        names = {"classname": f"gate.{each.kind}", "name": _xml(each.name), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", names)
        if each.outcome in words:
            said = {"message": _xml(each.reason)}
            ElementTree.SubElement(case, words[each.outcome], said)
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(each.reason)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def summary(
    checks: Sequence[Check],
    comparison: pd.DataFrame,
    title: str,
    verdicts: CauseCounts | None = None,
) -> str:
    """Markdown: what broke first, then the comparison, then every check with its rule, and what
    reviewers say of the results. verdicts: None where they are of no collection."""
    broken = [each for each in checks if each.breaks]
    verdict = f"{len(broken):,} of {len(checks):,} checks fail" if broken else "passes"
    lines = [f"## {'❌' if broken else '✅'} {_code(title)}: {verdict}", ""]
    lines += [f"- ❌ {_code(each.name)}: {_code(each.reason)}" for each in broken]
    lines += ["", *_compared(comparison)]
    for kind, heading in TITLES.items():
        mine = [each for each in checks if each.kind == kind]
        if mine:
            lines += ["", f"### {heading}", "", RULES[kind], "", "| | | |", "|---|---|---|"]
            lines += [_row(each) for each in mine]
    if verdicts is not None:
        lines += ["", "### Verdicts by cause", "", *_by_cause(verdicts)]
    return "\n".join(lines) + "\n"


def _by_cause(verdicts: CauseCounts) -> list[str]:
    """What reviewers say in a sentence, and a row for each slice with a judged result."""
    table = verdicts.table[verdicts.table["judged"].notna()]
    lines = [verdicts.sentence if table.size else _code(verdicts.sentence)]
    if len(table) > 1:
        heads = [name for name in table.columns if name not in ("by", "slice")]
        lines += [RULE, "", f"| slice | {' | '.join(heads)} |", f"|---{'|---' * len(heads)}|"]
        for row in table.to_dict("records"):
            name = row["slice"] if row["by"] == "all" else f"{row['by']}: {row['slice']}"
            lines.append(f"| {_cell(name)} | {' | '.join(f'{row[head]:,}' for head in heads)} |")
    return lines


def _row(each: Check) -> str:
    cells = [f"{SIGNS[each.outcome]} {each.outcome}", _cell(each.name), _cell(each.reason)]
    return f"| {' | '.join(cells)} |"


def _compared(comparison: pd.DataFrame) -> list[str]:
    heads = "| metric | baseline | candidate | difference | 95 % interval | p (Holm) | scored |"
    lines = [heads, "|---|---|---|---|---|---|---|"]
    for row in comparison.to_dict("records"):
        name = written(str(row["metric"]), None if pd.isna(row["cutoff"]) else int(row["cutoff"]))
        cells = [
            _cell(name),
            number(row["baseline"]),
            number(row["candidate"]),
            signed(row["delta"]),
            f"{signed(row['low'])} to {signed(row['high'])}",
            chance(row["p_holm"]),
            f"{row['scored']} of {row['total']}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _code(text: str) -> str:
    """Any text as a code span, where Markdown knows no links, tags, mentions or pictures.

    >>> _code("<b>"), _code("x`y"), _code("")
    ('`<b>`', '``x`y``', '` `')
    """
    plain = " ".join(_xml(text).split()) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def _cell(text: str) -> str:
    """A code span in a table, where a bar would end the cell even inside the span."""
    return _code(text).replace("|", "\\|")


def _xml(text: str) -> str:
    """The text without the letters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
