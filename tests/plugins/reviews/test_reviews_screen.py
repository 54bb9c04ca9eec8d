"""The screen Reviews: own work, lists, disagreements, agreement, corrected labels, bad input."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.plugins.reviews.judging_lists import close_list, create_list, read_lists
from dashboard.storage.collection import open_collection
from dashboard.views import people
from dashboard.views.people import Person
from tests.plugins.reviews.conftest import BLIND, MADE

MAIN = Path(__file__).parents[3] / "dashboard" / "main.py"
Say = Callable[..., int]
Draw = Callable[..., AppTest]


@pytest.fixture
def draw(graded: Path, monkeypatch: pytest.MonkeyPatch) -> Draw:
    """Open the screen as a person, at an address."""

    def open_screen(name: str = "eva", **params: str) -> AppTest:
        monkeypatch.setenv("DASHBOARD_DATA", str(graded.parent))
        test = AppTest.from_file(str(MAIN), default_timeout=60).run()
        test.switch_page("plugins/reviews/screen.py")
        test.session_state["reviewer"] = name
        for key, value in params.items():
            test.query_params[key] = value
        test.run()
        assert not test.exception
        return test

    return open_screen


def read(test: AppTest) -> str:
    """Return every text of a page as the reader sees it."""
    kinds = (test.markdown, test.caption, test.error, test.info, test.warning, test.header)
    texts = [each.value for kind in kinds for each in kind]
    return "\n".join(texts + [each.value for each in test.get("html")]).replace("\\", "")


def list_steps(test: AppTest) -> list[str]:
    """Return the label and the address of each link to judging, first ones first."""
    protos = [each.proto for each in test.get("page_link")]
    return [f"{each.label}?{each.query_string}" for each in protos]


def test_pairs_that_are_gone_are_not_offered(graded: Path, draw: Draw) -> None:
    """One of three is left of the first list, nothing of the second; both say so."""
    some = create_list(graded, replace(MADE, pairs=(("q9", "a"), ("q1", "z"), ("q1", "a"))))
    none = create_list(graded, replace(MADE, pairs=(("q9", "a"), ("q1", "z"))))
    test = draw()
    told = read(test)
    assert "gone from the collection: 2 of 3 pairs" in told and "1 result to judge" in told
    assert [f"list={some.id}" in each for each in list_steps(test)] == [True]
    assert "Nothing of this list is in the collection any more." in read(draw(review=none.id))
    test.switch_page("screens/query.py")
    test.query_params.update({"judge": "yes", "list": none.id})
    assert not test.run().exception
    test.query_params["list"] = "f00"
    assert "There is no list 'f00'" in read(test.run())
    (way,) = (each for each in test.button if each.label == "Open without this")
    way.click().run()
    assert "list" not in test.query_params and not test.error


def test_nothing_yet(draw: Draw, store: Path) -> None:
    told = read(draw())
    assert "No list has anything left for you." in told and "No list yet." in told
    assert not store.exists()
    assert "Enter your name to see what is left for you." in read(draw(""))


def test_own_work_comes_first(draw: Draw, graded: Path, say: Say) -> None:
    """What was begun is first; progress of everybody stands at the list; text stays text."""
    made = create_list(graded, MADE)
    blind = create_list(graded, BLIND)
    say("eva", "q1", "a", "not", list_id=made.id)
    test = draw()
    assert test.button(key=f"go-{blind.id}").label == "Begin\\: Blind"
    assert list_steps(test)[0].startswith("Continue\\: First \\*list\\*?collection=graded&")
    for told in ("Your work", "eva 1 of 3", "Nobody has begun."):
        assert told in read(test)
    assert list_steps(draw("kim"))[0].startswith("Begin\\: First \\*list\\*")


def test_a_list_is_made_and_its_link_shown(draw: Draw, graded: Path) -> None:
    test = draw()
    test.button(key="new-list").click().run()
    test.button(key="make-list").click().run()
    assert "Enter the title." in read(test)
    test.text_input(key="new-title").set_value("Mine")
    test.selectbox(key="new-way-False").set_value("doubtful")
    test.button(key="make-list").click().run()
    (made,) = read_lists(open_collection(graded))
    assert (made.title, made.author, made.baseline, made.candidate) == ("Mine", "eva", "v1", "v2")
    assert made.chosen.startswith("items that the versions rank most differently")
    assert [each.value for each in test.code] == [
        f"/query?collection=graded&judge=yes&list={made.id}"
    ]

    test.button(key="new-list").click().run()
    test.segmented_control(key="new-kind").set_value(True).run()
    test.text_input(key="new-title").set_value("Blind")
    test.number_input(key="new-number-True").set_value(1)
    test.selectbox(key="new-way-True").set_value("doubtful").run()
    test.button(key="make-list").click().run()
    made = read_lists(open_collection(graded))[0]
    assert made.pairs == (("q1", ""),) and f"graded&review={made.id}" in test.code[0].value


def test_a_way_that_does_not_fit_is_a_sentence(draw: Draw, graded: Path) -> None:
    test = draw(metric="AP")
    test.button(key="new-list").click().run()
    test.text_input(key="new-title").set_value("Mine")
    test.selectbox(key="new-way-False").set_value("change")
    test.button(key="make-list").click().run()
    assert "AP is no sum of the results' worth. Choose one of P, CG, DCG" in read(test)
    assert read_lists(open_collection(graded)) == []


def test_only_its_owner_closes_a_list(draw: Draw, graded: Path) -> None:
    made = create_list(graded, MADE)
    assert not [each for each in draw("kim").button if each.key == f"close-{made.id}"]
    test = draw()
    assert "Nobody can judge in this list any more." in read(test)
    test.button(key=f"close-{made.id}").click().run()
    assert read_lists(open_collection(graded))[0].closed and "older lists: 1" in read(test)


def test_what_others_said_is_hidden_at_first(draw: Draw, graded: Path, say: Say) -> None:
    made = create_list(graded, MADE)
    for query, item in made.pairs:
        say("kim", query, item, "relevant", list_id=made.id)
    assert "What others said is shown when" in read(draw(review=made.id))
    assert "relevant 1" not in read(draw(review=made.id))
    assert "relevant 1" in read(draw("kim", review=made.id))
    close_list(made, "eva")
    told = read(draw(review=made.id))
    assert "relevant 1" in told and "This list is closed." in told


def test_agreement_and_disagreements(draw: Draw, say: Say) -> None:
    """On q1 a they differ, on q1 c and q2 b they do not: 2 of 3 are the same."""
    assert "No two people disagree about a result." in read(draw(review="decisions"))
    assert "there is no agreement to measure" in read(draw(review="agreement"))
    for name in ("eva", "kim"):
        say(name, "q1", "a", "relevant")
    told = read(draw(review="agreement"))
    assert "100 %" in told and told.count("not defined") == 5 and "all said the same" in told
    for name, first in (("eva", "not"), ("kim", "relevant")):
        say(name, "q1", "a", first)
        say(name, "q1", "c", "relevant")
        say(name, "q2", "b", "relevant")
    told = read(draw(review="agreement"))
    assert "3 pairs: too few for a firm value" in told and "67 %" in told
    for part, label in (("", "Disagreements 1"), ("decisions", "Disagreements")):
        assert label in draw(review=part).segmented_control(key="switch-review").options
    say("kim", "q1", "a", "not", kind="decision")
    assert "No disagreement is left to decide." in read(draw(review="decisions"))


def test_corrections_are_shown_before_they_count(draw: Draw, say: Say) -> None:
    """Of q1 a decided as not, v1 loses P@1 of q1: its mean falls from 1/2 to 0; v2 has none."""
    assert "Reviewers corrected no label." in read(draw(review="labels"))
    say("eva", "q1", "a", "not", kind="decision")
    test = draw(review="labels", metric="P@1", metrics="P@1", candidate="v2")
    assert "Reviewers corrected 1 label (1 by decision)." in read(test)
    test.button(key="preview").click().run()
    told = read(test)
    assert "1 of 1 metrics change" in told
    assert "0.500 → 0.000" in told and "0.000 → 0.000" in told
    (use,) = (each for each in test.button if each.label == "Use corrections")
    use.click().run()
    assert test.query_params["labels"] == "corrected"
    assert "Corrected labels." in read(test)


def test_bad_input_is_a_sentence(draw: Draw, graded: Path, store: Path, say: Say) -> None:
    assert "There is no list 'f00'" in read(draw(review="f00"))
    made = create_list(graded, MADE)
    gone = create_list(graded, BLIND)
    say("eva", "q1", "", "better", kind="preference", list_id=gone.id, run="v2", against="v1")
    (graded / "runs" / "v2.trec").unlink()
    assert "First" in read(draw(review=made.id))
    told = read(draw(review=gone.id))
    assert "'Blind' cannot be judged now." in told and "v2" in told
    close_list(gone, "eva")
    assert "Without" in read(draw(review=gone.id))


def test_a_store_that_cannot_be_read_leaves_the_rest(draw: Draw, store: Path) -> None:
    store.parent.mkdir()
    for content in (b"no database", b""):
        store.write_bytes(content)
        for review in ("", "f00", "decisions"):
            test = draw(review=review)
            assert "reviews.sqlite: found" in read(test)
            assert test.selectbox(key="input-metric").value


def test_a_login_names_the_person_and_limits_them(
    draw: Draw, graded: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reviewer judges, but neither makes lists nor decides; a reader has no work."""
    create_list(graded, MADE)
    say("eva", "q1", "a", "not")
    say("kim", "q1", "a", "relevant")
    role = ["reviewer"]
    monkeypatch.setattr(people, "find_person", lambda _: Person("kim", role[0], is_verified=True))
    test = draw("somebody")
    assert list_steps(test)[0].startswith("Continue") and not test.text_input
    test.button(key="new-list").click().run()
    needed = "kim is reviewer; this needs the role owner."
    assert needed in read(test) and needed in read(draw(review="decisions"))
    role[0] = "reader"
    assert "kim is reader; this needs the role reviewer." in read(draw())
