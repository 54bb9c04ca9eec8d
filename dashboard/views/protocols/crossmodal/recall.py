"""Image-text matching of whole versions: R@K both ways, Rsum, mR, and ranks of the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import percent
from dashboard.evaluation.image_text.recalls import FOLD, FOLDS, TESTS, WHOLE, with_sums
from dashboard.evaluation.measure import summarise
from dashboard.evaluation.metrics.crossmodal import CUTOFFS
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT, USUAL_TEXTS
from dashboard.experiment import judging, measuring
from dashboard.experiment.protocols import matching
from dashboard.tables import DataError, between
from dashboard.views import frame, layout, summary
from dashboard.views.address.choices import TEST_NAMES, View
from dashboard.views.experiments import experiment_of
from dashboard.views.protocols.crossmodal.ranks import WAYS, ranks
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain

OF = {IMAGE: "i2t_R", TEXT: "t2i_R"}
SIX = [(name, k) for name in OF.values() for k in CUTOFFS]
SUMS = [("Rsum", None), ("mR", None)]
BEST = 1e-9
SAME = {WHOLE[FOLD]: "1K"}
"""Of a thousand pictures the first thousand are all."""


def overview(view: View) -> None:
    """Draw the section of the Overview."""
    st.header("Recall in both directions", anchor=False)
    pictures, offered, called = _offered(view)
    names = TEST_NAMES | ({"whole": f"{called} (all)"} if called else {})
    if len(offered) > 1 or view.test not in offered:
        every = dict.fromkeys([*offered, view.test])
        frame.segments("Test", "test", {test: names[test] for test in every}, view)
    if called and view.test == "whole":
        st.caption(f"All pictures and texts of this collection: the {called}.")
    if view.test not in offered:
        st.error(plain(f"{TEST_NAMES[view.test]} is not available: {pictures}.", None))
    elif view.test == "whole":
        _recalls(view)
    else:
        _thousands(view)
    missing = [test for test in TESTS if test not in offered and test != SAME.get(called)]
    if missing:
        needed = [f"{TEST_NAMES[test]} needs {FOLDS[test] * FOLD:,} pictures" for test in missing]
        st.caption(plain(f"Not available: {', '.join(needed)}; {pictures}.", None))
    ranks(view)


def _offered(view: View) -> tuple[str, list[str], str]:
    """How many pictures the collection has, in words, the tests that are large enough, and what
    that of all pictures is called; one that is the same as this is offered to its links only."""
    try:
        number = matching.picture_queries(experiment_of(view))
    except DataError as problem:
        return str(problem).rstrip("."), ["whole"], ""
    called = WHOLE.get(number, "")
    large = [
        test
        for test, folds in FOLDS.items()
        if number >= folds * FOLD and (test != SAME.get(called) or view.test == test)
    ]
    return f"this collection has {number:,} picture queries", ["whole", *large], called


def _recalls(view: View) -> None:
    """The table of all queries in view, from the measurements that every screen shows."""
    single = _single(view)
    means = with_sums(single)
    scored = {kind: _scored(means, OF[kind]) for kind in WAYS}
    _table(means)
    without = [WAYS[kind] for kind, number in scored.items() if not number]
    if without:
        st.caption(
            f"{' and '.join(without)}: no such query in view, so Rsum and mR have no value. Choose "
            "all queries on the left."
        )
    st.caption(
        f"In per cent, best in bold. Rsum: sum of the six, of 600. mR: their mean. {_of(scored)}"
        f"{_ratio(view)}"
    )
    lacking = _lacking(single, means)
    if lacking:
        st.caption(
            plain(
                f"{', '.join(lacking)}: Rsum and mR have no value per query, because a text is "
                "scored whose picture is not.",
                None,
            )
        )
    save_button(view, "recalls.csv")


def _single(view: View) -> pd.DataFrame:
    """The means of the protocol's metrics over the queries in view."""
    experiment = experiment_of(view)
    values = measuring.measurements(experiment, view.runs, PROTOCOLS[view.protocol].metrics)
    return summarise(measuring.of_queries(summary.selected(view, experiment), values))


def _named(view: View) -> str:
    of_test = "" if view.test == "whole" else f"-{view.test.replace(' ', '-')}"
    return f"{view.collection}-recalls{of_test}"


@table_file("recalls", _named, under="crossmodal")
def recalls(view: View) -> pd.DataFrame:
    """The recalls of the test in view with their sums, a row a version and metric."""
    if view.test == "whole":
        return with_sums(_single(view))
    tables, problems, _ = _tests(view)
    if not tables:
        raise problems[0]
    return pd.concat(tables, ignore_index=True)


def _lacking(single: pd.DataFrame, means: pd.DataFrame) -> list[str]:
    """The versions that have a sum of six recalls but no sums of single queries."""
    known, there = (
        set(table.loc[(table["metric"] == "Rsum") & table["mean"].notna(), "run"])
        for table in (means, single)
    )
    return [run for run in dict.fromkeys(means["run"]) if run in known - there]


def _thousands(view: View) -> None:
    """The table of one of COCO's tests, from the vectors of each version."""
    test: str = view.test
    tables, problems, notes = _tests(view)
    for problem in problems:
        st.error(plain(str(problem), None))
    if not tables:
        return
    means = pd.concat(tables, ignore_index=True)
    _table(means)
    st.caption(
        plain(
            f"{TESTS[test]}. In per cent. Rsum: sum of the six, of 600. mR: their mean. "
            f"{_of({kind: _scored(means, OF[kind]) for kind in WAYS})} All queries count, "
            "whatever slice is chosen. A gallery of 1,000 is easier than a larger one: compare "
            f"values of the same test only. {' '.join(notes)}",
            None,
        )
    )
    save_button(view, "recalls.csv")


def _tests(view: View) -> tuple[list[pd.DataFrame], list[DataError], list[str]]:
    """The test in view of each version that has it, why others have none, and notes."""
    experiment, notes = experiment_of(view), dict[str, None]()
    tables, problems = list[pd.DataFrame](), list[DataError]()
    for version in view.runs:
        try:
            found = matching.test_of(experiment, version, view.test)
        except DataError as problem:
            problems.append(problem)
            continue
        tables.append(found.table.assign(run=version))
        notes |= dict.fromkeys(found.notes)
    return tables, problems, list(notes)


def _scored(means: pd.DataFrame, metric: str) -> int:
    return int(means.loc[means["metric"] == metric, "scored"].max())


def _of(scored: dict[str, int]) -> str:
    said = {
        IMAGE: "Image to text: {:,} pictures, any of their texts counts.",
        TEXT: "Text to image: {:,} texts, each with its picture.",
    }
    return " ".join(said[kind].format(number) for kind, number in scored.items() if number)


def _ratio(view: View) -> str:
    """How many texts a picture has."""
    judged = judging.counted_judgement(experiment_of(view))
    numbers = {
        number
        for query, number in zip(judged.query_ids, judged.relevant.tolist(), strict=True)
        if judged.kinds.get(query) == IMAGE
    }
    if not numbers:
        return ""
    each = between(min(numbers), max(numbers))
    usual = "as in the source" if numbers == {USUAL_TEXTS} else f"the source has {USUAL_TEXTS}"
    return f" A picture has {each} texts ({usual})."


def _table(means: pd.DataFrame) -> None:
    """A row a version. means: run, metric, cutoff, mean."""
    cutoff = means["cutoff"].astype("object").where(means["cutoff"].notna(), None)
    keys = zip(means["run"], means["metric"], cutoff, strict=True)
    known = dict(zip(keys, map(float, means["mean"]), strict=True))
    runs = list(dict.fromkeys(means["run"]))
    columns = {}
    for name, k in [*SIX, *SUMS]:
        values = [known.get((run, name, k), float("nan")) for run in runs]
        best = np.nanmax(values) if not np.isnan(values).all() else np.nan
        columns[_title(name, k)] = [_cell(value, best) for value in values]
    table = pd.DataFrame(columns, index=pd.Index([plain(run) for run in runs], name="Version"))
    layout.table(table, "table-1")


def _title(name: str, k: int | None) -> str:
    if k is None:
        return "Rsum (of 600)" if name == "Rsum" else "mR"
    return f"{'i → t' if name == OF[IMAGE] else 't → i'} R@{k}"


def _cell(value: float, best: float) -> str:
    if np.isnan(value):
        return "–"
    text = percent(value)
    return f"**{text}**" if value >= best - BEST else text
