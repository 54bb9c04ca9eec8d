"""How a protocol judges, in its own words, what it could not judge or left out, and which labels
count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import judging, measuring
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.reviews import label_changes
from dashboard.experiment.reviews.corrections import CORRECTED, GIVEN
from dashboard.tables import DataError, counted
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.summary.measurements import selected
from dashboard.views.texts import plain


def how_judged(view: View) -> None:
    """Draw the definition, formula and source of the view's protocol, and what it is blind to."""
    protocol = PROTOCOLS[view.protocol]
    with st.expander("Protocol definition", icon=":material/balance:"):
        st.markdown(f"**{plain(protocol.title)}** · {plain(protocol.definition, None)}")
        st.markdown(f"**Formula.** {plain(protocol.formula, None)}")
        st.markdown(f"**Source.** {plain(protocol.source, None)}")
        st.markdown("**Limitations**")
        st.markdown("\n".join(f"- {plain(sentence, None)}" for sentence in protocol.blind))


def judged_how(experiment: Experiment) -> None:
    """Show the notes of the judgement: what the protocol left out or replaced."""
    notes = judging.judgement(experiment).notes
    if notes:
        st.caption(plain(f"{experiment.rules.title}: {' '.join(notes)}", None))


def labels_line(view: View, *, stored: bool = True) -> None:
    """Say which labels count, where there are corrections, with a button for the others.

    stored: whether the screen shows stored queries; labels of a search are as given.
    """
    if not stored:
        if view.labels == CORRECTED:
            st.caption("Labels as given: corrections count for stored queries, not for a search.")
        return
    corrects, sentence = view.labels == CORRECTED, labels_sentence(view)
    if not sentence:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="labels-line"):
        st.caption(sentence, width="content")
        st.button(
            "Labels as given" if corrects else "Count corrections",
            type="tertiary",
            on_click=lambda: bar.go(labels=GIVEN if corrects else CORRECTED),
        )


def labels_sentence(view: View) -> str:
    """Which labels count, and how many labels reviewers change; empty where they change none and
    none would count."""
    corrects = view.labels == CORRECTED
    try:
        experiment = label_changes.with_corrections(experiment_of(view))
        changed = 0 if experiment is None else len(label_changes.changed_labels(experiment))
        words = 0 if experiment is None else label_changes.number_of_keywords(experiment)
    except DataError:
        if corrects:
            raise
        return ""  # labels as given depend on no review
    labels = counted(changed, "label")
    if words:
        labels += f" and {counted(words, 'keyword')}"
    if corrects:
        return f"Labels with corrections: reviewers change {labels}."
    return f"Labels as given: reviewers would change {labels}." if changed or words else ""


def no_items(view: View, versions: Iterable[str]) -> None:
    """Warn, a sentence each, of versions with results that are no items of the collection."""
    experiment = experiment_of(view)
    only = selected(view, experiment)
    _warn(measuring.outside_sentences(experiment, tuple(dict.fromkeys(versions)), only))


def not_run(view: View, versions: Iterable[str]) -> None:
    """Warn of versions that did not run some of the queries, with the reason."""
    experiment = experiment_of(view)
    only = selected(view, experiment)
    _warn(measuring.not_run_sentences(experiment, tuple(dict.fromkeys(versions)), only))


def _warn(sentences: Mapping[str, str]) -> None:
    for version, sentence in sentences.items():
        st.warning(plain(f"{version}: {sentence.rstrip('.')}.", None), icon=":material/rule:")
