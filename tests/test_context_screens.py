"""Lists that people saw, on screen: the numbers of the command line, and whose answers they are."""

import json
import re
import shutil
import zlib

import pandas as pd
import pyarrow as pa
import pytest

from dashboard.__main__ import main
from dashboard.evaluation.digits import number
from dashboard.storage.collection import collection as collections
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.reviews import RATING, Review
from dashboard.views.protocols.context.shared import BANNER, NOBODY
from tests.test_screens import cards, drawn, no_text_model, opened, texts  # noqa: F401
from tests.test_screens_of_frame import controls

NAME = "openmoji_context"
if NAME not in collections.names():
    pytest.skip(f"no collection {NAME}", allow_module_level=True)


@pytest.fixture(autouse=True)
def nobody_has_rated(tmp_path, monkeypatch):
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "reviews"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the collection without its pictures, to change."""
    copy = tmp_path / "data" / NAME
    source = collections.COLLECTIONS / NAME
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("media"))
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    return copy


def overview(**choices):
    return opened("overview", collection=NAME, **choices)


def query(**choices):
    return opened("query", collection=NAME, **choices)


def printed(capsys, *arguments):
    assert main(["satisfaction", NAME, "--format", "json", *map(str, arguments)]) == 0
    return json.loads(capsys.readouterr().out)


def table(app, title):
    """The table whose rows are headed so."""
    return next(found.value for found in app.table if found.value.index.name == title)


def banners(app):
    return [said.value for said in app.warning if BANNER in said.value]


def grid(app):
    """What the list of pictures was told."""
    told = [json.loads(each.proto.json or "{}") for each in app.get("bidi_component")]
    return next(each for each in told if "places" in each)


def matrix(app):
    """The cells of the matrix of gains: (discount, gain) → text."""
    for chart in app.get("vega_lite_chart"):
        for dataset in [*(each.data for each in chart.proto.datasets), chart.proto.data]:
            found = pa.ipc.open_stream(dataset.data).read_pandas() if dataset.data else {}
            if {"discount", "gain", "text"} <= set(found):
                return found.set_index(["discount", "gain"])["text"].to_dict()
    return {}


def cell(row, gain, dagger=True):
    marks = "*" * row[f"star_{gain}"] + "†" * (dagger and row["dagger"])
    return f"{row[f'r_{gain}']:.3f}{marks}"


def test_every_page_that_uses_simulated_satisfaction_says_so_once():
    app = drawn(collection=NAME)
    assert len(banners(app)) == 1
    assert not app.exception and not app.error
    assert len(banners(drawn("query", collection=NAME))) == 1


def test_every_control_of_the_side_bar_has_its_help():
    bar = controls(drawn(collection=NAME).sidebar)
    assert [control.proto.label for control in bar if not control.proto.help] == []


def test_table_1_and_the_steps_of_cleaning_are_those_of_the_command_line(capsys):
    app = drawn(collection=NAME)
    sizes = table(app, "Part")
    for row, of in zip(printed(capsys, "--table", "sizes"), sizes.itertuples(), strict=True):
        assert of.Sessions == "not recorded"
        assert [of.Participants, of.Queries, of.Lists, of.Images] == [
            f"{row[name]:,}" for name in ("participants", "queries", "lists", "images")
        ]
    steps = printed(capsys, "--table", "cleaning")
    assert table(app, "After")["Lists"].tolist() == [f"{row['lists']:,}" for row in steps]


def test_table_2_is_that_of_the_command_line(capsys):
    shown = table(drawn(collection=NAME), "Original gain")
    for row in printed(capsys, "--table", "halves"):
        name = row["metric"].partition("(")[0]
        text = f"{row['r']:.3f}{'*' * row['star']}"
        assert shown.loc[name, f"{row['part'].capitalize()} variance"] == text


def test_table_3_is_that_of_the_command_line(capsys):
    shown = table(drawn(collection=NAME), "Discount")
    rows = printed(capsys, "--table", "depths")
    assert shown.shape == (6, 8)
    for row in rows:
        name = f"{1 if row['fewest_rows'] == 10 else 2}@{row['rows']}r"
        assert shown.loc[row["discount"], f"{name} ORG"] == cell(row, "original", dagger=False)
        assert shown.loc[row["discount"], f"{name} CAG"] == cell(row, "context")


@pytest.mark.parametrize(
    ("rows", "window", "divide"),
    [pytest.param("10", "10", "window", marks=pytest.mark.slow), ("5", "3", "w")],
)
def test_the_matrix_follows_the_links_depth_and_window(capsys, rows, window, divide):
    found = printed(
        capsys, "--table", "gains", "--rows", rows, "--window", window, "--divide", divide
    )  # fmt: skip
    shown = matrix(overview(rows=rows, window=window, divide=divide))
    for row in found:
        original, aware = "Original gain", "Context-aware gain"
        assert shown[row["discount"], original] == cell(row, "original", dagger=False)
        assert shown[row["discount"], aware] == cell(row, "context")


def test_the_choices_on_screen_write_the_link():
    app = overview()
    app.number_input(key="choice-window").set_value(4).run()
    assert app.query_params["window"] == "4"
    app.button_group(key="choice-rows").set_value("15").run()
    assert app.query_params["rows"] == "15"
    assert not app.exception


def test_a_link_that_cannot_be_followed_says_so():
    choices = {"rows": "0", "window": "w", "divide": "k", "list": "l999"}
    for app in (overview(**choices), query(**choices)):
        words = texts(app).replace("\\", "").replace(",", "")
        assert "choose a whole number from 1 to 1000" in words
        assert "the window 'w'; choose a whole number" in words
        assert "asks for the divisor 'k'; choose window or w" in words
        assert "asks for the list 'l999'" in words
        assert not app.exception


def test_one_list_stands_in_its_own_rows_and_columns_with_its_numbers(capsys):
    steps = printed(capsys, "--list", "l017", "--rows", 5)
    asked = next(  # its query
        line.split(",")[2]
        for line in (collections.COLLECTIONS / NAME / "lists.csv").read_text().splitlines()
        if line.startswith("l017,")
    )
    app = query(query=asked, list="l017", rows="5", metric="CAG(DCG)@50")
    told = grid(app)
    assert told["columns"] == 5
    read = [step for step in steps if step["rank"] is not None]
    assert len(told["places"]) == len(read) == 25
    for place, step in zip(told["places"], read, strict=True):
        assert (place["row"], place["column"]) == (step["row"], step["column"])
        assert dict(place["numbers"]) == {
            "r": number(step["r"]), "r′": number(step["adjusted"]), "g": number(step["gain"]),
            "d": number(step["discount"]),
        }  # fmt: skip
        assert (place["state"] == "less") == ("discounted: " in place["words"])
        assert step["item_id"] in place["poster"]
    total = sum(step["adds"] for step in read)
    assert f"{number(total)} ÷ 25 = **{number(total / 25)}**" in texts(app)


def test_cards_stand_side_by_side_as_the_lists_pictures_did(folder):
    text = (folder / "lists.csv").read_text(encoding="utf-8")
    (folder / "lists.csv").write_text(text.replace(",1,5,", ",1,6,"), encoding="utf-8")
    app = query(query="w31", list="l001")
    assert json.loads(zlib.decompress(app.get("bidi_component")[0].proto.bytes))["columns"] == 6
    assert grid(app)["columns"] == 6


@pytest.mark.parametrize(
    "wide", [2, *(pytest.param(each, marks=pytest.mark.slow) for each in (8, 10, 50, 51))]
)
def test_lists_of_any_width_are_shown_as_wide_as_they_were(folder, wide):
    text = (folder / "lists.csv").read_text(encoding="utf-8")
    if wide > 5:
        text = text.replace(",1,5,", f",1,{wide},", 1)
    else:
        header, *lines = text.splitlines(keepends=True)
        column = header.split(",").index("column")
        text = "".join([header, *(n for n in lines if int(n.split(",")[column]) <= wide)])
    (folder / "lists.csv").write_text(text, encoding="utf-8")
    app = query(query="w31")
    told = json.loads(zlib.decompress(app.get("bidi_component")[0].proto.bytes))
    (offered,) = [g.options for g in app.button_group if g.label == "Cards per row"]
    if wide > 50:
        assert told["columns"] is None and str(wide) not in offered
    else:
        assert told["columns"] == wide and str(wide) in offered
        assert re.search(f"rows? of {wide}\\b", texts(app))


def test_rows_of_four_are_said_to_be_rows_of_four(folder):
    lines = (folder / "lists.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    column = lines[0].split(",").index("column")
    four = [line for line in lines if line.split(",")[column] != "5"]
    (folder / "lists.csv").write_text("".join(four), encoding="utf-8")
    app = query(query="w31")
    assert "12 rows of 4 and 2 cards" in texts(app) and "rows of 5" not in texts(app)


@pytest.mark.slow
def test_workers_answers_are_measured_in_full_whatever_rounds_them(folder):
    app = overview()
    before = app.dataframe[0].value
    assert "share of required keywords" not in texts(app)
    said = texts(app).replace("\\", "")
    assert "414 of 6,696 query–picture pairs have no valid relevance" in said
    known = collections.open_collection(NAME).qrels
    assert (known["grade"].round(2) != known["grade"]).any()
    for places, exact in ((2, True), (0, True), (-2, False)):
        rounded = known.assign(grade=known["grade"].round(places))
        rounded.to_csv(folder / "qrels.csv", index=False)
        again = collections.open_collection(NAME)
        assert again.qrels["grade"].tolist() == (known if exact else rounded)["grade"].tolist()
        is_said = again.findings["found"].str.contains("grades are rounded means of relevance.csv")
        assert is_said.any() == exact
        if places == 2:
            app = overview()
            pd.testing.assert_frame_equal(app.dataframe[0].value, before)


def test_a_picture_that_nobody_judged_others_for_is_said_to_be_that():
    app = opened("search", collection=NAME, item="1F976")
    assert "Nothing is judged for this picture" in texts(app)
    assert "keywords that an item has" not in texts(app)


def test_a_list_of_another_query_is_said_to_be_that():
    app = query(query="w01", list="l001")
    assert "List l001 belongs to another query" in texts(app).replace("\\", "")


def test_where_hits_are_shown_their_threshold_is(capsys):
    for app in (drawn(collection=NAME), drawn("query", collection=NAME)):
        assert "a relevance of 50 or more is one" in texts(app).replace("\\", "")


def test_without_satisfaction_the_screen_says_so_and_no_number_is_made_up(folder):
    (folder / "satisfaction.csv").unlink()
    app = overview()
    assert [said.value for said in app.info].count(NOBODY) == 1
    assert not banners(app) and not matrix(app)
    assert "no list of at least 10 rows has a usable rating" in texts(app)
    assert len(app.get("vega_lite_chart")) >= 3  # figure 3 needs none
    assert not app.exception and not app.error


def rate(list_id, value, author="eve"):
    reviews.append(Review(RATING, NAME, value, author, list_id=list_id))


def test_reviewers_ratings_take_the_place_of_simulated_satisfaction(capsys):
    for list_id, value in (("l001", "5"), ("l002", "2")):
        rate(list_id, value)
    app = overview()
    assert not banners(app)
    assert "2 ratings of 2 lists by 1 reviewer, entered on" in texts(app)
    assert "To return to the simulated satisfaction, remove all ratings" in texts(app)
    assert "no list of at least 10 rows has a usable rating" in texts(app)  # three are needed
    rate("l003", "3")
    assert "At least four lists are needed; 3 lists remained" in texts(overview(rows="5"))
    for place in range(4, 12):
        rate(f"l{place:03d}", str(1 + place % 5))
    app = overview(rows="5")
    found = printed(capsys, "--table", "gains", "--rows", 5)
    assert {row["answers"] for row in found} == {"reviewers"}
    row = next(row for row in found if row["discount"] == "DCG")
    assert matrix(app)["DCG", "Context-aware gain"] == cell(row, "context")


@pytest.mark.slow
def test_what_was_said_is_read_once_until_somebody_says_more(monkeypatch):
    for place in range(1, 6):
        rate(f"l{place:03d}", str(place))
    reads, read = [], reviews.history
    monkeypatch.setattr(reviews, "history", lambda *of, **by: reads.append(of) or read(*of, **by))
    for _ in range(2):
        assert "5 ratings of 5 lists by 1 reviewer, entered on" in texts(overview())
    assert len(reads) == 1
    rate("l006", "1")
    assert "6 ratings of 6 lists by 1 reviewer, entered on" in texts(overview())
    assert len(reads) == 2


def test_a_file_of_reviews_that_cannot_be_read_is_a_sentence(tmp_path):
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "reviews.sqlite").write_text("no database " * 100)
    app = overview()
    assert not app.exception
    assert any("wanted a file of reviews that can be read" in said.value for said in app.error)


def test_a_reviewer_rates_a_list_and_takes_it_back():
    app = query(query="w31", list="l001")
    app.text_input(key="reviewer").set_value("Eve ").run()
    app.button_group(key="rating-l001").set_value("4").run()
    said = reviews.latest(NAME, RATING).iloc[0]
    assert (said["author"], said["value"], said["list_id"]) == ("Eve", "4", "l001")
    assert (said["query_id"], said["run"]) == ("w31", "v0.2")
    assert "Ratings: Eve 4." in texts(app).replace("\\", "")
    lists = cards(app)["lists"]  # what the keys 1 to 5 rate in review mode
    assert lists["v0.2"] == "l001"
    assert not banners(app)  # the simulated answers are out of use
    app.button_group(key="rating-l001").set_value(None).run()
    assert reviews.latest(NAME, RATING).empty
    assert banners(app)


def test_a_rating_without_a_name_is_not_kept():
    app = query(query="w31", list="l001")
    app.button_group(key="rating-l001").set_value("4").run()
    assert "Enter your name" in app.error[0].value
    assert reviews.latest(NAME, RATING).empty
    assert not app.exception


MISTAKES = {
    "relevance 400": ("relevance.csv", ",name,0\n", ",name,400\n", "found relevance 400 of"),
    "satisfaction 9": ("satisfaction.csv", "w31,4\n", "w31,9\n", "found satisfaction '9'"),
    "a place twice": ("lists.csv", ",1,2,1F434\n", ",1,1,1F434\n", "lines 2 and 3"),
    "a missing column": ("lists.csv", ",column,", ",place,", "wanted a column column"),
    "a missing worker": ("relevance.csv", ",worker,", ",who,", "wanted a column worker"),
}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case == "a place twice" else pytest.mark.slow)
        for case in MISTAKES
    ],
)
def test_a_mistake_in_a_file_is_a_sentence_on_the_screen(folder, case):
    name, old, new, sentence = MISTAKES[case]
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    for app in (overview(), query(query="w31")):
        said = [problem.value.replace("\\", "") for problem in app.error]
        assert [name in each and sentence in each for each in said] == [True]
        assert not app.exception and not banners(app)


def test_what_is_left_out_is_listed(folder):
    text = (folder / "lists.csv").read_text(encoding="utf-8")
    (folder / "lists.csv").write_text(text.replace("l002,p01,w11", "l002,p01,w99"))
    app = overview()
    assert any("2 notes on the files of the lists" in each.label for each in app.expander)
    said = texts(app).replace("\\", "")
    assert "lists.csv, line 77: found 1 list of unknown queries (l002 of w99); wanted" in said
    assert "satisfaction.csv, line 3: found 1 answer of unknown lists (l002); wanted" in said
    assert not app.exception and not app.error


@pytest.mark.slow
def test_a_collection_without_lists_says_what_it_would_need():
    app = opened("overview", collection="driving", protocol="context")
    assert "None. Add `lists.csv`" in texts(app)
    assert not app.exception and not app.error
