"""Streamlit in Chromium renders `plain` letter for letter, in each kind of call with Markdown."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dashboard.views.texts import plain, shown

HERE = Path(__file__).parent
PRINTABLE = "".join(chr(code) for code in range(32, 127))
TRAPS = [
    PRINTABLE,
    PRINTABLE[::-1],
    "a -> b <- c <-> d -- e >= f <= g ~= h",
    "-> x",
    "<-",
    ":smile: :+1: :-1: :streamlit: :material/check: :material_check: :a:b:c:",
    ":red[x] :green-badge[y] :small[z] :blue-background[q]",
    "$x^2$ $$y$$ \\(z\\)",
    "![p](http://127.0.0.1:8699/t.png) [go](javascript:alert(1)) <b>b</b> <script>1</script>",
    "http://example.org www.example.org me@example.org <http://example.org>",
    "# not a heading",
    "- no list",
    "1. no list",
    "> no quote",
    "    no code",
    "`no code` ```none```",
    "a  b   c ",
    "| a | b |\u2003|---|---|",
    "&amp; &#65; &copy;",
    "~~no~~ __no__ **no** *no* _no_",
    "[^1]: no note [^1]",
    "- [ ] no task",
    "---",
    "===",
    "Straße 🚲 مرحبا 日本",
    "back\\slash \\* \\",
]


def made_up(count: int) -> list[str]:
    """Random texts of the letters that mean something to Markdown and Streamlit."""
    chance = random.Random(7)
    parts = [*string.punctuation, "a", "b", "1", " ", "red", "http", "www", "smile", "material"]
    return ["".join(chance.choices(parts, k=24)) for _ in range(count)]


@pytest.fixture(scope="module")
def drawn(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> tuple:
    texts = TRAPS + made_up(14)
    file = tmp_path_factory.mktemp("texts") / "texts.json"
    file.write_text(json.dumps(texts), encoding="utf-8")
    return texts, serve(HERE / "texts_world.py", TEXTS=str(file))


def as_read(text: str) -> str:
    """What a reader sees: joiners have no width, and a space is a space."""
    return text.replace("\u2060", "").replace("\u00a0", " ").strip()


@pytest.mark.slow
def test_texts_are_rendered_letter_for_letter(drawn: tuple, new_page: Callable) -> None:
    texts, address = drawn
    page, requested = new_page(), []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(address)
    page.get_by_text("all drawn").wait_for()
    page.wait_for_function(
        """count => ['Button', 'Metric', 'Checkbox', 'Radio', 'Expander', 'Alert'].every(
        kind => document.querySelectorAll(`[data-testid=st${kind}] p`).length >= count)""",
        arg=len(texts),
    )
    page.wait_for_load_state("networkidle")  # formulas and emoji are rendered by late scripts
    page.wait_for_timeout(500)
    for number, text in enumerate(texts):
        place = page.locator(f".st-key-text-{number}")
        wanted = as_read(shown(text))
        seen = [as_read(found) for found in place.locator("p").all_text_contents()]
        exact = [found for found in seen if found == wanted]
        assert len(exact) >= 8, (text, plain(text), seen)
        badge = as_read(shown(text, 60))
        assert any(found.startswith("check") and found.endswith(badge) for found in seen), text
        assert place.locator("p a, img, code, em, strong, del, h1, li, .katex").count() == 0, text
    host = urlsplit(address).netloc
    assert {urlsplit(url).netloc for url in requested if url.startswith("http")} == {host}
