"""How a protocol judges, in its own words, and what it could not judge or left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import judging, measuring
from dashboard.experiment.experiment import Experiment
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
