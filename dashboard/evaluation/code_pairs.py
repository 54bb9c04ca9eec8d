"""Two hash codes side by side, and by what name and length a version of codes goes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dashboard.evaluation.metrics.hashing import equation_1, equation_1_cosine
from dashboard.evaluation.rankings import Array, Flags


@dataclass(frozen=True, eq=False)
class CodePair:
    """The codes of a query and of an item, of -1 and 1 as whole numbers. [K] each

    Equation (1) of the hashing protocol says that three numbers are one: the bits that differ,
    (K - inner product) ÷ 2, and K ÷ 2 · (1 - cosine).

    >>> pair = CodePair(np.array([1, 1, -1, -1]), np.array([1, -1, -1, 1]))
    >>> pair.distance, pair.inner, pair.from_inner, pair.from_cosine, pair.from_vectors
    (2, 0, 2.0, 2.0, 2.0)
    """

    query: Array
    item: Array

    @property
    def bits(self) -> int:
        """K, the length of the codes."""
        return len(self.query)

    @property
    def differs(self) -> Flags:
        """Whether the codes differ in each place. [K]"""
        return np.asarray(self.query != self.item)

    @property
    def distance(self) -> int:
        """The Hamming distance, counted: in how many places the codes differ."""
        return int(self.differs.sum())

    @property
    def inner(self) -> int:
        """The inner product."""
        return int(self.query.astype(np.int64) @ self.item.astype(np.int64))

    @property
    def from_inner(self) -> float:
        """(K - inner product) ÷ 2."""
        return (self.bits - self.inner) / 2

    @property
    def from_cosine(self) -> float:
        """K ÷ 2 · (1 - cosine)."""
        return equation_1_cosine(self.query, self.item)

    @property
    def from_vectors(self) -> float:
        """K ÷ 4 · squared distance of the two codes, each divided by its length."""
        return equation_1(self.query, self.item)


def method_of(version: str, bits: int) -> str:
    """What a version is called without the length of its codes; its name where it does not say it.

    >>> method_of("itq-64", 64), method_of("lsh_16bits", 16), method_of("64b.pca", 64)
    ('itq', 'lsh', 'pca')
    >>> method_of("v0.3", 64), method_of("64", 64), method_of("v164", 64)
    ('v0.3', '64', 'v164')
    """
    length = rf"(?<!\d)[-_. ]?(?<!\d){bits}(?:[-_ ]?b(?:its?)?)?(?![0-9a-z])"
    method = re.sub(length, "", version, count=1, flags=re.IGNORECASE).strip("-_. ")
    return method or version
