"""`python -m dashboard embed`: a new version, its items and queries embedded by an encoder."""

from __future__ import annotations

import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from tqdm import tqdm

from dashboard.commands.collections.adding import add_version_name, version_name, where_to_look
from dashboard.commands.console import (
    FINE,
    Answer,
    Command,
    add_collection,
    at_least_one,
    complain,
    complain_about,
    opened,
    positive,
    resumed_later,
)
from dashboard.commands.output import one_line
from dashboard.experiment.versions import embedding
from dashboard.experiment.versions.embedding import POOLINGS, Client, Limits
from dashboard.progress import heard_by
from dashboard.tables import Findings

ABOUT = "embed a collection as a new version; resumes where it was stopped"


def add_embed(command: Command) -> None:
    """Enter the command `embed`."""
    added = command("embed", _embed, ABOUT)
    add_collection(added)
    add_version_name(added)
    text = "a sentence-transformers folder or hub name, FILE.onnx, module:function, or http://…"
    added.add_argument("--encoder", metavar="E", help=text)
    text = "all: items and text queries (the default); items: texts are embedded when searched; "
    text += "queries: those of a version that is there, by its own encoder or the same --encoder"
    added.add_argument("--what", choices=("all", "items", "queries"), default="all", help=text)
    for side, of in (("queries", "each text query, also a typed one"), ("items", "texts of items")):
        text = f"stands before {of}; default: the prompt that the model brings"
        added.add_argument(f"--prompt-{side}", metavar="TEXT", help=text)
    text = "FILE.onnx of texts: which of their tokens' vectors count (mean)"
    added.add_argument("--pooling", choices=POOLINGS, default="mean", help=text)
    text = "FILE.onnx of texts: tokens of a text, the rest is cut off (512)"
    added.add_argument("--max-tokens", type=at_least_one, default=512, metavar="N", help=text)
    text = "frames of a clip, of which the mean is its vector (8)"
    added.add_argument("--frames", type=at_least_one, default=8, metavar="N", help=text)
    added.add_argument("--batch", type=at_least_one, default=32, help="inputs at a time (32)")
    text = "megabytes of pixels at a time, at most (256)"
    added.add_argument("--memory", type=at_least_one, default=256, metavar="MB", help=text)
    text = "FILE.onnx: how a picture is laid out, as in [picture] of model.toml; beside a network "
    text += 'of texts with network = "FILE.onnx"'
    added.add_argument("--picture", default="", metavar='"size = [224, 224], mean = 0"', help=text)
    added.add_argument("--model", default="", help="http://…: the name of the model there")
    add_service(added)
    added.add_argument("--note", default="", metavar="TEXT", help="a sentence on what is new")


def add_service(parser: ArgumentParser) -> None:
    """Add the options of how a service is asked."""
    text = "variable of the environment that holds the service's key"
    parser.add_argument("--key-env", metavar="NAME", help=text)
    add_service_limits(parser)


def add_service_limits(parser: ArgumentParser) -> None:
    """Add the options of time, tries and rate."""
    parser.add_argument("--timeout", type=positive, default=30, help="seconds for an answer (30)")
    parser.add_argument("--tries", type=at_least_one, default=4, help="of each request (4)")
    parser.add_argument("--rate", type=positive, help="requests a second at most; default: any")


def client_of(call: Namespace, headers: Mapping[str, str]) -> Client:
    """The client that the options of a call describe."""
    return Client(call.timeout, call.tries, call.rate, headers)


@contextmanager
def progress_bar(unit: str) -> Iterator[None]:
    """A bar on stderr with rate and time left, for the work in the block; none in a log file."""
    with tqdm(unit=f" {unit}", disable=None, dynamic_ncols=True, smoothing=0.1) as bar:

        def listen(work: str, done: int, total: int) -> None:
            if bar.total != total or bar.desc != f"{one_line(work)}: ":
                bar.reset(total)
                bar.initial = done
                bar.set_description(one_line(work), refresh=False)
            bar.n = done
            bar.refresh()

        with heard_by(listen):
            yield


@contextmanager
def resumable(unit: str, findings: Findings) -> Iterator[None]:
    """The same for work that goes on at the next call; says at its end what was found."""
    try:
        with resumed_later(), progress_bar(unit):
            yield
    finally:
        complain_about(findings.frame())


def _embed(call: Namespace) -> Answer:
    name, findings = version_name(call), Findings()
    if call.encoder is None and call.what != "queries":
        raise ValueError("--encoder is missing; only --what queries finds one in the version")
    try:
        picture = tomllib.loads(f"picture = {{{call.picture}}}")["picture"]
    except tomllib.TOMLDecodeError as error:
        wanted = '"size = [224, 224], mean = 127.5"'
        raise ValueError(
            f"--picture cannot be read ({error}); write for example {wanted}"
        ) from error
    collection = opened(call)
    encoder = call.encoder and embedding.encoder_of(
        call.encoder,
        picture=picture,
        pooling=call.pooling,
        max_tokens=call.max_tokens,
        model=call.model,
        headers=embedding.keyed(call.key_env),
        client=lambda headers: client_of(call, headers),
    )
    limits = Limits(call.frames, call.batch, call.memory * 1_000_000)
    with resumable("inputs", findings):
        if call.what == "queries":
            table = embedding.embed_queries(
                collection, name, encoder or None, limits,
                prompt=call.prompt_queries, findings=findings,
            )  # fmt: skip
        else:
            given = {"queries": call.prompt_queries, "items": call.prompt_items}
            prompts = dict(encoder.prompts) | {s: t for s, t in given.items() if t is not None}
            table = embedding.embed(
                collection, name, encoder, replace(limits, prompts=prompts),
                what=call.what, note=call.note, findings=findings,
            )  # fmt: skip
    complain(where_to_look(collection, name))
    return table, FINE
