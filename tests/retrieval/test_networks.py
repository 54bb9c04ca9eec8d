"""Networks by strangers: endless ones, huge answers, weights elsewhere, files that are none."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from dashboard.retrieval.encoders import networks
from dashboard.retrieval.encoders.networks import PROCESSES
from dashboard.storage.sandbox.pool import Process
from dashboard.tables import DataError
from tests.retrieval.networks import OPSET, weighted

ROW = np.ones((1, 2), np.float32)


def made(path: Path, nodes: list, constants: list, output: object = None) -> Path:
    """A network whose input is a row of two numbers."""
    row = helper.make_tensor_value_info("row", TensorProto.FLOAT, [1, 2])
    vector = output or helper.make_tensor_value_info("vector", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "odd", [row], [vector], constants)
    onnx.save(helper.make_model(graph, opset_imports=OPSET, ir_version=8), path)
    return path


def endless(path: Path) -> Path:
    """Adds 1 to 0, a billion billion times."""
    known = {"rounds": np.int64(10**18), "on": np.bool_(True), "sum": np.float32(0)}
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on_"]), helper.make_node("Add", ["a", "a"], ["b"])],
        "round",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("a", TensorProto.FLOAT, []),
        ],
        [
            helper.make_tensor_value_info("on_", TensorProto.BOOL, []),
            helper.make_tensor_value_info("b", TensorProto.FLOAT, []),
        ],
    )
    loop = helper.make_node("Loop", list(known), ["vector"], body=body)
    constants = [numpy_helper.from_array(np.asarray(value), key) for key, value in known.items()]
    return made(path, [loop], constants)


def zeros(path: Path, number: int) -> Path:
    many = numpy_helper.from_array(np.array([number], np.int64), "many")
    return made(path, [helper.make_node("ConstantOfShape", ["many"], ["vector"])], [many])


def answer(path: Path, given: np.ndarray = ROW, kept: bool = False) -> np.ndarray:
    return networks.answer_of(path, f"models/v/{path.name}", given, kept=kept)


@pytest.mark.slow
def test_an_endless_network_is_stopped_and_holds_up_no_other(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(networks, "PATIENCE", 1.0)
    other = weighted(tmp_path / "other.onnx", np.eye(2))
    slow = endless(tmp_path / "slow.onnx")
    said = []

    def wait() -> None:
        with pytest.raises(DataError) as refused:
            answer(slow)
        said.append(str(refused.value))

    answer(other)
    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.2)
    assert answer(other).tolist() == [[1, 1]]
    assert waiting.is_alive(), "the other one did not wait"
    waiting.join(30)
    assert len(said) == 1 and "took longer than 1 s" in said[0]


def giant(path: Path, numbers: int, nodes: int = 1) -> Path:
    """The sum of so many zeros; all nodes' zeros are needed at the same time."""
    many = numpy_helper.from_array(np.array([numbers], np.int64), "many")
    zeros = [f"zeros {n}" for n in range(nodes)]
    each = [helper.make_node("ConstantOfShape", ["many"], [name]) for name in zeros]
    whole = helper.make_node("Sum", zeros, ["all"])
    return made(path, [*each, whole, helper.make_node("ReduceSum", ["all"], ["vector"])], [many])


@pytest.mark.parametrize(("numbers", "nodes"), [(1_600_000_000, 1), (10**12, 1), (50_000_000, 30)])
def test_a_giant_network_is_refused_at_once_and_takes_no_memory(
    tmp_path: Path, numbers: int, nodes: int
) -> None:
    other = weighted(tmp_path / "other.onnx", np.eye(2))
    answer(other)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(DataError, match=r"models/v/giant\.onnx: found a network that takes more "):
        answer(giant(tmp_path / "giant.onnx", numbers, nodes))
    assert time.monotonic() - began < 5  # 0.1 s where nothing else runs
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB
    assert answer(other).tolist() == [[1, 1]]


def test_a_network_that_takes_what_it_may_is_run(tmp_path: Path) -> None:
    path = giant(tmp_path / "large.onnx", 40_000_000)
    assert answer(path).tolist() == [0]


def test_a_process_that_dies_is_started_anew(tmp_path: Path) -> None:
    other = weighted(tmp_path / "other.onnx", np.eye(2))
    answer(other)
    killed = [each.process for each in PROCESSES.free]
    for process in killed:
        process.kill()
        process.wait()
    assert answer(other).tolist() == [[1, 1]]
    assert not set(killed) & {each.process for each in PROCESSES.free}


def test_a_process_that_died_while_it_waited_is_replaced(tmp_path: Path, monkeypatch) -> None:
    """One that is about to die, as after a kill, still looks alive for a moment."""
    PROCESSES.end()
    answer(weighted(tmp_path / "first.onnx", np.eye(2)))
    spare = PROCESSES.free[0].process
    spare.kill()
    spare.wait()
    monkeypatch.setattr(Process, "is_alive", lambda self: True)
    assert answer(weighted(tmp_path / "other.onnx", 2 * np.eye(2))).tolist() == [[2, 2]]
    assert spare not in [each.process for each in PROCESSES.free]


def test_a_process_that_dies_while_it_works_is_said(tmp_path: Path, monkeypatch) -> None:
    """One that is killed before it has the request is another matter: a new one takes its place."""
    slow, said, begun, heard = endless(tmp_path / "slow.onnx"), [], threading.Event(), Process._next

    def hear(*arguments):
        answer = heard(*arguments)
        if answer[0]["kind"] == "begun":
            begun.set()
        return answer

    monkeypatch.setattr(Process, "_next", hear)

    def wait() -> None:
        with pytest.raises(DataError) as refused:
            answer(slow)
        said.append(str(refused.value))

    PROCESSES.end()
    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(60)
    for each in children():
        os.kill(each, 9)
    waiting.join(30)
    assert said and "ended the process that ran it" in said[0]


def children() -> list[int]:
    """The processes that this one started to run networks."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parent = int(place.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"network_child" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


@pytest.mark.slow
def test_a_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    path = endless(tmp_path / "slow.onnx")
    script = (
        "import sys, threading, time, numpy as np; from pathlib import Path\n"
        "from dashboard.retrieval.encoders import networks\n"
        "path, row = Path(sys.argv[1]), np.ones((1, 2), 'f4')\n"
        "ask = lambda: networks.answer_of(path, 'x', row, kept=False)\n"
        "threading.Thread(target=ask, daemon=True).start()\n"
        "time.sleep(3); print('on', flush=True)\n"
        "time.sleep(60)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert starter.stdout is not None and starter.stdout.readline() == "on\n"
    tasks = Path(f"/proc/{starter.pid}/task").glob("*/children")
    started = [int(each) for task in tasks for each in task.read_text().split()]
    assert started
    starter.kill()
    starter.communicate()
    until = time.monotonic() + 20
    while any(Path(f"/proc/{each}").exists() for each in started) and time.monotonic() < until:
        time.sleep(0.2)
    assert not [each for each in started if Path(f"/proc/{each}").exists()]


def test_an_answer_is_bounded_and_only_a_shared_networks_is_kept(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(networks, "LARGEST_ANSWER", 1_000)
    assert answer(zeros(tmp_path / "most.onnx", 1_000)).size == 1_000
    for kept in (False, True):
        with pytest.raises(DataError, match=r"huge\.onnx.*1,001 numbers.*at most 1,000"):
            answer(zeros(tmp_path / "huge.onnx", 1_001), kept=kept)
    own = weighted(tmp_path / "own.onnx", np.eye(2))
    assert answer(own) is not answer(own)
    assert answer(own, kept=True) is answer(own, ROW.copy(), kept=True)
    assert answer(own, ROW * 2, kept=True).tolist() == [[2, 2]]


def test_an_answer_that_is_no_array_of_numbers_is_refused(tmp_path: Path) -> None:
    rows = helper.make_tensor_sequence_value_info("vector", TensorProto.FLOAT, None)
    ragged = [
        helper.make_node("ReduceSum", ["row"], ["sum"]),
        helper.make_node("SequenceConstruct", ["row", "sum"], ["vector"]),
    ]
    words = helper.make_tensor_value_info("vector", TensorProto.STRING, None)
    said = [helper.make_node("Cast", ["row"], ["vector"], to=TensorProto.STRING)]
    for nodes, output in ((ragged, rows), (said, words)):
        with pytest.raises(DataError, match="answers no numbers"):
            answer(made(tmp_path / "odd.onnx", nodes, [], output))


@pytest.mark.parametrize("place", ["in.bin", "sub/in.bin", "../in.bin", "whole"])
def test_weights_in_another_file_are_never_read(tmp_path: Path, monkeypatch, place: str) -> None:
    """Neither from beside the network nor from where the app was started."""
    (tmp_path / "sub/sub").mkdir(parents=True)
    here = tmp_path / "sub"
    monkeypatch.chdir(here)
    for folder in (tmp_path, here, here / "sub"):
        (folder / "in.bin").write_bytes(np.arange(2, dtype=np.float32).tobytes())
    weights = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    weights.data_location = TensorProto.EXTERNAL
    location = str(here / "in.bin") if place == "whole" else place
    for key, value in (("location", location), ("offset", "0"), ("length", "8")):
        weights.external_data.add(key=key, value=value)
    node = helper.make_node("Add", ["row", "w"], ["vector"])
    row = helper.make_tensor_value_info("row", TensorProto.FLOAT, [1, 2])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "odd", [row], [vector], [weights])
    network = helper.make_model(graph, opset_imports=OPSET, ir_version=8)
    (here / "away.onnx").write_bytes(network.SerializeToString())
    with pytest.raises(DataError, match="cannot be loaded.*its weights inside"):
        answer(here / "away.onnx")


def test_what_cannot_be_loaded_and_what_cannot_be_run_are_told_apart(tmp_path: Path) -> None:
    """Without the server's folders, and with the input's shape only where it matters."""
    damaged, pointer = tmp_path / "damaged.onnx", tmp_path / "pointer.onnx"
    damaged.write_bytes(b"no network")
    pointer.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    three = weighted(tmp_path / "three.onnx", np.eye(3))
    for path, found, shaped in (
        (damaged, "cannot be loaded", False),
        (pointer, "a pointer of git LFS", False),
        (three, "cannot be run", True),
    ):
        with pytest.raises(DataError, match=f"models/v/{path.name}: .*{found}") as refused:
            answer(path)
        assert ("[1, 2]" in str(refused.value)) == shaped
        assert str(tmp_path) not in str(refused.value)


def test_a_network_is_known_by_its_content_not_by_its_time(tmp_path: Path) -> None:
    path, was = tmp_path / "own.onnx", 1_000_000_000
    found = []
    for factor in (1, 2):
        weighted(tmp_path / "new.onnx", np.eye(2) * factor).replace(path)
        os.utime(path, ns=(was, was))
        found.append(answer(path).tolist())
    assert found == [[[1, 1]], [[2, 2]]]
