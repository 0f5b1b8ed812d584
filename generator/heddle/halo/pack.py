# SPDX-License-Identifier: Apache-2.0
"""The kernels that pack what crosses into a message buffer, and unpack it on the other side.

They are the same for every pattern and direction: which boxes of which components cross, or which elements of
fields over lists, is in the tables that they are given. All fields and directions are one call, on CUDA one
launch.
"""

from __future__ import annotations

from collections.abc import Sequence

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.build import integer, operate
from heddle.ir.layout import ENTRIES, OVER_LIST
from heddle.ir.pack_table import COLUMNS, COUNT, LONGEST, TABLE
from heddle.ir.space import PackRegions, Sparse
from heddle.ir.unique_names import with_free_counters
from heddle.ir.verify import verify

_OWN_NAMES = {
    "buffer",
    "boxes",
    "box",
    "box_count",
    "longest",
    "place",
    "row",
    "cell",
    "n",
    "x",
    "y",
    "z",
    *COLUMNS,
}
_OWN_NAMES_OF_LISTS = {"buffer", "which", "cells", "cell_count"}


def check_fields(fields: Sequence[ir.Field], place: Place) -> None:
    """Raises KernelError where the fields of an exchange cannot share a buffer, or have names that the
    kernels use."""
    taken = _OWN_NAMES if fields[0].dense else _OWN_NAMES_OF_LISTS
    if len({field.type for field in fields}) > 1:
        kinds = ", ".join(f"'{field.name}' {field.type}" for field in fields)
        raise KernelError(
            place,
            f"the fields of one halo exchange must have one type, but these differ: {kinds}.",
            "call add_halo once for the kernels of each type",
        )
    for field in fields:
        if field.name in taken:
            raise KernelError(
                place,
                f"the pack kernels use the name '{field.name}' themselves.",
                "rename the field",
            )


def pack_kernel(
    name: str, fields: Sequence[ir.Field], value_type: ir.Scalar, unpack: bool, about: str = ""
) -> ir.Kernel:
    """The typed kernel that copies the cells of boxes of `fields` to a message buffer, or from it (unpack).

    value_type: that of the values in the message buffer; a narrower one rounds to nearest even.
    """
    rank = max(field.rank for field in fields)
    x, y, z, component, number, place = map(_index, ("x", "y", "z", "component", "field", "place"))
    there = ir.Gather(ir.Field("buffer", value_type, 1, 0, 0, ENTRIES), (place,), integer(0))
    body: list[ir.Statement] = []
    for which, field in enumerate(fields):
        here = ir.Gather(field, (x, y, z)[: field.rank], component if field.components else integer(0))
        target, value = (here, there) if unpack else (there, here)
        converted = value if value.type == target.type else ir.Cast(value, target.type)
        store = ir.Store(target, converted)
        alone = len(fields) == 1
        body.append(store if alone else ir.If(operate("eq", number, integer(which)), (store,)))
    kernel = ir.Kernel(
        name, (*fields, TABLE, there.field), (COUNT, LONGEST), PackRegions(rank), tuple(body), (), about
    )
    return verify(kernel, "symbolic")


def list_pack_kernel(
    name: str, fields: Sequence[ir.Field], value_type: ir.Scalar, unpack: bool, about: str = ""
) -> ir.Kernel:
    """The typed kernel that copies listed elements of `fields` to a message buffer, or from it (unpack).

    An element of a field over a list is numbered as in its table of neighbours, with all components in one
    row: such numbers are the listed cells. which: for each entry of the message buffer the number of the
    field; entries of no field lie between messages. value_type: as in pack_kernel.
    """
    there = ir.Access(ir.Field("buffer", value_type, 0, 0, 0, ENTRIES), ())
    which = ir.Access(ir.Field("which", ir.U8, 0, 0, 0, ENTRIES), ())
    flat = [ir.Field(field.name, field.type, field.rank, 0, 0, OVER_LIST) for field in fields]
    body: list[ir.Statement] = []
    for number, field in enumerate(flat):
        here = ir.Access(field, (0,) * field.rank)
        target, value = (here, there) if unpack else (there, here)
        converted = value if value.type == target.type else ir.Cast(value, target.type)
        belongs = operate("eq", which, ir.Const(number, ir.U8))
        body.append(ir.If(belongs, (ir.Store(target, converted),)))
    space = Sparse("elements", listed=True)
    kernel = ir.Kernel(name, (*flat, which.field, there.field), (), space, tuple(body), (), about)
    return verify(with_free_counters(kernel), "symbolic")


def _index(name: str) -> ir.Symbol:
    return ir.Symbol(name, ir.I64)
