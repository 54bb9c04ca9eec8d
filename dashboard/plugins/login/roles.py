"""The role of each person, from the file that DASHBOARD_ROLES names."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Findings
from dashboard.storage.settings import read_settings
from dashboard.texts import require_file
from dashboard.views.people import NOBODY, OWNER, READER, REVIEWER, Person

VARIABLE = "DASHBOARD_ROLES"
GIVEN = (OWNER, REVIEWER, READER)
RENAMED = {"admin": OWNER, "curator": OWNER, "viewer": READER}
"""Roles of the first edition, and what they are now."""


def find_role(name: str, claims: Mapping[str, Any], may_match: bool = True) -> Person:
    """Return a person with the highest role of the name and of the claim that the file names.

    Who is in no list is a reader, or nobody where the file has a list of readers. Everybody is a
    reader where no file is named.

    Args:
        name: E-mail address, or what a proxy says.
        claims: What the login service says.
        may_match: Whether the name counts; an address that nobody has verified does not.

    Raises:
        DataError: If the file is missing, or is no list of roles.
    """
    findings: Findings = []
    found = {}
    if named := os.environ.get(VARIABLE, "").strip():
        path = Path(named)
        require_file(path, path.name, f"the roles that {VARIABLE} names")
        keys = {"claim": "", **dict.fromkeys((*GIVEN, *RENAMED), [""])}
        found = read_settings(path, keys, findings)
    for each in findings:
        if each.level == "warning":  # a key that is no role
            do = 'Name people by roles, such as owner = ["*@example.org"].'
            raise DataError(each.file, each.found, each.wanted, do=do)
    more = claims.get(found.pop("claim", "")) or ()
    names = [*([name] if may_match else []), *([more] if isinstance(more, str) else more)]
    folded = [each.casefold() for each in names if isinstance(each, str)]
    people: dict[str, list[str]] = {}
    for key, patterns in found.items():
        people.setdefault(RENAMED.get(key, key), []).extend(map(str.casefold, patterns))
    for role in GIVEN:
        if any(fnmatchcase(each, told) for each in folded for told in people.get(role, ())):
            return Person(name, role, is_verified=True)
    return Person(name, NOBODY if READER in people else READER, is_verified=True)
