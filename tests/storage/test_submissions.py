"""Submitted files are named below the operator's folder, and no name leads out of it."""

import os
from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.versions import submissions
from dashboard.storage.versions.submissions import Submission
from dashboard.tables import DataError, Findings


def put(folder: Path, name: str, rows: list, ids: str) -> None:
    """An array with its ids beside it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.array(rows, dtype=np.float32))
    path.with_suffix(".txt").write_text("\n".join(ids.split()))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    base = tmp_path / "submissions"
    put(base, "gallery.npy", [[1, 0], [0, 1]], "a b")
    put(base, "team/queries.npy", [[0.6, 0.8]], "q")
    put(tmp_path, "secret.npy", [[1, 0]], "s")
    monkeypatch.setenv("DASHBOARD_SUBMISSIONS", str(base))
    return base


def read(name):
    with submissions.features(name, Findings()) as (ids, rows):
        return ids, rows[: len(rows)].tolist()


def test_what_the_folder_has_is_offered_and_read(folder):
    np.save(folder / "without-ids.npy", np.ones((1, 2)))
    put(folder, ".hidden/h.npy", [[1, 0]], "h")
    whole, lacking = submissions.offered()
    assert whole == ["gallery.npy", "team/queries.npy"] and lacking == ["without-ids.npy"]
    assert read("gallery.npy") == (("a", "b"), [[1, 0], [0, 1]])
    assert read("team/queries.npy")[0] == ("q",)


def test_without_a_folder_nothing_is_offered_or_read(folder, monkeypatch):
    for named in ("", str(folder / "gone")):
        monkeypatch.setenv("DASHBOARD_SUBMISSIONS", named)
        assert submissions.offered() == ([], [])
        with pytest.raises(DataError, match="no folder for them.*DASHBOARD_SUBMISSIONS"):
            read("gallery.npy")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../secret.npy", "leads out of the folder"),
        ("team/../../secret.npy", "leads out of the folder"),
        ("/etc/hostname.npy", "leads out of the folder"),
        ("..\\secret.npy", "leads out of the folder"),
        ("file:///etc/hostname.npy", "leads out of the folder"),
        ("link.npy", "leads out of the folder"),
        ("linked/secret.npy", "leads out of the folder"),
        ("round.npy", "no such file"),
        (".hidden/h.npy", "hidden"),
        ("http://host/x.npy", "another machine"),
        ("gone.npy", "no such file"),
        ("folder.npy", "not a regular file"),
        ("pipe.npy", "not a regular file"),
        ("a\nb.npy", "not a file name"),
        ("", "no file named"),
    ],
)
def test_a_name_leads_to_a_file_in_the_folder_or_nowhere(folder, tmp_path, name, said):
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "link.npy").symlink_to(tmp_path / "secret.npy")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "round.txt").symlink_to(folder / "round.txt")
    for end in ("npy", "txt"):
        (folder / f"folder.{end}").mkdir()
        os.mkfifo(folder / f"pipe.{end}")
    with pytest.raises(DataError, match=said) as refused:
        read(name)
    assert str(tmp_path) not in str(refused.value)
    with pytest.raises(DataError, match=said):
        submissions.state(Submission("mine", name, "team/queries.npy"))


def test_a_link_out_of_the_folder_with_ids_inside_is_refused(folder, tmp_path):
    (folder / "link.txt").write_text("s")
    (folder / "link.npy").symlink_to(tmp_path / "secret.npy")
    with pytest.raises(DataError, match="link.npy: found a name that leads out of the folder"):
        read("link.npy")


def test_the_state_changes_when_a_file_is_replaced(folder):
    mine = Submission.of("mine=gallery.npy,team/queries.npy")
    before = submissions.state(mine)
    assert submissions.state(mine) == before
    put(folder, "new.npy", [[0, 1], [1, 0]], "a b")
    (folder / "new.npy").replace(folder / "gallery.npy")
    assert submissions.state(mine) != before
    again = submissions.state(mine)
    (folder / "gallery.txt").write_text("b\na\n")
    assert submissions.state(mine) != again


@pytest.mark.parametrize(
    "text",
    ["", "mine", "mine=a.npy", "=a.npy,b.npy", "mine=a.npy,b.npy,c.npy", "mine=,b.npy"]
    + ["m,x=a.npy,b.npy", "m\nx=a.npy,b.npy", "x" * 41 + "=a.npy,b.npy", "mine=a.npz,b.npy"],
)
def test_another_form_is_a_sentence(text):
    with pytest.raises(ValueError, match="wanted"):
        Submission.of(text)


def test_a_submission_is_written_as_it_is_read():
    text = "mine=team/g.npy,q.npy"
    assert str(Submission.of(text)) == text == str(Submission.of(" mine = team/g.npy , q.npy "))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"PK\x03\x04", "no array"),
        (b"\x93NUMPY\x01\x00", "no complete array"),
        (b"\x93NUMPY\x09\x00" + b" " * 200, "no complete array"),
    ],
)
def test_what_is_no_array_is_refused(folder, content, said):
    (folder / "gallery.npy").write_bytes(content)
    with pytest.raises(DataError, match=f"gallery.npy: found .*{said}"):
        read("gallery.npy")


def test_pickles_and_cut_files_are_refused(folder):
    np.save(folder / "gallery.npy", np.array([["a"], ["b"]], dtype=object))
    with pytest.raises(DataError, match="pickled objects.*nothing is unpickled"):
        read("gallery.npy")
    np.save(folder / "gallery.npy", np.ones((2, 1000)))
    whole = (folder / "gallery.npy").read_bytes()
    (folder / "gallery.npy").write_bytes(whole[:5000])
    with pytest.raises(DataError, match="no complete array"):
        read("gallery.npy")


@pytest.mark.parametrize(
    "shape",
    ["(9223372036854775807, 128)", "(-1, 128)", "(-1, -128)", "(2305843009213693952, 8)"]
    + ["(1180591620717411303424, 2)", "(9, 128)", "(True, 128)", "(2, 128", "2", "(" * 100],
)
def test_a_header_that_says_more_than_there_is_is_refused(folder, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(149) + "\n"
    start = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    (folder / "gallery.npy").write_bytes(start + b"\0" * 4096)
    with pytest.raises(DataError, match="gallery.npy: found no complete array"):
        read("gallery.npy")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("length", [0, 4096])
def test_a_file_that_is_cut_while_it_is_read_is_a_sentence(folder, order, length):
    values = np.arange(4000, dtype=np.float32).reshape(1000, 4)
    np.save(folder / "gallery.npy", np.asarray(values, order=order))
    with submissions.features("gallery.npy", Findings()) as (_, rows):
        assert rows.shape == (1000, 4) and rows[998:].tolist() == values[998:].tolist()
        assert rows[np.array([7, 3])].tolist() == values[[7, 3]].tolist()
        os.truncate(folder / "gallery.npy", length)
        for some in (slice(990, 1000), np.array([999])):
            with pytest.raises(DataError, match="gallery.npy: found a file that changed while"):
                rows[some]


def test_what_is_no_table_has_its_shape_and_takes_no_memory(folder):
    np.save(folder / "gallery.npy", np.ones((3, 2, 2), dtype=np.float32))
    with submissions.features("gallery.npy", Findings()) as (_, rows):
        assert rows.shape == (3, 2, 2) and rows.dtype == np.float32 and rows.strides == (0, 0, 0)


def test_an_id_that_stands_twice_is_refused(folder):
    (folder / "gallery.txt").write_text("a\na\n")
    with pytest.raises(DataError, match="gallery.txt, line 2: found 'a' again"):
        read("gallery.npy")
