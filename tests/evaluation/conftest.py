"""The option `--vectors`: another file of worked cases for test_vectors.py."""

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "worked cases for test_vectors.py, in place of the files beside it"
    parser.addoption("--vectors", metavar="FILE", help=text)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" in metafunc.fixturenames:
        given = metafunc.config.getoption("--vectors", None)
        beside = sorted(Path(__file__).parent.glob("*vectors.json"))
        files = [Path(given)] if given else beside
        cases = [case for file in files for case in json.loads(file.read_text())["vectors"]]
        metafunc.parametrize("vector", cases, ids=[case["name"] for case in cases])
