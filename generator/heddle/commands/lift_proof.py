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

from heddle.commands.lift_witness import Agreement, shortened, witnessed
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.ir.visit import statements, transform, walk
from heddle.lift.front_end import read
from heddle.lift.kernels import lifted
from heddle.lift.lifted import Lifted
from heddle.lift.loop_nests import one_repetition
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

    First as they stand. Where that does not show them equal, both run on the same memory: a difference ends
    the proof, and where there is none the comparison over cells may decide. Raises KernelError where no
    comparison can be made.
    """
    body, repeated = one_repetition(loop.body)
    loop = dataclasses.replace(loop, body=body)
    found = _compared(loop, kernels, target, folder, chosen)
    if isinstance(found, Proof) and repeated:
        once = " and ".join(f"'{counter}'" for counter in repeated)
        return dataclasses.replace(found, detail=f"one iteration of the loop over {once}; {found.detail}")
    return found


def _compared(
    loop: Lifted, kernels: Sequence[Recovered], target: str, folder: Path, chosen: str
) -> Proof | Counterexample:
    """What `proof` says of a loop that no other one repeats."""
    many = len(kernels) > 1
    texts = [_generated(each.kernel.name, target, folder, chosen) for each in kernels]

    def called(boxes: Sequence[Recovered]) -> Body:
        numbered = enumerate(zip(texts, boxes, strict=True), 1)
        return tuple(s for n, (text, each) in numbered for s in bound(text, each, f"_{n}" if many else ""))

    parameters = tuple(p.symbol for p in loop.parameters if isinstance(p.symbol.type, ir.Scalar))
    generated = called(kernels)
    both = (initialised(loop.body), generated)
    mine, theirs = (ir.Kernel(loop.name, (), parameters, Dense(0), body) for body in both)
    direct = _direct(mine, theirs, kernels)
    if isinstance(direct, Proof) and direct.tier == "structural":
        return direct
    short, boxes = shortened(loop.body, kernels)
    seen = witnessed(short, called(boxes), boxes)
    if isinstance(seen, Counterexample):
        return seen
    if seen.runs and (over_cells := _over_cells(loop, kernels, generated, seen)) is not None:
        return over_cells
    if isinstance(direct, KernelError):
        raise direct
    if isinstance(direct, Proof) and direct.tier == "numeric":
        return Counterexample(f"nothing but runs supports it: {direct.detail}")
    return direct


def _direct(
    mine: ir.Kernel, theirs: ir.Kernel, kernels: Sequence[Recovered]
) -> Proof | Counterexample | KernelError:
    """What comes of comparing loop and kernel as they stand. A box of fixed size would be written out cell by
    cell, so it is not compared like this."""
    if any(extent.constant is not None for each in kernels for extent in each.extents):
        return KernelError(mine.name, "a box of fixed size is compared over cells only.")
    try:
        return equivalent(mine, theirs)
    except KernelError as error:
        return error


def _over_cells(loop: Lifted, kernels: Sequence[Recovered], generated: Body, seen: Agreement) -> Proof | None:
    """A proof by way of cells, where loops over memory are too different to compare: the generated kernel is
    recovered, too, and compared with what was recovered from the loop. That a loop was recovered rightly is
    what the runs say, so bits are claimed only where the runs compared all of them."""
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
    if last.tier == "structural" and not seen.whole:
        return None
    detail = f"compared over cells, the same in {seen.runs} runs; {last.detail}"
    return dataclasses.replace(last, detail=detail.rstrip("; "))


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
    given = [*values.values(), *lines]
    hidden = {n.name for value in given for n in walk(value) if isinstance(n, ir.Symbol)}
    inner = {s.counter for s in statements(body) if isinstance(s, (ir.Loop, ir.While))}
    inner |= {s.symbol for s in statements(body) if isinstance(s, (ir.Let, ir.Var))}
    apart = {s: ir.Symbol(f"{s.name}_of_cells", s.type) for s in inner if s.name in hidden}
    body = tuple(transform(statement, lambda node: apart.get(node, node)) for statement in body)
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
        elif isinstance(statement, (ir.Loop, ir.If, ir.While)):
            statement = dataclasses.replace(statement, body=initialised(statement.body))
        result.append(statement)
    return tuple(result)
