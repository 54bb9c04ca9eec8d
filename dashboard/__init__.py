"""A dashboard for reviewing the search quality of embedding models. The rooms, in the order data
walks:

tables      the columns that every room agrees on, the one error and the findings on readers' files
ids         columns of ids as numbers, for whoever reads or joins many of them
letters     letters that nobody sees, or that a terminal or a spreadsheet would act on
logs        log lines and tracebacks, in which such letters stand as escapes
progress    how far long work is: told part by part to whoever waits for it
storage     opens files and databases; hands out checked tables
retrieval   loads models and searches; the only slow imports, and inside functions
evaluation  judges and measures: tables in, tables out; no file, no clock, no network
experiment  what a number depends on, and every number, once; for screens and commands alike
views       how one thing looks: the address bar, charts, cards, texts
screens     one script per screen, read from top to bottom
commands    what the command line answers: the table of each command, and how it is printed
__main__    the same numbers on the command line
api         the same from Python: what `import dashboard` gives to a training script

    import dashboard

    driving = dashboard.open("driving")
    driving.add_version("v4", items=vectors, queries=query_vectors, note="a longer training")
    print(driving.verdict("v3", "v4"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dashboard.api import OpenCollection, Verdict, open

__all__ = ["OpenCollection", "Verdict", "open"]


def __getattr__(name: str) -> Any:
    """Import the library's functions when one is used: `import dashboard` alone takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'dashboard' has no attribute {name!r}")
    from dashboard import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
