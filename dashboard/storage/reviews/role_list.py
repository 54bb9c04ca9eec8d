"""The role of each person, from the file that `DASHBOARD_ROLES` names:

    claim = "groups"                       # of the login, where names or groups may stand in it
    admin = ["root@example.org"]
    curator = ["search-leads"]
    reviewer = ["*@example.org"]

The highest role counts; who is in none of the lists may look (viewer), or has no right where the
file has a list of viewers.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dashboard.storage.reviews.rights import ROLES, Actor
from dashboard.tables import DataError

FILE = "DASHBOARD_ROLES"
_GIVEN = ROLES[1:]


@dataclass(frozen=True)
class RoleList:
    """Names and patterns of each role, and the claim of a login that is looked at beside a name."""

    people: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    claim: str = ""

    def actor(self, name: str, claims: Mapping[str, Any] | None = None) -> Actor:
        """Who a login vouches for, with the highest role of the name and of the claim."""
        given = (claims or {}).get(self.claim, ()) if self.claim else ()
        also = [given] if isinstance(given, str) else list(given or ())
        names = [each.casefold() for each in (name, *also) if isinstance(each, str)]
        for role in reversed(_GIVEN):
            patterns = [pattern.casefold() for pattern in self.people.get(role, ())]
            if any(fnmatchcase(each, pattern) for each in names for pattern in patterns):
                return Actor(name, role, checked=True)
        usual = "nobody" if "viewer" in self.people else "viewer"
        return Actor(name, usual, checked=True)


def read_roles() -> RoleList:
    """The list of the file; an empty one where none is named.

    Raises DataError for a file that is missing or is no such list.
    """
    named = os.environ.get(FILE, "").strip()
    if not named:
        return RoleList()
    path = Path(named)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(path.name, f"{error}"[:200], "a list of roles (TOML)") from None
    claim = values.pop("claim", "")
    strange = sorted(set(values) - set(_GIVEN))
    if strange:
        raise DataError(path.name, f"the role {strange[0]!r}", f"one of {', '.join(_GIVEN)}")
    lists = [*values.values(), [claim]]
    if not all(isinstance(of, list) and all(isinstance(x, str) for x in of) for of in lists):
        raise DataError(path.name, "a value that is no list of texts", 'admin = ["name"]')
    return RoleList({role: tuple(names) for role, names in values.items()}, claim)
