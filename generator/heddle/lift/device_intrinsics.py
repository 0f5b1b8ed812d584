# SPDX-License-Identifier: Apache-2.0
"""Calls of functions in `heddle/device`, read back by the rows of `heddle.ir.device_calls`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.device_calls import DEVICE_CALLS, Kind

if TYPE_CHECKING:
    from heddle.lift.expressions import ExpressionLifter

Arguments = tuple[ir.Expression, ...]
SCALARS = {"double": ir.F64, "float": ir.F32, "unsigned short": ir.U16}
OBJECT = re.compile(rf"^heddle::(?P<name>\w+)<(?P<element>{'|'.join(SCALARS)}), (?P<length>\d+)>$")
"""The type of an object with an array of its own, as Clang names it."""


def lifted_call(
    lifter: ExpressionLifter,
    name: str,
    template: tuple[Any, ...],
    args: Arguments,
    result: ir.Symbol | None = None,
) -> ir.DeviceCall | None:
    """A call of a function that has a row in `heddle.ir.device_calls`; None for other functions."""
    for row_name, row in DEVICE_CALLS.items():
        spelled = row.kinds(len(args), spelled=True)
        if row.object or name != f"heddle::{row.function or row_name}" or len(args) != len(spelled):
            continue
        given = [_argument(lifter, *each) for each in zip(spelled, args, strict=True)]
        for at, kind in enumerate(row.kinds(len(args))):
            if kind is Kind.LANE:
                given.insert(at, integer(0))
        parts = tuple(given)
        return ir.DeviceCall(row_name, parts, tuple(map(int, template[: len(row.template)])), result)
    return None


def lifted_object(
    lifter: ExpressionLifter, symbol: ir.Symbol, constructed: source.Invoke
) -> ir.DeviceCall | None:
    """The construction of an object that has a row; None for other objects. Its name stands for its array."""
    match = OBJECT.match(str(symbol.type))
    for name, row in DEVICE_CALLS.items():
        if match is None or row.object != match["name"] or len(constructed.args) != len(row.spelled):
            continue
        args = tuple(_argument(lifter, *each) for each in zip(row.spelled, constructed.args, strict=True))
        element = SCALARS[match["element"]]
        return ir.DeviceCall(name, args, (int(match["length"]),), ir.Symbol(symbol.name, ir.Pointer(element)))
    return None


def _argument(lifter: ExpressionLifter, kind: Kind, argument: ir.Expression) -> ir.Expression:
    match kind:
        case Kind.ARRAY:
            return lifter.whole(argument)
        case Kind.PLACE:
            return ir.Load(*lifter.pointer(argument))
        case Kind.ELEMENT:
            return _addressed(lifter, argument)
        case Kind.ROW:
            if isinstance(argument, source.Invoke):
                return lifter.row_view(argument)
            return ir.View(*lifter.pointer(argument), integer(1))
    return lifter.value(argument)


def _addressed(lifter: ExpressionLifter, address: ir.Expression) -> ir.Load:
    """The element whose address is given."""
    assert isinstance(address, source.AddressOf)
    element = lifter.value(address.element)
    assert isinstance(element, ir.Load)
    return element
