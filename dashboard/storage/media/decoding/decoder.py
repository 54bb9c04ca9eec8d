"""Decodes pictures and makes them small: ordinary ones here, large ones in a process that has
limits on memory and time, and whose memory is not the server's."""

from __future__ import annotations

from typing import BinaryIO

from PIL import Image

from dashboard.storage.media.decoding import decoder_child
from dashboard.storage.media.decoding.decoder_queue import LARGE
from dashboard.storage.media.decoding.formats import NOT_DECODED, picture, pixels_of
from dashboard.storage.media.decoding.layouts import LAYOUTS
from dashboard.storage.media.safe_open import NotMade, Unusable
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal

PATIENCE = 20.0  # seconds to decode a large picture
ROOM = 350_000_000  # bytes that decoding one may take beside its file
LARGEST_FILE = 100_000_000  # bytes of a file with a large picture
PROCESSES = Pool(decoder_child.__name__, 1)
_LARGEST_ANSWER = 8_000_000  # bytes: four for each pixel of an upload, and a colour profile


def laid_out(file: BinaryIO, layout: str) -> Image.Image:
    """The small picture that a layout of LAYOUTS makes of an encoded one, for whoever has the turn.

    Raises NotMade where the pixels cannot be decoded, within PATIENCE and ROOM if they are many;
    Unusable for what is no picture or too large.
    """
    if pixels_of(file) > LARGE:
        return laid_out_elsewhere(file, layout)
    try:
        return LAYOUTS[layout](picture(file))
    except NOT_DECODED as error:
        raise NotMade("damaged") from error


def laid_out_elsewhere(file: BinaryIO, layout: str) -> Image.Image:
    """The same by the process with limits, however small the picture is."""
    file.seek(0)
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise Unusable(f"larger than {LARGEST_FILE:,} bytes")
    try:
        values, pixels = PROCESSES.ask(
            {"layout": layout, "room": ROOM}, content, seconds=PATIENCE, most=_LARGEST_ANSWER
        )
        mode, size = str(values["mode"]), (int(values["width"]), int(values["height"]))
        length = size[0] * size[1] * Image.getmodebands(mode)
        still = Image.frombytes(mode, size, pixels[:length])
    except ProcessEnded as end:
        word = f"not decoded within {PATIENCE:g} s" if end.late else "damaged"
        raise NotMade(word) from end
    except Refusal as reason:
        if reason.kind == decoder_child.UNUSABLE:
            raise Unusable(reason.why) from reason
        word = "takes too much memory to decode" if reason.kind == "memory" else "damaged"
        raise NotMade(word) from reason
    except (ValueError, TypeError, KeyError) as error:
        raise NotMade("damaged") from error
    if len(pixels) > length:
        still.info["icc_profile"] = pixels[length:]
    return still
