"""How a version is searched: the table `index` of its `model.toml`. Without it, exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.storage.collection import digests
from dashboard.storage.collection.settings import Setting, fits
from dashboard.tables import DataError, Findings, listed

DEEPEST = 16_384
"""Milvus answers no more results of a query, and no more queries at a time."""
EXACT = "exact"
INDEX_SETTINGS = {
    "kind": Setting(EXACT, "exact; or, approximately, hnsw, ivf, and without a server sq8 or pq"),
    "depth": Setting(
        100, f"results of a query, 1 to {DEEPEST:,}; what stands at later ranks is unknown"
    ),
    "server": Setting(
        "", "address of a Milvus server that DASHBOARD_MILVUS lists", "faiss, in the dashboard"
    ),
    "collection": Setting("", "name of the vectors' collection there", "made by `index`"),
    "M": Setting(16, "hnsw: neighbours of an item in the graph, 2 to 2,048"),
    "ef_construction": Setting(200, "hnsw: candidates while the graph is built"),
    "ef_search": Setting(64, "hnsw: candidates of a search, at least its results"),
    "nlist": Setting(0, "ivf: cells", "the square root of the number of items"),
    "nprobe": Setting(8, "ivf: cells that a search looks into"),
    "pq_m": Setting(8, "pq: parts of a vector; they divide its dimension"),
    "pq_bits": Setting(8, "pq: bits of a part, 4 to 12"),
}
OF_KIND = {
    EXACT: (),
    "hnsw": ("M", "ef_construction", "ef_search"),
    "ivf": ("nlist", "nprobe"),
    "sq8": (),
    "pq": ("pq_m", "pq_bits"),
}
"""The kinds of index, with the settings that are theirs."""
OF_SERVERS = (EXACT, "hnsw", "ivf")
"""The kinds that a server has."""
RANGES = {
    "depth": (1, DEEPEST),
    "M": (2, 2_048),
    "ef_construction": (1, 32_768),
    "ef_search": (1, 32_768),
    "nlist": (1, 65_536),
    "nprobe": (1, 65_536),
    "pq_m": (1, 4_096),
    "pq_bits": (4, 12),
}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
"""What Milvus takes for the name of a collection."""


@dataclass(frozen=True)
class IndexSettings:
    """An index of a version's items: its kind and parameters, and how many results it is asked for.

    server: the address of a Milvus server, and the name of the collection there; empty: faiss.
    """

    kind: str
    depth: int
    parameters: tuple[tuple[str, int], ...]
    server: str = ""
    collection: str = ""

    @property
    def is_approximate(self) -> bool:
        """Whether it may miss results."""
        return self.kind != EXACT

    @property
    def digest(self) -> str:
        """A fingerprint of all that results depend on."""
        return digests.of_values(
            self.kind, self.depth, list(map(list, self.parameters)), self.server, self.collection
        )

    def __str__(self) -> str:
        numbers = ", ".join(f"{key} = {number}" for key, number in self.parameters)
        where = " of a Milvus server" if self.server else ""
        return f"{self.kind}{where}{f' ({numbers})' if numbers else ''}"


def read_index(
    table: Mapping[str, Any], path: Path, name: str, findings: Findings
) -> IndexSettings | None:
    """The index by the table `index` of a `model.toml` (`name`); None: exact search here.

    Raises DataError with the line of a value that cannot be used.
    """
    refusing = _Refusing(path, name)
    unknown = [key for key in table if key not in INDEX_SETTINGS]
    if unknown:
        wanted = f"keys among {', '.join(INDEX_SETTINGS)}"
        findings.warning(f"{name} [index]", f"the keys {listed(unknown)}", wanted)
    given = {key: value for key, value in table.items() if key in INDEX_SETTINGS}
    for key, value in given.items():
        refusing.unless_fitting(key, value)
    values = {key: given.get(key, each.default) for key, each in INDEX_SETTINGS.items()}
    kind, server = values["kind"], values["server"]
    known = OF_SERVERS if server else tuple(OF_KIND)
    if kind not in known:
        wanted = f"one of {', '.join(known)}" + " on a server" * bool(server)
        raise refusing.of("kind", kind, wanted, f'Write kind = "{known[1]}".')
    others = {key for of, keys in OF_KIND.items() for key in keys if key not in OF_KIND[kind]}
    for key in given:
        if key in others:
            takes = f"only what kind = {kind!r} takes ({', '.join(OF_KIND[kind]) or 'none'})"
            raise refusing.of(key, given[key], takes, "Remove the line.")
    if values["collection"] and not NAME.fullmatch(values["collection"]):
        wanted = "letters, digits and _, at most 255, no digit first"
        raise refusing.of("collection", values["collection"], wanted, 'Such as "driving_v2".')
    if kind == EXACT and not server:
        return None
    parameters = tuple((key, int(values[key])) for key in OF_KIND[kind] if values[key])
    return IndexSettings(kind, values["depth"], parameters, server, values["collection"])


def check_size(
    settings: IndexSettings, items: int, width: int, codes: bool, path: Path, name: str
) -> None:
    """Raise DataError where a version's vectors cannot have this index.

    items, width: how many vectors there are, and how many numbers one has.
    """
    refusing, values = _Refusing(path, name), dict(settings.parameters)
    if codes:
        found = f"{settings.kind} for hash codes"
        cure = "Remove the table [index]."
        raise refusing.of("kind", found, "no index: hash codes are searched exactly", cure)
    if values.get("nlist", 0) > items:
        wanted = f"at most {items:,}, one for each item"
        cure = "Remove the line: then it is the square root of their number."
        raise refusing.of("nlist", values["nlist"], wanted, cure)
    if settings.kind != "pq":
        return
    if width % values["pq_m"]:
        fitting = [number for number in range(1, 65) if width % number == 0]
        nearest = min(fitting, key=lambda number: abs(number - values["pq_m"]))
        wanted = f"a number that divides the dimension, {width}"
        raise refusing.of("pq_m", values["pq_m"], wanted, f"Write pq_m = {nearest}.")
    if 1 << values["pq_bits"] > items:
        wanted = f"at most {items.bit_length() - 1}: 2 to the power of it items, of {items:,}"
        few = items < 16
        cure = 'Write kind = "exact".' if few else f"Write pq_bits = {items.bit_length() - 1}."
        raise refusing.of("pq_bits", values["pq_bits"], wanted, cure)


@dataclass(frozen=True)
class _Refusing:
    """Says in which line of a `model.toml` a setting of the index stands."""

    path: Path
    name: str

    def of(self, key: str, value: object, wanted: str, cure: str) -> DataError:
        shown = repr(value[:80]) if isinstance(value, str) else str(value)[:80]
        found = f"index.{key} = {shown}"
        return DataError(self.name, found, wanted, line=self._line(key), cure=cure)

    def unless_fitting(self, key: str, value: object) -> None:
        default = INDEX_SETTINGS[key].default
        low, high = RANGES.get(key, (0, 0))
        if not fits(value, default):
            wanted = f"a whole number, {low:,} to {high:,}" if high else "text"
            example = (default or low) if high else '"…"'
            if key == "kind":
                example = f'"{EXACT}"'
            raise self.of(key, value, wanted, f"Write {key} = {example}.")
        if high and isinstance(value, int) and not low <= value <= high:
            nearest = min(max(value, low), high)
            wanted = f"a whole number, {low:,} to {high:,}"
            raise self.of(key, value, wanted, f"Write {key} = {nearest}.")

    def _line(self, key: str) -> int | None:
        """The line of a key in the table `index`, else that of the table."""
        inside, line = False, None
        for number, text in enumerate(self._lines(), start=1):
            header = re.match(r"\s*\[\s*([^\]]*?)\s*\]", text)
            if header:
                inside = header[1].strip("\"'") == "index"
                line = number if inside else line
            elif inside and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", text):
                return number
        return line

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
