"""The small TOML files of a collection: what it is, its vocabulary, a model version's description.

Each is checked against a schema: a wrong type is refused, an unknown key is a warning.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dashboard.letters import visible
from dashboard.storage.files.contents import read_text
from dashboard.tables import DataError, Findings, listed


@dataclass(frozen=True)
class Setting:
    """One key of a settings file: its default, its meaning, and the default in words where other
    files decide it."""

    default: Any
    meaning: str
    usual: str = ""


COLLECTION_SETTINGS = {
    "title": Setting("", "name of the collection on the screens", "the folder's name"),
    "about": Setting("", "a sentence on what it is"),
    "licence": Setting("", "licence of its media"),
    "attribution": Setting("", "who made the media"),
    "first": Setting(False, "true: the dashboard opens with this collection"),
    "protocols": Setting(["alfa"], "protocols that judge it; the first one is the usual"),
    "groups": Setting(
        [
            "pv_object_type",
            "pv_actor_behavior",
            "pv_spatial_relation",
            "pv_ego_behavior",
            "pv_scene_type",
        ],
        "keyword groups, in this order",
        "those that the items have keywords of",
    ),
    "default_groups": Setting(
        ["pv_object_type", "pv_actor_behavior"], "groups that decide what is relevant at first"
    ),
    "cutoffs": Setting(
        [1, 3, 5],
        "where the metrics of the first protocol cut a list; a metric that it shows at one cutoff "
        "cuts at the deepest",
        "the protocol's",
    ),
    "media_root": Setting("media", "folder of the clips or pictures"),
    "posters_root": Setting("posters", "folder of the thumbnails"),
    "cut_beforehand": Setting(
        "auto",
        "auto: a clip that is as long as its span was cut to it and is shown whole; yes: so are "
        "all; no: so is none",
    ),
    "mapping_threshold": Setting(0.6, "least similarity at which words count as a keyword"),
    "default_baseline": Setting("", "version that others are compared with", "the first"),
    "default_candidate": Setting("", "version in question", "the last"),
}
MODEL_SETTINGS = {
    "name": Setting("", "any name, for people"),
    "method": Setting("", "method of hash codes", "the version's name without the bits"),
    "encoder": Setting(
        "none",
        "none: stored queries only; sentence-transformers: a folder text_model/ in the version; "
        "onnx: text.onnx with tokenizer.json; minilm+projection: text_projection.npy; http: the "
        "endpoint below",
    ),
    "prompt_queries": Setting("", "stands before each text query that is embedded", "none"),
    "prompt_items": Setting("", "stood before each text when the items were embedded", "none"),
    "pooling": Setting(
        "mean", "onnx: of a text's tokens: mean, first or last; a network's own where it pools"
    ),
    "max_tokens": Setting(512, "onnx: tokens of a text, the rest is cut off"),
    "dimension": Setting(0, "numbers of a vector", "the file's"),
    "date": Setting("", "day on which the version was made"),
    "note": Setting("", "a sentence on what is new"),
    "text_model": Setting("", "where the text model came from"),
    "endpoint": Setting("", "service that embeds its texts; DASHBOARD_ENCODERS lists it"),
    "endpoint_model": Setting("", "name of the model there", "none is sent"),
    "frames": Setting(0, "frames of a clip whose mean is its vector", "not on record"),
    "encoder_digest": Setting("", "what embedded the items; a query side that differs is refused"),
    "embedded_by": Setting("", "encoder of `embed`: with --what queries another one is refused"),
    "training_seed": Setting(0, "seed of the training"),
    "gallery_digest": Setting("", "gallery that it was made for; `digests --write` fills it in"),
    "queries_digest": Setting("", "queries that it was made for; `digests --write` fills it in"),
    "vectors_digest": Setting("", "its files of vectors; `digests --write` fills it in"),
    "picture": Setting({}, "how an uploaded picture is laid out, see below", "no such side"),
    "index": Setting({}, "how its items are searched, see below", "exactly"),
}
COLLECTION = {key: setting.default for key, setting in COLLECTION_SETTINGS.items()}
MODEL = {key: setting.default for key, setting in MODEL_SETTINGS.items()}
MAPPING: dict[str, Any] = {
    "encoder": "",
    "threshold": 0.6,
    "floor": 0.3,
    "vocabulary": "",
    "queries": "",
    "date": "",
}


LONGEST = 1_000_000  # characters of a TOML file: reading it takes a second and 50 MB
_MANY_PARTS = re.compile(r"(?:[\w\"'-]+\s*\.\s*){50}")


def read_settings(
    path: Path, schema: Mapping[str, Any], name: str, findings: Findings
) -> dict[str, Any]:
    """The values of a TOML file. `schema` gives the value of a missing key, so a file may be empty.

    Raises DataError where the file is no TOML or a value has another type than in `schema`.
    """
    text = read_text(path, name, findings, may_be_empty=True)
    if len(text) > LONGEST:
        raise DataError(name, f"{len(text):,} characters", f"a TOML file of at most {LONGEST:,}")
    if parts := _MANY_PARTS.search(text):
        line = text.count("\n", 0, parts.start()) + 1
        raise DataError(name, "a key of more than 50 parts", "a key and its value", line=line)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why, wanted = f"no TOML ({str(error)[:200]})", 'lines such as title = "My clips"'
        raise DataError(name, why, wanted, line=getattr(error, "lineno", None)) from error
    except RecursionError as error:
        raise DataError(name, "lists too deep in each other", "a list of values") from error
    except ValueError as error:  # Python refuses numbers with too many digits
        raise DataError(name, _long_number(text), "numbers of at most 300 digits") from error
    return checked(found, schema, name, findings)


def _long_number(text: str) -> str:
    """The error for the first number with too many digits."""
    digits = re.search(r"[0-9_]{300,}", text)
    if digits is None:
        return "a number that cannot be read"
    line = text.count("\n", 0, digits.start()) + 1
    return f"a number of {len(digits[0]):,} digits in line {line}"


def checked(
    found: Mapping[str, Any], schema: Mapping[str, Any], name: str, findings: Findings
) -> dict[str, Any]:
    """The values of a table of a TOML file, as above."""
    unknown = [key for key in found if key not in schema]
    if unknown:
        findings.warning(name, f"the keys {listed(unknown)}", f"keys among {', '.join(schema)}")
    for key, value in found.items():
        if key in schema and not fits(value, schema[key]):
            wanted = f"{key} as {_in_words(schema[key])}"
            raise DataError(name, f"{key} = {str(value)[:80]!r}", wanted)
    return {key: found.get(key, default) for key, default in schema.items()}


def fits(value: object, example: object) -> bool:
    if isinstance(example, list):
        kind = type(example[0]) if example else dict
        return isinstance(value, list) and all(type(each) is kind for each in value)
    if isinstance(example, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(example, str):
        return isinstance(value, str) or hasattr(value, "isoformat")
    return type(value) is type(example)


def _in_words(example: object) -> str:
    words = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
    if isinstance(example, dict):
        return "a table"
    if isinstance(example, list):
        return f"a list of {words[type(example[0])] if example else 'tables'}"
    return words[type(example)]


def read_collection_settings(path: Path, findings: Findings) -> dict[str, Any]:
    """`collection.toml`, its groups with their `pv_` prefix, its cutoffs ascending.

    Without `cutoffs` they are empty and the protocol's own count. Without `groups` they are None
    until `settle_groups` reads them from the items' keywords.
    """
    name = path.name
    settings = read_settings(path, COLLECTION, name, findings)
    threshold = settings["mapping_threshold"]
    if not 0 <= threshold <= 1:
        raise DataError(name, f"mapping_threshold = {threshold}", "a number between 0 and 1")
    if min(settings["cutoffs"], default=1) < 1:
        raise DataError(name, f"cutoffs = {settings['cutoffs']}", "whole numbers from 1")
    if settings["cut_beforehand"] not in ("auto", "yes", "no"):
        found = f"cut_beforehand = {settings['cut_beforehand'][:80]!r}"
        wanted = '"auto" (a clip as long as its span is that span), "yes" or "no"'
        raise DataError(name, found, wanted)
    given = settings["cutoffs"] is not COLLECTION["cutoffs"]
    settings["cutoffs"] = sorted(set(settings["cutoffs"])) if given else []
    told = settings["groups"] is not COLLECTION["groups"]
    settings["groups"] = list(map(group_name, settings["groups"])) if told else None
    return settings


def settle_groups(settings: dict[str, Any], carried: Iterable[str], findings: Findings) -> None:
    """Fill in the groups that `collection.toml` leaves out: those that the items have keywords of,
    the usual ones first. Default groups must be among them."""
    if settings["groups"] is None:
        there = list(carried)
        known = [group for group in COLLECTION["groups"] if group in there]
        settings["groups"] = list(dict.fromkeys([*known, *there]))
    groups, wanted = settings["groups"], list(map(group_name, settings["default_groups"]))
    defaults = [group for group in wanted if group in groups]
    if settings["default_groups"] is COLLECTION["default_groups"]:  # not given
        defaults = defaults or groups
    elif len(defaults) < len(wanted):
        unknown = listed([group for group in wanted if group not in groups])
        found = f"default_groups with {unknown}"
        findings.warning("collection.toml", found, "groups of the collection")
    settings["default_groups"] = defaults


def check_defaults(
    settings: Mapping[str, Any], versions: Mapping[str, Any], findings: Findings
) -> None:
    """Add an error for each default version that is missing; another one takes its place."""
    for key in ("default_baseline", "default_candidate"):
        if settings[key] and settings[key] not in versions:
            found = f"{key} = {settings[key]!r}, which is not there"
            known = listed(versions) or "there are none"
            wanted = f"one of the versions that can be used ({known})"
            cure = "Another one stands in its place."
            findings.error(DataError("collection.toml", found, wanted, cure=cure))


def stands_first(path: Path) -> bool:
    """Whether a `collection.toml` says `first = true`; False for an unreadable file.

    Called at every rerun, so a file is read again only when it has changed.
    """
    try:
        state = path.stat()
    except OSError:
        return False
    return _says_first(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1_000)
def _says_first(path: Path, written: int, size: int) -> bool:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")).get("first") is True
    except (OSError, ValueError):
        return False  # opening the collection reports what is wrong with the file


def group_name(text: str) -> str:
    """A semantic group's name as it is used everywhere: with its prefix.

    >>> group_name("object_type"), group_name("pv_object_type")
    ('pv_object_type', 'pv_object_type')
    """
    plain = visible(text).strip().lower()
    return plain if plain.startswith("pv_") else f"pv_{plain}"
