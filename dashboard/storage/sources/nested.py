"""Labels of things in a picture as Hugging Face's object detection nests them in a cell:
`objects: {"bbox": [[…]], "categories": [0, 1]}`."""

from __future__ import annotations

import json
from dataclasses import replace

from dashboard.storage.sources.tables import LABEL, SourceTable, cell_of


def unnested(table: SourceTable) -> SourceTable:
    """A table with the labels that objects in a column hold, in place of that column."""
    cells = table.cells
    for column in cells.columns:
        filled = cells[column][cells[column].str.strip() != ""]
        if filled.empty or not filled.str.startswith("{").all():
            continue
        objects = filled.map(_object)
        keys = [key for each in objects for key in each]
        key = next((each for each in keys if each.lower() in LABEL), None)
        if key is None or key in cells.columns:
            continue
        labels = objects.map(lambda each, key=key: _labels(each.get(key)))
        cells = cells.assign(**{key: labels.reindex(cells.index, fill_value="")})
        cells = cells.drop(columns=column)
    return replace(table, cells=cells)


def _object(cell: str) -> dict[str, object]:
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _labels(value: object) -> str:
    """One label, or several without repetition, as a cell."""
    if isinstance(value, list):
        return cell_of(list(dict.fromkeys(str(each) for each in value)))
    return cell_of(value)
