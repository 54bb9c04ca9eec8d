"""One query as a reader sees it: its words, picture, feedback and keywords, and its values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.diagnosis.case import Pair
from dashboard.evaluation.digits import number, signed
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols.protocol import NOT_JUDGED
from dashboard.experiment import judging
from dashboard.experiment.collection import collections, media
from dashboard.experiment.memory import remembered
from dashboard.tables import counted
from dashboard.views.address.choices import View
from dashboard.views.cards.head import Chip, Head
from dashboard.views.labels import group_name, label, short_label
from dashboard.views.summary.index_cost import index_sentences
from dashboard.views.summary.measurements import (
    is_measure,
    metrics_in_view,
    not_comparable,
    outcome,
    values,
)
from dashboard.views.summary.protocol import labels_sentence
from dashboard.views.texts import plain, shown

TARGET = "Not scored. Describe the target to see scores."
FEEDBACK = ("feedback_1", "feedback_2", "feedback_3")


def picture_of(found: Any) -> dict[str, str]:
    """The picture or the text item that is searched with, and what is wrong if there should be
    one: picture, quote, problem."""
    experiment = found.experiment
    if not has_picture(found):
        return {}
    if experiment.picture:
        return {"picture": media.upload_address(experiment.picture)}
    if experiment.live:
        if not experiment.item:
            return {}
        item = media.media_of(experiment.collection, [experiment.item]).iloc[0]
        if item["kind"] == "text":
            return {"quote": item["caption"]}
        row = {"picture": item["poster"], "problem": item["problem"]}
    else:
        pictures = media.pictures_of(experiment.collection, [found.query_id])
        row = {str(column): value for column, value in pictures.iloc[0].items()}
    if row["picture"]:
        return {"picture": str(row["picture"])}
    if row.get("text"):
        return {"quote": str(row["text"])}
    return {"problem": f"No picture: {row['problem']}." if row["problem"] else ""}


def has_picture(found: Any) -> bool:
    """Whether a query is asked with more than words."""
    if found.experiment.picture:
        return True
    if found.experiment.text:
        return False
    row = _row(found)
    return bool(row["item_id"] or row.get("image", ""))


def _of_query(found: Any) -> tuple[Hashable, ...]:
    return found.experiment, found.query_id


def _row(found: Any) -> dict[str, Any]:
    """The row of a query in the table of the queries."""
    return judging.query_row(found.experiment, found.query_id)


def title(found: Any) -> str:
    """The query in words, or the item that it is about."""
    experiment, row = found.experiment, _row(found)
    if experiment.picture:
        return "Like your picture"
    if experiment.text or experiment.item:
        name = collections.item_names(experiment.collection).get(experiment.item, experiment.item)
        return str(row["text"] or f"Like {name}")
    return str(collections.query_names(experiment.collection)[found.query_id]).replace(
        "like ", "Like ", 1
    )


def pictures(view: View, query_ids: pd.Series) -> pd.Series | None:
    """The address of each query's picture for a table; None where no query has one."""
    found = media.pictures_of(collections.opened(view.collection), query_ids.tolist())
    if not (found["picture"] != "").any():
        return None
    return query_ids.map(found.set_index("query_id")["picture"])


def words(view: View, query_ids: pd.Series) -> pd.Series:
    """What each query is called, for a table."""
    names = collections.query_names(collections.opened(view.collection))
    return query_ids.map(lambda query: shown(names[query]))


def values_table(view: View, found: Any) -> None:
    """One query's value by each metric, a column a version."""
    box = st.expander("All metrics of this query", key="values", on_change="rerun")
    if not box.open:  # drawn and sent only where somebody looks
        return
    table, rows = values(view, found), []
    for metric in metrics_in_view(view):
        mine = table[is_measure(table, parse(metric)[0])].set_index("run")["value"]
        rows.append(
            {
                "Metric": plain(label(view, metric)),
                **{plain(str(v)): _number(x) for v, x in mine.items()},
            }
        )
    with box:
        st.table(pd.DataFrame(rows).set_index("Metric"))


def _number(value: float) -> str:
    return "not scored" if pd.isna(value) else number(value)


def head_of(view: View, found: Any, front: Mapping[str, float]) -> Head:
    """What stands above the cards of a query: its words, the keywords that it asks for, how many
    items have them all, and its values.

    front: its values by the metric in front, of the versions that answered.
    """
    row, experiment = _row(found), found.experiment
    unlike = not_comparable(view)
    chips, scored = _chips_and_count(found, tuple(view.groups))
    judged = judging.judgement(experiment).notes
    how = [f"{experiment.rules.title}: {' '.join(judged)}"] if judged else []
    if not (experiment.live or experiment.corrections):
        how += filter(None, [labels_sentence(view)])
    return Head(
        title=title(found),
        lines=tuple(str(row[column]) for column in FEEDBACK if row.get(column)),
        **picture_of(found),
        chips=chips,
        scored=scored,
        notes=(*filter(None, [unlike]), *how, *index_sentences(experiment, found.runs)),
        **_change(view, front, differs=not unlike or view.anyway == "yes"),
    )


def _change(view: View, front: Mapping[str, float], *, differs: bool) -> dict[str, str]:
    """The values of baseline and candidate by the metric in front, and, where that may be said, how
    they differ."""
    pair = [front.get(version, float("nan")) for version in (view.baseline, view.candidate)]
    if view.baseline == view.candidate or all(map(pd.isna, pair)):
        return {}
    delta = pair[1] - pair[0]
    return {
        "measure": short_label(view, view.metric),
        "values": " → ".join(map(number, pair)),
        "change": "" if pd.isna(delta) or not differs else signed(delta),
        "outcome": outcome(delta) if differs else "",
    }


def _of_query_and_groups(found: Any, groups: tuple[str, ...]) -> tuple[Hashable, ...]:
    return *_of_query(found), groups


@remembered(512, key=_of_query_and_groups)
def _chips_and_count(found: Any, groups: tuple[str, ...]) -> tuple[tuple[Chip, ...], str]:
    """The keywords of a query, and how many items are relevant or why it is not scored."""
    mapped = judging.mapped_of(found.experiment, found.query_id)
    needed = judging.all_required_of(found.experiment, found.query_id)
    chips = tuple(_chip(pair, mapped, pair[0] in groups) for pair in needed)
    reason = judging.counted_judgement(found.experiment).unscorable.get(found.query_id)
    relevant = len(set(found.as_ones(found.relevant)))
    count = f"{counted(relevant, 'relevant item')} {_among(found)}"
    if found.experiment.picture and not found.experiment.text and found.protocol.of_keywords:
        reason = TARGET
    elif reason == NOT_JUDGED and found.experiment.live:
        asks = ", and none asks for this item" * bool(
            found.experiment.item and found.protocol.mutual
        )
        reason = f"only stored queries have judgements{asks}"
    return chips, TARGET if reason == TARGET else f"Not scored: {reason}." if reason else count


def _among(found: Any) -> str:
    """Of how many the relevant items are: of the annotated ones, where others are not ranked."""
    if not found.protocol.condensed:
        return "in the collection"
    annotated = len(found.labels)
    if found.copy_of:
        annotated = len(set(found.as_ones(list(found.labels))))
    return f"of {counted(annotated, 'annotated item')}; others are not ranked"


def _chip(pair: Pair, mapped: Sequence[judging.Mapped], counts: bool) -> Chip:
    """A keyword with what it was mapped from, or that its group does not count."""
    group, keyword = pair
    words = [f"“{of.ngram}” {of.score:.2f}" for of in mapped if (of.group, of.keyword) == pair]
    source = ", ".join(words) if counts else f"({group_name(group)} does not count)"
    return Chip(keyword=keyword, source=source, counts=counts)
