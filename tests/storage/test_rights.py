"""Who may do what with reviews: every function of the store, by every role."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews import assignments, audit, copies, reviews, share_links
from dashboard.storage.reviews.assignments import Assignment
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import (
    DECISION,
    KEYWORD,
    KEYWORD_DECISION,
    RATING,
    VERDICT,
    Review,
)
from dashboard.storage.reviews.rights import LEAST, ROLES, Actor, NotAllowed, acting, actor
from tests.storage.tiny import make_collection

pytestmark = pytest.mark.usefixtures("review_store")
OF_TINY = Assignment(
    collection="tiny", title="A", baseline="v1", candidate="v2", protocol="trec", queries=("q1",)
)

MACHINE = assignments.Machine(
    fingerprint="f", model="m", prompt="p", settings="{}", place="http://x", frames=4
)
OF_LINK = share_links.ShareLink(collection="tiny", key="tiny", role="viewer", until="")


def review(kind: str = VERDICT, author: str = "Ada") -> Review:
    value = {VERDICT: "relevant", RATING: "4", DECISION: "not"}.get(kind, "add")
    return Review(kind, "tiny", value, author, query_id="q1", item_id="i1")


CALLS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "state": ("viewer", lambda folder: reviews.state("tiny", VERDICT)),
    "latest": ("viewer", lambda folder: reviews.latest("tiny", VERDICT)),
    "history": ("viewer", lambda folder: reviews.history("tiny", VERDICT)),
    "newest": ("viewer", lambda folder: reviews.newest()),
    "of_query": ("viewer", lambda folder: reviews.of_query("tiny", "q1")),
    "key_of": ("viewer", lambda folder: key_of(open_collection(folder, allow_path=True))),
    "assignments.named": ("viewer", lambda folder: assignments.named("x")),
    "assignments.of_collection": ("viewer", lambda folder: assignments.of_collection("tiny")),
    "append": ("reviewer", lambda folder: reviews.append(review())),
    "append a rating": ("reviewer", lambda folder: reviews.append(review(RATING))),
    "append a keyword": ("reviewer", lambda folder: reviews.append(review(KEYWORD))),
    "undo": ("reviewer", lambda folder: reviews.undo("tiny", "Ada")),
    "key_of, saying": (
        "reviewer",
        lambda folder: key_of(open_collection(folder, allow_path=True), saying=True),
    ),
    "append a decision": ("curator", lambda folder: reviews.append(review(DECISION))),
    "append a decision on a keyword": (
        "curator",
        lambda folder: reviews.append(review(KEYWORD_DECISION)),
    ),
    "assignments.create": ("curator", lambda folder: assignments.create(OF_TINY, "Ada")),
    "assignments.close": ("curator", lambda folder: assignments.close(OF_TINY, "Ada")),
    "assignments.add_machine": (
        "curator",
        lambda folder: assignments.add_machine(OF_TINY, MACHINE, "Ada"),
    ),
    "share_links.create": ("curator", lambda folder: share_links.create(OF_LINK, "Ada")),
    "share_links.revoke": ("curator", lambda folder: share_links.revoke("x", "Ada")),
    "share_links.listed": ("curator", lambda folder: share_links.listed()),
    "backup": ("admin", lambda folder: copies.backup(folder.parent / "copy")),
    "restore": ("admin", lambda folder: copies.restore(folder.parent / "none")),
    "audit.rows": ("admin", lambda folder: audit.rows()),
    "verify": ("admin", lambda folder: copies.verify()),
}
"""Each function, the least role that may call it, and a call."""


OF_OTHERS = {"add", "describe", "check_text", "possible", "login_by", "digest_of"}
"""What the others call with the actor that they required, and what reads no store."""
BY_SECRET = {"open_link", "guest"}
"""What answers nobody but who has the secret of a link."""


def test_no_function_of_the_store_is_left_out() -> None:
    rooms = (reviews, assignments, copies, audit, share_links)
    public = {
        name
        for room in rooms
        for name, value in vars(room).items()
        if inspect.isfunction(value) and value.__module__ == room.__name__ and name[0] != "_"
    }
    assert public - OF_OTHERS - BY_SECRET <= {
        call.split(".")[-1].split(" ")[0].rstrip(",") for call in CALLS
    }


def table_of_rights() -> str:
    """Function × role, as the README of the room has it."""
    head = f"| function | {' | '.join(ROLES)} |\n|---|{'---|' * len(ROLES)}\n"
    rows = {
        name: ["yes" if ROLES.index(role) >= ROLES.index(least) else "" for role in ROLES]
        for name, (least, _) in CALLS.items()
    }
    return head + "".join(f"| {name} | {' | '.join(of)} |\n" for name, of in rows.items())


def test_the_readme_has_the_table_of_functions_and_roles() -> None:
    readme = Path(__file__).parents[2] / "dashboard" / "storage" / "README.md"
    assert table_of_rights() in readme.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CALLS)
def test_every_function_asks_for_the_role(name: str, tmp_path: Path) -> None:
    least, call = CALLS[name]
    folder = make_collection(tmp_path / "tiny")
    for role in ROLES:
        allowed = ROLES.index(role) >= ROLES.index(least)
        with acting(Actor("Ada", role, checked=True)):
            try:
                call(folder)
            except NotAllowed as refused:
                assert not allowed and f"the role {role}" in str(refused), (name, role)
            except Exception:  # it got as far as its work
                assert allowed, (name, role)
            else:
                assert allowed, (name, role)


@pytest.mark.parametrize("role", ROLES[2:])
def test_nobody_writes_or_takes_back_in_anothers_name(role: str) -> None:
    reviews.append(review(author="Bob"))
    before = reviews.history("tiny", VERDICT)
    with acting(Actor("Ada", role, checked=True)):
        for attempt in (
            lambda: reviews.append(review(author="Bob")),
            lambda: reviews.undo("tiny", "Bob"),
            lambda: assignments.create(OF_TINY, "Bob"),
            lambda: assignments.close(OF_TINY, "Bob"),
        ):
            with pytest.raises(NotAllowed, match="the name 'Bob'|the role"):
                attempt()
    assert reviews.history("tiny", VERDICT).equals(before) and assignments.named("x") is None


def test_who_is_no_curator_any_more_takes_no_decision_back() -> None:
    with acting(Actor("Ada", "curator", checked=True)):
        reviews.append(review())
        reviews.append(review(DECISION))
    with acting(Actor("Ada", "reviewer", checked=True)):
        taken = reviews.undo("tiny", "Ada")
        assert taken is not None and taken.kind == VERDICT
        assert reviews.undo("tiny", "Ada") is None
        assert len(reviews.latest("tiny", DECISION)) == 1


def test_on_this_machine_any_name_is_taken() -> None:
    assert not actor().checked and all(actor().may(right) for right in LEAST)
    reviews.append(review(author="Bob"))
    assert len(reviews.latest("tiny", VERDICT, author="Bob")) == 1


def test_a_review_for_others_is_kept_as_it_was_made() -> None:
    made = assignments.create(OF_TINY, "Ada")
    assert len(made.id) == 12 and len(made.seed) == 32
    assert assignments.named(made.id) == made and assignments.of_collection("other") == []
    other = assignments.create(OF_TINY, "Bob")
    closed = assignments.close(made, "Ada")
    assert assignments.named(made.id) == closed and closed.closed
    assert assignments.of_collection("tiny") == [other, closed]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"title": " "}, "Enter a title."), ({"queries": ()}, "No query was chosen."),
     ({"candidate": "v1"}, "A review compares two versions."), ({"title": "x" * 81}, "A title")],
)  # fmt: skip
def test_what_cannot_be_reviewed_is_a_sentence(change: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Assignment(**(vars(OF_TINY) | change))


def test_who_acts_on_a_review_that_changed_meanwhile_undoes_nothing() -> None:
    """Each act is given the review as it was when it was made."""
    made = assignments.create(OF_TINY, "Ada")
    assignments.add_machine(made, MACHINE, "Ada")
    assert assignments.close(made, "Bob").machines == (MACHINE,)
    other = replace(MACHINE, fingerprint="g")
    assert assignments.add_machine(made, other, "Ada").machines == (MACHINE, other)
    assert assignments.add_machine(made, MACHINE, "Ada").closed
    assert audit.rows()["action"].tolist().count(audit.ASK) == 2
