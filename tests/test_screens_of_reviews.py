"""The screen Reviews: a review is made, judged blind by two people, and comes to something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dashboard.experiment.reviews import assigned_reviews, keyword_changes
from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews import share_links
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import VERDICT, Review, append
from dashboard.storage.reviews.rights import ANYBODY, Actor, identify_by
from dashboard.views import address
from dashboard.views.server import link_preview
from tests.storage.tiny import made_mapping, reviewed_collection
from tests.test_screens import cards, no_text_model, opened, said  # noqa: F401

VERSIONS = ("v0.1", "v0.2")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return reviewed_collection(tmp_path, monkeypatch, '["trec"]')


def button(app, label):
    return next(each for each in app.button if each.label.replace("\\", "") == label)


def made(**fields):
    """A review that was made by the form, and the screen afterwards."""
    app = opened("reviews", collection="tiny")
    app.text_input(key="reviewer-name").set_value("Ada")
    app.selectbox(key="review-way").set_value("random").run()
    app.text_input(key="review-title").set_value("Night drives")
    for key, value in fields.items():
        next(each for each in (*app.text_input, *app.toggle) if each.key == key).set_value(value)
    button(app, "Create review").click().run()
    assert not app.exception
    found = assigned_reviews.all_reviews_of(stored.open_collection("tiny"))
    return app, found[0] if found else None


def named(review, who):
    app = opened("reviews", review=review.id)
    app.text_input(key="reviewer-name").set_value(who).run()
    assert not app.exception and not app.error
    return app


def told(app):
    """All that the browser is sent: texts, buttons, addresses and the cards."""
    tree = "\n".join(str(element.proto) for element in app.main) + said(app)
    return tree + (json.dumps(cards(app)) if app.get("bidi_component") else "")


def test_an_admin_makes_and_revokes_a_share_link_where_there_is_a_login(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, review = made()
    app = opened("reviews", collection="tiny")
    assert not [each for each in app.button if each.label == "Create share link"]
    monkeypatch.setattr(share_links, "_login_is_set_up", [lambda: True])
    identify_by(lambda: Actor("Ada", "curator", checked=True))
    try:
        app = opened("reviews", collection="tiny")
        app.selectbox(key="share-review").set_value(review.id)
        app.text_input(key="share-label").set_value("Bob <b>")
        button(app, "Create share link").click().run()
        assert not app.exception and "share#" in told(app)
        [link] = share_links.listed()
        assert (link.author, link.review, link.role) == ("Ada", review.id, "viewer")
        app.run()
        assert "share#" not in told(app), "it is shown once"
        next(each for each in app.button if each.key == f"revoke-{link.id}").click().run()
        assert share_links.listed()[0].state == "revoked" and not app.exception
    finally:
        identify_by(lambda: ANYBODY)


def test_two_people_judge_a_blind_review_to_its_outcome(tiny: Path) -> None:
    app, review = made()
    assert review is not None and "3 queries" in said(app) and "blind" in said(app)
    for number, who in enumerate(("Ada", "Bob")):
        app = named(review, who)
        for place in range(3):
            before = told(app) if place == 0 else ""
            for hidden in (*VERSIONS, review.seed, *(["Outcome of"] if number else [])):
                assert hidden not in before, "nothing tells which version is on which side"
            assert [row["name"] for row in cards(app)["rows"]] == ["A", "B"]
            assert all(result["score"] is None for row in cards(app)["rows"]
                       for result in row["results"])  # fmt: skip
            button(app, "A better").click().run()
            assert "Saved: A better. A was v0." in said(app)
        assert "You have judged all queries" in "\n".join(each.value for each in app.success)
        assert "of 3 queries" in said(app), "what came of it, once nothing is left to judge"
    given = assigned_reviews.answers(review)
    assert given.groupby("author").size().to_dict() == {"Ada": 3, "Bob": 3}


def test_results_drawn_at_random_are_judged_without_versions_to_an_estimate(tiny: Path) -> None:
    app = opened("reviews", collection="tiny")
    app.text_input(key="reviewer-name").set_value("Ada")
    app.selectbox(key="review-way").set_value("random")
    app.toggle(key="review-sample").set_value(True).run()
    app.text_input(key="review-title").set_value("Sample")
    app.text_input(key="review-estimated").set_value("AP")
    button(app, "Create review").click().run()
    assert "Not saved: no sample estimates AP" in said(app)
    app.text_input(key="review-estimated").set_value("P@3")
    app.number_input(key="review-drawn").set_value(3)
    button(app, "Create review").click().run()
    [review] = assigned_reviews.all_reviews_of(stored.open_collection("tiny"))
    number = len(review.sample.drawn)
    app = named(review, "Ada")
    for place in range(number):
        assert f"{place:,} of {number:,} results judged" in told(app)
        assert "v0.1" not in told(app) and "v0.2" not in told(app) and "stimat" not in told(app)
        [row] = cards(app)["rows"]
        assert [each["rank"] for each in row["results"]] == [None]
        button(app, "Unsure" if place == 0 else "Relevant").click().run()
        assert not app.exception and not app.error
        if place == 0:
            assert "Saved: Unsure." in said(app)
            button(app, "Undo").click().run()
            button(app, "Relevant").click().run()
    assert [each.value for each in app.success] == ["You have judged all results of this review."]
    assert f"queries, estimated from {number} of" in said(app)
    assert "Estimates, not values: P@3 as these reviewers judge" in said(app)
    [table] = [each.value for each in app.table if "Judged" in each.value]
    assert len(table) == 3 and "Estimated P@3" in table
    assert "estimated from" not in said(opened("compare", collection="tiny")), "it is blind"
    button(app, "Close review").click().run()
    compared = opened("compare", collection="tiny")
    assert "queries, estimated from" in said(compared) and not compared.exception
    listed = said(opened("reviews", collection="tiny"))
    assert f"{number} results at random" in listed and f"{number} answers by 1 person" in listed


def test_the_address_and_the_preview_of_a_review_name_no_version(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_ADDRESS", "https://search.example.org")
    query = "collection=tiny&review=abc"
    scope = {"type": "http", "path": "/reviews", "root_path": "", "query_string": query.encode()}
    written = link_preview.tags({**scope, "headers": [], "method": "GET"})
    assert "og:title" in written and not any(version in written for version in VERSIONS)
    assert address.is_review("reviews", {"review": ["abc"]})
    assert not address.is_review("reviews", {"review": [""]})
    assert not address.is_review("compare", {"review": ["abc"]}), "elsewhere a link is made whole"


def test_an_answer_is_taken_back_and_a_closed_review_takes_none(tiny: Path) -> None:
    _, review = made()
    app = named(review, "Ada")
    button(app, "Cannot judge").click().run()
    assert len(assigned_reviews.answers(review)) == 1
    button(app, "Undo").click().run()
    assert assigned_reviews.answers(review).empty and "Taken back." in said(app)
    button(app, "Close review").click().run()
    assert "This review is closed." in said(app)
    assert not [each for each in app.button if each.label in ("Same", "Close review")]


def test_a_review_with_named_versions_names_them(tiny: Path) -> None:
    _, review = made(**{"review-blind": False})
    app = named(review, "Ada")
    assert [row["name"] for row in cards(app)["rows"]] == list(VERSIONS)
    button(app, "v0.2 much better").click().run()
    assert assigned_reviews.answers(review)["value"].tolist() == ["much better"]


def test_a_review_of_a_version_against_itself_is_not_offered(tiny: Path) -> None:
    app = opened("reviews", collection="tiny", baseline="v0.1", candidate="v0.1")
    assert "A review compares two versions. Baseline and candidate are the same" in said(app)
    assert "Create review" not in [each.label for each in app.button]


def test_what_cannot_be_made_is_a_sentence_and_keeps_the_text(tiny: Path) -> None:
    app, review = made(**{"review-title": " ", "review-people": "Bob, Eve"})
    assert review is None and "Enter a title" in said(app)
    assert app.text_input(key="review-people").value == "Bob, Eve"
    app = opened("reviews", review="nothing")
    assert "a review that does not exist: nothing" in said(app) and not app.exception


def test_agreement_is_shown_and_a_curator_decides(tiny: Path) -> None:
    key = key_of(stored.open_collection("tiny"), saying=True)
    for who, value in (("Ada", "relevant"), ("Bob", "not")):
        append(Review(VERDICT, key, value, who, query_id="q3", item_id="v03"))
        append(Review(VERDICT, key, "relevant", who, query_id="q1", item_id="v03"))
        on_collections = said(opened("collections", collection="tiny"))
        assert ("Agreement of reviewers:" in on_collections) == (who == "Bob"), "never from one"
    assert "on 2 results that two or more judged (few)" in on_collections
    app = opened("reviews", collection="tiny")
    assert "1 disagreement to decide" in "\n".join(each.value for each in app.subheader)
    assert set(app.table[0].value.index) == {"alpha", "kappa"}
    button(app, "Relevant").click().run()
    assert "Enter your name" in said(app), "a decision has a name"
    app.text_input(key="reviewer-name").set_value("Cleo").run()
    button(app, "Relevant").click().run()
    assert "No disagreement is undecided." in said(app)
    assert "reviewers would change 2 labels" in said(opened("compare", collection="tiny"))


def test_a_curator_decides_on_keywords_and_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = reviewed_collection(tmp_path, monkeypatch, '["alfa"]')
    made_mapping(folder)
    collection = stored.open_collection(folder, allow_path=True)
    about = ("v03", "pv_object_type", "small vehicle")
    for who, value in (("Ada", "remove"), ("Bob", "add")):
        keyword_changes.save(collection, keyword_changes.KEYWORD, *about, value, who)
    mapped = ("q1", "pv_object_type", "pedestrian")
    for who, value in (("Ada", "remove"), ("Bob", "add car")):
        keyword_changes.save(collection, keyword_changes.MAPPING, *mapped, value, who)
    assert "would change" not in said(opened("compare", collection="tiny")), "there is no majority"
    app = opened("reviews", collection="tiny")
    assert "2 keywords to decide" in "\n".join(each.value for each in app.header)
    assert "Ada: wrong, Bob: right" in said(app) and "Bob: “car”" in said(app)
    app.text_input(key="reviewer-name").set_value("Cleo").run()
    button(app, "Wrong").click().run()
    assert "1 keyword to decide" in "\n".join(each.value for each in app.header)
    assert "reviewers would change 0 labels and 1 keyword" in said(
        opened("compare", collection="tiny")
    )
    chosen = {"collection": "tiny", "query": "q1"}
    given, corrected = (
        cards(opened("query", labels=labels, **chosen)) for labels in ("given", "corrected")
    )
    at = [item["id"] for item in given["items"]].index("v03")
    assert given["items"][at]["hit"] and given["items"][at]["ticks"] == [True]
    at = [item["id"] for item in corrected["items"]].index("v03")
    assert not corrected["items"][at]["hit"] and corrected["items"][at]["ticks"] == [False]


def test_an_admin_sees_who_did_what_and_of_one_person(tiny: Path) -> None:
    for who in ("Ada", "Bob"):
        append(Review(VERDICT, "tiny", "not", who, query_id="q3", item_id="v03", note="secret"))
    at = opened("reviews", collection="tiny")
    at.session_state["audit"] = True
    at.run()
    acts = next(each.value for each in at.dataframe if "Act" in each.value)
    assert acts["Person"].tolist() == ["Bob", "Ada"] and set(acts["Act"]) == {"save"}
    assert acts["About"].str.contains("query q3, item v03, value not").all()
    assert "secret" not in acts.to_string()
    at.text_input(key="audit-person").set_value("bo").run()
    [acts] = [each.value for each in at.dataframe if "Act" in each.value]
    assert acts["Person"].tolist() == ["Bob"]


@pytest.mark.parametrize("role", ["nobody", "viewer", "reviewer"])
def test_who_lacks_the_right_sees_no_form_and_no_choice(tiny: Path, role: str) -> None:
    _, review = made()
    identify_by(lambda: Actor("Ada", role, checked=True))
    try:
        app = opened("reviews", collection="tiny")
        assert not [each for each in app.button if each.label == "Create review"]
        assert not [each for each in app.expander if each.label == "Audit log"]
        assert ("Ada has no role here" in said(app)) == (role == "nobody")
        app = opened("reviews", review=review.id)
        assert ("You are Ada" in said(app)) == (role != "nobody")
        answers = [each for each in app.button if each.label == "Same"]
        assert bool(answers) == (role == "reviewer") and not app.exception
    finally:
        identify_by(lambda: ANYBODY)
