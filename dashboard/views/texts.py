"""The one way that data becomes text on a screen.

`plain` is for Streamlit calls that take Markdown (labels, st.markdown, st.caption, alerts,
metrics); `shown` for those that take text as it is (options of st.selectbox, charts, tables).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LONGEST = 300  # letters
_JOINER = "\u2060"  # has no width and allows no line break

# Streamlit rewrites these in the text that Markdown leaves, so a backslash does not keep them.
_REWRITTEN = re.compile(
    r"(?P<emoji>:)(?=[\w+-]+:)"
    r"|(?P<arrow>(?:(?<=\s)|^)(?:<-|-|>|<|~))(?=(?:>|-|=)(?:\s|$))"
    r"|(?P<link>https?(?=://)|www(?=\.)|@(?=[-\w]+\.))",
    re.IGNORECASE,
)
_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")


def shown(text: str, longest: int | None = LONGEST) -> str:
    """The text with its control and direction marks made visible, cut after `longest` letters."""
    text = str(text)
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    return text if text.isprintable() else "".join(map(_visible, text))


def any_of(words: Sequence[str]) -> str:
    """Words to choose from.

    >>> any_of(["5"]), any_of(["5", "10"]), any_of(["5", "10", "20"])
    ('5', '5 or 10', '5, 10 or 20')
    """
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def plain(text: str, longest: int | None = LONGEST) -> str:
    """Markdown that renders as exactly this text: no formatting, link, picture, formula or icon.

    Runs of spaces are kept. Where Streamlit would rewrite even escaped text (`->`, `:smile:`,
    `www.`), a joiner without width stands between the letters.
    """
    split = _REWRITTEN.sub(lambda found: found[0] + _JOINER, shown(text, longest))
    kept = re.sub(r"^ | $|(?<= ) | (?= )", "\u00a0", split)
    return _SPECIAL.sub(r"\\\1", kept)


def badge(text: str, colour: str = "gray", icon: str = "") -> str:
    """A small coloured label with a Material icon: `badge("cyclist", "green", "check")`."""
    mark = f":material/{icon}: " if icon else ""
    return f":{colour}-badge[{mark}{plain(text, 60)}]"


def _visible(letter: str) -> str:
    code = ord(letter)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    category = unicodedata.category(letter)
    if category == "Cs":
        return "\ufffd"
    joins = letter in "\u200c\u200d"  # emoji and several scripts need them
    if category == "Cc" or (category == "Cf" and not joins) or category in ("Zl", "Zp"):
        return f"⟨U+{code:04X}⟩"
    return letter
