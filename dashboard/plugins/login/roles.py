"""The role of each person, from the file that DASHBOARD_ROLES names."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.errors import DataError
from dashboard.storage.settings import read_toml
from dashboard.tables import Names
from dashboard.texts import require_file
from dashboard.views.people import NOBODY, OWNER, READER, REVIEWER, Person

VARIABLE = "DASHBOARD_ROLES"
GIVEN = (OWNER, REVIEWER, READER)
RENAMED = {"admin": OWNER, "curator": OWNER, "viewer": READER}
"""Roles of the first edition, and what they are now."""


class RoleList(NamedTuple):
    """Names and patterns of each role.

    Attributes:
        people: Such as `{"reviewer": ["*@example.org"]}`.
        claim: Claim of a login whose values count beside the name, such as groups.
    """

    people: Mapping[str, Names]
    claim: str

    def find_person(self, name: str, claims: Mapping[str, Any], may_match: bool = True) -> Person:
        """Return a person with the highest role of the name and of the claim.

        Who is in no list is a reader, or nobody where the file has a list of readers.

        Args:
            name: E-mail address, or what a proxy says.
            claims: What the login service says.
            may_match: Whether the name counts; an address that nobody has verified does not.
        """
        more = claims.get(self.claim) or ()
        names = [*([name] if may_match else []), *([more] if isinstance(more, str) else more)]
        folded = [each.casefold() for each in names if isinstance(each, str)]
        for role in GIVEN:
            patterns = [pattern.casefold() for pattern in self.people.get(role, ())]
            if any(fnmatchcase(each, pattern) for each in folded for pattern in patterns):
                return Person(name, role, is_verified=True)
        return Person(name, NOBODY if READER in self.people else READER, is_verified=True)


def read_roles() -> RoleList:
    """Return the roles of the file; none where no file is named.

    Raises:
        DataError: If the file is missing, or is no list of roles.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return RoleList({}, "")
    path = Path(named)
    require_file(path, path.name, f"the roles that {VARIABLE} names")
    people: dict[str, list[str]] = {}
    claim = ""
    for key, value in read_toml(path, path.name).items():
        role = RENAMED.get(key, key)
        if key == "claim" and isinstance(value, str):
            claim = value
        elif role not in GIVEN:
            raise DataError(path.name, f"the key {key!r}", f"claim, {', '.join(GIVEN)}")
        elif not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise DataError(
                path.name,
                f"{key} = {str(value)[:80]!r}",
                f'a list of names, such as {key} = ["*@example.org"]',
            )
        else:
            people.setdefault(role, []).extend(value)
    return RoleList(people, claim)
