"""Choices in the address bar: read from it, written to it, and an input for each of them."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st

from dashboard.errors import ChoiceError, DataError
from dashboard.evaluation.metrics import parse, parse_one
from dashboard.storage.collection import Collection
from dashboard.study.choices import Address, Choices, list_choices, list_unusual, resolve
from dashboard.tables import Names, Texts

COLLECTION = "collection"
PINNED = ("baseline", "candidate", "query")
"""Choices that a link always names."""
OLD = {
    "names": ("source", "standard"),
    "v": ("1",),
    "min_similarity": ("-1", "-1.0"),
    "between": (),
    "at": (),
    "find": (),
    "differing": ("no",),
    "judging": ("no",),
    "anyway": ("no",),
    "rows": ("10",),
    "window": ("10",),
    "divide": ("window",),
    "average": ("pictures",),
    "also": (),
    "submissions": (),
    "picture": (),
}
"""Keys of older links with the values that change nothing; other values cannot be followed."""
OLD_LAYOUT = ("columns", "density", "by", "clip", "beside", "missed", "pair", "list", "map", "view")
"""Keys of links that only arrange or open something; they are left out."""
MAX_SHOWN = 80
"""Characters of a value that a sentence repeats."""
USUAL_CUTOFF = 1000
"""Largest cutoff in use whatever the number of items is, as in P@1000."""
_LAST, _CHANGED = "last-address", "changed-choices"


def read_address() -> Address:
    """Return what the address says; on a page opened from the menu, what the last one said."""
    return join_values(_list_values()) or dict(st.session_state.get(_LAST, {}))


def _list_values() -> Mapping[str, Names]:
    """Return the values of each key of the address, and those set since it was written."""
    values = {key: st.query_params.get_all(key) for key in st.query_params}
    for left_out, given in st.session_state.get(_CHANGED, []):
        values = {key: kept for key, kept in values.items() if key not in left_out} | given
    return values


def join_values(params: Mapping[str, Names]) -> Address:
    """Return a text for each key, but for those of older links that change nothing.

    Values are joined where the choice has several; of others the last one counts.
    """
    known = {each.key: each for each in list_choices()}
    given = {
        key: known[key].write(values) if key in known else values[-1]
        for key, values in params.items()
    }
    return {key: text for key, text in given.items() if text not in OLD.get(key, ())}


def remember_address(given: Address) -> None:
    """Keep an address for the pages that are opened from the menu."""
    st.session_state[_LAST] = dict(given)


def forget_address() -> None:
    """Put every choice back to its usual value; the script runs again."""
    drop_choice(*st.query_params)
    remember_address({})


def find_problems(collection: Collection, given: Address) -> Texts:
    """Return a sentence for each key of an address that cannot be followed; by key.

    Misspelled keys are reported; keys that resemble none belong to other programs.

    Raises:
        ChoiceError: If the collection cannot be shown with any choices.
    """
    resolve(collection, {})
    known = [each.key for each in list_choices()]
    problems = {}
    good: Address = {}
    for key in known:
        if key in given:
            try:
                good[key] = _check(collection, key, given[key], good)
            except (ValueError, DataError) as error:
                problems[key] = _write_problem(error, given[key])
    others = (*known, *OLD, *OLD_LAYOUT, COLLECTION)
    for key, value in given.items():
        if key in others:
            if value and key in OLD and key not in known:
                problems[key] = f"{key} = {value[:80]!r} of this link cannot be followed here."
        elif near := get_close_matches(key.lower(), others, 1, 0.8):
            problems[key] = f"The link has the key {key[:80]!r}. Did you mean {near[0]!r}?"
    return problems


def _write_problem(error: Exception, given: str) -> str:
    """Return what an error says, without most of a long value."""
    return str(error).replace(given, f"{given[:MAX_SHOWN]}…") if given[MAX_SHOWN:] else str(error)


def _check(collection: Collection, key: str, text: str, before: Address) -> str:
    """Return the text of a choice.

    Raises:
        ValueError: If the collection has no such value, or nothing that the choice changes.
    """
    if not text:
        return ""
    judged_by = resolve(collection, {**before, key: text})["protocol"]
    for each in [parse_one(text)] if key == "metric" else parse(text) if key == "metrics" else ():
        most = max(len(collection.items), USUAL_CUTOFF)
        if (each.cutoff or 0) > most:
            raise ChoiceError(
                f"{each} looks at {each.cutoff:,} ranks, but {collection.name} has "
                f"{len(collection.items):,} items. Choose a cutoff up to {most:,}."
            )
        if each.metric.protocol not in ("", judged_by):
            raise ChoiceError(f"{each} needs the protocol {each.metric.protocol}, not {judged_by}.")
    return text


def read_choices(collection: Collection, given: Address) -> Choices:
    """Return the choices of an address, and write those that are not the usual ones to it.

    Versions, where there are several, and the query are always written, so that a link keeps its
    meaning when a new version arrives.

    Raises:
        ChoiceError: If the address holds an unknown value.
    """
    choices = resolve(collection, given)
    short = shorten_choices(collection, choices)
    if st.query_params.to_dict() != short:  # each time is a step of the browser's Back
        st.query_params.from_dict(short)
    st.session_state[_CHANGED] = []
    remember_address(short)
    return choices


def shorten_choices(collection: Collection, choices: Choices) -> Address:
    """Return the keys and values of a link: versions, query, and what is not the usual value.

    What is usual follows from the other choices, as the metrics from the protocol. A collection's
    only version is not named: with a second one the link compares both.
    """
    values = choices.write()
    named = PINNED if len(collection.versions) > 1 else ("query",)
    pinned = {key: values[key] for key in named} | list_unusual(collection, choices)
    return {COLLECTION: collection.name} | {key: text for key, text in pinned.items() if text}


def set_choice(key: str, value: str, instead_of: Iterable[str] = ()) -> None:
    """Change one choice of the address, and put others back; the script runs again.

    The script writes it: a callback that sends something to the browser is stopped there where
    the next step of a reader has come, and its own step would be lost.
    """
    changed = ({key, *instead_of}, {key: [value]} if value else {})
    st.session_state.setdefault(_CHANGED, []).append(changed)


def write_changes() -> None:
    """Write the choices that were set to the address, where `read_choices` has not done it."""
    if st.session_state.get(_CHANGED):
        st.query_params.from_dict(_list_values())
        st.session_state[_CHANGED] = []


def drop_choice(*keys: str) -> None:
    """Put choices of the address back to their usual values; the script runs again."""
    set_choice("", "", keys)


def draw_reset(label: str, *keys: str, key: str | None = None) -> None:
    """Draw a button that puts choices of the address back to their usual values."""
    st.button(escape_markdown(label), key=key, on_click=drop_choice, args=keys)


def merge_choices(**values: str) -> Address:
    """Return the present choices and some other values; "" puts a choice to the usual value."""
    return {key: value for key, value in (st.query_params.to_dict() | values).items() if value}


def write_link(screen: str, **values: str) -> str:
    """Return the relative address of a screen with the values of `merge_choices`."""
    return f"{'./' if screen == 'overview' else screen}?{urlencode(merge_choices(**values))}"


def escape_markdown(text: object) -> str:
    """Return a text that Streamlit's markdown shows letter by letter, addresses in it too.

    Markdown makes links of addresses whatever is escaped; a mark of no width parts them.
    """
    parted = re.compile(r"https?:(?=//)|www(?=\.)", re.IGNORECASE).sub("\\g<0>\u2060", str(text))
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])", r"\\\1", parted)


def draw_text(
    kind: Literal["caption", "error", "info", "success", "warning"], *texts: object
) -> None:
    """Draw texts, which may be of data, letter by letter; one that says nothing is left out."""
    for text in filter(None, texts):
        getattr(st, kind)(escape_markdown(text))


def draw_choice(
    collection: Collection,
    choices: Choices,
    key: str,
    label: Callable[[str], str] = str,
    place: str = "input",
    placeholder: str | None = None,
    instead_of: Names = (),
) -> None:
    """Draw the input of a choice: several of, one of, or a text.

    Args:
        collection: What is chosen from.
        choices: The values that hold.
        key: The choice.
        label: Return what a value is called.
        place: Where the input stands: "input" is the page, where no name stands above it.
        placeholder: What an empty input says.
        instead_of: Choices that are put back when this one is made.
    """
    (choice,) = (each for each in list_choices() if each.key == key)
    widget, now = f"{place}-{key}", choices[key]
    options = list(choice.allowed(collection, choices) or ())
    if options and choice.default == "":  # nothing is a value, too
        options.insert(0, "")
    name, is_metric = key.replace("_", " ").capitalize(), key == "metric"

    def write() -> None:
        text = choice.write(st.session_state[widget])
        try:
            if not options or is_metric:  # it was typed
                _check(collection, key, text, read_address())
        except (ValueError, DataError) as error:
            st.session_state[f"wrong-{widget}"] = _write_problem(error, text)
            return
        set_choice(key, text, instead_of)

    shared: Any = {
        "key": widget, "help": choice.meaning, "on_change": write,
        "label_visibility": "collapsed" if place == "input" else "visible",
    }  # fmt: skip
    st.session_state[widget] = list(now) if choice.kind == "names" else choice.write(now)
    if choice.kind == "names":
        st.multiselect(name, options, **shared)
    elif is_metric or options:
        if is_metric:  # any metric can be typed
            options = list(dict.fromkeys([*map(str, parse(choices["metrics"])), now]))
        shared |= {"format_func": label, "placeholder": placeholder}
        st.selectbox(name, options, accept_new_options=is_metric, **shared)
    else:
        st.text_input(name, placeholder=placeholder, **shared)
    if place != "input":
        draw_refusal(widget)


def draw_refusal(widget: str) -> None:
    """Draw, once, why an input did not take what was typed; `draw_choice` does it under More."""
    draw_text("error", st.session_state.pop(f"wrong-{widget}", ""))


def draw_switch(key: str, now: str | None, names: Texts) -> None:
    """Draw the values of a choice side by side, to press one; None: none is pressed.

    Args:
        key: The choice.
        now: Its value.
        names: What each value is called.
    """
    widget = f"switch-{key}"
    st.session_state[widget] = now
    st.segmented_control(
        key.capitalize(),
        list(names),
        key=widget,
        format_func=names.__getitem__,
        required=True,
        on_change=lambda: set_choice(key, st.session_state[widget]),
        label_visibility="collapsed",
        wrap=True,
    )
