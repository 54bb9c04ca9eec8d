"""The core runs without any plugin, and with all of them but one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dashboard"
PLUGINS = sorted(path.parent.name for path in PACKAGE.glob("plugins/*/__init__.py"))
SHIPPED = {"openmoji_captions": "trec", "openmoji_context": "context", "driving": "alfa"}
"""Collections, and a protocol that each is measured by; "qrels" is the core's for judged pairs."""
SCRIPT = """
import contextlib, io, json, sys
from dashboard.__main__ import main

for call in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*call, "--format", "json"])
    rows = json.loads(out.getvalue() or "[]")
    print(json.dumps({"code": code, "rows": rows, "said": err.getvalue()}))
"""
FILES = ["measure", "--qrels", "q.txt", "--run", "r.trec", "--metrics", "AP"]


def run_without(folder: Path, plugins: list[str], calls: list[list[str]]) -> list[dict]:
    """Return exit code, rows and messages of some calls of a copy that lacks some plugins."""
    copy = folder / "dashboard"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy.parent / "__init__.py").touch()
    for name in plugins:
        shutil.rmtree(copy / "plugins" / name)
    (folder / "q.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (folder / "r.trec").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")
    given = {**os.environ, "DASHBOARD_DATA": str(ROOT / "data"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=folder, env=given, input=json.dumps(calls),
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_files(answer: dict) -> None:
    assert (answer["code"], answer["rows"]) == (
        0,
        [{"run": "r", "metric": "AP", "cutoff": None, "mean": 0.5, "scored": 2, "total": 2}],
    )


def test_core_without_plugins(tmp_path: Path) -> None:
    measured, protocols = run_without(tmp_path, PLUGINS, [FILES, ["protocols"]])
    check_files(measured)
    assert [row["protocol"] for row in protocols["rows"]] == ["qrels"]


@pytest.mark.parametrize("absent", PLUGINS)
def test_each_plugin_absent_once(tmp_path: Path, absent: str) -> None:
    """Only what the plugin adds is missing: also where another plugin makes use of it."""
    shipped = {name: protocol for name, protocol in SHIPPED.items() if protocol != absent}
    shipped |= {"openmoji_captions": "qrels"} if absent == "trec" else {}
    calls = [FILES, ["protocols"], ["metrics"], ["keys"]]
    calls += [["check", name] for name in SHIPPED]
    calls += [
        ["measure", name, "--protocol", of, "--metrics", "P@5"] for name, of in shipped.items()
    ]
    measured, protocols, metrics, keys, *others = run_without(tmp_path, [absent], calls)
    check_files(measured)
    named = {row["protocol"] for row in protocols["rows"]}
    assert absent not in named and len(named) > 3
    assert len(metrics["rows"]) > 20 and len(keys["rows"]) > 10
    said = f"protocols names {absent!r}, which has nothing to judge by"
    for answer in others:
        errors = [row["found"] for row in answer["rows"] if row.get("level") == "error"]
        assert set(errors) <= {said} and answer["code"] == bool(errors), answer
    for answer in others[len(SHIPPED) :]:
        assert answer["rows"] and all(row["scored"] for row in answer["rows"])


def test_without_what_judged_it(tmp_path: Path) -> None:
    """Relevance in context by keywords needs those of the plugin alfa: a sentence, no traceback."""
    (answer,) = run_without(tmp_path, ["alfa"], [["measure", "driving"]])
    assert answer["code"] == 2 and "nothing that the protocol 'alfa' can" in answer["said"]


def test_core_names_no_plugin() -> None:
    assert PLUGINS
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] != "plugins":
            assert not [n for n in PLUGINS if f"plugins.{n}" in path.read_text()], path
