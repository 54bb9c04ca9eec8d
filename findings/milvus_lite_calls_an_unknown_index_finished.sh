#!/bin/sh
# Found: milvus-lite takes an index type that does not exist, and one that only a Milvus server has
# (SCANN): it prints an error of a background thread, describes the index as "Finished" with every row
# indexed, and searches all rows one by one. A server refuses the same name ("invalid index type"). Who
# tries an index on milvus-lite before paying for a server therefore measures a recall of 1 that is not
# that of the index.
# Version: pymilvus 3.0.2, milvus-lite 3.2.2 (2026-11-28); a server 2.3.5 refuses. Fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pymilvus==3.0.2 milvus-lite==3.2.2
cat > "$folder/show.py" <<'PY'
import sys
import time

import numpy as np
from pymilvus import DataType, MilvusClient

vectors = np.random.default_rng(0).standard_normal((3000, 8)).astype(np.float32)
best = set(np.argsort(-(vectors @ vectors[0]))[:10].tolist())
for kind in ("SCANN", "NO_SUCH_INDEX"):
    client = MilvusClient(f"{sys.argv[1]}/{kind.lower()}.db")
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=8)
    index = client.prepare_index_params()
    index.add_index("vector", index_type=kind, metric_type="IP", params={})
    client.create_collection("a", schema=schema, index_params=index)
    client.load_collection("a")
    client.insert("a", [{"row": row, "vector": each} for row, each in enumerate(vectors)])
    client.flush("a")
    time.sleep(3)
    told = client.describe_index("a", "vector")
    hits = client.search("a", data=[vectors[0]], limit=10, output_fields=["row"])[0]
    found = {hit["entity"]["row"] for hit in hits}
    print(kind, told["state"], told["indexed_rows"], "rows indexed, exact:", found == best)
    assert (told["state"], told["indexed_rows"], found) == ("Finished", 3000, best), told
    client.close()
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder" 2>/dev/null
