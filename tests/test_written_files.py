"""Files that a call writes are whole or not there, and an error says where and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.commands.output import write_file
from dashboard.tables import DataError
from tests.views.report_world import make_report_world


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("before")
    page.chmod(0o640)
    with page.open() as reader:
        assert write_file(page, "after é") == 8
        assert reader.read() == "before", "who reads the old file reads it to its end"
    assert page.read_text(encoding="utf-8") == "after é"
    assert page.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [page], "no draft is left"


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "report.html"
    page.write_text("before")

    def full(draft: Path, content: bytes) -> int:
        draft.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DataError, match="No space left on device"):
        write_file(page, "after")
    assert page.read_text() == "before" and list(tmp_path.iterdir()) == [page]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.html").touch()
    link = tmp_path / "latest.html"
    link.symlink_to("real.html")
    write_file(link, "page")
    assert link.is_symlink() and (tmp_path / "real.html").read_text() == "page"


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(pipe, "page")
        assert os.read(reader, 100) == b"page" and pipe.is_fifo()
    finally:
        os.close(reader)


@pytest.mark.parametrize("flag", ["-o", "--tables", "--junit", "--summary"])
def test_where_nothing_can_be_written_the_error_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    world = make_report_world(tmp_path / "world")
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "under" / "it"
    pair = [str(world), "--baseline", "a", "--candidate", "b", "--metrics", "P@1"]
    if flag in ("-o", "--tables"):
        page = [] if flag == "-o" else ["-o", str(tmp_path / "r.html")]
        call = ["report", *pair, *page, flag, str(place)]
    else:
        call = ["compare", *pair, "--fail-on", "P@1<-1", flag, str(place)]
    assert main(call) == 2
    said = capsys.readouterr().err
    kind = "folder that cannot be made" if flag == "--tables" else "file that cannot be written"
    assert f"{place}: found a {kind} (Not a directory); wanted a folder that exists and" in said
