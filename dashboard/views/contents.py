"""Cards of the screen Collections: facts, first pictures and findings of each collection."""

from collections import Counter
from contextlib import suppress
from html import escape

import streamlit as st

from dashboard.errors import ChoiceError, DataError
from dashboard.storage.collection import Collection, open_named
from dashboard.study.choices import resolve
from dashboard.study.judging import find_rules
from dashboard.tables import Texts
from dashboard.templates import TEMPLATES
from dashboard.texts import count_things
from dashboard.views.address import draw_text, escape_markdown, shorten_choices
from dashboard.views.components import make_line
from dashboard.views.data_tables import Column, draw_folded, write_table
from dashboard.views.frame import find_pages
from dashboard.views.media_routes import address_media

PICTURES = 3
MAX_FINDINGS = 100
FINDINGS = [
    Column("level", "Level"),
    Column("file", "File", "wrap"),
    Column("line", "Line", "number"),
    Column("found", "Found", "wrap"),
    Column("wanted", "Expected", "wrap"),
]


def draw_collection(name: str, is_open: bool) -> None:
    """Draw the facts of a collection, its findings and the link that opens it."""
    command = f"python -m dashboard check {name}"
    with st.container(border=True, key=f"collection-{name}"):
        try:
            collection = open_named(name)
        except DataError as error:
            st.markdown(f"**{escape_markdown(name)}**")
            draw_text("error", error)
            st.code(command, language=None)
            return
        address = {"collection": name}
        with suppress(ChoiceError, DataError):  # whole, so that opening it is one step of Back
            address = shorten_choices(collection, resolve(collection, {}))
        with make_line():
            mark = " :gray-badge[open now]" if is_open else ""
            st.markdown(f"**{escape_markdown(collection.title)}**{mark}")
            st.page_link(find_pages()["overview"], label="Open", query_params=address, width=70)
        draw_text("caption", collection.settings.get("about"))
        st.html(write_facts(collection))
        if collection.findings:
            shown = [vars(each) for each in collection.findings[:MAX_FINDINGS]]
            levels = Counter(each.level for each in collection.findings)
            title = ", ".join(count_things(number, level) for level, number in levels.items())
            draw_folded(title, f"{write_table(FINDINGS, shown)}<pre>{escape(command)}</pre>")
        else:
            found = "✓ No problem found in its tables and vectors."
            st.caption(f"{found} `{command}` reads its media, too.")


def list_facts(collection: Collection) -> Texts:
    """Return what is known of a collection, by its name on the screen."""
    texts = int(collection.is_text.sum())
    items = len(collection.queries) - texts
    kinds = [count_things(n, kind) for n, kind in ((texts, "text"), (items, "item")) if n]
    rules = None
    with suppress(ChoiceError):  # none can judge it
        rules = find_rules(collection, resolve(collection, {})["protocol"])
    versions = [*collection.versions, *(f"{name} (unusable)" for name in collection.broken)]
    taken = collection.settings.get("source", ())  # as `init` has recorded it
    return {
        "Items": f"{len(collection.items):,}",
        "Queries": ", ".join(kinds) or "none",
        "Versions": ", ".join(versions) or "none yet",
        "Relevant": f"{rules.title}: {rules.definition}"
        if rules
        else "no protocol can judge it: it has neither judgements nor keywords",
        "Licence": collection.settings.get("licence") or "not stated",
        "Source": collection.settings.get("attribution") or "not stated",
    } | ({"Taken from": "\n".join(taken)} if taken else {})


def write_facts(collection: Collection) -> str:
    """Return the facts of a collection and its first pictures as HTML."""
    pictures = [
        (address, item)
        for item in collection.items.ids[: 10 * PICTURES]
        if (address := address_media(collection, "poster", item))
    ]
    return TEMPLATES.get_template("views/facts.html").render(
        facts=list_facts(collection), pictures=pictures[:PICTURES]
    )
