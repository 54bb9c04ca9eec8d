"""Templates of HTML and XML, in which every text that is put into them is escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""By their paths from the folder of the program on."""
