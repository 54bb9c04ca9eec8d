#!/bin/sh
# Found: the usual stop words of KeyBERT are scikit-learn's English list, which holds words that tell
# clips apart: front, side, back, top, bottom, fire, empty, full, move, two, three. "van on fire" and
# "van on side" have the one keyword van, and no warning says what was left out. With
# stop_words=None they are found.
# Version: keybert 0.9.0, scikit-learn 1.9.1, numpy 2.4.6 (2026-11-29), without a model: its vectors are
# counts of words. Fails if one of the lists changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q scikit-learn==1.9.1 numpy==2.4.6 rich==14.2.0 tqdm==4.67.1 packaging==25.0
"$folder/venv/bin/pip" install -q --no-deps keybert==0.9.0
cat > "$folder/show.py" <<'PY'
import numpy as np
from keybert import KeyBERT
from keybert.backend import BaseEmbedder
from sklearn.feature_extraction.text import HashingVectorizer


class Words(BaseEmbedder):
    def embed(self, documents, verbose=False):
        return np.asarray(HashingVectorizer(n_features=64, norm="l2").transform(documents).todense())


model, found = KeyBERT(model=Words()), {}
for text in ("van on fire", "van on side", "empty road", "two dogs"):
    for words in ("english", None):
        pairs = model.extract_keywords(text, stop_words=words)
        found[text, words] = sorted(word for word, _ in pairs)
        print(f"{text}, stop words {words}: {found[text, words]}")
assert found["van on fire", "english"] == found["van on side", "english"] == ["van"]
assert found["van on fire", None] == ["fire", "on", "van"]
assert found["empty road", "english"] == ["road"] and found["two dogs", "english"] == ["dogs"]
PY
"$folder/venv/bin/python" "$folder/show.py"
