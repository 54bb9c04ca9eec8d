"""Decodes large pictures in a process of its own, which `decoder` starts: what a stranger's picture
does to memory and time, it does here."""

from __future__ import annotations

import io
from collections.abc import Callable

from dashboard.storage.media.decoding.formats import NOT_DECODED, picture
from dashboard.storage.media.decoding.layouts import LAYOUTS
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, limit_memory

UNUSABLE = "unusable"
"""The kind of a refusal whose reason is the word of an Unusable."""


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The layout of an encoded picture: its mode, width and height, its pixels and colour profile.

    room: bytes that this may take beside the file.
    """
    del begun
    limit_memory(values["room"])
    try:
        still = LAYOUTS[values["layout"]](picture(io.BytesIO(content)))
    except MemoryError as error:
        raise Refused("memory", error) from error
    except Unusable as word:
        raise Refused(UNUSABLE, word) from word
    except NOT_DECODED as error:
        raise Refused("damaged", error) from error
    described = {"mode": still.mode, "width": still.width, "height": still.height}
    return described, still.tobytes() + still.info.get("icc_profile", b"")


if __name__ == "__main__":
    child.main(answer)
