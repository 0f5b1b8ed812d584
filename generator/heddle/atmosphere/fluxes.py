# SPDX-License-Identifier: Apache-2.0
"""The fluxes through the six faces of a cell: what all tracers share, then those of each tracer."""

from __future__ import annotations

import sympy

from heddle.atmosphere.faces import FaceValues, orders_down
from heddle.atmosphere.flow import Face, Flow
from heddle.atmosphere.limiters import difference, negative, positive
from heddle.model.equations import Equations, add, divide, multiply, negate
from heddle.model.field import Field

Values = dict[str, sympy.Expr]
"""A value per face of the current cell, by its name: w, e, s, n, b, t."""


class Fluxes:
    """Statements under construction for one kernel.

    orders: along x, y, z. specified: whether orders fall towards boundaries along x and y. lower: of the
    lower faces alone. high: with fluxes of high order.
    """

    def __init__(
        self,
        equations: Equations,
        flow: Flow,
        orders: tuple[int, int, int],
        specified: bool,
        divided: bool,
        *,
        lower: bool = False,
        high: bool = True,
    ) -> None:
        self.equations, self.flow, self.orders, self.specified = equations, flow, orders, specified
        uppers = (False,) if lower else (False, True)
        self.faces = [flow.face(axis, upper) for axis in range(3) for upper in uppers]
        self.step = flow.number(flow.step)
        equations.section("Fluxes of mass through the faces: w e along x, s n along y, b t along z")
        self.flux = {f.name: equations.let(f"flux_{f.name}", flow.flux(f)) for f in self.faces}
        self.order = {
            f.name: equations.let(f"order_{f.name}", flow.order(f)) for f in self.faces if self._varies(f)
        }
        self.values = FaceValues(equations, divided)
        self.bias = {f.name: self._biases(f) for f in self.faces} if high else {}
        self.map = flow.map_at()
        if flow.map_factor:
            self.map = equations.let("m", self.map)

    # What tracers share

    def _varies(self, face: Face) -> bool:
        return self.specified or face.axis == 2

    def _down(self, face: Face) -> tuple[int, ...]:
        """The orders that occur on a face, the usual one first."""
        order = self.orders[face.axis]
        return orders_down(order) if self._varies(face) else (order,)

    def _biases(self, face: Face) -> dict[int, sympy.Expr]:
        """The factor of the upwind part, for each order. Upwards, along z, fluxes are negative."""
        along = multiply(self.step, self.flux[face.name])
        positive = along <= 0 if face.axis == 2 else along >= 0
        return {order: self.values.bias(face.name, order, positive) for order in self._down(face)}

    def weights(self, per: sympy.Expr, across: sympy.Expr) -> tuple[sympy.Expr, ...]:
        """Name what differences of fluxes are multiplied by. per: along all axes. across: along x and y."""
        x, y = (self.flow.number(name) for name in (self.flow.rdx, self.flow.rdy))
        return (
            self.equations.let("weight_x", multiply(per, across, x)),
            self.equations.let("weight_y", multiply(per, across, y)),
            self.equations.let("weight_z", multiply(per, self.flow.level(self.flow.rdnw))),
        )

    def donors(self, mass: sympy.Expr | None) -> tuple[Values, Values]:
        """Name the weights of the old values before and behind each face in its flux of first order: the mass
        flux where it is positive, and where it is negative. Along z, where upward fluxes are negative, the
        other way round.

        mass: M of the cell, to clamp them as in WRF,

            L = M_f d/dt [min(1, c + |c|)/2 q[i-1] + max(-1, c - |c|)/2 q[i]],    c = u dt / (d M_f),

        where d is the distance of the cells and M_f the mass on the face (its mean; along z that of the
        cell behind the face). With reach = M_f d / (2 dt), at most which leaves a cell, these weights are
        min(reach, max(0, u)) and max(-reach, min(0, u)): no division by M_f.
        """
        before: Values = {}
        behind: Values = {}
        for f in self.faces:
            up, down = positive(self.flux[f.name]), negative(self.flux[f.name])
            if f.axis == 2:
                up, down = down, up
            if mass is not None:
                reach = self.equations.let(f"reach_{f.name}", self._reach(f, mass))
                least, most = (
                    (sympy.Min, sympy.Max) if f.axis < 2 else (sympy.Max, sympy.Min)
                )  # d < 0 along z
                up = least(reach, up, evaluate=False)
                down = most(negate(reach), down, evaluate=False)
            before[f.name] = self.equations.let(f"before_{f.name}", up)
            behind[f.name] = self.equations.let(f"behind_{f.name}", down)
        return before, behind

    def _reach(self, face: Face, mass: sympy.Expr) -> sympy.Expr:
        flow, by = self.flow, 2 * face.shift - 1
        if face.axis == 2:
            own = flow.mass_of(flow.mass, z=1) if face.shift else mass
            thin = add(flow.level(flow.rdnw, face.shift), flow.level(flow.rdnw, face.shift - 1))
            return divide(own, multiply(thin, self.step))
        x, y = (by, 0) if face.axis == 0 else (0, by)
        per = flow.number((flow.rdx, flow.rdy)[face.axis])
        masses = add(mass, flow.mass_of(flow.mass, x, y))
        maps = add(self.map, flow.map_at(x, y)) if flow.map_factor else sympy.Integer(2)
        return divide(masses, multiply(2, maps, per, self.step))

    def inner(self, axis: int) -> sympy.Basic | None:
        """Whether the cell has neighbours on both sides, as a condition; None where all have."""
        if not self.specified or axis == 2:
            return None
        lower, upper = (self.order[f.name] for f in self.faces if f.axis == axis)
        return sympy.And(lower > 0, upper > 0, evaluate=False)

    # What each tracer has

    def high(self, q: Field, n: int, suffix: str) -> Values:
        """Name the fluxes of high order: the mass flux times the face value."""
        return {
            f.name: self.equations.let(
                f"high_{f.name}{suffix}",
                self.open(f, multiply(self.flux[f.name], self._value(f, q, n, suffix))),
            )
            for f in self.faces
        }

    def open(self, face: Face, flux: sympy.Expr) -> sympy.Expr:
        """No flux passes the ground and the lid."""
        if face.axis != 2:
            return flux
        return sympy.Piecewise((flux, self.order[face.name] > 0), (0, True))

    def _value(self, face: Face, q: Field, n: int, suffix: str) -> sympy.Expr:
        """The face value. All that may stand in it is named before the choice, so that all is read."""
        named: list[tuple[sympy.Expr, sympy.Basic]] = []
        orders = self._down(face)
        for order in orders:
            if order == 2 and face.axis == 2:
                value = add(
                    multiply(self.flow.level(self.flow.fnm, face.shift), face.value(q, 0, n)),
                    multiply(self.flow.level(self.flow.fnp, face.shift), face.value(q, -1, n)),
                )
            else:
                value = self.values.value(order, lambda m: face.value(q, m, n), self.bias[face.name][order])
            name = f"q{order}_{face.name}{suffix}"
            named.append((self.equations.let(name, value), self.order.get(face.name, order) >= order))
        if len(named) == 1:
            return named[0][0]
        return sympy.Piecewise(*named[:-1], (named[-1][0], True))

    def stored(self, excess: Field, n: int) -> Values:
        """What `Advection.excess` has stored of this tracer: a component per axis, on lower faces."""
        found: Values = {}
        for f in self.faces:
            value = excess[(*f.offsets(0), 3 * n + f.axis)]
            found[f.name] = self.open(f, value) if f.shift else value  # beyond the lid nobody has stored
        return found

    def low(self, old: Field, n: int, suffix: str, before: Values, behind: Values) -> Values:
        """Name the fluxes of first order."""
        found: Values = {}
        for f in self.faces:
            flux = add(
                multiply(before[f.name], f.value(old, -1, n)), multiply(behind[f.name], f.value(old, 0, n))
            )
            if f.axis == 2:
                flux = self.open(f, self.equations.let(f"first_{f.name}{suffix}", flux))
            found[f.name] = self.equations.let(f"low_{f.name}{suffix}", flux)
        return found

    def flows_in(self, face: Face) -> sympy.Basic:
        """Whether the cell receives through a face, as a condition. Where nothing flows, the cell before the
        face receives, as in WRF."""
        flux = self.flux[face.name]
        if face.axis < 2:
            return flux <= 0 if face.shift else flux > 0
        downwards = flux >= 0 if face.shift else flux < 0
        return sympy.And(self.order[face.name] > 0, downwards, evaluate=False)

    def where_inner(self, value: sympy.Expr, otherwise: sympy.Expr) -> sympy.Expr:
        """The value in cells that no boundary touches."""
        if not self.specified:
            return value
        return sympy.Piecewise((value, sympy.And(self.inner(0), self.inner(1))), (otherwise, True))

    def divergence(self, flux: Values, weights: tuple[sympy.Expr, ...], suffix: str) -> sympy.Expr:
        """The sum over the axes of weight times difference; without an axis along which the cell lies at a
        boundary."""
        terms: list[sympy.Expr] = []
        for axis, weight in enumerate(weights):
            term, inner = multiply(weight, difference(flux, axis)), self.inner(axis)
            if inner is not None:
                term = self.equations.let(f"change_{'xyz'[axis]}{suffix}", term)
                term = self.equations.let(
                    f"inner_{'xyz'[axis]}{suffix}", sympy.Piecewise((term, inner), (0, True))
                )
            terms.append(term)
        return add(*terms)
