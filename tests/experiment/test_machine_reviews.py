"""A machine judges a review's sample through the chat API of a small server, apart from people."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dashboard.__main__ import main
from dashboard.experiment.collection.collections import opened_in
from dashboard.experiment.reviews import assigned_reviews as assigned
from dashboard.experiment.reviews import machine_reviews, reviewing
from dashboard.storage.collection import collection as stored_collections
from dashboard.storage.reviews import reviews
from tests.experiment.test_assigned_reviews import answer, folder, made  # noqa: F401
from tests.services import Asked, served

SAMPLE = ("--sample", "4", "--metrics", "P@3", "--seed", "5")
KEY = "very-secret"


def said(content: Any, **more: Any) -> dict[str, Any]:
    """A chat completion with one message."""
    message = {"role": "assistant", "content": content, "refusal": None}
    return {
        "model": "tiny-vl-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"} | more],
    }


GOOD = said(json.dumps({"answer": "relevant", "reason": "A car."}))
BAD = {
    "words": (said("It is relevant."), "no JSON with an answer ('It is relevant.')"),
    "another": (said('{"answer": "maybe"}'), "the answer 'maybe', none of relevant, not, unsure"),
    "a list": (said("[1]"), "no JSON with an answer ('[1]')"),
    "nothing": (said(None), "a NoneType for an answer"),
    "half": (said('{"answer": "rel', finish_reason="length"), "was cut at its longest"),
    "refusal": (
        said("", message={"content": None, "refusal": "I cannot judge people."}),
        "a refusal: 'I cannot judge people.'",
    ),
    "no chat": ({"data": []}, "an answer without choices.0.message"),
    "no JSON at all": (b"<html>", "an answer that is no JSON ('<html>')"),
}


@pytest.fixture
def rater(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:  # noqa: F811
    """A server that answers as `says` tells, and the file that names it."""
    monkeypatch.setenv("TINY_KEY", KEY)
    monkeypatch.setattr(stored_collections, "COLLECTIONS", folder.parent)
    (folder / "media").mkdir(exist_ok=True)
    Image.new("RGB", (64, 48), "red").save(folder / "media" / "v03.png")
    items = (folder / "items.csv").read_text().replace("v03.mp4,video", "v03.png,image")
    (folder / "items.csv").write_text(items)
    state: dict[str, Any] = {"says": lambda asked: (200, GOOD)}
    with served(lambda asked: state["says"](asked)) as server:
        state["asked"], state["file"] = server.asked, folder.parent / "rater.toml"
        state["file"].write_text(
            f'url = "{server.url}/v1/chat/completions?api-version=1"\nmodel = "tiny-vl"\n'
            '[headers]\nAuthorization = "Bearer ${TINY_KEY}"\n[settings]\ntemperature = 0\n'
        )
        yield state


def words_of(asked: Asked) -> list[str]:
    return [part["text"] for part in asked.body["messages"][1]["content"] if "text" in part]


def test_a_machine_is_asked_what_was_drawn_from_once_and_stays_apart_from_people(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, *SAMPLE)
    total = len(review.sample.results)
    code, rows, err = answer(
        capsys, "machine", review.id, "--rater", rater["file"], "--most", "3", "--tries", "1"
    )
    pictured = [row for row in rows if row["item_id"] == "v03"]
    unseen = [row for row in rows if row["item_id"] != "v03"]
    assert len(rows) == 3 and code == (1 if unseen else 0)
    assert all(row["value"] == "relevant" and not row["problem"] for row in pictured)
    assert all(row["value"] is None and "no picture" in row["problem"] for row in unseen)
    drawn = set(review.sample.drawn)
    assert {(row["query_id"], row["item_id"]) for row in rows} <= drawn, "those of people first"
    turns, most = threading.Semaphore(2), ("--at-once", "2", "--tries", "1")

    def counted(asked: Asked) -> tuple[int, Any]:
        free = turns.acquire(blocking=False)
        try:
            return (200, GOOD) if free else (400, {})
        finally:
            turns.release() if free else None

    rater["says"] = counted
    code, rows, err = answer(capsys, "machine", review.id, "--rater", rater["file"], *most)
    assert not any("400" in row["problem"] for row in rows), "two at the same time, no more"
    there = {(row["query_id"], row["item_id"]) for row in rows}
    assert len(there) == total - len(pictured), "what failed is asked again, what did not is not"
    for asked in rater["asked"]:
        assert asked.headers["Authorization"] == f"Bearer {KEY}"
        assert asked.body["model"] == "tiny-vl" and asked.body["temperature"] == 0
        text = json.dumps(asked.body)
        assert "v0.1" not in text and "v0.2" not in text, "it sees no version"
        assert any(word.startswith("Query: ") for word in words_of(asked))
        address = asked.body["messages"][1]["content"][-1]["image_url"]["url"]
        picture = Image.open(io.BytesIO(base64.b64decode(address.partition("base64,")[2])))
        assert address.startswith("data:image/jpeg;base64,") and picture.size == (64, 48)
    assert assigned.answers(review).empty, "never a person's"
    stored = assigned.review_named(review.id)
    assert stored is not None
    [machine] = stored.machines
    assert (machine.model, machine.settings) == ("tiny-vl", '{"temperature": 0}')
    assert "Is the result relevant" in machine.prompt and len(machine.fingerprint) > 12
    assert KEY not in repr(stored) and "api-version" not in repr(stored)
    given = reviews.latest(review.collection, reviews.MACHINE, assignment=review.id)
    assert set(given["author"]) == {"machine tiny-vl"} and set(given["kind"]) == {"machine"}
    assert set(given.loc[given["value"] == "relevant", "against"]) == {"tiny-vl-2026"}
    answered = int((given["value"] != "failed").sum())
    counts = reviewing.verdicts_by_cause(assigned.experiment_of(review, opened_in(folder)))
    assert counts.table["judged"].isna().all(), "in no count of people's verdicts"
    assert counts.machines.startswith(
        f"Kept apart and in no count: machine tiny-vl judged {answered} result"
    )
    code, rows, err = answer(capsys, "show", review.id)
    assert "Machine tiny-vl (prompt and settings " in err and "nobody knows how far" in err
    assert "machine" not in {row["reviewer"] for row in rows}


def test_a_call_that_is_stopped_keeps_its_answers_and_says_that_it_goes_on(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    review, save, saved = made(capsys, folder, *SAMPLE), machine_reviews._save, []

    def stops(*answered: Any) -> None:
        save(*answered)
        saved.append(answered)
        raise KeyboardInterrupt

    monkeypatch.setattr(machine_reviews, "_save", stops)
    assert main(["reviews", "machine", review.id, "--rater", str(rater["file"])]) == 2
    assert "stopped; the same command goes on where it was" in capsys.readouterr().err
    given = reviews.latest(review.collection, reviews.MACHINE, assignment=review.id)
    assert len(given) == len(saved) == 1


def test_another_prompt_is_another_machine_and_closing_keeps_both(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, *SAMPLE)
    answer(capsys, "machine", review.id, "--rater", rater["file"], "--most", "1")
    other = rater["file"].with_name("other.toml")
    other.write_text(f'prompt = "Judge."\n{rater["file"].read_text()}')
    answer(capsys, "machine", review.id, "--rater", other, "--most", "1")
    answer(capsys, "close", review.id)
    stored = assigned.review_named(review.id)
    assert stored is not None and stored.closed and len(stored.machines) == 2
    code, _, err = answer(capsys, "machine", review.id, "--rater", other)
    assert code == 2 and "this review is closed" in err


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_answer_is_null_and_listed(
    kind: str,
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, *SAMPLE)
    sent, sentence = BAD[kind]
    rater["says"] = lambda asked: (200, sent)
    code, rows, err = answer(capsys, "machine", review.id, "--rater", rater["file"], "--tries", "1")
    mine = [row for row in rows if row["item_id"] == "v03"]
    assert code == 1 and mine and "Traceback" not in err
    assert all(row["value"] is None and sentence in row["problem"] for row in mine)
    assert all(row["milliseconds"] is None for row in rows)


def test_a_slow_service_and_one_that_is_busy(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    review, free = made(capsys, folder, *SAMPLE), threading.Event()
    rater["says"] = lambda asked: (free.wait(30), (200, GOOD))[1]
    words = ("machine", review.id, "--rater", rater["file"])
    try:
        code, rows, _ = answer(capsys, *words, "--timeout", "0.3", "--tries", "1")
    finally:
        free.set()
    mine = [row["problem"] for row in rows if row["item_id"] == "v03"]
    assert code == 1 and mine and all("within 0.3 s" in problem for problem in mine)
    busy = iter([429])
    rater["says"] = lambda asked: (next(busy, 200), GOOD)
    _, rows, _ = answer(capsys, *words)
    assert all(row["value"] == "relevant" for row in rows if row["item_id"] == "v03")


def test_estimates_with_a_machine_are_corrected_by_people_or_not_there(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, "--sample", "99", "--metrics", "P@3")
    answer(capsys, "machine", review.id, "--rater", rater["file"], "--tries", "1")
    stored = assigned.review_named(review.id)
    assert stored is not None
    [machine] = stored.machines
    given = assigned.answers(stored)
    with pytest.raises(ValueError, match="people have to judge all drawn results first"):
        machine_reviews.estimates(stored, machine, given)
    for place, (query, item) in enumerate(stored.sample.drawn):
        assigned.save_judgement(stored, query, item, "Ada", "not", "", f"{place}")
    given = assigned.answers(stored)
    by_machine = machine_reviews.estimates(stored, machine, given)
    code, by_people, _ = answer(capsys, "estimate", review.id)
    people = [row for row in by_people if row["by"] == "people"]
    assert by_machine["estimate"].tolist() == pytest.approx([row["estimate"] for row in people])
    assert [row["by"] for row in by_people if row not in people] == ["people and tiny-vl"] * 3
    [first, second] = machine_reviews.sentences(stored, given)
    assert "Agreement with people: alpha " in first and "on 1 result (few)" in first
    assert "corrected by its errors on" in second


def test_no_machine_is_asked_unless_a_file_says_which(
    folder: Path,  # noqa: F811
    rater: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    review = made(capsys, folder, *SAMPLE)
    (folder / "rater.toml").write_text(rater["file"].read_text())
    code, _, err = answer(capsys, "machine", review.id)
    assert code == 2 and "--rater FILE.toml, or DASHBOARD_RATER" in err
    file = rater["file"].with_name("bad.toml")
    for text, sentence in (
        ('url = "ftp://x"\nmodel = "m"', "http:// or https://"),
        ('url = "http://u:p@x/y"\nmodel = "m"', "a name or password in it"),
        ('url = "http://x/y"', "no model"),
        ('url = "http://x/y"\nmodel = "m"\nframes = 99', "from 1 to 32"),
        ('url = "http://x/y"\nmodel = "m"\ntemperature = 0', "the keys temperature"),
        ('url = "http://x/y"\nmodel = "m"\n[settings]\nstream = true', "stream in [settings]"),
        ('url = "http://x/y"\nmodel = "m"\n[headers]\nA = "${NO_SUCH}"', "no variable NO_SUCH"),
    ):
        file.write_text(text)
        code, _, err = answer(capsys, "machine", review.id, "--rater", file)
        assert code == 2 and sentence in err, text
    other = made(capsys, folder)
    code, _, err = answer(capsys, "machine", other.id, "--rater", rater["file"])
    assert code == 2 and "a machine judges a sample" in err
    assert not rater["asked"]
    monkeypatch.setenv("DASHBOARD_RATER", str(rater["file"]))
    answer(capsys, "machine", review.id)
    assert rater["asked"]
