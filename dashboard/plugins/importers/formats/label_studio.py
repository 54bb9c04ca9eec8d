"""Label Studio's full JSON, and FiftyOne's samples.json: choices and labels of each picture."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from dashboard.errors import count_odd
from dashboard.plugins.importers.formats.media_folder import make_labelled
from dashboard.plugins.importers.pieces import Format, Piece, read_each, take_list
from dashboard.plugins.importers.source import UPLOAD, Source
from dashboard.storage.media import EXTENSION


def recognise(source: Source) -> list[str]:
    """Return JSON files of tasks with annotations, and samples.json."""
    return source.list_keyed("annotations result data", "samples filepath")


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    if isinstance(found, dict):
        yield from _list_samples(name, take_list(found, "samples", name))
        return
    answers: list[tuple[str, list[str]]] = []
    odd = 0
    for task in found if isinstance(found, list) else []:
        data = task.get("data") if isinstance(task, dict) else None
        file = _find_file(data) if isinstance(data, dict) else ""
        if not file:
            odd += 1
            continue
        told = [each for each in task.get("annotations") or [] if not _is_skipped(each)]
        answers += [(file, sorted({*_list_choices(each)})) for each in told] or [(file, [])]
    yield from count_odd(name, odd, "tasks without a picture", "one; left out")
    yield make_labelled(name, answers)


def _is_skipped(annotation: Any) -> bool:
    return not isinstance(annotation, dict) or bool(annotation.get("was_cancelled"))


def _find_file(data: dict[str, Any]) -> str:
    """Return the file of a task, without the prefix that uploads have."""
    values = [value for value in data.values() if isinstance(value, str)]
    texts = [value.partition("?d=")[2] or value for value in values]
    return UPLOAD.sub("", next((text for text in texts if EXTENSION.search(text)), ""))


def _list_choices(annotation: dict[str, Any]) -> list[str]:
    """Return the choices and labels of an annotation."""
    values = [each.get("value", {}) for each in annotation.get("result") or []]
    lists = [
        own
        for value in values
        for key, own in value.items()
        if isinstance(own, list) and (key in ("choices", "taxonomy") or key.endswith("labels"))
    ]
    paths = [each[-1:] if isinstance(each, list) else [each] for own in lists for each in own]
    return [each for path in paths for each in path if isinstance(each, str)]


def _list_samples(name: str, samples: Sequence[Any]) -> Iterator[Piece]:
    """Yield FiftyOne's samples with the field of labels that most have; tags never are one."""
    fields = Counter(key for each in samples for key, value in each.items() if _list_field(value))
    spans = sum(1 for each in samples if '"support"' in json.dumps(each, default=str))
    wanted = "labels of whole clips; the spans are left out, the labels kept"
    yield from count_odd(name, spans, "clips with labels of a part", wanted)
    for column, _ in fields.most_common():
        pairs = ((str(each["filepath"]), _list_field(each.get(column))) for each in samples)
        yield make_labelled(name, pairs, column)


def _list_field(value: Any) -> list[str]:
    """Return the labels of a field: a Classification, Classifications or Detections."""
    if not isinstance(value, dict):
        return []
    lists = [each for each in value.values() if isinstance(each, list)]
    parts = [value, *(each for own in lists for each in own if isinstance(each, dict))]
    return [each["label"] for each in parts if isinstance(each.get("label"), str)]


FORMAT = Format(
    "Label Studio, FiftyOne",
    "full JSON exports, samples.json",
    recognise,
    partial(read_each, _read_file),
)
