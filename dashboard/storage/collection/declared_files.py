"""The files of a collection in the order in which one makes them: what each is for, the columns
that its reader declares, and a small example. The examples together are a whole collection."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.tables import (
    ITEMS,
    LISTS,
    QRELS,
    QUERIES,
    QUERY_KEYWORDS,
    RELEVANCE,
    RUN,
    Kind,
    Table,
)


@dataclass(frozen=True)
class DeclaredFile:
    """A file of a collection.

    name: as it is in the folder. needed: when it must be there. table: what its reader checks;
    absent: columns of the table that stand in no file. meant: further columns that have a meaning.
    example: its whole content; of a `.npy` file the lines of Python that write it.
    """

    name: str
    what: str
    needed: str
    example: str
    table: Table | None = None
    absent: tuple[str, ...] = ()
    meant: str = ""

    @property
    def short(self) -> str:
        """The first lines of the example in one line."""
        return " ⏎ ".join(self.example.splitlines()[:2])

    def columns(self) -> list[tuple[str, Kind, bool, bool]]:
        """Each declared column: its name, its kind, whether it must be there, whether it is a part
        of what makes a row unique."""
        if self.table is None:
            return []
        return [
            (column, kind, column not in self.table.optional, column in self.table.key)
            for column, kind in self.table.columns.items()
            if column not in self.absent
        ]


FILES = (
    DeclaredFile(
        "collection.toml",
        "settings, all of them optional",
        "always; it may be empty",
        'title = "Two cars"\ndefault_groups = ["pv_object_type"]\n',
    ),
    DeclaredFile(
        "items.csv",
        "what can be found",
        "unless the annotation, lists, judgements or runs name the items",
        "item_id,file,kind,caption\na,a.jpg,image,a red car\nb,b.jpg,image,a tram\n",
        ITEMS,
        meant="`span_start` and `span_end` (seconds) name a part of a video, `cut_beforehand` (yes "
        "or no) says whether the file is that part already, `side` is the part of the items that "
        "some queries search, and `labels` judges under `hashing`",
    ),
    DeclaredFile(
        "unified_annotation.csv",
        "the keywords of each item, a column for each group",
        "under `alfa`, and under `context` without judgements",
        'slice_id,pv_object_type,pv_scene_type\na,car,"urban, rainy"\nb,tram,urban\n',
    ),
    DeclaredFile(
        "queries.csv",
        "what is searched for: a text, an item or a picture",
        "unless lists, judgements or runs name the queries",
        "query_id,text,item_id\nq1,car,\nq2,,a\n",
        QUERIES,
        meant="`among` names the side that a query searches, `scene` marks queries that are drawn "
        "together for intervals, and `labels` judges under `hashing`; any other divides the "
        "queries into slices",
    ),
    DeclaredFile(
        "query_keywords.csv",
        "the keywords that the words of each query mean; `keywords --write` makes it",
        "under `alfa`, for text queries",
        "query_id,ngram,group,keyword,score\nq1,car,pv_object_type,car,1.0\n",
        QUERY_KEYWORDS,
        ("kept",),
    ),
    DeclaredFile(
        "qrels.csv",
        "judgements: how relevant an item is to a query",
        "under `trec` and `crossmodal`, unless `relevance.csv` is there; under `composed`; under "
        "`hashing`, unless items and queries have `labels`; under `context` without keywords",
        "query_id,item_id,grade\nq1,a,1\n",
        QRELS,
    ),
    DeclaredFile(
        "models/v1/items.npy",
        "the vectors of the items: float32, float16 or float64 (int8: hash codes, or quantised "
        "vectors), a row for each id in `items.txt` beside it; `queries.npy` likewise, of the same "
        "width",
        "for each version with vectors",
        'import numpy as np\n\nnp.save("models/v1/items.npy", np.eye(2, dtype="float32"))\n',
    ),
    DeclaredFile(
        "models/v1/items.txt",
        "ids of the vectors in `items.npy` beside it, one a line; `queries.txt` likewise",
        "for each version with vectors",
        "a\nb\n",
    ),
    DeclaredFile(
        "models/v1/model.toml",
        "settings of a version, all of them optional",
        "never",
        'note = "the first training"\n',
    ),
    DeclaredFile(
        "runs/v2.csv",
        "ranked results of a version without vectors",
        "for each version without vectors",
        "query_id,item_id,score\nq1,a,0.9\nq1,b,0.2\nq2,b,0.5\n",
        RUN,
        ("rank",),
    ),
    DeclaredFile(
        "runs/v2.json",
        "how a search service was asked for `v2`, how long it took, and why queries have no "
        "answer; `run` writes it",
        "never",
        '{"search": "http://127.0.0.1:9200/clips/_search", "fingerprint": "", '
        '"date": "2026-11-23", "note": "",\n "depth": 2, "queries": 2, "answered": 2, '
        '"p50_ms": 3.1, "p95_ms": 4.2, "not_run": {}}\n',
    ),
    DeclaredFile(
        "runs/v3.npy",
        "a matrix of similarities, pictures × texts, of a version without vectors; `v3.rows.txt` "
        "and `v3.columns.txt` beside it hold their ids, else they are in the order of `items.csv`",
        "for each version without vectors; it is read under `crossmodal`",
        'import numpy as np\n\nnp.save("runs/v3.npy", np.array([[0.9, 0.2], [0.1, 0.8]]))\n',
    ),
    DeclaredFile(
        "lists.csv",
        "lists that people saw; `context` shows them",
        "where `satisfaction.csv` is compared with metrics",
        "list_id,query_id,row,column,item_id\nl1,q1,1,1,a\nl1,q1,1,2,b\n",
        LISTS,
    ),
    DeclaredFile(
        "relevance.csv",
        "the answers of each worker; their means make `qrels.csv` unnecessary",
        "beside `lists.csv`, unless `qrels.csv` is there",
        "query_id,item_id,worker,relevance\nq1,a,w1,90\nq1,b,w1,10\n",
        RELEVANCE,
    ),
    DeclaredFile(
        "satisfaction.csv",
        "how content each participant was with a list",
        "never",
        "list_id,participant,satisfaction\nl1,p1,4\n",
    ),
    DeclaredFile(
        "vocabulary.toml",
        "each keyword with its group and other words for it",
        "never",
        '[[keyword]]\nkeyword = "car"\ngroup = "pv_object_type"\nother_words = ["vehicle"]\n',
    ),
)
_PLACES = {each.name.partition("/")[0].partition(".")[0]: n for n, each in enumerate(FILES)}


def place_of(file: str) -> int:
    """The place of a file in the order in which one makes them; unknown ones stand last.

    >>> place_of("collection.toml"), place_of("items.parquet"), place_of("models/v3/queries.npy")
    (0, 1, 8)
    """
    return _PLACES.get(file.partition("/")[0].partition(".")[0], len(FILES))


def wanted_of(name: str) -> str:
    """What a file is for, with an example of its content."""
    return next(f"{each.what}, {example_of(name)}" for each in FILES if each.name == name)


def example_of(name: str) -> str:
    """An example of the content of a file, to stand behind what is wanted."""
    return next(f"for example: {each.short}" for each in FILES if each.name == name)
