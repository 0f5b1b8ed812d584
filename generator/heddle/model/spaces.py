# SPDX-License-Identifier: Apache-2.0
"""Where the kernels of a module run, and which statements and schedules a space takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heddle.errors import KernelError, Place, calling_place
from heddle.ir import legality
from heddle.ir import space as ir_spaces
from heddle.ir.schedule import RUN_CELLS, CacheLines, CompressedList, Interleaved, Schedule, Strips
from heddle.ir.walls import SIDES
from heddle.model.assignment import Assignment, If, Reduce, Scan, Statement, While
from heddle.model.expression import parts
from heddle.model.field import Access, GatherFunction, IsWallLink, in_declared_order
from heddle.model.require import require_object
from heddle.model.streaming_kernels import HalfOfAStep, StreamingKernels


@dataclass(frozen=True)
class Dense:
    """Every interior cell of a box.

    walls: sides ("w", "e", "s", "n", "b", "t") at which the kernel itself reflects populations half-way if
    the grid ends there: no-slip walls without boundary sweeps. They need a pattern that keeps populations at
    walls in the cell itself (AA, Pull, Push). Other kernels that access cells across these sides, such as
    boundary sweeps, must use the same space; otherwise generating the module fails. Sweeps at a side with a
    wall change what is reflected (VelocityBounceBack adds the momentum of a moving wall). In edges and
    corners a link crosses several sides: there the walls named here, at rest, have it, and a sweep at another
    side leaves it alone, be it a lid, an inlet or an outlet. Name all walls at rest, so that a lid between
    them moves no corner. Run sweeps before the exchange `before()` of the next step, and after `after()`.
    With an `Interleaved` schedule, a wall that only some blocks of a vector have is part of these exchanges,
    for kernels in add_halo.
    """

    walls: Sequence[str] = ()


@dataclass(frozen=True)
class Sparse:
    """The cells of an index list. listed: a subset of them, given by cell indices."""

    name: str
    listed: bool = False


@dataclass(frozen=True)
class Cells:
    """Selected cells of a dense box, given by a list; for example the cells around a body.

    Kernels take the positions as fields `cell_x`, `cell_y` (and `cell_z`) with one int32 per entry, counted
    from the first interior cell of the block (negative in ghost layers). They access neighbours by offsets.
    No cell may be listed twice.
    """

    name: str


def ir_space(
    name: str,
    statements: Iterable[Statement],
    space: Dense | Sparse | Cells,
    pattern: StreamingKernels | None,
    place: Place,
) -> ir_spaces.Dense | ir_spaces.Sparse:
    """The space of a kernel, before a schedule is applied. pattern: the streaming pattern's kernels, if one
    made the statements. Raises KernelError if statements and space do not fit together."""
    links = pattern.links if pattern else ()
    if isinstance(space, Sparse) and pattern and pattern.links:
        _check_over_list(name, statements, pattern, space, place)
    rank = _rank(statements, place, name)
    found: ir_spaces.Dense | ir_spaces.Sparse
    if isinstance(space, Sparse):
        found = ir_spaces.Sparse(space.name, space.listed, links)
    elif isinstance(space, Cells):
        found = ir_spaces.Sparse(space.name, True, box=rank)
    else:
        found = ir_spaces.Dense(rank)
        if space.walls:
            found = _with_walls(name, found, space.walls, links, place)
    return found


def scheduled_space(
    name: str, space: ir_spaces.Dense | ir_spaces.Sparse, schedule: Schedule, place: Place
) -> ir_spaces.Dense | ir_spaces.Sparse:
    """The same cells with another schedule applied; KernelError for what they do not support."""
    if isinstance(space, ir_spaces.Dense):
        lanes = schedule.gpu.lanes if isinstance(schedule.gpu, Interleaved) else 1
        found: ir_spaces.Dense | ir_spaces.Sparse = replace(
            space, colours=schedule.colours, interleave=lanes, fixed_nx=schedule.cpu.fixed_nx
        )
    else:
        found = _over_list(space, schedule)
    legality.check_space(name, found, schedule, place)
    return found


def _over_list(space: ir_spaces.Sparse, schedule: Schedule) -> ir_spaces.Sparse:
    """The cells of a list; only kernels that follow links over the whole list look for runs of neighbours, or
    in the compressed table."""
    if space.listed or not space.links:
        return space
    strip = 0
    match schedule.cpu:
        case CacheLines():
            strip = RUN_CELLS
        case Strips(size):
            strip = size
    return replace(space, strip_size=strip, compressed=isinstance(schedule.gpu, CompressedList))


def _with_walls(
    name: str,
    space: ir_spaces.Dense,
    walls: Sequence[str],
    links: tuple[ir_spaces.Link, ...],
    place: Place,
) -> ir_spaces.Dense:
    """A dense space with walls at some sides; KernelError where that has no meaning."""
    known = SIDES[: 2 * space.rank]
    wrong = [side for side in walls if side not in known or list(walls).count(side) > 1]
    if wrong:
        raise KernelError(
            place,
            f"'{wrong[0]}' is not a side of '{name}', or is named twice.",
            "choose walls from " + ", ".join(known),
        )
    if not links or any(link.stores_solid for link in links):
        raise KernelError(
            place,
            f"'{name}' has no links that could end at walls.",
            "use AA, Pull or Push; for other patterns use stream.boundary(NoSlip(lattice), face=...)"
            if links
            else 'use AA, Pull or Push, or MomentStorage(lattice, walls="walls") for moment storage',
        )
    return replace(space, walls=tuple(side for side in SIDES if side in walls), links=links)


def check_kinds(statements: object, space: object, *schedules: object) -> None:
    """Raise KernelError unless the arguments are statements, a space and schedules."""
    if isinstance(statements, HalfOfAStep):
        raise KernelError(
            calling_place(),
            f"{type(statements).__name__} {statements.does}; a kernel needs both.",
            "write module.add(name, stream(collision)), with stream = lbm.AA(lattice) and collision = "
            "lbm.BGK(lattice)",
        )
    kernels = "a list of statements, or a collision bound to a streaming pattern"
    require_object(statements, (Iterable, StreamingKernels), kernels, "module.add(name, [Assignment(...)])")
    if space is not None:
        spaces = (Dense, Sparse, Cells)
        require_object(space, spaces, "an iteration space", 'heddle.Dense(), Sparse("fluid"), Cells("body")')
    for schedule in schedules:
        if schedule is not None:
            require_object(schedule, Schedule, "a schedule", "heddle.Schedule(...)")


def check_space(
    name: str, pattern: StreamingKernels, space: Dense | Sparse | Cells | None, place: Place
) -> None:
    """Raise KernelError where a space and what a pattern made for it do not belong together."""
    where = pattern.where
    if where == "face" and isinstance(space, Sparse):
        raise KernelError(
            place,
            f"'{name}' is a sweep over the cells at a side of a dense box, but its space is a list.",
            "leave out the space; or, over a list, leave out face (and give normal=... where it is needed)",
        )
    if where == "list" and not isinstance(space, Sparse):
        raise KernelError(
            place,
            f"'{name}' is a sweep over a list of cells, but its space is not a list.",
            "use stream.boundary(condition, face=...) for the cells at a side of a dense box, cells=True "
            "for a body in it, or space=heddle.Sparse(name, listed=True)",
        )
    if where == "cells" and not isinstance(space, Cells):
        raise KernelError(
            place,
            f"'{name}' is a sweep over selected cells of a dense box, but its space is not Cells.",
            "use space=heddle.Cells(name), or leave out cells=True",
        )
    if isinstance(space, Cells) and where != "cells":
        raise KernelError(
            place,
            f"'{name}' cannot run over a Cells space, which is for boundary sweeps.",
            "use stream.boundary(condition, cells=True), or another space",
        )


def statements_over_list(
    pattern: StreamingKernels, suffix: str, name: str, place: Place
) -> Iterable[Statement]:
    """The statements of a step over a list. Raises KernelError for differences that need cells without a
    link."""
    other = pattern.over_list
    if other is None:
        return pattern.steps[suffix]
    if suffix not in other:
        raise KernelError(
            place,
            f"'{name}' takes differences of the velocity, but its streaming pattern has no links to the "
            "neighbouring cells.",
            "over a list use a pattern with links, or lbm.Smagorinsky instead of lbm.Vreman or WALE",
        )
    return other[suffix]


def _check_over_list(
    name: str, statements: Iterable[Statement], pattern: StreamingKernels, space: Sparse, place: Place
) -> None:
    """Raise KernelError for a sweep that has nothing to do, because the neighbour table of the list
    implements walls at rest, and for a step that reads neighbours other than through links."""
    every = parts(*_expressions(statements))
    accesses = {part for part in every if isinstance(part, Access)}
    if not accesses:
        raise KernelError(
            place,
            f"'{name}' has nothing to do: in the list '{space.name}', the neighbour table already "
            "implements walls at rest by half-way bounce-back.",
            "remove this sweep",
        )
    beside = {a.field.name for a in accesses if any(a.offsets)} - set(pattern.populations)
    if pattern.role == "step" and beside:
        raise KernelError(
            place,
            f"'{name}' reads '{min(beside)}' of neighbouring cells, but a list has links for populations "
            "only.",
            "use values of the cell itself, or a dense space",
        )


def _rank(statements: Iterable[Statement], place: Place, name: str) -> int:
    """The number of dimensions of the space: that of the fields."""
    every = parts(*_expressions(statements))
    reached = {atom.field for atom in every if isinstance(atom, Access) and atom.field.rank}
    ranks = {field.rank for field in reached if field.profile < 0}
    gathered = {atom.field for atom in every if isinstance(atom, GatherFunction)}
    ranks |= {field.rank for field in gathered if field.rank and not field.other_grid}
    if not ranks:
        raise KernelError(place, f"'{name}' accesses no field.", "read and write at least one field")
    return max(ranks)


def fields_read(statements: Iterable[Statement]) -> set[str]:
    every = parts(*_expressions(statements))
    return {part.field.name for part in every if isinstance(part, Access)}


def declared_arguments(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The names of declared fields and parameters in the statements, in the order of the declarations."""
    every = parts(*_expressions(statements))
    fields = {part.field for part in every if isinstance(part, (Access, GatherFunction))}
    fields |= {part.link.field for part in every if isinstance(part, IsWallLink)}
    return in_declared_order([*fields, *every])


def _expressions(statements: Iterable[Statement]) -> Iterable[Any]:
    for statement in statements:
        match statement:
            case Assignment(target, value) | Reduce(_, GatherFunction() as target, value):
                yield target
                yield value
            case If(condition, body):
                yield condition
                yield from _expressions(body)
            case Scan(_, carried, body, update):
                yield from (*carried.values(), *update.values())
                yield from _expressions(body)
            case While(condition, carried, body, update):
                yield from (condition, *carried.values(), *update.values())
                yield from _expressions(body)
            case _ if hasattr(statement, "value"):
                yield statement.value
