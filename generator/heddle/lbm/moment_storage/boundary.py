# SPDX-License-Identifier: Apache-2.0
"""Boundaries of moments in memory: the step done again for cells beside a boundary.

Memory has no populations that could be set between steps. So a sweep over these cells rebuilds what arrives,
takes what a condition gives where it comes in over the boundary, collides and stores. Conditions are those of
populations: they name the populations of two arrays, which are rebuilt where they are named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition
from heddle.lbm.boundary.scalar import ScalarFlux, ScalarValue
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.moment_storage.populations import HalfwayWalls, MomentPopulations
from heddle.lbm.streaming.boundary_sweep import cell_between_steps
from heddle.lbm.streaming.pull_push_aa import Pull
from heddle.model.assignment import Assignment
from heddle.model.bits import has_bit
from heddle.model.equations import Equations, add
from heddle.model.field import Access, Field
from heddle.model.require import require_object


def mask_of(name: str) -> Field:
    """Bits of the directions that come in over the boundary `name`."""
    return Field(f"mask_{name}", "uint32", 0, ghost_layers=0)


def require_boundaries(conditions: object) -> Mapping[str, BoundaryCondition]:
    """Raises KernelError for what are no conditions on a flow by name."""
    hint = 'storage.boundary(collide, {"body": lbm.Bouzidi()}), one or more'
    if not isinstance(conditions, Mapping) or not conditions:
        raise KernelError(calling_place(), "boundaries of moment storage must be given by name.", hint)
    for name, condition in conditions.items():
        require_object(condition, BoundaryCondition, "a boundary condition", hint)
        if not isinstance(name, str) or not name.isidentifier():
            raise KernelError(calling_place(), f"{name!r} is not a valid name for a boundary.", hint)
        if isinstance(condition, (ScalarValue, ScalarFlux)):
            raise KernelError(
                calling_place(),
                f"{type(condition).__name__} is a condition for scalars, but this storage holds the "
                "moments of a flow.",
                "use another streaming pattern for the scalar",
            )
    return conditions


def boundaries_of_sums(
    conditions: Mapping[str, BoundaryCondition], sums: WallForce, of: Sequence[str] | None
) -> Sequence[str]:
    """The names of the boundaries that sums are of: all unless some are said. Raises KernelError for names
    of none, and where there are no sums."""
    if of is None:
        return tuple(conditions)
    chosen = (of,) if isinstance(of, str) else tuple(of)
    wrong = next((name for name in chosen if name not in conditions), None)
    if wrong is not None:
        known = ", ".join(conditions)
        raise KernelError(calling_place(), f"{wrong!r} is not the name of a boundary.", f"one of {known}")
    if not sums or not chosen:
        raise KernelError(
            calling_place(),
            "`of` selects boundaries whose force and torque are summed, but no sum is requested or no "
            "boundary is selected.",
            'add force="drag" to of=("body",), or leave it out',
        )
    return chosen


def sides_of(
    conditions: Mapping[str, BoundaryCondition], sides: Mapping[str, str | Sequence[str]] | None
) -> dict[str, Sequence[str]]:
    """On which side, or sides that meet, the outside of each boundary lies; none for those on any side.
    Raises KernelError for names of none."""
    found: dict[str, Sequence[str]] = dict.fromkeys(conditions, ())
    for name, side in (sides or {}).items():
        if name not in conditions:
            known = ", ".join(conditions)
            raise KernelError(calling_place(), f"{name!r} is not the name of a boundary.", f"one of {known}")
        found[name] = (side,) if isinstance(side, str) else tuple(side)
    return found


def incoming_at_boundaries(
    populations: MomentPopulations,
    conditions: Mapping[str, BoundaryCondition],
    sides: Mapping[str, Sequence[str]],
    halfway_mask: Callable[[MomentPopulations], HalfwayWalls | None],
    sums: WallForce,
    of: Sequence[str],
) -> dict[str, sympy.Expr]:
    """What comes in to a cell beside boundaries, by the name of the direction: of the first condition whose
    bit is set, then off walls half-way, else what arrives.

    sides: see sides_of. halfway_mask: makes the walls within the step. of: the conditions whose walls the
    sums are of.
    """
    equations, lattice = populations.equations, populations.lattice
    pattern = Pull(lattice)
    incoming = populations.all_incoming()
    equations.section("What the cell itself has sent against each direction")
    sent = {q: populations.back(q) for q in range(1, lattice.size)}
    walls = halfway_mask(populations)
    equations.section("Directions that come in over the boundaries")
    bits = {name: equations.let(f"bits_{name}", mask_of(name).here) for name in conditions}
    outside = [bits[name] for name, condition in conditions.items() if not condition.periodic]
    if walls is not None:
        outside.append(walls.bits)
    found: dict[int, list[tuple[sympy.Expr, sympy.Basic | bool]]] = {q: [] for q in range(1, lattice.size)}
    for name, condition in conditions.items():
        part = _Part(populations, name, pattern.source)
        plain = cell_between_steps(
            pattern, condition, "", mask=mask_of(name).name, sides=sides[name], in_box=True
        )
        cell = _MomentCell(**vars(plain), outside=outside)
        state = condition.prepare(cell, part)
        part.section(condition.title)
        for q in cell.outgoing:
            value = condition.incoming(cell, state, q, sent[q])
            found[q].append((part.let(f"in_{lattice.names[q]}", value), has_bit(bits[name], q)))
    equations.section("What comes in")
    arrived = {lattice.names[0]: incoming[0]}
    for q, cases in found.items():
        off_walls = [] if walls is None else walls.cases(q)
        chosen = sympy.Piecewise(*cases, *off_walls, (incoming[q], True))
        arrived[lattice.names[q]] = equations.let(f"in_{lattice.names[q]}", chosen)
    if sums:
        exchanged = {q: add(sent[q], arrived[lattice.names[q]]) for q in found}
        is_incoming = {q: _is_first_incoming(bits, of, q) for q in found}
        sums.add_sums(equations, lattice, exchanged, is_incoming, listed=True)
    return arrived


def _is_first_incoming(bits: Mapping[str, sympy.Expr], of: Sequence[str], q: int) -> sympy.Basic:
    """Whether direction q comes in over one of some boundaries, and over none before it."""
    cases: list[sympy.Basic] = []
    before: list[sympy.Basic] = []
    for name, marked in bits.items():
        here = has_bit(marked, q)
        if name in of:
            cases.append(sympy.And(here, *before))
        else:
            before.append(sympy.Not(here))
    return sympy.Or(*cases)


@dataclass(frozen=True)
class _MomentCell(BoundaryCell):
    """outside: bits of all directions that do not come from the fluid."""

    outside: Sequence[sympy.Expr]

    def is_incoming(self, q: int) -> sympy.Basic:
        """Over any boundary."""
        return sympy.Or(*(has_bit(bits, q) for bits in self.outside))

    def normal(self, what: str) -> tuple[int, ...]:
        """The outward normal. Raises KernelError where no side was given."""
        if self.side is None:
            raise KernelError(
                calling_place(),
                f"{what} needs the normal of the boundary, which listed cells do not define.",
                'give the outward side: storage.boundary(..., sides={"outlet": "e"}); around a body use '
                "a condition on links: NoSlip, VelocityBounceBack, Bouzidi, PressureAntiBounceBack",
            )
        return self.side


class _Part(Equations):
    """The statements of one condition among others: its names begin with that of the boundary, unless the
    same value has the name already. Populations are rebuilt where they are used."""

    def __init__(self, populations: MomentPopulations, name: str, field: Field) -> None:
        super().__init__()
        self.populations, self.name, self.field = populations, name, field
        self.statements, self.taken = populations.equations.statements, populations.equations.taken

    def section(self, text: str) -> None:
        """With the name of the boundary."""
        super().section(f"{self.name}: {text}")

    def let(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """`name = value` from here on; of a population its own name."""
        return super().let(name, self._rebuilt(value))

    def _assign(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        known = {s.target: s.value for s in self.statements if isinstance(s, Assignment)}
        target = self._local(name)
        while known.get(target) != value:
            name = f"{self.name}_{name}"
            target = self._local(name)
            if target not in known:
                self.statements.append(Assignment(target, value))
                break
        return target

    def _rebuilt(self, value: sympy.Expr) -> sympy.Expr:
        """With rebuilt populations in it."""
        if isinstance(value, Access):
            return self.populations.at(value.component, value.offsets) if value.field == self.field else value
        if not any(access.field == self.field for access in value.atoms(Access)):
            return value
        written = {"evaluate": False} if isinstance(value, (sympy.Add, sympy.Mul, sympy.Pow)) else {}
        return value.func(*map(self._rebuilt, value.args), **written)
