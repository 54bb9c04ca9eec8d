"""Who acts, and which role that person has; see `storage.reviews.rights`."""

from dashboard.storage.reviews.rights import ANYBODY as ANYBODY
from dashboard.storage.reviews.rights import LINK as LINK
from dashboard.storage.reviews.rights import LOGIN as LOGIN
from dashboard.storage.reviews.rights import PROXY as PROXY
from dashboard.storage.reviews.rights import REVIEW as REVIEW
from dashboard.storage.reviews.rights import Actor as Actor
from dashboard.storage.reviews.rights import acting as acting
from dashboard.storage.reviews.rights import actor as actor
from dashboard.storage.reviews.rights import identify_by as identify_by
from dashboard.storage.reviews.role_list import FILE as FILE
from dashboard.storage.reviews.role_list import RoleList as RoleList
from dashboard.storage.reviews.role_list import read_roles as read_roles

NOBODY = Actor("", "nobody", checked=True)
"""Who has not logged in."""


def signed(name: str) -> str:
    """The name that a review stands under: the login's, where there is one, whatever was typed."""
    who = actor()
    return who.name if who.checked else name
