"""The files of a source: a folder or a file that somebody has; nothing in it is changed."""

import gzip
import json
import os
import re
import zlib
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from unicodedata import normalize

from dashboard.errors import DataError, Finding, Findings, Level, Unsure, count_odd, explain_errors
from dashboard.storage.media import EXTENSION, REMOTE, cut_address, is_media, is_video, strip_name
from dashboard.tables import Names, Texts
from dashboard.texts import decode_text, make_natural, read_text

Columns = dict[str, list[str]]
"""Cells by column, or other texts by one."""

Ordered = dict[str, None]
"""Names in their order, each once."""
BROKEN = (DataError, AttributeError, LookupError, TypeError, ValueError, RecursionError)
"""Errors of a format about a file: those that it raises, and those of values of another kind."""
Side = Literal["items", "texts"]
MAX_SWELL = 200
"""Times that a text may be more than the bytes that it is compressed to."""
GZIP = re.compile(r"\.gz$", re.I)
TEXTS = (".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".token")
TIMED = re.compile(rf"(_\d{{1,6}}){{2}}({EXTENSION.pattern})", re.I)
"""The seconds in the name of a clip of Kinetics or MSVD, and its ending."""
NUMBER = re.compile(r"0*(\d+?)(\.0)?")
ADDED = re.compile(
    r"^.*upload/(\d+/)?[0-9a-f]{8}-(?!([0-9a-f]{4}-){3})|^(.*/)?[0-9a-f]{8}__|^id:[^:]*:[^:]*:[^:]*:"
)
"""What Label Studio writes before the file that was uploaded (a UUID is no prefix) or that it
exports by its address, and Vespa before an id."""
SHIFTED = ("numbers from 0 on, beside names of items from 1 on", "the name of the item of each")
NUMBERED = re.compile(r"\.(npy|npz|safetensors|parquet|arrow|feather|csv|tsv|jsonl)$", re.I)
"""Endings of files that are written in numbered parts; of others each belongs to a picture."""
POINTER, MAX_POINTER = b"version https://git-lfs", 200
"""What git leaves in place of a large file, and more bytes than it has."""
CURES = {
    ".txt": "A table: as .csv with a header above its rows, such as item_id,label",
    ".xml": "A table: as .csv with a header above its rows, such as item_id,label",
    ".pkl": "numpy.save('vectors.npy', array), frame.to_parquet('table.parquet'), or for lists "
    "json.dump(pickle.load(open('FILE', 'rb')), open('FILE.json', 'w'), default=lambda array: "
    "array.tolist()); a pickle can run programs and is never read",
    **dict.fromkeys(
        (".pt", ".pth"),
        "numpy.save('vectors.npy', torch.load('FILE', weights_only=True)), or for a dict of "
        "tensors and ids numpy.savez('vectors.npz', **torch.load('FILE', weights_only=True))",
    ),
    ".mat": "numpy.save('vectors.npy', scipy.io.loadmat('FILE')['NAME']), or of MATLAB 7.3 "
    "numpy.save('vectors.npy', h5py.File('FILE')['NAME'][()].T)",
    ".zip": "unzip FILE",
    ".lz4": "ranx.Run.from_file('FILE').save('FILE.json')",
    ".gz": "gunzip FILE, or copy it again if gunzip finds that it is cut",
    ".bmp": "PIL.Image.open('FILE').save('FILE.png')",
    ".tif": "PIL.Image.open('FILE').save('FILE.png')",
    ".tiff": "PIL.Image.open('FILE').save('FILE.png')",
    ".tfrecord": "write the records as Parquet or as a WebDataset tar",
    ".lmdb": "write the records as files or as Parquet",
}
"""The line that converts a file which is not read, by its ending."""
REMARKS = re.compile(r"(^|/)(read_?me|licen[cs]e|changes|changelog|requirements)[^/]*$", re.I)
"""Names of texts that hold no data."""


@dataclass(eq=False)
class Source:
    """Files below a folder, as paths with `/`, sorted.

    Attributes:
        root: The folder.
        files: All files.
        left: Those that no format has taken yet.
        options: Choices that the caller states, by the names that `init` has for them; `columns`
            are those of the source by names of ours.
        findings: What was left out, repaired or matched, and why.
        mapped: Columns that the caller maps and that a table has.
        named: What each id means that a row of a table got by its file.
        numbered: Cells of rows without ids, by the number of the first.
        counted: Rows without ids of each file so far.
    """

    root: Path
    files: Names
    left: Names
    options: Namespace
    findings: Findings = field(default_factory=list)
    mapped: set[str] = field(default_factory=set)
    named: dict[str, object] = field(default_factory=dict)
    numbered: dict[int, Columns] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)

    def say(
        self, file: str, found: str, wanted: str, level: Level = "warning", line: int | None = None
    ) -> None:
        """Add a finding about a file; where nothing decides relevance, a warning asks for it."""
        finding = Finding(level, file, line, found, wanted)
        if finding not in self.findings[-9:]:  # as each block of a table says it
            self.findings.append(finding)

    def count(
        self,
        file: str,
        odd: int | Sequence[int] | Names,
        what: str,
        wanted: str,
        level: Level = "warning",
    ) -> None:
        """Add a finding of so many odd things in a file, if there are some; see `count_odd`."""
        self.findings += count_odd(file, odd, what, wanted, level)

    def list_stated(self, files: Names) -> Names:
        """Return the file of judgements, or the sheets of one, that the caller names."""
        stated = self.options.judgements
        named = [name for name in files if stated in (name, PurePosixPath(name).name)]
        inside = {name: PurePosixPath(name).parent for name in files}
        return named[:1] or [n for n, own in inside.items() if stated in (str(own), own.name)]

    def leave_out(self, name: str, error: Exception) -> None:
        """Say that a file, or the rest of it, is left out; a choice that is open stays an error."""
        if isinstance(error, Unsure):
            raise error
        if not isinstance(error, DataError):
            error = DataError(
                name,
                f"values of another kind ({type(error).__name__}: {str(error)[:60]})",
                "those that its format has",
            )
        wanted = f"{error.expected}; left out. {error.do}".rstrip(". ")
        self.say(error.file, error.found, wanted, line=error.line)

    def find_path(self, name: str) -> Path:
        """Return where a file is."""
        return self.root / name

    def list_left(self, *endings: str) -> Names:
        """Return the files left with one of some endings; texts may be compressed."""
        return [name for name in self.left if find_plain(name).endswith(endings)]

    def list_headed(self, fits: Callable[[str], object], *endings: str) -> list[str]:
        """Return the files left with one of some endings whose first characters fit."""
        return [name for name in self.list_left(*endings) if fits(self.read_head(name))]

    def list_keyed(self, *ways: str) -> list[str]:
        """Return the JSON files left whose beginning has all keys of a way, such as "a b"."""
        return self.list_headed(
            lambda head: any(all(f'"{key}"' in head for key in way.split()) for way in ways),
            ".json",
        )

    def read_text(self, name: str) -> str:
        """Return the text of a file; repairs of its encoding are findings."""
        path = self.find_path(name)
        if not GZIP.search(name):
            return read_text(path, name, self.findings)
        most = MAX_SWELL * path.stat().st_size
        damaged = explain_errors(name, "a damaged gzip file", "a whole file", "Copy it again.")
        with damaged, gzip.open(path) as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise DataError(name, f"more than {most:,} bytes inside", "a file that swells less")
        return decode_text(raw, name, self.findings)

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file.

        Raises:
            DataError: If it is none.
        """
        try:
            return json.loads(self.read_text(name))
        except (ValueError, RecursionError) as error:
            found = f"a file that is cut or no JSON ({str(error)[:60]})"
            raise DataError(
                name, found, "a whole JSON file", line=getattr(error, "lineno", None)
            ) from error

    def read_head(self, name: str, size: int = 1 << 16) -> str:
        """Return the first characters of a file, to recognise it; "" if it is no text."""
        try:
            with self.find_path(name).open("rb") as file:
                raw = file.read(size)
            if GZIP.search(name):  # of one that is cut, too, so that a format says so
                raw = zlib.decompressobj(31).decompress(raw, size)
        except (OSError, zlib.error):
            return ""
        text = raw.decode(
            "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace"
        )
        return "" if "\0" in text else text.lstrip("\ufeff").replace("\r\n", "\n")

    @cached_property
    def media(self) -> Names:
        """Pictures and clips."""
        return [name for name in self.files if EXTENSION.search(name)]

    @cached_property
    def _tails(self) -> Texts:
        """Each path's ends, with and without suffix, that no two files share, and the path.

        Behind a # is the name as `shorten_name` returns it.
        """
        found: Texts = {}
        for name in self.media:
            for tail in list_tails(name):
                short = f"#{shorten_name(tail)}"
                for each in (tail, EXTENSION.sub("", tail), TIMED.sub("", tail), short):
                    found[each] = name if found.setdefault(each, name) == name else ""
        return found | {name: name for name in self.media}

    def find_media(self, cell: str, folder: str = "", item: str = "") -> str:
        """Return the picture or clip that a cell of a table in a folder names; "" for none.

        The address of one on another host that the source has not, also not by the id of its item,
        stays as it is. A cell that is the id of its item may be the number in the name of a file.
        """
        plain = cut_address(cell.strip().replace("\\", "/"))
        plain = plain.removeprefix("file://").removeprefix("./")
        address = cell.strip() if REMOTE.match(plain) else ""
        if not self.media:
            return address
        short = f"#{shorten_name(item)}" if cell == item else ""
        tails = (f"{folder}/{plain}", *list_tails(plain), cut_added(plain), address and item, short,
                 EXTENSION.sub("", plain))  # fmt: skip
        return next(filter(None, map(self._tails.get, tails)), address)

    def report_unread(self) -> None:
        """Say which files no format reads, by their ending, and the line that converts them."""
        endings: Columns = {}
        for name in self.left:
            endings.setdefault(PurePosixPath(name.lower()).suffix, []).append(name)
        for ending, names in endings.items():
            cure = CURES.get(ending, "").replace("FILE", names[0])
            self.count(
                names[0],
                names,
                "files that no format reads",
                f"a format that is read; left out. {cure}".rstrip(". "),
                "warning" if cure and not all(map(REMARKS.search, names)) else "note",
            )


def list_source(path: Path, options: Namespace) -> Source:
    """List the files of a folder but for hidden ones, or the one file that a path names.

    Part 2 of a table or an array is before part 10; others are by their letters.

    Raises:
        DataError: If there is nothing.
    """
    if path.is_file():
        return Source(path.parent, [path.name], [path.name], options)
    if not path.is_dir():
        raise DataError(path.name, "no such folder or file", "a folder with data")
    kinds: Columns = {"": []}
    for each in path.rglob("*"):
        inside, why = each.relative_to(path).as_posix(), _find_fault(each, path)
        if (why or each.is_file()) and not re.search(r"(^|/)\.", inside):
            kinds.setdefault(why, []).append(inside)
    files = kinds.pop("")
    by_part = sorted(
        files, key=lambda name: make_natural(name) if NUMBERED.search(name) else [name]
    )
    source = Source(path, sorted(files), by_part, options)
    for why, left_out in kinds.items():
        source.count(path.name, sorted(left_out), f"files that are {why}", "files; left out")
    return source


def cut_added(name: str) -> str:
    """Return a name without what a program wrote before it.

    >>> cut_added("/data/upload/1/0123abcd-a.png"), cut_added("images/0123abcd__a.png")
    ('a.png', 'a.png')
    >>> cut_added("id:x:y::7")
    '7'
    """
    return ADDED.sub("", name)


def _find_fault(path: Path, root: Path) -> str:
    if "\\" in path.name or not path.name.isprintable():
        return "named with a backslash or unprintable characters"
    try:
        is_inside = path.resolve(strict=True).is_relative_to(root.resolve())
        if path.is_symlink() and (path.is_dir() or not is_inside):
            return "links to folders, or out of the source"
        size = path.stat().st_size if path.is_file() else MAX_POINTER
        if not (os.access(path, os.R_OK) and size):
            return "empty or not readable"
        if size < MAX_POINTER and path.read_bytes().startswith(POINTER):
            return "pointers, in whose place git lfs pull puts files"
        return ""
    except (OSError, RuntimeError):
        return "broken links"


def list_first(head: str, most: int) -> Names:
    """Return the first whole lines of a text, without empty ones and remarks."""
    lines = map(str.strip, (head.rpartition("\n")[0] or head).split("\n"))
    return [line for line in lines if line and line[0] != "#"][:most]


def list_tails(path: str) -> list[str]:
    """Return a path, and what is left of it without its first folders, all letters composed.

    >>> list_tails("../a/b.png")
    ['a/b.png', 'b.png']
    """
    parts = [part for part in normalize("NFC", path).split("/") if part not in ("", ".", "..")]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def find_kind(name: str) -> str:
    """Return "video", "image", or "" for another file."""
    return "video" if is_video(name) else "image" if is_media(name) else ""


def find_folder_of(name: str) -> str:
    """Return the folder of a file in the source; "" at the top."""
    return re.sub(r"[^/]*[.]xlsx/", "", name).rpartition("/")[0]  # a sheet is where its book is


def find_stem(name: str) -> str:
    """Return the name of a file without folders and suffix."""
    return PurePosixPath(GZIP.sub("", name)).stem


def find_plain(name: str) -> str:
    """Return the name of a file in small letters, without `.gz` if it is that of a text."""
    plain = GZIP.sub("", name.lower())
    return plain if plain.endswith(TEXTS) else name.lower()


def shorten_name(name: str) -> str:
    """Return a name without folders, ending and digest, a number without the zeros around it.

    >>> shorten_name("x/000000000139.jpg"), shorten_name("139.0"), shorten_name("x/a1.png")
    ('139', '139', 'a1')
    """
    # what Label Studio writes before the name of a file that is uploaded
    plain = re.sub("^[0-9a-f]{8}-(?!([0-9a-f]{4}-){3})", "", strip_name(name))
    match = NUMBER.fullmatch(plain)
    return match[1] if match else plain


def is_shifted(numbers: Iterable[str], names: Iterable[str]) -> bool:
    """Return whether numbers count from 0, and as many names from 1.

    >>> is_shifted(["0", "1"], ["x/1.png", "x/02.png"]), is_shifted(["0", "1"], ["0.png", "1.png"])
    (True, False)
    """
    told = {*numbers}
    is_counted = len(told) > 1 and told == {*map(str, range(len(told)))}
    return is_counted and {*map(shorten_name, names)} == {str(int(each) + 1) for each in told}


def clean_name(name: str) -> str:
    """Return a name as a version can have it."""
    return re.sub(r"^[^\w]+|[^\w.+@-]+", "_", name)[:80]


def name_apart(name: str, file: str, files: Iterable[tuple[str, str]]) -> str:
    """Return the name of a version with the folders that other files of its name have not.

    Args:
        name: Name that several versions have.
        file: A file of this one.
        files: Name of the version, and name, of all files.

    >>> name_apart("clip", "a/x/clip.npy", [("clip", "a/y/clip.npy"), ("vit", "x/vit.npy")])
    'x_clip'
    """
    folder = find_folder_of(file)
    others = {find_folder_of(other) for each, other in files if each == name} - {folder}
    theirs = {part for other in others for part in other.split("/")}
    own = [part for part in folder.split("/") if others and part and part not in theirs]
    return clean_name("_".join(own if own and name == "v1" else [*own, name]))
