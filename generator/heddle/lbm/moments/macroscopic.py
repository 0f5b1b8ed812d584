# SPDX-License-Identifier: Apache-2.0
"""Density, momentum and second moments of populations, by sums and differences of opposite pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.lbm.lattice import Lattice
from heddle.model.equations import Equations, add, divide, multiply, signed
from heddle.model.field import Field

Vector = tuple[sympy.Expr, ...]
Tensor = dict[tuple[int, int], sympy.Expr]
"""A symmetric tensor: entries (a, b) with a <= b."""


def indices(lattice: Lattice) -> list[tuple[int, int]]:
    """The entries of a symmetric tensor, diagonal first."""
    d = lattice.dimension
    return [(a, a) for a in range(d)] + [(a, b) for a in range(d) for b in range(a + 1, d)]


def entry(tensor: Tensor, a: int, b: int) -> sympy.Expr:
    """Entry (a, b) of a symmetric tensor."""
    return tensor[min(a, b), max(a, b)]


def labelled(name: str, *axes: int) -> str:
    """`p`, 0, 1 -> `p_xy`."""
    return name + "_" + "".join("xyz"[axis] for axis in axes)


def vector_field(name: str, rank: int) -> Field:
    """A vector on cells: components x, y, z."""
    return Field(name, "real", rank, rank, component_names=tuple("xyz"[:rank]))


@dataclass(frozen=True)
class Pairs:
    """Sums and differences of opposite populations, by the name of the positive direction."""

    total: Mapping[str, sympy.Expr]
    difference: Mapping[str, sympy.Expr]


@dataclass(frozen=True)
class Macroscopic:
    """What the moments of a cell are called.

    deviation: the sum of the stored populations: rho - 1 if they are zero-centred, else rho. momentum: rho u,
    the first moment plus F/2. half_force: F/2.
    """

    pairs: Pairs
    deviation: sympy.Expr
    rho: sympy.Expr
    inv_rho: sympy.Expr
    momentum: Vector
    velocity: Vector
    half_force: Vector
    planes: Mapping[tuple[int, ...], sympy.Expr]


def pair_sums(equations: Equations, lattice: Lattice, f: Mapping[str, sympy.Expr]) -> Pairs:
    """Name `s_e = f_e + f_w` and `d_e = f_e - f_w` for each pair."""
    total: dict[str, sympy.Expr] = {}
    difference: dict[str, sympy.Expr] = {}
    for q, opposite in lattice.pairs:
        name = lattice.names[q]
        plus, minus = f[name], f[lattice.names[opposite]]
        total[name] = equations.let(f"s_{name}", add(plus, minus))
        difference[name] = equations.let(f"d_{name}", add(plus, multiply(-1, minus)))
    return Pairs(total, difference)


def macroscopic(
    equations: Equations,
    lattice: Lattice,
    f: Mapping[str, sympy.Expr],
    *,
    zero_centred: bool,
    force: Vector,
    compressible: bool = True,
    share_planes: bool = False,
) -> Macroscopic:
    """Density, momentum and velocity of the populations `f` (direction name -> value).

    share_planes: sum the pairs of each coordinate plane first, because second moments will need these sums
    too.
    """
    pairs = pair_sums(equations, lattice, f)
    planes: dict[tuple[int, ...], sympy.Expr] = {}
    if share_planes:
        planes = _plane_sums(equations, lattice, pairs)
    parts = list(planes.values()) if share_planes else list(pairs.total.values())
    deviation = equations.let("delta_rho" if zero_centred else "rho", add(f["c"], *parts))
    momentum: list[sympy.Expr] = []
    half_force = tuple(
        equations.let(labelled("half_force", a), multiply(Fraction(1, 2), component))
        for a, component in enumerate(force)
    )
    for a in range(lattice.dimension):
        terms = [
            signed(lattice.velocities[q][a], pairs.difference[lattice.names[q]])
            for q, _ in lattice.pairs
            if lattice.velocities[q][a]
        ]
        momentum.append(equations.let(labelled("j", a), add(*terms, half_force[a])))
    rho: sympy.Expr = sympy.Integer(1)
    inv_rho: sympy.Expr = sympy.Integer(1)
    velocity = tuple(momentum)
    if compressible:
        rho = equations.let("rho", add(sympy.Integer(1), deviation)) if zero_centred else deviation
        inv_rho = equations.let("inv_rho", divide(1, rho))
        velocity = tuple(
            equations.let(labelled("u", a), multiply(component, inv_rho))
            for a, component in enumerate(momentum)
        )
    return Macroscopic(pairs, deviation, rho, inv_rho, tuple(momentum), velocity, half_force, planes)


def _plane_sums(equations: Equations, lattice: Lattice, pairs: Pairs) -> dict[tuple[int, ...], sympy.Expr]:
    groups: dict[tuple[int, ...], list[sympy.Expr]] = {}
    for q, _ in lattice.pairs:
        nonzero = tuple(a for a, c in enumerate(lattice.velocities[q]) if c)
        groups.setdefault(nonzero, []).append(pairs.total[lattice.names[q]])
    return {
        axes: members[0] if len(members) == 1 else equations.let(labelled("s", *axes), add(*members))
        for axes, members in groups.items()
    }


def second_moments(equations: Equations, lattice: Lattice, state: Macroscopic) -> Tensor:
    """p_ab = sum c_a c_b f_q; with zero-centred populations this is the true one minus c_s^2 delta_ab."""
    result: Tensor = {}
    for a, b in indices(lattice):
        if a == b:
            terms = [value for axes, value in state.planes.items() if a in axes]
        else:
            terms = []
            for q, _ in lattice.pairs:
                c = lattice.velocities[q]
                if c[a] * c[b]:
                    terms.append(signed(c[a] * c[b], state.pairs.total[lattice.names[q]]))
        result[a, b] = equations.let(labelled("p", a, b), add(*terms))
    return result


def contract(equations: Equations, tensor: Tensor, name: str) -> sympy.Expr:
    """Name the double contraction t_ab t_ab, diagonal entries once and the others twice."""
    diagonal = [multiply(value, value) for (a, b), value in tensor.items() if a == b]
    mixed = [multiply(value, value) for (a, b), value in tensor.items() if a != b]
    return equations.let(name, add(*diagonal, multiply(2, add(*mixed))))
