# SPDX-License-Identifier: Apache-2.0
"""Velocity sets: which neighbours a population travels to, and with which weight.

Index 0 is rest; 2k-1 and 2k are opposite, the first of a pair is the one whose first non-zero component is
positive. Directions are named by the compass: e/w = +-x, n/s = +-y, t/b = +-z, so "tn" is (0, 1, 1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from itertools import product

from heddle.errors import KernelError, calling_place

Velocity = tuple[int, ...]

_PAIRS_2D: dict[int, list[Velocity]] = {1: [(1, 0), (0, 1)], 2: [(1, 1), (1, -1)]}
_PAIRS_3D: dict[int, list[Velocity]] = {
    1: [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    2: [(1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)],
    3: [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)],
}

CLASSES = ("rest", "axis", "edge", "corner")
"""Directions by the number of their non-zero components."""

_WEIGHTS: dict[str, tuple[Fraction, dict[int, Fraction]]] = {
    # name: (c_s^2, number of non-zero components -> weight)
    "D2Q5": (Fraction(1, 3), {0: Fraction(1, 3), 1: Fraction(1, 6)}),
    "D2Q9": (Fraction(1, 3), {0: Fraction(4, 9), 1: Fraction(1, 9), 2: Fraction(1, 36)}),
    "D3Q7": (Fraction(1, 4), {0: Fraction(1, 4), 1: Fraction(1, 8)}),
    "D3Q15": (Fraction(1, 3), {0: Fraction(2, 9), 1: Fraction(1, 9), 3: Fraction(1, 72)}),
    "D3Q19": (Fraction(1, 3), {0: Fraction(1, 3), 1: Fraction(1, 18), 2: Fraction(1, 36)}),
    "D3Q27": (
        Fraction(1, 3),
        {0: Fraction(8, 27), 1: Fraction(2, 27), 2: Fraction(1, 54), 3: Fraction(1, 216)},
    ),
}


@dataclass(frozen=True)
class Defect:
    """A moment that is not the Maxwellian's: sum_q w_q c_q^powers is `value`, not `expected`."""

    powers: tuple[int, ...]
    value: Fraction
    expected: Fraction

    def __str__(self) -> str:
        letters = " ".join(
            f"c_{axis}" for axis, power in zip("xyz", self.powers, strict=False) for _ in range(power)
        )
        return f"the sum of w {letters} is {self.value}, not {self.expected}"


@dataclass(frozen=True)
class Lattice:
    """A velocity set by name: D2Q5, D2Q9, D3Q7, D3Q15, D3Q19 or D3Q27, or a custom one.

    D2Q5 and D3Q7 are isotropic to second order only: they carry scalars, not momentum. weights: defines
    another lattice of nearest neighbours by the exact weight of each class of directions ("rest", "axis",
    "edge", "corner"): `Lattice("D3Q7_warm", {"rest": "1/10", "axis": "3/20"})`; c_s^2 = sum w c_x^2 follows.
    `isotropy()` is the order up to which the moments are Maxwellian, 4 for a flow; `defect(order)` is the
    first moment that is not. Operators use these, not the name. Raises KernelError for an unknown name, and
    for weights that do not match the name, are negative, do not add up to 1, or are all at rest.
    """

    name: str
    weights: InitVar[Mapping[str, Fraction | int | str] | None] = None
    velocities: tuple[Velocity, ...] = field(init=False, repr=False)
    names: tuple[str, ...] = field(init=False, repr=False)
    cs2: Fraction = field(init=False, repr=False)
    class_weights: Mapping[int, Fraction] = field(init=False, repr=False, hash=False)

    def __post_init__(self, weights: Mapping[str, Fraction | int | str] | None) -> None:
        if weights is None and self.name not in _WEIGHTS:
            raise KernelError(
                calling_place(),
                f"'{self.name}' is not a lattice.",
                "one of " + ", ".join(_WEIGHTS) + _weights_of_your_own(self.name),
            )
        given = _WEIGHTS[self.name][1] if weights is None else _own_weights(self.name, weights)
        pairs = _PAIRS_2D if self.name.startswith("D2") else _PAIRS_3D
        velocities: list[Velocity] = [(0,) * int(self.name[1])]
        for components in sorted(given):
            for velocity in pairs.get(components, []):
                velocities += [velocity, tuple(-c for c in velocity)]
        object.__setattr__(self, "velocities", tuple(velocities))
        object.__setattr__(self, "names", tuple(map(direction_name, velocities)))
        object.__setattr__(self, "class_weights", given)
        if weights is None:
            object.__setattr__(self, "cs2", _WEIGHTS[self.name][0])
            return
        object.__setattr__(self, "cs2", self.moment((2, *(0,) * (self.dimension - 1))))
        total = sum(map(self.weight, range(self.size)))
        if self.size != int(re.findall(r"\d+", self.name)[1]) or total != 1 or self.cs2 == 0:
            raise KernelError(
                calling_place(),
                f"the weights of {self.name} do not form a lattice: {self.size} directions, the weights "
                f"add up to {total}, c_s^2 is {self.cs2}.",
                "the number after Q must be the number of directions; weights are exact numbers such as "
                '"1/18", must add up to 1, and must not all be at rest',
            )

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.velocities[0])

    @property
    def size(self) -> int:
        """The number of directions, rest included."""
        return len(self.velocities)

    @property
    def axes(self) -> str:
        """The axis letters, "xy" or "xyz"."""
        return "xyz"[: self.dimension]

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Opposite directions (q, opposite), the positive one first."""
        return tuple((q, q + 1) for q in range(1, self.size, 2))

    def opposite(self, q: int) -> int:
        """The direction that points the other way."""
        return q if q == 0 else (q + 1 if q % 2 else q - 1)

    def order(self, q: int) -> int:
        """The number of non-zero velocity components of q: 0 rest, 1 axis, 2 edge, 3 corner."""
        return sum(map(abs, self.velocities[q]))

    def weight(self, q: int) -> Fraction:
        """The quadrature weight of q."""
        return self.class_weights[self.order(q)]

    def moment(self, powers: tuple[int, ...]) -> Fraction:
        """The sum over q of weight times velocity components to the given powers, exactly."""
        sums = dict.fromkeys(self.class_weights, 0)
        for q, velocity in enumerate(self.velocities):
            term = 1
            for component, power in zip(velocity, powers, strict=True):
                term *= component**power
            sums[self.order(q)] += term
        return sum((self.class_weights[order] * value for order, value in sums.items()), Fraction(0))

    def isotropy(self) -> int:
        """The highest even order (2, 4, 6; else 0) up to which the moments are those of the Maxwellian."""
        defect = self.defect(6)
        return 6 if defect is None else (sum(defect.powers) - 1) // 2 * 2

    def defect(self, order: int) -> Defect | None:
        """The first moment, by order, that is not the Maxwellian's; None if all are up to `order`."""
        every = product(range(order + 1), repeat=self.dimension)
        for powers in sorted((p for p in every if sum(p) <= order), key=lambda p: (sum(p), p[::-1])):
            value, expected = self.moment(powers), self._gaussian(powers)
            if value != expected:
                return Defect(powers, value, expected)
        return None

    def _gaussian(self, powers: tuple[int, ...]) -> Fraction:
        value = Fraction(1)
        for power in powers:
            if power % 2:
                return Fraction(0)
            for factor in range(1, power, 2):
                value *= factor * self.cs2
        return value


def direction_name(velocity: Velocity) -> str:
    """The compass name of a velocity: c, e, w, n, s, t, b, ne, ..., tne, bsw."""
    x, y, z = (*velocity, 0)[:3] if len(velocity) == 2 else velocity
    return ("b", "", "t")[z + 1] + ("s", "", "n")[y + 1] + ("w", "", "e")[x + 1] or "c"


def require_lattice(lattice: object) -> None:
    """Raises KernelError for what is no Lattice, such as its name."""
    if not isinstance(lattice, Lattice):
        raise KernelError(
            calling_place(), f"{lattice!r} is not a lattice.", 'pass lbm.Lattice("D3Q19") or another lattice'
        )


def _weights_of_your_own(name: str) -> str:
    """The rest of a hint, for a name whose directions some classes have: those of 5, 9; 7, 9, 13, 15, ..."""
    found = re.fullmatch(r"D([23])Q(\d+)\w*", str(name))
    if not found:
        return ""
    sizes = [2 * len(pairs) for pairs in (_PAIRS_2D if found[1] == "2" else _PAIRS_3D).values()]
    chosen = product((0, 1), repeat=len(sizes))
    known = {1 + sum(size * used for size, used in zip(sizes, choice, strict=True)) for choice in chosen}
    return "; or give custom weights" if int(found[2]) in known - {1} else ""


def _own_weights(name: str, weights: Mapping[str, Fraction | int | str]) -> dict[int, Fraction]:
    """The user's weights by the number of non-zero components, rest first."""
    if not isinstance(weights, Mapping):
        raise KernelError(
            calling_place(),
            f"the weights of '{name}' are {weights!r}, which does not name the classes of directions.",
            'give weights by class of direction: {"rest": "1/10", "axis": "3/20"}',
        )
    classes = CLASSES[: int(name[1]) + 1] if re.fullmatch(r"D[23]Q\d+\w*", str(name)) else ()
    if name in _WEIGHTS or not classes or "rest" not in weights or not set(weights) <= set(classes):
        raise KernelError(
            calling_place(),
            f"'{name}' with weights of {', '.join(map(str, weights))} is not a valid custom lattice.",
            "choose a name that is not taken, such as D3Q7_warm; give weights of rest and of some of "
            "axis, edge, corner",
        )
    try:
        own = {order: Fraction(weights[kind]) for order, kind in enumerate(classes) if kind in weights}
    except (TypeError, ValueError, ZeroDivisionError):
        own = {}
    if not any(own.values()) or any(weight < 0 for weight in own.values()):
        raise KernelError(
            calling_place(),
            f"the weights of {name} must be numbers from 0 to 1.",
            'use exact numbers, such as "1/18" or Fraction(1, 18)',
        )
    return own
