#!/bin/sh
# Found: exported as `imagenet`, a picture with two labels is written into both folders: it is two items
# with the same pixels, and each is a wrong result for the other; one without a label gets a folder
# no_label, which reads as one more class. `cifar` and `lfw` keep the first label alone, and `yolo` none
# that has no box. Nothing is said. `coco_labels`, `voc_classification` and `imagenet_txt` keep both.
# Version: datumaro 1.13.12 (2026-11-29). Fails if the exports change.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q datumaro==1.13.12
cat > "$folder/show.py" <<'PY'
import logging
import sys
from pathlib import Path

import numpy as np
from datumaro.components.annotation import AnnotationType, Label
from datumaro.components.dataset import Dataset
from datumaro.components.dataset_base import DatasetItem
from datumaro.components.media import Image

logging.disable()
labels = {"two": [0, 1], "one": [1], "none": []}
found = {}
for form in ("imagenet", "cifar", "lfw", "yolo", "coco_labels", "voc_classification", "imagenet_txt"):
    items = [
        DatasetItem(
            name,
            subset="train",
            media=Image.from_numpy(np.zeros((32, 32, 3), np.uint8)),
            annotations=[Label(number) for number in numbers],
        )
        for name, numbers in labels.items()
    ]
    place = Path(sys.argv[1]) / form
    Dataset.from_iterable(items, categories=["cat", "dog"]).export(str(place), form, save_media=True)
    read = Dataset.import_from(str(place), form)
    names = [each.name for each in read.categories()[AnnotationType.label]]
    found[form] = {
        item.id: sorted(names[a.label] for a in item.annotations if a.type == AnnotationType.label)
        for item in read
    }
    print(form, found[form])
files = sorted(str(path.relative_to(f"{sys.argv[1]}/imagenet")) for path in Path(sys.argv[1], "imagenet").rglob("*.*"))
print("imagenet", files)
assert files == ["cat/two.jpg", "dog/one.jpg", "dog/two.jpg", "no_label/none.jpg"], files
assert found["cifar"]["two"] == found["lfw"]["two"] == ["cat"] and found["yolo"]["two"] == [], found
for form in ("coco_labels", "voc_classification", "imagenet_txt"):
    assert found[form]["two"] == ["cat", "dog"], found
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
