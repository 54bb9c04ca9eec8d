"""Systems that answer a query with a ranked list: a function, or a search service over HTTP that a
small TOML file describes (`searches/` holds examples)."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from dashboard.retrieval import services
from dashboard.retrieval.encoders.embedding import function_called
from dashboard.retrieval.services import Client, Unanswered, at
from dashboard.storage.collection import digests
from dashboard.tables import DataError

Hits = list[tuple[str, float]]
"""Ids of items and their scores, the best first."""
FIELDS = ("text", "item_id", "query_id", "vector", "k")
_FIELD = re.compile(r"\{(" + "|".join(FIELDS) + r")\}")
SCHEMA: dict[str, Any] = {
    "url": "",
    "method": "",
    "results": "",
    "id": "",
    "score": "",
    "count": "",
    "incomplete": [""],
    "vectors": "",
    "headers": {},
    "params": {},
    "body": {},
}
"""count: a path to the number of results, for services whose answers have no list where it is 0.
incomplete: paths where anything but 0, false or nothing means that a part of the answer is missing:
engines send what they had by their time limit with status 200."""
LONGEST_ID = 1_000


@dataclass(frozen=True)
class Query:
    """A stored query as a service is asked: what it lacks is empty."""

    query_id: str
    text: str = ""
    item_id: str = ""
    vector: tuple[float, ...] = ()

    def value(self, name: str, k: int) -> Any:
        """What a field of a template stands for."""
        return k if name == "k" else list(self.vector) if name == "vector" else getattr(self, name)


@dataclass(frozen=True, eq=False)
class Search:
    """What answers queries. needs: the fields that a query must have. vectors: the version whose
    vectors of the queries are sent; empty: none. ask: a query and a depth → hits and milliseconds;
    raises Unanswered."""

    name: str
    fingerprint: str
    needs: tuple[str, ...]
    vectors: str
    ask: Callable[[Query, int], tuple[Hits, float]]
    stop: Callable[[], None] = lambda: None


def search_of(named: str, client: Callable[[Mapping[str, str]], Client]) -> Search:
    """The search that a call names: `module:function`, or a TOML file. Raises DataError."""
    path = Path(named)
    if path.suffix.lower() == ".toml":
        return _service(path, client)
    if ":" in named and not named.startswith(("http:", "https:")):
        return _function(named)
    wanted = "module:function, or a .toml file with the request to a service"
    raise DataError("the search", repr(named[:200]), wanted)


def _function(named: str) -> Search:
    """A function of the caller's own: (text, k) → ids, or pairs of id and score, the best first."""
    call = function_called(named)

    def ask(query: Query, k: int) -> tuple[Hits, float]:
        begun = time.monotonic()
        try:
            found = call(query.text, k)
        except Exception as error:  # whatever the caller's code raises
            raise Unanswered(f"{type(error).__name__}: {error}"[:300]) from error
        took = 1000 * (time.monotonic() - begun)
        if isinstance(found, Mapping):
            found = list(found.items())
        if not isinstance(found, list | tuple):
            raise Unanswered(f"a {type(found).__name__} in place of a list")
        pairs = [tuple(e) if isinstance(e, list | tuple) else (e, None) for e in found]
        if any(len(pair) != 2 for pair in pairs):
            raise Unanswered("results that are neither ids nor pairs of id and score")
        return hits([(item, score) for item, score in pairs], k), took

    return Search(named, digests.of_values("function", named), ("text",), "", ask)


def _service(path: Path, client: Callable[[Mapping[str, str]], Client]) -> Search:
    settings = services.read_description(path, SCHEMA, "a .toml file with the request to a service")
    if not settings["id"] and settings["score"]:
        raise DataError(path.name, "score without id", "the paths of both in a result")
    url = settings["url"]
    method = (settings["method"] or ("POST" if settings["body"] else "GET")).upper()
    if method not in ("GET", "POST"):
        raise DataError(path.name, f"method = {settings['method'][:20]!r}", '"GET" or "POST"')
    asking = client(settings["headers"])
    used = {name for name in FIELDS if f"{{{name}}}" in str([settings["params"], settings["body"]])}
    if not used & {"text", "item_id", "query_id", "vector"}:
        wanted = "{text}, {vector}, {item_id} or {query_id} in [params] or [body]"
        raise DataError(path.name, "a request without the query", wanted)
    if ("vector" in used) != bool(settings["vectors"]):
        found = "{vector} without vectors" if "vector" in used else "vectors without {vector}"
        wanted = 'both: vectors = "v3" names the version whose query vectors are sent'
        raise DataError(path.name, found, wanted)

    def ask(query: Query, k: int) -> tuple[Hits, float]:
        body = filled(settings["body"], query, k) if settings["body"] else None
        params = filled(settings["params"], query, k)
        answer, took = asking.ask(url, body, method=method, params=params)
        return hits(_pairs(answer, settings), k), took

    needs = tuple(sorted(used & {"text", "item_id", "vector"}))
    # descriptions that were recorded before these keys existed keep their fingerprint
    new = [key for key in ("count", "incomplete") if settings[key] == SCHEMA[key]]
    known = {key: value for key, value in settings.items() if key not in new}
    fingerprint = digests.of_values(known)
    return Search(path.name, fingerprint, needs, settings["vectors"], ask, asking.stop)


def filled(template: Any, query: Query, k: int) -> Any:
    """A template with the query in the places of its fields.

    A text that is one field becomes its value: a number for {k}, a list for {vector}. What a query
    says is never read as a template, and it stays inside its text.
    """
    if isinstance(template, Mapping):
        return {key: filled(value, query, k) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, query, k) for value in template]
    if not isinstance(template, str):
        return template
    if whole := _FIELD.fullmatch(template):
        return query.value(whole[1], k)
    return _FIELD.sub(lambda found: str(query.value(found[1], k)), template)


def _pairs(answer: Any, settings: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Id and score of each result in an answer; the score is None where none is named."""
    path = settings["results"]
    for sign in filter(None, settings["incomplete"]):
        if value := _value(answer, sign):
            raise Unanswered(f"an incomplete answer, {sign} = {str(value)[:200]}")
    try:
        results = at(answer, path)
    except KeyError as error:
        count = _value(answer, settings["count"]) if settings["count"] else None
        if count == 0 and not isinstance(count, bool):
            return []
        lacks, there = error.args
        reason = f"an answer without {lacks!r} of results = {path!r} (there: {there})"
        raise Unanswered(reason) from error
    if not isinstance(results, list):
        raise Unanswered(f"a {type(results).__name__} at {path!r}, no list")
    found = []
    for place, result in enumerate(results):
        try:
            score = at(result, settings["score"]) if settings["score"] else None
            found.append((at(result, settings["id"]), score))
        except KeyError as error:
            lacks, there = error.args
            raise Unanswered(f"result {place} without {lacks!r} (there: {there})") from error
    return found


def _value(answer: Any, path: str) -> Any:
    """What stands at a path of an answer; None where nothing does."""
    try:
        return at(answer, path)
    except KeyError:
        return None


def hits(pairs: Sequence[tuple[Any, Any]], k: int) -> Hits:
    """The first k results, each item once. Without scores, or where scores do not fall, the order
    of the answer is the score: -1, -2, …

    Raises Unanswered for what is no id or no finite number.
    """
    found: dict[str, float | None] = {}
    for item, score in pairs:
        if isinstance(item, bool) or not isinstance(item, str | int):
            raise Unanswered(f"the id {str(item)[:80]!r}, no text or whole number")
        name = str(item)
        if not name.strip() or len(name) > LONGEST_ID or "\n" in name or "\r" in name:
            raise Unanswered(f"the id {name[:80]!r}, no id in one line")
        if score is not None:
            if isinstance(score, bool) or not isinstance(score, int | float):
                raise Unanswered(f"the score {str(score)[:80]!r}, no number")
            if not math.isfinite(score):
                raise Unanswered(f"the score {score}, not finite")
        found.setdefault(name, None if score is None else float(score))
    first = list(found.items())[:k]
    scores = [score for _, score in first if score is not None]
    if len(scores) == len(first) and all(a >= b for a, b in pairwise(scores)):
        return list(zip([item for item, _ in first], scores, strict=True))
    return [(item, -float(rank)) for rank, (item, _) in enumerate(first, start=1)]
