"""Runs networks in a process of its own, which `networks` starts: what a stranger's network does to
memory and time, it does here."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, failure, limit_memory

SESSIONS = 16
"""So many networks stay loaded: the versions of a collection and what they share."""
POOLINGS = ("mean", "first", "last")
TOKENS = ("input_ids", "attention_mask", "token_type_ids")
"""What a network of texts may take."""
_POOLED = ("sentence_embedding", "text_embeds")
"""Outputs of networks that pool themselves."""
_TOKENIZERS: OrderedDict[str, Any] = OrderedDict()
_LFS = b"version https://git-lfs"
_LOADED: OrderedDict[str, Any] = OrderedDict()


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The first output of the network at `path` for the array in `content`, or the vectors of the
    texts in it, where `tokenizer` names how they are cut into tokens."""
    session = _loaded(values)
    if "tokenizer" in values:
        tokenizer = _tokenizer(values)
        begun()
        vectors = _of_texts(session, tokenizer, json.loads(content), values)
        return {"type": vectors.dtype.str, "shape": vectors.shape}, vectors.tobytes()
    begun()
    given = np.frombuffer(content, np.dtype(values["type"])).reshape(values["shape"])
    array = np.ascontiguousarray(_run(session, given, values["room"], values["most"]))
    return {"type": array.dtype.str, "shape": array.shape}, array.tobytes()


def _loaded(values: Values) -> Any:
    """The network with this content; its constants are at most a few times as large as its file."""
    digest = values["digest"]
    if digest not in _LOADED:
        path = Path(values["path"])
        limit_memory(3 * path.stat().st_size + values["room"])
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise Refused("changed")
        if content.startswith(_LFS):
            raise Refused("pointer")
        _LOADED[digest] = _session(path, content)
        while len(_LOADED) > SESSIONS:
            _LOADED.popitem(last=False)
    _LOADED.move_to_end(digest)
    return _LOADED[digest]


def _session(path: Path, content: bytes) -> Any:
    """A session on one thread. Weights in other files, which no digest would know, are looked for
    only inside of something that is no folder; where they should lie is anything but harmless, as
    onnxruntime would take them from wherever the app was started."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:
        raise Refused("package", error.name) from error
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.enable_cpu_mem_arena = False  # what one picture took is free for the next
        beside = "session.model_external_initializers_file_folder_path"
        options.add_session_config_entry(beside, str(path.resolve()))
        # Constants are computed when it runs, in the time that it has, not when it is loaded.
        return onnxruntime.InferenceSession(
            content, options, ["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"]
        )
    except Exception as error:  # onnxruntime raises classes of its own without a common parent
        raise Refused(failure("not loaded", error), error) from error


def _tokenizer(values: Values) -> Any:
    """The tokenizer in a file, which cuts long texts off."""
    digest = values["tokenizer_digest"]
    if digest not in _TOKENIZERS:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise Refused("package", error.name) from error
        content = Path(values["tokenizer"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise Refused("changed")
        try:
            _TOKENIZERS[digest] = Tokenizer.from_buffer(content)
        except Exception as error:  # the library raises Exception itself
            raise Refused(failure("tokenizer", error), error) from error
        while len(_TOKENIZERS) > SESSIONS:
            _TOKENIZERS.popitem(last=False)
    _TOKENIZERS.move_to_end(digest)
    tokenizer = _TOKENIZERS[digest]
    tokenizer.enable_truncation(values["max_tokens"])
    return tokenizer


def _of_texts(session: Any, tokenizer: Any, texts: list[str], values: Values) -> Any:
    """The vectors of texts, pooled over their tokens. Texts of a network without a mask are given
    one by one, as what fills them up to one length would count."""
    names = [given.name for given in session.get_inputs()]
    strange = [name for name in names if name not in TOKENS]
    if strange or "input_ids" not in names:
        raise Refused("no text", strange[0] if strange else "")
    filled = tokenizer.padding and tokenizer.padding.get("length")
    if tokenizer.padding is None and "attention_mask" in names:
        tokenizer.enable_padding()
    alone = "attention_mask" not in names and not filled
    batches = [[text] for text in texts] if alone else [texts]
    return np.concatenate([_of_batch(session, tokenizer, batch, values) for batch in batches])


def _of_batch(session: Any, tokenizer: Any, texts: list[str], values: Values) -> Any:
    cut = tokenizer.encode_batch(texts)
    rows = [[each.ids for each in cut], [each.attention_mask for each in cut]]
    tokens = dict(zip(TOKENS, [*rows, [each.type_ids for each in cut]], strict=True))
    given = {
        each.name: np.asarray(tokens[each.name], "int32" if "int32" in each.type else "int64")
        for each in session.get_inputs()
    }
    names = [each.name for each in session.get_outputs()]
    chosen = next((name for name in _POOLED if name in names), names[0])
    found = _ran(session, chosen, given, values["room"], values["most"])
    if found.ndim == 3 and found.shape[:2] == given["input_ids"].shape:
        mask = np.asarray(tokens["attention_mask"], "float32")
        found = _pooled(found.astype("float32"), mask, values["pooling"])
    return np.ascontiguousarray(found, "float32")


def _pooled(rows: Any, mask: Any, pooling: str) -> Any:
    """One vector of the vectors of each text's tokens [text, token, number]."""
    if pooling == "mean":
        return (rows * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
    places = np.arange(mask.shape[1])[None, :] * (mask > 0)
    first = np.argmax(mask > 0, axis=1)
    return rows[np.arange(len(rows)), places.max(axis=1) if pooling == "last" else first]


def _run(session: Any, given: Any, room: int, most: int) -> Any:
    """The first output of a network with one input."""
    takes, gives = session.get_inputs()[0], session.get_outputs()[0]
    return _ran(session, gives.name, {takes.name: given}, room, most)


def _ran(session: Any, output: str, given: dict[str, Any], room: int, most: int) -> Any:
    """An output of a network, checked before anything of it is sent."""
    import onnxruntime

    limit_memory(room)
    how = onnxruntime.RunOptions()
    how.log_severity_level = 4
    try:
        answer = session.run([output], given, how)[0]
    except Exception as error:  # as above
        raise Refused(failure("not run", error), error) from error
    if not isinstance(answer, np.ndarray) or answer.dtype.kind not in "fiub":
        raise Refused("no numbers")
    if answer.size > most:
        raise Refused("too many", answer.size)
    return answer


def _import() -> None:
    with contextlib.suppress(ImportError):  # said where a network is to be loaded
        import onnxruntime  # noqa: F401


if __name__ == "__main__":
    child.main(answer, _import)
