"""How data becomes text; that Streamlit then renders it letter for letter is tested in Chromium."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.views.texts import badge, plain, shown

JOINER = "\u2060"


def unescaped(markdown: str) -> str:
    """What Markdown makes of backslash escapes alone."""
    text, letters = "", iter(markdown)
    for letter in letters:
        text += next(letters) if letter == "\\" else letter
    return text.replace(JOINER, "").replace("\u00a0", " ")


@given(st.text(max_size=200))
def test_plain_text_is_escaped_whole_and_nothing_is_lost(text: str) -> None:
    assert unescaped(plain(text)) == shown(text).replace("\u00a0", " ").replace(JOINER, "")


@given(st.text(alphabet="!-/:-@[-`{-~ab ", max_size=40))
def test_no_punctuation_stands_alone(text: str) -> None:
    markdown = plain(text)
    letters = iter(range(len(markdown)))
    for at in letters:
        if markdown[at] == "\\":
            next(letters)
        else:
            assert not (markdown[at].isascii() and markdown[at] in "!#$*+-.:<>[]_`{|}~&()")


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("a -> b", True),
        ("a --> b", False),
        ("a -- b", True),
        (":smile:", True),
        (":material_check:", True),
        ("12:30", False),
        ("see www.x.org", True),
        ("https://x.org", True),
        ("me@x.org", True),
        ("plain words, and more.", False),
    ],
)
def test_a_joiner_stands_only_where_streamlit_would_rewrite(text: str, split: bool) -> None:
    assert (JOINER in plain(text)) == split


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\nb\tc", "a␊b␉c"),
        ("\x00\x7f", "␀␡"),
        ("abc\u202egnp", "abc⟨U+202E⟩gnp"),
        ("\u200b\ufeff", "⟨U+200B⟩⟨U+FEFF⟩"),
        ("👩\u200d🚒 Straße", "👩\u200d🚒 Straße"),
        ("\ud800", "\ufffd"),
    ],
)
def test_marks_that_cannot_be_seen_are_made_visible(text: str, seen: str) -> None:
    assert shown(text) == seen


def test_long_texts_are_cut() -> None:
    assert shown("x" * 500, 10) == "x" * 9 + "…"
    assert len(shown("x" * 500, None)) == 500
    assert plain("*" * 500, 3) == "\\*\\*…"


def test_a_badge_holds_its_text_as_text() -> None:
    assert badge("a]b", "green", "check") == ":green-badge[:material/check: a\\]b]"
