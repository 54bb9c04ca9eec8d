"""The bytes of a file and the text in them: size, gzip, encoding, before anything is parsed."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from dashboard.tables import DataError, Findings

LARGEST = 2 << 30
SWELLING = 50  # times that a packed file may grow
SMALL = 64_000_000  # bytes that every packed file may unpack to
MARKS = b"\n,;\t"  # what ends a cell
FEW_MARKS = 1_000_000  # that every packed file may hold
MARKS_A_BYTE = 20  # that a larger one may hold: of a run there is less than one
BLANK = b"\r\n\t " + codecs.BOM_UTF8
GZIP = b"\x1f\x8b"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


SIGNATURES = {
    b"PK\x03\x04": ("a zip archive or an Excel workbook", "Unpack it, or save the sheet as CSV."),
    b"PAR1": ("Parquet", "Let the file's name end in .parquet."),
    b"\x93NUMPY": ("a numpy array", "Let the file's name end in .npy, where vectors are expected."),
    b"SQLite format 3\0": ("an SQLite database", "Export its table as CSV."),
    b"%PDF-": ("a PDF", "Export its table as CSV."),
    b"BZh": ("bzip2", "Unpack it, or pack it with gzip."),
    b"\xfd7zXZ\0": ("xz", "Unpack it, or pack it with gzip."),
    b"\x28\xb5\x2f\xfd": ("Zstandard", "Unpack it, or pack it with gzip."),
    b"7z\xbc\xaf\x27\x1c": ("a 7-Zip archive", "Unpack it."),
    b"Rar!\x1a\x07": ("a RAR archive", "Unpack it."),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save the sheet as CSV in UTF-8."),
    b"\x89PNG\r\n": ("a PNG picture", "Put pictures into the media folder."),
    b"\xff\xd8\xff": ("a JPEG picture", "Put pictures into the media folder."),
    b"version https://git-lfs": ("a pointer of git LFS, not the file", "Fetch it: git lfs pull."),
    b"\x80\x04\x95": ("a Python pickle", "Pickles are never opened: write CSV or Parquet."),
}
"""The first bytes of files that are no text → what such a file is, and what to do."""


def read_bytes(path: Path, name: str, *, may_be_empty: bool = False) -> bytes:
    """The bytes of a regular file, unpacked when it is gzip.

    Limits: 2 GiB; of a packed file once unpacked, SMALL bytes and FEW_MARKS ends of cells, or
    SWELLING times its size and MARKS_A_BYTE where that is more. Raises DataError beyond them, for a
    file that is plainly no text, and for an empty one unless it `may_be_empty`.
    """
    check_file(path, name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(name, f"a file that cannot be read ({error.strerror})", "a file") from error
    if data.startswith(GZIP):
        data = _unpack(path, name)
    for signature, (kind, cure) in SIGNATURES.items():
        if data.startswith(signature):
            raise DataError(name, kind, "text in UTF-8", cure=cure)
    if not may_be_empty and not data[:4096].strip(BLANK) and not data.strip(BLANK):
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
    packed = path.stat().st_size
    most = min(LARGEST, max(SMALL, SWELLING * packed))
    try:
        with gzip.open(path) as file:
            data = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(name, "a damaged gzip file", "a complete gzip file") from error
    if len(data) > most:
        found = f"{packed:,} bytes that unpack to more than {most:,}"
        wanted = f"at most {SMALL:,} bytes, or {SWELLING} times the packed file"
        raise DataError(name, found, wanted, cure="Unpack it.")
    # a cell costs far more memory than its bytes, and many empty cells pack into very few
    marks, many = sum(map(data.count, MARKS)), max(FEW_MARKS, MARKS_A_BYTE * packed)
    if marks > many:
        found = f"{packed:,} bytes that unpack to {marks:,} lines and cells"
        wanted = f"at most {many:,} in a file so small"
        raise DataError(name, found, wanted, cure="Unpack it.")
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


def read_text(path: Path, name: str, findings: Findings, *, may_be_empty: bool = False) -> str:
    """The text of a file; errors and repairs as in `read_bytes` and `decode`."""
    return decode(read_bytes(path, name, may_be_empty=may_be_empty), name, findings)


def suffix(path: Path) -> str:
    """The extension that tells the format: of `run.csv.gz` it is `.csv`."""
    bare = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return bare.suffix.lower()
