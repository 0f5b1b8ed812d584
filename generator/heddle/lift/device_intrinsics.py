# SPDX-License-Identifier: Apache-2.0
"""The building blocks of `heddle/device` that are statements, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.device_calls import DEVICE_CALLS, Kind

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


def lifted_call(
    lifter: ExpressionLifter,
    name: str,
    template: tuple[Any, ...],
    args: Arguments,
    result: ir.Symbol | None = None,
) -> ir.DeviceCall | None:
    """A call of a function that has a row in `heddle.ir.device_calls`; None for other functions."""
    for row_name, row in DEVICE_CALLS.items():
        if name != f"heddle::{row.function or row_name}" or len(args) != len(row.parameters):
            continue
        given = zip(row.parameters.values(), args, strict=True)
        numbers = tuple(int(number) for number in template[: len(row.template)])
        return ir.DeviceCall(row_name, tuple(_argument(lifter, *each) for each in given), numbers, result)
    return None


def _argument(lifter: ExpressionLifter, kind: Kind, argument: ir.Expression) -> ir.Expression:
    match kind:
        case Kind.ARRAY:
            return _whole(lifter, argument)
        case Kind.PLACE:
            return ir.Load(*lifter.pointer(argument))
        case Kind.ELEMENT:
            return _addressed(lifter, argument)
    return lifter.value(argument)


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
}
