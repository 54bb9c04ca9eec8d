"""The table of choices: keys of the address, options of the commands, inputs of a Study."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from dashboard.errors import ChoiceError, DataError, list_names
from dashboard.plugins import list_problems, load_all
from dashboard.texts import parse_number, split_names

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.study.study import Study
    from dashboard.tables import Names

Values = Mapping[str, Any]
Address = dict[str, str]
"""Texts of choices by key, as a link has them."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One thing that a reader can choose.

    Attributes:
        key: Its name in the address.
        option: Its name on the command line and in Python; empty: the key.
        meaning: A sentence for `--help` and tooltips.
        kind: "names" are several texts, with the separator between them.
        default: The usual value, or a function that returns it, given the collection and the
            choices before this one.
        allowed: Return the values that there are; None where any can be.
        limits: Least and greatest value of a number.
        parse: Raise ValueError for a text that says nothing.
        explain_lack: `(text, collection, choices before) -> why` there is no such value, or "".
        changes_numbers: Whether it belongs to what a Study computes.
        of_files: Whether files of judgements and results can be measured with it, too.
        noun: What one value is, in a sentence; empty: the key, without the s of several names.
        separator: Text between names; a blank stands for any white space.
    """

    key: str
    meaning: str
    kind: Literal["text", "number", "names"] = "text"
    default: Any = ""
    allowed: Callable[[Collection, Values], Names | None] = lambda *_: None
    changes_numbers: bool = False
    limits: tuple[float, float] = (-math.inf, math.inf)
    parse: Callable[[str], object] = str
    explain_lack: Callable[[str, Collection, Values], str] = lambda *_: ""
    of_files: bool = False
    option: str = ""
    noun: str = ""
    separator: str = " "

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return f"--{(self.option or self.key).replace('_', '-')}"

    def write(self, value: Any) -> str:
        """Return the text of a value, or of several names, that `read` takes."""
        if isinstance(value, list | tuple):
            return self.separator.join(map(str, value))
        if isinstance(value, float):
            return repr(value).removesuffix(".0")
        return "" if value is None else str(value)

    def write_given(self, value: Any) -> str:
        """Return the text of a value that a caller gives; raise ChoiceError if it is empty."""
        text = self.write(value)
        if not text.strip():
            name = self.option or self.key
            raise ChoiceError(f"{name} is empty. Give a value, or leave it out.")
        return text

    def find_usual(self, collection: Collection, before: Values) -> Any:
        """Return the usual value, given the choices before this one."""
        return self.default(collection, before) if callable(self.default) else self.default

    def has_effect(self, collection: Collection, values: Values) -> bool:
        """Return whether it changes numbers of a collection, and there is more than one value."""
        known = self.allowed(collection, values)
        return (
            self.changes_numbers
            and (known is None or len(known) > 1)
            and not self.explain_lack("", collection, values)
        )

    def read(self, given: str, collection: Collection, before: Values) -> Any:
        """Return the value that a text stands for.

        Raises:
            ChoiceError: If there is no such value.
            DataError: If the files that it needs cannot be used.
        """
        known = self.allowed(collection, before)
        if why := self.explain_lack(given, collection, before):
            raise ChoiceError(f"{self.key} = {given[:80]!r}: {why}.")
        self.parse(given)
        if self.kind == "number":
            value, (least, largest) = parse_number(given), self.limits
            if math.isnan(value):
                raise ChoiceError(f"{self.key} = {given!r} is no number.")
            if not least <= value <= largest:
                raise ChoiceError(f"{self.key} = {given!r} is not from {least:g} to {largest:g}.")
            return value
        is_list = self.kind == "names"
        values = tuple(split_names(given, self.separator, known or ())) if is_list else (given,)
        for each in (each for each in values if known is not None and each not in known):
            if each in collection.unread:
                raise collection.unread[each]
            there = f"There are: {list_names(known, 20)}." if known else "There are none."
            why = _list_problems(collection) if self.key == "protocol" else ""
            one = self.noun or self.key.removesuffix("s" * is_list).replace("_", " ")
            raise ChoiceError(f"There is no {one} {each!r}. {there}{why}")
        return values if is_list else given


class Choices(dict[str, Any]):
    """Chosen values by key, which never change."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    @property
    def pair(self) -> tuple[str, str]:
        """Baseline and candidate, which may be the same."""
        return self["baseline"], self["candidate"]

    @property
    def compared(self) -> Names:
        """Baseline and candidate; one version where they are the same."""
        return tuple(dict.fromkeys(self.pair))

    def replace(self, **values: Any) -> Choices:
        """Return the same choices but for some values."""
        return Choices(self | values)

    def restrict_to_numbers(self) -> Choices:
        """Return the choices that numbers depend on."""
        return Choices(
            {each.key: self[each.key] for each in list_choices() if each.changes_numbers}
        )

    def write(self) -> Address:
        """Return the texts that `resolve` reads."""
        return {each.key: each.write(self[each.key]) for each in list_choices() if each.key in self}


def resolve(collection: Collection, given: Address) -> Choices:
    """Return a value for every choice: the given one, or the usual one.

    Raises:
        ChoiceError: If a given value is not there, or a key is unknown.
    """
    values: dict[str, Any] = {}
    for each in list_choices():
        if text := given.get(each.key, "").strip():
            values[each.key] = each.read(text, collection, values)
        else:
            values[each.key] = each.find_usual(collection, values)
    return Choices(values)


@cache
def list_choices() -> tuple[Choice, ...]:
    """Return the choices of the core, then those of plugins."""
    return (*CORE, *(each for choices in load_all("choices") for each in choices), *VIEW)


def list_unusual(collection: Collection, choices: Choices) -> Address:
    """Return the texts of those of some choices that are not the usual ones."""
    values = choices.write()
    return {
        each.key: values[each.key]
        for each in list_choices()
        if each.key in values
        and values[each.key] != each.write(each.find_usual(collection, choices))
    }


def describe_choices(collection: Collection, choices: Choices) -> dict[str, str]:
    """Return those of some choices that are not the usual ones, in words, by key."""
    unusual = list_unusual(collection, choices).items()
    return {key: f"{key.replace('_', ' ').capitalize()}: {text or 'none'}" for key, text in unusual}


def _list_protocols(collection: Collection, before: Values) -> Names:
    from dashboard.study.judging import list_rules

    return [rules.name for rules in list_rules(collection)]


def _pick_protocol(collection: Collection, before: Values) -> str:
    known = _list_protocols(collection, before)
    if not known:
        said = f"{collection.name} has neither judgements nor keywords to judge by."
        raise ChoiceError(said + _list_problems(collection))
    return ([each for each in collection.protocols if each in known] or known)[0]


def _list_problems(collection: Collection) -> str:
    """Return why parts of a collection, or plugins, cannot be used, for the end of a sentence."""
    return "".join(f" {each}" for each in (*collection.problems, *list_problems()))


def _pick_queries(collection: Collection, before: Values) -> str:
    from dashboard.study.judging import find_rules

    return find_rules(collection, before["protocol"]).queries or (
        "text" if collection.is_text.any() else "item"
    )


def _list_slices(collection: Collection, before: Values) -> Names:
    return list(_open_whole(collection, before).list_slices())


def _open_whole(collection: Collection, before: Values) -> Study:
    """Return the study of the queries of all slices."""
    from dashboard.study.study import open_study

    return open_study(collection, Choices(before).replace(slice=()))


def _list_versions(collection: Collection, before: Values) -> Names:
    return [*collection.versions, *collection.broken]


def _pick_version(setting: str, place: int, collection: Collection, before: Values) -> str:
    from dashboard.storage.versions import order_versions

    names = order_versions(collection.versions)
    return str(collection.settings.get(setting) or (names[place] if names else ""))


def _pick_margins(collection: Collection, before: Values) -> str:
    text = " ".join(collection.settings.get("margins", ()))
    try:
        _parse_margins(text)
    except ValueError as error:
        raise DataError("collection.toml", str(error), 'margins = ["P@5=0.02"]') from error
    return text


def _parse_margins(text: str) -> object:
    from dashboard.evaluation.decisions import parse_margins

    return parse_margins(text)


def _pick_metrics(collection: Collection, before: Values) -> str:
    """Return the protocol's metrics; the usual one's are cut at `cutoffs` of collection.toml.

    A metric that the protocol shows at one cutoff is cut at the deepest of them.
    """
    from dashboard.evaluation.metrics import Measure, parse
    from dashboard.study.judging import list_usual_metrics

    usual = list_usual_metrics(_open_whole(collection, before))
    cutoffs = sorted(collection.settings.get("cutoffs", ()))
    if not cutoffs or before["protocol"] != _pick_protocol(collection, {}):
        return usual
    measures = parse(usual)
    names = [each.name for each in measures]
    found = []
    for each in measures:
        deep = cutoffs if names.count(each.name) > 1 else cutoffs[-1:]
        found += [Measure(each.name, k) for k in deep] if each.cutoff else [each]
    return " ".join(dict.fromkeys(map(str, found)))


CORE = (
    Choice(
        key="protocol",
        meaning="protocol that says what is relevant",
        default=_pick_protocol,
        allowed=_list_protocols,
        changes_numbers=True,
        of_files=True,
    ),
    Choice(
        key="queries",
        noun="kind of queries",
        meaning="kind of queries: text, item or all",
        default=_pick_queries,
        allowed=lambda collection, before: ("text", "item", "all"),
        changes_numbers=True,
    ),
    Choice(
        key="min_similarity",
        meaning="least score of a result, -1 to 1; results below are removed (default: none are)",
        kind="number",
        limits=(-1.0, 1.0),
        default=None,
        changes_numbers=True,
    ),
    Choice(
        key="margins",
        meaning='losses that do not matter, such as "P@5=0.02 AP=0.01": a candidate that surely '
        'loses less is "not worse"; they replace margins of collection.toml',
        parse=_parse_margins,
        default=_pick_margins,
        changes_numbers=True,
        of_files=True,
    ),
)
VIEW = (
    Choice(
        key="slice",
        meaning="only queries of this slice, A=x; of several, the queries that all of them share",
        kind="names",
        separator=" & ",
        default=(),
        allowed=_list_slices,
        changes_numbers=True,
    ),
    Choice(
        key="runs",
        meaning="versions to measure (default: all)",
        kind="names",
        default=lambda collection, before: tuple(collection.versions),
        allowed=_list_versions,
    ),
    Choice(
        key="baseline",
        meaning="version that another one is compared with",
        default=partial(_pick_version, "default_baseline", 0),
        allowed=_list_versions,
        of_files=True,
    ),
    Choice(
        key="candidate",
        meaning="version in question",
        default=partial(_pick_version, "default_candidate", -1),
        allowed=_list_versions,
        of_files=True,
    ),
    Choice(
        key="metrics",
        meaning='metrics, such as "P@5 AP nDCG@10" (default: those of the protocol)',
        default=_pick_metrics,
        of_files=True,
    ),
    Choice(
        key="metric",
        meaning="metric that charts and lists show",
        default=lambda collection, before: _open_whole(collection, before).pick_headline(
            before["metrics"]
        ),
        of_files=True,
    ),
    Choice(
        key="outcome",
        meaning="queries that Compare lists: worse, same, better, not scored or all",
        default="all",
        allowed=lambda collection, before: ("all", "worse", "same", "better", "not scored"),
    ),
    Choice(
        key="picked",
        meaning="change, or values of both versions, of the queries that Compare lists",
    ),
    Choice(
        key="picked_slice",
        meaning="slices whose queries the screen Slices lists",
        kind="names",
        separator=" & ",
        default=(),
        allowed=_list_slices,
    ),
    Choice(
        key="query",
        meaning="query that is looked at",
        allowed=lambda collection, before: collection.queries.ids,
    ),
    Choice(key="text", meaning="text to search with"),
    Choice(
        key="item",
        meaning="item to search with",
        allowed=lambda collection, before: collection.items.ids,
    ),
    Choice(
        key="shown",
        noun="value of shown",
        meaning="results of a version that are shown",
        default="10",
        allowed=lambda collection, before: ("5", "10", "20"),
    ),
)
