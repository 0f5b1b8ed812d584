# SPDX-License-Identifier: Apache-2.0
"""The kernel language as text, for people: one line a statement, prefix expressions with their types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir.space import Space


def text(kernel: ir.Kernel) -> str:
    """A kernel, its declarations and its body."""
    head = [f"kernel {kernel.name} over {_space(kernel.space)}"]
    for field in kernel.fields:
        components = f"({field.components})" if field.components else ""
        head.append(f"  field {field.name}: {field.type}{components}[{field.rank}D] {field.layout}")
    head += [f"  parameter {symbol.name}: {symbol.type}" for symbol in kernel.parameters]
    head += [f"  output {symbol.name}: {symbol.type}" for symbol in kernel.outputs]
    return "\n".join([*head, *lines(kernel.body, "  ")])


def _space(space: Space) -> str:
    if space.is_box:
        colours = f" in {space.colours} colours" if space.colours > 1 else ""
        lanes = f", {space.interleave} lanes" if space.interleave > 1 else ""
        cells = f", {space.fixed_nx} along x" if space.fixed_nx else ""
        walls = f", walls {' '.join(space.walls)}" if space.walls else ""
        return f"dense {space.dimensions}D{colours}{lanes}{cells}{walls}"
    if space.packs:
        return f"boxes {space.dimensions}D"
    if space.box:
        return f"cells {space.name} of a box {space.box}D"
    return f"sparse {space.name}{' (listed)' if space.listed else ''}"


def lines(body: Sequence[ir.Statement], indent: str = "") -> Iterator[str]:
    """Statements, one line each, inner ones indented."""
    for statement in body:
        yield from (indent + line for line in _statement(statement))
        inner = getattr(statement, "body", None)
        if inner is not None:
            yield from lines(inner, indent + "  ")
            if isinstance(statement, (ir.Scan, ir.While)) and statement.carried:
                updates = ", ".join(
                    f"{s.name} = {expression(v)}"
                    for s, v in zip(statement.carried, statement.update, strict=True)
                )
                yield f"{indent}  carry {updates}"
            yield indent + "}"


def _statement(statement: ir.Statement) -> Iterator[str]:
    match statement:
        case ir.Comment(words):
            yield from (f"# {line}" for line in words.splitlines())
        case ir.Let(symbol, value):
            yield f"let {symbol.name}: {symbol.type} = {expression(value)}"
        case ir.Var(symbol, value):
            yield f"var {symbol.name}: {symbol.type}" + (f" = {expression(value)}" if value else "")
        case ir.Assign(symbol, value):
            yield f"assign {symbol.name} = {expression(value)}"
        case ir.Store(target, value, nontemporal):
            yield f"store{' nontemporal' if nontemporal else ''} {expression(target)} = {expression(value)}"
        case ir.Reduce(operation, output, value):
            yield f"reduce {operation} {output.name} with {expression(value)}"
        case ir.If(condition, _, wall):
            yield f"if{' wall' if wall else ''} {expression(condition)} {{"
        case ir.Loop(kind, counter, begin, end, step):
            yield (
                f"loop {kind} {counter.name} in [{expression(begin)}, "
                f"{expression(end)}) by {expression(step)} {{"
            )
        case ir.Scan(axis, reverse, carried, initial):
            yield f"scan {'xyz'[axis]}{' reversed' if reverse else ''}{_start(carried, initial)} {{"
        case ir.While(_, at_most, condition, carried, initial):
            yield f"while {expression(condition)} at most {at_most}{_start(carried, initial)} {{"
        case ir.Local(symbol, length, space):
            yield f"local {symbol.name}: {symbol.type}[{length}] {space}"
        case ir.DeviceCall(name, args, template, result):
            given = f"{result.name} = " if result else ""
            numbers = f"[{', '.join(map(str, template))}]" if template else ""
            yield f"{given}{name}{numbers}({', '.join(map(_argument, args))})"


def _start(carried: Sequence[ir.Symbol], initial: Sequence[ir.Expression]) -> str:
    """What is carried from the start on."""
    pairs = zip(carried, initial, strict=True)
    return (" from " if carried else "") + ", ".join(f"{s.name} = {expression(v)}" for s, v in pairs)


def _argument(value: ir.Expression) -> str:
    """An argument of a device call; elements are given by their addresses."""
    return f"{'&' if isinstance(value, (ir.Load, ir.Access)) else ''}{expression(value)}"


def expression(value: ir.Expression) -> str:
    """An expression in prefix form."""
    match value:
        case ir.Const(number, scalar):
            return f"{number}:{scalar}"
        case ir.Symbol(name):
            return name
        case ir.Access(field, offsets, component):
            entries = [*offsets, *([component] if field.components else [])]
            return f"{field.name}[{', '.join(map(str, entries))}]{_through(value)}"
        case ir.IsWallLink(field, offsets, component):
            return f"walled({field.name}[{', '.join(map(str, (*offsets, component)))}]{_through(value)})"
        case ir.Gather(field, position, component):
            return f"{field.name}.gather({', '.join(expression(p) for p in (*position, component))})"
        case ir.Load(pointer, index):
            return f"{pointer.name}[{expression(index)}]"
        case ir.View(pointer, offset, stride):
            return f"view {pointer.name} + {expression(offset)} by {expression(stride)}"
        case ir.Cast(inner, scalar):
            return f"{scalar}({expression(inner)})"
        case ir.Select(condition, yes, no, both):
            parts = ", ".join(map(expression, (condition, yes, no)))
            return f"{'choose' if both else 'select'}({parts})"
        case ir.Op(name, args) | ir.Call(name, args):
            return f"{name}({', '.join(expression(argument) for argument in args)})"
    raise AssertionError(value)


def _through(element: ir.Access | ir.IsWallLink) -> str:
    if not element.through:
        return ""
    number = "" if element.at is None else f" at {expression(element.at)}"
    return f" seen from [{', '.join(map(str, element.through))}]{number}"


def offsets_text(offsets: Sequence[int]) -> str:
    """Offsets as a reader writes them: `[-1, 0, 0]`."""
    return "[" + ", ".join(str(offset) for offset in offsets) + "]"
