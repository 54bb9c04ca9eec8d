"""What sentence-transformers' trainer calls while it trains a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

EVENTS = ("end", "evaluate", "save")
"""When a version is added; after the last step it is called as the caller says, else with the
number of the step behind it."""


def trainer_callback(
    add: Callable[[str, Any, str], None], name: str, at: Sequence[str], note: str
) -> Any:
    """A `transformers.TrainerCallback` that adds versions of the model in training.

    add: adds one, given its name, the model and a note. at: some of EVENTS. What goes wrong is a
    warning: no training ends by it. Raises ValueError for another event, and ImportError without
    transformers.
    """
    from transformers import TrainerCallback

    unknown = [event for event in at if event not in EVENTS]
    if unknown or not at:
        raise ValueError(f"at={list(at)!r}; choose some of {', '.join(EVENTS)}")

    class AddVersions(TrainerCallback):  # type: ignore[misc, unused-ignore]
        """Adds a version after some events of a training."""

        def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self._add("evaluate", state, more)

        def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self._add("save", state, more)

        def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            self._add("end", state, more)

        def _add(self, event: str, state: Any, more: dict[str, Any]) -> None:
            if event not in at or not state.is_world_process_zero or more.get("model") is None:
                return
            version = name if event == "end" else f"{name}-{state.global_step}"
            if version in self._added:  # evaluated and saved after the same step
                return
            self._added.add(version)
            told = note or f"step {state.global_step} of {state.max_steps}"
            try:
                add(version, more["model"], told)
            except Exception as problem:  # hours of training are worth more than a version
                warnings.warn(f"{version} was not added: {problem}", stacklevel=2)

        def __init__(self) -> None:
            self._added: set[str] = set()

    return AddVersions()
