# SPDX-License-Identifier: Apache-2.0
"""Whether the files generated from a lifted loop do what the loop did: both are read from their text, and
`heddle.roundtrip.compare` compares them.

The generated kernel gets what a caller of it would pass in place of the loop: the address of the first
interior cell, extents and strides, all in terms of the loop's own arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.visit import statements, transform
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.lifted import Lifted
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.recovered import Recovered
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from heddle.roundtrip.entry import spelled
from heddle.roundtrip.report import flags

Body = tuple[ir.Statement, ...]


def proof(
    loop: Lifted,
    kernels: Sequence[Recovered],
    target: str,
    folder: Path,
    chosen: str,
) -> Proof | Counterexample:
    """Compare a loop with the kernels generated from it. folder: where the files of the module lie. chosen:
    the module's precision.

    Raises KernelError where the comparison cannot be made.
    """
    many = len(kernels) > 1
    bodies = [
        bound(
            _generated(each.kernel.name, target, folder, chosen),
            each,
            f"_{number}" if many else "",
        )
        for number, each in enumerate(kernels, 1)
    ]
    parameters = tuple(p.symbol for p in loop.parameters if isinstance(p.symbol.type, ir.Scalar))
    generated = tuple(statement for body in bodies for statement in body)
    both = (initialised(loop.body), generated)
    mine, theirs = (ir.Kernel(loop.name, (), parameters, Dense(0), body) for body in both)
    fixed = any(extent.constant is not None for each in kernels for extent in each.extents)
    over_cells = _over_cells(loop, kernels, generated) if fixed else None  # a fixed box would be written out
    if over_cells is not None:
        return over_cells
    found = equivalent(mine, theirs)
    if isinstance(found, Proof) and found.tier == "structural":
        return found
    return _over_cells(loop, kernels, generated) or found


def _over_cells(loop: Lifted, kernels: Sequence[Recovered], generated: Body) -> Proof | None:
    """A proof by way of cells, where loops over memory are too different to compare: the generated kernel is
    recovered, too, and compared with what was recovered from the loop."""
    try:
        back = raise_accesses(dataclasses.replace(loop, body=generated))
    except KernelError:
        return None
    if len(back) != len(kernels):
        return None
    last: Proof | None = None
    for mine, theirs in zip(kernels, back, strict=True):
        if (mine.extents, mine.begins_at) != (theirs.extents, theirs.begins_at):
            return None
        found = equivalent(mine.kernel, dataclasses.replace(theirs.kernel, name=mine.kernel.name))
        if not isinstance(found, Proof) or found.tier == "numeric":
            return None
        if last is None or found.tier == "algebraic":
            last = found
    assert last is not None
    return dataclasses.replace(last, detail=f"compared over cells; {last.detail}".rstrip("; "))


def _generated(name: str, target: str, folder: Path, chosen: str) -> Lifted:
    """A generated kernel, read from its text; for any stride along x."""
    path = folder / f"{name}{TARGETS[target].files[-1]}"
    unit = read(path, flags())
    own, real = f"{name}_{precision(chosen).suffix}", spelled(precision(chosen).arithmetic)
    instances = {own: ((), (0,)), f"{name}_kernel": ((real,), (0, real))}
    found = [f for f in unit.functions if f.template in instances.get(f.name.rsplit("::", 1)[-1], ())]
    if len(found) != 1:
        raise KernelError(path.name, f"expected exactly one function {own}.")
    return lifted(unit, found[0].key)


def bound(generated: Lifted, recovered: Recovered, suffix: str = "") -> Body:
    """The body of a generated kernel with what a caller passes in it. suffix: for names that it declares."""
    values: dict[Node, ir.Expression] = {}
    lines: list[ir.Statement] = []
    pointers = {p.symbol.name: p.symbol for p in generated.parameters}
    for axis, extent in enumerate(recovered.extents):
        values[ir.Symbol(f"n_{'xyz'[axis]}", ir.I64)] = extent.expression()
    for field in recovered.kernel.fields:
        placement = recovered.placements.get(field.name)
        strides: list[ir.Expression] = [integer(1)]
        if placement:
            strides = [stride.expression() for stride in placement.strides]
        if placement and placement.size:
            strides.append(placement.component_stride.expression())
        for axis, extent in enumerate(recovered.extents):
            values[_entry(f"{field.name}_extent", axis)] = extent.expression()
        for axis, stride in enumerate(strides):
            values[_entry(f"{field.name}_stride", axis)] = stride
            end = "q" if axis == len(recovered.extents) else "xyz"[axis]
            values[ir.Symbol(f"{field.name}_s{end}", ir.I64)] = stride
        if field.name in pointers:
            own = pointers[field.name]
            named = ir.Symbol(f"{own.name}_cells{suffix}", own.type)
            first = placement.first(recovered.begins).expression() if placement else integer(0)
            values[own] = named
            lines.append(
                ir.Let(named, ir.View(ir.Symbol(recovered.sources[field.name], own.type), first, integer(1)))
            )
    for symbol in recovered.kernel.parameters:
        values[symbol] = ir.Symbol(recovered.sources[symbol.name], symbol.type)
    own_names = _argument_lets(generated.body, values)
    body = tuple(s for s in generated.body if not (isinstance(s, ir.Let) and s.symbol in own_names))
    changed = [transform(statement, lambda node: values.get(node, node)) for statement in body]
    if suffix:
        declared = {s.symbol for s in statements(body) if isinstance(s, (ir.Let, ir.Var))}
        new = {symbol: ir.Symbol(symbol.name + suffix, symbol.type) for symbol in declared}
        changed = [transform(statement, lambda node: new.get(node, node)) for statement in changed]
    return (*lines, *changed)


def _entry(array: str, index: int) -> ir.Load:
    return ir.Load(ir.Symbol(array, ir.Pointer(ir.I64, True)), integer(index))


def _argument_lets(body: Sequence[ir.Statement], values: dict[Node, ir.Expression]) -> set[ir.Symbol]:
    """The names that a generated function gives to its extents and strides."""
    return {s.symbol for s in body if isinstance(s, ir.Let) and s.symbol in values and s.value in values}


def initialised(body: Sequence[ir.Statement]) -> Body:
    """Variables without a first value begin at 0: none of them is read before it is assigned."""
    result: list[ir.Statement] = []
    for statement in body:
        if isinstance(statement, ir.Var) and statement.value is None:
            assert isinstance(statement.symbol.type, ir.Scalar)
            zero = 0.0 if statement.symbol.type.is_float else 0
            statement = ir.Var(statement.symbol, ir.Const(zero, statement.symbol.type))
        elif isinstance(statement, (ir.Loop, ir.If)):
            statement = dataclasses.replace(statement, body=initialised(statement.body))
        result.append(statement)
    return tuple(result)
