"""Matrices of similarities stay in their file and are read from there, by rows and by columns."""

import os

import numpy as np
import pytest

from dashboard.storage.runs import similarities
from dashboard.storage.runs.similarities import ranked, read_similarities
from dashboard.storage.vectors import rows
from dashboard.tables import DataError, Findings

KINDS = {
    "by row": lambda x: x.astype("f4"),
    "by column": lambda x: np.asfortranarray(x.astype("f4")),
    "float16": lambda x: x.astype("f2"),
    "big-endian": lambda x: x.astype(">f8"),
    "whole numbers": lambda x: (x * 100).astype("i2"),
}
NONE = np.array([], dtype=np.int64)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_columns_are_those_of_the_array(tmp_path, monkeypatch, kind):
    random = np.random.default_rng(5)
    array = KINDS[kind](random.standard_normal((90, 200)))
    np.save(tmp_path / "s.npy", array)
    monkeypatch.setattr(rows, "BLOCK", 7 * 200 * 4)
    monkeypatch.setattr(similarities, "BLOCK", 1_000)
    read = read_similarities(tmp_path / "s.npy", "s.npy", Findings())
    assert read.largest == np.abs(array.astype("f8")).max()
    for values, plain in ((read.values, array), (read.values.T, array.T)):
        assert values.shape == plain.shape and len(values) == len(plain)
        some = random.permutation(len(plain))[:20]
        for which in (slice(3, 7), slice(2, 80), slice(5, 5), np.array([8, 2, 2, 70]), some, NONE):
            np.testing.assert_array_equal(values[which], plain[which])
        columns = np.arange(plain.shape[1])
        for mine, its in zip(
            ranked(values, some, columns, 5, 6), ranked(plain, some, columns, 5, 6), strict=True
        ):
            np.testing.assert_array_equal(mine[0], its[0])
            np.testing.assert_array_equal(mine[1], its[1])


def test_a_matrix_that_is_cut_or_written_while_it_is_open_is_a_sentence(tmp_path):
    path = tmp_path / "s.npy"
    np.save(path, np.ones((900, 2_000), dtype="f4"))
    read = read_similarities(path, "s.npy", Findings())
    for change in (lambda: os.truncate(path, 4_000), lambda: np.save(path, np.zeros((900, 2_000)))):
        change()
        for values in (read.values, read.values.T):
            for which in (slice(800, 900), np.array([899]), slice(0, 2)):
                with pytest.raises(DataError, match="changed while it was open"):
                    values[which]
