"""The core runs without any plugin."""

import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "dashboard" / "next"


def test_core_without_plugins(tmp_path: Path) -> None:
    copy = tmp_path / "dashboard" / "next"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy.parent / "__init__.py").touch()
    for folder in (copy / "plugins").glob("*/"):
        shutil.rmtree(folder)
    (tmp_path / "q.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "r.trec").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")
    call = [
        sys.executable,
        "-m",
        "dashboard.next",
        "measure",
        "--qrels",
        "q.txt",
        "--run",
        "r.trec",
    ]
    done = subprocess.run(
        [*call, "--metrics", "AP", "--format", "csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1] == "r,AP,,0.5,2,2"


def test_core_names_no_plugin() -> None:
    names = [path.parent.name for path in PACKAGE.glob("plugins/*/plugin.py")]
    assert names
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] != "plugins":
            assert not [n for n in names if f"plugins.{n}" in path.read_text()], path
