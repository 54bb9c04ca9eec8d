"""AVG over the rows of a grid whose rows hold different numbers of pictures."""

import json
import math
from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dashboard.__main__ import main
from dashboard.evaluation.satisfaction.cleaning import gain_of, row_weights
from dashboard.storage.collection import collection as collections
from tests.storage.tiny import make_collection
from tests.test_screens import no_text_model, opened  # noqa: F401

LISTS, ROWS = 16, 16


def grid():
    """Lists of 16 rows of one to five pictures: list → rows of relevance, some −1 (invalid)."""
    rng = np.random.default_rng(5)
    return {
        f"l{n:02}": [
            [int(r) if rng.random() > 0.1 else -1 for r in rng.integers(0, 101, rng.integers(1, 6))]
            for _ in range(ROWS)
        ]
        for n in range(LISTS)
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = make_collection(tmp_path_factory.mktemp("rows") / "data" / "rows")
    places, said, items = [], [], []
    for n, (name, rows) in enumerate(grid().items()):
        for row, cells in enumerate(rows, start=1):
            for column, relevance in enumerate(cells, start=1):
                item = f"i{len(items):04}"
                items.append(item)
                places.append((name, f"p{n % 2}", f"q{n:02}", row, column, item))
                said.append((f"q{n:02}", item, "w", relevance))
    pd.DataFrame({"item_id": items}).to_csv(made / "items.csv", index=False)
    queries = {"query_id": [f"q{n:02}" for n in range(LISTS)], "text": "words"}
    pd.DataFrame(queries).to_csv(made / "queries.csv", index=False)
    columns = ["list_id", "participant", "query_id", "row", "column", "item_id"]
    pd.DataFrame(places, columns=columns).to_csv(made / "lists.csv", index=False)
    columns = ["query_id", "item_id", "worker", "relevance"]
    pd.DataFrame(said, columns=columns).to_csv(made / "relevance.csv", index=False)
    given = {"list_id": list(grid()), "participant": [f"p{n % 2}" for n in range(LISTS)]}
    felt = np.random.default_rng(8).integers(1, 6, LISTS)
    pd.DataFrame({**given, "satisfaction": felt}).to_csv(made / "satisfaction.csv", index=False)
    (made / "runs").mkdir()
    for name in ("a", "b"):
        run = pd.DataFrame({"query_id": ["q00", "q01"], "item_id": items[:2], "score": [2, 1]})
        run.to_csv(made / f"runs/{name}.csv", index=False)
    (made / "collection.toml").write_text('protocols = ["context"]\n')
    return made


def answer(capsys, folder, *words):
    assert main(["satisfaction", str(folder), "--format", "json", *map(str, words)]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def expected(folder, rows, w, divide, fewest):
    """Spearman of the mean of row means with satisfaction, of both gains, in plain loops."""
    felt = pd.read_csv(folder / "satisfaction.csv").set_index("list_id")
    by = felt.groupby("participant")["satisfaction"]
    low, high = by.transform("min"), by.transform("max")
    scaled = (felt["satisfaction"] - low) / (high - low)
    original, aware, answers = [], [], []
    for name, cells in grid().items():
        valid = [[r / 100 for r in row if r >= 0] for row in cells]
        valid = [row for row in valid if row]
        if len(valid) < fewest:
            continue
        seen = valid[:rows]
        r = [each for row in seen for each in row]
        best, adjusted, g = 0.0, [], []
        for each in r:
            best = max(best, each)
            adjusted.append(each * each / best if best else 0.0)
            last = adjusted[-w:]
            g.append(sum(last) / (w if divide == "w" else len(last)))
        gains = iter(g)
        original.append(round(fmean(map(fmean, seen)), 12))
        aware.append(round(fmean(fmean([next(gains) for _ in row]) for row in seen), 12))
        answers.append(scaled[name])
    return [stats.spearmanr(each, answers).statistic for each in (original, aware)], len(answers)


@pytest.mark.parametrize(("w", "divide"), [(10, "window"), (3, "w")])
def test_table_3_over_rows_is_that_of_plain_loops_and_not_cgs(capsys, folder, w, divide):
    words = ("--table", "depths", "--window", w, "--divide", divide)
    found, err = answer(capsys, folder, *words, "--average", "rows")
    usual, _ = answer(capsys, folder, *words)
    assert "pictures in each row" not in err
    for row, before in zip(found, usual, strict=True):
        if row["discount"] != "AVG":
            assert row == before
            continue
        both, number = expected(folder, row["rows"], w, divide, row["fewest_rows"])
        assert number == row["n"] > 8
        assert [row["r_original"], row["r_context"]] == pytest.approx(both, abs=1e-12)
        assert row["original"] == "AVG(rows=grid)" and before["original"] == "AVG"
        assert (row["r_original"], row["r_context"]) != (before["r_original"], before["r_context"])
        assert row["context_aware"].startswith("CAG(AVG(rows=grid)")


def test_table_2_and_a_single_list_over_rows(capsys, folder):
    over, _ = answer(capsys, folder, "--table", "halves", "--average", "rows")
    usual, _ = answer(capsys, folder, "--table", "halves")
    names = [row["metric"] for row in over]
    assert names.count("AVG(rows=grid)") == 2 and "AVG" not in names
    assert [r for r in over if "AVG" not in r["metric"]] == [
        r for r in usual if "AVG" not in r["metric"]
    ]
    steps, _ = answer(
        capsys, folder, "--list", "l00", "--discount", "AVG", "--average", "rows", "--rows", 5
    )
    read = [step for step in steps if step["rank"] is not None]
    assert sum(step["discount"] for step in read) == pytest.approx(1)
    weights = row_weights(np.array([step["row"] for step in read]))
    gains = gain_of(np.array([step["r"] for step in read]))
    assert sum(step["adds"] for step in read) == pytest.approx(float(weights @ gains))
    assert math.isclose(sum(step["adds"] for step in read), float(weights @ gains))


def test_where_all_rows_are_as_long_it_is_said_that_nothing_differs(capsys):
    _, err = answer(capsys, "openmoji_context", "--average", "rows")
    assert "5 pictures in each row, so AVG over rows is that of all pictures" in err


def test_the_screen_shows_what_the_command_prints(capsys, folder, monkeypatch, tmp_path):
    monkeypatch.setattr(collections, "COLLECTIONS", folder.parent)
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path))
    for average in ("rows", "pictures"):
        found, _ = answer(capsys, folder, "--table", "depths", "--average", average)
        app = opened("overview", collection=folder.name, average=average)
        assert not app.exception
        shown = next(t.value for t in app.table if t.value.index.name == "Discount").loc["AVG"]
        cells = {f"{1 if r['fewest_rows'] == 10 else 2}@{r['rows']}r": r for r in found
                 if r["discount"] == "AVG"}  # fmt: skip
        for name, row in cells.items():
            assert shown[f"{name} ORG"].rstrip("*†") == f"{row['r_original']:.3f}"
            assert shown[f"{name} CAG"].rstrip("*†") == f"{row['r_context']:.3f}"
        said = " ".join(caption.value for caption in app.caption)
        assert ("AVG: mean of the row means" in said) == (average == "rows")
