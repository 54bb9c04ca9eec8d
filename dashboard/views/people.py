"""People who look at pages and send requests, and their roles."""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.plugins import load_all
from dashboard.views.address import draw_text

NOBODY, READER, REVIEWER, OWNER = ROLES = ("nobody", "reader", "reviewer", "owner")
"""From no right to all: who may not look, who may, who may also judge, who may also make lists and
decide."""


class Person(NamedTuple):
    """A person who acts.

    Attributes:
        name: "" for a person whom nothing names.
        role: One of ROLES.
        is_verified: Whether a login vouches for the name, so that no other can be used.
        why: Why the role is a lower one, as a sentence for the person.
    """

    name: str = ""
    role: str = OWNER
    is_verified: bool = False
    why: str = ""

    def explain_lack(self, role: str) -> str:
        """Return why the person may not do what a role may, as a sentence; "" if they may."""
        if ROLES.index(self.role) >= ROLES.index(role):
            return ""
        name = f"{self.name} is" if self.name else "You are"
        return self.why or f"{name} {self.role}; this needs the role {role}. Ask an owner."

    def require(self, role: str) -> None:
        """Check that the person may do what a role may.

        Raises:
            ChoiceError: If not, as a sentence for the person.
        """
        if why := self.explain_lack(role):
            raise ChoiceError(why)


def find_person(headers: Mapping[str, str]) -> Person:
    """Return who has sent the headers of a request; anybody may do all where no login is set up."""
    found = [login.find_person(headers) for login in load_all("login")]
    return min(found, key=lambda each: ROLES.index(each.role), default=Person())


def draw_login(person: Person) -> None:
    """Draw the page of somebody who may not look: log in, or why a login is not enough."""
    if not person.name and not person.why:
        st.info("Log in to see this page.")
        st.button("Log in", on_click=st.login, type="primary")
        return
    draw_text("error", person.why or f"{person.name} has no role here. Ask an owner.")
    if st.user.get("is_logged_in"):
        st.button("Log out", on_click=st.logout)


def find_reader() -> Person:
    """Return who looks at the page that is drawn."""
    return find_person(st.context.headers)
