"""Every command that README shows runs, in its order."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.__main__ import main

ROOT = Path(__file__).parents[1]
LINES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = [line.removeprefix("python -m dashboard ") for line in LINES if "-m dashboard" in line]
MODEL = """
import numpy

def encode(inputs):
    if isinstance(inputs[0], str):
        return numpy.array([[len(text), 1.0, 1.0] for text in inputs])
    return numpy.array([numpy.asarray(each, float).mean(axis=(0, 1)) + 1 for each in inputs])
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write what the commands read: pictures by class, a table, vectors, TREC files, a model."""
    (tmp_path / "data").mkdir()
    for name in ("driving", "openmoji_context"):
        (tmp_path / "data" / name).symlink_to(ROOT / "data" / name)
    colours = {"red": (200, 0, 0), "blue": (0, 0, 200)}
    for name, colour in colours.items():
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for number in range(3):
            path = tmp_path / "pictures" / name / f"{name}{number}.png"
            Image.new("RGB", (8, 8), colour).save(path)
    ids = [f"p{number}" for number in range(6)]
    (tmp_path / "export").mkdir()
    rows = "".join(f"{name},{'ab'[place % 2]},thing {name}\n" for place, name in enumerate(ids))
    (tmp_path / "export" / "items.csv").write_text("item_id,category,title\n" + rows)
    np.savez(tmp_path / "vectors.npz", ids=np.array(ids), vectors=np.eye(6, dtype=np.float32))
    (tmp_path / "trec").mkdir()
    qrels, run = "q1 0 d1 1\nq2 0 d2 1\n", "q1 Q0 d1 1 0.9 a\nq2 Q0 d1 1 0.8 a\n"
    for path, text in (
        ("trec/qrels.txt", qrels), ("trec/bm25.run", run), ("judged.txt", qrels), ("a.trec", run),
    ):  # fmt: skip
        (tmp_path / path).write_text(text)
    (tmp_path / "my_model.py").write_text(MODEL)
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "reviews"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_commands(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COMMANDS) > 12
    for command in COMMANDS:
        code = main(shlex.split(command, comments=True))
        assert code in (0, 1 if command.startswith(("compare", "slices")) else 0), (
            command, capsys.readouterr().err,
        )  # fmt: skip
        capsys.readouterr()
    assert (files / "report.html").is_file()
