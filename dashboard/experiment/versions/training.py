"""Versions of a collection out of a running training: what sentence-transformers' trainer calls."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dashboard.experiment.collection.collections import opened_at
from dashboard.experiment.versions.embedding import Client, Limits, embed, encoder_of
from dashboard.retrieval.encoders.trainer_callback import trainer_callback as callback_of
from dashboard.tables import Findings

TRAINED = "the model in training; its copy is text_model/ of this version"
"""Where such a version's model came from: the folder that it was saved in is gone."""


def embed_model(folder: str, name: str, model: Any, note: str) -> None:
    """Embed the collection in a folder with a model in memory, as the command `embed` does.

    Raises DataError where it cannot be embedded, or there is a version of that name.
    """
    model = getattr(model, "module", model)  # trained on several devices
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="trained-") as place:
        model.save_pretrained(place)
        encoder = encoder_of(place, picture={}, headers={}, client=lambda _: Client())
        encoder = replace(
            encoder, name=TRAINED, settings={**encoder.settings, "text_model": TRAINED}
        )
        embed(opened_at(folder), name, encoder, Limits(), note=note, findings=findings)
    for sentence in findings.sentences("error", "warning"):
        warnings.warn(sentence, stacklevel=2)


def trainer_callback(folder: str, name: str, at: Sequence[str], note: str) -> Any:
    """What a trainer calls to add versions to the collection in a folder."""
    return callback_of(partial(embed_model, folder), name, at, note)
