# SPDX-License-Identifier: Apache-2.0
"""apply_schedule: put the body of a cell into loops.

before   store u_next[0,0,0] = ...                                (meaning: for every cell)
after    loop omp z { loop omp y { loop simd x { store u_next[0,0,0] = ... } } }

The axis of a Scan gets no loop here: the Scan is one. With a strip, x runs in pieces of that many cells (of
as many columns, where there is a Scan: see vectorise_scans); with a reduction, in tiles.

Cells that repeat statements in a While are lanes in strips only: each has rounds of its own.

after    loop serial colour { loop omp y { let x_first = bitand(add(colour, y), 1);
                                           loop simd x from x_first by 2 { ... } } }       (two colours)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from heddle.ir.build import add, integer, multiply, operate
from heddle.ir.colouring import COLOUR, bits
from heddle.ir.device_calls import device_call
from heddle.ir.nodes import (
    I64,
    Access,
    Call,
    Cast,
    Const,
    Expression,
    Gather,
    Kernel,
    Let,
    Load,
    Loop,
    LoopKind,
    Reduce,
    Scan,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.reduction import TILE, reduces_rows
from heddle.ir.schedule import CpuSchedule, Rows, Strips
from heddle.ir.space import PLACES, Space
from heddle.ir.stages import Request
from heddle.ir.target import Target
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import evaluated, statements, walk
from heddle.passes.schedule_pack import schedule_pack

AXES = ("x", "y", "z")
STRIP_BEGIN, STRIP = "_begin", "_strip"


def apply_schedule(kernel: Kernel, request: Request) -> Kernel:
    """Wrap the body in loops; heddle.ir.legality has checked that the kernel runs so."""
    schedule, target = request.schedule.cpu, request.target
    if isinstance(schedule, Strips) and schedule.nontemporal and target.inner == "simd":
        kernel = dataclasses.replace(kernel, body=_nontemporal(kernel))
    if isinstance(schedule, Rows) and any(isinstance(s, While) for s in statements(kernel.body)):
        schedule = dataclasses.replace(schedule, simd=False)
    if kernel.space.is_list:
        body = _sparse(kernel, kernel.space, schedule, target)
    elif kernel.space.packs:
        body = schedule_pack(kernel, schedule, target)
    else:
        body = _dense(kernel, kernel.space, schedule, target)
        if target.threads and request.schedule.gpu.levels_first:
            body = _levels_first(body)
    return dataclasses.replace(kernel, body=body)


def _levels_first(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """z { y { x } } as y { z { x } }."""
    (levels,) = body
    assert isinstance(levels, Loop)
    (rows,) = levels.body
    assert isinstance(rows, Loop)
    return (dataclasses.replace(rows, body=(dataclasses.replace(levels, body=rows.body),)),)


def reduces(kernel: Kernel) -> bool:
    """Whether a kernel (not yet lowered) combines values over its cells."""
    return any(isinstance(s, Reduce) for s in statements(kernel.body))


def _dense(kernel: Kernel, space: Space, schedule: CpuSchedule, target: Target) -> tuple[Statement, ...]:
    if space.colours > 1:
        return _coloured(kernel, space, schedule, target)
    scanned = {statement.axis for statement in statements(kernel.body) if isinstance(statement, Scan)}
    axes = [axis for axis in range(space.dimensions) if axis not in scanned]
    body: tuple[Statement, ...] = kernel.body
    for axis in axes:
        counter = Symbol(AXES[axis], I64)
        extent = Symbol(f"n_{AXES[axis]}", I64)
        innermost = axis == 0 and not scanned
        end: Expression = integer(space.fixed_nx) if axis == 0 and space.fixed_nx else extent
        if axis == 0 and reduces_rows(kernel.body) and not target.threads:
            body = _row_tiles(kernel, counter, extent, body, schedule, target)
            continue
        if axis == axes[0] and reduces(kernel) and not target.threads:
            body = _tiled(kernel, counter, integer(0), integer(1), body, schedule, target, axes[-1] == axis)
            continue
        lanes = innermost or (axis == 0 and is_column(kernel.body))
        if lanes and isinstance(schedule, Strips) and target.inner == "simd":
            body = _strip_mined(kernel, counter, extent, body, schedule, len(axes) == 1)
            continue
        kind = _kind(innermost, axes[-1] == axis, schedule, target)
        body = (Loop(kind, counter, integer(0), end, integer(1), body),)
    return body


def _coloured(kernel: Kernel, space: Space, schedule: CpuSchedule, target: Target) -> tuple[Statement, ...]:
    """Colour by colour; along the axes that a colour's bits name, every second cell from the first one on
    that has the colour. Its number is named as far out as it can be."""
    halved = bits(space.dimensions, space.colours)
    body: tuple[Statement, ...] = kernel.body
    waiting: list[tuple[int, Let]] = []
    for axis in range(space.dimensions):
        counter, extent = Symbol(AXES[axis], I64), Symbol(f"n_{AXES[axis]}", I64)
        first, step = (Symbol(f"{AXES[axis]}_first", I64), 2) if axis < len(halved) else (integer(0), 1)
        inside = (*(let for outer, let in waiting if outer == axis), *body)
        waiting = [(outer, let) for outer, let in waiting if outer != axis]
        if axis < len(halved):
            outer = min((other for other in halved[axis] if other != axis), default=space.dimensions)
            waiting.append((outer, Let(Symbol(f"{AXES[axis]}_first", I64), _first_cell(axis, halved[axis]))))
        if axis == 0 and is_split(kernel):  # the cells of a row that have the colour follow each other
            place = add(multiply(integer(2), SPLIT_COUNTER), first)
            inside = (Let(counter, place), *inside)
            counter, extent, first, step = SPLIT_COUNTER, Symbol("n_i", I64), integer(0), 1
        if axis == 0 and reduces(kernel) and not target.threads:
            body = _tiled(
                kernel, counter, first, integer(step), inside, schedule, target, space.dimensions == 1
            )
        else:
            kind = _kind(axis == 0, axis == space.dimensions - 1, schedule, target)
            if kind == "omp" and isinstance(first, Symbol) and any(other > axis for other in halved[axis]):
                kind = "serial"  # its begin is named inside the loop that runs on threads
            body = (Loop(kind, counter, first, extent, integer(step), inside),)
    here = [let for _, let in waiting]
    begin, end = Symbol("first_colour", I64), Symbol("last_colour", I64)
    return (Loop("serial", COLOUR, begin, end, integer(1), (*here, *body)),)


SPLIT_COUNTER = Symbol("i", I64)
"""Counts the cells of a row that have the colour, where fields are split by colour."""


def is_split(kernel: Kernel) -> bool:
    """Whether a kernel has fields that are split by colour."""
    return any(field.layout.split for field in kernel.fields)


def _first_cell(axis: int, axes: tuple[int, ...]) -> Expression:
    """The first coordinate along an axis for which bit `axis` of the colour is right: 0 or 1."""
    total: Expression = operate("div", COLOUR, integer(2**axis)) if axis else COLOUR
    for other in axes:
        if other != axis:
            total = add(total, Symbol(AXES[other], I64))
    return operate("bitand", total, integer(1))


def _nontemporal(kernel: Kernel) -> tuple[Statement, ...]:
    """Mark the stores to fields that the kernel only writes; a field that it also reads is in the caches
    anyway."""
    read = {node.field for node in evaluated(kernel.body) if isinstance(node, (Access, Gather))}

    def streams(s: Statement) -> bool:
        """Links of a sparse list lead to elements that do not follow each other."""
        if not (isinstance(s, Store) and isinstance(s.target, Access)) or s.target.field in read:
            return False
        return s.target.field.dense or not any(s.target.offsets)

    return tuple(
        dataclasses.replace(s, nontemporal=True) if isinstance(s, Store) and streams(s) else s
        for s in kernel.body
    )


def _kind(innermost: bool, outermost: bool, schedule: CpuSchedule, target: Target) -> LoopKind:
    """Lanes along x, threads over everything outside it; a single loop is both."""
    if target.threads:
        return "thread"
    lanes = innermost and target.inner == "simd" and schedule.simd
    if innermost and not outermost:
        return "simd" if lanes else "serial"
    if target.outer == "omp" and schedule.parallel:
        return "omp simd" if lanes else "omp"
    return "simd" if lanes else "serial"


def is_strip(loop: Loop) -> bool:
    """Whether a loop runs over strips; its one inner loop runs over the cells of a strip."""
    return loop.counter.name.rstrip("_").endswith((STRIP_BEGIN, STRIP))


def in_strips(
    body: Sequence[Statement],
    inside: Callable[[Loop], Sequence[Statement]],
    which: Callable[[Loop], bool] = is_strip,
) -> tuple[Statement, ...]:
    """Statements with other bodies in their loops over strips. inside: such a loop's new body. which: the
    loops that are meant; the others are looked into."""

    def changed(statement: Statement) -> Statement:
        if not isinstance(statement, Loop):
            return statement
        new = inside(statement) if which(statement) else in_strips(statement.body, inside, which)
        return dataclasses.replace(statement, body=tuple(new))

    return tuple(changed(statement) for statement in body)


def _piece(kernel: Kernel, counter: Symbol) -> tuple[Symbol, Symbol]:
    """Where a piece of a row begins and ends."""
    taken = names_in(kernel)
    begin, end = fresh(f"{counter.name}{STRIP_BEGIN}", taken), fresh(f"{counter.name}_end", taken)
    return Symbol(begin, I64), Symbol(end, I64)


def is_column(body: Sequence[Statement]) -> bool:
    """Whether a body has one scan or several."""
    return any(isinstance(s, Scan) for s in statements(body))


def _strip_mined(
    kernel: Kernel,
    counter: Symbol,
    extent: Symbol,
    body: tuple[Statement, ...],
    schedule: Strips,
    outermost: bool,
) -> tuple[Statement, ...]:
    """Pieces of a row, counted by their first cell."""
    begin, end = _piece(kernel, counter)
    strip = integer(schedule.size)
    inner: list[Statement] = [Let(end, Call("min", (add(begin, strip), extent), I64))]
    if not any(isinstance(s, (Scan, While)) for s in statements(body)):  # these name rows inside themselves
        inner += _prefetches(kernel.body, schedule)
    inner.append(Loop("simd", counter, begin, end, integer(1), body))
    kind: LoopKind = "omp" if outermost and schedule.parallel else "serial"
    return (Loop(kind, begin, integer(0), extent, strip, tuple(inner)),)


def _tiled(
    kernel: Kernel,
    counter: Symbol,
    first: Expression,
    step: Const,
    body: tuple[Statement, ...],
    schedule: CpuSchedule,
    target: Target,
    outermost: bool,
) -> tuple[Statement, ...]:
    """Pieces of a row, each a tile of a reduction: its cells lie `step` apart, from `first` on."""
    begin, end = _piece(kernel, counter)
    size = integer(TILE * int(step.value))
    extent = Symbol(f"n_{counter.name}", I64)
    scans = any(isinstance(s, Scan) for s in statements(body))
    inner: list[Statement] = [Let(end, Call("min", (add(begin, size), extent), I64))]
    if not scans:  # the row that is prefetched is the scan's
        inner += _prefetches(kernel.body, schedule)
    lanes: LoopKind = "simd" if target.inner == "simd" and schedule.simd and not scans else "serial"
    inner.append(Loop(lanes, counter, add(begin, first), end, step, body))
    kind = _kind(False, outermost, schedule, target) if scans or outermost else "serial"
    return (Loop(kind, begin, integer(0), extent, size, tuple(inner)),)


def _row_tiles(
    kernel: Kernel,
    counter: Symbol,
    extent: Symbol,
    body: tuple[Statement, ...],
    schedule: CpuSchedule,
    target: Target,
) -> tuple[Statement, ...]:
    """Tiles of a row one after the other: what their cells give is combined in this order."""
    begin, end = _piece(kernel, counter)
    lanes: LoopKind = "simd" if target.inner == "simd" and schedule.simd else "serial"
    inner = (
        Let(end, Call("min", (add(begin, integer(TILE)), extent), I64)),
        Loop(lanes, counter, begin, end, integer(1), body),
    )
    return (Loop("serial", begin, integer(0), extent, integer(TILE), inner),)


def _tiled_list(
    kernel: Kernel, counter: Symbol, first: Expression, last: Symbol, schedule: CpuSchedule, target: Target
) -> tuple[Statement, ...]:
    """Pieces of a list, each a tile of a reduction."""
    begin, end = _piece(kernel, counter)
    listed = kernel.space.listed
    lanes: LoopKind = "simd" if target.inner == "simd" and schedule.simd and not listed else "serial"
    inner = (
        Let(end, Call("min", (add(begin, integer(TILE)), last), I64)),
        *_prefetches(kernel.body, schedule),
        Loop(lanes, counter, begin, end, integer(1), kernel.body),
    )
    kind = _kind(False, True, schedule, target)
    return (Loop(kind, begin, first, last, integer(TILE), inner),)


def _strip_mined_list(kernel: Kernel, n: Symbol, schedule: Strips) -> tuple[Statement, ...]:
    """Strips of a list start at multiples of their size, since the list knows runs of neighbours strip by
    strip."""
    first, last = Symbol("first", I64), Symbol("last", I64)
    number = Symbol(fresh(f"n{STRIP}", names_in(kernel)), I64)
    begin, end = _piece(kernel, n)
    size = integer(schedule.size)
    start = operate("mul", number, size)
    inner: list[Statement] = [
        Let(begin, Call("max", (start, first), I64)),
        Let(end, Call("min", (add(start, size), last), I64)),
        *_prefetches(kernel.body, schedule),
        Loop("simd", n, begin, end, integer(1), kernel.body),
    ]
    low = operate("div", first, size)
    high = operate("div", add(last, integer(schedule.size - 1)), size)
    return (Loop("omp" if schedule.parallel else "serial", number, low, high, integer(1), tuple(inner)),)


def _prefetches(body: Sequence[Statement], schedule: CpuSchedule) -> list[Statement]:
    """The lines that the strip `prefetch` cells ahead will touch: of each stream of elements that it updates;
    where stores bypass the caches, of each that it reads."""
    if not (isinstance(schedule, Strips) and schedule.prefetch):
        return []
    stores = [s for s in statements(body) if isinstance(s, Store)]
    targets = dict.fromkeys(s.target for s in stores if not s.nontemporal)
    if any(s.nontemporal for s in stores):
        targets |= dict.fromkeys(_rows_read(body))
    result: list[Statement] = []
    for target in targets:
        if isinstance(target, (Gather, Load)):
            continue
        if target.field.layout.over_list and any(target.offsets):
            continue  # vectorise_gathers asks for neighbours: where they lie is known only from the table
        ahead = (target.offsets[0] + schedule.prefetch, *target.offsets[1:])
        first = Access(target.field, ahead, target.component)
        result.append(device_call("prefetch", first=first, length=schedule.size))
    return result


def _rows_read(body: Sequence[Statement]) -> Iterable[Access]:
    """Of each row of elements that a body reads, the access that is furthest along x."""
    rows: dict[tuple[object, ...], Access] = {}
    for node in evaluated(body):
        if isinstance(node, Access) and not node.field.layout.along_axis:
            row = node.field, node.component, node.offsets[1:]
            rows[row] = max(rows.get(row, node), node, key=lambda access: access.offsets[0])
    return rows.values()


def follows_links(kernel: Kernel) -> bool:
    """Whether a kernel (not yet lowered) over a list has neighbours to load in runs; one on own cells only
    gains nothing from strips."""
    return (
        kernel.space.is_list
        and not kernel.space.box
        and any(isinstance(node, Access) and any(node.offsets) for node in walk(kernel.body))
    )


def _places(kernel: Kernel, space: Space) -> list[Statement]:
    """Where the cell of an entry lies in its box, as loops over a dense space say it."""
    fields = {field.name: field for field in kernel.fields}
    places = zip(AXES, PLACES[: space.box], strict=False)
    return [Let(Symbol(axis, I64), Cast(Access(fields[place], ()), I64)) for axis, place in places]


def _sparse(kernel: Kernel, space: Space, schedule: CpuSchedule, target: Target) -> tuple[Statement, ...]:
    counter = Symbol(space.counter, I64)
    if space.box:
        kernel = dataclasses.replace(kernel, body=(*_places(kernel, space), *kernel.body))
    if space.listed:
        count = Symbol("cell_count", I64)
        if reduces(kernel) and not target.threads:
            return _tiled_list(kernel, counter, integer(0), count, schedule, target)
        kind = _kind(False, True, schedule, target)
        return (Loop(kind, counter, integer(0), count, integer(1), kernel.body),)
    first, last = Symbol("first", I64), Symbol("last", I64)
    if reduces(kernel) and not target.threads:
        return _tiled_list(kernel, counter, first, last, schedule, target)
    lanes = target.inner == "simd"
    if isinstance(schedule, Strips) and lanes and (schedule.prefetch or follows_links(kernel)):
        return _strip_mined_list(kernel, counter, schedule)
    kind = _kind(True, True, schedule, target)
    return (Loop(kind, counter, first, last, integer(1), kernel.body),)
