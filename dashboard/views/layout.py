"""Reserves height and width for charts, tables and buttons, so that the page does not jump.

Streamlit fetches the scripts of these elements after the page; until they run, an element has no
size, and `height="content"` or `width="content"` measures nothing. Five sizes are therefore told
beforehand: a chart's height (it says so itself), a scrolling table's by its number of rows, and,
guessed from the letters, how many lines the cells of a table and a row of buttons take, how wide
buttons are that stand beside others, and how wide the links to the screens are. `server/page_head`
puts the rules of `rules()` into every page. Nowhere else is a size guessed from letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st
from altair import TopLevelMixin
from pandas.io.formats.style import Styler

from dashboard.experiment.memory import remembered
from dashboard.views import texts

ROW, SEEN, SEEN_BESIDE = 33, 10, 18
"""Pixels of a row of a scrolling table; more rows than these are scrolled to, alone and beside a
column of charts."""
MOST_ROWS, MOST_LINES = 40, 8
"""More rows of a table and lines of buttons than these end below any screen."""
CELL, CELL_LETTER, MARGIN = 12.25, 6.0, 20
"""Pixels of a table's cell without its letters, of a letter, and beside a table on a phone."""
LETTER, BUTTON = 5.8, 32
"""Pixels of a letter on a button, and of the rest of it."""
BOLD, LINK = 5.5, 51
"""Pixels of a bold letter of a link to a screen, and of the rest of it."""
TITLE = {"anchor": "start", "frame": "bounds", "fontSize": 12, "fontWeight": "normal"}
TITLE_LETTERS, TITLE_LINE, TITLE_GAP = 62, 15, 6
"""Letters of a line of a chart's title, as many as fit on a phone; pixels of it, and below it."""
_DETAILS = " :small["
_MARKS = re.compile(r"\*\*|:[a-z]+\[|\]|[\\\u2060]")
"""What Markdown takes out of a cell."""
_WORDS: Any = {"break_long_words": False, "break_on_hyphens": False}
WIDTHS = {"wide": 2100, "usual": 960, "narrow": 380}
"""Pixels across in a large window, a usual one, and on a phone."""


def chart(drawn: TopLevelMixin, alt: str, **options: Any) -> Any:
    """Draw a chart as high as it says, and above it what it shows, so that its picture, which can
    be saved, tells that too; what was chosen in it, as `st.vega_lite_chart` gives it.

    alt: what it shows, for a screen reader, too.
    """
    _, spec, height = _prepared(drawn, alt)
    return st.vega_lite_chart(spec, height=height, alt=alt, **options)


@remembered(128, key=lambda drawn, alt: (id(drawn), alt))
def _prepared(drawn: TopLevelMixin, alt: str) -> tuple[TopLevelMixin, dict[str, Any], int]:
    """The chart, which is thereby held so that no other gets its number; what Streamlit is given
    of it, and its height."""
    of_any_kind: Any = drawn
    title = wrap(texts.shown(alt), TITLE_LETTERS)
    height = of_any_kind.height + TITLE_LINE * len(title) + 3 * TITLE_GAP
    titled = of_any_kind.properties(
        title={"text": title, **TITLE, "lineHeight": TITLE_LINE, "offset": TITLE_GAP}, height=height
    ).configure_axis(labelFlush=False)  # Streamlit's theme moves the first and last label aside
    spec = titled.to_dict()
    for name, records in spec.get("datasets", {}).items():
        table = pa.Table.from_pandas(pd.DataFrame(records), preserve_index=False)
        # what pandas notes on each column is for pandas alone, and up to a third of the bytes
        spec["datasets"][name] = table.replace_schema_metadata()
    return drawn, spec, height


def rows(
    table: pd.DataFrame,
    written: Mapping[str, Callable[[Any], str]] | None = None,
    seen: int = SEEN,
    **options: Any,
) -> Any:
    """Draw a scrolling table; what was chosen in it, as `st.dataframe` gives it.

    written: how the numbers of some columns are written; they are sorted as numbers all the same.
    seen: more rows than these are scrolled to.
    """
    fit = ROW * (max(len(table), 1) + 1) + 2
    most = ROW * (seen + 1) + 12  # a part of the next row says that there is more
    written = {**_large(table), **(written or {})}
    drawn = _styled(table, written) if written and len(table) else table
    return st.dataframe(drawn, height=min(fit, most), **{"placeholder": "–", **options})


def _large(table: pd.DataFrame) -> dict[str, Callable[[Any], str]]:
    """How whole numbers are written, of the columns that have some from a thousand on."""
    several = table.select_dtypes("integer")
    return {str(name): whole for name in several if (several[name].abs() >= 1_000).any()}


def whole(value: Any) -> str:
    """A whole number as it is read; a dash for null.

    >>> whole(1234), whole(1234.0), whole(None)
    ('1,234', '1,234', '–')
    """
    return "–" if pd.isna(value) else f"{int(value):,}"


def _styled(table: pd.DataFrame, written: Mapping[str, Callable[[Any], str]]) -> Styler:
    """The table with its numbers as they are written. Its name is fixed: pandas draws a random one,
    and no browser would have the same table already."""
    return Styler(table, uuid="rows").format({**written})


def table(shown: pd.DataFrame, key: str) -> None:
    """Draw a table whose cells may take several lines. key: a name of its own on the screen."""
    known = f"rows-{min(len(shown) + 1, MOST_ROWS)}-tall-{min(_tall(shown), MOST_ROWS)}"
    with st.container(key=f"{known}-{key}"):
        st.table(shown)


def _tall(shown: pd.DataFrame) -> int:
    """The lines that a table takes on a phone, its columns as wide as CSS 2.2, 17.5.2.2, makes
    them: as their words want, as their longest word needs, or as far between as there is room."""
    head = [str(shown.index.name or ""), *map(str, shown.columns)]
    cells = [[str(cell) for cell in row] for row in shown.head(MOST_ROWS).itertuples()]
    texts = [
        [_MARKS.sub("", cell.partition(_DETAILS)[0]) for cell in row] for row in (head, *cells)
    ]
    columns = list(zip(*texts, strict=True))
    most = [max(map(len, column)) for column in columns]
    least = [
        max(len(word) for cell in column for word in wrap(cell, 1, **_WORDS) or [""])
        for column in columns
    ]
    room = (WIDTHS["narrow"] - MARGIN - CELL * len(columns)) / CELL_LETTER - sum(least)
    wanted = sum(most) - sum(least)
    part = min(max(room / wanted, 0.0), 1.0) if wanted else 1.0
    widths = [low + int((high - low) * part) for low, high in zip(least, most, strict=True)]
    return sum(
        max(
            len(wrap(cell, max(width, 1), **_WORDS)) or 1
            for cell, width in zip(row, widths, strict=True)
        )
        for row in texts
    )


def with_details(name: str, details: str) -> str:
    """The name of a table's row with details that a phone leaves out; both Markdown."""
    return f"{name}{_DETAILS}{details}]" if details else name


def section(title: str, key: str | None = None) -> Any:
    """A part of a long screen that opens with a click.

    title: Markdown. key: a name of its own on the screen where the title tells numbers: a browser
    sets a part whose title changes back to how the server drew it, so the server has to know. Its
    charts then need to be drawn only where it is `open`.
    """
    if key is None:
        return st.expander(title)
    state, known = st.session_state, f"section-{key}"
    drawn, opened = state.get(f"{known}-drawn", (title, False))
    if title != drawn:
        opened = bool(state.get(known, opened))
    state[f"{known}-drawn"] = title, opened
    return st.expander(title, expanded=opened, key=known, on_change="rerun")


def buttons(labels: Iterable[str], key: str, across: int | None = None) -> Any:
    """A container for buttons of which one or several are on, as many lines high as they take.

    key: as for a table. across: as wide as this many pixels, where it stands beside others.
    """
    of = list(labels)
    known = "-".join(f"{name}-{lines(of, there)}" for name, there in WIDTHS.items())
    return st.container(key=f"{known}-{key}", width=across or "stretch")


def lines(labels: Sequence[str], width: float) -> int:
    """The lines that buttons with these labels take.

    >>> lines(["one", "two"], 1000), lines(["a name of thirty-three letters ..."] * 2, 380)
    (1, 2)
    """
    taken, number = 0.0, 1
    for label in labels:
        needed = BUTTON + LETTER * len(label)
        if taken and taken + needed > width:
            taken, number = 0.0, number + 1
        taken += needed
    return min(number, MOST_LINES)


def width(labels: Iterable[str], title: str = "") -> int:
    """The pixels that buttons in one line take, or the title above them if it is longer."""
    across = sum(BUTTON + LETTER * len(label) for label in labels)
    return round(max(across, LETTER * len(title) + 10))


def link_width(title: str) -> int:
    """The pixels that a link to a screen takes, which stands in bold on that screen itself."""
    return round(LINK + BOLD * len(title))


def rules() -> str:
    """The style that tells the rules for tables and buttons how much room each takes."""
    tables = [(f"{name}-{n}-", name, n) for name in ("rows", "tall") for n in range(MOST_ROWS + 1)]
    several = [(f"{name}-{n}-", name, n) for name in WIDTHS for n in range(1, MOST_LINES + 1)]
    return "".join(f'[class*="{key}"]{{--{name}:{n}}}' for key, name, n in tables + several)
