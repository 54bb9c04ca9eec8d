"""The metrics: one decorated function each, entered in REGISTRY.

Every file of this folder is read, so a new metric or a new file is found by itself.

registry.py  the decorator and REGISTRY
names.py     names such as `nDCG(exp)@10`: parsing, printing, near matches
binary.py    hits and misses: P, R, Success, AP, Rprec, RR, Judged
graded.py    grades: DCG and nDCG; credit: CG, AVG, MAX, RBP, ERR
context.py   CAG, the context-aware gain, under each discount
trec.py      what trec_eval has beside: bpref, infAP, IPrec, 11pt_avg, gm_map, set_*, num_*
trec_eval.py  its names with a number in them, `ndcg_cut_10`, as ours
crossmodal.py  i2t_R, t2i_R, Rsum, mR; ranks.py counts the ranks of the 5K test
hashing.py   binary codes: distances and rankings; ties.py: bounds over orders of tied results
"""

from importlib import import_module
from pkgutil import iter_modules

from dashboard.evaluation.metrics.registry import REGISTRY, Measure, Metric, metric, parse

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["REGISTRY", "Measure", "Metric", "metric", "parse"]
