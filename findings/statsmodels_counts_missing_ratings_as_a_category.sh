#!/bin/sh
# Found: aggregate_raters takes NaN for a category of its own. A verdict that a reviewer did not give
# so counts as an answer, and two missing ones as agreement: of two people who agree on four of six
# results Fleiss' kappa is 0.33, and with a third column that nobody filled in -0.17. Neither
# aggregate_raters nor fleiss_kappa says so; with the category left out, fleiss_kappa refuses tables
# whose rows hold different numbers of ratings.
# Version: statsmodels 0.15.0, numpy 2.4.6 (2026-11-29). Fails if one of the values changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q statsmodels==0.15.0 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

two = np.array([[1, 1], [0, 0], [1, 0], [0, 1], [1, 1], [0, 0]], float)
three = np.column_stack([two, np.full(6, np.nan)])
found = {}
for people, ratings in (("two", two), ("and an empty column", three)):
    counts, categories = aggregate_raters(ratings)
    found[people] = round(fleiss_kappa(counts), 2)
    print(f"{people}: categories {categories.tolist()}, kappa {found[people]}")
assert found == {"two": 0.33, "and an empty column": -0.17}, found
three[0, 2] = 1
try:
    print(fleiss_kappa(aggregate_raters(three)[0][:, :2]))
except AssertionError:
    print("without the category: refused")
else:
    raise SystemExit("rows of different numbers of ratings are taken now")
PY
"$folder/venv/bin/python" "$folder/show.py"
