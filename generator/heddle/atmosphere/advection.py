# SPDX-License-Identifier: Apache-2.0
"""Advection of scalars in flux form, as WRF has it: upwind-biased fluxes, Runge-Kutta steps, limiters.

A tracer q moves with mass fluxes ru, rv, om through the faces of cells. `ru[0, 0, 0]` is the flux through the
face at the lower end of the cell along x, `rv` along y, `om` along z; the upper face belongs to the next
cell. Along z cells have a mass coordinate eta that decreases upward: om < 0 is upward, and rdnw = 1 / (eta
above - eta below) < 0. M = c1 mu + c2 is the mass of dry air in a cell, mu that of its column, m the map
factor (W. C. Skamarock et al., NCAR technical note 556, 2019, chapter 3):

    T = - m rdx (F[x+1] - F[x]) - m rdy (F[y+1] - F[y]) - rdnw (F[z+1] - F[z]),    F = mass flux * face value
    q_next = [M_old q_old + dt (m T(q) + S)] / M

with dt = step/3, step/2, step in the three stages of a step (L. J. Wicker and W. C. Skamarock, Mon. Wea. Rev.
130, 2088, 2002). A limiter acts in the last stage, in two kernels: `scale`, then `limited_stage`; or
in three, where `excess` stores what both take from the fluxes.

    scheme = advection.Advection(horizontal=5, vertical=3, limiter="positive-definite", tracers=16)
    module.add("stage", scheme.stage("q", "q_old", "q_next"))
    module.add("scale", scheme.scale("q", "q_old", "keep"))
    module.add("limited_stage", scheme.limited_stage("q", "q_old", "keep", "q_next"))

All tracers are components of one field, so one launch moves all of them and reads the mass fluxes once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import sympy

from heddle.atmosphere import limiters
from heddle.atmosphere.faces import ORDERS, orders_down, pairs
from heddle.atmosphere.flow import Face, Flow
from heddle.atmosphere.fluxes import Fluxes, Values
from heddle.atmosphere.quirks import check_quirks
from heddle.errors import KernelError, calling_place
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations, add, divide, multiply, negate
from heddle.model.field import Access, Field, declare

BOUNDARIES = ("periodic", "specified")
_BESIDE = {"w": "west", "e": "east", "s": "south", "n": "north", "b": "below", "t": "above"}


def face_orders(cells: int | Sequence[int], order: int) -> list[int]:
    """The profile `order_x`, `order_y` or `order_z` of a domain: the order on the lower face of each cell and
    on the upper face of the last one. On the boundaries 0, then 2, 3 (or 4) and so on up to `order`.

    cells: several numbers for boxes that lie side by side along the axis, with nothing between. No value
    passes from one to the next, so that one launch computes all of them with the bits of a launch each.
    """
    ladder = [0, *reversed(orders_down(order))]
    boxes = [cells] if isinstance(cells, int) else list(cells)
    orders = [0]
    for n in boxes:
        orders += [ladder[min(face, n - face, len(ladder) - 1)] for face in range(1, n + 1)]
    return orders


@dataclass(frozen=True)
class Advection:
    """A scheme. horizontal, vertical: orders of accuracy, 2 to 6; odd ones are upwind-biased. limiter: None,
    "positive-definite" or "monotone". tracers: components of the fields; 1: fields without components.

    boundaries: "periodic", also for domains that another kernel surrounds with ghost cells; or "specified":
    orders fall towards the boundary along x and y, and cells at it have no tendency along that axis, as in
    nests of WRF. The profiles `order_x` and `order_y` say where (`face_orders`), in cells of the domain, so
    that results do not depend on blocks. Along z `order_z` always does; no flux passes faces of order 0.

    divided: as in `FaceValues`; by default without a limiter, as in WRF. All stages of a scheme share it.

    quirks: by default ("none") the flux of first order is the upwind flux, u q. Limiters then keep signs and
    bounds, and the monotone one constants in a flow without divergence, where the outward Courant numbers of
    each cell's faces add up to 1 at most. With "wrf" the upwind flux is clamped where the Courant number of a
    face exceeds 1/2, as in the original (`Fluxes.donors`). A clamped flux of a constant is not the constant
    times the mass flux: the difference is left to A, of which the limiter then takes a part, and a constant
    does not stay. Below 1/2 both have the same bits; without the clamp the kernels need no mass of
    neighbouring columns, and no division per face.

    Raises KernelError for what is not offered.
    """

    horizontal: int = 5
    vertical: int = 3
    limiter: str | None = None
    tracers: int = 1
    boundaries: str = "periodic"
    flow: Flow = field(default_factory=Flow)
    divided: bool | None = None
    quirks: str = "none"

    def __post_init__(self) -> None:
        check_quirks(self.quirks)
        for name in ("horizontal", "vertical"):
            _one_of(name, getattr(self, name), ORDERS)
        _one_of("limiter", self.limiter, (None, *limiters.LIMITERS))
        _one_of("boundaries", self.boundaries, BOUNDARIES)
        if type(self.tracers) is not int or self.tracers < 1:
            raise KernelError(
                calling_place(), f"tracers={self.tracers!r} is not a number of tracers.", "use 1 or more"
            )

    # Kernels

    def stage(
        self, q: str = "q", q_old: str = "q_old", q_next: str = "q_next", source: str = ""
    ) -> AssignmentCollection:
        """A stage without a limiter: q_next from the fluxes of q. q_next is neither q nor q_old.

        source: a field S with as many components, coupled with mass (kg kg-1 Pa s-1), or "".
        """
        kernel = _Kernel(self, (q, q_old, source, q_next), limited=False)
        kernel.weigh(kernel.fluxes.step)
        kernel.name_masses("mass_old", "mass")
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.update(kernel.high(q, n), n, q_old, q_next, source)
        return kernel.statements()

    def tendency(self, q: str = "q", tendency: str = "tendency") -> AssignmentCollection:
        """Add T of fluxes without a limiter to a field of tendencies (kg kg-1 Pa s-1)."""
        kernel = _Kernel(self, (q, tendency), limited=False)
        kernel.weigh(sympy.Integer(1))
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.accumulate(kernel.high(q, n), n, tendency)
        return kernel.statements()

    def excess(self, q: str = "q", q_old: str = "q_old", excess: str = "excess") -> AssignmentCollection:
        """A limited stage in three kernels begins with this one: A on the lower faces of a cell along x, y
        and z, a field `excess` with three components per tracer, which the other two then read. Each flux of
        high order is computed once, instead of four times; the bits are those of two kernels."""
        self._factors("")
        kernel = _Kernel(self, (q, q_old), limited=True, excess=excess, lower=True)
        if self._clamped:
            kernel.name_masses("mass")
        kernel.name_donors()
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.keep_excess(q, q_old, n)
        return kernel.statements()

    def scale(
        self, q: str = "q", q_old: str = "q_old", keep: str = "keep", excess: str = "", store: str = ""
    ) -> AssignmentCollection:
        """The first kernel of a limited stage: which share of A the outgoing fluxes of a cell keep, a field
        `keep` with a component per tracer (monotone: `keep_out`, and `keep_in` for incoming ones).

        excess: where the kernel `excess` has stored A, so that q is not read; "": it is computed here. store:
        a field in which this kernel stores A as `excess` would: then two kernels suffice, and each flux of
        high order is computed twice."""
        factors = self._factors(keep)
        kernel = _Kernel(
            self, (*([] if excess else [q]), q_old, *factors), limited=True, excess=excess, store=store
        )
        kernel.weigh(kernel.fluxes.step)
        kernel.name_masses("mass_old", *(["mass"] if self._clamped or self.limiter == "monotone" else []))
        kernel.name_donors()
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.choose(q_old, factors, n, kernel.excess(q, q_old, n))
        return kernel.statements()

    def limited_stage(
        self,
        q: str = "q",
        q_old: str = "q_old",
        keep: str = "keep",
        q_next: str = "q_next",
        source: str = "",
        excess: str = "",
    ) -> AssignmentCollection:
        """The last kernel of a limited stage: q_next from limited fluxes. The limiter does not know S.
        excess: as for `scale`."""
        factors = self._factors(keep)
        names = (*([] if excess else [q]), q_old, *factors, source, q_next)
        kernel = _Kernel(self, names, limited=True, excess=excess)
        kernel.weigh(kernel.fluxes.step)
        kernel.name_masses("mass_old", "mass")
        kernel.name_donors()
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.update(kernel.limited(factors, n, kernel.excess(q, q_old, n)), n, q_old, q_next, source)
        return kernel.statements()

    def limited_at_once(
        self,
        q: str = "q",
        q_old: str = "q_old",
        q_next: str = "q_next",
        source: str = "",
        keep: str = "keep",
    ) -> AssignmentCollection:
        """A limited stage in one kernel, with the bits of two or three: the shares are an intermediate field.
        For GPUs with `Threads(level_by_level=True)`, which computes each flux once; other schedules compute
        it six times. The kernel reads one cell more than the others to each side: fields have a ghost layer
        more, and those of the flow two."""
        factors = self._factors(keep)
        kernel = _Kernel(self, (q, q_old, source, q_next), limited=True, shares=factors)
        kernel.weigh(kernel.fluxes.step)
        kernel.name_masses("mass_old", "mass")
        kernel.name_donors()
        for n in range(self.tracers):
            kernel.heading(n)
            fluxes = kernel.excess(q, q_old, n)
            kernel.choose(q_old, factors, n, fluxes)
            kernel.update(kernel.limited(factors, n, fluxes, alike=True), n, q_old, q_next, source)
        return kernel.statements()

    def limited_tendency(
        self,
        q: str = "q",
        q_old: str = "q_old",
        keep: str = "keep",
        tendency: str = "tendency",
        excess: str = "",
    ) -> AssignmentCollection:
        """The last kernel of a limited stage for programs that update elsewhere: adds T to a field. excess:
        as for `scale`."""
        factors = self._factors(keep)
        names = (*([] if excess else [q]), q_old, *factors, tendency)
        kernel = _Kernel(self, names, limited=True, excess=excess)
        kernel.weigh(sympy.Integer(1))
        kernel.name_masses(*(["mass"] if self._clamped else []))
        kernel.name_donors()
        for n in range(self.tracers):
            kernel.heading(n)
            kernel.accumulate(kernel.limited(factors, n, kernel.excess(q, q_old, n)), n, tendency)
        return kernel.statements()

    @property
    def _clamped(self) -> bool:
        return self.quirks == "wrf"

    def _factors(self, keep: str) -> tuple[str, ...]:
        if self.limiter is None:
            raise KernelError(
                calling_place(),
                "the scheme has no limiter, so no fluxes are scaled.",
                'use stage() in all stages, or Advection(limiter="positive-definite")',
            )
        return (keep,) if self.limiter == "positive-definite" else (f"{keep}_out", f"{keep}_in")


class _Kernel:
    """The statements of one kernel under construction, and the fields that it takes."""

    def __init__(
        self,
        scheme: Advection,
        names: tuple[str, ...],
        limited: bool,
        excess: str = "",
        lower: bool = False,
        store: str = "",
        shares: tuple[str, ...] = (),
    ) -> None:
        self.scheme, self.flow = scheme, scheme.flow
        self.components = scheme.tracers if scheme.tracers > 1 else 0
        ghosts = pairs(max(scheme.horizontal, scheme.vertical))
        if shares:  # of neighbours, which are computed here, too
            ghosts += 1
            self.flow = replace(self.flow, ghost_layers=max(self.flow.ghost_layers, 2))
        self.fields = {
            name: Field(name, components=self.components, ghost_layers=ghosts) for name in names if name
        }
        for name in shares:
            self.fields[name] = Field(name, components=self.components, intermediate=True)
        if excess:
            self.fields[excess] = Field(excess, components=3 * scheme.tracers, ghost_layers=ghosts)
        if store:
            self.fields[store] = Field(store, components=3 * scheme.tracers, ghost_layers=ghosts)
        self.faces_of = self.fields.get(excess)
        self.store_in = self.fields.get(store)
        declare(self.flow.quantities)
        declare(self.fields.values())
        self.equations = Equations(fields=(*self.fields, *self.flow.names))
        divided = not limited if scheme.divided is None else scheme.divided
        orders = (scheme.horizontal, scheme.horizontal, scheme.vertical)
        specified = scheme.boundaries == "specified"
        self.fluxes = Fluxes(
            self.equations,
            self.flow,
            orders,
            specified,
            divided,
            lower=lower,
            high=lower or not excess,
        )
        self.mass: dict[str, sympy.Expr] = {}

    def statements(self) -> AssignmentCollection:
        return AssignmentCollection(self.equations.statements)

    def here(self, name: str, n: int) -> Access:
        """The value of a field in the current cell."""
        return self.fields[name].component(n) if self.components else self.fields[name].here

    def heading(self, n: int) -> None:
        self.suffix = f"_{n}" if self.components else ""
        if self.components:
            self.equations.section(f"Tracer {n}")

    def let(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """Name a value of the current tracer."""
        return self.equations.let(name + self.suffix, value)

    # What tracers share

    def weigh(self, step: sympy.Expr) -> None:
        """step: by which tendencies are multiplied, besides a map factor; 1 for tendencies as such."""
        m = self.fluxes.map
        self.weights = self.fluxes.weights(step if step == 1 else multiply(step, m), m)

    def name_masses(self, *names: str) -> None:
        for name in names:
            value = self.flow.mass_of(getattr(self.flow, name))
            self.mass[name] = self.equations.let("M_old" if name == "mass_old" else "M", value)

    def name_donors(self) -> None:
        self.equations.section(
            "Flux of first order: before * (cell before the face) + behind * (cell behind it)"
        )
        self.donors = self.fluxes.donors(self.mass["mass"] if self.scheme._clamped else None)

    # What each tracer has

    def high(self, q: str, n: int) -> Values:
        return self.fluxes.high(self.fields[q], n, self.suffix)

    def excess(self, q: str, q_old: str, n: int) -> tuple[Values, Values]:
        """L and A = F - L on each face."""
        if self.faces_of is not None:
            stored = self.fluxes.stored(self.faces_of, n)
            low = self.fluxes.low(self.fields[q_old], n, self.suffix, *self.donors)
            return low, {face: self.let(f"excess_{face}", value) for face, value in stored.items()}
        return self.computed(q, q_old, n)

    def computed(self, q: str, q_old: str, n: int) -> tuple[Values, Values]:
        """The same from the fluxes of both orders."""
        high = self.high(q, n)
        low = self.fluxes.low(self.fields[q_old], n, self.suffix, *self.donors)
        return low, {face: self.let(f"excess_{face}", add(high[face], negate(low[face]))) for face in low}

    def keep_excess(self, q: str, q_old: str, n: int) -> None:
        """Store A on the lower faces."""
        assert self.faces_of is not None
        _, excess = self.computed(q, q_old, n)
        for face in self.fluxes.faces:
            self.equations.store(self.faces_of.component(3 * n + face.axis), excess[face.name])

    def choose(self, q_old: str, factors: tuple[str, ...], n: int, fluxes: tuple[Values, Values]) -> None:
        """Store the shares that the limiter lets pass. fluxes: L and A."""
        low, excess = fluxes
        if self.store_in is not None:
            for face in self.fluxes.faces:
                if not face.shift:
                    self.equations.store(self.store_in.component(3 * n + face.axis), excess[face.name])
        old = self.here(q_old, n)
        change = limiters.weighted(self.weights, low)
        left = self.let("left", add(multiply(self.mass["mass_old"], old), negate(change)))
        out = self.let("out", limiters.leaving(self.weights, excess))
        shares = [(out, left)]
        if self.scheme.limiter == "monotone":
            least, most = self.bounds(q_old, n)
            mass = self.mass["mass"]
            into = self.let("into", limiters.entering(self.weights, excess))
            below = self.let("above_least", add(left, negate(multiply(mass, least))))
            shares = [(out, below), (into, self.let("below_most", add(multiply(mass, most), negate(left))))]
        for name, (wanted, room) in zip(factors, shares, strict=True):
            share = self.let(f"share_{name}", limiters.allowed(room, wanted))
            self.equations.store(self.here(name, n), self.fluxes.where_inner(share, sympy.Integer(1)))

    def bounds(self, q_old: str, n: int) -> tuple[sympy.Expr, sympy.Expr]:
        """The smallest and the largest old value of the cell and of those that it receives from."""
        old, least, most = self.fields[q_old], self.here(q_old, n), self.here(q_old, n)
        for face in self.fluxes.faces:
            other = face.value(old, 0 if face.shift else -1, n)
            seen = self.let(
                f"inflow_{face.name}",
                sympy.Piecewise((other, self.fluxes.flows_in(face)), (self.here(q_old, n), True)),
            )
            least = self.let(f"least_{face.name}", sympy.Min(least, seen, evaluate=False))
            most = self.let(f"most_{face.name}", sympy.Max(most, seen, evaluate=False))
        return least, most

    def limited(
        self, factors: tuple[str, ...], n: int, fluxes: tuple[Values, Values], alike: bool = False
    ) -> Values:
        """Name the limited fluxes: L, and what A may keep. fluxes: L and A. alike: as for `limiters.kept`."""
        low, excess = fluxes
        flux: Values = {}
        for face in self.fluxes.faces:
            shares = [
                [self.near(name, face, cell, n) for cell in (-1, 0)] for name in factors
            ]  # of the cells before and behind the face
            keep = self.let(f"keep_{face.name}", limiters.kept(face, excess[face.name], shares, alike))
            value = self.let(f"limited_{face.name}", add(low[face.name], multiply(keep, excess[face.name])))
            if (
                len(factors) > 1 and face.axis == 2
            ):  # both cells were asked, also the one beyond a closed face
                value = self.let(f"vertical_{face.name}", self.fluxes.open(face, value))
            flux[face.name] = value
        return flux

    def near(self, name: str, face: Face, cell: int, n: int) -> sympy.Expr:
        """Name the share that a cell at a face gives: it is read whether it is used or not."""
        where = "here" if face.shift + cell == 0 else _BESIDE[face.name]
        share = face.value(self.fields[name], cell, n)
        return self.equations.once(f"{name}_{where}{self.suffix}", share)

    def update(self, flux: Values, n: int, q_old: str, q_next: str, source: str) -> None:
        """q_next = [M_old q_old - dt (...) + dt S] / M. A product with 1 / M would cost less, but in f32 its
        rounding is alike in all steps and cells, so that mass would drift."""
        terms = [
            multiply(self.mass["mass_old"], self.here(q_old, n)),
            negate(self.fluxes.divergence(flux, self.weights, self.suffix)),
        ]
        if source:
            terms.append(multiply(self.fluxes.step, self.here(source, n)))
        self.equations.store(self.here(q_next, n), divide(add(*terms), self.mass["mass"]))

    def accumulate(self, flux: Values, n: int, tendency: str) -> None:
        total = self.fluxes.divergence(flux, self.weights, self.suffix)
        self.equations.store(self.here(tendency, n), add(self.here(tendency, n), negate(total)))


def _one_of(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise KernelError(
            calling_place(),
            f"{name}={value!r} is not known.",
            "one of: " + ", ".join(repr(one) for one in known),
        )
