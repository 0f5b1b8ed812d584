# SPDX-License-Identifier: Apache-2.0
"""A function of a record as text: one line a statement, expressions in prefix form with every conversion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from heddle.ir import nodes as ir
from heddle.ir import source


def dump(function: source.Function, functions: Mapping[str, source.Function] | None = None) -> list[str]:
    """The signature and the body. functions: by key, those that calls may name."""
    writer = _Writer(functions or {})
    return [writer.signature(function), *writer.block(function.body)]


def dump_statements(
    body: Sequence[ir.Statement], functions: Mapping[str, source.Function] | None = None
) -> list[str]:
    """Statements only."""
    return list(_Writer(functions or {}).block(body))


class _Writer:
    def __init__(self, functions: Mapping[str, source.Function]) -> None:
        self.functions = functions

    def signature(self, function: source.Function) -> str:
        parameters = ", ".join(
            f"{p.symbol.type}{' restrict' if p.restrict else ''}{'&' if p.reference else ''} {p.symbol.name}"
            for p in function.parameters
        )
        return f"{function.result} {instance_name(function.name, function.template)}({parameters})"

    def block(self, body: Sequence[ir.Statement]) -> Iterator[str]:
        for statement in body:
            yield from self.statement(statement)

    def statement(self, statement: ir.Statement) -> Iterator[str]:
        match statement:
            case source.Declaration(symbol, value, constant, space, reference, alignment):
                marks = f"{space + ' ' if space else ''}{'const ' if constant else ''}"
                aligned = f"alignas({alignment}) " if alignment else ""
                start = f" = {self.expression(value)}" if value is not None else ""
                yield f"{marks}{aligned}{symbol.type}{'&' if reference else ''} {symbol.name}{start}"
            case source.Assignment(target, value):
                yield f"{self.expression(target)} = {self.expression(value)}"
            case source.Branch(condition, yes, no):
                yield f"if {self.expression(condition)} {{"
                yield from self.block(yes)
                if no:
                    yield "} else {"
                    yield from self.block(no)
                yield "}"
            case source.For(start, condition, step, body, pragma):
                if pragma:
                    yield f"#pragma {pragma}"
                parts = "; ".join(
                    [
                        ", ".join(self.block(start)),
                        self.expression(condition) if condition else "",
                        ", ".join(self.block(step)),
                    ]
                )
                yield f"for ({parts}) {{"
                yield from self.block(body)
                yield "}"
            case source.Block(body):
                yield "{"
                yield from self.block(body)
                yield "}"
            case source.Exit(kind, value):
                yield kind + (f" {self.expression(value)}" if value is not None else "")
            case source.Evaluate(value):
                yield self.expression(value)
            case source.UnknownStatement(reason, inside=inside):
                yield f"unknown: {reason}{' {' if inside else ''}"
                yield from self.block(inside)
                if inside:
                    yield "}"
            case _:
                raise AssertionError(statement)

    def expression(self, value: ir.Expression) -> str:
        match value:
            case ir.Const(number, scalar):
                return f"{str(number).lower() if isinstance(number, bool) else number}:{scalar}"
            case ir.Symbol(name):
                return name
            case ir.Op(name, args):
                return f"{name}({self.listed(args)})"
            case ir.Cast(inner, scalar):
                return f"{scalar}({self.expression(inner)})"
            case ir.Select(condition, yes, no):
                return f"select({self.listed((condition, yes, no))})"
            case source.Subscript(base, index):
                return f"{self.expression(base)}[{self.expression(index)}]"
            case source.AddressOf(element):
                return f"&{self.expression(element)}"
            case source.Member(base, name):
                return f"{self.expression(base)}.{name}"
            case source.Initializer(entries):
                return f"{{{self.listed(entries)}}}"
            case source.Invoke(key, template, args):
                called = self.functions.get(key)
                if called is not None:
                    key, template = called.name, called.template
                return f"{instance_name(key, template)}({self.listed(args)})"
            case source.Unknown(reason):
                return f"<{reason}>"
        raise AssertionError(value)

    def listed(self, values: Sequence[ir.Expression]) -> str:
        return ", ".join(self.expression(value) for value in values)


def instance_name(name: str, template: Sequence[object]) -> str:
    """The name of a function with its template arguments."""
    arguments = ", ".join(str(int(a)) if isinstance(a, bool) else str(a) for a in template)
    return f"{name}<{arguments}>" if arguments else name
