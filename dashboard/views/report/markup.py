"""HTML that cannot be broken by what stands in it: a text is escaped unless it is Markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from dashboard.views.texts import LONGEST, shown

_EMPTY = frozenset({"meta", "br", "hr"})
Attribute = str | int | float | bool | None


class Markup(str):
    """HTML that was made here; any other text is data."""

    __slots__ = ()


Inside = Markup | str | int


def text(words: object, longest: int | None = LONGEST) -> Markup:
    """Data as text: control and direction marks visible, cut after `longest` letters, escaped.

    >>> text("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return Markup(escape(shown(str(words), longest)))


def data(words: object, longest: int | None = LONGEST) -> Markup:
    """Data in a sentence of ours: its direction of writing does not touch the words around it."""
    return tag("bdi", text(words, longest))


def tag(name: str, /, *inside: Inside, **attributes: Attribute) -> Markup:
    """An element. Attributes of the value None or False are left out, True stands without a value.

    >>> tag("a", "1 < 2", class_="x", aria_label='"', hidden=False)
    '<a class="x" aria-label="&quot;">1 &lt; 2</a>'
    """
    written = "".join(
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{text(value, None)}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(inside)}</{name}>")


def joined(pieces: Iterable[Inside], between: str = "") -> Markup:
    """Pieces one after the other, texts among them escaped."""
    safe = (piece if isinstance(piece, Markup) else text(piece, None) for piece in pieces)
    return Markup(between.join(safe))


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
