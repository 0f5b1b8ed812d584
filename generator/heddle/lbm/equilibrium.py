# SPDX-License-Identifier: Apache-2.0
"""Populations from moments, in even and odd halves of opposite pairs.

To second order f_q = w_q [d + 3 c.v + 9/2 (c_a c_b - delta_ab / 3) t_ab] with density deviation d, first
moment v and second moment t (without its isotropic part d / 3). The even half serves both directions of a
pair, the odd half changes sign. The equilibrium is d, v = rho u, t = rho u u; a relaxed or forced state
differs only in v and t.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import CLASSES, Lattice, require_lattice
from heddle.lbm.moments.macroscopic import Tensor, Vector, indices, labelled
from heddle.model.equations import Equations, add, multiply, signed

Third = Mapping[tuple[int, int, int], sympy.Expr]
"""Third moments by (a, a, b) with a != b, and by (0, 1, 2) on lattices with corners."""


@dataclass(frozen=True)
class Halves:
    """Even and odd half of each pair by the name of its positive direction, and the rest population."""

    rest: sympy.Expr
    even: Mapping[str, sympy.Expr]
    odd: Mapping[str, sympy.Expr]

    def populations(self, lattice: Lattice) -> dict[str, sympy.Expr]:
        """even + odd and even - odd: the population of every direction."""
        result = {"c": self.rest}
        for q, opposite in lattice.pairs:
            name = lattice.names[q]
            result[name] = add(self.even[name], self.odd[name])
            result[lattice.names[opposite]] = add(self.even[name], multiply(-1, self.odd[name]))
        return result


def require_momentum(lattice: Lattice, what: str) -> None:
    """Raises KernelError for a lattice that cannot carry momentum, and for what is no lattice."""
    require_lattice(lattice)
    defect = lattice.defect(4)
    if defect is not None:
        raise KernelError(
            calling_place(),
            f"{what} needs a lattice that is isotropic to fourth order, but {lattice.name} is not: {defect}.",
            "use D2Q9, D3Q19 or D3Q27 for a flow",
        )


def name_weights(equations: Equations, lattice: Lattice, *, rest: bool = True) -> dict[int, sympy.Expr]:
    """Name the weights `w_axis = 1/18` ...; the result maps a direction's order to its weight."""
    return {
        order: equations.constant("w_" + CLASSES[order], weight)
        for order, weight in lattice.class_weights.items()
        if order or rest
    }


def halves(
    equations: Equations,
    lattice: Lattice,
    weights: Mapping[int, sympy.Expr],
    deviation: sympy.Expr,
    vector: Vector,
    tensor: Tensor,
    third: Third | None = None,
) -> Halves:
    """Name the even and odd halves of the populations with the given moments.

    deviation: the zeroth moment that the populations shall have. vector: the first. tensor: the second less
    c_s^2 delta_ab times the zeroth. third: moments of c_a c_a c_b, for a third-order expansion.
    """
    d = lattice.dimension
    even_part = {
        (a, b): equations.let(labelled("e", a, b), multiply(Fraction(9, 2) if a == b else 9, value))
        for (a, b), value in tensor.items()
    }
    # 3/2 of the tensor and not 1/3 of 9/2 of it: 1/3 rounds up, by 1e-8 in f32, and each step would lose mass
    trace = equations.let("trace", add(*(tensor[a, a] for a in range(d))))
    isotropic = equations.let("isotropic", add(deviation, multiply(Fraction(-3, 2), trace)))
    brackets = _even_brackets(equations, lattice, isotropic, even_part)
    slopes = _odd_slopes(equations, lattice, vector, third)
    triple = None
    if third is not None and (0, 1, 2) in third:
        triple = equations.let("h_xyz", multiply(27, third[0, 1, 2]))
    even: dict[str, sympy.Expr] = {}
    odd: dict[str, sympy.Expr] = {}
    for q, _ in lattice.pairs:
        name, c, weight = lattice.names[q], lattice.velocities[q], weights[lattice.order(q)]
        axes = tuple(a for a in range(d) if c[a])
        mixed = [signed(c[a] * c[b], even_part[a, b]) for i, a in enumerate(axes) for b in axes[i + 1 :]]
        even[name] = equations.let(f"even_{name}", multiply(weight, add(brackets[axes], *mixed)))
        terms = [signed(c[a], slopes[axes, a]) for a in axes]
        if len(axes) == 3 and triple is not None:
            terms.append(signed(c[0] * c[1] * c[2], triple))
        odd[name] = equations.let(f"odd_{name}", multiply(weight, add(*terms)))
    return Halves(multiply(weights[0], isotropic), even, odd)


def _even_brackets(
    equations: Equations, lattice: Lattice, isotropic: sympy.Expr, even_part: Tensor
) -> dict[tuple[int, ...], sympy.Expr]:
    """isotropic + the diagonal entries of each set of axes that a direction moves along."""
    result: dict[tuple[int, ...], sympy.Expr] = {}
    for axes in _axis_sets(lattice):
        if len(axes) == 1:
            result[axes] = add(isotropic, even_part[axes[0], axes[0]])
        elif len(axes) == 3 and axes[:2] in result:
            result[axes] = equations.let("even_xyz", add(result[axes[:2]], even_part[2, 2]))
        else:
            value = add(isotropic, *(even_part[a, a] for a in axes))
            result[axes] = equations.let(labelled("even", *axes), value)
    return result


def _odd_slopes(
    equations: Equations, lattice: Lattice, vector: Vector, third: Third | None
) -> dict[tuple[tuple[int, ...], int], sympy.Expr]:
    """3 v_b plus third-order terms: what multiplies c_b in directions along the given set of axes."""
    slope = [equations.let(labelled("odd", b), multiply(3, v)) for b, v in enumerate(vector)]
    result: dict[tuple[tuple[int, ...], int], sympy.Expr] = {}
    if third is None:
        return {(axes, b): slope[b] for axes in _axis_sets(lattice) for b in axes}
    d = lattice.dimension
    nine = {
        (a, b): equations.let(labelled("h", a, a, b), multiply(9, third[a, a, b]))
        for a in range(d)
        for b in range(d)
        if a != b
    }
    for axes in _axis_sets(lattice):
        for b in axes:
            terms = [
                multiply(third_order_factor(lattice, a in axes, len(axes)), nine[a, b])
                for a in range(d)
                if a != b
            ]
            name = labelled("odd", b) + ("_axis" if len(axes) == 1 else "_" + "".join("xyz"[a] for a in axes))
            result[axes, b] = equations.let(name, add(slope[b], *terms))
    return result


def has_third_order(lattice: Lattice) -> bool:
    """Whether a lattice that carries momentum has third moments to relax: H_xxy and H_zzy are orthogonal, or,
    without corners, their sum and difference are."""
    if lattice.defect(4) is not None:
        return False
    return lattice.dimension == 2 or not has_corners(lattice) or lattice.moment((2, 2, 2)) == lattice.cs2**3


def has_corners(lattice: Lattice) -> bool:
    """Whether there are directions along three axes at once."""
    return max(lattice.class_weights) == 3


def third_order_factor(lattice: Lattice, moves: bool, order: int) -> Fraction:
    """What multiplies 9 t_aab c_b in a direction of `order` components that moves along a, or does not.

    The Hermite polynomial H_aab = (c_a^2 - 1/3) c_b with factor 27/2 gives 1 and -1/2. On D3Q19, H_xxy and
    H_zzy are not orthogonal: the sum (factor 27/2) and the difference (9/2) are, which gives -1 along axes
    and 1 or 0 on edges.
    """
    if lattice.dimension == 3 and not has_corners(lattice):
        return Fraction(-1) if order == 1 else Fraction(int(moves))
    return Fraction(1) if moves else Fraction(-1, 2)


def _axis_sets(lattice: Lattice) -> list[tuple[int, ...]]:
    """The sets of axes that directions move along, in lattice order, rest left out."""
    sets: dict[tuple[int, ...], None] = {}
    for q, _ in lattice.pairs:
        sets[tuple(a for a, c in enumerate(lattice.velocities[q]) if c)] = None
    return list(sets)


def outer(equations: Equations, lattice: Lattice, momentum: Vector, velocity: Vector, name: str) -> Tensor:
    """Name rho u_a u_b."""
    return {
        (a, b): equations.let(labelled(name, a, b), multiply(momentum[a], velocity[b]))
        for a, b in indices(lattice)
    }


def equilibrium(
    equations: Equations,
    lattice: Lattice,
    weights: Mapping[int, sympy.Expr],
    deviation: sympy.Expr,
    momentum: Vector,
    velocity: Vector,
) -> Halves:
    """The second-order equilibrium with the given density deviation, momentum rho u and velocity u."""
    return halves(
        equations, lattice, weights, deviation, momentum, outer(equations, lattice, momentum, velocity, "t")
    )
