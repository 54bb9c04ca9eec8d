#!/bin/sh
# Found: the files of a sample belong together only while they follow one another in the tar. A shard
# that was written a type at a time (tar -cf shard.tar *.jpg *.txt) gives each sample twice, one half
# with the picture and one with the text. A loop that counts or embeds samples does not notice; only
# to_tuple, which asks for both, complains, and with missing_is_error=False it gives None for each half.
# Version: webdataset 1.0.2 (2026-11-29). Fails if the samples change.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q webdataset==1.0.2
mkdir "$folder/clips"
for name in a b c; do
  printf 'picture %s' "$name" > "$folder/clips/$name.jpg"
  printf 'text %s' "$name" > "$folder/clips/$name.txt"
done
(cd "$folder/clips" && tar -cf ../types.tar ./*.jpg ./*.txt && tar -cf ../samples.tar ./*)
cat > "$folder/show.py" <<'PY'
import sys

import webdataset

found = {}
for shard in ("samples", "types"):
    samples = webdataset.WebDataset(f"{sys.argv[1]}/{shard}.tar", shardshuffle=False)
    found[shard] = ["+".join(sorted({"jpg", "txt"} & sample.keys())) for sample in samples]
    print(shard, len(found[shard]), "samples:", found[shard])
assert found["samples"] == ["jpg+txt"] * 3, found
assert found["types"] == ["jpg"] * 3 + ["txt"] * 3, found
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
