# SPDX-License-Identifier: Apache-2.0
"""Expressions of a recovered kernel as the Python of a model."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.ir.visit import walk
from heddle.lift.recovered import COORDINATES, EXTENTS

_INFIX = {"add", "sub", "mul", "div", "lt", "le", "gt", "ge"}
TESTS = {"eq": "Eq", "ne": "Ne", "and": "And", "or": "Or", "not": "Not"}
BITS = {"bitand": "bit_and", "shl": "shift_left", "rem": "remainder"}
_PLACES = {*COORDINATES, *EXTENTS}
_POWER, _ATOM, _SUM = 16, 20, 12


class Printer:
    """Writes expressions. names: what Python calls the fields and symbols of the kernel. used: the functions
    that the text needs, of SymPy and of Heddle. wide: the model computes in f64."""

    def __init__(self, names: Mapping[str, str], place: Place, wide: bool = True) -> None:
        self.names, self.place, self.wide = names, place, wide
        self.sympy: set[str] = set()
        self.heddle: set[str] = set()

    def text(self, value: ir.Expression, at_least: int = 0) -> str:
        """An expression, in parentheses if it binds less tightly than `at_least`."""
        text, precedence = self.bare(value)
        return f"({text})" if precedence < at_least else text

    def bare(self, value: ir.Expression) -> tuple[str, int]:
        match value:
            case ir.Const(number, scalar):
                text = literal(number, scalar, self.wide)
                return text, _SUM if text.startswith("-") else _ATOM
            case ir.Symbol(name):
                return self.names[name], _ATOM
            case ir.Access(field, offsets, component):
                entries = [*offsets, *([component] if field.components else [])]
                return f"{self.names[field.name]}[{', '.join(map(str, entries))}]", _ATOM
            case ir.Gather(field, position):
                where = ", ".join(self.text(entry) for entry in position)
                return f"{self.names[field.name]}.gather({where})", _ATOM
            case ir.Cast(inner, scalar):
                return self.cast(inner, scalar)
            case ir.Select():
                return self.piecewise(value), _ATOM
            case ir.Op("neg", (inner,)):
                return f"-{self.text(inner, _POWER)}", _SUM + 1
            case ir.Op("mul", (ir.Const(number, scalar), other)) if number < 0:
                positive = ir.Op("mul", (ir.Const(-number, scalar), other), value.type)
                return f"-({self.text(positive)})", _SUM + 1
            case ir.Op("div", (_, _), ir.Scalar(kind="i" | "u")):
                raise KernelError(
                    self.place,
                    "Integers are divided, which drops the remainder; a model has no such quotient.",
                    "divide numbers of type double, or pass the quotient as an argument",
                )
            case ir.Op(name, (left, right)) if name in _INFIX:
                row = OPERATORS[name]
                sides = self.text(left, row.precedence), self.text(right, row.precedence + 1)
                return f"{sides[0]} {row.spelling} {sides[1]}", row.precedence
            case ir.Op(name, args) if name in TESTS:
                return self.call(TESTS[name], args, self.sympy), _ATOM
            case ir.Op(name, args) if name in BITS:
                return self.call(BITS[name], args, self.heddle), _ATOM
            case ir.Call("pow", (base, exponent)):
                return f"{self.text(base, _POWER + 1)} ** {self.text(exponent, _POWER + 1)}", _POWER
            case ir.Call("fma", (a, b, c)):
                return f"{self.text(a, 13)} * {self.text(b, 14)} + {self.text(c, 13)}", _SUM
            case ir.Call(name, args) if FUNCTIONS[name].sympy:
                return self.call(FUNCTIONS[name].sympy, args, self.sympy), _ATOM
        kind = value.name if isinstance(value, (ir.Op, ir.Call)) else type(value).__name__
        raise KernelError(
            self.place,
            f"A model cannot express '{kind}'.",
            "rewrite this line with: " + ", ".join(row.sympy for row in FUNCTIONS.values() if row.sympy),
        )

    def call(self, name: str, args: tuple[ir.Expression, ...], needed: set[str]) -> str:
        needed.add(name)
        return f"{name}({', '.join(self.text(argument) for argument in args)})"

    def stored(self, value: ir.Expression, field: ir.Field) -> str:
        """A value that is stored: storing converts it to the type of the field."""
        while isinstance(value, ir.Cast) and value.type == field.type and not _truncates(value):
            value = value.value
        return self.text(value)

    def cast(self, inner: ir.Expression, scalar: ir.Scalar) -> tuple[str, int]:
        """Conversions are made where types meet; one that drops digits has to be said."""
        if inner.type == ir.BOOL and scalar.kind != "b":
            return self.piecewise(ir.Select(inner, ir.Const(1, scalar), ir.Const(0, scalar))), _ATOM
        if inner.type.is_float:
            own = self.wide or any(
                isinstance(n, (ir.Access, ir.Gather)) and n.field.type == ir.F64 for n in walk(inner)
            )
            cut = scalar.is_float and own  # else only literals are wider than the model
        else:
            cut = scalar.bits < 32 or (scalar.bits == 32 and _exceeds(inner))
        if cut and inner.type.bits > scalar.bits:
            raise KernelError(
                self.place,
                f"A value of type {inner.type} is rounded or cut to {scalar}, which a model cannot express.",
                "keep the wider type, or store the value in an array of the narrower one",
            )
        if inner.type.is_float and not scalar.is_float:
            raise KernelError(
                self.place,
                f"A value of type {inner.type} is truncated to {scalar}, which a model cannot express.",
                "use floor where the value is not negative",
            )
        return self.bare(inner)

    def piecewise(self, select: ir.Expression) -> str:
        cases: list[str] = []
        while isinstance(select, ir.Select):
            cases.append(f"({self.text(select.yes)}, {self.text(select.condition)})")
            select = select.no
        self.sympy.add("Piecewise")
        return f"Piecewise({', '.join(cases)}, ({self.text(select)}, True))"


def _truncates(cast: ir.Cast) -> bool:
    return cast.value.type == ir.BOOL or (cast.value.type.is_float and not cast.type.is_float)


def literal(number: object, scalar: ir.Scalar | None, wide: bool = False) -> str:
    """A number as a person would write it: the shortest text that reads back the same in its type; wide: in
    f64."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return str(number)
    if not math.isfinite(number):
        raise KernelError(
            "a model", f"a model cannot express the number {number}.", "remove it, or pass it as an argument"
        )
    if isinstance(number, int) or (number == int(number) and abs(number) < 1e15):
        return str(int(number))
    if scalar == ir.F32 and not wide:
        for digits in range(1, 10):
            text = f"{number:.{digits}g}"
            if struct.unpack("f", struct.pack("f", float(text)))[0] == number:
                return repr(float(text))
    return repr(number)


def _exceeds(value: ir.Expression) -> bool:
    """Whether an integer may need more than 32 bits: it reads 64, or a larger number. Coordinates and
    extents, which count with 64 bits in a model, do not."""
    for node in walk(value):
        match node:
            case ir.Access(field) | ir.Gather(field):
                if field.type in (ir.I64, ir.U64):
                    return True
            case ir.Symbol(name, ir.I64 | ir.U64) if ir.Symbol(name, ir.I64) not in _PLACES:
                return True
            case ir.Const(int(number)) if not -(1 << 31) <= number < 1 << 31:
                return True
    return False
