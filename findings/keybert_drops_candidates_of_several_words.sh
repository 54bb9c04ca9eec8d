#!/bin/sh
# Found: KeyBERT gives back only candidates that its own tokeniser finds in the text. With the usual
# keyphrase_ngram_range of (1, 1) a candidate of two words, such as "ego lane", is never found, and
# nothing is said. One with a capital is never found in any range, as texts are made small and
# candidates are not; of this scikit-learn warns. A taxonomy's keywords of several words are so lost;
# (1, 2) and small letters find them.
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


model, text = KeyBERT(model=Words()), "cyclist enters ego lane"
found = {}
for candidates in (["cyclist", "ego lane"], ["Cyclist", "Ego Lane"]):
    for longest in (1, 2):
        given = {"candidates": candidates, "keyphrase_ngram_range": (1, longest)}
        pairs = model.extract_keywords(text, **given)
        found[candidates[0], longest] = sorted(word for word, _ in pairs)
        print(candidates, (1, longest), found[candidates[0], longest])
assert found["cyclist", 1] == ["cyclist"] and found["cyclist", 2] == ["cyclist", "ego lane"]
assert found["Cyclist", 1] == found["Cyclist", 2] == []
PY
"$folder/venv/bin/python" "$folder/show.py"
