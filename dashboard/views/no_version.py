"""The page of a collection without a version: a sentence, and the command to type."""

from __future__ import annotations

from itertools import count

import streamlit as st

from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices
from dashboard.views.address import escape_markdown


def require_versions(collection: Collection, choices: Choices, number: int) -> None:
    """End the script with the commands that add a version, if a page needs more of them.

    Args:
        collection: What the page shows.
        choices: The versions that are compared.
        number: 0, 1, or 2 for a page that compares a version with another one.
    """
    there = list(collection.versions)
    candidate = choices["candidate"]
    if number <= len(there) and (number < 2 or choices["baseline"] != candidate):
        return
    if len(there) > 1:
        said = f"{candidate} is the baseline, too. Choose another version to compare it with."
        st.info(escape_markdown(said))
    else:
        none = "has no version that can be used" if collection.broken else "has no version yet"
        has = f"has one version, {there[0]}" if there else none
        wanted = "A comparison needs another one" if there else "This screen needs one"
        said = f"{collection.name} {has}. {wanted}. To add it, type one of these:"
        st.info(escape_markdown(said))
        st.code("\n".join(list_commands(collection)), language="sh", wrap_lines=True)
    st.stop()


def list_commands(collection: Collection) -> list[str]:
    """Return the commands that add a version: from an encoder, from vectors, or from results."""
    taken = {*collection.versions, *collection.broken}
    name = next(name for number in count(1) if (name := f"v{number}") not in taken)
    start = "python -m dashboard"
    return [
        f"{start} embed {collection.name} --version {name} --encoder module:function",
        f"{start} add {collection.name} {name} --items vectors.npz",
        f"{start} add {collection.name} {name} --run results.trec",
    ]
