"""Counts in sentences: thousands apart and nouns in their number, wherever a sentence is made."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "dashboard"
COUNTING = {"len", "int", "sum", "min", "max"}


def counts(value: ast.expr) -> bool:
    """Whether what stands in a sentence is a count, as far as its own words say."""
    if isinstance(value, ast.BinOp):
        return counts(value.left) or counts(value.right)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        return value.func.id in COUNTING
    return isinstance(value.func, ast.Attribute) and value.func.attr in ("sum", "nunique")


def bare(source: str) -> list[str]:
    """The counts of a file that are written without a form, and so with thousands run together.

    What holds letters and no blank is a key or an address, not words.
    """
    return [
        ast.unparse(each.value)
        for text in ast.walk(ast.parse(source))
        if isinstance(text, ast.JoinedStr) and not is_key(text)
        for each in text.values
        if isinstance(each, ast.FormattedValue) and not each.format_spec and counts(each.value)
    ]


def is_key(text: ast.JoinedStr) -> bool:
    words = "".join(each.value for each in text.values if isinstance(each, ast.Constant))
    return bool(words) and " " not in words


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: file.name)
def test_thousands_stand_apart(file):
    found = bare(file.read_text(encoding="utf-8"))
    assert not found, f"{file}: write {{{found[0]}:,}}, or counted(…) with its noun"


def test_the_check_finds_what_it_is_for():
    wrong = 'f"{len(a)} of {int(b.sum())} rows, {len(a) - 1} more, {c.sum()}"'
    assert bare(wrong) == ["len(a)", "int(b.sum())", "len(a) - 1", "c.sum()"]
    assert bare('f"{len(a):,} of {name} {shown(len(a))}"') == []
    assert bare('f"rows-{len(a)}"') == [] and bare('f"{len(a)}"') == ["len(a)"]


def test_nouns_are_put_in_the_plural_in_one_place():
    ad_hoc = [
        str(file)
        for file in sorted(PACKAGE.rglob("*.py"))
        if "'s' *" in (text := file.read_text(encoding="utf-8")) or '"s" *' in text
    ]
    assert not ad_hoc, "write counted(number, noun)"
