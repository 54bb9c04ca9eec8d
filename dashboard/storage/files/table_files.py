"""Which file of a folder holds a table: one name, one of several formats, never two at once."""

from __future__ import annotations

from pathlib import Path

from dashboard.storage.files.tables import READERS
from dashboard.tables import DataError, Findings, listed

FORMATS = (".csv", ".parquet", ".jsonl")
OF_JUDGEMENTS = (*READERS, ".txt", ".trec", ".qrels")


def stored_as(
    folder: Path,
    stem: str,
    findings: Findings | None = None,
    formats: tuple[str, ...] = FORMATS,
) -> Path | None:
    """The file that holds the table `stem`, whatever its format, gzip too; None without one.

    A file of that name with another extension is left alone, with a note. Raises DataError naming
    both files where there are two.
    """
    known = stored_files(folder, stem, formats)
    if findings is not None:
        for path in sorted(folder.glob(f"{stem}.*")):
            if path not in known and path.suffix != ".toml":
                wanted = f"{listed(formats)}; it was left alone"
                findings.note(path.name, "a file of another kind", wanted)
    return only(known)


def stored_files(folder: Path, stem: str, formats: tuple[str, ...] = FORMATS) -> list[Path]:
    """All files that could hold the table `stem`."""
    return [path for path in sorted(folder.glob(f"{stem}.*")) if _ending(path, stem) in formats]


def only(paths: list[Path], shown: str = "") -> Path | None:
    """The one path of a list, None of an empty one. Raises DataError naming all of several;
    `shown` stands before their names."""
    if len(paths) > 1:
        names = " and ".join(path.name for path in paths)
        cure = "Take away the one that does not count."
        raise DataError(f"{shown}{paths[0].name}", names, "one of them", cure=cure)
    return paths[0] if paths else None


def _ending(path: Path, stem: str) -> str:
    return path.name[len(stem) :].lower().removesuffix(".gz")
