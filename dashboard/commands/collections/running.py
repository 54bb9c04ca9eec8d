"""`python -m dashboard run`: the ranked lists of a search system become a version."""

from __future__ import annotations

from argparse import Namespace

from dashboard.commands.collections.adding import add_version_name, version_name, where_to_look
from dashboard.commands.collections.embedding import add_service_limits, client_of, resumable
from dashboard.commands.console import (
    FINDING,
    FINE,
    Answer,
    Command,
    add_collection,
    at_least_one,
    complain,
    opened,
)
from dashboard.experiment.versions import running
from dashboard.tables import Findings, counted

ABOUT = "ask a search system every query; its lists become a version; asks what failed again"


def add_run(command: Command) -> None:
    """Enter the command `run`."""
    added = command("run", _run, ABOUT)
    add_collection(added)
    add_version_name(added)
    text = "module:function, or FILE.toml with the request to a service; examples to copy: "
    text += "dashboard/retrieval/searches/*.toml (OpenSearch, Solr, Vespa, Qdrant, Algolia, own)"
    added.add_argument("--search", required=True, metavar="S", help=text)
    text = "results of each query (100)"
    added.add_argument("--depth", type=at_least_one, default=100, metavar="K", help=text)
    text = "queries that are asked at the same time (4)"
    added.add_argument("--at-once", type=at_least_one, default=4, metavar="N", help=text)
    add_service_limits(added)
    added.add_argument("--note", default="", metavar="TEXT", help="a sentence on what is new")


def _run(call: Namespace) -> Answer:
    name, findings = version_name(call), Findings()
    collection = opened(call)
    search = running.search_of(call.search, lambda headers: client_of(call, headers))
    with resumable("queries", findings):
        table = running.run(
            collection,
            name,
            search,
            depth=call.depth,
            at_once=call.at_once,
            note=call.note,
            findings=findings,
        )
    if failed := int(table["failed"].iloc[0]):
        complain(f"the same command asks {counted(failed, 'query', 'queries')} again")
    complain(where_to_look(collection, name))
    return table, FINDING if table["failed"].iloc[0] else FINE
