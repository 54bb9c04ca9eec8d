"""How an address is read and written; `choices` lists what it can hold, `bar` is a session's.

The address is the state. A screen is drawn from the address alone, so reloading, going back and
sending the link to a colleague all show the same. Every choice is spelled out, also where it is the
default, so that a link keeps its meaning when defaults change. A value that is unknown, or no
longer there, becomes `None` and a sentence; it is never replaced by another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlencode

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import collections
from dashboard.experiment.protocols.submissions import Submission
from dashboard.views.address.choices import CHOICES, View, protocols_of
from dashboard.views.address.collection_in_view import CollectionInView
from dashboard.views.address.reading import Choice
from dashboard.views.texts import any_of

SCHEME = "1"
FIRST = ("protocol", "submissions")
"""Read before the others, whose defaults and versions hang on them."""
SCREENS = {
    "Overview": "dashboard",
    "Compare": "compare_arrows",
    "Slices": "grid_on",
    "Query": "movie_info",
    "Search": "search",
    "Reviews": "rate_review",
    "Collections": "grid_view",
}
"""The screens in order, and the Material icon of each; its script is named like it."""
LETTERS = dict(zip("ocsqfrl", SCREENS, strict=True))
"""The letter that goes to a screen after the key g: f finds, l lists the collections."""
PAGES = {"" if title == "Overview" else title.lower(): title for title in SCREENS}
"""The path of each screen, and its name. The first screen has the root."""
Params = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Problem:
    """A choice of the address that cannot be followed: its key and a sentence."""

    key: str
    sentence: str


def from_params(params: Params, collection: Any) -> tuple[View, list[Problem]]:
    """Read a view of `collection` from the address; each unusable value is `None` and a problem."""
    read: dict[str, Any] = {"collection": collection.name}
    problems: list[Problem] = []
    seen: Any = collection
    for key in sorted(CHOICES, key=lambda key: key not in FIRST):
        choice = CHOICES[key]
        try:
            value = _read(params[key], key, seen) if key in params else choice.default.of(seen)
        except ValueError as error:
            value = None
            problems.append(Problem(key, f"This link {str(error).rstrip('.')}."))
        read[key] = value
        if key == FIRST[-1]:
            names = [Submission.of(text).name for text in read["submissions"] or ()]
            seen = CollectionInView(collection, read["protocol"], names)
    scheme = params.get("v", [SCHEME])[-1]
    if scheme != SCHEME:
        made = f"Another version of the dashboard ({scheme}) made this link. Check the choices."
        problems.append(Problem("v", made))
    return View(**read), problems + _mistyped(params)


def _mistyped(params: Params) -> list[Problem]:
    """The keys that are nearly one of an address; others belong to whoever put them there."""
    keys = ["v", "collection", *CHOICES]
    near = {key: get_close_matches(key.lower(), keys, 1, 0.8) for key in params if key not in keys}
    return [
        Problem(key, f"This link says {key[:80]!r}, which nothing reads; write {right[0]}.")
        for key, right in near.items()
        if right
    ]


def _read(values: Sequence[str], key: str, collection: Any) -> Any:
    choice = CHOICES[key]
    if choice.together is not None:
        return choice.together(values, collection)
    if not choice.many:
        return choice.read(values[-1], collection)
    parts = [part for value in values for part in _parts(value, choice, collection) if part]
    if not parts:
        raise ValueError(f"leaves {key} empty; name at least one")
    return tuple(dict.fromkeys(choice.read(part, collection) for part in parts))


def _parts(value: str, choice: Choice, collection: Any) -> list[str]:
    """A repeated key may be written once with commas, unless the value with its comma is known."""
    try:
        return [choice.read(value, collection)]
    except ValueError:
        return [part.strip() for part in value.split(",")]


def to_params(view: View) -> dict[str, list[str]]:
    """Write a view as an address, every choice spelled out in a fixed order."""
    params = {"v": [SCHEME], "collection": [view.collection]}
    for key in CHOICES:
        value = getattr(view, key)
        if isinstance(value, tuple) and value:
            params[key] = list(value)
        elif value is not None and value not in ("", ()):
            params[key] = [f"{value:g}" if isinstance(value, float) else value]
    return params


def view_of(params: Params) -> tuple[View | None, list[Problem]]:
    """The view that an address asks for; `None` where there is no such collection."""
    names = collections.collection_names()
    name = (list(params.get("collection", names[:1])) or [""])[-1]
    if name not in names:
        there = any_of(names) or "another data folder"
        return None, [
            Problem("collection", f"There is no collection {name[:80]!r}; choose {there}.")
        ]
    opened, problem = collections.collection(name)
    if problem:
        return None, [Problem("collection", problem)]
    if not protocols_of(opened):
        sentence = f"{name}: none of its protocols exists; write one of {', '.join(PROTOCOLS)}."
        return None, [Problem("collection", sentence)]
    return from_params(params, opened)


def defaults_of(name: str) -> tuple[dict[str, list[str]], str]:
    """The address that opens a collection with its own defaults, and why it cannot be opened."""
    view, problems = view_of({"collection": [name]})
    if view is None:
        return {"collection": [name]}, problems[0].sentence
    return to_params(view), ""


def merged(params: Params, view: View, changes: Mapping[str, Any]) -> dict[str, list[str]]:
    """The address after `changes`; what could not be followed before stays as it was written."""
    unusable = {key for key in CHOICES if getattr(view, key) is None} - set(changes)
    return {**link(view, **changes), **{key: list(params[key]) for key in unusable}}


def link(view: View, **changes: Any) -> dict[str, list[str]]:
    """The address of this view with `changes`, for a link to another screen."""
    return to_params(View(**{**vars(view), **changes}))


def is_review(path: str, params: Params) -> bool:
    """Whether an address is the page of a review, which names no version: blind ones hide them."""
    return path == "reviews" and any(params.get("review", ()))


def complete(params: Params) -> str | None:
    """The full query string for an address that leaves choices unsaid; `None` if none is unsaid.

    The server redirects to it before a page is sent, so that the address bar holds the whole view
    from the first moment without a step in the browser's history.
    """
    view, _ = view_of(params)
    full = {**to_params(view), **params} if view else params
    return None if full == params else urlencode(full, doseq=True)
