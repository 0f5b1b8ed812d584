# SPDX-License-Identifier: Apache-2.0
"""The populations that belong to the moments which memory holds of a cell."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy

from heddle.lbm.collision.antisymmetric_parts import AntisymmetricParts
from heddle.lbm.equilibrium import name_weights
from heddle.lbm.lattice import Lattice
from heddle.lbm.moment_storage.recursive_hermite import RecursiveHermite
from heddle.lbm.moments.macroscopic import Vector, indices, labelled
from heddle.model.bits import has_bit
from heddle.model.equations import Equations, add, multiply, signed
from heddle.model.field import Access

Case = tuple[sympy.Expr, sympy.Basic | bool]
"""A value, and where it holds."""


class MomentPopulations:
    """Populations rebuilt from moments, each named once: w_q [rho + 3 c.j + 9/2 (c_a c_b - delta_ab / 3)
    t_ab], of zero-centred populations with rho - 1.

    stored: the numbers that memory holds of the cell at an offset, in order: density, momentum, stress.
    recursive: third moments follow from them, too.
    """

    def __init__(
        self,
        equations: Equations,
        lattice: Lattice,
        stored: Callable[[tuple[int, ...]], list[Access]],
        recursive: bool,
    ) -> None:
        self.equations, self.lattice, self.stored, self.recursive = equations, lattice, stored, recursive
        equations.section("Constants: lattice weights; 3 w, and the part of j that these directions carry")
        self.weights = name_weights(equations, lattice)
        self.antisymmetric_parts = AntisymmetricParts(equations, lattice)
        self.named: dict[tuple[int, tuple[int, ...]], sympy.Expr] = {}
        self.own: _OwnHalves | None = None

    def all_incoming(self) -> dict[int, sympy.Expr]:
        """By direction."""
        self.equations.section(
            "Populations that arrive: w [delta_rho + 3 c.j + 9/2 (c_a c_b - delta_ab / 3) t_ab] at -c"
        )
        return {q: self.incoming(q) for q in range(self.lattice.size)}

    def incoming(self, q: int) -> sympy.Expr:
        """What comes along direction q from the cell at -c_q."""
        return self.at(q, tuple(-component for component in self.lattice.velocities[q]))

    def at(self, q: int, place: tuple[int, ...]) -> sympy.Expr:
        """Population q of the cell at an offset."""
        c = self.lattice.velocities[q]
        if q and not any(place):
            return self.back(self.lattice.opposite(q))
        if (q, place) not in self.named:
            name = self.lattice.names[q]
            if any(a + b for a, b in zip(place, c, strict=True)):
                name += "_at_" + _name_of_offset(place)
            self.named[q, place] = self._rebuilt(q, place, name)
        return self.named[q, place]

    def back(self, q: int) -> sympy.Expr:
        """What the current cell has sent against direction q."""
        if (q, self._here) not in self.named:
            p = self.lattice.opposite(q)
            even, odd = self.own_halves(q)
            sign = -1 if q < p else 1
            name = f"back_{self.lattice.names[q]}"
            self.named[q, self._here] = self.equations.let(name, add(even, multiply(sign, odd)))
        return self.named[q, self._here]

    def own_halves(self, q: int) -> tuple[sympy.Expr, sympy.Expr]:
        """Of the current cell's population of a pair: the even half, and the odd one of its first
        direction."""
        if self.own is None:
            self.own = _OwnHalves(self)
        return self.own.of(min(q, self.lattice.opposite(q)))

    @property
    def _here(self) -> tuple[int, ...]:
        return (0,) * self.lattice.dimension

    def _rebuilt(self, q: int, place: tuple[int, ...], name: str) -> sympy.Expr:
        """Name a population: in the order of `equilibrium.halves`, but with odd halves that keep the
        momentum."""
        equations, lattice, c = self.equations, self.lattice, self.lattice.velocities[q]
        d, weight = lattice.dimension, self.weights[lattice.order(q)]
        density, *rest = self.stored(place)
        deviation = equations.let(f"delta_rho_{name}", density)
        vector, tensor = rest[:d], dict(zip(indices(lattice), rest[d:], strict=True))
        axes = [a for a in range(d) if c[a]]
        diagonal = {
            a: equations.let(f"{labelled('e', a, a)}_{name}", multiply(Fraction(9, 2), tensor[a, a]))
            for a in range(d)
        }
        trace = equations.let(f"trace_{name}", add(*(tensor[a, a] for a in range(d))))
        isotropic = equations.let(f"isotropic_{name}", add(deviation, multiply(Fraction(-3, 2), trace)))
        if not axes:
            return equations.let(f"f_{name}", multiply(weight, isotropic))
        mixed = [
            signed(c[a] * c[b], equations.let(f"{labelled('e', a, b)}_{name}", multiply(9, tensor[a, b])))
            for i, a in enumerate(axes)
            for b in axes[i + 1 :]
        ]
        bracket = add(isotropic, *(diagonal[a] for a in axes[:2]))
        if len(axes) > 1:
            bracket = equations.let(f"{labelled('even', *axes[:2])}_{name}", bracket)
        if len(axes) == 3:
            bracket = equations.let(f"even_xyz_{name}", add(bracket, diagonal[2]))
        even = equations.let(f"even_{name}", multiply(weight, add(bracket, *mixed)))
        third = None
        if self.recursive:
            third = RecursiveHermite(equations, lattice, name, deviation, tuple(vector), tensor)
        ahead = c if q < lattice.opposite(q) else lattice.velocities[lattice.opposite(q)]
        positive = ahead == c
        along = [
            (
                ahead[a],
                equations.let(
                    f"{labelled('j', a)}_{name}",
                    add(vector[a], *(third.transverse(axes, a) if third else ())),
                ),
            )
            for a in axes
        ]
        if third and len(axes) == 3:
            along.append((ahead[0] * ahead[1] * ahead[2], third.triple()))
        odd = equations.let(f"odd_{name}", self.antisymmetric_parts.of(lattice.order(q), along))
        return equations.let(f"f_{name}", add(even, odd if positive else multiply(-1, odd)))


class _OwnHalves:
    """Even and odd halves of the current cell's pairs, which share what they are made of."""

    def __init__(self, populations: MomentPopulations) -> None:
        self.populations, lattice = populations, populations.lattice
        equations, d = populations.equations, lattice.dimension
        deviation, *rest = populations.stored((0,) * d)
        self.tensor = {
            (a, b): equations.let(labelled("own_e", a, b), multiply(Fraction(9, 2) if a == b else 9, t))
            for (a, b), t in zip(indices(lattice), rest[d:], strict=True)
        }
        stored = dict(zip(indices(lattice), rest[d:], strict=True))
        trace = equations.let("own_trace", add(*(stored[a, a] for a in range(d))))
        self.isotropic = equations.let("own_isotropic", add(deviation, multiply(Fraction(-3, 2), trace)))
        self.momentum = [equations.let(labelled("own_j", a), j) for a, j in enumerate(rest[:d])]
        self.third = None
        if populations.recursive:
            self.third = RecursiveHermite(equations, lattice, "own", deviation, tuple(rest[:d]), stored)
        self.named: dict[int, tuple[sympy.Expr, sympy.Expr]] = {}

    def of(self, q: int) -> tuple[sympy.Expr, sympy.Expr]:
        """q: the first direction of a pair."""
        if q not in self.named:
            self.named[q] = self._halves(q)
        return self.named[q]

    def _halves(self, q: int) -> tuple[sympy.Expr, sympy.Expr]:
        lattice, equations, third = self.populations.lattice, self.populations.equations, self.third
        name, c = lattice.names[q], lattice.velocities[q]
        axes = [a for a in range(lattice.dimension) if c[a]]
        mixed = [signed(c[a] * c[b], self.tensor[a, b]) for i, a in enumerate(axes) for b in axes[i + 1 :]]
        bracket = add(self.isotropic, *(self.tensor[a, a] for a in axes), *mixed)
        even = equations.let(
            f"own_even_{name}", multiply(self.populations.weights[lattice.order(q)], bracket)
        )
        terms = [
            (
                c[a],
                equations.let(
                    f"{labelled('own_j', a)}_{name}",
                    add(self.momentum[a], *(third.transverse(axes, a) if third else ())),
                ),
            )
            for a in axes
        ]
        if third and len(axes) == 3:
            terms.append((c[0] * c[1] * c[2], third.triple()))
        odd = equations.let(
            f"own_odd_{name}", self.populations.antisymmetric_parts.of(lattice.order(q), terms)
        )
        return even, odd


class HalfwayWalls:
    """Walls half-way to the next cell, given by bits of a cell: what comes off them.

    bits: of the directions that come from a wall. moving: of those that come from a wall which moves, or
    None. velocity: of that wall. What the current cell has sent comes back, plus 6 w c.u where the wall
    moves.
    """

    def __init__(
        self, populations: MomentPopulations, bits: sympy.Expr, moving: sympy.Expr | None, velocity: Vector
    ) -> None:
        self.populations, self.velocity = populations, velocity
        equations = populations.equations
        equations.section("Where a wall lies there: what the cell itself has sent, + 6 w c.u off a lid")
        self.bits = equations.let("wall_bits", bits)
        self.moving = None if moving is None else equations.let("lid_bits", moving)
        self.pushes: dict[int, sympy.Expr] = {}

    def cases(self, q: int) -> list[Case]:
        """What comes in along a direction off a wall, and where it does."""
        populations, lattice = self.populations, self.populations.lattice
        populations.own_halves(q)
        first = min(q, lattice.opposite(q))
        if self.moving is None:
            return [(populations.back(q), has_bit(self.bits, q))]
        if first not in self.pushes:
            c, weight = lattice.velocities[first], populations.weights[lattice.order(first)]
            along = add(*(signed(c[a], u) for a, u in enumerate(self.velocity)))
            name = f"push_{lattice.names[first]}"
            self.pushes[first] = populations.equations.let(name, multiply(6, weight, along))
        back = populations.back(q)
        pushed = add(back, multiply(1 if q == first else -1, self.pushes[first]))
        return [(pushed, has_bit(self.moving, q)), (back, has_bit(self.bits, q))]


def _name_of_offset(place: tuple[int, ...]) -> str:
    """(2, -1) -> `ees`: a letter of the compass for each cell of the way."""
    letters = [("w", "e"), ("s", "n"), ("b", "t")]
    return "".join(letters[a][n > 0] * abs(n) for a, n in enumerate(place)) or "here"
