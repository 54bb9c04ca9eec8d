"""Successors of commands, options and variables of the first edition."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

COMMANDS = {
    "digests": "add, embed and init record what a version was made for; check says what changed.",
    "links": "Send the address itself; a login and roles say who may open it.",
    "prepare": "Screens need no preparation any more.",
    "reference": "Type metrics, protocols or keys.",
}
OPTIONS = {
    "--level": "Write grades of at least 1 for relevant items into the judgements.",
    "--scale": "ERR takes the highest grade of the judgements.",
    "--submission": "Put gallery.npy and queries.npy into submissions/NAME/ of the collection.",
}
VARIABLES = {
    "DASHBOARD_ADDRESS": "links have no previews any more",
    "DASHBOARD_CACHE": "nothing that is computed is kept on the disk",
    "DASHBOARD_CACHE_MB": "nothing that is computed is kept on the disk",
    "DASHBOARD_DEMOS": "leave a collection out by moving its folder out of the data folder",
    "DASHBOARD_ENCODER_KEY": "the key of services is DASHBOARD_SERVICE_KEY",
    "DASHBOARD_RATER": "there are no machine raters any more",
    "DASHBOARD_SUBMISSIONS": "submissions are folders below submissions/ of a collection",
    "DASHBOARD_WRITE": "roles say who may do what: DASHBOARD_ROLES",
}


def explain_words(words: list[str]) -> str:
    """Return what to use in place of a command or an option of a call; "" if all are there."""
    if words and words[0] in COMMANDS:
        return f"There is no command {words[0]!r} any more. {COMMANDS[words[0]]}"
    gone = [word.partition("=")[0] for word in words if word.partition("=")[0] in OPTIONS]
    return f"There is no option {gone[0]} any more. {OPTIONS[gone[0]]}" if gone else ""


def explain_variables(given: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield a sentence for each variable that is set and not used any more."""
    for name, why in VARIABLES.items():
        if given.get(name):
            yield f"{name} is not used any more: {why}."
