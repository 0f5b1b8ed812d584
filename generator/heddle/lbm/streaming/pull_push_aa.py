# SPDX-License-Identifier: Apache-2.0
"""Streaming patterns whose walls lie in the current cell: two arrays, or AA.

Sources: AA, Bailey et al. 2009. In-place patterns, the esoteric ones too, are given in the form with a shift
m(q) that satisfies m(q) - m(opposite q) = -c_q.
"""

from __future__ import annotations

from abc import abstractmethod

from heddle.lbm.streaming.access_pattern import Offset, PopulationSlot
from heddle.lbm.streaming.pattern import StreamingPattern
from heddle.model.streaming_kernels import Link


class TwoArrays(StreamingPattern):
    """Base of the patterns that read one array and write another."""


class Pull(TwoArrays):
    """Read the populations that come in from the neighbours of `f`, write the current cell of `f_next`."""

    def read(self, q: int, step: str) -> PopulationSlot:
        return q, _minus(self.lattice.velocities[q])

    def write(self, q: int, step: str) -> PopulationSlot:
        return q, (0,) * self.lattice.dimension

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(
            Link(q, _minus(self.lattice.velocities[q]), self.lattice.opposite(q))
            for q in range(1, self.lattice.size)
        )


class Push(TwoArrays):
    """Read the current cell of `f`, write to the neighbours in `f_next`."""

    def read(self, q: int, step: str) -> PopulationSlot:
        return q, (0,) * self.lattice.dimension

    def write(self, q: int, step: str) -> PopulationSlot:
        return q, self.lattice.velocities[q]

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(
            Link(q, self.lattice.velocities[q], self.lattice.opposite(q)) for q in range(1, self.lattice.size)
        )


class InPlace(StreamingPattern):
    """Base of the patterns with one array and two alternating steps, defined by the shift of the even step.

    Even: read (q, m(q)), write (opposite, m(opposite)). Odd: read (opposite, n(q)), write (q, n(opposite))
    with n(q) = m(opposite) - c_q, so that odd reads what even wrote.
    """

    steps = ("even", "odd")
    in_place = True

    @abstractmethod
    def shift(self, q: int) -> Offset:
        """m(q), the shift of the even step."""

    def read(self, q: int, step: str) -> PopulationSlot:
        if step == "even":
            return q, self.shift(q)
        return self.lattice.opposite(q), self._odd_shift(q)

    def write(self, q: int, step: str) -> PopulationSlot:
        opposite = self.lattice.opposite(q)
        if step == "even":
            return opposite, self.shift(opposite)
        return q, self._odd_shift(opposite)

    def _odd_shift(self, q: int) -> Offset:
        shift = self.shift(self.lattice.opposite(q))
        return tuple(m - c for m, c in zip(shift, self.lattice.velocities[q], strict=True))


class AA(InPlace):
    """Bailey et al. 2009: even stays in the current cell, odd reads and writes the neighbours."""

    def shift(self, q: int) -> Offset:
        return (0,) * self.lattice.dimension

    @property
    def links(self) -> tuple[Link, ...]:
        opposite = self.lattice.opposite
        return tuple(
            Link(opposite(q), _minus(self.lattice.velocities[q]), q) for q in range(1, self.lattice.size)
        )


def _minus(velocity: Offset) -> Offset:
    return tuple(-c for c in velocity)
