# SPDX-License-Identifier: Apache-2.0
"""lower_row_reductions: what the cells of a row become is stored for the row.

before   loop serial x_begin by 32 { let x_end = ...;
                                     loop simd x { store total.gather(0, y) = row_sum(u[0,0]) } }
after    loop serial x_begin by 32 { let x_end = ...; local total_run[32];
           loop simd x { store total_run[x - x_begin] = u[0,0] }
           let total_tile = combine_sum(total_run, x_end - x_begin);
           store total.gather(0, y) = select(x_begin == 0, total_tile, total.gather(0, y) + total_tile) }

With a thread for each cell, a block has a whole row, or one in each of its warps, and all their threads take
part. Those beyond the end of the row do what the last cell does, but store nothing and give what changes
nothing:
after    loop thread y { loop thread x_thread {
           let x = min(x_thread, n_x - 1);
           row_sums = row_sums<64>(n_x);
           combine_row_sum(row_sums, &total.gather(0, y), u[0,0], x_thread < n_x);
           store_row_sums(row_sums) } }

What warps make of a row waits in `row_sums` until there are 64 results or no more come: two barriers then
serve all of them. No kernel reads these results (`check_dependences`).

With Threads(row_pieces=True) the block goes along its row, and has a cell of each piece for each thread:
after    loop thread y { loop serial x_piece by 128 { loop thread x_thread from x_piece {
           let x = ...; row_sums = row_piece_sums<64>(n_x, x_piece); ...; store_row_sums(row_sums) } } }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from heddle.ir.build import add, integer, operate
from heddle.ir.device_calls import device_call
from heddle.ir.nodes import (
    I64,
    Call,
    Expression,
    Gather,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Pointer,
    Scalar,
    Scan,
    Select,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.reduction import TILE, reduces_rows, row_operation
from heddle.ir.stages import Request
from heddle.ir.unique_names import fresh, names_in
from heddle.ir.visit import statements

MOST_WAITING = 64
"""Results of rows that wait for a barrier together."""
_X, _COUNT = Symbol("x", I64), Symbol("n_x", I64)


def lower_row_reductions(kernel: Kernel, request: Request) -> Kernel:
    """Replace the stores of row_sum, row_min and row_max by tiles, or by calls of combine_row_*."""
    if not reduces_rows(kernel.body):
        return kernel
    taken = names_in(kernel)
    if request.target.threads:
        counter, gpu = Symbol(fresh("x_thread", taken), I64), request.schedule.gpu
        number = Symbol(fresh("x_piece", taken), I64)
        piece = Loop("serial", number, integer(0), _COUNT, integer(gpu.block[0]), ())
        pieces = piece if gpu.row_pieces else None
        waiting = _waiting(kernel.body, taken | {counter.name, piece.counter.name})
        return dataclasses.replace(kernel, body=tuple(_threads(kernel.body, counter, waiting, pieces)))
    return dataclasses.replace(kernel, body=tuple(_tiles(kernel.body, taken)))


# --- Tile after tile ----------------------------------------------------------------------------------------


def _tiles(body: Sequence[Statement], taken: frozenset[str]) -> Iterator[Statement]:
    for statement in body:
        if isinstance(statement, Loop) and any(map(row_operation, statement.body)):
            yield from _tile(statement, taken)
        elif isinstance(statement, (Loop, Scan)):
            yield dataclasses.replace(statement, body=tuple(_tiles(statement.body, taken)))
        else:
            yield statement


def _tile(loop: Loop, taken: frozenset[str]) -> Iterator[Statement]:
    """The cells of a tile, and what they become."""
    inside: list[Statement] = []
    after: list[Statement] = []
    for statement in loop.body:
        operation = row_operation(statement)
        if operation:
            assert isinstance(statement, Store)
            assert isinstance(statement.target, Gather)
            assert isinstance(statement.value, Call)
            field = statement.target.field
            run = Symbol(fresh(f"{_label(statement.target)}_run", taken), Pointer(field.type))
            tile = Symbol(fresh(f"{_label(statement.target)}_tile", taken), field.type)
            yield Local(run, TILE, "scratch")
            inside.append(Store(Load(run, operate("sub", loop.counter, loop.begin)), statement.value.args[0]))
            count = operate("sub", loop.end, loop.begin)
            after.append(Let(tile, Call(f"combine_{operation}", (run, count), field.type)))
            first = operate("eq", loop.begin, integer(0))
            whole = Select(first, tile, _combined(operation, statement.target, tile))
            after.append(Store(statement.target, whole))
        else:
            inside.append(statement)
    yield dataclasses.replace(loop, body=tuple(inside))
    yield from after


def _label(target: Gather) -> str:
    """What the emitted code calls an element."""
    field = target.field
    if not field.components:
        return field.name
    return f"{field.name}_{field.component_name(int(target.component.value))}"  # type: ignore[attr-defined]


def _combined(operation: str, before: Expression, tile: Symbol) -> Expression:
    if operation == "sum":
        return operate("add", before, tile)
    assert tile.type is not None
    return Call(operation, (before, tile), tile.type)  # type: ignore[arg-type]


# --- A block of threads for each row ------------------------------------------------------------------------

_Waiting = dict[tuple[str, Scalar], Symbol]
"""Where results of an operation and type wait."""


def _waiting(body: Sequence[Statement], taken: frozenset[str]) -> _Waiting:
    found: _Waiting = {}
    for statement in statements(body):
        operation = row_operation(statement)
        if operation:
            assert isinstance(statement, Store)
            assert isinstance(statement.target.type, Scalar)
            key = operation, statement.target.type
            name = fresh(f"row_{operation}s", taken | {symbol.name for symbol in found.values()})
            found.setdefault(key, Symbol(name, Pointer(key[1])))
    return found


def _threads(
    body: Sequence[Statement], counter: Symbol, waiting: _Waiting, pieces: Loop | None
) -> Iterator[Statement]:
    """pieces: the loop over those of a row, still empty."""
    for statement in body:
        if isinstance(statement, Loop) and statement.counter == _X:
            last = add(_COUNT, integer(-1))
            own = Let(_X, Call("min", (counter, last), I64))
            known = operate("lt", counter, _COUNT)
            kind, more = ("row_piece", {"begin": pieces.counter}) if pieces else ("row", {})
            rows = (
                device_call(f"{kind}_{operation}s", symbol, count=_COUNT, length=MOST_WAITING, **more)
                for (operation, _), symbol in waiting.items()
            )
            ends = (
                device_call(f"store_row_{operation}s", rows=symbol)
                for (operation, _), symbol in waiting.items()
            )
            inside = (own, *rows, *_together(statement.body, counter, known, waiting), *ends)
            row = dataclasses.replace(statement, counter=counter, body=inside)
            yield _in_pieces(row, pieces) if pieces else row
        elif isinstance(statement, Loop):
            yield dataclasses.replace(
                statement, body=tuple(_threads(statement.body, counter, waiting, pieces))
            )
        else:
            yield statement


def _in_pieces(row: Loop, pieces: Loop) -> Loop:
    """The threads of a row, as many at a time as a block has."""
    end = Call("min", (add(pieces.counter, pieces.step), row.end), I64)
    return dataclasses.replace(pieces, body=(dataclasses.replace(row, begin=pieces.counter, end=end),))


def _together(
    body: Sequence[Statement], counter: Symbol, known: Expression, waiting: _Waiting
) -> Iterator[Statement]:
    """What all threads of a block do. known: whether a thread has a cell."""
    for statement in body:
        operation = row_operation(statement)
        if operation:
            assert isinstance(statement, Store)
            assert isinstance(statement.value, Call)
            assert isinstance(statement.target.type, Scalar)
            yield device_call(
                f"combine_row_{operation}",
                rows=waiting[operation, statement.target.type],
                first=statement.target,
                value=statement.value.args[0],
                known=known,
                lane=counter,
                count=_COUNT,
            )
        elif isinstance(statement, Scan):
            inside = tuple(_together(statement.body, counter, known, waiting))
            yield dataclasses.replace(statement, body=inside)
        elif isinstance(statement, Store) or (isinstance(statement, (If, While)) and _stores(statement.body)):
            yield If(known, (statement,))
        else:
            yield statement


def _stores(body: Sequence[Statement]) -> bool:
    return any(isinstance(s, Store) or _stores(getattr(s, "body", ())) for s in body)
