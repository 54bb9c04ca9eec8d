"""Text of files in their encodings, and numbers in texts."""

from __future__ import annotations

import math
from pathlib import Path

from dashboard.next.errors import DataError, Finding


def read_text(path: Path, name: str, findings: list[Finding]) -> str:
    """Return the text of a file in UTF-8, in UTF-16 with its mark, or else in Windows-1252.

    Lines end with a line feed, whatever ends them in the file.

    Args:
        path: The file.
        name: Its name in messages.
        findings: Gains a note if the file is not UTF-8.

    Raises:
        DataError: If the file is missing, cannot be read, or holds NUL or bytes of no such
            encoding.
    """
    if not path.is_file():
        raise DataError(name, "no such file", "a text file")
    try:
        raw = path.read_bytes()
    except OSError as error:
        found = f"a file that cannot be read ({error.strerror})"
        raise DataError(name, found, "a text file that this user may read") from error
    encodings = (
        ["utf-16"] if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "cp1252"]
    )
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise DataError(name, "a NUL byte", "text in UTF-8", line=line)
        if encoding != "utf-8-sig":
            shown = {"utf-16": "UTF-16", "cp1252": "Windows-1252"}[encoding]
            findings.append(Finding("note", name, None, f"text in {shown}", "UTF-8; read as it is"))
        return text.replace("\r\n", "\n").replace("\r", "\n")
    raise DataError(name, "bytes that are not UTF-8", "a UTF-8 file")


def parse_number(text: str) -> float:
    """Return the finite number that a text is; NaN if it is none.

    >>> parse_number("-1.5e3"), parse_number("1_0"), parse_number("inf")
    (-1500.0, nan, nan)
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
