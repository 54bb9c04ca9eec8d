"""A review that draws results at random: from the command to the estimate of a metric."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.experiment.reviews import assigned_reviews as assigned
from dashboard.experiment.reviews import sampled_reviews
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.review_keys import key_of
from tests.experiment.test_assigned_reviews import answer, folder, made  # noqa: F401

SAMPLE = ("--metrics", "P@3", "--seed", "5")
NOT_JUDGED = {"reviewers": 0, "worth": None}


@pytest.mark.parametrize("metric", ["P@3", "nDCG@3"])
def test_a_census_by_a_reviewer_is_the_metric_and_a_part_is_nothing(
    folder: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    metric: str,
) -> None:
    ratio = metric != "P@3"
    review = made(capsys, folder, "--sample", "999", "--metrics", metric, "--seed", "5")
    drawn = review.sample.drawn
    code, rows, err = answer(capsys, "sample", review.id)
    assert code == 0 and len(rows) == len(drawn) > 4
    strata = [f"ranks 1–3 of {row['query_id']}" if ratio else "ranks 1–3" for row in rows]
    assert [row.pop("stratum") for row in rows] == strata
    assert all(row["probability"] == 1 and NOT_JUDGED.items() <= row.items() for row in rows)
    labelled = {("q1", "v00"), ("q2", "v01"), ("q3", "v02")}
    assert not labelled & set(drawn), "what is judged already is certain"
    code, rows, err = answer(capsys, "estimate", review.id)
    assert code == 2 and not rows and f"0 of {len(drawn)} drawn results judged" in err
    for place, (query, item) in enumerate(drawn):
        value = "relevant" if place % 2 else "not"
        assigned.save_judgement(review, query, item, "Ada", value, "", f"once-{place}")
    code, rows, err = answer(capsys, "estimate", review.id)
    assert code == 0 and f"note: Estimates, not values: {metric}" in err
    assert ("It is a ratio of two estimates, which is biased" in err) == ratio
    assert [row["version"] for row in rows] == ["v0.1", "v0.2", "v0.2 − v0.1"]
    assert any(row["low"] < row["high"] for row in rows) == ratio, "all are judged"
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows)

    if ratio:
        given = assigned.answers(review)
        with pytest.raises(ValueError, match="nDCG@3 is a ratio, and a machine's errors correct"):
            sampled_reviews.corrected(review, given, given[["query_id", "item_id", "value"]])

    says = {pair for place, pair in enumerate(drawn) if place % 2} | labelled
    lines = "".join(f"{query} 0 {item} 1\n" for query, item in sorted(says))
    (folder / "qrels.txt").write_text(lines)
    assert main(["measure", str(folder), "--metrics", metric, "--format", "json"]) == 0
    measured = {row["run"]: row["mean"] for row in json.loads(capsys.readouterr().out)}
    assert [row["estimate"] for row in rows[:2]] == pytest.approx(
        [measured["v0.1"], measured["v0.2"]]
    )


def test_only_answers_of_the_review_on_what_it_drew_count(
    folder: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, "--sample", "4", *SAMPLE)
    drawn = review.sample.drawn
    query, item = drawn[0]
    reviews.append(
        reviews.Review(
            reviews.VERDICT, key_of(open_collection(folder, allow_path=True)), "relevant", "Bob",
            query_id=query, item_id=item,
        )
    )  # fmt: skip
    assert assigned.answers(review).empty, "a verdict beside the review saw the versions"
    with pytest.raises(ValueError, match="not in the review's sample"):
        assigned.save_judgement(review, "q1", "v00", "Ada", "relevant", "", "1")
    with pytest.raises(ValueError, match="'3' is no judgement"):
        assigned.save_judgement(review, query, item, "Ada", "3", "", "1")
    with pytest.raises(ValueError, match="not in the review"):
        assigned.save_answer(review, query, "Ada", "Same", "", "1")
    pair = ("--baseline", "v0.1", "--candidate", "v0.2")
    code, rows, err = answer(capsys, "next", folder, *pair)
    assert [(row["query_id"], row["item_id"]) for row in rows] == list(drawn) and code == 0
    assert {row["review"] for row in rows} == {review.id} and f"review={review.id}" in err
    assigned.save_judgement(review, query, item, "Ada", "unsure", "", "1")
    for person in (("--author", "Ada"), ()):
        _, rows, _ = answer(capsys, "next", folder, *pair, *person)
        assert [(row["query_id"], row["item_id"]) for row in rows] == list(drawn)[1:]
    _, rows, _ = answer(capsys, "next", folder, *pair, "--author", "Bob")
    assert len(rows) == len(drawn)
    table = assigned.progress(review, assigned.answers(review))
    assert table[["answered", "results"]].to_numpy().tolist() == [[1, len(drawn)]]
    assert (
        f"0 of {len(drawn)} drawn results judged"
        in assigned.findings(review, assigned.answers(review))[0]
    ), "unsure is no judgement"
    code, rows, _ = answer(capsys, "list", folder)
    assert code == 0 and rows[0]["drawn"] == len(drawn)


def test_what_cannot_be_sampled_is_a_sentence(
    folder: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("create", folder, "--baseline", "v0.1", "--candidate", "v0.2", "--title", "x")
    for more, sentence in (
        (
            ("--metrics", "RR@3"),
            "no sample estimates RR@3: it estimates P@10, DCG@10, RBP@10, R@10",
        ),
        (("--metrics", "P@3 P@5"), "a sample estimates one metric: --metrics P@10"),
    ):
        code, _, err = answer(
            capsys, *words, "--choose", "random", "--author", "Ada", "--sample", "5", *more
        )
        assert code == 2 and sentence in err
    review = made(capsys, folder)
    for action in ("sample", "estimate"):
        code, _, err = answer(capsys, action, review.id)
        assert code == 2 and "this review draws no sample" in err


def test_the_sentence_of_a_sample_names_what_it_rests_on(
    folder: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    review = made(capsys, folder, "--sample", "4", *SAMPLE)
    for place, (query, item) in enumerate(review.sample.drawn):
        assigned.save_judgement(review, query, item, "Ada", "not", "", f"{place}")
    sentence = sampled_reviews.conclusion(review, assigned.answers(review))
    total = len(review.sample.results)
    assert re.match(
        rf"P@3 over \d+ quer(y|ies), estimated from {place + 1} of {total} results: v0.2 0.",
        sentence,
    )
    assert " (95 % " in sentence
