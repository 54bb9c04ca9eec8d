"""Names of metrics: `nDCG(exp,ideal=retrieved)@10` taken apart and put together again.

A name is a word, settings in brackets and a cutoff after `@`. A setting is written `w=3`, or
without its name where it is the metric's leading one: `RBP(0.95)`, `AP(retrieved)`. A metric over
another, `CAG(RBP(0.95),w=3)`, is registered as `CAG(RBP)`. The canonical name leaves defaults out,
so that one thing has one name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

Value = float | int | str
Arguments = list[tuple[str | None, str]]


@dataclass(frozen=True)
class Setting:
    """One setting of a metric, its default and what it may be.

    choices: the words allowed; without any it is a number from `low` to `high`, whole if `whole`.
    bare: written without its name; shown: printed even when default; inner: it stands in the inner
    brackets.
    """

    name: str
    default: Value
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    bare: bool = False
    shown: bool = False
    inner: bool = False

    @property
    def wanted(self) -> str:
        """What may be written, in words."""
        if self.choices:
            return " or ".join(self.choices)
        kind = "a whole number" if self.whole else "a number"
        if self.high == math.inf:
            return f"{kind} of at least {_text(self.low)}"
        return f"{kind} from {_text(self.low)} to {_text(self.high)}"

    def read(self, metric: str, text: str) -> Value:
        """The value that `text` stands for; ValueError with what is wanted."""
        if self.choices:
            if text in self.choices:
                return text
        elif re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text):
            number = float(text)
            if self.low <= number <= self.high and not (self.whole and number % 1):
                return int(number) if self.whole else number
        raise ValueError(f"{metric} has no {self.name} {text!r}; wanted {self.wanted}.")


def choice(name: str, *choices: str, bare: bool = False) -> Setting:
    """A setting that is one of some words; the first is the default."""
    return Setting(name, choices[0], choices=choices, bare=bare)


def words(text: str) -> list[str]:
    """`text` cut at spaces and commas outside brackets."""
    return [word for word in _cut(text, " \t\n,") if word]


def split_cutoff(word: str) -> tuple[str, int | None]:
    """`nDCG(exp)@10` → (`nDCG(exp)`, 10)."""
    call, at, cutoff = word.rpartition("@")
    if not at:
        return word, None
    if not re.fullmatch(r"[1-9]\d{0,8}", cutoff):
        wanted = "a whole number of at least 1 and at most 999,999,999, as in P@5"
        raise ValueError(f"{word!r}: a cutoff is {wanted}.")
    return call, int(cutoff)


def resolve(call: str, known: Mapping[str, str]) -> tuple[str, Arguments]:
    """The registered name and the written settings of `call`, such as `CAG(RBP(0.9),w=3)`.

    known: registered names by their lower-case spellings, other names included.
    """
    head, arguments = _take_apart(call)
    if head.lower() in known:
        return known[head.lower()], arguments
    if arguments and arguments[0][0] is None:
        inner, inner_arguments = _take_apart(arguments[0][1])
        key = f"{head}({inner})".lower()
        if key in known:
            return known[key], inner_arguments + arguments[1:]
        head = f"{head}({inner})" if any(k.startswith(f"{head.lower()}(") for k in known) else head
    if head.lower() in ("precision", "recall"):
        raise ValueError(
            f"{head} means two things: write P for hits ÷ K (ALFA 0.1 calls it Recall), "
            "R for hits ÷ relevant (ALFA 0.1 calls it Precision)."
        )
    over = [name for name in known.values() if name.startswith(f"{head.upper()}(")]
    near = over or [known[k] for k in get_close_matches(head.lower(), known, n=3, cutoff=0.5)]
    offer = list(dict.fromkeys(near)) or sorted(set(known.values()))
    raise ValueError(f"There is no metric {head!r}. {_nearest(offer)}")


def read_settings(
    metric: str, settings: tuple[Setting, ...], arguments: Arguments
) -> dict[str, Value]:
    """Every setting's value: as written, else its default; ValueError for an unknown one."""
    values: dict[str, Value] = {}
    bare = [s for s in settings if s.bare]
    for name, text in arguments:
        setting = next((s for s in settings if s.name == name), None)
        if name is None and bare:
            setting = bare.pop(0)
        if setting is None:
            written = text if name is None else name
            near = get_close_matches(written, [s.name for s in settings], n=3, cutoff=0.5)
            offer = near or [s.name for s in settings] or ["none"]
            raise ValueError(f"{metric} has no setting {written!r}. {_nearest(offer)}")
        if setting.name in values:
            raise ValueError(f"{metric}: {setting.name} is given twice.")
        values[setting.name] = setting.read(metric, text)
    return {s.name: values.get(s.name, s.default) for s in settings}


def printed(metric: str, settings: tuple[Setting, ...], values: Mapping[str, Value]) -> str:
    """The canonical name: `metric` with the settings that differ from their defaults."""
    inner = _written((s for s in settings if s.inner), values)
    outer = _written((s for s in settings if not s.inner), values)
    if "(" not in metric:
        written = [*inner, *outer]
        return f"{metric}({','.join(written)})" if written else metric
    head, _, core = metric.removesuffix(")").partition("(")
    core = f"{core}({','.join(inner)})" if inner else core
    return f"{head}({','.join([core, *outer])})"


def root(name: str) -> str:
    """The registered name of a canonical one: `CAG(RBP(0.95),w=3)` → `CAG(RBP)`."""
    head, arguments = _take_apart(name)
    if head != "CAG":
        return head
    return f"{head}({_take_apart(arguments[0][1])[0]})"


def _written(settings: Iterable[Setting], values: Mapping[str, Value]) -> list[str]:
    words = []
    for setting in settings:
        value = values.get(setting.name, setting.default)
        if setting.shown or value != setting.default:
            words.append(_text(value) if setting.bare else f"{setting.name}={_text(value)}")
    return words


def _take_apart(call: str) -> tuple[str, Arguments]:
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", call, flags=re.DOTALL)
    if not found:
        raise ValueError(f"{call!r} is not a metric's name; write for example AP(retrieved)@100.")
    arguments: Arguments = []
    for part in _cut(found[2] or "", ","):
        named = re.fullmatch(r"\s*(\w+)\s*=\s*(.*?)\s*", part, flags=re.DOTALL)
        if named:
            arguments.append((named[1], named[2]))
        elif part.strip():
            arguments.append((None, part.strip()))
    return found[1], arguments


def _cut(text: str, separators: str) -> list[str]:
    parts, start, open_brackets = [], 0, 0
    for place, character in enumerate(text):
        open_brackets += (character == "(") - (character == ")")
        if open_brackets < 0:
            break
        if open_brackets == 0 and character in separators:
            parts.append(text[start:place])
            start = place + 1
    if open_brackets:
        raise ValueError(f"{text!r}: a bracket is open or closed too often.")
    return [*parts, text[start:]]


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _nearest(offer: Iterable[str]) -> str:
    return f"Known: {', '.join(offer)}."


CUT = {"P": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
SET = {"iprec_at_recall": "IPrec", "set_F": "set_F"}
_OURS = {name.lower(): ours for name, ours in (CUT | SET).items()}
_NAME = re.compile(rf"({'|'.join(_OURS)})[_.]([0-9.]+)", re.IGNORECASE)


def translated(word: str) -> str:
    """The word in our notation, if it is one of trec_eval's, as printed (`P_5`) or asked (`P.5`).

    >>> [translated(word) for word in ("ndcg_cut_10", "recall.100", "set_F_0.5", "AP", "P@5")]
    ['nDCG@10', 'R@100', 'set_F(0.5)', 'AP', 'P@5']
    """
    found = _NAME.fullmatch(word)
    if found is None:
        return word
    name, number = found[1].lower(), found[2]
    ours = _OURS[name]
    return f"{ours}@{number}" if ours in CUT.values() else f"{ours}({number})"
