# SPDX-License-Identifier: Apache-2.0
"""Functions defined in operations of the kernel language, and short names to write them down."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from heddle.ir.nodes import (
    BOOL,
    F64,
    I32,
    I64,
    U32,
    U64,
    Call,
    Cast,
    Comment,
    Const,
    Expression,
    Let,
    Op,
    Scalar,
    Select,
    Statement,
    Symbol,
)
from heddle.ir.visit import distinct


@dataclass(frozen=True)
class Definition:
    """A function of one type of numbers: what it computes, in order, and what it returns."""

    name: str
    about: str
    parameters: tuple[Symbol, ...]
    body: tuple[Statement, ...]
    result: Expression


class Body:
    """Statements of a definition as they are written: `let` names a value, the rest makes values."""

    def __init__(self, real: Scalar) -> None:
        double = real == F64
        self.real = real
        self.signed, self.unsigned = (I64, U64) if double else (I32, U32)
        self.digits, self.mantissa_bits, self.bias = (53, 52, 1023) if double else (24, 23, 127)
        self.statements: list[Statement] = []

    def comment(self, text: str) -> None:
        """A heading of what follows."""
        self.statements.append(Comment(text))

    def let(self, name: str, value: Expression) -> Symbol:
        """Name a value."""
        assert isinstance(value.type, Scalar)
        symbol = Symbol(name, value.type)
        self.statements.append(Let(symbol, value))
        return symbol

    def number(self, value: float) -> Const:
        """A number of the type."""
        return Const(float(value), self.real)

    def word(self, value: int) -> Const:
        """An unsigned integer of the size of the type."""
        return Const(value, self.unsigned)

    def bits(self, value: Expression) -> Expression:
        """The bits of a number."""
        return Call("bits_as", (value,), self.unsigned)

    def from_bits(self, word: Expression) -> Expression:
        """The number that has these bits."""
        return Call("bits_as", (word,), self.real)

    def bits_of(self, value: float) -> int:
        """The bits of a number that is known when the definition is written."""
        number, integer = ("d", "Q") if self.real == F64 else ("f", "I")
        return int(struct.unpack(integer, struct.pack(number, value))[0])

    def exponent_of(self, word: Expression) -> Expression:
        """2^(word - bias), where the word ends with a biased exponent."""
        return self.from_bits(self.left(word, self.mantissa_bits))

    def right(self, word: Expression, bits: int) -> Expression:
        """A word shifted to the right."""
        return operation("shr", word, Const(bits, U32))

    def left(self, word: Expression, bits: int) -> Expression:
        """And to the left."""
        return operation("shl", word, Const(bits, U32))

    def upper(self, word: Expression) -> Expression:
        """The upper half of the bits of a word."""
        return self.right(word, self.real.bits // 2)

    def lower(self, word: Expression) -> Expression:
        """The lower half."""
        return operation("bitand", word, self.word((1 << self.real.bits // 2) - 1))

    def converted(self, half: Expression, less: int) -> Expression:
        """The number that half a word is, less another one: the last bits of a number are a whole number."""
        whole = 2.0**self.mantissa_bits
        return sub(self.from_bits(add(half, self.word(self.bits_of(whole)))), self.number(whole + less))

    def sign_bit(self) -> Const:
        """The word in which only the bit of the sign is set."""
        return self.word(1 << (self.real.bits - 1))

    def sign_of(self, value: Expression) -> Expression:
        """The word that has the sign of a number and no other bit."""
        return operation("bitand", self.bits(value), self.sign_bit())

    def with_sign(self, value: Expression, of: Expression) -> Expression:
        """A number that is not negative, with the sign of another one."""
        return self.from_bits(add(self.bits(value), self.sign_of(of)))

    def polynomial(self, name: str, x: Expression, coefficients: Sequence[float]) -> Symbol:
        """Horner's form, one step per line."""
        value: Expression = self.number(coefficients[-1])
        step = len(coefficients) - 1
        for coefficient in coefficients[-2::-1]:
            step -= 1
            symbol = name if step == 0 else f"{name}{step}"
            value = self.let(symbol, fma(value, x, self.number(coefficient)))
        assert isinstance(value, Symbol)
        return value

    def balanced(self, name: str, x: Expression, coefficients: Sequence[float]) -> Symbol:
        """Estrin's form: pairs, pairs of pairs and so on. More products than Horner's, but a chain of few
        steps, which is what counts in a long function: processors overlap few of its calls."""
        terms: list[Expression] = [self.number(coefficient) for coefficient in coefficients]
        power, degree = x, 1
        while len(terms) > 1:
            pairs: list[Expression] = []
            for at in range(0, len(terms) - 1, 2):
                value = fma(terms[at + 1], power, terms[at])
                step = name if len(terms) == 2 else f"{name}{at * degree}_{degree}"
                pairs.append(self.let(step, value))
            terms = pairs + terms[len(terms) - len(terms) % 2 :]
            degree *= 2
            if len(terms) > 1:
                power = self.let(f"{name}_x{degree}", mul(power, power))
        (result,) = terms
        assert isinstance(result, Symbol)
        return result

    def defined(self, name: str, about: str, parameters: Sequence[Symbol], result: Expression) -> Definition:
        """The definition that these statements make."""
        return Definition(name, about, tuple(parameters), tuple(self.statements), result)


def operation(name: str, *args: Expression) -> Op:
    """An operator on values of one type."""
    result = BOOL if name in ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not") else args[0].type
    return Op(name, args, result)


def add(a: Expression, b: Expression) -> Op:
    return operation("add", a, b)


def sub(a: Expression, b: Expression) -> Op:
    return operation("sub", a, b)


def mul(a: Expression, b: Expression) -> Op:
    return operation("mul", a, b)


def neg(a: Expression) -> Op:
    return operation("neg", a)


def less(a: Expression, b: Expression) -> Op:
    return operation("lt", a, b)


def equal(a: Expression, b: Expression) -> Op:
    return operation("eq", a, b)


def both(a: Expression, b: Expression) -> Op:
    return operation("and", a, b)


def magnitude(a: Expression) -> Call:
    return Call("abs", (a,), a.type)


def floor(a: Expression) -> Call:
    return Call("floor", (a,), a.type)


def fma(a: Expression, b: Expression, c: Expression) -> Call:
    """a b + c, rounded once."""
    return Call("fma", (a, b, c), a.type)


def select(condition: Expression, yes: Expression, no: Expression) -> Select:
    return Select(condition, yes, no)


def cast(value: Expression, kind: Scalar) -> Cast:
    return Cast(value, kind)


def flops_of(definition: Definition) -> int:
    """Operations on numbers; comparisons and what is done to their bits are none."""
    count = 0
    for node in distinct(definition.body):
        if isinstance(node, Call) and node.name == "fma":
            count += 2
        elif isinstance(node, Op) and node.name in ("add", "sub", "mul", "div"):
            count += isinstance(node.type, Scalar) and node.type.is_float
    return count
