"""`satisfaction`: how metrics agree with what people said of the lists that they saw."""

from argparse import Namespace

from dashboard.commands.options import FINE, Answer, open_call
from dashboard.commands.output import say_each

HELP = "correlation of metrics with the satisfaction of people who saw lists"
OPTIONS = """
--table gains|depths|halves|spread|sizes|cleaning  correlations of each gain, the source's table 3,
    table 2, figure 3, table 1, or cleaning (default gains)
--list ID  instead: one list, picture by picture
--discount RBP|DCG|CG|AVG|ERR|MAX  of --list (default DCG)
--rows COUNT  lists of at least so many rows, in their first rows (default 10)
--window COUNT  results in the window of the context-aware gain (default 10)
--average pictures|rows  what AVG is the mean of: pictures, or the means of rows (default pictures)
--divide window|w  divide a window by its results (window), or always by its size (w)
"""


def answer(call: Namespace) -> Answer:
    """Return the rows of a table; the first column says whose answers it rests on."""
    from dashboard.plugins.context import satisfaction
    from dashboard.plugins.context.lists import DOUBTS, read_lists

    viewed = read_lists(open_call(call), [])
    reading = satisfaction.Reading(call.rows, call.window, call.divide, call.average)
    said = [DOUBTS[viewed.kind]] if viewed.kind in DOUBTS else []
    if call.list is not None:
        if not (viewed.pages["list_id"] == call.list).any():
            raise ValueError(f"There is no list {call.list[:80]!r} in lists.csv.")
        rows = satisfaction.list_steps(viewed, call.list, reading, call.discount)
    else:
        rows = satisfaction.TABLES[call.table](viewed, reading)
        said += satisfaction.explain_nulls(viewed, reading, rows)
    say_each("note: satisfaction", said)
    rows = [{"answers": viewed.kind} | row for row in rows]
    columns = tuple(rows[0]) if rows else ("answers",)
    return [satisfaction.write_nulls(row) for row in rows], columns, FINE
