"""The files of a source: a folder or a file that somebody has; nothing in it is changed."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from dashboard.errors import DataError, Finding, count_odd
from dashboard.storage.media import EXTENSION, MAX_HEAD_BYTES, VIDEO, recognise_bytes
from dashboard.texts import decode_text, read_text

Side = Literal["items", "texts"]
MAX_FILES = 1_000_000
MAX_SWELL = 200
"""Times that a text may be more than the bytes that it is compressed to."""
GZIP = re.compile(r"\.gz$", re.I)
TEXTS = (".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".token")
UPLOAD = re.compile(r"^.*upload/(\d+/)?[0-9a-f]{8}-")
"""Label Studio's folder and prefix of a file that was uploaded."""
CURES = {
    ".pkl": "numpy.save('vectors.npy', array); a pickle can run programs and is never read",
    ".pt": "numpy.save('vectors.npy', torch.load('FILE', weights_only=True).numpy())",
    ".pth": "numpy.save('vectors.npy', torch.load('FILE', weights_only=True).numpy())",
    ".mat": "numpy.save('vectors.npy', scipy.io.loadmat('FILE')['NAME'])",
    ".zip": "unzip FILE",
    ".lz4": "ranx.Run.from_file('FILE').save('FILE.json')",
    ".gz": "gunzip FILE",
    ".bmp": "PIL.Image.open('FILE').save('FILE.png')",
    ".tif": "PIL.Image.open('FILE').save('FILE.png')",
    ".tiff": "PIL.Image.open('FILE').save('FILE.png')",
    ".tfrecord": "write the records as Parquet or as a WebDataset tar",
    ".lmdb": "write the records as files or as Parquet",
}
"""The line that converts a file which is not read, by its ending."""


@dataclass(frozen=True)
class Options:
    """Choices that the caller states.

    Attributes:
        columns: Columns of the source by names of ours.
        judgements: File of judgements that counts; "" for all that agree.
        relevance: Column, or judgements, captions or none.
        rows: What the rows of a matrix are, "text" or "item".
        codes: "packed" for arrays of bytes that hold eight bits of a code each, "none" for arrays
            of bytes and of 0 and 1 that are no codes.
        disagreements: What counts where people disagree: "mean", "majority", or "" to be asked.
        queries_from: "keywords" to ask for each class as a text.
        by_position: Whether vectors without ids are in the order of the items and texts.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    judgements: str = ""
    relevance: str = ""
    rows: str = ""
    codes: str = ""
    disagreements: str = ""
    queries_from: str = ""
    by_position: bool = False


@dataclass(eq=False)
class Source:
    """Files below a folder, as paths with `/`, sorted.

    Attributes:
        root: The folder.
        files: All files.
        left: Those that no format has taken yet.
        options: Choices that the caller states.
        mapped: Columns that the caller maps and that a table has.
        named: What each id means that a row of a table got by its file.
        findings: Files that were left out when the folder was listed.
    """

    root: Path
    files: tuple[str, ...]
    left: list[str] = field(default_factory=list)
    options: Options = Options()
    mapped: set[str] = field(default_factory=set)
    named: dict[str, object] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def find_path(self, name: str) -> Path:
        """Return where a file is."""
        return self.root / name

    def list_left(self, *endings: str) -> list[str]:
        """Return the files left with one of some endings; texts may be compressed."""
        return [name for name in self.left if find_plain(name).endswith(endings)]

    def list_headed(self, fits: Callable[[str], object], *endings: str) -> list[str]:
        """Return the files left with one of some endings whose first characters fit."""
        return [name for name in self.list_left(*endings) if fits(self.read_head(name))]

    def list_keyed(self, *ways: str) -> list[str]:
        """Return the JSON files left whose beginning has all keys of a way, such as "a b"."""
        marks = [[f'"{key}"' for key in way.split()] for way in ways]
        heads = {name: self.read_head(name, 1 << 16) for name in self.list_left(".json")}
        return [n for n in heads if any(all(key in heads[n] for key in own) for own in marks)]

    def read_text(self, name: str) -> str:
        """Return the text of a file; repairs of its encoding are findings."""
        if not name.lower().endswith(".gz"):
            return read_text(self.find_path(name), name, self.findings)
        path = self.find_path(name)
        most = MAX_SWELL * path.stat().st_size
        try:
            with gzip.open(path) as file:
                raw = file.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            do = "Copy it again."
            raise DataError(name, "a damaged gzip file", "a whole file", do=do) from error
        if len(raw) > most:
            raise DataError(name, f"more than {most:,} bytes inside", "a file that swells less")
        return decode_text(raw, name, self.findings)

    def read_json(self, name: str) -> Any:
        """Return the content of a JSON file.

        Raises:
            DataError: If it is none.
        """
        text = self.read_text(name)
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
            found = "a file that ends in the middle" if is_cut else f"no JSON ({error.msg})"
            raise DataError(name, found, "a whole JSON file", line=error.lineno) from error
        except (ValueError, RecursionError) as error:
            raise DataError(name, "no JSON", "a JSON file") from error

    def read_head(self, name: str, size: int = 4096) -> str:
        """Return the first characters of a file, to recognise it; "" if it is no text."""
        try:
            path = self.find_path(name)
            with gzip.open(path) if name.lower().endswith(".gz") else path.open("rb") as file:
                raw = file.read(size)
        except (OSError, EOFError, zlib.error):
            return ""
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
        return "" if "\0" in text else text.lstrip("\ufeff").replace("\r\n", "\n")

    @cached_property
    def media(self) -> tuple[str, ...]:
        """Pictures and clips."""
        return tuple(name for name in self.files if EXTENSION.search(name))

    @cached_property
    def _tails(self) -> dict[str, str]:
        """Each path's ends, with and without suffix, that no two files share, and the path."""
        found: dict[str, str] = {}
        for name in self.media:
            parts = name.split("/")
            for start in range(len(parts)):
                tail = "/".join(parts[start:])
                for each in (tail, EXTENSION.sub("", tail)):
                    found[each] = name if found.setdefault(each, name) == name else ""
        return found | {name: name for name in self.media}

    def find_media(self, cell: str, folder: str = "") -> str:
        """Return the picture or clip that a cell of a table in a folder names; "" for none."""
        plain = cell.strip().replace("\\", "/").removeprefix("file://").removeprefix("./")
        if not plain or not self.media:
            return ""
        parts = [part for part in plain.split("/") if part]
        tails = [f"{folder}/{plain}"] if folder else []
        tails += ["/".join(parts[start:]) for start in range(len(parts))]
        tails += [UPLOAD.sub("", plain)]
        return next((self._tails[tail] for tail in tails if self._tails.get(tail)), "")


def list_source(path: Path, options: Options) -> Source:
    """List the files of a folder, or the one file that a path names.

    Raises:
        DataError: If there is nothing, or more than MAX_FILES.
    """
    if path.is_file():
        return Source(path.parent, (path.name,), [path.name], options)
    if not path.is_dir():
        raise DataError(path.name, "no such folder or file", "a folder with data")
    skipped: dict[str, list[str]] = {}
    files: list[str] = []
    for name, why in _walk(path):
        if why:
            skipped.setdefault(why, []).append(name)
        else:
            files.append(name)
        if len(files) > MAX_FILES:
            found = f"more than {MAX_FILES:,} files"
            raise DataError(path.name, found, "at most so many", do="Name a part of it.")
    files.sort()
    source = Source(path, tuple(files), list(files), options)
    for why, names in skipped.items():
        what = f"files that are {why}"
        source.findings += count_odd(path.name, sorted(names), what, "files; left out")
    return source


def _walk(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each file below a folder, and why it is left out, if it is."""
    inside = root.resolve()

    def report(error: OSError) -> None:
        broken.append(Path(str(error.filename)).name)

    broken: list[str] = []
    for folder, folders, names in os.walk(root, onerror=report):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        at = Path(folder)
        for name in [each for each in folders if (at / each).is_symlink()]:
            yield (at / name).relative_to(root).as_posix(), "links to folders"
        for name in names:
            if not name.startswith("."):
                yield (at / name).relative_to(root).as_posix(), _find_fault(at / name, inside)
    for name in broken:
        yield name, "folders that cannot be read"


def _find_fault(path: Path, root: Path) -> str:
    if "\\" in path.name or not path.name.isprintable():
        return "named with a backslash or unprintable characters"
    try:
        if path.is_symlink() and not path.resolve(strict=True).is_relative_to(root):
            return "links out of the source"
        if not path.is_file():
            return "no regular files"
        return "" if path.stat().st_size and os.access(path, os.R_OK) else "empty or not readable"
    except (OSError, RuntimeError):
        return "broken links"


def find_kind(name: str) -> str:
    """Return "video", "image", or "" for another file."""
    return "video" if VIDEO.search(name) else "image" if EXTENSION.search(name) else ""


def find_folder_of(name: str) -> str:
    """Return the folder of a file in the source; "" at the top."""
    return name.rpartition("/")[0]


def find_suffix(content: bytes) -> str:
    """Return the suffix of a picture or clip by its first bytes; "" for none."""
    kind = recognise_bytes(content[:MAX_HEAD_BYTES]).partition("/")[2]
    return kind.replace("jpeg", "jpg").replace("quicktime", "mov")


def find_stem(name: str) -> str:
    """Return the name of a file without folders and suffix."""
    return PurePosixPath(GZIP.sub("", name)).stem


def list_forms(name: str) -> tuple[str, str, str]:
    """Return the stem of a file, its path without suffix, and its path."""
    plain = GZIP.sub("", name)
    return find_stem(name), str(PurePosixPath(plain).with_suffix("")), plain


def find_plain(name: str) -> str:
    """Return the name of a file in small letters, without `.gz` if it is that of a text."""
    plain = GZIP.sub("", name.lower())
    return plain if plain.endswith(TEXTS) else name.lower()


def report_unread(source: Source) -> Iterable[Finding]:
    """Yield a finding for the files that no format reads, by their ending."""
    endings: dict[str, list[str]] = {}
    for name in source.left:
        endings.setdefault(PurePosixPath(name.lower()).suffix, []).append(name)
    for ending, names in endings.items():
        cure = CURES.get(ending, "")
        wanted = f"a format that is read; left out. {cure}".rstrip(". ").replace("FILE", names[0])
        yield from count_odd(names[0], names, "files that no format reads", wanted)
