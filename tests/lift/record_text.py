# SPDX-License-Identifier: Apache-2.0
"""The record as text that fits into a test: one line a statement, expressions in prefix form with the type of
each operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.ir import nodes as ir
from heddle.ir import source


def body_text(function: source.Function) -> list[str]:
    """The statements of a function."""
    return list(_block(function.body, ""))


def signature_text(function: source.Function) -> str:
    """Everything but the statements."""
    parameters = ", ".join(
        f"{parameter.symbol.type}{' restrict' * parameter.restrict}{'&' * parameter.reference} "
        f"{parameter.symbol.name}"
        for parameter in function.parameters
    )
    initialisers = "".join(f" {name}({expression_text(value)})" for name, value in function.initialisers)
    return f"{function.kind} {function.key} = {function.result} {function.name}({parameters}){initialisers}"


def statement_text(statement: ir.Statement) -> list[str]:
    """One statement and what is in it."""
    return list(_block((statement,), ""))


def _block(body: Sequence[ir.Statement], indent: str) -> Iterator[str]:
    inner = indent + "  "
    for statement in body:
        match statement:
            case source.Declaration(symbol, value, constant, space, reference, alignment):
                words = ["const"] * constant + [space] * bool(space) + [f"align{alignment}"] * bool(alignment)
                words.append(f"{symbol.type}{'&' * reference} {symbol.name}")
                yield indent + " ".join(words) + ("" if value is None else f" = {expression_text(value)}")
            case source.Assignment(target, value, updates):
                yield f"{indent}{expression_text(target)} {'updated' * updates}= {expression_text(value)}"
            case source.Branch(condition, yes, no):
                yield f"{indent}if {expression_text(condition)}"
                yield from _block(yes, inner)
                if no:
                    yield f"{indent}else"
                    yield from _block(no, inner)
            case source.For(start, condition, step, statements, pragma):
                if pragma:
                    yield f"{indent}pragma {pragma!r}"
                yield f"{indent}for {'' if condition is None else expression_text(condition)}"
                yield from (f"{indent}  start {line}" for line in _block(start, ""))
                yield from (f"{indent}  step {line}" for line in _block(step, ""))
                yield from _block(statements, inner)
            case source.Block(statements):
                yield f"{indent}block"
                yield from _block(statements, inner)
            case source.Exit(kind, value):
                yield indent + kind + ("" if value is None else f" {expression_text(value)}")
            case source.Evaluate(value):
                yield indent + expression_text(value)
            case source.UnknownStatement(reason):
                yield f"{indent}?{reason}"
            case _:
                raise TypeError(type(statement))


def expression_text(expression: ir.Expression) -> str:
    """One expression; `?reason` for an unknown one."""

    def listed(entries: Sequence[ir.Expression]) -> str:
        return ", ".join(map(expression_text, entries))

    match expression:
        case ir.Symbol(name):
            return name
        case ir.Const(value, kind):
            return f"{value}:{kind}"
        case ir.Op(name, args, kind):
            return f"{name}.{kind}({listed(args)})"
        case ir.Select(condition, yes, no):
            return f"select({listed((condition, yes, no))})"
        case ir.Cast(value, kind):
            return f"{kind}({expression_text(value)})"
        case source.Subscript(base, index):
            return f"{expression_text(base)}[{expression_text(index)}]"
        case source.AddressOf(element):
            return f"&{expression_text(element)}"
        case source.Member(owner, name):
            return f"{expression_text(owner)}.{name}"
        case source.Invoke(function, _, args):
            return f"<{function}>({listed(args)})"
        case source.Initializer(entries):
            return f"{{{listed(entries)}}}"
        case source.Unknown(reason):
            return f"?{reason}"
    raise TypeError(type(expression))
