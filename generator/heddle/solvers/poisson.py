# SPDX-License-Identifier: Apache-2.0
"""Poisson problems: transforms and eigenvalues of a direction, from the location of its unknowns and the
conditions at its two ends.

A boundary mirrors the unknowns, evenly for Neumann and oddly for Dirichlet: about a face half a cell outside
the last centre, about the last node (Neumann), or about the node behind it (Dirichlet). All that a solver
needs follows from the positions of the two mirrors and their parity: eigenfunctions are cosines or sines
between them, with half a wave more or less.

x = poisson.Direction(256, 0.5, "neumann", "neumann")         # -> x.transform, x.eigenvalue(l), x.lift()
module.add("columns", tridiagonal.eliminate(p, ratio, lower=..., upper=..., excess=...))       # along z
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import sympy

from heddle.errors import KernelError, Place, calling_place

Boundary = Literal["periodic", "dirichlet", "neumann"]
Location = Literal["centre", "face"]


@dataclass(frozen=True)
class Transform:
    """A pair of transforms and the factor between them: inverse(forward(f)) = factor f, both without a factor
    of their own, numbered as in Britanak, Yip and Rao (2007)."""

    forward: str
    inverse: str
    factor: sympy.Expr


@dataclass(frozen=True)
class Direction:
    """One direction of a box, with constant spacing, which a transform diagonalises.

    unknowns: their number. spacing: the distance between them. location: "centre" of cells, or "face". lower,
    upper: the boundary conditions at the ends. values: p at a Dirichlet boundary, the outward derivative of p
    at a Neumann boundary.
    """

    unknowns: int | sympy.Expr
    spacing: float | sympy.Expr
    lower: Boundary = "periodic"
    upper: Boundary = "periodic"
    location: Location = "centre"
    values: tuple[float | sympy.Expr, float | sympy.Expr] = (0, 0)
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        for boundary in (self.lower, self.upper):
            if boundary not in ("periodic", "dirichlet", "neumann"):
                raise KernelError(
                    self.place,
                    f"'{boundary}' is not a boundary condition of a direction.",
                    "use periodic, dirichlet or neumann",
                )
        if self.location not in ("centre", "face"):
            raise KernelError(
                self.place, f"'{self.location}' is not a location of unknowns.", "use centre or face"
            )
        if (self.lower == "periodic") != (self.upper == "periodic"):
            raise KernelError(
                self.place,
                "the direction is periodic at one end only.",
                "make it periodic at both ends, or at none",
            )
        least = 2 if (self.location, self.lower, self.upper) == ("face", "neumann", "neumann") else 1
        if isinstance(self.unknowns, (int, sympy.Integer)) and self.unknowns < least:
            raise KernelError(
                self.place,
                f"a direction with these boundaries needs at least {least} unknowns, not {self.unknowns}.",
                "use more unknowns",
            )

    @property
    def is_periodic(self) -> bool:
        return self.lower == "periodic"

    @property
    def length(self) -> sympy.Expr:
        """The distance between the two mirrors (of the period), in spacings."""
        n = sympy.sympify(self.unknowns)
        if self.is_periodic or self.location == "centre":
            return n
        return n + int(self.lower == "dirichlet") - int(self.upper == "neumann")

    @property
    def transform(self) -> Transform:
        """Type 1 and 2: equal ends, 3 and 4: different ones; odd types on faces, even ones at centres."""
        if self.is_periodic:
            return Transform("dft", "dft", self.length)
        family = "dct" if self.lower == "neumann" else "dst"
        number = (1 if self.location == "face" else 2) + (0 if self.lower == self.upper else 2)
        inverse = {1: 1, 2: 3, 3: 2, 4: 4}[number]
        return Transform(f"{family}{number}", f"{family}{inverse}", 2 * self.length)

    def half_waves(self, mode: int | sympy.Expr) -> sympy.Expr:
        """How many half waves of mode 0 <= mode < unknowns lie between the mirrors."""
        if self.is_periodic:
            return 2 * sympy.sympify(mode)
        if self.lower != self.upper:
            return mode + sympy.Rational(1, 2)
        return sympy.sympify(mode) + (1 if self.lower == "dirichlet" else 0)

    def eigenvalue(self, mode: int | sympy.Expr) -> sympy.Expr:
        """Of minus the second difference, with the sine: 1 - cos loses the digits of long waves."""
        angle = sympy.pi * self.half_waves(mode) / (2 * self.length)
        return 4 * sympy.sin(angle) ** 2 / sympy.sympify(self.spacing) ** 2

    def eigenfunction(self, mode: int | sympy.Expr, k: int | sympy.Expr) -> sympy.Expr:
        """Mode at unknown k, 0 <= k < unknowns (of a periodic direction, its real part)."""
        if self.is_periodic:
            return sympy.cos(sympy.pi * self.half_waves(mode) * k / self.length)
        first = sympy.Rational(1, 2) if self.location == "centre" else int(self.lower == "dirichlet")
        angle = sympy.pi * self.half_waves(mode) * (k + first) / self.length
        return sympy.cos(angle) if self.lower == "neumann" else sympy.sin(angle)

    def lift(self) -> tuple[sympy.Expr, sympy.Expr]:
        """What the boundary values take from the right-hand side of the first and the last unknown."""
        h = sympy.sympify(self.spacing)

        def coefficient(boundary: Boundary) -> sympy.Expr:
            if boundary == "periodic":
                return sympy.Integer(0)
            twice = (boundary == "dirichlet") == (
                self.location == "centre"
            )  # mirrored at half, or at a whole step
            return (2 if twice else 1) / (h**2 if boundary == "dirichlet" else h)

        lower, upper = (sympy.sympify(value) for value in self.values)
        return coefficient(self.lower) * lower, coefficient(self.upper) * upper

    @property
    def keeps_constants(self) -> bool:
        """Whether a constant is an eigenfunction of eigenvalue 0: mode 0, exactly."""
        return "dirichlet" not in (self.lower, self.upper)


def is_singular(directions: Sequence[Direction], shift: float | sympy.Expr = 0) -> bool:
    """Whether p is determined only up to a constant. shift: of a Helmholtz problem, >= 0."""
    return shift == 0 and all(direction.keeps_constants for direction in directions)
