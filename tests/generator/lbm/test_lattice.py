# SPDX-License-Identifier: Apache-2.0
"""Velocity sets: order, names, weights and isotropy as in the literature."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from heddle import lbm
from heddle.errors import KernelError

NAMES = {"D2Q5": 5, "D2Q9": 9, "D3Q7": 7, "D3Q15": 15, "D3Q19": 19, "D3Q27": 27}


@pytest.mark.parametrize("name", NAMES)
def test_opposites_are_neighbours_in_the_list_and_positive_comes_first(name: str) -> None:
    lattice = lbm.Lattice(name)
    assert lattice.size == NAMES[name]
    assert lattice.velocities[0] == (0,) * lattice.dimension
    for q, opposite in lattice.pairs:
        assert lattice.opposite(q) == opposite
        assert lattice.opposite(opposite) == q
        assert lattice.velocities[opposite] == tuple(-c for c in lattice.velocities[q])
        assert next(c for c in lattice.velocities[q] if c) == 1
    assert len(set(lattice.velocities)) == lattice.size


def test_directions_are_in_the_agreed_order() -> None:
    lattice = lbm.Lattice("D3Q27")
    expected = "c e w n s t b ne sw se nw te bw be tw tn bs bn ts tne bsw bne tsw tse bnw bse tnw"
    assert lattice.names == tuple(expected.split())
    signs = {"e": (0, 1), "w": (0, -1), "n": (1, 1), "s": (1, -1), "t": (2, 1), "b": (2, -1)}
    for name, velocity in zip(lattice.names[1:], lattice.velocities[1:], strict=True):
        meant = [0, 0, 0]
        for letter in name:
            axis, sign = signs[letter]
            meant[axis] = sign
        assert velocity == tuple(meant), name
    assert lbm.Lattice("D3Q19").velocities == lattice.velocities[:19]
    assert lbm.Lattice("D3Q7").velocities == lattice.velocities[:7]
    assert lbm.Lattice("D3Q15").velocities == lattice.velocities[:7] + lattice.velocities[19:]
    assert lbm.Lattice("D2Q9").names == ("c", "e", "w", "n", "s", "ne", "sw", "se", "nw")


@pytest.mark.parametrize(
    ("name", "order"), [("D2Q5", 2), ("D3Q7", 2), ("D2Q9", 4), ("D3Q15", 4), ("D3Q19", 4), ("D3Q27", 4)]
)
def test_isotropy(name: str, order: int) -> None:
    lattice = lbm.Lattice(name)
    assert sum(map(lattice.weight, range(lattice.size))) == 1
    assert lattice.isotropy() == order
    for powers in product(range(4), repeat=lattice.dimension):
        if sum(powers) in (1, 3, 5):
            assert lattice.moment(powers) == 0


def test_the_known_defects_of_sixth_order() -> None:
    assert lbm.Lattice("D2Q9").moment((6, 0)) == Fraction(1, 3)
    assert lbm.Lattice("D3Q15").moment((2, 2, 2)) == Fraction(1, 9)
    assert lbm.Lattice("D3Q19").moment((2, 2, 2)) == 0
    assert lbm.Lattice("D3Q27").moment((2, 2, 2)) == Fraction(1, 27)


def test_an_unknown_lattice_is_refused() -> None:
    with pytest.raises(KernelError, match="'D3Q18' is not a lattice"):
        lbm.Lattice("D3Q18")


def test_a_scalar_lattice_carries_no_momentum() -> None:
    with pytest.raises(KernelError, match="isotropic to fourth order, but D3Q7 is not"):
        lbm.BGK(lbm.Lattice("D3Q7"))


def mean_lattice() -> lbm.Lattice:
    """Half D3Q15, half D3Q19: isotropic to fourth order, as both are, but no product of 1D weights."""
    first, second = lbm.Lattice("D3Q15").class_weights, lbm.Lattice("D3Q19").class_weights
    classes = ("rest", "axis", "edge", "corner")
    mean = {kind: (first.get(n, 0) + second.get(n, Fraction(0))) / 2 for n, kind in enumerate(classes)}
    return lbm.Lattice("D3Q27_mean", mean)


def test_a_lattice_of_ones_own() -> None:
    flow, warm = mean_lattice(), lbm.Lattice("D3Q7_warm", {"rest": "1/10", "axis": "3/20"})
    assert flow.names == lbm.Lattice("D3Q27").names
    assert flow.cs2 == Fraction(1, 3)
    assert flow.isotropy() == 4
    assert warm.velocities == lbm.Lattice("D3Q7").velocities
    assert warm.cs2 == Fraction(3, 10)


def test_the_moment_that_fails_is_reported() -> None:
    assert str(lbm.Lattice("D3Q7").defect(4)) == "the sum of w c_x c_x c_x c_x is 1/4, not 3/16"
    assert str(mean_lattice().defect(6)) == "the sum of w c_x c_x c_x c_x c_x c_x is 1/3, not 5/9"
    assert mean_lattice().defect(5) is None
    mixed = lbm.Lattice("D2Q9_flat", {"rest": "1/2", "axis": "1/12", "edge": "1/24"})
    assert mixed.cs2 == Fraction(1, 3)
    with pytest.raises(KernelError, match="D2Q9_flat is not: the sum of w c_x c_x c_y c_y is 1/6, not 1/9"):
        lbm.BGK(mixed)


@pytest.mark.parametrize(
    ("name", "weights", "words"),
    [
        (
            "D3Q7",
            {"rest": "1/10", "axis": "3/20"},
            "'D3Q7' with weights of rest, axis is not a valid custom lattice",
        ),
        (
            "D2Q9_x",
            {"rest": "1/2", "corner": "1/8"},
            "'D2Q9_x' with weights of rest, corner is not a valid custom lattice",
        ),
        ("D2Q5_x", {"axis": "1/4"}, "'D2Q5_x' with weights of axis is not a valid custom lattice"),
        (
            "D2Q5_x",
            {"rest": "1/2", "axis": "1/4"},
            "D2Q5_x do not form a lattice: 5 directions, the weights add up to 3/2",
        ),
        (
            "D2Q5_x",
            {"rest": "1", "axis": "0"},
            "D2Q5_x do not form a lattice: 5 directions, the weights add up to 1, c_s.2 is 0",
        ),
        ("D2Q5_x", {"rest": "1/0x", "axis": "0"}, "of D2Q5_x must be numbers from 0 to 1"),
        (
            "D2Q7_x",
            {"rest": "0", "axis": "1/4"},
            "D2Q7_x do not form a lattice: 5 directions, the weights add up to 1",
        ),
    ],
)
def test_weights_that_are_no_lattice(name: str, weights: dict[str, str], words: str) -> None:
    with pytest.raises(KernelError, match=words):
        lbm.Lattice(name, weights)
