"""Media files: how ids match their names, what they are, and which part of them an item is."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from dashboard.errors import DataError, Finding, Findings, count_odd, list_names
from dashboard.plugins import load_all
from dashboard.tables import Names, Numbers, Table, Texts
from dashboard.texts import parse_number

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection

EXTENSION = re.compile(r"\.(mp4|mov|webm|mkv|avi|m4v|gif|png|jpe?g|webp|avif)$", re.IGNORECASE)
VIDEO = re.compile(r"\.(mp4|mov|webm|mkv|avi|m4v)$", re.IGNORECASE)
REMOTE = re.compile(r"(https?|s3)://", re.IGNORECASE)
"""How the address of a file on another host begins."""
FIRST_BYTES = (
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
    (rb"....ftypavi[fs]", "image/avif"),
    (rb"....(ftypqt  |moov|wide)", "video/quicktime"),
    (rb"....ftyp(?!hei[cmsx]|hev[cmsx]|mif1|msf1|M4[AB] )", "video/mp4"),
    (rb"\x1a\x45\xdf\xa3.{0,60}webm", "video/webm"),
)
"""How the files begin that browsers show, and their media types. SVG may hold scripts."""
MAX_HEAD_BYTES = 80
FILES = (("file", "media_root", "media"), ("poster", "posters_root", "posters"))
"""Columns of the items that name files, with the setting of their folder and its default."""


class Span(NamedTuple):
    """The part of a clip that an item is, in seconds from the clip's first frame."""

    start: float
    end: float


def strip_name(name: str) -> str:
    """Return a name without folders and the suffix of a picture or clip, its letters composed."""
    return normalize("NFC", EXTENSION.sub("", re.split(r"[\\/]", name)[-1]))


def match_ids(found: Iterable[str], known: Names) -> Texts:
    """Return the known id of each found name; see `match_names`.

    >>> match_ids(["a.mp4", "/home/x/b.mp4", "x/e/1", "f/2"], ["a", "b", "e/1", "g/2"])
    {'a.mp4': 'a', '/home/x/b.mp4': 'b', 'x/e/1': 'e/1'}
    >>> match_ids(["/data/f/2.png"], ["g/2.png"]), match_ids(["e/1.png"], ["x/e/1", "x/f/1"])
    ({'/data/f/2.png': 'g/2.png'}, {'e/1.png': 'x/e/1'})
    """
    names = list(found)
    return match_names(names, dict(zip(known, known, strict=True)) if names else {})


def match_names(
    found: Iterable[str], known: Texts, forms: Sequence[Callable[[str], str]] = (strip_name,)
) -> Texts:
    """Return the id of each found name: that of the same name, or the only one of names alike.

    Folders that two names have must be the same, unless found and known ones have none in common.

    Args:
        found: Names.
        known: Ids by the names that they have.
        forms: What names alike have in common, the surest form first.
    """
    names = list(found)
    matches = {name: known[name] for name in names if name in known}
    if len(matches) == len(names):
        return matches
    theirs, own = ({name: _list_folders(name) for name in each} for each in (known, names))
    if {*chain(*theirs.values())}.isdisjoint(chain(*own.values())):
        theirs, own = dict.fromkeys(theirs, ()), dict.fromkeys(own, ())
    for shorten in forms:
        alike = defaultdict(set)
        for name, folders in theirs.items():
            form = shorten(name)
            for last in range(len(folders) + 1):
                alike[form, *folders[:last]].add(known[name])
            alike[form, *folders, ""].add(known[name])
        for name, folders in own.items():
            form = shorten(name)
            ends = [(*folders[:last], "") for last in range(len(folders))]
            fits = set(chain(*(alike.get((form, *each), ()) for each in (folders, *ends))))
            if len(fits) == 1:
                matches.setdefault(name, *fits)
    return {name: matches[name] for name in names if name in matches}


def _list_folders(name: str) -> Names:
    """Return the folders of a name, the innermost first; no dots in place of one."""
    return tuple(each for each in re.split(r"[\\/]", name)[-2::-1] if each.strip("."))


def tell_matched(names: Texts, how: str = "file or ending") -> tuple[str, str]:
    """Return what was found and expected where names stand for ids, by the id of each."""
    name, own = next(iter(names.items()))
    found = f"{len(names):,} names that are no ids ({name!r})"
    return found, f"ids; matched where only one fits by {how} ({own!r})"


def refuse_shared(names: Texts, file: str, what: str) -> None:
    """Raise a DataError if two names of a file mean the same id, by what `match_ids` returns."""
    first: Texts = {}
    for name, known in names.items():
        if first.setdefault(known, name) != name:
            raise DataError(
                file,
                f"{what} for {known[:80]!r} under two names ({list_names([first[known], name])})",
                "one for each id",
                do="Remove one of the two.",
            )


def find_media(folder: Path, root: str, file: str) -> Path | None:
    """Return a media file of a collection; None if it is not there or lies outside of its folder.

    Args:
        folder: Folder of the collection.
        root: Folder of the media in it.
        file: Path below `root`, or an address that a plugin fetches.
    """
    if REMOTE.match(file):
        with suppress(DataError):
            return fetch_media(file)
        return None
    try:
        base = (folder / root).resolve()
        path = (base / file).resolve()
        inside = base.is_relative_to(folder.resolve()) and path.is_relative_to(base)
        return path if file and inside and path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # a loop of links, or NUL in a name
        return None


def is_video(file: str) -> bool:
    """Return whether a file is a clip, by its name or the path of its address.

    >>> is_video("a.MP4"), is_video("https://h.example/a.webm?key=1"), is_video("a.png")
    (True, True, False)
    """
    return bool(VIDEO.search(cut_address(file)))


def is_media(file: str) -> bool:
    """Return whether a file is a picture or a clip, by its name or the path of its address."""
    return bool(EXTENSION.search(cut_address(file)))


def cut_address(file: str) -> str:
    """Return the name of a file; of an address without a password and what follows its path."""
    return re.sub("(?<=://)[^/]*@", "", re.split("[?#]", file)[0]) if REMOTE.match(file) else file


def fetch_media(address: str, is_wanted: bool = True) -> Path | None:
    """Return the file at an address of another host; None if it is not wanted.

    Raises:
        DataError: If no plugin fetches it.
    """
    for fetch in load_all("media"):
        found: Path | None = fetch(address, is_wanted)
        return found
    raise DataError(address, "an address", "a file of the collection's folder")


def list_missing(collection: "Collection") -> Findings:
    """Return warnings for columns of the items that name files that are not there or not shown."""
    findings, items = [], collection.items
    for column, setting, default in FILES:
        root = collection.settings.get(setting, default)
        number = sum(map(bool, items[column]))
        lacking: dict[tuple[str, str], Numbers] = {}
        for name, file, line in zip(items.ids, items[column], items.lines, strict=False):
            if file and (why := _explain_lack(collection.folder, root, file)):
                lacking.setdefault(why, {})[f"{name}: {cut_address(file)}"] = line
        for (what, wanted), odd in lacking.items():
            findings += count_odd("items.csv", odd, f"of {number:,} files that are {what}", wanted)
    return findings


def _explain_lack(folder: Path, root: str, file: str) -> tuple[str, str] | None:
    """Return what a file is instead of one that is shown, and what is expected."""
    if REMOTE.match(file):
        try:
            fetch_media(file, is_wanted=False)
        except DataError as error:
            return f"at {error.found}", Finding.from_error(error).wanted
    elif (path := find_media(folder, root, file)) is None:
        below = f"files below {root}/, with / between folders; nothing elsewhere is read"
        return "not there", below
    elif not recognise_type(path):
        return "no picture or clip that browsers show", "PNG, JPEG, GIF, WebP, AVIF, MP4 or WebM"
    return None


def recognise_type(path: Path) -> str:
    """Return the media type of a file by its first bytes; "" for one that browsers do not show."""
    try:
        with path.open("rb") as file:
            return recognise_bytes(file.read(MAX_HEAD_BYTES))
    except OSError:  # this user may not read it
        return ""


def recognise_bytes(head: bytes) -> str:
    """Return the media type of a file that begins so; "" for one that browsers do not show."""
    return next((kind for start, kind in FIRST_BYTES if re.match(start, head, re.DOTALL)), "")


def read_span(items: Table, place: int) -> Span | None:
    """Return the span of an item by `span_start` and `span_end`, in seconds; None for a whole file.

    A missing start is 0, a missing end infinite. A span that ends before it starts is none.
    """
    start, end = (parse_number(items[name][place]) for name in ("span_start", "span_end"))
    if math.isnan(start) and math.isnan(end):
        return None
    span = Span(0.0 if math.isnan(start) else start, math.inf if math.isnan(end) else end)
    return span if 0 <= span.start < span.end else None
