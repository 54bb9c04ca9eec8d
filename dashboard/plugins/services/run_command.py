"""`run`: ask a search system every query, and make its results a version."""

from argparse import Namespace

from dashboard.commands.options import FINE, FOUND, Answer, complain, open_call
from dashboard.commands.output import draw_bar, say, say_where
from dashboard.errors import list_names

HELP = "ask a search system over HTTP every query; a second call asks those that failed"
OPTIONS = """
--version VERSION!  name of the new version, or of one whose missing answers are asked
--search URL!  address of the system: it gets {"query_id", "text", "item_id", "k"} as JSON, and
    answers a list of ids, of pairs [id, score], or of {"id", "score"}
--depth COUNT  results that are asked for (default 100)
--timeout SECONDS  seconds to wait for an answer (default 30)
--tries COUNT  how often a query is sent at most, with growing pauses (default 4)
"""
COLUMNS = ("queries", "answered", "failed", "p50_ms", "p95_ms")


def answer(call: Namespace) -> Answer:
    """Ask the queries and return a row; exit code FOUND where some have no answer.

    Raises:
        ValueError: If there is no time to answer.
        DataError: If the system has no result for any query, or the version cannot be written.
    """
    import numpy as np

    from dashboard.plugins.services.http_service import Service
    from dashboard.plugins.services.search_run import run_search
    from dashboard.storage.collection import open_collection

    if not 0 < call.timeout < 1e6:
        raise ValueError("Give --timeout above 0.")
    collection = open_call(call)
    service = Service(call.search, call.timeout, call.tries)
    with draw_bar("queries") as show:
        record = run_search(collection, call.version, service, call.depth, show)
    for why in dict.fromkeys(record.not_run.values()):
        queries = [query for query, each in record.not_run.items() if each == why]
        say(f"warning: {len(queries):,} without an answer ({list_names(queries)}): {why}")
    opened = open_collection(collection.folder)
    complain(each for each in opened.findings if each.file == f"runs/{call.version}")
    say_where(opened, call.version)
    asked = record.milliseconds or {}
    failed = len(record.not_run)
    answered = [asked[query] for query in collection.queries.ids if query in asked]
    times = [each for each in answered if isinstance(each, float)]
    parts = np.percentile(times, [50, 95]).round(3).tolist() if times else (None, None)
    row = (len(answered) + failed, len(answered), failed, *parts)
    return [dict(zip(COLUMNS, row, strict=True))], COLUMNS, FOUND if failed else FINE
