#!/bin/sh
# Found: precision_at_k divides by the relevant items of a user where these are fewer than k, so that a
# user with one relevant item has "precision" 1.0 at k = 5 as soon as it is among the five; elsewhere it
# is 0.2. For such users it is recall.
# Version: implicit 0.7.3, scipy 1.17.1, numpy 2.4.6 (2026-11-29). Fails if the value changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q implicit==0.7.3 scipy==1.17.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import numpy as np
from implicit.evaluation import precision_at_k
from implicit.nearest_neighbours import CosineRecommender
from scipy.sparse import csr_matrix

# users x items; user 0 has seen item 0, which others have seen with each of the rest
seen = np.array([[1, 0, 0, 0, 0, 0]] + [[1] + [int(at == item) for at in range(1, 6)] for item in range(1, 6)])
model = CosineRecommender(K=20)
model.fit(csr_matrix(seen, dtype=np.float64), show_progress=False)
found, _ = model.recommend(0, csr_matrix(seen[0], dtype=np.float64), N=5)
wanted = csr_matrix(([1.0], ([0], [3])), shape=seen.shape)
value = precision_at_k(model, csr_matrix(seen, dtype=np.float64), wanted, K=5, show_progress=False)
print("found", sorted(found.tolist()), "wanted [3]", "precision@5", value)
assert sorted(found.tolist()) == [1, 2, 3, 4, 5] and value == 1.0, (found, value)
PY
"$folder/venv/bin/python" -W ignore "$folder/show.py"
