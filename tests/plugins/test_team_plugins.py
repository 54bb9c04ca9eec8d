"""Plugins of a team: one file each, named by the environment or by an entry point."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
README = ROOT / "dashboard" / "plugins" / "README.md"
RUN = ("measure", "--qrels", "q.txt", "--run", "r.trec", "--by-query")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files: q1 finds a (2), b (2), c (1), and q2 only c (1) of grade 2 and more."""
    lines = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    for name, text in zip(("strict.py", "ours.py"), lines, strict=True):
        (tmp_path / name).write_text(text)
    (tmp_path / "q.txt").write_text("q1 0 a 2\nq1 0 b 2\nq1 0 c 1\nq2 0 a 2\nq2 0 c 1\n")
    found = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 c 1 3 t\n"
    (tmp_path / "r.trec").write_text(found)
    return tmp_path


def run(folder: Path, *call: str, plugins: str = "strict.py") -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "dashboard", *call]
    given = {**os.environ, "DASHBOARD_PLUGINS": plugins, "PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=folder, env=given, capture_output=True, text=True)


def test_lines_of_the_readme(folder: Path) -> None:
    """In the first five places are 2 hits of q1 and none of q2."""
    done = run(folder, *RUN, "--protocol", "strict", "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        "r,q1,Twice,5,1.0", "r,q2,Twice,5,0.0", "r,q1,P,5,0.4", "r,q2,P,5,0.0",
    ]  # fmt: skip
    named = {"protocols": ("protocol", "strict"), "metrics": ("metric", "Twice")}
    for command, (column, name) in named.items():
        rows = json.loads(run(folder, command, "--format", "json").stdout)
        assert name in [row[column] for row in rows]
    assert "There is no protocol 'strict'" in run(folder, *RUN, "--protocol", "strict",
                                                  plugins="").stderr  # fmt: skip


PLUGIN = "from dashboard.plugins import Plugin\nPLUGIN = Plugin(name="
CHOICE = (
    "from dashboard.study.choices import Choice\n"
    + PLUGIN
    + '"x", choices=":C")\nC = (Choice(meaning="", default=lambda c, b: "", '
)
BROKEN = {
    "missing": ("", "broken.py: found no such file"),
    "syntax": ("x = 1\nPLUGIN = (\n", "broken.py, line 2: found SyntaxError: '(' was never closed"),
    "error": ("x = 1\ny = x / 0\n", "broken.py, line 2: found ZeroDivisionError"),
    "exit": ("import sys\nsys.exit(3)\n", "broken.py, line 2: found SystemExit: 3"),
    "nothing": ("PLUGIN = 5\n", "broken.py: found no PLUGIN"),
    "taken": (PLUGIN + '"alfa")\n', "the plugin 'alfa', which plugins/alfa has, too"),
    "core": (PLUGIN + '"qrels")\n', "broken.py: found the plugin 'qrels', which the core has, too"),
    "hook": (PLUGIN + '"x", rules=":RULES")\n', "broken.py: found AttributeError: module"),
    "folder": (PLUGIN + '"x", rules="judge:X")\n', "ValueError: 'judge:X' names another file"),
    "page": (PLUGIN + '"x", screens={"x": "no.py"})\n', "broken.py: found no such file: no.py"),
    "name": (PLUGIN + '"x", screens={"query": "x.py"})\n', "broken.py: found the page 'query'"),
    "rules": (PLUGIN + '"x", rules=":PLUGIN")\n', "found rules = ':PLUGIN', something else"),
    "metric": (
        "from dashboard.evaluation.metrics import metric\n"
        "metric('p', formula='', source='')(lambda block, k: k)\n",
        "Two metrics are called p, in evaluation/ranking_metrics.py and ",
    ),
    "shipped metric": (
        "from dashboard.evaluation.metrics import metric\n"
        "metric('AP(annotated)', formula='', source='')(lambda block, k: k)\n",
        "Two metrics are called ap(annotated), in composed/judge.py and ",
    ),
    "command": (PLUGIN + '"x", commands={"keywords": ""})\n', "found the command 'keywords', which"
                " plugins/alfa has, too; expected a name of its own. Rename it in brok"),
    "core command": (PLUGIN + '"x", commands={"check": ""})\n', "'check', which the core has, too"),
    "setting": (PLUGIN + '"x", settings={"groups": 1})\n', "found the setting 'groups', which plu"),
    "choice": (CHOICE + 'key="metric"),)\n', "found the choice 'metric', which the core has, too"),
    "option": (CHOICE + 'key="x", option="test"),)\n', "found the choice 'test', which plugins/cr"),
    "choices": (CHOICE + 'key="y"),) * 2\n', "the choice 'y', which broken.py has, too"),
    "format": (
        "from dashboard.plugins.importers.formats import FORMATS as F\n"
        + PLUGIN + '"x", formats=":F")\n',
        "found the format ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_a_sentence_and_the_rest_works(folder: Path, kind: str) -> None:
    text, sentence = BROKEN[kind]
    if text:
        (folder / "broken.py").write_text(text)
    plugins = os.pathsep.join(["broken.py", "", "strict.py"])
    done = run(folder, *RUN, "--protocol", "strict", "--format", "csv", plugins=plugins)
    assert done.returncode == 2
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout.splitlines()[1] == "r,q1,Twice,5,1.0"


def test_python_names_a_broken_file(folder: Path, world: Path) -> None:
    """Without its plugin a protocol is unknown, and the sentence says why."""
    code = f"import dashboard; dashboard.open({str(world)!r}).measure(protocol='strict')"
    given = {**os.environ, "DASHBOARD_PLUGINS": "gone.py", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=folder, env=given, capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert "There is no protocol 'strict'" in last and "gone.py: found no such file" in last


def test_an_entry_point(folder: Path) -> None:
    """A package has its protocol in another file than its PLUGIN."""
    package = folder / "our_package"
    (folder / "our-1.dist-info").mkdir()
    package.mkdir()
    lines = (folder / "strict.py").read_text()
    (package / "__init__.py").touch()
    (package / "judge.py").write_text(re.sub(r"PLUGIN = .*", "", lines))
    hooks = 'read_tables="judge:find_pairs", rules="judge:STRICT", metrics="judge:compute_twice"'
    (package / "plugin.py").write_text(f'{PLUGIN}"strict", {hooks})\n')
    (folder / "our-1.dist-info" / "METADATA").write_text("Name: our\nVersion: 1\n")
    (folder / "our-1.dist-info" / "entry_points.txt").write_text(
        "[search_quality_dashboard]\nstrict = our_package.plugin\ngone = our_package.gone\n"
    )
    done = run(folder, *RUN, "--protocol", "strict", "--format", "csv", plugins="")
    assert done.stdout.splitlines()[1] == "r,q1,Twice,5,1.0"
    assert done.returncode == 2
    assert "our_package.gone: found ModuleNotFoundError" in done.stderr


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch, world: Path) -> Iterator[Callable[[Path], AppTest]]:
    """Open the screens with the file of a team."""
    from dashboard import plugins

    def start(file: Path) -> AppTest:
        monkeypatch.setenv("DASHBOARD_PLUGINS", str(file))
        monkeypatch.setenv("DASHBOARD_DATA", str(world.parent))
        plugins._find_plugins.cache_clear()
        return AppTest.from_file(str(ROOT / "dashboard" / "main.py")).run(timeout=60)

    yield start
    monkeypatch.undo()
    plugins._find_plugins.cache_clear()
    plugins._MODULES.pop("ours", None)


def test_screens_name_a_broken_file(folder: Path, open_app: Callable[[Path], AppTest]) -> None:
    screen = open_app(folder / "gone.py")
    said = [each.value for each in screen.error]
    assert not screen.exception and len(said) == 1
    assert said[0].replace("\\", "").startswith("gone.py: found no such file")


def test_a_team_adds_a_page(folder: Path, open_app: Callable[[Path], AppTest]) -> None:
    """Its script stands beside the file of the plugin; its link is before the last one."""
    from dashboard.plugins import list_screens
    from dashboard.views.frame import make_pages

    (folder / "ours.py").write_text(f'{PLUGIN}"ours", screens={{"our_page": "page.py"}})\n')
    script = "import streamlit as st\nfrom dashboard.views.frame import open_page\n"
    (folder / "page.py").write_text(f"{script}study, _ = open_page()\nst.text(study.rules.name)\n")
    screen = open_app(folder / "ours.py")
    assert list_screens()["our_page"] == folder / "page.py"
    assert list(make_pages())[-2:] == ["our_page", "collections"]
    screen.switch_page(os.path.relpath(folder / "page.py", ROOT / "dashboard"))
    assert [each.value for each in screen.run().text] == ["alfa"] and not screen.exception


def test_a_team_adds_a_section(folder: Path, open_app: Callable[[Path], AppTest]) -> None:
    screen = open_app(folder / "ours.py")
    screen.switch_page("screens/compare.py").run(timeout=60)
    assert [each.value for each in screen.text] == ["1 queries are long"] and not screen.exception


def test_a_team_adds_an_encoder(
    folder: Path, open_app: Callable[[Path], AppTest], tmp_path: Path
) -> None:
    from dashboard.retrieval.encoders import encode_text, list_sides
    from dashboard.storage.versions import Version

    open_app(folder / "ours.py")
    own = Version("own", settings={"encoder": "letters"})
    assert encode_text(tmp_path, own, "a cab").tolist() == [[2, 1, 1]]
    assert list_sides([own]) == {"text"}
