"""Share links: a secret that is stored nowhere, rights for one collection or review until a day,
and a name that is nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews import assignments, audit, reviews, share_links
from dashboard.storage.reviews.reviews import PREFERENCE, VERDICT, Review, append
from dashboard.storage.reviews.rights import LINK, Actor, NotAllowed, acting
from dashboard.storage.reviews.share_links import ShareLink, create, guest, listed, open_link
from dashboard.tables import DataError
from tests.storage.test_rights import OF_TINY, review
from tests.storage.tiny import make_collection

pytestmark = pytest.mark.usefixtures("review_store")
OF_COLLECTION = ShareLink(collection="tiny", key="tiny", role="reviewer", until="", label="Bob")


@pytest.fixture(autouse=True)
def login(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(share_links, "_login_is_set_up", [lambda: True])
    share_links._looked.clear()
    audit._denied.clear()
    yield


def refused(secret: str) -> str:
    with pytest.raises(ValueError, match="This link") as problem:
        open_link(secret)
    return str(problem.value)


def answer_of(id: str, author: str) -> Review:
    return Review(
        PREFERENCE, "tiny", "better", author,
        query_id="q1", run="v2", against="v1", assignment=id,
    )  # fmt: skip


def test_a_link_gives_a_guest_a_name_of_its_own_and_less_than_its_maker(review_store: str) -> None:
    append(review(author="guest Bob 2"))
    made, secret = create(OF_COLLECTION, "Ada")
    visitors = [open_link(secret)[1] for _ in range(2)]
    assert open_link(secret, visitors[0])[1] == visitors[0], "a visit goes on"
    guests = [guest(visitor) for visitor in visitors]
    assert [each.name for each in guests if each] == ["guest Bob", "guest Bob 3"]
    [one, _] = guests
    assert one == Actor("guest Bob", "reviewer", True, LINK, "tiny", "tiny", "")
    assert one is not None and not one.may("decide") and guest("another") is None
    with acting(one):
        append(review(author="guest Bob"))
        for attempt in (
            lambda: append(review(author="Ada")),
            lambda: append(replace(review(author="guest Bob"), collection="other")),
            lambda: reviews.undo("tiny", "guest Bob 3"),
            lambda: reviews.latest("other", VERDICT),
            lambda: reviews.of_query("other", "q1"),
            lambda: create(OF_COLLECTION, "guest Bob"),
            lambda: share_links.revoke(made.id, "guest Bob"),
            lambda: listed(),
        ):
            with pytest.raises(NotAllowed):
                attempt()
    [row] = listed("tiny")
    assert (row.author, row.visitors, row.state, bool(row.used)) == ("Ada", 2, "open", True)
    assert listed("other") == []
    log = audit.rows()
    assert log["action"].tolist().count("denied") == 5, "the same refusal once"
    saved = log[log["name"] == "guest Bob"].iloc[1]
    assert (saved["identity"], saved["role"], saved["action"]) == (LINK, "reviewer", "save")
    everything = log.to_json() + str(listed())
    if not review_store.startswith("postgresql"):
        everything += (Path(review_store) / "reviews.sqlite").read_bytes().decode("latin-1")
        everything += "".join(
            path.read_bytes().decode("latin-1") for path in Path(review_store).glob("*-wal")
        )
    assert not [each for each in (secret, *visitors) if each in everything], "only digests stand"


def test_a_link_to_a_review_is_for_nothing_else() -> None:
    one, other = (assignments.create(OF_TINY, "Ada") for _ in range(2))
    _, secret = create(replace(OF_COLLECTION, review=one.id, label=""), "Ada")
    _, visitor = open_link(secret)
    who = guest(visitor)
    assert who is not None and who.name == "guest"
    with acting(who):
        append(answer_of(one.id, "guest"))
        assert len(reviews.latest("tiny", PREFERENCE, assignment=one.id)) == 1
        assert assignments.of_collection("tiny") == [one] and assignments.named(other.id) is None
        for attempt in (
            lambda: append(answer_of(other.id, "guest")),
            lambda: append(review(author="guest")),
            lambda: reviews.history("tiny", PREFERENCE),
            lambda: reviews.state("tiny", VERDICT),
        ):
            with pytest.raises(NotAllowed, match="the review that your link is for"):
                attempt()


def test_an_unknown_revoked_or_expired_link_is_one_sentence_and_ends_a_visit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert refused("x" * 43) == share_links.UNKNOWN == refused("")
    made, secret = create(OF_COLLECTION, "Ada", days=1)
    _, visitor = open_link(secret)
    assert refused(secret[:-1]) == refused(visitor) == share_links.UNKNOWN
    assert guest(visitor) is not None
    later = (datetime.now(UTC) + timedelta(days=1, seconds=1)).isoformat(timespec="seconds")
    with monkeypatch.context() as clock:
        clock.setattr(share_links, "_now", lambda: later)
        share_links._looked.clear()
        assert refused(secret) == share_links.EXPIRED and guest(visitor) is None
        assert listed()[0].state == "expired"
    share_links._looked.clear()
    assert guest(visitor) is not None
    assert share_links.revoke(made.id, "Root").author == "Ada", "who made it"
    assert guest(visitor) is None, "at once in the process that revoked it"
    assert refused(secret) == share_links.REVOKED and listed()[0].state == "revoked"
    with pytest.raises(ValueError, match="no share link 'x'"):
        share_links.revoke("x", "Root")


def test_without_a_login_there_are_no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    _, secret = create(OF_COLLECTION, "Ada")
    _, visitor = open_link(secret)
    share_links._looked.clear()
    monkeypatch.setattr(share_links, "_login_is_set_up", [lambda: False])
    with pytest.raises(DataError, match="a dashboard without a login, where whoever reaches it"):
        create(OF_COLLECTION, "Ada")
    assert refused(secret) == share_links.UNKNOWN and guest(visitor) is None


def test_what_no_link_can_be_is_a_sentence() -> None:
    for days in (0, 91):
        with pytest.raises(ValueError, match="lives from 1 to 90 days"):
            create(OF_COLLECTION, "Ada", days=days)
    for change, sentence in (
        ({"role": "curator"}, "no role of a link"),
        ({"label": "x" * 41}, "at most 40"),
        ({"label": "a\nb"}, "cannot be kept"),
    ):
        with pytest.raises(ValueError, match=sentence):
            replace(OF_COLLECTION, **change)


def test_a_guest_sees_one_collection_as_if_there_were_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    for name in ("tiny", "secret"):
        make_collection(tmp_path / name)
    with acting(Actor("guest", "viewer", True, LINK, "tiny", "tiny")):
        assert stored.names() == ["tiny"] and stored.find("tiny").name == "tiny"
        sentences = []
        for name in ("secret", "absent"):
            with pytest.raises(DataError, match="no such collection; wanted one of: tiny") as told:
                stored.find(name)
            sentences.append(str(told.value).replace(name, "…"))
        assert sentences[0] == sentences[1]
        assert stored.unlisted() == []
    assert stored.names() == ["secret", "tiny"]


def test_settings_say_whether_a_login_is_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DASHBOARD_USER_HEADER", raising=False)
    assert not share_links._is_in_settings()
    (tmp_path / ".streamlit").mkdir()
    for text, expected in (("[other]\na = 1", False), ("[auth", False), ("[auth]\na = 1", True)):
        (tmp_path / ".streamlit" / "secrets.toml").write_text(text)
        assert share_links._is_in_settings() is expected
    (tmp_path / ".streamlit" / "secrets.toml").unlink()
    monkeypatch.setenv("DASHBOARD_USER_HEADER", "X-User")
    assert share_links._is_in_settings()
