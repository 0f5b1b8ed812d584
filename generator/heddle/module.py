# SPDX-License-Identifier: Apache-2.0
"""Module: the kernels that belong together, and the files they become."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from heddle.errors import KernelError, Place, calling_place
from heddle.exchange import Exchange, exchanges
from heddle.ir import nodes as ir
from heddle.ir.chunk_links import MOST_LINKS
from heddle.ir.colouring import BITS
from heddle.ir.walls import SIDES
from heddle.list_exchange import Ends, ListExchange, ends_of, list_exchanges
from heddle.pack import check_fields, list_pack_kernel, pack_kernel
from heddle.passes.name_locals import is_name
from heddle.pipeline import Request, Stages, lower, typed
from heddle.schedule import RUN_CELLS, Precision, Schedule, precision
from heddle.symbolic.assignment import Assignment, AssignmentCollection, If, Scan, Statement
from heddle.symbolic.equations import Scalar, quantity
from heddle.symbolic.multigrid import solver_kernels
from heddle.symbolic.operator import Collision
from heddle.symbolic.places import HELD
from heddle.symbolic.relaxation import Equation
from heddle.symbolic.require import require_object
from heddle.symbolic.streaming import StreamingPattern


@runtime_checkable
class StreamingKernels(Protocol):
    """What a streaming pattern makes of a collision: statements for each of its steps, and its links."""

    @property
    def steps(self) -> Mapping[str, AssignmentCollection]: ...

    @property
    def links(self) -> Sequence[object]: ...


@dataclass(frozen=True)
class Dense:
    """Every interior cell of a box. walls: sides ("w", "e", "s", "n", "b", "t") at which the kernel itself
    reflects populations half-way, where the grid ends there: no-slip walls without boundary sweeps. For
    patterns whose walls lie in the own cell (AA, Pull, Push). Kernels beside the step that look across these
    sides, such as boundary sweeps, get the same space; another space is an error when the module is
    generated. Sweeps at other sides then find, at edges, what was reflected in the own cell. At a side named
    here they change what is reflected (VelocityBounceBack adds the momentum of a moving wall); they come
    before the exchange `before()` of the next step, and after `after()`. With Schedule(lanes=...) a wall that
    only some blocks of a vector have is part of these exchanges, for kernels in add_halo."""

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


@dataclass(frozen=True)
class KernelModel:
    """A kernel as the user wrote it. role: what a streaming pattern made it for, else "". ends: of a sweep
    along a face (StreamingKernels)."""

    name: str
    statements: tuple[Statement, ...]
    space: ir.Dense | ir.Sparse
    schedule: Schedule
    about: str
    place: Place
    role: str = ""
    ends: tuple[str, ...] = ()

    @property
    def field_names(self) -> set[str]:
        """Of the fields that the statements name."""
        return _fields_read(self.statements)

    def typed(self, chosen: Precision) -> ir.Kernel:
        """The checked kernel in a precision."""
        return typed(self.name, self.statements, self.space, chosen, self.about)


@dataclass(frozen=True)
class PackModel:
    """A kernel that packs or unpacks what the kernels of a halo exchange.

    source, after: the kernel, and which of its exchanges, whose fields it is written for; ends: those of the
    halo; wire: the type on the wire, or None for that of the fields.
    """

    name: str
    source: KernelModel
    after: bool
    ends: Ends
    wire: ir.Scalar | None
    unpack: bool
    about: str
    place: Place
    schedule: Schedule
    statements: tuple[Statement, ...] = ()

    @property
    def space(self) -> ir.Boxes | ir.Sparse:
        if isinstance(self.source.space, ir.Sparse):
            return ir.Sparse("elements", listed=True)
        return ir.Boxes(self.source.space.rank)

    def typed(self, chosen: Precision) -> ir.Kernel:
        """The kernel in a precision."""
        fields = crossing(self.source.typed(chosen), self.ends, self.place)[self.after].fields
        make = pack_kernel if isinstance(self.source.space, ir.Dense) else list_pack_kernel
        return make(self.name, fields, self.wire or fields[0].type, self.unpack, self.about)


@dataclass(frozen=True)
class Halo:
    """Kernels whose exchanges one pair of pack kernels serves: `name`_pack and `name`_unpack. ends: of what
    kernels over lists write (heddle.list_exchange)."""

    name: str
    kernels: tuple[str, ...]
    wire: ir.Scalar | None
    ends: Ends


@dataclass
class Module:
    """Named kernels that become one set of files.

    name: of the folder, the header and the C++ namespace. precisions: what each kernel is generated for
    ("f64", "f32", "f16", or "storage/arithmetic"). about: what the module computes; citation: where that is
    published.
    """

    name: str
    precisions: Sequence[str] = ("f64", "f32")
    about: str = ""
    citation: str = ""
    kernels: dict[str, KernelModel | PackModel] = field(default_factory=dict)
    halos: dict[str, Halo] = field(default_factory=dict)
    solver: tuple[str, ...] = ()
    model: Path | None = None
    _stages: dict[tuple[str, str, str], tuple[object, Stages]] = field(default_factory=dict, repr=False)
    _typed: dict[tuple[str, str], tuple[object, ir.Kernel]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise KernelError(
                calling_place(), f"'{self.name}' is not a name for a module.", "letters, digits, _"
            )
        if isinstance(self.precisions, str) or not self.precisions:
            raise KernelError(
                calling_place(),
                f"the precisions of '{self.name}' are {self.precisions!r}: not one, nor several of them.",
                'precisions=("f64",), with its comma, or ("f64", "f32")',
            )
        for text in self.precisions:
            precision(text)
        frame = sys._getframe(2)
        self.model = Path(frame.f_code.co_filename)

    def add(
        self,
        name: str,
        statements: Iterable[Statement] | StreamingKernels,
        space: Dense | Sparse | Cells | None = None,
        schedule: Schedule | None = None,
        about: str = "",
    ) -> None:
        """Add a kernel. A streaming pattern with several steps adds one for each: `name_even`, `name_odd`."""
        place = calling_place()
        _check_kinds(statements, space, schedule)
        schedule = schedule or Schedule()
        if isinstance(statements, StreamingKernels):
            _check_cells(name, statements, space, place)
            for suffix, collection in statements.steps.items():
                full = f"{name}_{suffix}" if suffix else name
                listed = isinstance(space, Sparse)
                chosen = _over_list(statements, suffix, full, place) if listed else collection
                self._add(full, tuple(chosen), space or Dense(), schedule, about, place, statements)
        else:
            self._add(name, tuple(statements), space or Dense(), schedule, about, place)

    def _add(
        self,
        name: str,
        statements: tuple[Statement, ...],
        space: Dense | Sparse | Cells,
        schedule: Schedule,
        about: str,
        place: Place,
        pattern: StreamingKernels | None = None,
    ) -> None:
        """pattern: what a streaming pattern made the statements for."""
        links = pattern.links if pattern else ()
        if not is_name(name):
            raise KernelError(place, f"'{name}' is not a name for a kernel.", "letters, digits, _")
        if name in self.kernels:
            raise KernelError(place, f"module '{self.name}' has two kernels '{name}'.")
        if not statements:
            raise KernelError(place, f"'{name}' has no statements.")
        if isinstance(space, Sparse) and pattern and pattern.links:
            _check_over_list(name, statements, pattern, space, place)
        rank = _rank(statements, place, name)
        listed = not isinstance(space, Dense)
        if schedule.colours > 1 and (listed or (rank, schedule.colours) not in BITS):
            what = "the cells of a list have" if listed else f"{rank} dimensions have"
            known = [str(colours) for dimensions, colours in BITS if dimensions == rank]
            hint = "use a dense space" if listed else " or ".join(known)
            raise KernelError(place, f"'{name}' asks for {schedule.colours} colours, which {what} not.", hint)
        for option, cells in (("lanes", schedule.lanes), ("cells", schedule.cells)):
            if cells > 1 and (isinstance(space, Sparse) or (listed and option == "lanes")):
                raise KernelError(
                    place,
                    f"'{name}' asks for {cells} cells a thread; those of a list have one.",
                    f"use a dense space, or leave out {option}",
                )
        if schedule.compressed and not isinstance(space, Sparse):
            raise KernelError(
                place,
                f"'{name}' asks for a compressed neighbour table; a dense space has none.",
                "space=Sparse(...), or leave out compressed",
            )
        if schedule.compressed and len(links) > MOST_LINKS:
            raise KernelError(
                place,
                f"a compressed table marks {MOST_LINKS} links, and '{name}' follows {len(links)}.",
                "leave out compressed",
            )
        held = any(getattr(link, "wall_slot", 0) == HELD for link in links)
        if isinstance(space, Sparse) and held and (schedule.compressed or schedule.in_chunks):
            what = "a compressed table" if schedule.compressed else "chunks"
            raise KernelError(
                place,
                f"'{name}' asks for {what}, and its list holds cells behind walls, which lie far from their "
                "neighbours: it has the plain table alone.",
                "leave out compressed and chunk",
            )
        if listed and (schedule.row_cells or schedule.trusted or schedule.usual):
            raise KernelError(
                place,
                f"'{name}' runs over a list, which has neither row_cells, usual cells nor a trusted entry.",
                "use a dense space",
            )
        if isinstance(space, Cells) and (schedule.in_chunks or schedule.cells > 1):
            raise KernelError(
                place,
                f"'{name}' asks for chunks, or several cells a thread; some cells of a box do not follow "
                "each other.",
                "leave out chunk, lines_ahead and cells",
            )
        if isinstance(space, Sparse):
            rows = tuple(ir.Link(link.slot, tuple(link.offset), link.wall_slot) for link in links)  # type: ignore[attr-defined]
            cells = RUN_CELLS if schedule.lines_ahead else schedule.chunk
            chunk = cells if rows and not space.listed else 0
            compressed = schedule.compressed and bool(rows) and not space.listed
            frozen: ir.Dense | ir.Sparse = ir.Sparse(space.name, space.listed, rows, chunk, compressed)
        elif isinstance(space, Cells):
            frozen = ir.Sparse(space.name, True, box=rank)
        else:
            frozen = ir.Dense(rank, schedule.colours, schedule.lanes, schedule.row_cells)
            if space.walls:
                frozen = _with_walls(name, frozen, space.walls, links, schedule, place)
        role, ends = getattr(pattern, "role", ""), getattr(pattern, "ends", ())
        self.kernels[name] = KernelModel(name, statements, frozen, schedule, about, place, role, ends)

    def add_solver(
        self,
        equation: Equation,
        schedule: Schedule | None = None,
        pointwise: Schedule | None = None,
        residual_scale: Scalar = 1,
    ) -> None:
        """Add the kernels of multigrid and conjugate gradients for an equation with a symmetric matrix, and
        to the sweeps the struct `Solver` that hands them to heddle::Multigrid and heddle::ConjugateGradient.

        schedule: of sweeps over two colours, of which those of coarse levels give each thread one cell, since
        there are few; its usual value holds for kernels that read the field. pointwise: of the other kernels.
        residual_scale: factor of the residual that counts when iterations end; made of profiles it differs
        from level to level.
        """
        cells = 3 if equation.unknown.split else 1
        coloured = schedule or Schedule(colours=2, block=(32, 4, 1), cells=cells, unit=True)
        if coloured.colours != 2:
            raise KernelError(calling_place(), "multigrid sweeps two colours.", "Schedule(colours=2)")
        found = solver_kernels(equation, quantity(residual_scale))
        for name, kernel in found.items():
            chosen = coloured if kernel.coloured else pointwise or Schedule(block=(32, 8, 1))
            if kernel.coarse:
                chosen = replace(chosen, cells=1)
            if chosen.usual is not None and chosen.usual[0] not in _fields_read(kernel.statements):
                chosen = replace(chosen, usual=None)
            self.add(name, kernel.statements, schedule=chosen, about=kernel.about)
        self.solver = tuple(found)

    def add_halo(
        self, name: str = "halo", kernels: Sequence[str] | None = None, *, wire: str | None = None
    ) -> None:
        """Add kernels that pack and unpack what `kernels` exchange with other blocks, and to their sweeps
        `before()` and `after()`, of which heddle::HaloExchange is made.

        kernels: all dense, or all over whole lists; by default all dense ones so far, where there are none
        those over lists. wire: "f32" or "f16" to send values in that precision; results then depend on where
        blocks meet.
        """
        place = calling_place()
        scalar = precision(wire).storage if wire else None
        models = [k for k in self.kernels.values() if isinstance(k, KernelModel)]
        dense = [k.name for k in models if isinstance(k.space, ir.Dense)]
        lists = [k.name for k in models if isinstance(k.space, ir.Sparse) and not k.space.listed]
        chosen = tuple((dense or lists) if kernels is None else kernels)
        known = lists if any(kernel in lists for kernel in chosen) else dense
        for kernel in chosen:
            if kernel not in known:
                what = "kernel over whole lists" if known is lists else "dense kernel"
                raise KernelError(
                    place,
                    f"'{kernel}' is not a {what} of '{self.name}'.",
                    "it has: " + ", ".join(known),
                )
            taken = [halo.name for halo in self.halos.values() if kernel in halo.kernels]
            if taken:
                raise KernelError(place, f"'{kernel}' is in the halo '{taken[0]}' already.")
        ends = self.ends
        first = self._first_exchange(name, chosen, ends, place)
        for unpack in (False, True):
            full = f"{name}_unpack" if unpack else f"{name}_pack"
            if not is_name(full) or full in self.kernels:
                raise KernelError(place, f"'{full}' is not a name for a new kernel.", "letters, digits, _")
            way = "from" if unpack else "to"
            each = "element by element" if known is lists else "box after box"
            about = f"Copies what crosses the borders of blocks {way} the wire, {each}."
            source = self.kernels[first.kernel]
            assert isinstance(source, KernelModel)
            self.kernels[full] = PackModel(
                full, source, first.direction == "after", ends, scalar, unpack, about, place, Schedule()
            )
        self.halos[name] = Halo(name, chosen, scalar, ends)

    @property
    def ends(self) -> Ends:
        """Where the kernels over whole lists so far write."""
        models = [k for k in self.kernels.values() if isinstance(k, KernelModel)]
        lists = [k for k in models if isinstance(k.space, ir.Sparse) and not k.space.listed]
        return ends_of(model.typed(precision(self.precisions[0])) for model in lists)

    def _first_exchange(
        self, name: str, kernels: Sequence[str], ends: Ends, place: Place
    ) -> Exchange | ListExchange:
        """The exchange that stands for all of a halo: they have fields of the same shapes."""
        found: list[Exchange | ListExchange] = []
        for kernel in kernels:
            model = self.kernels[kernel]
            assert isinstance(model, KernelModel)
            for exchange in crossing(model.typed(precision(self.precisions[0])), ends, model.place):
                if exchange.crossings:
                    found.append(exchange)
        if not found:
            raise KernelError(place, f"no kernel of '{name}' reaches beyond its block: nothing crosses.")
        for exchange in found:
            check_fields(exchange.fields, place)
            if _shapes(exchange) != _shapes(found[0]):
                raise KernelError(
                    place,
                    f"'{exchange.kernel}' and '{found[0].kernel}' exchange different fields: "
                    f"{_shapes(exchange)} and {_shapes(found[0])}.",
                    "one add_halo for each: add_halo(name, kernels=[...])",
                )
        return found[0]

    @property
    def links(self) -> tuple[ir.Link, ...]:
        """The rows of the neighbour table that the sparse kernels share."""
        tables: dict[tuple[ir.Link, ...], str] = {}
        for name, kernel in self.kernels.items():
            if isinstance(kernel.space, ir.Sparse) and kernel.space.links:
                tables.setdefault(kernel.space.links, name)
        if len(tables) > 1:
            first, other, *_ = tables.values()
            raise KernelError(
                self.kernels[other].place,
                f"'{first}' and '{other}' follow different links, and the lists of '{self.name}' have one "
                "table, that of one pattern and lattice.",
                "a second module for the other, with a list of its own: lists of the same cells number them "
                "alike, so a scalar beside a flow sees its velocity",
            )
        return next(iter(tables), ())

    def typed(self, kernel: str, chosen: str) -> ir.Kernel:
        """A checked kernel in a precision; worked out once."""
        entry = self.kernels[kernel]
        known = self._typed.get((kernel, chosen))
        if known is None or known[0] is not entry:
            known = self._typed[kernel, chosen] = entry, entry.typed(precision(chosen))
        return known[1]

    def stages(self, kernel: str, chosen: str, target: str) -> Stages:
        """A kernel at every level, for one precision and target; worked out once."""
        from heddle.emit.targets import TARGETS

        if kernel not in self.kernels:
            known = ", ".join(self.kernels)
            raise KernelError(self.name, f"there is no kernel '{kernel}'.", f"the module has: {known}")
        entry = self.kernels[kernel]
        made = self._stages.get((kernel, chosen, target))
        if made is None or made[0] is not entry:
            request = Request(precision(chosen), entry.schedule, TARGETS[target])
            made = self._stages[kernel, chosen, target] = entry, lower(self.typed(kernel, chosen), request)
        return made[1]


def crossing(
    kernel: ir.Kernel, ends: Ends, place: Place
) -> tuple[Exchange | ListExchange, Exchange | ListExchange]:
    """What a typed kernel exchanges before and after it. ends: as in list_exchanges."""
    if isinstance(kernel.space, ir.Sparse):
        return list_exchanges(kernel, place, ends)
    return exchanges(kernel, place)


def _shapes(exchange: Exchange | ListExchange) -> str:
    return ", ".join(f"{f.type}({f.components}) {f.rank}D" for f in exchange.fields)


def _with_walls(
    name: str,
    space: ir.Dense,
    walls: Sequence[str],
    links: Sequence[object],
    schedule: Schedule,
    place: Place,
) -> ir.Dense:
    """A dense space with walls at some sides; KernelError where that has no meaning."""
    known = SIDES[: 2 * space.rank]
    wrong = [side for side in walls if side not in known or list(walls).count(side) > 1]
    if wrong:
        raise KernelError(
            place,
            f"'{wrong[0]}' is not a side of '{name}', or named twice.",
            "walls of " + ", ".join(known),
        )
    if not links or any(getattr(link, "wall_slot", 0) == HELD for link in links):
        raise KernelError(
            place,
            f"'{name}' has no links that could end at walls.",
            "use AA, Pull or Push; for other patterns stream.boundary(NoSlip(lattice), face=...)"
            if links
            else 'use AA, Pull or Push, or with moments in memory MomentStorage(lattice, walls="walls")',
        )
    if schedule.in_chunks or schedule.cells > 1 or schedule.usual or space.colours > 1:
        raise KernelError(
            place,
            f"'{name}' has walls within, so each cell goes its own way: not in chunks, colours or copies.",
            "leave out chunk, cells, usual and colours, or use stream.boundary(NoSlip(lattice), face=...)",
        )
    rows = tuple(ir.Link(link.slot, tuple(link.offset), link.wall_slot) for link in links)  # type: ignore[attr-defined]
    return replace(space, walls=tuple(side for side in SIDES if side in walls), links=rows)


def _check_kinds(statements: object, space: object, schedule: object) -> None:
    """Raise KernelError for what is no kernel, no space and no schedule."""
    if isinstance(statements, (StreamingPattern, Collision)):
        what = "streams" if isinstance(statements, StreamingPattern) else "collides"
        raise KernelError(
            calling_place(),
            f"{type(statements).__name__} {what}; a kernel does both.",
            "module.add(name, stream(collision)), with stream = lbm.AA(lattice) and collision = "
            "lbm.BGK(lattice)",
        )
    kernels = "statements, or what a streaming pattern makes of a collision"
    require_object(statements, (Iterable, StreamingKernels), kernels, "module.add(name, [Assignment(...)])")
    if space is not None:
        spaces = (Dense, Sparse, Cells)
        require_object(space, spaces, "an iteration space", 'heddle.Dense(), Sparse("fluid"), Cells("body")')
    if schedule is not None:
        require_object(schedule, Schedule, "a schedule", "heddle.Schedule(...)")


def _check_cells(
    name: str, pattern: StreamingKernels, space: Dense | Sparse | Cells | None, place: Place
) -> None:
    """Raise KernelError where a space and what a pattern made for it do not belong together."""
    where = getattr(pattern, "where", "")
    if where == "face" and isinstance(space, Sparse):
        raise KernelError(
            place,
            f"'{name}' is a sweep over the layer of cells at a side of a dense box, and its space is another "
            "one.",
            "leave out the space, or over a list leave out face (and say normal=... where it is needed)",
        )
    if where == "list" and not isinstance(space, Sparse):
        raise KernelError(
            place,
            f"'{name}' is a sweep over a list of cells, and its space is another one.",
            "stream.boundary(condition, face=...) for the cells at a side of a dense box, cells=True for a "
            "body in it; or space=heddle.Sparse(name, listed=True)",
        )
    if where == "cells" and not isinstance(space, Cells):
        raise KernelError(
            place,
            f"'{name}' is a sweep over some cells of a dense box, and its space is another one.",
            "space=heddle.Cells(name), or leave out cells=True",
        )
    if isinstance(space, Cells) and where != "cells":
        raise KernelError(
            place,
            f"'{name}' is not made for some cells of a dense box: what runs there is a boundary sweep.",
            "stream.boundary(condition, cells=True), or another space",
        )


def _over_list(pattern: StreamingKernels, suffix: str, name: str, place: Place) -> Iterable[Statement]:
    """The statements of a step over a list; KernelError for differences to cells that it does not lead to."""
    other = getattr(pattern, "over_list", None)
    if other is None:
        return pattern.steps[suffix]
    if suffix not in other:
        raise KernelError(
            place,
            f"'{name}' takes differences of a velocity, and its pattern says of no links that lead to the "
            "cells beside one.",
            "over a list use a pattern with links, or lbm.Smagorinsky in place of lbm.Vreman or WALE",
        )
    found: Iterable[Statement] = other[suffix]
    return found


def _check_over_list(
    name: str, statements: Iterable[Statement], pattern: StreamingKernels, space: Sparse, place: Place
) -> None:
    """Raise KernelError for a sweep with nothing left to do, as walls at rest lie in the table of the list,
    and for a step that looks at neighbours other than through links."""
    from heddle.symbolic.field import Access

    accesses = {atom for expression in _expressions(statements) for atom in expression.atoms(Access)}
    if not accesses:
        raise KernelError(
            place,
            f"'{name}' has nothing to do: over the list '{space.name}' a wall at rest lies in the table of "
            "neighbours, and a link that leads to no listed cell bounces back half-way by itself.",
            "leave this sweep out",
        )
    beside = {a.field.name for a in accesses if any(a.offsets)} - set(getattr(pattern, "populations", ()))
    if getattr(pattern, "role", "") == "step" and beside:
        raise KernelError(
            place,
            f"'{name}' looks at '{min(beside)}' in neighbouring cells, to which a list leads for populations "
            "alone.",
            "use what the own cell knows, or a dense space",
        )


def _rank(statements: Iterable[Statement], place: Place, name: str) -> int:
    """The dimensions of the space: those of the fields."""
    from heddle.symbolic.field import Access, GatherFunction

    ranks: set[int] = set()
    for expression in _expressions(statements):
        reached = {atom.field for atom in expression.atoms(Access) if atom.field.rank}
        ranks |= {field.rank for field in reached if field.profile < 0}
        ranks |= {atom.field.rank for atom in expression.atoms(GatherFunction) if atom.field.rank}
    if not ranks:
        raise KernelError(place, f"'{name}' touches no field.", "a kernel reads and writes fields")
    return max(ranks)


def _fields_read(statements: Iterable[Statement]) -> set[str]:
    from heddle.symbolic.field import Access

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
