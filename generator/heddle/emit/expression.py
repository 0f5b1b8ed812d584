# SPDX-License-Identifier: Apache-2.0
"""Expressions as C++ text, with exactly the parentheses that precedence asks for."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from heddle.ir import nodes as ir
from heddle.ir.functions import ATOM, FUNCTIONS, OPERATORS, SELECT_PRECEDENCE
from heddle.ir.rounding import rounded
from heddle.ir.target import Target

_SCALARS = {
    "f64": "double", "f32": "float", "f16": "std::uint16_t", "bool": "bool",
    "i8": "std::int8_t", "i16": "std::int16_t", "i32": "std::int32_t", "i64": "std::int64_t",
    "u8": "std::uint8_t", "u16": "std::uint16_t", "u32": "std::uint32_t", "u64": "std::uint64_t",
}  # fmt: skip


def type_text(kind: ir.Type) -> str:
    """A type as C++ spells it; 16-bit floats are their bits."""
    if isinstance(kind, ir.Pointer):
        return ("const " if kind.const else "") + f"{_SCALARS[str(kind.element)]}*"
    return _SCALARS[str(kind)]


class NoOneTextError(Exception):
    """A constant that has no text of the same value in every precision."""


class ExpressionPrinter:
    """Prints one expression at a time for a target. real: the type that a template calls Real, if any; its
    constants are printed so that their text suits other types, too. short: indices are known to fit into an
    int."""

    def __init__(self, target: Target, real: ir.Scalar | None = None, short: bool = False) -> None:
        self.target = target
        self.real = real
        self.short = short

    def kind(self, kind: ir.Type) -> str:
        """A type as C++ spells it here."""
        return "int" if self.short and kind == ir.I64 else type_text(kind)

    def __call__(self, expression: ir.Expression, context: int = 0) -> str:
        text, precedence = self.text(expression)
        return f"({text})" if precedence < context else text

    def text(self, expression: ir.Expression) -> tuple[str, int]:
        """The text and how tightly its outermost operator binds."""
        match expression:
            case ir.Const(value, scalar) if scalar is not None and scalar == self.real:
                return real_literal(value, scalar)
            case ir.Const(value, scalar):
                return literal(value, scalar)
            case ir.Symbol(name):
                return name, ATOM
            case ir.Load(pointer, index):
                return f"{pointer.name}[{self(index)}]", ATOM
            case ir.View(pointer, opaque=True):
                return f"heddle::opaque({pointer.name})", ATOM
            case ir.View(pointer, offset, _):
                if isinstance(offset, ir.Const) and offset.value == 0:
                    return pointer.name, ATOM
                distance = self(offset, 12)
                sign = "-" if distance.startswith("-") else "+"
                return f"{pointer.name} {sign} {distance.removeprefix('-')}", 12
            case ir.Cast(value, scalar):
                return self.cast(value, scalar), ATOM
            case ir.Select(condition, yes, no, both=True):
                return f"heddle::choose({self(condition)}, {self(yes)}, {self(no)})", ATOM
            case ir.Select(condition, yes, no):
                inner = SELECT_PRECEDENCE + 1
                return f"{self(condition, inner)} ? {self(yes, inner)} : {self(no, SELECT_PRECEDENCE)}", 2
            case ir.Call(name, args):
                spelling = FUNCTIONS[name].spelling
                arguments = ", ".join(self(argument) for argument in args)
                status = ", status" if name == "within" else ""
                return f"{spelling}{self.instance(expression)}({arguments}{status})", ATOM
            case ir.Op(name, (operand,)):
                row = OPERATORS[name]
                return row.spelling + self(operand, row.precedence + 1), row.precedence
            case ir.Op(name, (left, right)):
                row = OPERATORS[name]
                first = self.operand(left, right, self.side(name, left, row.precedence))
                second = self.operand(right, left, self.side(name, right, row.precedence + 1))
                return f"{first} {row.spelling} {second}", row.precedence
        raise AssertionError(expression)

    def operand(self, operand: ir.Expression, other: ir.Expression, context: int) -> str:
        """One of two operands; beside a Real, a whole number needs no type of its own."""
        if isinstance(operand, ir.Const) and operand.type == self.real and not isinstance(other, ir.Const):
            whole = _whole(operand.value)
            if whole is not None:
                return str(whole)
        return self(operand, context)

    def initializer(self, value: ir.Expression) -> str:
        """What a variable begins with; it converts a constant that has the same value in all types."""
        if isinstance(value, ir.Const) and value.type is not None and value.type == self.real:
            return exact_literal(value.value) or self(value)
        return self(value)

    def instance(self, call: ir.Call) -> str:
        """The type that a template needs to be told: that of the result, where no argument has it; that of
        the arguments, where one is an integer literal, which is an `int`, and another has another type."""
        row, args = FUNCTIONS[call.name], call.args
        if row.converts:
            assert call.type is not None
            return f"<{self.kind(call.type)}>"
        literals = any(isinstance(argument, ir.Const) and not argument.type.is_float for argument in args)  # type: ignore[union-attr]
        return f"<{self.kind(args[0].type)}>" if row.one_type and literals else ""

    @staticmethod
    def side(name: str, operand: ir.Expression, precedence: int) -> int:
        """Compilers warn about mixed logic without parentheses; so would a reader."""
        if isinstance(operand, ir.Op) and name in ("or", "and") and operand.name in ("or", "and"):
            return precedence if operand.name == name else ATOM
        if isinstance(operand, ir.Op) and name in ("bitand", "shl", "shr"):
            return ATOM
        return precedence

    def cast(self, value: ir.Expression, scalar: ir.Scalar) -> str:
        if value.type == ir.F16:
            return f"heddle::half_to_{type_text(scalar)}({self(value)})"
        if scalar == ir.F16:
            return f"heddle::to_half({self(value)})"
        return f"static_cast<{self.kind(scalar)}>({self(value)})"


def literal(value: object, scalar: ir.Scalar | None) -> tuple[str, int]:
    """A constant in its type: rationals as quotients, other numbers in the shortest text that reads back the
    same."""
    assert scalar is not None
    if isinstance(value, bool):
        return ("true" if value else "false"), ATOM
    assert isinstance(value, (int, float, Fraction))
    if not scalar.is_float:
        return integer_literal(int(value), scalar)
    if isinstance(value, Fraction) and value.denominator & (value.denominator - 1):
        above, below = (
            literal(Fraction(value.numerator), scalar)[0],
            literal(Fraction(value.denominator), scalar)[0],
        )
        return f"{above} / {below}", 13
    number = rounded(value, scalar)
    suffix = "F" if scalar.bits == 32 else ""
    if math.isinf(number):
        infinity = "HUGE_VALF" if suffix else "HUGE_VAL"
        return (infinity, ATOM) if number > 0 else (f"-{infinity}", 15)
    text = shortest(number, scalar.bits)
    return text + suffix, ATOM if number >= 0 and not text.startswith("-") else 15


def real_literal(value: object, scalar: ir.Scalar) -> tuple[str, int]:
    """A constant of type Real, of which the template may be instantiated for f32 and f64."""
    assert isinstance(value, (int, float, Fraction))
    if (whole := _whole(value)) is not None:
        return f"Real{{{whole}}}", ATOM
    if exact := exact_literal(value):
        return f"Real({exact})", ATOM
    if isinstance(value, Fraction) and value.denominator & (value.denominator - 1):
        above, below = Fraction(value.numerator), Fraction(value.denominator)
        divisor = _whole(below)
        return f"{real_literal(above, scalar)[0]} / {divisor or real_literal(below, scalar)[0]}", 13
    number = rounded(value, ir.F64)
    single = rounded(value, ir.F32)
    if not math.isfinite(single) or single != rounded(number, ir.F32):
        raise NoOneTextError
    return f"Real({shortest(number, 64)})", ATOM


def exact_literal(value: int | float | Fraction) -> str:
    """The text of a number that f32 has, or nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    number = rounded(value, ir.F32)
    if number != value or _is_negative_zero(number):
        return ""
    return shortest(number, 64)


def _whole(value: int | float | Fraction) -> int | None:
    """A number that every type has and that C++ writes as an integer."""
    if isinstance(value, float) and (not value.is_integer() or _is_negative_zero(value)):
        return None
    return int(value) if value == int(value) and -(2**24) <= value <= 2**24 else None


def _is_negative_zero(number: float) -> bool:
    return number == 0 and math.copysign(1, number) < 0


def integer_literal(value: int, scalar: ir.Scalar) -> tuple[str, int]:
    """Whole numbers; words of bits, which are no numbers to a reader, in hexadecimal digits."""
    if scalar.kind == "u":
        is_word = value >= 2**16 and value & (value - 1)
        return (f"{value:#x}U" if is_word else f"{value}U"), ATOM
    return str(value), ATOM if value >= 0 else 15


def shortest(number: float, bits: int) -> str:
    """The fewest digits that read back to the same f32 or f64."""
    if bits == 64:
        text = repr(number)
    else:
        exact = struct.unpack("f", struct.pack("f", number))[0]
        decimals = (float(f"{exact:.{digits}g}") for digits in range(1, 10))
        text = repr(next(one for one in decimals if struct.unpack("f", struct.pack("f", one))[0] == exact))
    return text if any(mark in text for mark in ".en") else text + ".0"
