"""Ticks, crosses and "2 of 3": one answer, whatever the order and number of keywords."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dashboard.evaluation.protocols.ticks import matches, ticks

PAIRS = st.tuples(st.sampled_from(["g", "h"]), st.sampled_from(["a", "b", "c"]))
OWNED = st.dictionaries(st.sampled_from(["i1", "i2", "i3"]), st.sets(PAIRS, min_size=1))
ASKED = st.dictionaries(st.sampled_from(["q1", "q2"]), st.sets(PAIRS, min_size=1))


def table(owned, key):
    rows = [(owner, *pair) for owner, pairs in owned.items() for pair in sorted(pairs)]
    return pd.DataFrame(rows, columns=[key, "group", "keyword"], dtype="str")


@given(OWNED, ASKED, st.sampled_from([None, ["g"], ["h"], []]))
def test_matches_count_what_sets_count(owned, asked, groups):
    found = matches(table(asked, "query_id"), table(owned, "item_id"), groups)
    expected = []
    for query, pairs in asked.items():
        wanted = {p for p in pairs if groups is None or p[0] in groups}
        for item, has in owned.items():
            if wanted:
                expected.append((query, item, len(wanted & has), len(wanted)))
    assert list(found.itertuples(index=False, name=None)) == expected


@given(OWNED, ASKED)
def test_ticks_add_up_to_matches(owned, asked):
    keywords, items = table(owned, "item_id"), ["i1", "i2", "i3"]
    for query, pairs in asked.items():
        required = table({query: pairs}, "query_id")
        shown = ticks(required, keywords, items)
        assert len(shown) == len(items) * len(pairs)
        counted = matches(required, keywords).set_index("item_id")
        for item, rows in shown.groupby("item_id"):
            if item in owned:
                assert sum(rows["present"]) == counted.loc[item, "matched"]
            else:
                assert set(rows["present"]) == {None}


def test_one_keyword_in_two_groups_is_two_keywords():
    keywords = table({"i1": {("object", "bus")}}, "item_id")
    shown = ticks(table({"q": {("object", "bus"), ("scene", "bus")}}, "q"), keywords, ["i1"])
    assert shown["present"].tolist() == [True, False]


def test_nothing_asked_has_no_ticks():
    keywords = table({"i1": {("g", "a")}}, "item_id")
    assert ticks(table({}, "query_id"), keywords, ["i1"]).empty
    assert matches(table({}, "query_id"), keywords).empty
    assert ticks(table({"q": {("g", "a")}}, "query_id"), keywords, []).empty
