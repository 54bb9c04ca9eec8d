"""The README and the files beside the rooms say what the program does, and are never stale."""

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from dashboard.__main__ import _parser, main
from dashboard.commands import reference
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.experiment import Experiment
from dashboard.views.address import PAGES
from dashboard.views.address.choices import CHOICES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BESIDE_ROOMS = sorted((ROOT / "dashboard").rglob("README.md"))
BUILT = sorted({*(ROOT / "data").glob("*.md"), *(ROOT / "data").glob("**/*build/README.md")})
COMMANDS = (ROOT / "dashboard" / "commands" / "README.md").read_text(encoding="utf-8")
REQUIRED = r"[\w\-\[\]]+(==[\w.]+|>=[\w.]+,<[\w.]+) +# \S.*"


def test_no_file_beside_a_room_is_stale(capsys):
    code = main(["reference", "--format", "json"])
    stale = [row for row in json.loads(capsys.readouterr().out) if row["state"] != "current"]
    assert (stale, code) == ([], 0), "run: python -m dashboard reference --write"


def test_a_stale_file_is_a_finding_and_is_written_anew(tmp_path, monkeypatch, capsys):
    stale = "# Links\n\n<!-- begin keys (by hand) -->\nstale\n<!-- end keys -->\n\nRest.\n"
    (tmp_path / "README.md").write_text(stale, encoding="utf-8")
    monkeypatch.setattr(reference, "ROOMS", tmp_path)
    assert main(["reference"]) == 1
    assert main(["reference", "--write"]) == 0
    assert main(["reference"]) == 0
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# Links\n") and text.endswith("-->\n\nRest.\n") and "stale" not in text
    assert all(f"\n| `{key}` | {choice.means} |" in text for key, choice in CHOICES.items())
    assert "stale" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["metrics", "protocols", "keys", "commands", "exit codes"])
def test_each_registry_stands_in_a_file_beside_its_room(name):
    assert [path for path in BESIDE_ROOMS if f"<!-- begin {name} (" in path.read_text("utf-8")]


def test_every_protocol_says_what_it_is_blind_to():
    for protocol in PROTOCOLS.values():
        assert len(protocol.blind) >= 3 and protocol.definition and protocol.formula


def test_protocols_are_printed_in_all_three_formats(capsys):
    assert main(["protocols", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    names = "protocol title definition metrics cutoffs formula blind source"
    assert [row["protocol"] for row in rows] == list(PROTOCOLS) and list(rows[0]) == names.split()
    assert main(["protocols", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith(names.replace(" ", ",") + "\n")
    assert main(["protocols"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert all(" ".join(row["blind"].split()) in words for row in rows)


def test_keys_are_printed_with_values_and_defaults(capsys):
    assert main(["keys", "--format", "json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == ["v", "collection", *CHOICES]
    assert rows["mapping_threshold"]["values"] == "a number from 0 to 1"
    assert rows["copies"]["values"] == "counted, left_out"
    assert (rows["shown"]["default"], rows["min_similarity"]["default"]) == ("10", "-1")
    assert all(row["holds"] and row["values"] and row["default"] for row in rows.values())


def test_a_key_that_is_part_of_the_experiment_changes_numbers():
    of_experiment = {field.name for field in fields(Experiment)} & set(CHOICES)
    assert len(of_experiment) >= 8
    for key, choice in CHOICES.items():
        assert choice.changes_numbers or key not in of_experiment, key


def test_the_readme_is_short_enough_for_a_newcomer():
    assert len(README.splitlines()) <= 160


def test_every_environment_variable_stands_in_a_table():
    code = " ".join(path.read_text("utf-8") for path in (ROOT / "dashboard").rglob("*.py"))
    table = (ROOT / "dashboard" / "storage" / "README.md").read_text(encoding="utf-8")
    for variable in sorted(set(re.findall(r"DASHBOARD_[A-Z_]+", code))):
        assert f"\n| `{variable}` |" in table, variable


@pytest.mark.parametrize("page", PAGES)
def test_every_screen_stands_with_its_address(page):
    assert f"`/{page}`" in README


def test_every_command_stands_in_an_example():
    commands = _parser()._subparsers._group_actions[0].choices
    for command in commands:
        assert f"\npython -m dashboard {command}" in COMMANDS


def test_the_clean_checkout_runs_the_readmes_test_commands():
    command = "pip install -r requirements.txt -r tests/requirements.txt && python -m pytest -n 2"
    assert f"\n{command}\npython -m pytest -n 2 -m slow\n" in README
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    found = re.findall(r"grep -m1 -E '(.+)' README.md", script)
    lines = [next(filter(re.compile(each).search, README.splitlines())) for each in found]
    assert lines == [command, "python -m pytest -n 2 -m slow"]
    assert script.endswith('bash -euc "$test_command"\nbash -euc "$slow_command"\n')


def test_every_requirement_is_bounded_and_says_what_it_is_for():
    places = ("requirements.txt", "*/requirements.txt", "data/*/build/requirements.txt")
    for file in [file for place in places for file in ROOT.glob(place)]:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith(("#", "-r")):
                assert re.fullmatch(REQUIRED, line), (file, line)


def test_only_the_cards_names_stand_at_the_top():
    usual = {"app.py", "dashboard", "data", "tests"}
    usual |= {"requirements.txt", "README.md", "pyproject.toml"}
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__"))}
    assert there <= usual


@pytest.mark.parametrize("file", [ROOT / "README.md", *BUILT, *BESIDE_ROOMS])
def test_links_of_a_readme_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)#]+)\)", file.read_text(encoding="utf-8")):
        assert "://" in target or (file.parent / target).exists(), target


def test_the_shipped_settings_hide_tracebacks_and_serve_this_machine_only():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["server"]["enableStaticServing"] is False
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["client"]["disableDataExport"] is True
    assert settings["browser"]["gatherUsageStats"] is False
