"""`embed`: a new version, its items and text queries embedded by an encoder."""

import tomllib
from argparse import Namespace

from dashboard.commands.options import FINE, Answer, complain, open_call
from dashboard.commands.output import draw_bar, say, say_where
from dashboard.errors import Findings
from dashboard.plugins.versions.add_command import read_version_name

HELP = "embed a collection as a new version; after a stop the same call goes on where it was"
OPTIONS = """
VERSION/--version  name of the new version; with --what queries, of one that is there
--encoder ENCODER  folder or hub name of a sentence-transformers model, FILE.onnx, module:function
    or http://…
--what all|items|queries  all (default): items and text queries; items: texts are embedded when
    they are asked; queries: those of a version that is there, by its own text model or --encoder
--frames COUNT  frames of a clip, whose mean is its vector (default 8)
--batch COUNT  pictures and texts that the encoder gets at once (default 32)
--picture TABLE  layout of pictures for FILE.onnx, such as "size = [224, 224], mean = 127.5"
--note TEXT  a sentence on what is new
"""
COLUMNS = ("what", "done", "skipped", "seconds")


def answer(call: Namespace) -> Answer:
    """Embed the collection, and return a row a side.

    Raises:
        ValueError: If --picture is no table.
        DataError: If the encoder or the collection cannot be used.
    """
    from dashboard.plugins.versions.batch_encoders import TEXT_MODEL, open_encoder
    from dashboard.plugins.versions.embedding import DRAFT, embed

    try:
        picture = tomllib.loads(f"picture = {{{call.picture or ''}}}")["picture"]
    except tomllib.TOMLDecodeError as error:
        raise ValueError(
            '--picture is no table. Write "size = [224, 224], mean = 127.5".'
        ) from error
    name = read_version_name(call)
    collection = open_call(call)
    own = collection.folder / "models" / name / TEXT_MODEL
    if not call.encoder and (call.what != "queries" or not own.is_dir()):
        raise ValueError("Give --encoder; only a version with a text model of its own has one.")
    findings: Findings = []
    try:
        with draw_bar("inputs") as show:
            rows = embed(
                collection,
                name,
                open_encoder(call.encoder or str(own), picture),
                findings,
                call.what,
                call.frames,
                call.batch,
                call.note,
                show,
            )
    except BaseException:
        if (collection.folder / "models" / f"{DRAFT} {name}").is_dir():
            say("note: what was embedded is kept; the same command goes on.")
        raise
    finally:
        complain(findings)
    say_where(collection, name)
    return rows, COLUMNS, FINE
