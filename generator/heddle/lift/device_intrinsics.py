# SPDX-License-Identifier: Apache-2.0
"""The building blocks of `heddle/device` that are statements, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer

if TYPE_CHECKING:
    from heddle.lift.expressions import ExpressionLifter

Arguments = tuple[ir.Expression, ...]
Block = Callable[["ExpressionLifter", tuple[Any, ...], Arguments], Iterator[ir.Statement]]


def _prefetch(lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments) -> Iterator[ir.Statement]:
    if len(args) == 1:
        yield ir.Prefetch(_addressed(lifter, args[0]), int(template[0]))
        return
    row, x, count, following = args
    target = ir.Load(_whole(lifter, row), lifter.index(x))
    yield ir.Prefetch(target, int(template[0]), lifter.value(count), lifter.value(following))


def _prefetch_runs(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    length, rows = (int(argument) for argument in template[:2])
    yield ir.PrefetchRuns(_whole(lifter, args[0]), ir.Load(*lifter.pointer(args[1])), rows, length)


def load_run(
    lifter: ExpressionLifter, line: ir.Symbol, template: tuple[Any, ...], args: Arguments
) -> ir.LoadRun:
    """`T* const line = heddle::load_run<length>(lanes, field, index + first, count, run)`."""
    return ir.LoadRun(line, *_run(lifter, args[0], args[1], args[2:], int(template[0])))


def load_line(
    lifter: ExpressionLifter, line: ir.Symbol, template: tuple[Any, ...], args: Arguments
) -> ir.LoadLine:
    """`const T* const line = heddle::load_line<length>(lanes, row, first, count)`."""
    lanes, row = _whole(lifter, args[0]), _whole(lifter, args[1])
    return ir.LoadLine(line, lanes, row, lifter.value(args[2]), lifter.value(args[3]), int(template[0]))


LINES = {"heddle::load_run": load_run, "heddle::load_line": load_line}
"""Those that give a line."""


def _store_run(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    yield ir.StoreRun(*_run(lifter, args[1], args[0], args[2:], int(template[0])))


def _run(
    lifter: ExpressionLifter, local: ir.Expression, far: ir.Expression, rest: Arguments, length: int
) -> tuple[Any, ...]:
    index, first = lifter.pointer(rest[0])
    return (
        _whole(lifter, local), _whole(lifter, far), index, first,
        lifter.value(rest[1]), length, ir.Load(*lifter.pointer(rest[2])),
    )  # fmt: skip


def _stream_run(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    row, first, local, count = args
    yield ir.StreamRun(
        _whole(lifter, local), _whole(lifter, row), lifter.value(first), lifter.value(count), int(template[0])
    )


def _load_halves(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    local, row, first, count = args
    near, far = _whole(lifter, local), _whole(lifter, row)
    yield ir.LoadHalves(near, far, lifter.value(first), lifter.value(count), int(template[0]))


def _store_halves(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    row, first, local, count = args
    near, far = _whole(lifter, local), _whole(lifter, row)
    yield ir.StoreHalves(near, far, lifter.value(first), lifter.value(count), int(template[0]))


def _load_vector(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    yield ir.LoadVector(_whole(lifter, args[0]), _addressed(lifter, args[1]), int(template[0]))


def _store_vector(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    yield ir.StoreVector(_whole(lifter, args[1]), _addressed(lifter, args[0]), int(template[0]))


def _decode_neighbours(
    lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
) -> Iterator[ir.Statement]:
    local, chunks, table = (_whole(lifter, pointer) for pointer in args[:3])
    stride, n, last = (lifter.value(argument) for argument in args[3:])
    yield ir.DecodeNeighbours(local, chunks, table, stride, n, last, int(template[0]))


def _addressed(lifter: ExpressionLifter, address: ir.Expression) -> ir.Load:
    """The element whose address is given."""
    assert isinstance(address, source.AddressOf)
    element = lifter.value(address.element)
    assert isinstance(element, ir.Load)
    return element


def _contribute(operation: str) -> Block:
    def lifted(
        lifter: ExpressionLifter, template: tuple[Any, ...], args: Arguments
    ) -> Iterator[ir.Statement]:
        results, index, value, known = args
        target = ir.Load(_whole(lifter, results), lifter.index(index))
        yield ir.WarpReduce(operation, target, integer(0), lifter.value(value), lifter.value(known))  # type: ignore[arg-type]

    return lifted


def _whole(lifter: ExpressionLifter, expression: ir.Expression) -> ir.Symbol:
    """A name that stands for a line from its first element on."""
    pointer, offset = lifter.pointer(expression)
    assert offset == integer(0)
    return pointer


BLOCKS: dict[str, Block] = {
    **{f"heddle::combine_warp_{name}": _contribute(name) for name in ("sum", "min", "max")},
    "heddle::prefetch": _prefetch,
    "heddle::prefetch_runs": _prefetch_runs,
    "heddle::store_run": _store_run,
    "heddle::stream_run": _stream_run,
    "heddle::load_halves": _load_halves,
    "heddle::store_halves": _store_halves,
    "heddle::load_vector": _load_vector,
    "heddle::decode_neighbours": _decode_neighbours,
    "heddle::store_vector": _store_vector,
}
