# SPDX-License-Identifier: Apache-2.0
"""Where the kernels of a module run, and which statements and schedules a space takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heddle.errors import KernelError, Place, calling_place
from heddle.ir import space as ir_spaces
from heddle.ir.colouring import BITS
from heddle.ir.compressed_neighbours import MOST_NEIGHBOURS
from heddle.ir.schedule import RUN_CELLS, Schedule
from heddle.ir.walls import SIDES
from heddle.model.assignment import Assignment, If, Scan, Statement
from heddle.model.field import Access, GatherFunction
from heddle.model.require import require_object
from heddle.model.streaming_kernels import HalfOfAStep, StreamingKernels


@dataclass(frozen=True)
class Dense:
    """Every interior cell of a box. walls: sides ("w", "e", "s", "n", "b", "t") at which the kernel itself
    reflects populations half-way, where the grid ends there: no-slip walls without boundary sweeps. For
    patterns whose walls lie in the own cell (AA, Pull, Push). Kernels beside the step that look across these
    sides, such as boundary sweeps, get the same space; another space is an error when the module is
    generated. Sweeps at other sides then find, at edges, what was reflected in the own cell. At a side named
    here they change what is reflected (VelocityBounceBack adds the momentum of a moving wall); they come
    before the exchange `before()` of the next step, and after `after()`. With Schedule(interleave=...) a wall
    that only some blocks of a vector have is part of these exchanges, for kernels in add_halo."""

    walls: Sequence[str] = ()


@dataclass(frozen=True)
class Sparse:
    """The cells of an index list. listed: a part of them, given by a list of cell numbers."""

    name: str
    listed: bool = False


@dataclass(frozen=True)
class Cells:
    """Some cells of a dense box, given by a list: those beside a body, for instance. Kernels take where they
    lie, the fields `cell_x`, `cell_y` (and `cell_z`) with a value an entry (int32, from the first interior
    cell of the block; negative in ghost layers), and look at neighbours by offsets. No cell is listed
    twice."""

    name: str


def ir_space(
    name: str,
    statements: Iterable[Statement],
    space: Dense | Sparse | Cells,
    schedule: Schedule,
    pattern: StreamingKernels | None,
    place: Place,
) -> ir_spaces.Dense | ir_spaces.Sparse:
    """The space of a kernel as its schedule asks for it. pattern: what a streaming pattern made the
    statements for. Raises KernelError where statements, space and schedule do not belong together."""
    links = pattern.links if pattern else ()
    if isinstance(space, Sparse) and pattern and pattern.links:
        _check_over_list(name, statements, pattern, space, place)
    rank = _rank(statements, place, name)
    _check_schedule(name, rank, space, schedule, links, place)
    if isinstance(space, Sparse):
        cells = RUN_CELLS if schedule.prefetch_distance else schedule.strip_size
        strip = cells if links and not space.listed else 0
        compressed = schedule.compressed and bool(links) and not space.listed
        return ir_spaces.Sparse(space.name, space.listed, links, strip, compressed)
    if isinstance(space, Cells):
        return ir_spaces.Sparse(space.name, True, box=rank)
    frozen = ir_spaces.Dense(rank, schedule.colours, schedule.interleave, schedule.fixed_nx)
    return _with_walls(name, frozen, space.walls, links, schedule, place) if space.walls else frozen


def _check_schedule(
    name: str,
    rank: int,
    space: Dense | Sparse | Cells,
    schedule: Schedule,
    links: tuple[ir_spaces.Link, ...],
    place: Place,
) -> None:
    """Raise KernelError for what a schedule asks for and a space has not."""
    listed = not isinstance(space, Dense)
    if schedule.colours > 1 and (listed or (rank, schedule.colours) not in BITS):
        what = "cells of a list do" if listed else f"{rank} dimensions do"
        known = [str(colours) for dimensions, colours in BITS if dimensions == rank]
        hint = "use a dense space" if listed else "use colours=" + " or ".join(known)
        raise KernelError(place, f"'{name}' has colours={schedule.colours}, which {what} not support.", hint)
    for option, cells in (("interleave", schedule.interleave), ("coarsening", schedule.coarsening)):
        if cells > 1 and (isinstance(space, Sparse) or (listed and option == "interleave")):
            raise KernelError(
                place,
                f"'{name}' updates {cells} cells per thread, but kernels over lists update one.",
                f"use a dense space, or leave out {option}",
            )
    if schedule.compressed and not isinstance(space, Sparse):
        raise KernelError(
            place,
            f"'{name}' needs a compressed neighbour table, but a dense space has none.",
            "use space=Sparse(...), or leave out compressed",
        )
    if schedule.compressed and len(links) > MOST_NEIGHBOURS:
        raise KernelError(
            place,
            f"a compressed neighbour table holds {MOST_NEIGHBOURS} links, but '{name}' follows {len(links)}.",
            "leave out compressed",
        )
    stores_solid = any(link.stores_solid for link in links)
    if isinstance(space, Sparse) and stores_solid and (schedule.compressed or schedule.in_strips):
        what = "a compressed table" if schedule.compressed else "strips"
        raise KernelError(
            place,
            f"'{name}' cannot use {what}: its list stores cells behind walls, which are far from their "
            "neighbours, so only the plain table exists.",
            "leave out compressed and strip_size",
        )
    if listed and (schedule.fixed_nx or schedule.unchecked_entry or schedule.specialise):
        raise KernelError(
            place,
            f"'{name}' runs over a list, which does not support fixed_nx, specialise and unchecked_entry.",
            "use a dense space, or leave them out",
        )
    if isinstance(space, Cells) and (schedule.in_strips or schedule.coarsening > 1):
        raise KernelError(
            place,
            f"'{name}' cannot run in strips or update several cells per thread, because the cells of a "
            "Cells space are not contiguous.",
            "leave out strip_size, prefetch_distance and coarsening",
        )


def _with_walls(
    name: str,
    space: ir_spaces.Dense,
    walls: Sequence[str],
    links: tuple[ir_spaces.Link, ...],
    schedule: Schedule,
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
    if schedule.in_strips or schedule.coarsening > 1 or schedule.specialise or space.colours > 1:
        raise KernelError(
            place,
            f"'{name}' has walls in its dense space, which cannot be combined with strips, coarsening, "
            "specialise or colours: cells at walls take other branches.",
            "leave out strip_size, coarsening, specialise and colours, or use "
            "stream.boundary(NoSlip(lattice), face=...)",
        )
    return replace(space, walls=tuple(side for side in SIDES if side in walls), links=links)


def check_kinds(statements: object, space: object, schedule: object) -> None:
    """Raise KernelError for what is no kernel, no space and no schedule."""
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
    """The statements of a step over a list; KernelError for differences to cells that it does not lead to."""
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
    """Raise KernelError for a sweep with nothing left to do, as walls at rest lie in the table of the list,
    and for a step that looks at neighbours other than through links."""
    accesses = {atom for expression in _expressions(statements) for atom in expression.atoms(Access)}
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
    """The dimensions of the space: those of the fields."""
    ranks: set[int] = set()
    for expression in _expressions(statements):
        reached = {atom.field for atom in expression.atoms(Access) if atom.field.rank}
        ranks |= {field.rank for field in reached if field.profile < 0}
        ranks |= {atom.field.rank for atom in expression.atoms(GatherFunction) if atom.field.rank}
    if not ranks:
        raise KernelError(place, f"'{name}' accesses no field.", "read and write at least one field")
    return max(ranks)


def fields_read(statements: Iterable[Statement]) -> set[str]:
    return {atom.field.name for e in _expressions(statements) for atom in e.atoms(Access)}


def _expressions(statements: Iterable[Statement]) -> Iterable[Any]:
    for statement in statements:
        match statement:
            case Assignment(target, value):
                yield target
                yield value
            case If(condition, body):
                yield condition
                yield from _expressions(body)
            case Scan(_, carried, body, update):
                yield from (*carried.values(), *update.values())
                yield from _expressions(body)
            case _ if hasattr(statement, "value"):
                yield statement.value
