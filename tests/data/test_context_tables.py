"""The tables of the lists that ship, against plain loops over the CSV files, and scipy."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from statistics import fmean, pstdev, pvariance

import pytest
from scipy import stats

from dashboard.__main__ import main
from dashboard.storage.collection import collection as collections

NAME = "openmoji_context"
FOLDER = collections.COLLECTIONS / NAME
if not FOLDER.is_dir():
    pytest.skip(f"no collection {NAME}", allow_module_level=True)


def rows_of(table):
    with (FOLDER / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(autouse=True)
def nobody_has_rated(tmp_path, monkeypatch):
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path))


def printed(capsys, *arguments):
    assert main(["satisfaction", NAME, "--format", "json", *map(str, arguments)]) == 0
    out, complained = capsys.readouterr()
    assert "these support no conclusion" in complained
    found = json.loads(out)
    assert {row["answers"] for row in found} == {"simulated"}
    return found


class Plain:
    """The source's section 3 in loops: list → [(row, r)] of its valid pictures, scaled answer."""

    def __init__(self):
        said = defaultdict(list)
        for row in rows_of("relevance"):
            if float(row["relevance"]) >= 0:
                said[row["query_id"], row["item_id"]].append(float(row["relevance"]))
        self.shown = defaultdict(list)
        for row in rows_of("lists"):
            given = said.get((row["query_id"], row["item_id"]))
            r = fmean(given) / 100 if given else None
            self.shown[row["list_id"]].append((int(row["row"]), int(row["column"]), r))
        answered = {
            row["list_id"]: (row["participant"], int(row["satisfaction_simulated"]))
            for row in rows_of("satisfaction")
        }
        usable = {
            list_id: [place for place in sorted(places) if place[2] is not None]
            for list_id, places in self.shown.items()
        }
        kept = {  # at most 90 % of the relevance invalid
            list_id: places
            for list_id, places in usable.items()
            if 1 - len(places) / len(self.shown[list_id]) <= 0.9
        }
        by_person = defaultdict(dict)
        for list_id, (person, given) in answered.items():
            if list_id in kept:
                by_person[person][list_id] = given
        self.scaled, self.person = {}, {}
        for person, given in by_person.items():
            low, high = min(given.values()), max(given.values())
            if len(given) >= 3 and high > low:
                for list_id, value in given.items():
                    self.scaled[list_id] = (value - low) / (high - low)
                    self.person[list_id] = person
        self.kept = kept

    def lists(self, fewest):
        """The ids of the lists that are left, in the files' order."""
        return [
            list_id
            for list_id in self.shown
            if list_id in self.scaled and len({p[0] for p in self.kept[list_id]}) >= fewest
        ]

    def first(self, list_id, rows):
        """The relevance in the first rows that have any."""
        there = sorted({place[0] for place in self.kept[list_id]})[:rows]
        return [r for row, _, r in self.kept[list_id] if row in there]


@pytest.fixture(scope="module")
def plain():
    return Plain()


def in_context(r):
    best, found = 0.0, []
    for value in r:
        best = max(best, value)
        found.append(value * value / best if best else 0.0)
    return found


def windowed(r, w, divide):
    adjusted = in_context(r)
    found = []
    for k in range(1, len(r) + 1):
        inside = adjusted[max(0, k - w) : k]
        found.append(sum(inside) / (w if divide == "w" else len(inside)))
    return found


def values(r, gain):
    """The metrics of the source from one list: RBP, DCG, CG divided by the number of pictures."""
    k = len(r)
    going, err = 1.0, 0.0
    for rank, (value, g) in enumerate(zip(r, gain, strict=True), 1):
        err += g * going / rank
        going *= 1 - value
    return {
        "RBP": sum(0.05 * 0.95**i * g for i, g in enumerate(gain)) / k,
        "DCG": sum(g / math.log2(i + 2) for i, g in enumerate(gain)) / k,
        "CG": sum(gain) / k,
        "AVG": sum(gain) / k,
        "ERR": err,
        "MAX": max(gain),
    }


def correlated(values, felt):
    found = stats.spearmanr([round(value, 12) for value in values], felt)
    return found.statistic, found.pvalue


def williams_p(r12, r13, r23, n):
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    t = (r12 - r13) * math.sqrt(
        (n - 1) * (1 + r23)
        / (2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3)
    )  # fmt: skip
    return 2 * stats.t.sf(abs(t), n - 3)


def close(value):
    return pytest.approx(value, abs=1e-9)


def test_table_1_counts_people_queries_lists_and_images(capsys, plain):
    found = {row["part"]: row for row in printed(capsys, "--table", "sizes")}
    asked = {row["list_id"]: row["query_id"] for row in rows_of("lists")}
    everyone = {row["participant"] for row in rows_of("lists")}
    before = [None, len(everyone), len(set(asked.values())), len(asked), len(rows_of("lists"))]
    names = ("sessions", "participants", "queries", "lists", "images")
    assert [found["before cleaning"][name] for name in names] == before
    for fewest in (10, 15):
        left = plain.lists(fewest)
        people, words = {plain.person[i] for i in left}, {asked[i] for i in left}
        images = sum(len(plain.kept[i]) for i in left)
        row = found[f"at least {fewest} rows"]
        after = [None, len(people), len(words), len(left), images]
        assert [row[name] for name in names] == after


def test_cleaning_leaves_out_people_of_fewer_than_three_lists(capsys, plain):
    steps = {row["step"]: row for row in printed(capsys, "--table", "cleaning")}
    assert steps["all"]["participants"] == 22
    assert steps["participants with 3 lists or more"]["participants"] == 20  # two saw only two
    assert steps["participants whose satisfaction varies"]["lists"] == len(plain.scaled)
    assert steps["all"]["invalid"] == sum(
        r is None for places in plain.shown.values() for _, _, r in places
    )


@pytest.mark.parametrize("fewest", [5, 15])
def test_figure_3_draws_each_lists_mean_and_deviations(capsys, plain, fewest):
    found = printed(capsys, "--table", "spread", "--rows", fewest)
    assert [row["list_id"] for row in found] == plain.lists(fewest)
    for row in found:
        r = plain.first(row["list_id"], 5)
        assert row["mean"] == close(fmean(r))
        assert row["deviation"] == close(pstdev(r))
        assert row["deviation_in_context"] == close(pstdev(in_context(r)))
        assert row["satisfaction"] == close(plain.scaled[row["list_id"]])


def test_table_2_splits_lists_by_the_variance_of_relevance(capsys, plain):
    found = printed(capsys, "--table", "halves", "--rows", 10)
    ids = plain.lists(10)
    spread = {i: round(pvariance(plain.first(i, 10)), 12) for i in ids}
    ordered = sorted(ids, key=lambda i: -spread[i])  # stable
    quarter = len(ids) // 4
    parts = {"high": ordered[:quarter], "low": ordered[-quarter:]}
    assert len(found) == 12
    for row in found:
        some = [i for i in ids if i in parts[row["part"]]]
        name = row["metric"].partition("(")[0]
        each = [values(plain.first(i, 10), plain.first(i, 10))[name] for i in some]
        r, p = correlated(each, [plain.scaled[i] for i in some])
        assert (row["r"], row["p"], row["n"]) == (close(r), close(p), quarter)
        assert row["star"] == (p < 0.05)


CASES = [(10, 10, "window"), (5, 10, "window"), (15, 3, "window"), (10, 10, "w"), (7, 1, "w")]


@pytest.mark.parametrize(("rows", "w", "divide"), CASES)
def test_the_matrix_of_gains_stars_and_daggers(capsys, plain, rows, w, divide):
    found = printed(
        capsys, "--table", "gains", "--rows", rows, "--window", w, "--divide", divide
    )  # fmt: skip
    _same(plain, found, plain.lists(rows), rows, w, divide)


def test_table_3_has_the_columns_of_the_source(capsys, plain):
    found = printed(capsys, "--table", "depths")
    for fewest, rows in ((10, 10), (15, 5), (15, 10), (15, 15)):
        some = [row for row in found if (row["fewest_rows"], row["rows"]) == (fewest, rows)]
        _same(plain, some, plain.lists(fewest), rows, 10, "window")


def _same(plain, found, ids, rows, w, divide):
    felt = [plain.scaled[i] for i in ids]
    read = [plain.first(i, rows) for i in ids]
    original = [values(r, r) for r in read]
    aware = [values(r, windowed(r, w, divide)) for r in read]
    assert [row["discount"] for row in found] == ["RBP", "DCG", "CG", "AVG", "ERR", "MAX"]
    for row in found:
        one, two = ([each[row["discount"]] for each in kind] for kind in (original, aware))
        r1, p1 = correlated(one, felt)
        r2, p2 = correlated(two, felt)
        between = correlated(one, [round(value, 12) for value in two])[0]
        assert row["n"] == len(ids)
        assert (row["r_original"], row["p_original"]) == (close(r1), close(p1))
        assert (row["r_context"], row["p_context"]) == (close(r2), close(p2))
        assert (row["star_original"], row["star_context"]) == (p1 < 0.05, p2 < 0.05)
        p = 1.0 if abs(r1 - r2) < 1e-12 else williams_p(r2, r1, between, len(ids))
        assert row["p"] == close(p)
        assert row["dagger"] == (p < 0.05)
        assert row["difference"] == close(r2 - r1)


@pytest.mark.parametrize(("discount", "per_image"), [("DCG", True), ("ERR", False), ("MAX", False)])
def test_a_list_adds_up_to_its_value(capsys, plain, discount, per_image):
    found = printed(capsys, "--list", "l001", "--rows", 10, "--discount", discount)
    assert len(found) == len(plain.shown["l001"])
    seen = [row for row in found if row["rank"] is not None]
    r = plain.first("l001", 10)
    gain = windowed(r, 10, "window")
    assert [row["r"] for row in seen] == close(r)
    assert [row["adjusted"] for row in seen] == close(in_context(r))
    assert [row["gain"] for row in seen] == close(gain)
    if discount == "MAX":
        assert {row["discount"] for row in seen} == {None}
        return
    total = sum(row["adds"] for row in seen) / (len(seen) if per_image else 1)
    assert total == close(values(r, gain)[discount])
