# SPDX-License-Identifier: Apache-2.0
"""Calls of functions in `heddle/device`, read back by the rows of `heddle.ir.device_calls`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.device_calls import DEVICE_CALLS, Kind

if TYPE_CHECKING:
    from heddle.lift.expressions import ExpressionLifter

Arguments = tuple[ir.Expression, ...]


def lifted_call(
    lifter: ExpressionLifter,
    name: str,
    template: tuple[Any, ...],
    args: Arguments,
    result: ir.Symbol | None = None,
) -> ir.DeviceCall | None:
    """A call of a function that has a row in `heddle.ir.device_calls`; None for other functions."""
    for row_name, row in DEVICE_CALLS.items():
        if name != f"heddle::{row.function or row_name}" or len(args) != len(row.spelled):
            continue
        given = (_argument(lifter, *each) for each in zip(row.spelled, args, strict=True))
        parts = tuple(integer(0) if kind is Kind.LANE else next(given) for kind in row.parameters.values())
        return ir.DeviceCall(row_name, parts, tuple(map(int, template[: len(row.template)])), result)
    return None


def _argument(lifter: ExpressionLifter, kind: Kind, argument: ir.Expression) -> ir.Expression:
    match kind:
        case Kind.ARRAY:
            return lifter.whole(argument)
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
