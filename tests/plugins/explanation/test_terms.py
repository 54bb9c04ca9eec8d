"""Terms add up to the values, for every metric that is made of them; a list worked by hand."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.evaluation.block import Sum
from dashboard.evaluation.judgement import TableJudgement
from dashboard.evaluation.measurement import list_blocks
from dashboard.evaluation.metrics import NAMES, parse
from dashboard.plugins import load_all
from dashboard.retrieval.gallery import SortedRanking
from dashboard.retrieval.sources import Run
from tests.core.test_screens import draw
from tests.plugins.worlds import call, write_world

ITEMS, QUERIES = 30, 12
SUMS = {
    "P", "R", "AP", "AP(retrieved)", "AP(min)", "AP(annotated)", "AP(R)", "Rprec", "RR", "Judged",
    "nDCG", "nDCG(exp)", "nDCG(ideal=retrieved)", "nDCG(exp,ideal=retrieved)", "DCG", "DCG(exp)",
    "CG", "DCG(credit)", "RBP", "ERR", "ERR(exp)", "AVG", "CAG(RBP)", "CAG(DCG)", "CAG(CG)",
    "CAG(AVG)", "CAG(ERR)", "bpref", "num_rel_ret",
}  # fmt: skip
SETTINGS = (
    "CG(per=image)@4 RBP(0.5,per=image)@3 AVG(rows=4) CAG(DCG,w=3,divide=w,per=list)@7 "
    "CAG(RBP(0.8),w=2) CAG(AVG(rows=2))@6 ERR(per=image) DCG(credit,per=image)@5"
)


class RandomSource:
    """Lists of results in random order, some empty."""

    not_run: dict[int, str] = {}

    def rank(self, queries):
        rng = np.random.default_rng(len(queries))
        for query in queries.tolist():
            found = rng.permutation(ITEMS)[: query * 3]
            yield SortedRanking(found, np.sort(rng.random(len(found)))[::-1])


class PartlyJudgement(TableJudgement):
    """Grades to 4 as partial relevance of quarters."""

    def credits(self, query: int) -> np.ndarray:
        return np.nan_to_num(self.grades(query)) / 4


def list_measures() -> list[str]:
    load_all("metrics")
    cuts = {"never": [""], "required": ["@1", "@5"], "optional": ["", "@1", "@5"]}
    metrics = dict.fromkeys(NAMES.values())
    known = [f"{m.title}{cut}" for m in metrics if m.name in SUMS for cut in cuts[m.cutoff]]
    return [*known, *SETTINGS.split()]


@pytest.mark.parametrize("name", list_measures())
def test_terms_add_up(name: str) -> None:
    """Terms of a query, added up one by one up to the cutoff, are its value."""
    rng, (measure,) = np.random.default_rng(7), parse(name)
    pairs = {
        query: (np.arange(0, ITEMS, 2), rng.integers(-1, 5, ITEMS // 2).astype(float))
        for query in range(QUERIES - 1)
    }
    run = Run(RandomSource(), np.full(QUERIES, -1))
    judged = PartlyJudgement(ITEMS, pairs, unscorable={})
    blocks = list_blocks(run, np.arange(QUERIES), judged, [measure])
    for _, block in blocks:
        found = measure.explain(block)
        assert isinstance(found, Sum)
        values = measure(block)
        assert (~np.isnan(values)).any()
        for query, value in enumerate(values):
            added = 0.0
            for row, rank, term in zip(found.row, found.rank, found.terms, strict=True):
                if row == query and rank <= (measure.cutoff or ITEMS):
                    added += term / found.divisor[query] if found.divisor[query] else np.nan
            assert np.isnan(value) or added == pytest.approx(value, abs=1e-12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a, b, c and d in this order, b and d are relevant, with grades 1 and 3; e is missed."""
    vectors = {"a": [1.0, 0.0], "b": [1, 0.1], "c": [1, 0.2], "d": [1, 0.3]}
    return write_world(
        tmp_path / "data" / "five", 'title = "Five"\n',
        "item_id\na\nb\nc\nd\ne\n", "query_id,text\nq,one\nr,two\n",
        vectors, {"q": [1, 0.0], "r": [1, 0.0]},
        "q 0 b 1\nq 0 d 3\nq 0 a 0\nq 0 e 1\n",
    )  # fmt: skip


def test_by_hand(folder: Path) -> None:
    words = ("measure", folder, "--metrics", "AP P@3 nDCG@4")
    code, rows, _ = call(*words, "--explain", "q")
    ideal = 3 + 1 / np.log2(3) + 1 / 2
    found = [(row["metric"], row["rank"], row["item_id"], row["grade"], row["hit"]) for row in rows]
    assert code == 0 and found == [
        ("AP", 2, "b", 1, True), ("AP", 4, "d", 3, True),
        ("P", 1, "a", 0, False), ("P", 2, "b", 1, True), ("P", 3, "c", None, None),
        ("nDCG", 1, "a", 0, False), ("nDCG", 2, "b", 1, True), ("nDCG", 3, "c", None, None),
        ("nDCG", 4, "d", 3, True),
    ]  # fmt: skip
    terms = [1 / 6, 1 / 6, 0, 1 / 3, 0, 0, 1 / np.log2(3) / ideal, 0, 3 / np.log2(5) / ideal]
    assert [row["term"] for row in rows] == pytest.approx(terms, abs=1e-12)
    last = {row["metric"]: row["sum"] for row in rows}
    assert last == {r["metric"]: r["value"] for r in call(*words, "--by-query")[1][::2]}
    (folder / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\nq 0 c 1\n")
    rows = call("measure", folder, "--metrics", "P@5", "--explain", "q")[1]
    assert [row["sum"] for row in rows] == [0.2, 0.4, 0.6, 0.6]  # 3 / 5, not 3 times 1 / 5


@pytest.mark.parametrize(
    ("query", "metrics", "said"),
    [
        ("q", "Success@2", "note: v1: Success@2 is not made of one term a result."),
        ("r", "AP", "note: v1: AP has no value: no judged item."),
        ("x", "AP", "error: There is no query 'x' of the kind in question."),
    ],
)
def test_without_terms(folder: Path, query: str, metrics: str, said: str) -> None:
    code, rows, err = call("measure", folder, "--explain", query, "--metrics", metrics)
    assert (code, rows, err.strip()) == (2 if query == "x" else 0, [], said)


def test_a_metric_of_its_protocol() -> None:
    """P(H<=2) is computed from distances, which no list of results holds."""
    data = Path(__file__).parents[3] / "data" / "digits_hashes"
    query = (data / "queries.csv").read_text().splitlines()[1].split(",")[0]
    code, rows, err = call("measure", data, "--explain", query, "--metrics", "P(H<=2)")
    assert (code, rows) == (0, []) and "P(H<=2) is not made of one term" in err


def test_section(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table below the cards is of the query that is open, and drawn when it is asked for."""
    for query, said in (("q", "v1: 0.333, the sum of 2 terms"), ("r", "AP has no value")):
        drawn = draw(folder, monkeypatch, "query", collection="five", metric="AP", query=query)
        assert not any(said in each.value for each in drawn.text)
        drawn.toggle(key="terms").set_value(True).run()
        assert drawn.query_params["terms"] == "yes"
        assert any(said in each.value for each in drawn.text) and not drawn.exception
    (cards,) = [e.proto.bytes for e in drawn.get("bidi_component") if b"payloads" in e.proto.bytes]
    assert cards.count(b"AP has no value: no judged item.") == 1 and b'"grade": "3"' in cards
