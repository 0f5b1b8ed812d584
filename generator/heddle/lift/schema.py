# SPDX-License-Identifier: Apache-2.0
"""The record's schema for heddle-lift: C++ builder functions from the Python classes, the one definition.

`python -m heddle.lift.schema` prints generator/lift/nodes.hpp; a test keeps the committed file up to date. A
node is a function of its name that returns the JSON text which `heddle.ir.json` reads: parts in their
order, defaults as in Python.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.functions import OPERATORS
from heddle.ir.hash_consing import Node
from heddle.lift.diagnostics import REASONS, SITUATIONS

_NODES: tuple[type[Node], ...] = (
    *(ir.Pointer, ir.Const, ir.Symbol, ir.Op, ir.Select, ir.Cast),
    *(
        cls
        for cls in vars(source).values()
        if isinstance(cls, type) and issubclass(cls, Node) and cls.__module__ == source.__name__
    ),
)
_TYPES = (ir.Pointer, source.Array, source.PointerTo, source.Record, source.Void)

# A Python annotation: the C++ parameter.
_PARAMETERS = {
    "Any": "const Type&",
    "Expression": "const Expression&",
    "Expression | None": "const std::optional<Expression>&",
    "Node": "const Node&",
    "Place": "const Place&",
    "Scalar": "const Type&",
    "Scalar | None": "const Type&",
    "Symbol": "const Expression&",
    "Type | None": "const Type&",
    "bool": "bool",
    "int": "std::int64_t",
    "int | float | Fraction | bool": "const Number&",
    "str": "std::string_view",
    "tuple[Any, ...]": "const std::vector<Node>&",
    "tuple[Declaration, ...]": "const std::vector<Statement>&",
    "tuple[Expression, ...]": "const std::vector<Expression>&",
    "tuple[Function, ...]": "const std::vector<Node>&",
    "tuple[FunctionParameter, ...]": "const std::vector<Node>&",
    "tuple[Statement, ...]": "const std::vector<Statement>&",
    "tuple[int, ...]": "const std::vector<std::int64_t>&",
    "tuple[tuple[str, Expression], ...]": "const std::vector<std::pair<std::string, Expression>>&",
}

_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Written by `python -m heddle.lift.schema` from heddle.ir.source and heddle.ir.nodes: do not edit.
#ifndef HEDDLE_LIFT_NODES_HPP
#define HEDDLE_LIFT_NODES_HPP
// clang-format off

#include "json.hpp"

namespace heddle::lift::record {
"""
_TAIL = """\
}  // namespace heddle::lift::record

#endif
"""


def header() -> str:
    """The text of generator/lift/nodes.hpp."""
    return "\n".join((_HEAD, *map(_builder, _NODES), *_tables(), _TAIL))


def _builder(cls: type[Node]) -> str:
    about = " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())
    parameters, parts = [], [f'return {{{{Object("{cls.__name__}")']
    for part in dataclasses.fields(cls):  # type: ignore[arg-type]
        parameters.append(f"{_parameter(str(part.type))} {_name(part.name)}{_default(part)}")
        parts.append(f'.part("{part.name}", {_name(part.name)})')
    head = f"inline {_category(cls)} {cls.__name__}("
    return "\n".join(
        (
            textwrap.fill(about, 106, initial_indent="/// ", subsequent_indent="/// "),
            _wrapped(head, ", ", parameters, ") {"),
            _wrapped("  ", "", parts, ".text()}};"),
            "}",
            "",
        )
    )


def _wrapped(head: str, separator: str, pieces: Sequence[str], tail: str) -> str:
    """Pieces on as few lines as have room for them, aligned after the head."""
    lines, line = [], head
    for number, piece in enumerate(pieces):
        text = piece + (separator if number < len(pieces) - 1 else tail)
        if len(line) + len(text.rstrip()) > 110:
            lines.append(line.rstrip())
            line = " " * (len(head) if separator else 6)
        line += text
    return "\n".join((*lines, line if pieces else head + tail))


def _category(cls: type[Node]) -> str:
    """What the C++ side tells apart."""
    for category in (ir.Expression, ir.Statement):
        if issubclass(cls, category):
            return category.__name__
    return "Type" if cls in _TYPES else "Node"


def _parameter(annotation: str) -> str:
    return "std::string_view" if annotation.startswith("Literal[") else _PARAMETERS[annotation]


def _default(part: dataclasses.Field[object]) -> str:
    match part.default:
        case bool() as value:
            return f" = {str(value).lower()}"
        case int() as value:
            return f" = {value}"
        case str() as value:
            return f' = "{value}"'
        case Place() as place:
            return f' = Place{{"{place.file}", {place.line}}}'
        case tuple() | None:
            return " = {}"
    return ""


def _name(name: str) -> str:
    """A Python name that is no C++ keyword."""
    return f"{name}_" if name in ("const", "template") else name


def _tables() -> Iterator[str]:
    yield "/// Clang's spelling of an operator, arity and the record's name of it."
    yield "inline constexpr struct {\n  std::string_view spelling;\n  int arity;\n  std::string_view name;"
    yield "} operators[] = {"
    for name, operator in OPERATORS.items():
        yield f'    {{"{operator.spelling}", {1 if operator.precedence == 15 else 2}, "{name}"}},'
    yield "};\n\n/// Clang's classes that are not translated, and what they are called."
    yield "inline constexpr struct {\n  std::string_view kind;\n  std::string_view noun;\n} reasons[] = {"
    for kind, noun in sorted(REASONS.items()):
        yield f'    {{"{kind}", "{noun}"}},'
    yield "};\n\nnamespace situation {"
    for name, noun in sorted(SITUATIONS.items()):
        yield f'inline constexpr std::string_view {name} = "{noun}";'
    yield "}  // namespace situation\n"


if __name__ == "__main__":
    sys.stdout.write(header())
