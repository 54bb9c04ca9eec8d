"""Letters that nobody sees make no other keyword, and nothing of a file acts on a terminal."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.commands.output import printed
from dashboard.letters import (
    escaped,
    invisible_in,
    json_escaped,
    visible,
)
from dashboard.logs import escape_logs
from dashboard.retrieval.keywords import _content
from dashboard.storage.collection.annotation import keyword_key
from dashboard.storage.collection.collection import open_collection
from tests.storage.tiny import make_collection

HIDDEN = {
    "zero-width space": "\u200b",
    "soft hyphen": "\xad",
    "right-to-left mark": "\u200f",
    "override": "\u202e",
    "isolate": "\u2066",
    "BOM": "\ufeff",
    "word joiner": "\u2060",
    "joiner": "\u200d",
    "variation selector": "\ufe0f",
    "far selector": "\U000e0101",
    "tag": "\U000e0041",
    "filler": "\u3164",
    "grapheme joiner": "\u034f",
    "bell": "\x07",
}
ACTS = "\x1b[31mred\x1b[0m\x07\x9b2J\x7f"
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return make_collection(tmp_path / "tiny")


def spoil(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def called(capsys, *arguments: object) -> tuple[int, str, str]:
    try:
        code = main([*map(str, arguments)])
    except SystemExit as stopped:
        code = int(stopped.code)
    return code, *capsys.readouterr()


def of_kinds(*first: str) -> list:
    """All kinds of letters, of which those that differ in more than their number go first."""
    slow = [each for each in HIDDEN if each not in first]
    return [*first, *(pytest.param(each, marks=pytest.mark.slow) for each in slow)]


@pytest.mark.parametrize(
    "kind", of_kinds("zero-width space", "override", "far selector", "tag", "bell")
)
def test_a_keyword_is_the_same_without_them(kind: str, tiny: Path) -> None:
    mark = HIDDEN[kind]
    wanted = open_collection(tiny, allow_path=True).keywords
    spoil(
        tiny,
        "unified_annotation.csv",
        "small vehicle,stationary",
        f"small ve{mark}hicle,statio{mark}nary",
    )
    spoil(tiny, "vocabulary.toml", '"pedestrian"', f'"pe{mark if mark != chr(7) else ""}destrian"')
    known = open_collection(tiny, allow_path=True)
    pd.testing.assert_frame_equal(known.keywords, wanted)
    rows = known.findings[known.findings["found"].str.contains("invisible letters .* in keywords")]
    (row,) = rows.to_dict("records")
    assert (row["file"], row["line"], row["level"]) == ("unified_annotation.csv", 2, "note")
    assert row["found"].startswith(f"2 invisible letters ({escaped(mark)}) in keywords of 1 line")
    assert keyword_key(f"c{mark}ar") == "car" and _content(f"cy{mark}clist") == ["cyclist"]


@pytest.mark.parametrize("kind", of_kinds("zero-width space", "override", "tag"))
def test_a_header_is_the_same_without_them(kind: str, tiny: Path) -> None:
    mark = HIDDEN[kind]
    spoil(tiny, "unified_annotation.csv", "pv_object_type", f"pv_obj{mark}ect_type{mark}")
    spoil(tiny, "queries.csv", "query_id,text", f"query_id,{mark}text")
    known = open_collection(tiny, allow_path=True)
    assert not known.refused and set(known.keywords["group"]) == {
        "pv_object_type",
        "pv_actor_behavior",
    }
    assert known.queries["text"].tolist()[:3] == [
        "car",
        "person crossing",
        "cyclist entering ego lane",
    ]
    said = known.findings[known.findings["found"].str.contains("in the header")]
    assert said["line"].tolist() == [1, 1]
    assert any(
        f"2 invisible letters in the header (pv_obj{escaped(mark)}ect_type{escaped(mark)})" in each
        for each in said["found"]
    )


def test_what_scripts_and_emoji_need_stays() -> None:
    fire, persian = "\U0001f469\u200d\U0001f692", "می\u200cخواهم"
    assert visible(fire) == fire and visible(persian) == persian and visible("❤\ufe0f") == "❤\ufe0f"
    assert visible("ca\u200dr\u200c") == "car"
    assert keyword_key(persian) == keyword_key(persian.replace("\u200c", ""))


def test_ids_stay_byte_for_byte_and_are_said(tiny: Path) -> None:
    spoil(tiny, "items.csv", "v03,v03.mp4", "v0\u200b3,v03.mp4")
    (tiny / "items.csv").write_text((tiny / "items.csv").read_text() + "v00\u200b,,,\n")
    known = open_collection(tiny, allow_path=True)
    assert "v0\u200b3" in set(known.items["item_id"])
    said = "\n".join(known.findings["found"])
    assert "2 values of item_id with invisible letters (v0\\u200b3, v00\\u200b)" in said
    assert "the item_id v00\\u200b, which looks like v00" in said
    assert "1 annotated id that is no item (v03;" in said
    assert "'v03' looks like 'v0\\u200b3'" in said


def test_a_result_that_looks_like_an_item_is_said(tiny: Path, capsys) -> None:
    (tiny / "runs").mkdir()
    (tiny / "runs" / "r.trec").write_text("q1 Q0 v00\u200b 1 0.9 x\nq1 Q0 v01 2 0.8 x\n")
    (tiny / "models" / "v0.1" / "items.txt").write_text("v00\nv01\nv02\nv0\u00ad3\n")
    _, out, _ = called(capsys, "check", tiny)
    assert "'v00\\u200b' looks like 'v00'" in out
    assert "'v0\\xad3' looks like 'v03'" in out


@pytest.fixture
def hostile(tiny: Path) -> Path:
    """Ids, captions, names and queries that a terminal would act on."""
    spoil(tiny, "items.csv", "v03,v03.mp4", f'"v{ACTS}\u200b",v03.mp4')
    spoil(
        tiny, "queries.csv", "q3,cyclist entering ego lane", f'"q{ACTS}",cyclist entering ego lane'
    )
    for version in ("v0.1", "v0.2"):
        for stem, old, new in (("items", "v03", f"v{ACTS}\u200b"), ("queries", "q3", f"q{ACTS}")):
            path = tiny / "models" / version / f"{stem}.txt"
            path.write_text(path.read_text().replace(old, new))
    (tiny / "qrels.txt").write_text(f"q1 0 v00 1\nq1 0 v{ACTS}\u200b 1\nz{ACTS} 0 v00 1\n")
    (tiny / "collection.toml").write_text('title = "x"\nprotocols = ["trec"]\n')
    (tiny / "runs").mkdir()
    rows = f"q1 Q0 v{ACTS}\u200b 1 0.9 x\nq1 Q0 zz{ACTS} 2 0.8 x\n"
    (tiny / "runs" / "r.trec").write_text(rows)
    return tiny


CALLS = {
    "check": ["check"],
    "measure": ["measure"],
    "each query": ["measure", "--by-query", "--queries", "all"],
    "search": ["search", "car", "--model", "r", "v0.2"],
    "an item": ["search", "--item", "v00", "--model", "v0.1"],
    "an unknown item": ["search", "--item", ACTS],
    "an unknown version": ["measure", "--runs", ACTS],
    "an unknown metric": ["measure", "--metrics", ACTS],
    "a wrong word": ["measure", "--queries", ACTS],
    "a wrong flag": ["measure", f"--x{ACTS}"],
    "digests": ["digests"],
}


@pytest.mark.parametrize(
    ("call", "form"),
    [
        pytest.param(call, form, marks=() if form in forms else pytest.mark.slow)
        for call in CALLS
        for forms in [("table", "csv", "json") if call in ("check", "search") else ("table",)]
        for form in ("table", "csv", "json")
    ],
)
def test_nothing_acts_on_a_terminal(call: str, form: str, hostile: Path, capsys) -> None:
    command, *rest = CALLS[call]
    _, out, err = called(capsys, command, hostile, *rest, "--format", form)
    for text in (out, err):
        assert not set(text) & {"\x1b", "\x07", "\x9b", "\x7f"}, text
    kept = out if form != "csv" else ""
    assert not UNSEEN.search(kept + err), kept + err
    if form == "json" and out:
        json.loads(out)


def test_programs_read_the_same_ids_back(hostile: Path, capsys) -> None:
    call = ["search", hostile, "car", "--model", "r"]
    _, out, _ = called(capsys, *call, "--format", "json")
    assert [row["item_id"] for row in json.loads(out)] == [f"v{ACTS}\u200b", f"zz{ACTS}"]
    _, out, _ = called(capsys, *call, "--format", "csv")
    ids = [row["item_id"] for row in csv.DictReader(io.StringIO(out))]
    assert ids[0].endswith("\\x7f\u200b"), "data as they are, but for what a terminal acts on"
    assert ids[0].startswith("v\\x1b[31mred")
    frame = pd.DataFrame({"id": ["a\u200b", "b"]})
    assert "a\u200b" in printed(frame, "csv")
    assert "a\\u200b" in printed(frame, "csv", on_terminal=True)
    assert "a\\u200b" in printed(frame, "table")


@pytest.mark.slow
def test_a_real_terminal_gets_nothing_that_it_would_act_on(hostile: Path) -> None:
    call = [sys.executable, "-m", "dashboard", "search", str(hostile), "car", "--model", "r"]
    for form in ("table", "csv", "json"):
        ours, theirs = pty.openpty()
        done = subprocess.run([*call, "--format", form], stdout=theirs, stderr=theirs, timeout=120)
        os.close(theirs)
        seen = os.read(ours, 65536).decode().replace("\r\n", "\n")
        os.close(ours)
        assert done.returncode == 0 and "red" in seen
        assert not UNSEEN.search(seen), repr(seen)


def test_a_log_line_and_a_traceback_are_escaped(capsys) -> None:
    escape_logs()
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("dashboard.storage.media")
    logger.addHandler(handler)
    try:
        try:
            raise ValueError(f"no {ACTS}")
        except ValueError:
            logger.exception("what %s says", f"a{ACTS}.mp4")
    finally:
        logger.removeHandler(handler)
    said = stream.getvalue()
    assert not UNSEEN.search(said) and said.count("\\x1b[31mred") == 2


def test_escapes_are_those_of_python_and_of_json() -> None:
    for letter in (*HIDDEN.values(), "\x85", "\udc80", "\u2028", "\u00a0"):
        assert repr(letter).strip("'") in (escaped(letter), letter)
        line = json.dumps({"a": letter}, ensure_ascii=False)
        assert json.loads(json_escaped(line)) == {"a": letter}
        if letter != "\u00a0":
            assert not invisible_in(json_escaped(line))
    plain = "Köln, 日本 – ok"
    assert escaped(plain) == plain == json_escaped(plain)
    rows = np.array(["x"])
    assert printed(pd.DataFrame({"a\x1bb": rows}), "table").startswith("a\\x1bb")
