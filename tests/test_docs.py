"""The README says what is there: every metric, protocol, command, address key and screen."""

import re
import tomllib
from pathlib import Path

import pytest

from dashboard.__main__ import _parser
from dashboard.evaluation.metrics import REGISTRY
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.views.address import PAGES
from dashboard.views.address.choices import CHOICES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = [line for line in README.splitlines() if "|" in line]
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in LINES]
REQUIRED = r"[\w\-\[\]]+(==[\w.]+|>=[\w.]+,<[\w.]+) +# \S.*"


def test_every_metric_stands_with_its_formula_source_and_summary():
    for metric in REGISTRY.values():
        assert [f"`{metric.title}`", metric.formula, metric.summary, metric.source] in ROWS


def test_every_protocol_stands_with_its_source():
    for protocol in PROTOCOLS.values():
        assert [f"`{protocol.name}`", protocol.title, protocol.source] in ROWS


def test_every_protocol_says_what_counts_how_and_what_it_is_blind_to():
    words = " ".join(README.replace("\n- ", " ").split())
    for protocol in PROTOCOLS.values():
        assert f"#### `{protocol.name}`: {protocol.title} {protocol.definition}" in words
        assert f"**Formula.** {protocol.formula}" in words
        assert len(protocol.blind) >= 3
        for sentence in protocol.blind:
            assert sentence in words, (protocol.name, sentence)


def test_every_key_of_the_address_stands_with_its_meaning():
    for key, choice in CHOICES.items():
        assert [f"`{key}`", choice.means] in ROWS


@pytest.mark.parametrize("page", PAGES)
def test_every_screen_stands_with_its_address(page):
    assert f"`/{page}`" in README


def test_every_command_stands_in_an_example():
    commands = _parser()._subparsers._group_actions[0].choices
    for command in commands:
        assert f"python -m dashboard {command}" in README


def test_the_clean_checkout_runs_the_readmes_test_command():
    command = "pip install -r requirements.txt -r tests/requirements.txt && python -m pytest"
    assert f"\n{command} -n 2\n" in README
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "README.md" in script


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


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_shipped_settings_hide_tracebacks_and_serve_this_machine_only():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["server"]["enableStaticServing"] is False
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["client"]["disableDataExport"] is True
    assert settings["browser"]["gatherUsageStats"] is False
