"""The bytes of a file and the text in them: size, gzip, encoding, before anything is parsed."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from dashboard.storage.findings import Findings
from dashboard.tables import DataError

LARGEST = 2 << 30
BLANK = b"\r\n\t " + codecs.BOM_UTF8
GZIP = b"\x1f\x8b"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a regular file that is not empty, unpacked when it is gzip, at most 2 GiB."""
    check_file(path, name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(name, f"a file that cannot be read ({error.strerror})", "a file") from error
    if data.startswith(GZIP):
        data = _unpack(path, name)
    if not data[:4096].strip(BLANK) and not data.strip(BLANK):
        raise DataError(name, "an empty file", "at least one line")
    return data


def check_file(path: Path, name: str) -> None:
    """Raise DataError unless `path` is a regular file of at most 2 GiB."""
    if not path.exists():
        raise DataError(name, "no such file", "the file")
    if not path.is_file():
        raise DataError(name, "something that is not a regular file", "a file")
    if path.stat().st_size > LARGEST:
        raise DataError(name, f"{path.stat().st_size:,} bytes", f"at most {LARGEST:,} bytes")


def _unpack(path: Path, name: str) -> bytes:
    try:
        with gzip.open(path) as file:
            data = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(name, "a damaged gzip file", "a complete gzip file") from error
    if len(data) > LARGEST:
        raise DataError(name, "more than 2 GiB once unpacked", f"at most {LARGEST:,} bytes")
    return data


def decode(data: bytes, name: str, findings: Findings) -> str:
    """The text of `data`: UTF-8, with or without a mark, or UTF-16 with one.

    Raises DataError naming the byte and its line where it is neither; NUL bytes are removed with a
    note.
    """
    if data.startswith(UTF16):
        findings.note(name, "UTF-16", "UTF-8; it was read as UTF-16")
        data = data.decode("utf-16", errors="replace").encode()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            name,
            f"byte {data[error.start]:#04x} at position {error.start}, which is not UTF-8",
            "text in UTF-8",
            line=data[: error.start].count(b"\n") + 1,
            cure="It may be Latin-1 or Windows-1252: save the file as UTF-8.",
        ) from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        findings.note(name, f"{text.count(chr(0))} NUL bytes", "none; they were removed", line)
        text = text.replace("\0", "")
    return text


def read_text(path: Path, name: str, findings: Findings) -> str:
    """The text of a file; errors and repairs as in `read_bytes` and `decode`."""
    return decode(read_bytes(path, name), name, findings)


def suffix(path: Path) -> str:
    """The extension that tells the format: of `run.csv.gz` it is `.csv`."""
    bare = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return bare.suffix.lower()
