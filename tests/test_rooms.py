"""Who may look at whom: every import of every file is read, those inside functions too."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "dashboard"

# room → the rooms it may look at. `main` and `app` are files beside the rooms.
MAY_SEE: dict[str, set[str]] = {
    "tables": set(),
    "ids": set(),
    "letters": set(),
    "logs": {"letters"},
    "progress": set(),
    "storage": {"tables", "ids", "letters", "progress"},
    "retrieval": {"tables", "ids", "letters", "progress", "storage"},
    "evaluation": {"tables", "ids", "progress"},
    "experiment": {
        "tables",
        "ids",
        "letters",
        "progress",
        "storage",
        "retrieval",
        "evaluation",
    },
    "views": {"tables", "letters", "progress", "evaluation", "experiment"},
    "screens": {"tables", "evaluation", "experiment", "views"},
    "main": {"tables", "experiment", "views", "screens"},
    "app": {"tables", "logs", "experiment", "views", "storage"},
    "commands": {"tables", "letters", "progress", "evaluation", "experiment", "views"},
    "__main__": {"tables", "logs", "commands"},
    "api": {"tables", "evaluation", "experiment"},
    "__init__": {"api"},
}
OFFLINE_VIEWS = {"address", "charts", "report"}
"""Rooms of views that import no Streamlit, but for the address bar of a session."""
REGISTRIES = {"storage", "retrieval"}
"""What `commands/reference.py` may look at, too: it prints the limits and settings of all rooms."""
SERVED = {"media", "collection"}
"""What of storage the launcher may look at: its routes."""

# room → libraries it may never name; the slow ones may be named by retrieval inside functions.
SLOW = {
    "torch",
    "sentence_transformers",
    "transformers",
    "keybert",
    "faiss",
    "onnxruntime",
    "pymilvus",
}
NEVER: dict[str, set[str]] = {
    "tables": {"streamlit", "altair", *SLOW},
    "ids": {"streamlit", "altair", *SLOW},
    "letters": {"streamlit", "altair", *SLOW},
    "logs": {"streamlit", "altair", *SLOW},
    "progress": {"streamlit", "altair", *SLOW},
    "storage": {"streamlit", "altair", *SLOW},
    "retrieval": {"streamlit", "altair"},
    "evaluation": {
        "streamlit", "altair", "os", "sys", "pathlib", "io", "time", "datetime", "random", "socket",
        "urllib", "subprocess", "sqlite3", "sqlalchemy", "requests", *SLOW,
    },
    "experiment": {"streamlit", "altair", "argparse", *SLOW},
    "views": SLOW,
    "screens": {"sqlite3", "sqlalchemy", *SLOW},
    "main": SLOW,
    "app": SLOW,
    "commands": {"streamlit", *SLOW},
    "__main__": {"streamlit", *SLOW},
    "api": {"streamlit", "argparse", *SLOW},
    "__init__": {"streamlit", "pandas", "numpy", *SLOW},
}  # fmt: skip
PICKLES = {"pickle", "joblib", "dill", "shelve", "marshal"}


def files() -> list[Path]:
    sources = [path for path in PACKAGE.rglob("*.py")]
    return sorted(sources) + [path for path in [ROOT / "app.py"] if path.exists()]


def room_of(path: Path) -> str:
    if path.parent == ROOT:
        return path.stem
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


class Content(NamedTuple):
    """What the rules ask of a file."""

    imports: list[tuple[str, bool]]
    """Each module, named in full, and whether it is imported when the file is."""
    calls: set[str]
    attributes: set[str]


@functools.cache
def content_of(source: str) -> Content:
    """A file, walked once for all rules: three walks a rule took a minute for 380 files."""
    content = Content([], set(), set())
    left: list[tuple[ast.AST, bool]] = [(ast.parse(source), True)]
    while left:
        node, runs = left.pop()
        if isinstance(node, ast.Import):
            content.imports.extend((each.name, runs) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = f"{'.' * node.level}{node.module or ''}"
            content.imports.extend((f"{origin}.{each.name}", runs) for each in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            content.calls.add(node.func.id)
        elif isinstance(node, ast.Attribute):
            content.attributes.add(node.attr)
        runs = runs and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            left += [(child, False) for child in node.body]  # this never runs
            left += [(child, runs) for child in node.orelse]
        else:
            left += [(child, runs) for child in ast.iter_child_nodes(node)]
    return content


def complaints(path: Path, source: str) -> list[str]:
    """What the imports of a file break, in sentences."""
    room, said = room_of(path), []
    for name, at_once in content_of(source).imports:
        parts = name.split(".")
        library = parts[0]
        if name.startswith("."):
            said.append(f"{path.name} may not import relatively ({name})")
        elif library == "dashboard" and len(parts) > 1:
            said += _between_rooms(path, room, parts)
        elif library in PICKLES:
            said.append(f"{room} may not import {library}: nothing is ever unpickled")
        elif library in NEVER[room]:
            said.append(f"{room} may not import {library} ({path.name})")
        elif library in SLOW and at_once:
            said.append(f"{path.name} may import {library} only inside a function: it is slow")
    return said


def _between_rooms(path: Path, room: str, parts: list[str]) -> list[str]:
    other = parts[1]
    if other == room:
        return []
    if other in REGISTRIES and path.parts[-2:] == ("commands", "reference.py"):
        return []
    if other not in MAY_SEE[room]:
        return [f"{room} may not import {other} ({path.name})"]
    if room == "app" and other == "storage" and not SERVED.intersection(parts):
        return [f"app may import of storage only what its routes need, not {'.'.join(parts)}"]
    if room in ("commands", "__main__") and other == "views" and not _offline(parts):
        offline = ", ".join(sorted(OFFLINE_VIEWS))
        return [f"{room} may import of views only {offline}, which need no Streamlit"]
    return []


def _offline(parts: list[str]) -> bool:
    return bool(OFFLINE_VIEWS & set(parts)) and parts[2:4] != ["address", "bar"]


def test_every_room_is_on_the_map() -> None:
    rooms = {room_of(path) for path in files()}
    assert rooms <= set(MAY_SEE), f"rooms without rules: {sorted(rooms - set(MAY_SEE))}"
    described = (PACKAGE / "__init__.py").read_text()
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    missing = [name for name in folders if f"\n{name} " not in described]
    assert not missing, f"dashboard/__init__.py says nothing of {missing}"


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_looks_only_where_its_room_may(path: Path) -> None:
    said = complaints(path, path.read_text(encoding="utf-8"))
    assert not said, "\n".join(said)


@pytest.mark.parametrize(
    ("where", "source", "said"),
    [
        ("evaluation/x.py", "import streamlit as st", "evaluation may not import streamlit"),
        ("evaluation/x.py", "def f():\n    import dashboard.storage.x", "not import storage"),
        ("evaluation/x.py", "from pathlib import Path", "evaluation may not import pathlib"),
        ("storage/x.py", "from dashboard.retrieval.gallery import Gallery", "not import retrieval"),
        ("screens/x.py", "from dashboard.storage.collection import names", "not import storage"),
        ("retrieval/x.py", "import torch", "only inside a function"),
        ("views/x.py", "def f():\n    import faiss", "views may not import faiss"),
        ("storage/x.py", "import pickle", "nothing is ever unpickled"),
        ("storage/x.py", "from . import files", "relatively"),
        ("commands/x.py", "from dashboard.views.frame import run", "only address, charts, report"),
        ("commands/x.py", "from dashboard.views.address import bar", "only address, charts"),
        ("experiment/x.py", "def f():\n    import streamlit", "may not import streamlit"),
        ("experiment/x.py", "import argparse", "experiment may not import argparse"),
        ("views/x.py", "from dashboard.retrieval import runs", "views may not import retrieval"),
        ("views/x.py", "from dashboard.storage import media", "views may not import storage"),
        ("commands/x.py", "from dashboard.storage import media", "commands may not import storage"),
        ("evaluation/x.py", "from dashboard.experiment import memory", "not import experiment"),
    ],
)  # fmt: skip
def test_a_look_in_the_wrong_direction_is_a_sentence(where: str, source: str, said: str) -> None:
    assert any(said in sentence for sentence in complaints(PACKAGE / where, source))


def test_what_is_slow_may_be_imported_inside_a_function_of_retrieval() -> None:
    assert not complaints(PACKAGE / "retrieval/x.py", "def f():\n    import faiss, torch")


def test_no_file_reads_pickles_or_runs_foreign_code() -> None:
    forbidden = (
        "allow_pickle=True",
        "read_pickle",
        "torch.load",
        "trust_remote_code=True",
        "unsafe_load",
    )
    for path in files():
        text = path.read_text(encoding="utf-8")
        assert not [word for word in forbidden if word in text], path
        assert not content_of(text).calls & {"eval", "exec", "__import__"}, path


def test_the_matrix_of_a_version_is_read_behind_one_seam() -> None:
    reading = {
        path.relative_to(PACKAGE).as_posix()
        for path in files()
        if content_of(path.read_text(encoding="utf-8")).attributes & {"matrix", "unit"}
    }
    holding = "storage/vectors/vectors.py"  # the class that holds it, whatever the file was
    assert reading - {holding} == {"retrieval/gallery.py"}
