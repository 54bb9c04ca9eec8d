"""`python -m dashboard init`: a collection of what somebody has, in one call."""

from __future__ import annotations

import shlex
from argparse import ArgumentTypeError, Namespace
from urllib.parse import urlencode

from dashboard.commands.collections.adding import SERVED
from dashboard.commands.collections.embedding import progress_bar
from dashboard.commands.console import FINDING, FINE, Answer, Command, complain, complain_about
from dashboard.experiment.collection.initializing import Initialized, initialize
from dashboard.views.address import SCHEME


def add_init(command: Command) -> None:
    """Enter the command `init`."""
    added = command("init", _init, "make a collection of a folder of data; asks nothing")
    text = "the new collection: a folder's path, or a name below data/; or one to add to"
    added.add_argument("new", metavar="NEW", help=text)
    text = "a folder or file with pictures, clips, tables, judgements, runs or vectors"
    added.add_argument("--from", dest="source", metavar="SOURCE", required=True, help=text)
    text = "which column of the source is what, such as item_id=file_name,pv_object_type=label; "
    text += "left_out=COLUMN;COLUMN takes none of these"
    added.add_argument(
        "--map", dest="columns", metavar="OURS=THEIRS,…", type=columns_of, default={}, help=text
    )
    added.add_argument("--dry-run", action="store_true", help="print only; write nothing")


def columns_of(text: str) -> dict[str, str]:
    """The names of ours and the columns that they are mapped to."""
    columns: dict[str, str] = {}
    for pair in text.split(","):
        ours, equals, theirs = pair.partition("=")
        if not equals or not ours.strip() or not theirs.strip():
            raise ArgumentTypeError(f"{pair!r} is no pair such as item_id=file_name")
        columns[ours.strip()] = theirs.strip()
    return columns


def _init(call: Namespace) -> Answer:
    try:
        with progress_bar("files"):
            made = initialize(call.new, call.source, call.columns, dry_run=call.dry_run)
    except KeyboardInterrupt as stop:
        said = "nothing was made yet, and the same command goes on"
        raise KeyboardInterrupt(said) from stop
    for sentence in made.problems:
        complain(sentence)
    if made.findings is None:
        complain(f"nothing was written; without --dry-run it would be {made.folder}")
        return made.files, FINE
    # that a version is still to come is no fault of what was written: the next steps say it
    found = made.findings[made.findings["file"] != "models"]
    complain_about(found, ("error", "warning"))
    for sentence in _next_steps(made):
        complain(sentence)
    complain(_address(made))
    return made.files, FINDING if (found["level"] == "error").any() else FINE


def _next_steps(made: Initialized) -> list[str]:
    """What is still to be done before two versions can be compared."""
    steps = []
    if len(made.versions) < 2:
        name = made.folder.name if made.below_data else shlex.quote(str(made.folder))
        call, version = "python -m dashboard", f"v{len(made.versions) + 1}"
        some = "no version" if not made.versions else "one version"
        steps += [
            f"{some} so far; two are compared. Add one, of what you have:",
            f"a model: {call} embed {name} --version {version} --encoder MODEL (a "
            "sentence-transformers folder or hub name, an .onnx file, module:function, an address)",
            f"vectors: {call} add {name} --version {version} --items VECTORS.npy --ids IDS.txt",
            f"ranked lists: {call} add {name} --version {version} --run LISTS.trec",
            f"a search service: {call} run {name} --version {version} --search SEARCH.toml (write "
            "it after an example in dashboard/retrieval/searches), or module:function",
        ]
    data = f"DASHBOARD_DATA={shlex.quote(str(made.folder.parent))} " * (not made.below_data)
    steps.append(f"start the dashboard, unless it runs: {data}streamlit run app.py; then open")
    return steps


def _address(made: Initialized) -> str:
    """The address to open: of the comparison, or of the overview where nothing can be compared."""
    page = "compare" if len(made.versions) > 1 else ""
    query = urlencode({"v": SCHEME, "collection": made.folder.name})
    return f"{SERVED}/{page}?{query}"
