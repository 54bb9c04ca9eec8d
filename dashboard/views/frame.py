"""The frame of every page: links, the row of choices, columns, and problems as sentences."""

from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.plugins import list_screens, load_sections
from dashboard.storage.collection import Collection, open_named
from dashboard.storage.settings import find_setting, list_collections
from dashboard.study.choices import Choices, describe_choices, list_choices
from dashboard.study.study import Study, open_study
from dashboard.tables import Names
from dashboard.views.address import (
    COLLECTION,
    draw_choice,
    draw_refusal,
    draw_reset,
    draw_text,
    find_problems,
    read_address,
    read_choices,
    remember_address,
    set_choice,
    write_changes,
)
from dashboard.views.components import load_component, make_line

SCREENS = Path(__file__).parents[1] / "screens"
NAMES = ("overview", "compare", "slices", "query", "search", "collections")
IN_ROW = {"baseline": 130, "candidate": 130, "metric": 170}
"""Choices in the row on top, those of versions first, and their widths in pixels."""
STYLE = Path(__file__).with_name("frame.css")
COMMANDS = """\
python -m dashboard embed {0} --version {1} --encoder module:function
python -m dashboard add {0} {1} --items vectors.npz
python -m dashboard add {0} {1} --run results.trec"""
"""Ways to add a version, by the names of the collection and of the version."""
CURRENT, PAGES = "current-screen", "pages"
"""Keys of the state, which main.py sets: name of the screen, and the page of each."""
Pages = dict[str, Any]


def make_pages() -> Pages:
    """Return the page of each screen, by its name; the first is the one at `/`.

    Pages of plugins come before the last one.
    """
    scripts = {name: SCREENS / f"{name}.py" for name in NAMES}
    scripts |= list_screens() | {NAMES[-1]: scripts.pop(NAMES[-1])}
    return {
        name: st.Page(
            script,
            title=name.replace("_", " ").capitalize(),
            url_path=name,
            default=name == NAMES[0],
        )
        for name, script in scripts.items()
    }


def find_pages() -> Pages:
    """Return the page of each screen in this run, by its name."""
    pages: Pages = st.session_state[PAGES]
    return pages


def open_page(*shown: str, versions: int = 0) -> tuple[Study, Choices]:
    """Draw the links and the choices; return the study of the address and its choices.

    Args:
        shown: Keys of choices whose inputs stand under More, before those that change numbers; each
            that is not the usual one has a button that puts it back, as those have.
        versions: How many different ones the page needs; without them it says how to add one.

    Raises:
        DataError: If the collection cannot be used.
        ChoiceError: If the address names an unknown collection.
    """
    st.html(STYLE)
    given = read_address()
    screen = st.session_state[CURRENT]
    with make_line(key="bar"):
        links = st.container(key="links")
        row = make_line(key="choices")
    try:
        with row:
            collection = _pick_collection(given.get(COLLECTION, ""), "input")
        problems = find_problems(collection, given)
        choices = None if problems else read_choices(collection, given)
    finally:  # an address that cannot be followed is written and has links, too
        write_changes()
        with links:
            _draw_links(screen)
            for draw in load_sections("links", ""):
                draw()
    if choices is None:
        draw_text("error", *problems.values())
        remember_address({key: value for key, value in given.items() if key not in problems})
        draw_reset("Open without this", *problems)
        st.stop()
    study = open_study(collection, choices)
    with row:
        _draw_row(collection, choices, shown)
    draw_refusal("input-metric")
    told = study.choices.replace(**{key: choices[key] for key in shown})
    chips = describe_choices(collection, told)
    if chips:  # with ✕: choices that are not the usual ones
        with make_line(key="chips"):
            for key, text in chips.items():
                draw_reset(f"{text} ✕", key, key=f"chip-{key}")
    words = [screen.capitalize(), " → ".join(choices.compared), *chips.values(), collection.title]
    st.set_page_config(page_title=" · ".join(filter(None, words)), layout="wide")
    draw_text("warning", *collection.problems)
    require_versions(collection, choices, versions)
    return study, choices


def read_collection() -> Collection:
    """Return the collection of the address, to which no version is written: for blind pages.

    Raises:
        DataError: If the collection cannot be used.
        ChoiceError: If the address names an unknown collection.
    """
    st.html(STYLE)
    given = read_address()
    remember_address(given)
    collection = open_named(_find_name(given.get(COLLECTION, "")))
    st.set_page_config(page_title=collection.title, layout="wide")
    return collection


def _draw_row(collection: Collection, choices: Choices, more: Names) -> None:
    there = len(collection.versions) + len(collection.broken)
    keys = list(IN_ROW)[max(0, 2 - there) :]  # no second version: no baseline
    for key in keys:
        if key == "candidate" and "baseline" in keys:
            st.html("<span class='arrow' aria-label='compared with'>→</span>", width="content")
        with st.container(key=f"row-{key}", width=IN_ROW[key]):
            draw_choice(collection, choices, key)
    # inputs of a closed popover keep old values in the browser and send them again
    sheet = st.popover("More", key="more", on_change="rerun", width="content")
    if sheet.open:
        with sheet:
            with st.container(key="sheet"):  # for phones, where the row is not shown
                _pick_collection(collection.name, "sheet")
                for key in keys:
                    draw_choice(collection, choices, key, place="sheet")
            for each in list_choices():
                if each.key in more or each.has_effect(collection, choices):
                    draw_choice(collection, choices, each.key, place="more")


def _find_name(name: str) -> str:
    """Return the name of a collection, for "" that of the one that is opened first."""
    names = list_collections()
    first = (each for each in names if find_setting(each, "first"))
    chosen = name or next(first, names[0])
    if chosen not in names:
        raise ChoiceError(f"There is no collection {chosen[:80]!r}. There are: {', '.join(names)}.")
    return chosen


def _pick_collection(name: str, place: str) -> Collection:
    chosen = _find_name(name)
    widget = f"{place}-collection"
    st.session_state[widget] = chosen
    visibility: Any = "collapsed" if place == "input" else "visible"
    with st.container(key=f"{place}-of-collection", width=200 if place == "input" else "stretch"):
        st.selectbox(
            "Collection",
            list_collections(),
            key=widget,
            on_change=lambda: set_choice(COLLECTION, st.session_state[widget], st.query_params),
            label_visibility=visibility,
        )
    return open_named(chosen)


def _draw_links(current: str) -> None:
    """Draw a link to each page, which keeps the address, and go to the one that was clicked."""
    pages, given = find_pages(), read_address()
    component = load_component(
        "navigation", "views/navigation/navigation.js", "views/navigation/navigation.css"
    )
    keys = f"?{urlencode(given)}" if given else ""
    links = [
        {"name": name, "title": page.title, "href": f"./{page.url_path}{keys}"}
        for name, page in pages.items()
    ]
    data = {"links": links, "current": current}
    clicked = component(key="navigation", data=data, on_go_change=lambda: None).go
    if clicked in pages and clicked != current:
        st.switch_page(pages[clicked], query_params=given)


def require_versions(collection: Collection, choices: Choices, number: int) -> None:
    """End the script with the commands that add a version, if a page needs more of them.

    Args:
        collection: What the page shows.
        choices: The versions that are compared.
        number: 0, 1, or 2 for a page that compares a version with another one.
    """
    there = list(collection.versions)
    candidate = choices["candidate"]
    if number <= len(there) and (number < 2 or choices["baseline"] != candidate):
        return
    if len(there) > 1:
        said = f"{candidate} is the baseline, too. Choose another version to compare it with."
        draw_text("info", said)
    else:
        said = "no version that can be used" if collection.broken else "no version yet"
        said += ". This screen needs one"
        if there:
            said = f"one version, {there[0]}. A comparison needs another one"
        draw_text("info", f"{collection.name} has {said}. To add it, type one of these:")
        taken = {*collection.versions, *collection.broken}
        name = next(name for number in count(1) if (name := f"v{number}") not in taken)
        st.code(COMMANDS.format(collection.name, name), language=None, wrap_lines=True)
    st.stop()


def split_page(left: int, right: int) -> list[Any]:
    """Return two columns of these relative widths, one below the other on narrow screens."""
    return st.container(key="split").columns([left, right], gap="medium")


def draw_sections(page: str, study: Study, choices: Choices) -> list[Any]:
    """Draw the sections of plugins on a page; return what they return, unless it is empty."""
    drawn = [draw(study, choices) for draw in load_sections(page, study.rules.name)]
    return [each for each in drawn if each]
