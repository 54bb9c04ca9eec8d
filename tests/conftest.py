"""What all tests share: the option `--vectors FILE` and the tiny world."""

from pathlib import Path


def pytest_addoption(parser):
    parser.addoption(
        "--vectors",
        default=str(Path(__file__).parent / "vectors.json"),
        help="a file of worked cases for tests/evaluation/test_vectors.py",
    )
