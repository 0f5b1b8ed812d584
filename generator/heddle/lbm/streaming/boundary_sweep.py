# SPDX-License-Identifier: Apache-2.0
"""The statements of a boundary sweep with a streaming pattern: over a dense face, a list of cells, or some
cells of a dense box."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, boundary_statements
from heddle.lbm.boundary.wall_force import WallForce
from heddle.lbm.lattice import Lattice
from heddle.lbm.streaming.access_pattern import AccessPattern
from heddle.model.assignment import Statement
from heddle.model.field import Access, Field, IsWallLink


def sweep_statements(
    pattern: AccessPattern,
    condition: BoundaryCondition,
    step: str,
    *,
    mask: str | None,
    sides: Sequence[str],
    sums: WallForce,
    in_box: bool = False,
    walls: Sequence[str] = (),
) -> list[Statement]:
    """What has to happen between `step` and the step after it; the arguments: see cell_between_steps."""
    cell = cell_between_steps(pattern, condition, step, mask=mask, sides=sides, in_box=in_box, walls=walls)
    return boundary_statements(condition, cell, sums)


def cell_between_steps(
    pattern: AccessPattern,
    condition: BoundaryCondition,
    step: str,
    *,
    mask: str | None,
    sides: Sequence[str],
    in_box: bool = False,
    walls: Sequence[str] = (),
) -> BoundaryCell:
    """What a condition sees of a cell between `step` and the step after it.

    mask: the field that marks incoming directions, over a list of cells; None for a dense face. sides: the
    one on which the outside lies, or those that meet in an edge or corner; none for a list whose links lead
    out on any side. in_box: the list is of cells of a dense box, which has all neighbours of a cell, and
    whose walls lie in no neighbour table. walls: of a dense face, the sides at which the step itself has
    walls.
    """
    lattice, following = pattern.lattice, pattern.next_step(step)
    if len(sides) > 1 and not condition.at_edges:
        raise KernelError(
            calling_place(),
            f"{type(condition).__name__} supports one side at a time.",
            "sweep each face by itself; where faces meet, the last sweep applies. Only FreeSlip has a "
            "form for edges",
        )
    written = [pattern.write(q, step) for q in range(lattice.size)]
    read = [pattern.read(q, following) for q in range(lattice.size)]
    normal = _normal(lattice, sides) if sides or mask is None else None
    outgoing: dict[int, Access] = {}
    incoming: dict[int, Access] = {}
    for q in range(1, lattice.size):
        if normal and any(a * b >= 0 for a, b in zip(lattice.velocities[q], normal, strict=True) if b):
            continue
        sent, arrives = written[lattice.opposite(q)], read[q]
        if mask is not None and not in_box:
            sent = pattern.bounce_back_slot(sent)
            arrives = arrives if condition.periodic else pattern.bounce_back_slot(arrives)
        outgoing[q], incoming[q] = pattern.access(sent), pattern.access(arrives)
    linked = mask is not None and not in_box
    stores_solid = linked and any(link.stores_solid for link in pattern.links)
    own_post = not any(any(offset) for _, offset in written)
    return BoundaryCell(
        lattice=lattice,
        zero_centred=pattern.zero_centred,
        own_post=own_post,
        always_own=len(pattern.steps) == 1,
        outgoing=outgoing,
        incoming=incoming,
        mask=None if mask is None else Field(mask, "uint32", 0, ghost_layers=0).here,
        linked=linked,
        stores_solid=stores_solid,
        side=normal,
        written=[pattern.access(slot) for slot in written],
        read=[pattern.access(slot) for slot in read],
        at_other_wall=_other_walls(pattern, normal, walls) if normal and mask is None else {},
    )


def _other_walls(
    pattern: AccessPattern, normal: tuple[int, ...], walls: Sequence[str]
) -> dict[int, sympy.Basic]:
    """By direction, whether its link comes through a wall within the step that lies at an end of the face."""
    lattice = pattern.lattice
    found: dict[int, sympy.Basic] = {}
    outwards = [_normal(lattice, (side,)) for side in walls]
    ends = [wall for wall in outwards if not any(map(operator.mul, wall, normal))]
    for q, c in enumerate(lattice.velocities):
        through = [wall for wall in ends if sum(map(operator.mul, wall, c)) < 0]
        if through:
            offset = tuple(map(sum, zip(*through, strict=True)))
            found[q] = IsWallLink(pattern.access((q, offset)))
    return found


def ends_of_face(lattice: Lattice, sides: Sequence[str]) -> tuple[str, ...]:
    """The sides at the ends of a face, or of an edge where faces meet."""
    normal = _normal(lattice, sides)
    return tuple(
        lattice.names[q]
        for q in range(1, lattice.size)
        if lattice.order(q) == 1 and not any(map(operator.mul, lattice.velocities[q], normal))
    )


def _normal(lattice: Lattice, sides: Sequence[str]) -> tuple[int, ...]:
    """The outward normal of a side, or the sum of those of sides that meet."""
    known = {lattice.names[q]: lattice.velocities[q] for q in range(1, lattice.size) if lattice.order(q) == 1}
    wrong = next((side for side in sides if side not in known), None)
    if wrong is not None:
        raise KernelError(calling_place(), f"'{wrong}' is not a side.", "one of " + ", ".join(known))
    total = tuple(map(sum, zip(*(known[side] for side in sides), strict=True)))
    if not sides or sum(map(bool, total)) != len(sides):
        raise KernelError(
            calling_place(),
            f"the sides {', '.join(sides)} do not meet.",
            'use sides across different axes, such as face=("w", "n")',
        )
    return total
