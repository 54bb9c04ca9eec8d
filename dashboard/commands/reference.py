"""`python -m dashboard metrics`, `protocols`, `keys` and `reference`: what the registries hold.

Each README.md beside a room has blocks between two comments, `<!-- begin NAME … -->` and
`<!-- end NAME -->`. `python -m dashboard reference --write` fills them from the registries.
"""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from dashboard.commands import searching
from dashboard.commands.console import EXIT_CODES, FINDING, FINE, Answer, Command
from dashboard.commands.output import write_file
from dashboard.evaluation.metrics import REGISTRY
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.retrieval.encoders import language_models, networks
from dashboard.storage.collection.declared_files import FILES, DeclaredFile
from dashboard.storage.collection.settings import COLLECTION_SETTINGS, MODEL_SETTINGS, Setting
from dashboard.storage.files import contents, delimited, json_lines, limits, parquet
from dashboard.storage.media import safe_open, uploads
from dashboard.storage.media.decoding import formats
from dashboard.storage.versions.index_settings import INDEX_SETTINGS
from dashboard.storage.versions.picture_side import PICTURE_SETTINGS
from dashboard.tables import LONGEST_TEXT
from dashboard.views.address import SCHEME
from dashboard.views.address.choices import CHOICES

ROOMS = Path(__file__).resolve().parents[1]
SETTINGS = {
    "collection.toml": COLLECTION_SETTINGS,
    "model.toml": MODEL_SETTINGS,
    "picture": PICTURE_SETTINGS,
    "index": INDEX_SETTINGS,
}
_MB = 1_000_000
LIMITS = [
    ("an id", f"{limits.LONGEST_ID:,} characters"),
    ("a text that is searched for", f"{LONGEST_TEXT:,} characters"),
    ("results of a version that `search` prints", f"{searching.DEEPEST:,}"),
    ("a keyword", f"{limits.LONGEST_KEYWORD:,} characters"),
    ("keywords in a cell, or other words of a keyword", f"{limits.MOST_IN_CELL:,}"),
    ("different keywords of a collection", f"{limits.MOST_KEYWORDS:,}"),
    ("columns of a table", f"{delimited.WIDEST:,}"),
    ("cells of a table", f"{json_lines.MOST_CELLS:,}"),
    (
        f"a gzip file, unpacked beyond {contents.SMALL // _MB} MB",
        f"{contents.SWELLING} times its size",
    ),
    (
        f"a Parquet file, unfolded beyond {parquet.SMALL // _MB} MB",
        f"{parquet.SWELLING} times its size",
    ),
    (f"cells of a packed table above {parquet.FEW_CELLS:,}", f"{parquet.CELLS_A_BYTE} a byte"),
    ("a JPEG", f"{formats.PICTURE_PIXELS:,} pixels"),
    ("a WebP, AVIF or GIF", f"{formats.COSTLY_PIXELS:,} pixels"),
    ("a progressive JPEG", f"{formats.PROGRESSIVE_PIXELS:,} pixels"),
    ("another picture", f"{formats.WHOLE_PIXELS:,} pixels"),
    ("a frame of a clip", f"{formats.FRAME_PIXELS:,} pixels"),
    ("an uploaded file", f"{uploads.LARGEST // _MB:,} MB"),
    ("a file of another host", f"{safe_open.LARGEST // 1_000_000_000:,} GB"),
    ("time of a network for a picture", f"{networks.PATIENCE:.0f} s"),
    (
        "memory of a network beside itself (three times its file while it is loaded)",
        f"{networks.ROOM // _MB:,} MB",
    ),
    ("time of a language model for a text", f"{language_models.PATIENCE:.0f} s"),
    (
        "memory of a language model beside its weights (three times them while it is loaded)",
        f"{language_models.ROOM // _MB:,} MB",
    ),
]
"""The limits of files; each room refuses more with file and line."""
BLOCK = re.compile(r"<!-- begin ([\w .]+?) \(.*?\) -->\n.*?<!-- end \1 -->", re.DOTALL)
BEGIN = "<!-- begin {} (written by: python -m dashboard reference --write) -->"


def add_to(command: Command, abouts: Mapping[str, str]) -> None:
    """Enter the four commands.

    abouts: the description of each command, filled in while commands are entered.
    """
    command("metrics", lambda call: (metrics(), FINE), "every metric with its formula and source")
    about = "every protocol: what is relevant, its metrics, and what they are blind to"
    command("protocols", lambda call: (protocols(), FINE), about).set_defaults(as_blocks=True)
    about = "every key of a link: its meaning, values and default"
    command("keys", lambda call: (keys(), FINE), about)
    added = command(
        "reference", partial(_reference, abouts), "which blocks of the README.md files are stale"
    )
    added.add_argument("--write", action="store_true", help="bring them up to date")


def metrics() -> pd.DataFrame:
    """Every metric: metric, formula, source, summary."""
    rows = [(each.title, each.formula, each.source, each.summary) for each in REGISTRY.values()]
    return pd.DataFrame(rows, columns=["metric", "formula", "source", "summary"])


def protocols() -> pd.DataFrame:
    """Every protocol: its definition of relevance, its metrics, and its source."""
    rows = [
        {
            "protocol": each.name,
            "title": each.title,
            "definition": each.definition,
            "metrics": each.metrics,
            "cutoffs": ", ".join(map(str, each.cutoffs)) or None,
            "formula": each.formula,
            "blind": " ".join(each.blind),
            "source": each.source,
        }
        for each in PROTOCOLS.values()
    ]
    return pd.DataFrame(rows)


def keys() -> pd.DataFrame:
    """Every key of a link: its meaning, values and default, and whether metrics depend on it."""
    columns = ["key", "holds", "values", "default", "changes_numbers"]
    rows = [
        ("v", "the version of these keys", SCHEME, SCHEME, False),
        ("collection", "the collection that is open", "the name of its folder", "the first", True),
    ]
    rows += [
        (key, each.means, each.read.values, each.default.words, each.changes_numbers)
        for key, each in CHOICES.items()
    ]
    return pd.DataFrame(rows, columns=columns)


def _reference(abouts: Mapping[str, str], call: Namespace) -> Answer:
    written: dict[str, Callable[[], str]] = {
        "metrics": lambda: table(metrics()[["metric", "formula", "summary", "source"]]),
        "protocols": lambda: "\n\n".join(map(_section, PROTOCOLS.values())),
        "keys": lambda: table(keys()),
        "commands": lambda: table(_named(abouts, "command", "prints")),
        "limits": lambda: table(pd.DataFrame(LIMITS, columns=["of", "at most"]), code=False),
        "files": lambda: "\n\n".join(map(_file, FILES)),
        "exit codes": lambda: table(_named(EXIT_CODES, "exit code", "means")),
    }
    for name, settings in SETTINGS.items():
        written[name] = partial(_settings, settings)
    rows = []
    for path in sorted(ROOMS.rglob("README.md")):
        text = path.read_text(encoding="utf-8")
        fresh = text
        for block in BLOCK.finditer(text):
            name = block[1]
            now = f"{BEGIN.format(name)}\n{written[name]()}\n<!-- end {name} -->"
            state = "current" if now == block[0] else "written" if call.write else "stale"
            rows.append((path.relative_to(ROOMS.parent).as_posix(), name, state))
            fresh = fresh.replace(block[0], now)
        if call.write and fresh != text:
            write_file(path, fresh)
    answer = pd.DataFrame(rows, columns=["file", "block", "state"])
    return answer, FINDING if (answer["state"] == "stale").any() else FINE


def _file(each: DeclaredFile) -> str:
    """The section on a file of a collection: what it is for, its columns, an example."""
    kinds = {"text": "text", "number": "a number", "integer": "a whole number"}
    rows = [
        (name, kinds.get(kind, kind), "yes" if must else "no", "yes" if is_key else "no")
        for name, kind, must, is_key in each.columns()
    ]
    columns = pd.DataFrame(rows, columns=["column", "holds", "needed", "part of the key"])
    parts = [
        f"## `{each.name}`",
        f"{each.what[0].upper()}{each.what[1:]}.",
        f"Needed {each.needed}.",
    ]
    parts += [table(columns)] if rows else []
    parts += [f"Further columns: {each.meant}."] if each.meant else []
    kind = {"npy": "python", "txt": "text"}.get(ending := each.name.rpartition(".")[2], ending)
    return "\n\n".join([*parts, f"```{kind}\n{each.example}```"])


def _named(
    meanings: Mapping[int, str] | Mapping[str, str], name: str, meaning: str
) -> pd.DataFrame:
    return pd.DataFrame(list(meanings.items()), columns=[name, meaning]).astype("str")


def _settings(settings: Mapping[str, Setting]) -> str:
    rows = [
        (key, each.usual or f"`{json.dumps(each.default)}`", each.meaning)
        for key, each in settings.items()
    ]
    return table(pd.DataFrame(rows, columns=["key", "default", "meaning"]))


def _section(protocol: Protocol) -> str:
    blind = "\n".join(f"- {sentence}" for sentence in protocol.blind)
    return (
        f"## `{protocol.name}`: {protocol.title}\n\n{protocol.definition}\n\n"
        f"**Formula.** {protocol.formula}\n\n**Shown first.** `{protocol.metrics}`\n\n"
        f"**Source.** {protocol.source}\n\n**Blind to.**\n\n{blind}"
    )


def table(frame: pd.DataFrame, *, code: bool = True) -> str:
    """A table in Markdown; code: whether its first column is written as code."""
    rows = [[_cell(each) for each in row] for row in frame.itertuples(index=False)]
    lines = [[*map(str, frame.columns)], ["---"] * frame.shape[1]]
    lines += [[f"`{first}`" if code else first, *others] for first, *others in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("|", "\\|")
