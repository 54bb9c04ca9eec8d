"""OpenMoji's drawings with what people wrote about them: names, keywords, tags and shortcodes."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = {
    "openmoji": ("17.0.0", "55ee7d13485dec86e9f38c1f3a645a13382d33ff97c0cd845ee824b0aef45e68"),
    "emojibase-data": (
        "17.0.0",
        "d01d0e2ca4e22cb402679532155342c71e2e871f25c32223c013b8b166ebdf5a",
    ),
}
"""npm package → version and sha256 of its archive."""
GROUPS = (
    "smileys-emotion",
    "people-body",
    "animals-nature",
    "food-drink",
    "travel-places",
    "activities",
    "objects",
)
"""Symbols, flags and OpenMoji's own extras are left out: they are signs rather than pictures."""
VENDORS = ("github", "joypixels", "iamcal")
ROLES = ("person-role", "person-activity", "person-sport")
TONE = re.compile(r"[:,]? *(medium-light|medium-dark|light|medium|dark) skin tone")
PERSON = re.compile(r"\b(wo)?(man|men|person|people|boy|girl|child)\b(?: in a| with|:)?")


@dataclass(frozen=True)
class Drawing:
    """One drawing: where it belongs, who drew it, and what five sources say about it."""

    hexcode: str
    name: str
    group: str
    subgroup: str
    tone: str
    author: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    shortcodes: tuple[str, ...]

    @property
    def family(self) -> str:
        """The name without gender, age and skin tone: variants of one drawing share it.

        >>> Drawing("1", "woman cook: dark skin tone", "", "", "dark", "", (), (), ()).family
        'cook'
        """
        plain = PERSON.sub(" ", TONE.sub("", self.name).lower())
        return " ".join(re.findall(r"[\w-]+", plain)) or self.name


def fetch(folder: Path) -> None:
    """Fetch and unpack the npm packages. Raises ValueError where an archive is another one."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (version, expected) in PACKAGES.items():
        archive = folder / f"{name}-{version}.tgz"
        if not archive.exists():
            subprocess.run(["npm", "pack", f"{name}@{version}"], cwd=folder, check=True)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != expected:
            raise ValueError(f"{archive.name} has the sha256 {found}, not {expected}")
        with tarfile.open(archive) as packed:
            packed.extractall(folder / name, filter="data")


def svg_file(packages: Path, hexcode: str) -> Path:
    """A drawing's SVG file."""
    return packages / "openmoji" / "package" / "color" / "svg" / f"{hexcode}.svg"


def read_drawings(packages: Path) -> list[Drawing]:
    """The drawings of seven groups without skin tones, and people's roles in all six."""
    english = packages / "emojibase-data" / "package" / "en"
    rows = _json(packages / "openmoji" / "package" / "data" / "openmoji.json")
    known = {row["hexcode"]: row for row in _json(english / "data.json")}
    codes = [_json(english / "shortcodes" / f"{vendor}.json") for vendor in VENDORS]
    return [
        _drawing(row, known.get(row["hexcode"], {}), codes)
        for row in rows
        if _is_plain(row, known) or _is_role(row)
    ]


def _drawing(row: dict[str, Any], known: dict[str, Any], codes: list[dict[str, Any]]) -> Drawing:
    tone = TONE.search(row["annotation"])
    shortcodes = [words for vendor in codes for words in _listed(vendor.get(row["hexcode"]))]
    return Drawing(
        hexcode=row["hexcode"],
        name=row["annotation"],
        group=row["group"],
        subgroup=row["subgroups"],
        tone=tone[1] if tone else "",
        author=row["openmoji_author"],
        keywords=distinct(known.get("tags", [])),
        tags=distinct(row["openmoji_tags"].split(",")),
        shortcodes=distinct(re.sub("[_-]", " ", code) for code in shortcodes),
    )


def _is_plain(row: dict[str, Any], known: dict[str, Any]) -> bool:
    return row["group"] in GROUPS and not row["skintone"] and row["hexcode"] in known


def _is_role(row: dict[str, Any]) -> bool:
    one = row["skintone_combination"] in ("", "single")
    return one and row["subgroups"] in ROLES and row["annotation"].startswith(("man", "woman"))


def distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Words in lower case, without blanks around them, each once, in order.

    >>> distinct([" Red", "red", "", "apple "])
    ('red', 'apple')
    """
    return tuple(dict.fromkeys(word.strip().lower() for word in words if word.strip()))


def _listed(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
