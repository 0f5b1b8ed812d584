# SPDX-License-Identifier: Apache-2.0
"""Advection of momentum and of scalars by an anelastic flow, in flux form on a C grid with stretched levels.

Mass fluxes U = rho u, V = rho v, W = rho_face w; < >x is the mean of two neighbours along x, h the height of
cells, d the distance of their middles, rho(k) of cell k, r(k) the density on the face below it:

    rho du/dt = -[dx(<U>x u*) + dy(<V>x u*) + (<W>x u*)|k..k+1 / h],                             v likewise
    r dw/dt   = -[dx(U_w w*) + dy(V_w w*) + (<W>z w*)|k-1..k / d],  U_w = (h U + (h U)[k-1]) / (2 d)
    rho dq/dt = -[dx(U q*) + dy(V q*) + (W q*)|k..k+1 / h]

A star is the value where the flux passes. Order 2: the mean of both neighbours. In a flow without divergence
such momentum fluxes keep the kinetic energy sum(h rho (u^2 + v^2)/2 + d r w^2/2) but for the error in time,
since the mass in each velocity's volume is the mean of that of two cells (F. H. Harlow and J. E. Welch, Phys.
Fluids 8, 2182, 1965, with levels of different heights). Orders 3 to 6: see `heddle.atmosphere.faces`; odd
ones are biased to the side from which the mass flux comes. Along z orders fall to 3 and 2 towards the ground
and the lid, and weights are those of equal levels.
"""

from __future__ import annotations

import sympy

from heddle.atmosphere import limiters
from heddle.atmosphere.faces import ORDERS, FaceValues, orders_down, pairs
from heddle.atmosphere.flow import SIDES, Face
from heddle.atmosphere.large_eddies.grid import Grid, moved, shift
from heddle.errors import KernelError, calling_place
from heddle.model.equations import Equations, add, multiply, negate
from heddle.model.field import Field

HALF = sympy.Rational(1, 2)
Values = dict[str, sympy.Expr]
"""A value per face of a volume, by its name: w, e, s, n, b, t."""


class Advection:
    """Statements under construction for one kernel, which has one of these at most.

    cell: the statements. order: of face values along x and y. vertical: along z; by default the same.

    Raises KernelError for an order that is not known, and for a grid with too few ghost layers.
    """

    def __init__(self, cell: Equations, grid: Grid, order: int = 5, vertical: int | None = None) -> None:
        self.cell, self.grid = cell, grid
        self.orders = (order, order, order if vertical is None else vertical)
        for one in self.orders:
            if one not in ORDERS:
                raise KernelError(
                    calling_place(), f"order {one!r} is not known.", f"one of: {', '.join(map(str, ORDERS))}"
                )
        needed = max(map(pairs, self.orders))
        if grid.ghost_layers < needed:
            raise KernelError(
                calling_place(),
                f"order {max(self.orders)} reads {needed} cells aside, and the grid has "
                f"{grid.ghost_layers} ghost layers.",
                f"construct Grid(ghost_layers={needed})",
            )
        self.values = FaceValues(cell, divided=False)
        for one in (order, *orders_down(self.orders[2])):
            self.values.name_weights(one)
        self.faces = [Face(SIDES[axis][upper], axis, upper) for axis in range(3) for upper in (0, 1)]
        self.mass_flux: Values = {}
        self.half: dict[int, sympy.Expr] = {}

    # Momentum

    def momentum(self) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """Emit du/dt, dv/dt and dw/dt (m s-2) by advection. At the ground dw/dt is 0."""
        u, v, w = (self._component(axis) for axis in range(3))
        return u, v, w

    def _component(self, axis: int) -> sympy.Expr:
        name = self.grid.velocity[axis]
        self.cell.section(f"Advection of {name}")
        carriers = {
            f.name: self.cell.let(f"carrier_{f.name}_{name}", self._carrier(axis, f)) for f in self.faces
        }
        flux = self._fluxes(self.grid.faces[axis], carriers, f"_{name}", between_levels=axis < 2)
        weight = self.grid.level("per_mass" if axis < 2 else "per_face_mass")
        change = self._divergence(flux, weight)
        if axis == 2:
            change = self.grid.open(self.cell.let(f"change_{name}", change))
        return self.cell.let(f"advection_{name}", change)

    def _carrier(self, own: int, face: Face) -> sympy.Expr:
        """The mass flux through a face of a velocity's volume; along x and y over the density there."""
        along = self.grid.faces[face.axis]
        near = shift(face.axis, face.shift)
        aside = moved(near, own)
        if own == 2 and face.axis < 2:
            upper, lower = (self._share(by) for by in (0, -1))
            return add(multiply(upper, along[near]), multiply(lower, along[aside]))
        if face.axis < 2:
            return multiply(HALF, add(along[near], along[aside]))
        if own < 2:
            return multiply(self._half_density(face.shift), add(along[near], along[aside]))
        below, above = (
            multiply(self._half_density(face.shift + by), along[shift(2, face.shift + by)]) for by in (-1, 0)
        )
        return add(below, above)

    def _share(self, by: int) -> sympy.Expr:
        """By which a velocity at this level counts in the volume of w: h rho / (2 d r)."""
        name = "half_above" if by == 0 else "half_below"
        masses = multiply(HALF, self.grid.level("mass", by), self.grid.level("per_face_mass"))
        return self.cell.once(name, masses)

    def _half_density(self, by: int) -> sympy.Expr:
        """Half the density on the lower face of the cell so many levels above."""
        if by not in self.half:
            name = {-1: "half_rho_below", 0: "half_rho_b", 1: "half_rho_t"}[by]
            self.half[by] = self.cell.let(name, multiply(HALF, self.grid.level("rho_face", by)))
        return self.half[by]

    # Scalars

    def scalar(self, q: Field, suffix: str | None = None) -> sympy.Expr:
        """Emit dq/dt by advection. suffix: of names; by default the field's name after an underscore."""
        suffix = self._begin(q, suffix)
        change = self._divergence(self._high(q, suffix), self.grid.level("per_mass"))
        return self.cell.let(f"advection{suffix}", change)

    def vertical_flux(self, q: Field, suffix: str | None = None) -> sympy.Expr:
        """Emit the flux of q through the lower face of the cell, kg m-2 s-1 times the unit of q."""
        suffix = self._begin(q, suffix)
        return self._flux(q, self._below, self._mass_flux(self._below), suffix, True)

    def vertical_momentum_flux(self, axis: int) -> sympy.Expr:
        """Emit the flux of u (axis 0) or v (1) through the lower face of its volume, kg m-1 s-2."""
        name = self.grid.velocity[axis]
        self.cell.section(f"Advection of {name}")
        carrier = self.cell.let(f"carrier_b_{name}", self._carrier(axis, self._below))
        return self._flux(self.grid.faces[axis], self._below, carrier, f"_{name}", True)

    @property
    def _below(self) -> Face:
        return next(f for f in self.faces if f.name == "b")

    def share(self, q: Field, q_old: Field, step: sympy.Expr, suffix: str | None = None) -> sympy.Expr:
        """Emit what the positive-definite limiter stores for each cell: which share of the fluxes beyond
        first order may leave it in a step (s) that starts from q_old >= 0. See heddle.atmosphere.limiters."""
        suffix = self._begin(q, suffix)
        low, excess = self._split(q, q_old, suffix)
        weights = self._weights(step)
        left = add(q_old.here, negate(limiters.weighted(weights, low)))
        room = self.cell.let(f"left{suffix}", left)
        wanted = self.cell.let(f"out{suffix}", limiters.leaving(weights, excess))
        return self.cell.let(f"share{suffix}", limiters.allowed(room, wanted))

    def limited_scalar(self, q: Field, q_old: Field, keep: Field, suffix: str | None = None) -> sympy.Expr:
        """Emit dq/dt with limited fluxes: q_old + step dq/dt is not negative. keep: what `share` gave, with
        ghost cells along x and y."""
        suffix = self._begin(q, suffix)
        low, excess = self._split(q, q_old, suffix)
        flux: Values = {}
        for f in self.faces:
            before, behind = (keep[f.offsets(by)] for by in (-1, 0))
            kept = self.cell.let(
                f"keep_{f.name}{suffix}", limiters.kept(f, excess[f.name], [[before, behind]])
            )
            limited = self.cell.let(f"part_{f.name}{suffix}", multiply(kept, excess[f.name]))
            if f.axis == 2:
                limited = self.cell.let(f"inner_{f.name}{suffix}", self.grid.open(limited, f.shift))
            flux[f.name] = self.cell.let(f"limited_{f.name}{suffix}", add(low[f.name], limited))
        weights = self._weights(sympy.Integer(1))
        return self.cell.let(f"advection{suffix}", negate(limiters.weighted(weights, flux)))

    def _begin(self, q: Field, suffix: str | None) -> str:
        self.cell.section(f"Advection of {q.name}")
        return f"_{q.name}" if suffix is None else suffix

    def _mass_flux(self, face: Face) -> sympy.Expr:
        """Through a face of the cell; along x and y over the density."""
        velocity = self.grid.faces[face.axis][face.offsets(0)]
        if face.axis < 2:
            return velocity
        if face.name not in self.mass_flux:
            flux = multiply(self.grid.level("rho_face", face.shift), velocity)
            self.mass_flux[face.name] = self.cell.let(f"mass_flux_{face.name}", flux)
        return self.mass_flux[face.name]

    def _high(self, q: Field, suffix: str) -> Values:
        return self._fluxes(q, {f.name: self._mass_flux(f) for f in self.faces}, suffix, True)

    def _split(self, q: Field, q_old: Field, suffix: str) -> tuple[Values, Values]:
        """The fluxes of first order, and what those of high order have beyond: upward ones negative, as
        limiters have them."""
        high = self._high(q, suffix)
        low: Values = {}
        excess: Values = {}
        for f in self.faces:
            carrier = self._mass_flux(f)
            ahead = multiply(limiters.positive(carrier), f.value(q_old, -1, 0))
            back = multiply(limiters.negative(carrier), f.value(q_old, 0, 0))
            first, beyond = self.cell.let(f"first_{f.name}{suffix}", add(ahead, back)), high[f.name]
            if f.axis == 2:
                first = self.cell.let(f"upwind_{f.name}{suffix}", self.grid.open(negate(first), f.shift))
                beyond = negate(beyond)
            low[f.name] = first
            excess[f.name] = self.cell.let(f"excess_{f.name}{suffix}", add(beyond, negate(first)))
        return low, excess

    def _weights(self, step: sympy.Expr) -> tuple[sympy.Expr, ...]:
        """By which differences of fluxes change the cell; negative along z, where upward ones are."""
        across = [
            self.cell.once(f"weight_{'xy'[axis]}", multiply(step, self.grid.per(axis))) for axis in (0, 1)
        ]
        along = negate(multiply(step, self.grid.level("per_mass")))
        return (*across, self.cell.once("weight_z", along))

    # Both

    def _fluxes(self, q: Field, carriers: Values, suffix: str, between_levels: bool) -> Values:
        return {f.name: self._flux(q, f, carriers[f.name], suffix, between_levels) for f in self.faces}

    def _flux(
        self, q: Field, face: Face, carrier: sympy.Expr, suffix: str, between_levels: bool
    ) -> sympy.Expr:
        """Name the flux through a face. between_levels: along z a face lies between two levels of q and may
        be the ground; else it is the middle of a cell, between two faces."""
        value = self._value(q, face, carrier, suffix, between_levels)
        flux = self.cell.let(f"flux_{face.name}{suffix}", multiply(carrier, value))
        if face.axis < 2 or not between_levels:
            return flux
        return self.cell.let(f"open_{face.name}{suffix}", self.grid.open(flux, face.shift))

    def _value(
        self, q: Field, face: Face, carrier: sympy.Expr, suffix: str, between_levels: bool
    ) -> sympy.Expr:
        """Name the value on a face. All that may stand in it is named before the choice."""
        order = self.orders[face.axis]
        where = f"{face.name}{suffix}"

        def cells(m: int) -> sympy.Expr:
            return face.value(q, m, 0)

        down = orders_down(order) if face.axis == 2 else (order,)
        named = []
        for one in down:
            bias = self.values.bias(where, one, carrier >= 0)
            named.append(self.cell.let(f"{q.name}{one}_{where}", self.values.value(one, cells, bias)))
        if len(named) == 1:
            return named[0]
        here = self.grid.level("order_z", face.shift)
        if not between_levels:
            nearer = sympy.Max(self.grid.level("order_z", face.shift - 1), here, evaluate=False)
            here = self.cell.let(f"order_{where}", nearer)
        choices = [(value, here >= one) for value, one in zip(named[:-1], down, strict=False)]
        return sympy.Piecewise(*choices, (named[-1], True))

    def _divergence(self, flux: Values, weight: sympy.Expr) -> sympy.Expr:
        """Minus the sum of differences of fluxes."""
        weights = (self.grid.per(0), self.grid.per(1), weight)
        return negate(limiters.weighted(weights, flux))
