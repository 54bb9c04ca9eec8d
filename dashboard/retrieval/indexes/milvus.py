"""A version's vectors in a collection of a Milvus server: searching them there, and putting them
there.

A row is the place of an item in the version's gallery, the number of its side, and its vector. Only
an address that the operator lists in DASHBOARD_MILVUS is ever called, for whoever wrote a
`model.toml` is not trusted. Whatever the server answers is checked: the width, the metric, the
index, how many rows there are, also of the side that is searched, and that a sample of them are
this version's.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.progress import parts
from dashboard.retrieval.gallery import gallery_of
from dashboard.storage.collection.sides import sides
from dashboard.storage.versions.index_settings import DEEPEST, IndexSettings
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
SECONDS = 10.0
"""How long the dashboard waits for one answer of a server."""
COPIED = 4_096
"""Rows that are sent at a time at most; 4 MB of 256 numbers each."""
SENT = 16 << 20
"""Bytes of vectors that are sent or read back at a time at most: servers refuse 64 MB."""
ASKED = 256
"""Queries that are sent at a time."""
SAMPLE = 16
"""Rows, evenly over the gallery, that must hold this version's vectors."""
SAME = 1e-5
USUAL = "Bounded"
METRICS = ("IP", "COSINE")
"""The metrics that order unit vectors as their cosine does."""
KINDS = {"exact": "FLAT", "hnsw": "HNSW", "ivf": "IVF_FLAT"}
BUILT_WITH = {"M": "M", "ef_construction": "efConstruction", "nlist": "nlist"}
_PASSWORD = re.compile(r"//[^/]*@")
"""A name and a password in an address."""
RELOAD = "Start it or wait for it, then reload."
RESUME = "Start it or wait for it, then type the same call: it sends the rows that are missing."
ALONE = "End the other one; a Milvus server answers several."
INSTALL = 'Type: pip install "pymilvus>=3.0.2,<3.1"'


@dataclass(frozen=True, eq=False)
class MilvusIndex:
    """The index of a version on a server. What building it took and its bytes are not known."""

    model: Model
    settings: IndexSettings
    sides: Places
    seconds: None = None
    size: None = None

    def nearest(self, queries: Floats, reach: int, rows: Places | None) -> Places:
        """The rows of `reach` items near to each query, -1 where there are fewer.

        Raises DataError where the server does not answer, or holds something else.
        """
        reach, only = min(reach, DEEPEST), self._filter(rows)
        places = np.full((len(queries), reach), -1)
        with server(self.settings.server, self.name) as client:
            check_rows(client, self)
            if rows is not None:
                check_side(client, self, only, len(rows))
            for start in parts("searching the server", range(0, len(queries), ASKED)):
                some = queries[start : start + ASKED]
                found = client.search(
                    self.collection,
                    data=some.tolist(),
                    anns_field="vector",
                    limit=reach,
                    filter=only,
                    output_fields=["place"],
                    search_params={"params": self._parameters(reach)},
                    timeout=SECONDS,
                )
                for row, hits in enumerate(found, start=start):
                    places[row, : len(hits)] = [hit["entity"]["place"] for hit in hits]
        found = places[places >= 0]
        if found.max(initial=-1) >= len(self.model.items.ids):
            raise DataError(self.name, "rows of other items", "this version's", cure=self.cure)
        if rows is not None and not np.isin(found, rows).all():
            raise DataError(self.name, "items of another side", "those asked for", cure=self.cure)
        return places

    @property
    def collection(self) -> str:
        """The name of the collection on the server."""
        folder = self.model.folder.parent.parent.name
        default = re.sub(r"\W", "_", f"c_{folder}_{self.model.name}", flags=re.ASCII)
        return self.settings.collection or default

    @property
    def name(self) -> str:
        """How an error calls it."""
        return f"{_PASSWORD.sub('//…@', self.settings.server)}, collection {self.collection}"

    @property
    def cure(self) -> str:
        """What to type so that the server has the version's vectors and its index."""
        folder, name = self.model.folder.parent.parent.name, self.model.name
        return (
            f"Type: python -m dashboard index {folder} --version {name} --to {self.settings.server}"
        )

    @property
    def built_with(self) -> dict[str, int]:
        """The parameters that the server builds the index with, by its names of them."""
        numbers = dict(self.settings.parameters)
        if self.settings.kind == "ivf":
            numbers.setdefault("nlist", max(1, isqrt(len(self.model.items.ids))))
        return {BUILT_WITH[key]: number for key, number in numbers.items() if key in BUILT_WITH}

    def _parameters(self, reach: int) -> dict[str, int]:
        numbers = dict(self.settings.parameters)
        if self.settings.kind == "hnsw":
            return {"ef": max(numbers["ef_search"], reach)}
        return {"nprobe": numbers["nprobe"]} if self.settings.kind == "ivf" else {}

    def _filter(self, rows: Places | None) -> str:
        """A filter that keeps these rows: whole sides of the gallery, by their numbers."""
        if rows is None:
            return ""
        numbers = np.unique(self.sides[rows])
        if np.isin(self.sides, numbers).sum() != len(rows):
            raise ValueError("a server filters by whole sides of the gallery")
        return f"side in [{', '.join(map(str, numbers.tolist()))}]"


def index_of(model: Model, settings: IndexSettings, items: pd.DataFrame) -> MilvusIndex:
    """The index of a version on the server that its settings name; it is not called yet."""
    return MilvusIndex(model, settings, numbers_of_sides(model, items))


def numbers_of_sides(model: Model, items: pd.DataFrame) -> Places:
    """The number of the side of each item of a version, in the order of the sides' names."""
    side_of = sides(items)
    names = pd.Series([side_of.get(item, "") for item in model.items.ids], dtype="str")
    return np.asarray(pd.factorize(names, sort=True)[0], dtype=np.int64)


def allowed() -> list[str]:
    """The addresses that the operator lists."""
    return os.environ.get("DASHBOARD_MILVUS", "").split()


@contextmanager
def server(address: str, name: str, *, given: bool = False) -> Iterator[Any]:
    """A client of a server; what goes wrong with it is a DataError.

    given: the operator named the address in this very call, a copy that can be resumed. The token
    is that of DASHBOARD_MILVUS_TOKEN, and the authority of an https:// address that of
    DASHBOARD_MILVUS_CA.
    """
    if _PASSWORD.search(address):
        cure = "Remove it there; start the dashboard with DASHBOARD_MILVUS_TOKEN=user:password."
        raise DataError(name, "a password in the address", "it in the environment", cure=cure)
    if not given and address not in allowed():
        cure = f'Start the dashboard with DASHBOARD_MILVUS="{address[:200]}".'
        raise DataError(
            name, "an address that nobody allowed", "one of DASHBOARD_MILVUS", cure=cure
        )
    try:
        from pymilvus import MilvusClient
    except ImportError as error:
        raise DataError(name, "no Python package pymilvus", "it", cure=INSTALL) from error
    for library in ("pymilvus", "milvus_lite"):  # their errors become sentences here
        logging.getLogger(library).setLevel(logging.CRITICAL)
    authority = os.environ.get("DASHBOARD_MILVUS_CA", "")
    if authority and not Path(authority).is_file():
        raise DataError(name, "no such file", "the certificate that DASHBOARD_MILVUS_CA names")
    try:
        yield _client(MilvusClient, address)
    except DataError:
        raise
    except Exception as error:  # of grpc, pymilvus and milvus-lite, which have no common kind
        forget_clients(address)
        raise _refusal(name, error, address, RESUME if given else RELOAD) from error


_clients: dict[tuple[str, str], Any] = {}
_one_at_a_time = threading.Lock()


def _client(make: Callable[..., Any], address: str) -> Any:
    """The open client of an address, or a new one: a connection serves all sessions."""
    token = os.environ.get("DASHBOARD_MILVUS_TOKEN", "")
    authority = os.environ.get("DASHBOARD_MILVUS_CA", "")
    with _one_at_a_time:
        if (address, token) not in _clients:
            own = authority and address.startswith("https://")
            secured = {"secure": True, "server_pem_path": authority} if own else {}
            _clients[address, token] = make(address, token=token, timeout=SECONDS, **secured)
        return _clients[address, token]


def forget_clients(address: str) -> None:
    """Forgets the connections to an address, so that the next call makes one anew."""
    with _one_at_a_time:
        for key in [key for key in _clients if key[0] == address]:
            with suppress(Exception):
                _clients[key].close()
            del _clients[key]


def _refusal(name: str, error: BaseException, address: str, cure: str) -> DataError:
    """The sentence of a call that failed, without the library's marks."""
    text = re.sub(r"\s+", " ", str(getattr(error, "message", "") or error)).strip()
    low, wanted = text.lower(), "an answer of the server"
    if "unauthenticated" in f"{low} {error.__cause__}".lower():
        wanted = "the token of this server in DASHBOARD_MILVUS_TOKEN"
        cure = "Start the dashboard with it."
        return DataError(name, "a server that refuses the token", wanted, cure=cure)
    if low == "open local milvus failed":
        found = "a file of milvus-lite that does not open, for another process may have it open"
        return DataError(name, found, "one process at a time", cure=ALONE)
    if "deadline" in low or "timeout" in low or "timed out" in low:
        found = f"no answer within {SECONDS:g} seconds"
    elif "unavailable" in low or "connect" in low:
        found = "no server that answers"
        if address.startswith("https://"):
            cure += " DASHBOARD_MILVUS_CA names the certificate of a private authority."
    else:
        token = os.environ.get("DASHBOARD_MILVUS_TOKEN", "")
        found = f"an error ({(text.replace(token, '…') if token else text)[:200]})"
    return DataError(name, found, wanted, cure=cure)


def check_rows(client: Any, index: MilvusIndex, level: str = USUAL) -> None:
    """Raise DataError where a collection does not hold exactly a version's vectors, or another
    index than that of its settings."""
    where, cure = index.collection, index.cure
    if not client.has_collection(where, timeout=SECONDS):
        raise DataError(index.name, "no such collection", "the vectors of the items", cure=cure)
    states = indexes_there(client, where)
    check_form(client, index, states)
    for state in states:
        check_index(index, state)
    if client.get_load_state(where, timeout=SECONDS)["state"].name == "NotLoad":
        client.load_collection(where, timeout=SECONDS)  # milvus-lite loads none when it starts
    rows, wanted = count(client, where, level=level), len(index.model.items.ids)
    if rows != wanted:
        cure += " --replace" * (rows > wanted)
        raise DataError(index.name, f"{rows:,} rows", f"{wanted:,}, one for each item", cure=cure)
    places = np.unique(np.linspace(0, wanted - 1, SAMPLE).astype(np.int64))
    wrong = different(client, index, places, level)
    if (wrong == "side").any():
        found, version = "items of another side", index.model.name
        raise DataError(index.name, found, f"the sides of the items of {version}", cure=cure)
    if (wrong != "").any():
        wanted_here = f"those of {index.model.name}"
        raise DataError(index.name, "vectors of another version", wanted_here, cure=cure)


def check_form(client: Any, index: MilvusIndex, states: Sequence[Mapping[str, Any]]) -> None:
    """Raise DataError for a collection of another form, width or metric; states: its indexes."""
    where, cure, width = index.collection, f"{index.cure} --replace", index.model.dimension
    fields = {f["name"]: f for f in client.describe_collection(where, timeout=SECONDS)["fields"]}
    missing = [field for field in ("place", "side", "vector") if field not in fields]
    if missing:
        raise DataError(index.name, f"no field {missing[0]}", "place, side, vector", cure=cure)
    there = int(fields["vector"]["params"].get("dim", 0))
    if there != width:
        raise DataError(index.name, f"vectors of {there} numbers", f"{width}", cure=cure)
    for state in states:
        metric = state.get("metric_type")
        if metric not in METRICS:
            wanted = f"{' or '.join(METRICS)}, which order unit vectors by their cosine"
            raise DataError(index.name, f"the metric {metric}", wanted, cure=cure)


def check_index(index: MilvusIndex, state: Mapping[str, Any]) -> None:
    """Raise DataError for an index of another kind, or built with other parameters, as far as the
    server tells them: milvus-lite tells the kind alone."""
    wanted = {"index_type": KINDS[index.settings.kind], **index.built_with}
    others = {
        key: state[key] for key in wanted if str(state.get(key, wanted[key])) != str(wanted[key])
    }
    if others:
        found, asked = (
            ", ".join(
                str(of[key]) if key == "index_type" else f"{key} = {of[key]}" for key in others
            )
            for of in (others, wanted)
        )
        raise DataError(
            index.name, f"the index {found}", f"{asked}, by model.toml", cure=index.cure
        )


def check_side(client: Any, index: MilvusIndex, only: str, wanted: int) -> None:
    """Raise DataError where a filter keeps another number of rows than the items of a side."""
    rows = count(client, index.collection, only)
    if rows != wanted:
        asked = f"{wanted:,}, the items of that side"
        raise DataError(index.name, f"{rows:,} rows of a side", asked, cure=index.cure)


def indexes_there(client: Any, where: str) -> list[dict[str, Any]]:
    """What a server tells of each index of a collection."""
    names = client.list_indexes(where, timeout=SECONDS)
    return [client.describe_index(where, name, timeout=SECONDS) for name in names]


def count(client: Any, where: str, only: str = "", level: str = USUAL) -> int:
    """How many rows a collection has, of those that a filter keeps; level: of consistency."""
    rows = client.query(
        where,
        filter=only,
        output_fields=["count(*)"],
        consistency_level=level,
        timeout=SECONDS,
    )
    return int(rows[0]["count(*)"])


def different(
    client: Any, index: MilvusIndex, places: Sequence[int] | Places, level: str = USUAL
) -> npt.NDArray[np.str_]:
    """For each place what is not as it should be there: `missing`, `other`, `side`, or nothing."""
    rows = client.query(
        index.collection,
        filter=f"place in [{', '.join(str(int(place)) for place in places)}]",
        output_fields=["place", "side", "vector"],
        consistency_level=level,
        timeout=SECONDS,
    )
    held = {int(row["place"]): row for row in rows}
    ids = index.model.items.ids
    wanted = gallery_of(index.model).fetch([ids[int(place)] for place in places])
    found = [
        "missing"
        if row is None
        else "other"
        if np.abs(np.asarray(row["vector"], dtype="float32") - vector).max() > SAME
        else "side"
        if int(row["side"]) != index.sides[place]
        else ""
        for place, row, vector in zip(places, map(held.get, map(int, places)), wanted, strict=True)
    ]
    return np.array(found, dtype=np.str_)
