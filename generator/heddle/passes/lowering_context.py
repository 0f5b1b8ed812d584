# SPDX-License-Identifier: Apache-2.0
"""What lower_accesses knows while it works: the kernel, its arguments, and what has been named so far."""

from __future__ import annotations

from heddle.ir.build import add, integer, multiply
from heddle.ir.device_calls import is_row_reduction, parts_of
from heddle.ir.layout import STRIDED
from heddle.ir.nodes import (
    I64,
    Access,
    Call,
    Expression,
    Field,
    Gather,
    Kernel,
    Let,
    Load,
    Pointer,
    Statement,
    Store,
    Symbol,
)
from heddle.ir.target import Target
from heddle.ir.visit import statements
from heddle.passes.apply_schedule import AXES

_COMPASS = {1: ("s", "n"), 2: ("b", "t")}


class LoweringContext:
    """head: extents and strides, named on demand. views: rows by field, component and offset across them.
    links: what has been read from a neighbour table. sides: at which walls the current cell lies. pending:
    what has to be named before the statement that is being lowered. unit, alike: see unit_stride and
    same_strides of heddle.ir.schedule.Threads. component_stride: of CpuSchedule there."""

    def __init__(
        self, kernel: Kernel, target: Target, unit: bool, alike: bool, component_stride: int
    ) -> None:
        self.kernel, self.target, self.unit, self.alike = kernel, target, unit, alike
        self.component_stride = component_stride
        self.space = kernel.space
        self.written = {
            node.target.field
            for node in statements(kernel.body)
            if isinstance(node, Store) and isinstance(node.target, (Access, Gather))
        }
        self.written |= {
            element.field
            for node in statements(kernel.body)
            if is_row_reduction(node) and isinstance(element := parts_of(node)["first"], Gather)
        }
        self.head: dict[Symbol, Let] = {}
        self.views: dict[tuple[Field, int, tuple[int, ...]], Symbol] = {}
        self.here: dict[Field, Symbol] = {}
        self.links: dict[tuple[object, ...], Symbol] = {}
        self.sides: dict[str, Symbol] = {}
        self.row_axis = 0
        self.position: Expression = Symbol("x", I64)
        self.pending: list[Statement] = []

    def pointer(self, field: Field) -> Symbol:
        return Symbol(field.name, Pointer(field.type, field not in self.written))

    def extent(self, axis: int, split: bool = False) -> Symbol:
        """The number of cells along an axis; `split`: of one colour along x."""
        symbol = Symbol("n_i" if split else f"n_{AXES[axis]}", I64)
        either = axis > 0
        known = [f for f in self.kernel.fields if f.dense and (either or f.layout.split == split)]
        if not known:  # all fields are split
            self.head[symbol] = Let(symbol, multiply(integer(2), self.extent(0, split=True)))
            return symbol
        reference = max(known, key=lambda field: field.rank)  # the first one that is no plane
        return self.argument(symbol, f"{reference.name}_extent", axis)

    def stride(self, field: Field, axis: int) -> Expression:
        """Element stride along axis 0, 1, 2, or along the components for axis = rank."""
        if axis == 0 and self.unit:
            return integer(1)
        if axis == 0 and self.target.threads and self.space.interleave > 1:
            return integer(self.space.interleave)  # interleaved blocks: see vectorise_interleaved_blocks
        if axis == field.rank and self.component_stride and field.layout == STRIDED:
            return integer(self.component_stride)
        owner = field
        if self.is_shared(field, axis):
            owner = next(f for f in self.kernel.fields if f.numbered_with(self.space))
        return self.argument(self.stride_symbol(field, axis), f"{owner.name}_stride", axis)

    def stride_symbol(self, field: Field, axis: int) -> Symbol:
        """What a stride that is an argument is called."""
        label = "q" if axis == field.rank else AXES[axis]
        return Symbol(f"stride_{label}" if self.is_shared(field, axis) else f"{field.name}_s{label}", I64)

    def is_shared(self, field: Field, axis: int) -> bool:
        """Whether a stride is that of all fields whose elements one number of a cell tells."""
        return self.alike and axis < field.rank and field.numbered_with(self.space)

    def slot_stride(self, field: Field) -> Symbol:
        return self.argument(Symbol(f"{field.name}_sq", I64), f"{field.name}_stride", 1)

    def argument(self, symbol: Symbol, array: str, index: int) -> Symbol:
        if symbol not in self.head:
            self.head[symbol] = Let(symbol, Load(Symbol(array, Pointer(I64, True)), integer(index)))
        return symbol

    def component_label(self, field: Field, component: int, line: str) -> str:
        if not field.components:
            return f"{field.name}_{line}"
        return f"{field.name}_{field.component_name(component)}_{line}"

    def checked(self, field: Field, axis: int, where: Expression) -> Expression:
        """On the reference target every index is tested against the field and its ghost layers."""
        if not self.target.checked:
            return where
        lower = integer(-field.ghost_layers)
        extent = Symbol("n_i" if field.layout.split and axis == 0 else f"n_{AXES[axis]}", I64)
        if field.layout.other_grid:
            symbol = Symbol(f"{field.name}_n{AXES[axis]}", I64)
            extent = self.argument(symbol, f"{field.name}_extent", axis)
        upper = add(extent, integer(field.ghost_layers))
        return Call("within", (where, lower, upper), I64)


def compass(offsets: tuple[int, ...]) -> str:
    """`_n`, `_bs`, `_t2`: where a row lies, seen from the own one; x counts as `_e` and `_w` (rows along
    another axis)."""
    letters = ""
    for axis in reversed(range(len(offsets))):
        d = offsets[axis]
        if d:
            pair = _COMPASS.get(axis, ("w", "e"))
            letters += pair[d > 0] + (str(abs(d)) if abs(d) > 1 else "")
    return f"_{letters}" if letters else ""
