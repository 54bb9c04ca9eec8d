"""The collection's files: what `build.py` writes into data/driving besides films and vectors."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from driving.labelling.clips import Clip
from driving.labelling.labels import DEFAULT_GROUPS, GROUPS
from driving.texts.captions import caption
from driving.texts.queries import Query
from driving.texts.vocabulary import vocabulary_toml

SECONDS = 4.0

COLLECTION = """\
# Made by build/build.py.
first = true
title = "Simulated driving clips"
about = \"\"\"{clips} dashcam clips of four seconds, simulated with Eclipse SUMO and drawn by our \\
own renderer. Nobody annotated them: the keywords are derived from the simulator's state.\"\"\"
licence = "MIT"
attribution = \"\"\"Traffic simulated with Eclipse SUMO {sumo}; maps, meshes and renderer are our \\
own. Uploads are seen by EfficientNet-Lite0 (Apache-2.0), see networks/ATTRIBUTION.md.\"\"\"
protocols = ["alfa", "context"]
groups = [{groups}]
default_groups = [{default_groups}]
cutoffs = [1, 3, 5]
media_root = "media"
posters_root = "posters"
mapping_threshold = 0.6
default_baseline = "v0.2"
default_candidate = "v0.3"
"""


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as CSV text with plain line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def items_csv(clips: Sequence[Clip]) -> str:
    """One row an item, in the order of the gallery."""
    return table(
        ("item_id", "file", "poster", "kind", "caption", "duration", "scene"),
        [
            (
                c.item_id,
                f"{c.item_id}.mp4",
                f"{c.item_id}.webp",
                "video",
                caption(c),
                f"{SECONDS:.1f}",
                c.scene,
            )
            for c in clips
        ],
    )


def annotation_csv(clips: Sequence[Clip]) -> str:
    """The keywords of each clip, several in a cell separated by a comma and a space."""
    rows = []
    for clip in clips:
        words = clip.keywords()
        rows.append((clip.item_id, *(", ".join(words[group]) for group in GROUPS)))
    return table(("slice_id", *GROUPS), rows)


def queries_csv(queries: Sequence[Query], clips: Sequence[Clip]) -> str:
    """The text queries, then every clip as a query."""
    rows = [(q.query_id, q.text, "", "", q.known_keywords()) for q in queries]
    rows += [(f"item_{c.item_id}", "", c.item_id, c.scene, "") for c in clips]
    return table(("query_id", "text", "item_id", "scene", "known_keywords"), rows)


def write_files(clips: Sequence[Clip], queries: Sequence[Query], sumo: str, folder: Path) -> None:
    """Write every text file of the collection."""
    groups, default_groups = (
        ", ".join(f'"{group}"' for group in some) for some in (GROUPS, DEFAULT_GROUPS)
    )
    used = {pair for clip in clips for pair in clip.pairs()}
    texts = {
        "collection.toml": COLLECTION.format(
            clips=len(clips), sumo=sumo, groups=groups, default_groups=default_groups
        ),
        "items.csv": items_csv(clips),
        "unified_annotation.csv": annotation_csv(clips),
        "queries.csv": queries_csv(queries, clips),
        "vocabulary.toml": vocabulary_toml(used),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
