# SPDX-License-Identifier: Apache-2.0
"""Moments of populations and back, one axis after the other.

The moment with powers (2, 0, 1) is sum_q c_x^2 c_z f_q, called `m_xxz`. Along an axis three populations
become three moments: m_0 = f_0 + (f_+ + f_-), m_1 = f_+ - f_-, m_2 = f_+ + f_-. What is half-way is called by
the velocity of the axes that are left and the powers of those that are done: `mz_ne_z`. Powers go to 2,
because c^3 = c. Directions that a lattice lacks are zeros, so the same lines serve D2Q9, D3Q15, D3Q19 and
D3Q27. On the way back a value that moves along an axis stands for its double; one product at the end halves.

Central moments sum (c_x - u_x)^i (c_y - u_y)^j (c_z - u_z)^k f_q: `k_xxz`. They follow from the raw ones by
the binomials k_1 = m_1 - u m_0, k_2 = m_2 - u (m_1 + k_1) along each axis (the fast transform of Geier et al.
2015). With zero-centred populations f - w all moments are those of f less those of w, 1/3 for each square,
and only m_0 has to be made whole where the velocity multiplies it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from heddle.lbm.lattice import Lattice, direction_name
from heddle.lbm.moments.macroscopic import Vector, labelled
from heddle.model.equations import Equations, add, divide, is_zero, multiply, negate

Powers = tuple[int, ...]
Moments = dict[Powers, sympy.Expr]
"""Moments by the power of each axis, 0 to 2; what is absent is 0."""
_Line = tuple[Powers, Powers, Powers]


@cache
def monomials(lattice: Lattice) -> Mapping[Powers, Powers]:
    """Powers -> the powers of lowest order that mean the same on the lattice; without those that are 0.

    On D3Q15 x x y z is y z, because all directions with a y and a z have an x. There are as many different
    ones as directions: a lattice that carries momentum has all axes, which tells monomials apart.
    """
    seen: dict[tuple[int, ...], Powers] = {}
    result: dict[Powers, Powers] = {}
    for powers in by_order(lattice.dimension):
        values = tuple(_monomial(velocity, powers) for velocity in lattice.velocities)
        if any(values):
            result[powers] = seen.setdefault(values, powers)
    return result


def _monomial(velocity: Sequence[int], powers: Powers) -> int:
    value = 1
    for component, power in zip(velocity, powers, strict=True):
        value *= component**power
    return value


@cache
def by_order(dimension: int) -> tuple[Powers, ...]:
    """All powers 0 to 2 an axis, by their order; x before y before z."""
    return tuple(sorted(product(range(3), repeat=dimension), key=lambda p: (sum(p), tuple(-i for i in p))))


def powers_of(lattice: Lattice, *axes: int) -> Powers:
    """(0, 0, 1) -> the powers of c_x c_x c_y."""
    return tuple(axes.count(a) for a in range(lattice.dimension))


def letters(powers: Sequence[int]) -> str:
    """(2, 0, 1) -> `xxz`."""
    return "".join(axis * power for axis, power in zip("xyz", powers, strict=False))


def raw_moments(
    equations: Equations, lattice: Lattice, populations: Mapping[str, sympy.Expr], density: str
) -> Moments:
    """Name all moments of the populations (direction name -> value). density: what the zeroth is called."""
    values: Moments = {
        c: populations[name] for name, c in zip(lattice.names, lattice.velocities, strict=True)
    }
    known: dict[tuple[sympy.Expr, sympy.Expr], tuple[sympy.Expr, sympy.Expr]] = {}
    for axis in reversed(range(lattice.dimension)):
        moments: Moments = {}
        for zeroth, first, second in _lines(values, axis):
            minus = (*first[:axis], -1, *first[axis + 1 :])
            names = [_partial("m", powers, axis) or density for powers in (zeroth, first, second)]
            centre, plus, other = (values.get(key, sympy.Integer(0)) for key in (zeroth, first, minus))
            if (plus, other) not in known:
                total = equations.let(names[2], add(plus, other))
                known[plus, other] = total, equations.let(names[1], add(plus, negate(other)))
            moments[second], moments[first] = known[plus, other]
            moments[zeroth] = equations.let(names[0], add(centre, moments[second]))
        values = _without_zeros(moments)
    return values


def populations(
    equations: Equations, lattice: Lattice, moments: Mapping[Powers, sympy.Expr], suffix: str = "_post"
) -> Moments:
    """The populations (velocity -> value) that have the given moments. suffix: of the names in between."""
    values: Moments = dict(moments)
    last = lattice.dimension - 1
    for axis in range(lattice.dimension):
        found: Moments = {}
        for zeroth, first, second in _lines(values, axis):
            minus = (*first[:axis], -1, *first[axis + 1 :])
            m0, m1, m2 = (values.get(key, sympy.Integer(0)) for key in (zeroth, first, second))
            for key, value in (
                (zeroth, add(m0, negate(m2))),
                (first, add(m2, m1)),
                (minus, add(m2, negate(m1))),
            ):
                if axis < last:
                    found[key] = equations.let(_partial("m", key, axis + 1, suffix), value)
                else:
                    found[key] = multiply(Fraction(1, 2 ** sum(map(abs, key))), value)
        values = _without_zeros(found)
    return values


def central_moments(
    equations: Equations, moments: Moments, velocity: Vector, rho: sympy.Expr, first: Vector, whole: Fraction
) -> Moments:
    """Name the central moments of raw ones about the given velocity.

    first: the first central moments, which are known: 0 without a force. whole: what the moment of a square
    lacks, 1/3 of zero-centred populations.
    """
    values = dict(moments)
    complete = _Complete(equations, rho, whole)
    for axis, u in enumerate(velocity):
        for zeroth, one, two in _lines(values, axis):
            if one not in values:
                continue
            m1 = values[one]
            if sum(one) == 1:
                values[one] = first[axis]
            else:
                shift = multiply(-1, u, complete(zeroth, values[zeroth], axis))
                values[one] = equations.let(_shifted("k", one, axis + 1), add(m1, shift))
            if two in values:
                shift = multiply(-1, u, add(m1, values[one]))
                values[two] = equations.let(_shifted("k", two, axis + 1), add(values[two], shift))
    return values


def raw_from_central(
    equations: Equations,
    moments: Moments,
    velocity: Vector,
    rho: sympy.Expr,
    first: Vector,
    whole: Fraction,
    suffix: str = "_post",
    equal: bool = False,
) -> Moments:
    """The inverse of `central_moments`. first: the first raw moments, which are known. suffix: of names.
    equal: some of the moments are."""
    values = dict(moments)
    complete = _Complete(equations, rho, whole, equal)
    for axis in reversed(range(len(velocity))):
        u = velocity[axis]
        for zeroth, one, two in _lines(values, axis):
            if one not in values:
                continue
            k1 = values[one]
            if sum(one) == 1:
                values[one] = first[axis]
            else:
                shift = multiply(u, complete(zeroth, values[zeroth], axis))
                values[one] = equations.let(_shifted("k", one, axis, suffix), add(k1, shift))
            if two in values:
                shift = multiply(u, add(k1, values[one]))
                values[two] = equations.let(_shifted("k", two, axis, suffix), add(values[two], shift))
    return values


class _Complete:
    """m_0 of a line with what zero-centred storage took from it; named where two axes need it, or
    several moments that are equal."""

    def __init__(self, equations: Equations, rho: sympy.Expr, whole: Fraction, equal: bool = False) -> None:
        self.equations, self.rho, self.whole, self.equal = equations, rho, whole, equal
        self.known: dict[sympy.Expr, sympy.Expr] = {}

    def __call__(self, powers: Powers, value: sympy.Expr, axis: int) -> sympy.Expr:
        if not any(powers):
            return self.rho
        if not self.whole or any(power % 2 for power in powers):
            return value
        lacking = self.whole ** (sum(powers) // 2)
        total = add(value, sympy.Rational(*lacking.as_integer_ratio()))
        others = (other for other in (axis - 1, axis + 1) if 0 <= other < len(powers))
        if not self.equal and all(powers[other] for other in others):
            return total  # the value changes before another axis needs it, or after one did
        if value not in self.known:
            name = f"total_{value}" if value.is_Symbol else f"total_{'xyz'[axis]}_{letters(powers)}"
            self.known[value] = self.equations.let(name, total)
        return self.known[value]


def _lines(values: Mapping[Powers, sympy.Expr], axis: int) -> Iterator[_Line]:
    """The keys (0, 1, 2 along the axis) of each line that has a value, in the order of the values."""
    lines = dict.fromkeys((*key[:axis], 0, *key[axis + 1 :]) for key in values)
    for key in lines:
        yield key, (*key[:axis], 1, *key[axis + 1 :]), (*key[:axis], 2, *key[axis + 1 :])


def _partial(prefix: str, key: Sequence[int], done: int, suffix: str = "") -> str:
    """The name of a value with velocities of the axes before `done` and powers from there on; "" for the
    zeroth moment."""
    velocity = (*key[:done], *(0,) * (len(key) - done))
    powers = letters((*(0,) * done, *key[done:]))
    if not done:
        return f"{prefix}_{powers}{suffix}" if powers else ""
    summed = "xyz"[done : len(key)]
    return "_".join([prefix + summed, direction_name(velocity), *filter(None, [powers])]) + suffix


def _shifted(prefix: str, powers: Powers, central: int, suffix: str = "") -> str:
    """The name of a moment that is central along the axes before `central` and raw along the others."""
    parts = letters(powers[:central]), letters((*(0,) * central, *powers[central:]))
    return "_".join([prefix if parts[0] else "m", *filter(None, parts)]) + suffix


def _without_zeros(values: Moments) -> Moments:
    return {key: value for key, value in values.items() if not (value.is_Number and value == 0)}


@dataclass(frozen=True)
class MomentState:
    """The moments of a cell and what follows from them.

    moments: raw ones. deviation: the zeroth, rho - 1 if populations are zero-centred, else rho. momentum: rho
    u, the first plus F/2. whole: what the moment of a square lacks: c_s^2 if zero-centred.
    """

    moments: Moments
    deviation: sympy.Expr
    rho: sympy.Expr
    inv_rho: sympy.Expr
    momentum: Vector
    velocity: Vector
    half_force: Vector
    whole: Fraction


def moment_state(
    equations: Equations,
    lattice: Lattice,
    f: Mapping[str, sympy.Expr],
    *,
    zero_centred: bool,
    force: Vector,
    compressible: bool,
) -> MomentState:
    """Name the raw moments of the populations `f`, density and velocity."""
    half = "" if all(map(is_zero, force)) else " + F / 2"
    equations.section("Raw moments, axis by axis: m_xxy = sum c_x c_x c_y f_q, " + f"rho u_x = m_x{half}")
    density = "delta_rho" if zero_centred else "rho"
    moments = raw_moments(equations, lattice, f, density)
    deviation = moments[powers_of(lattice)]
    half_force = tuple(
        equations.let(labelled("half_force", a), multiply(Fraction(1, 2), component))
        for a, component in enumerate(force)
    )
    momentum = tuple(
        equations.let(labelled("j", a), add(moments[powers_of(lattice, a)], half_force[a]))
        for a in range(lattice.dimension)
    )
    rho: sympy.Expr = sympy.Integer(1)
    inv_rho: sympy.Expr = sympy.Integer(1)
    velocity = momentum
    if compressible:
        rho = equations.let("rho", add(1, deviation)) if zero_centred else deviation
        inv_rho = equations.let("inv_rho", divide(1, rho))
        velocity = tuple(
            equations.let(labelled("u", a), multiply(component, inv_rho))
            for a, component in enumerate(momentum)
        )
    whole = lattice.cs2 if zero_centred else Fraction(0)
    return MomentState(moments, deviation, rho, inv_rho, momentum, velocity, half_force, whole)
