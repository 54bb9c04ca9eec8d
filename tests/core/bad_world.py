"""A small collection, and changes that damage its files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dashboard.errors import DataError, Finding
from dashboard.storage.collection import Collection, open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import Study

ITEMS = [f"v{number:02d}" for number in range(12)]
QUERIES = {"q1": "car", "q2": "pedestrian crossing", "q3": "cyclist entering path"}
QRELS = """q1 0 v00 2
q1 0 v03 1
q1 0 v04 0
q2 0 v01 1
q2 0 v05 2
q3 0 v02 1
"""
METRICS = "P@5 nDCG@5 AP"
A, B = "models/a/items.npy", "models/b/items.npy"


@dataclass(frozen=True)
class Change:
    """What is done to a file of the collection."""

    file: str
    apply: Callable[[Path, str], object]

    def __call__(self, folder: Path) -> None:
        self.apply(folder, self.file)

    def find(self, words: str) -> str:
        """Return a sentence's start; one that begins with its line or found is of this file."""
        return self.file + words if words[0] in ":," else words


def write_world(tmp_path: Path) -> Path:
    """Write items, queries, judgements, two versions with vectors and a file of results."""
    made = tmp_path / "bad"
    rng = np.random.default_rng(7)
    unit = rng.normal(size=(12, 8)).astype(np.float32)
    for name in "ab":
        (made / "models" / name).mkdir(parents=True)
        unit = (unit / np.linalg.norm(unit, axis=1, keepdims=True)).astype(np.float32)
        np.save(made / "models" / name / "items.npy", unit)
        np.save(made / "models" / name / "queries.npy", unit[:3])
        write(made, f"models/{name}/items.txt", "\n".join([*ITEMS, ""]))
        write(made, f"models/{name}/queries.txt", "q1\nq2\nq3\n")
        unit = unit + rng.normal(scale=0.2, size=(12, 8)).astype(np.float32)
    write(made, "collection.toml", 'title = "Bad"\n')
    rows = [f"{name},{name}.png,caption {name}\n" for name in ITEMS]
    write(made, "items.csv", "item_id,file,caption\n" + "".join(rows))
    texts = [f"{name},{text}\n" for name, text in QUERIES.items()]
    write(made, "queries.csv", "query_id,text\n" + "".join(texts))
    write(made, "qrels.txt", QRELS)
    (made / "runs").mkdir()
    lines = [
        f"{query} Q0 {item} {rank} {(10 - rank) / 8:.6f} t\n"
        for query in QUERIES
        for rank, item in enumerate(ITEMS[:10], start=1)
    ]
    write(made, "runs/r.trec", "".join(lines))
    return made


def write(folder: Path, file: str, content: str | bytes) -> None:
    raw = content.encode() if isinstance(content, str) else content
    (folder / file).write_bytes(raw)


def put(file: str, content: str | bytes) -> Change:
    return Change(file, lambda folder, file: write(folder, file, content))


def remove(file: str) -> Change:
    return Change(file, lambda folder, file: (folder / file).unlink())


def change_text(file: str, edit: Callable[[str], str | bytes]) -> Change:
    def change(folder: Path, file: str) -> None:
        write(folder, file, edit((folder / file).read_bytes().decode()))

    return Change(file, change)


def sub(file: str, old: str, new: str, count: int = 1) -> Change:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, count)

    return change_text(file, edit)


def recode(file: str, encoding: str, old: str = "", new: str = "") -> Change:
    return change_text(file, lambda text: text.replace(old, new).encode(encoding))


def add(file: str, lines: str) -> Change:
    return change_text(file, lambda text: text + lines)


def cut(file: str, end: int) -> Change:
    return Change(
        file, lambda folder, file: write(folder, file, (folder / file).read_bytes()[:end])
    )


def turn(compute: Callable[[np.ndarray], np.ndarray], file: str = A) -> Change:
    return Change(
        file, lambda folder, file: np.save(folder / file, compute(np.load(folder / file)))
    )


def fill(row: int, value: float) -> Change:
    def compute(array: np.ndarray) -> np.ndarray:
        array[row] = value
        return array

    return turn(compute)


def widen(folder: Path, columns: int) -> None:
    """Add columns that nothing reads to the items."""
    header, *rows = (folder / "items.csv").read_text().splitlines()
    header += "".join(f",x{number}" for number in range(columns))
    rows = [row + ",1" * columns for row in rows]
    write(folder, "items.csv", "\n".join([header, *rows, ""]))


def list_findings(folder: Path) -> tuple[Collection | None, list[Finding]]:
    try:
        opened = open_collection(folder)
    except DataError as error:
        return None, [Finding.from_error(error)]
    return opened, list(opened.findings)


def list_means(opened: Collection, *versions: str) -> list[float | None]:
    found = Study(opened, resolve(opened, {"protocol": "trec"})).measure(versions, METRICS)
    return [row["mean"] for each in found for row in each.list_means()]


def write_finding(finding: Finding) -> str:
    line = "" if finding.line is None else f", line {finding.line}"
    return f"{finding.file}{line}: {finding.found}"


def check_sentence(finding: Finding, words: str) -> None:
    assert write_finding(finding).startswith(words) and finding.wanted


def read_lines(folder: Path, file: str) -> list[bytes]:
    return (folder / file).read_bytes().splitlines(keepends=True)


def name_cases(cases: list[tuple]) -> list[str]:
    return [str(case[0]) for case in cases]
