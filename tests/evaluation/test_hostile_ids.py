"""From TREC files with ids as hostile as they come: the same as pytrec_eval, query by query."""

import functools
import unicodedata

import numpy as np
import pytest
import pytrec_eval

from tests.evaluation.oracle import made_up
from tests.evaluation.test_from_files import values
from tests.evaluation.test_oracles import FAMILIES, TREC_EVAL

ITEMS, QUERIES = 40, 250
TWINS = ["Å", "é", "ſ", "ﬁ", "Ａ", "ö", "가", "各", "🇨🇭", "👩‍🔬"]


def after_a_shared_prefix(length):
    """Ids of one length or of several that differ behind so many bytes only."""
    return [("s" * length) + f"{n:02}"[: 1 + n % 2] + "abc"[: n % 3] + f"{n}" for n in range(ITEMS)]


def lookalikes():
    """Texts that are equal for whoever normalises, trims or folds, and different as bytes."""
    forms = ("NFC", "NFD", "NFKC", "NFKD")
    spelt = [unicodedata.normalize(form, text) for text in TWINS for form in forms]
    hidden = [f"a{mark}b" for mark in "\u200b\u200d\u2060\ufeff\u00ad\u00a0\u3000\x1f\x85\x7f"]
    spelt += [text.swapcase() for text in TWINS] + hidden + ["ab", "AB", "aB", "Ab"]
    return list(dict.fromkeys(spelt))


def numbers():
    """Texts that are the same number, or no number at all, to whoever converts them."""
    same = ["1", "01", "001", "1.0", "1.", "+1", "1e0", "1E0", "0x1", "1_0", "10", "1e1", "١", "१"]
    same += ["-1", "-0", "0", "0.0", "nan", "NaN", "NA", "N/A", "null", "None", "inf", "-inf", "∞"]
    return same + ["true", "True", "1970-01-01", "1,0", "1;0", "9" * 40, "9" * 39 + "8", "0" * 40]


def marks():
    """Texts with what other formats take for a quote, a comment, a field or an escape."""
    each = list("\"'`#,;|\\/<>&%$=@!?*+-_()[]{}~^:.")
    return [*each, '"a"', '"a', 'a"', "''", "\\n", "\\\\", "a,b", "=1+1", "--", "<b>", "%20"]


FORMS = {
    **{f"{length} bytes shared": after_a_shared_prefix(length) for length in (7, 8, 9, 15, 16, 17)},
    **{f"{length} bytes shared": after_a_shared_prefix(length) for length in (63, 64, 65)},
    **{f"{length} bytes shared": after_a_shared_prefix(length) for length in (255, 256, 3_000)},
    "shared behind": [f"{n}" + "t" * (5 + n % 3) * 30 for n in range(ITEMS)],
    "each a prefix of the next": ["x" * (n + 1) for n in range(ITEMS)],
    "lookalikes": lookalikes(),
    "numbers": numbers(),
    "marks": marks(),
}


made_up_once = functools.cache(made_up)


def renamed(table, items, queries, same_scores=False):
    """Both sides' ids in the hostile form; with `same_scores` all results are tied."""
    return {
        queries[int(query[1:])]: {
            items[int(item[1:])]: 0.5 if same_scores else value for item, value in row.items()
        }
        for query, row in table.items()
    }


def hostile(form, seed, same_scores):
    """Judgements and a run of made-up numbers under ids of a form, and lines in random order."""
    items = FORMS[form]
    queries = [*items, *(f"{items[n % len(items)]}~{n}" for n in range(len(items), QUERIES))]
    assert len(set(queries)) == QUERIES
    judged, found = made_up_once(seed, QUERIES, min(ITEMS, len(items)))
    return renamed(judged, items, queries), renamed(found, items, queries, same_scores)


LAYOUTS = ["{} {} {} {} {} {}\n", "{}\t{}\t{}  {}\t{} {}\r\n"]
WAYS = [
    pytest.param(
        form,
        LAYOUTS[layout],
        tied == "all tied",
        id=f"{form}-{LAYOUTS[layout]!r}-{tied}",
        marks=() if place % 4 == 2 * layout + (tied == "all tied") else pytest.mark.slow,
    )
    for place, form in enumerate(FORMS)
    for layout in range(len(LAYOUTS))
    for tied in ("some tied", "all tied")
]
"""Every form of ids, layout and kind of ties is among those that are not slow."""


@pytest.mark.parametrize(("form", "layout", "same_scores"), WAYS)
def test_pytrec_eval_gives_the_same_whatever_the_ids(form, layout, same_scores, tmp_path):
    seed = list(FORMS).index(form)
    qrels, run = hostile(form, seed, same_scores)
    results = [layout.format(q, "Q0", i, 0, repr(s), "x") for q in run for i, s in run[q].items()]
    judged = [f"{q} 0 {i} {g}\n" for q in qrels for i, g in qrels[q].items()]
    for number, (name, lines) in enumerate({"run.trec": results, "qrels.txt": judged}.items()):
        np.random.default_rng(seed + number).shuffle(lines)
        (tmp_path / name).write_bytes("".join(lines).encode())
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    ours = values(tmp_path / "qrels.txt", tmp_path / "run.trec")
    assert {query for _, query in ours} == set(qrels)
    for (name, query), value in ours.items():
        expected = theirs[query][TREC_EVAL[name]] if query in run else 0.0
        assert value == pytest.approx(expected, abs=1e-9), (name, query)
