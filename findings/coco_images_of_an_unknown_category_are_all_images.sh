#!/bin/sh
# Found: pycocotools' getImgIds(catIds=[car, dog]) gives the pictures that show both, getAnnIds of the
# same categories the annotations of either. A category name that the file does not have is passed over
# by getCatIds, and getImgIds of the empty list that is left gives every picture. Who makes relevant
# pictures of a query from it counts the whole gallery as relevant for a misspelled class, and too few
# for two classes; nothing is said in either case.
# Version: pycocotools 2.0.11, numpy 2.4.6 (2026-11-29). Fails if one of the lists changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pycocotools==2.0.11 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
from pycocotools.coco import COCO

shown = [(1, 1), (2, 2), (3, 1), (3, 2)]
labels = COCO()
labels.dataset = {
    "images": [{"id": number} for number in (1, 2, 3, 4)],
    "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "dog"}],
    "annotations": [
        {"id": number, "image_id": image, "category_id": category, "area": 1, "iscrowd": 0}
        for number, (image, category) in enumerate(shown, start=1)
    ],
}
labels.createIndex()
both = labels.getCatIds(["car", "dog"])
either = {labels.anns[number]["image_id"] for number in labels.getAnnIds(catIds=both)}
unknown = labels.getImgIds(catIds=labels.getCatIds(["cra"]))
print("car and dog, getImgIds:", labels.getImgIds(catIds=both))
print("car and dog, pictures of getAnnIds:", sorted(either))
print("cra, getImgIds:", sorted(unknown))
assert labels.getImgIds(catIds=both) == [3] and either == {1, 2, 3}
assert sorted(unknown) == [1, 2, 3, 4]
PY
"$folder/venv/bin/python" "$folder/show.py"
