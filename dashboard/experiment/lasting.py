"""Which computed results outlive the process, and what each of them depends on: the code that
computes it, the content of the collection, and the choices of the experiment.

`storage.cache.results` writes and reads them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ParamSpec, TypeVar, cast

from dashboard.storage.cache import results
from dashboard.storage.cache.sources import fingerprint

P = ParamSpec("P")
R = TypeVar("R")
Parts = Callable[..., list[R]]
"""A function whose last argument is a tuple of parts, and that gives a result for each."""

ROOMS = ("tables.py", "ids.py", "letters.py", "storage", "retrieval", "evaluation", "experiment")
"""Where numbers come about; a change of any file in them makes all results anew."""
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "statsmodels", "faiss-cpu", "torch")
"""Libraries whose next version may give other last digits."""
PLACE = "folder"
"""An argument, or a field of one, that says where content lies; the digest says which it is."""

_counts = [0, 0]


class Fleeting(Exception):
    """An argument that names a state only by the times of files, or a search of one moment."""


def counted() -> tuple[int, int]:
    """How many results this process wrote into the cache folder, and how many it could not."""
    return _counts[0], _counts[1]


def read_or_computed(function: Callable[P, R]) -> Callable[P, R]:
    """A function's result from the cache folder, else computed and written there."""
    signature, name = inspect.signature(function), _name(function)

    @wraps(function)
    def reading(*arguments: P.args, **named: P.kwargs) -> R:
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        try:
            depends_on = _depends_on(name, bound.arguments)
        except Fleeting:
            return function(*arguments, **named)
        if (stored := results.load(depends_on)) is not None:
            return cast(R, stored[0])
        result = function(*arguments, **named)
        _save(depends_on, result)
        return result

    return reading


def read_each_or_computed(function: Parts[R]) -> Parts[R]:
    """The same for each of some parts, which stand last among the arguments: those that are in no
    file are computed together."""
    name = _name(function)

    @wraps(function)
    def reading(*arguments: Any) -> list[R]:
        *of, parts = arguments
        try:
            words = [_depends_on(name, [*of, part]) for part in parts]
        except Fleeting:
            return function(*arguments)
        stored = [results.load(depends_on) for depends_on in words]
        missing = tuple(part for part, its in zip(parts, stored, strict=True) if its is None)
        computed = iter(function(*of, missing) if missing else ())
        every = [next(computed) if its is None else cast(R, its[0]) for its in stored]
        for depends_on, its, result in zip(words, stored, every, strict=True):
            if its is None:
                _save(depends_on, result)
        return every

    return reading


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _depends_on(name: str, arguments: Any) -> str:
    return json.dumps([CODE, _versions(), name, _plain(arguments)])


def _save(depends_on: str, result: Any) -> None:
    _counts[0 if results.save(depends_on, result) else 1] += 1


def _plain(value: Any) -> Any:
    """An argument in words, without the place of the collection."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name != PLACE}
    if getattr(value, "fleeting", False):
        raise Fleeting
    if is_dataclass(value):
        return {
            each.name: _plain(getattr(value, each.name))
            for each in fields(value)
            if each.name != PLACE
        }
    raise Fleeting


@cache
def _versions() -> list[str]:
    return [_version(library) for library in LIBRARIES]


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


CODE = fingerprint(ROOMS)
