"""The metrics: one decorated function each, entered in REGISTRY.

Every file of this folder is read, so a new metric or a new file is found by itself.

registry.py  the decorators and REGISTRY
explanation.py  what explanations are made of: counts, sums over ranks, sentences
names.py     names such as `nDCG(exp)@10`: parsing, printing, near matches
binary.py    hits and misses: P, R, Success, AP, Rprec, RR, Judged
graded.py    grades: DCG and nDCG; credit: CG, AVG, MAX, RBP, ERR
context.py   CAG, the context-aware gain, under each discount of DISCOUNTS
discounts.py  weights by rank, and the sums that use them
trec.py      what trec_eval measures beside: bpref, infAP, IPrec, 11pt_avg, gm_map
sets.py      its sets and counts: set_*, num_*
crossmodal.py  i2t_R, t2i_R, Rsum, mR
ties.py      bounds over orders of tied results
"""

from importlib import import_module
from pkgutil import iter_modules

from dashboard.evaluation.metrics.registry import REGISTRY, Measure, Metric, metric, parse

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["REGISTRY", "Measure", "Metric", "metric", "parse"]
