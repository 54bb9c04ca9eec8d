"""A callback that adds versions of a model while it is trained."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dashboard.errors import Findings
from dashboard.plugins.versions.batch_encoders import open_model
from dashboard.plugins.versions.embedding import embed
from dashboard.storage.collection import open_collection
from dashboard.storage.settings import find_folder
from dashboard.tables import Names

EVENTS = {"end": "on_train_end", "evaluate": "on_evaluate", "save": "on_save"}
"""Events of a training, and what the trainer calls then."""


def trainer_callback(
    collection: str | Path, name: str, at: Names = ("end",), note: str = ""
) -> Any:
    """Make a callback for the trainer of sentence-transformers, which adds versions.

    Each version keeps a copy of the model, which embeds typed texts. What goes wrong is a warning:
    it ends no training.

    Args:
        collection: Name below the data folder, or folder.
        name: Of the version at the end; others have the number of the step behind it: `v5-200`.
        at: Some of EVENTS: at the end, after each evaluation, after each saved checkpoint.
        note: A sentence on what is new; empty: the step.

    Raises:
        ValueError: If there is no such event.
    """
    from transformers import TrainerCallback

    folder = find_folder(str(collection)).resolve()
    if isinstance(at, str) or not at or {*at} - EVENTS.keys():
        raise ValueError(f"at = {at!r}. Give a list of some of {', '.join(EVENTS)}.")
    added = set()

    def add(event: str, state: Any, model: Any) -> None:
        version = name if event == "end" else f"{name}-{state.global_step}"
        if not state.is_world_process_zero or version in added or model is None:
            return
        added.add(version)
        findings: Findings = []
        try:
            with tempfile.TemporaryDirectory(prefix="trained-") as place:
                getattr(model, "module", model).save_pretrained(place)  # trained on several devices
                told = note or f"step {state.global_step}"
                encoder = open_model(
                    Path(place), "the model in training; its copy is text_model/ of this version"
                )
                embed(open_collection(folder), version, encoder, findings, note=told)
            for each in findings:
                warnings.warn(f"{each.file}: {each.found}", stacklevel=2)
        except Exception as error:  # hours of training are worth more than a version
            warnings.warn(f"{version} was not added: {error}", stacklevel=2)

    def make(event: str) -> Callable[..., None]:
        return lambda self, args, state, control, **more: add(event, state, more.get("model"))

    hooks = {EVENTS[event]: make(event) for event in at}
    return type("AddVersions", (TrainerCallback,), hooks)()
