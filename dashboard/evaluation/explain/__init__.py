"""How a metric's value comes about for one query, in numbers: steps by rank, equations, the value.

Every file of this folder is read, so an explainer is found by being written with `@explains(…)`.

seen.py     what an explanation is, the register, and one query's list as a metric sees it
shapes.py   counts, sums over ranks, means and largest values, which most metrics are made of
wording.py  numbers, ranks and sums in a sentence
binary.py, graded.py, context.py  the explainers, beside the metrics' files of the same names
explained.py  what explains a value, also under a protocol, which decides what is null or zero
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from dashboard.evaluation.explain.explained import explain, explain_run
from dashboard.evaluation.explain.seen import EXPLAINERS, Explanation, Seen, explains

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["EXPLAINERS", "Explanation", "Seen", "explain", "explain_run", "explains"]
