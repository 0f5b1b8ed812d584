# SPDX-License-Identifier: Apache-2.0
"""infer_types: give every expression a type and make every conversion visible.

before   store u[0] = add(u[0], mul(1/2, x))            u: f16 in memory, arithmetic f32
after    store u[0] = f16(add(f32(u[0]), mul(0.5:f32, f32(x:i64))))

A field with a scale is read as `div(f32(f[0]), scale)` and written as `f16(mul(value, scale))`, both exact.

Floating-point values are read into the arithmetic type, or stay wider if their field is; integers meet floats
as floats; constants take the type of what they meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from heddle.errors import NOWHERE, KernelError, Place
from heddle.ir.functions import OPERATORS
from heddle.ir.intervals import bounds, is_whole, limits
from heddle.ir.nodes import (
    BOOL,
    F16,
    I32,
    I64,
    Access,
    Call,
    Cast,
    Const,
    Expression,
    Gather,
    If,
    IsWallLink,
    Kernel,
    Let,
    Op,
    Reduce,
    Scalar,
    Scan,
    Select,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.reduction import row_operation
from heddle.ir.stages import Request

_LOGICAL = {"and", "or", "not"}
_INTEGER_ONLY = {"bitand", "shl", "rem"}


def infer_types(kernel: Kernel, request: Request) -> Kernel:
    """Type a frozen kernel. Raises KernelError where types cannot meet."""
    return _Typer(request.precision.arithmetic).kernel(kernel)


class _Typer:
    def __init__(self, arithmetic: Scalar) -> None:
        self.arithmetic = arithmetic
        self.symbols: dict[str, Symbol] = {}
        self.memo: dict[Expression, Expression] = {}
        self.values: dict[str, Expression] = {}  # of locals
        self.place: Place = NOWHERE

    def kernel(self, kernel: Kernel) -> Kernel:
        self.symbols.update({symbol.name: symbol for symbol in kernel.parameters})
        outputs = tuple(self.declare(symbol, self.arithmetic) for symbol in kernel.outputs)
        body = self.block(kernel.body)
        return Kernel(
            kernel.name, kernel.fields, kernel.parameters, kernel.space, body, outputs, kernel.about
        )

    def declare(self, symbol: Symbol, scalar: Scalar) -> Symbol:
        typed = self.symbols[symbol.name] = Symbol(symbol.name, scalar)
        self.memo.pop(symbol, None)
        return typed

    # Statements

    def block(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(self.statement(statement) for statement in body)

    def statement(self, statement: Statement) -> Statement:
        self.place = getattr(statement, "place", self.place)
        match statement:
            case Let(symbol, value, place):
                typed = self.settled(self.expression(value))
                if symbol.type == I64 and typed.type.is_float and is_whole(typed, self.values):
                    typed = Cast(typed, I64)
                self.values[symbol.name] = typed
                return Let(self.declare(symbol, typed.type), typed, place)
            case Store(target, value, nontemporal, place):
                assert isinstance(target, (Access, Gather))
                if row_operation(statement):
                    assert isinstance(value, Call)
                    if target.type == F16:
                        raise KernelError(
                            place,
                            f"rows are reduced to '{target.field.name}', whose elements are halves.",
                            "declare it as float",
                        )
                    given = self.stored(target, self.expression(value.args[0]))
                    assert isinstance(target, Gather)
                    whole = Call(value.name, (given,), target.type)
                    return Store(self.gathered(target), whole, nontemporal, place)
                typed = self.expression(value)
                if isinstance(target, Gather):
                    target = self.gathered(target)
                self.check_stored(target, typed)
                return Store(target, self.stored(target, typed), nontemporal, place)
            case If(condition, body, wall, place):
                outer_symbols, outer_memo, outer = dict(self.symbols), dict(self.memo), dict(self.values)
                guarded = If(self.condition(condition), self.block(body), wall, place)
                self.symbols, self.memo, self.values = outer_symbols, outer_memo, outer
                return guarded
            case Reduce(operation, output, value, place):
                scalar = self.arithmetic
                return Reduce(
                    operation,
                    self.declare(output, scalar),
                    self.converted(self.expression(value), scalar),
                    place,
                )
            case Scan(axis, reverse, carried, initial, body, update, place):
                start = self.carried(carried, initial)
                symbols = self.declared(carried)
                inner = self.block(body)
                following = self.carried(carried, update)
                return Scan(axis, reverse, symbols, start, inner, following, place)
            case While(counter, at_most, condition, carried, initial, body, update, place):
                start = self.carried(carried, initial)
                symbols = self.declared(carried)
                asked = self.condition(condition)
                inner = self.block(body)
                following = self.carried(carried, update)
                return While(counter, at_most, asked, symbols, start, inner, following, place)
        return statement

    def declared(self, carried: Sequence[Symbol]) -> tuple[Symbol, ...]:
        """What is carried has the arithmetic type, or is an integer."""
        return tuple(
            self.declare(symbol, I64 if symbol.type == I64 else self.arithmetic) for symbol in carried
        )

    def carried(self, symbols: Sequence[Symbol], values: Sequence[Expression]) -> tuple[Expression, ...]:
        """Values of what is carried."""
        found: list[Expression] = []
        for symbol, value in zip(symbols, map(self.expression, values), strict=True):
            number = isinstance(value, Const) and value.type is None and int(value.value) == value.value
            whole = number or (
                value.type is not None and (not value.type.is_float or is_whole(value, self.values))
            )
            if symbol.type == I64 and not whole:
                raise KernelError(
                    self.place,
                    f"'{symbol.name}' is carried as an integer, but has a real value.",
                    "round it: floor(value), or carry a symbol that is not integer=True",
                )
            found.append(self.converted(value, I64 if symbol.type == I64 else self.arithmetic))
        return tuple(found)

    # Expressions

    def gathered(self, element: Gather) -> Gather:
        where = tuple(self.integer(self.expression(entry)) for entry in element.position)
        return Gather(element.field, where, self.integer(self.expression(element.component)))

    def expression(self, value: Expression) -> Expression:
        typed = self.memo.get(value)
        if typed is None:
            typed = self.memo[value] = self.typed(value)
        return typed

    def typed(self, value: Expression) -> Expression:
        if type(value) is Symbol:  # as most are
            return self.symbols.get(value.name, value)
        match value:
            case Const(number):
                return Const(number, BOOL) if isinstance(number, bool) else value
            case Access():
                return self.read(value)
            case IsWallLink():
                return value
            case Gather():
                return self.read(self.gathered(value))
            case Select(condition, yes, no):
                yes, no = self.unified([self.expression(yes), self.expression(no)])
                return Select(self.condition(condition), yes, no)
            case Call(name, args):
                operands = self.unified(
                    [self.expression(argument) for argument in args], floating=name not in _ANY
                )
                return Call(name, tuple(operands), operands[0].type)
            case Op(name, args) if name in _LOGICAL:
                return Op(name, tuple(self.condition(argument) for argument in args), BOOL)
            case Op(name, args):
                operands = self.unified(
                    [self.expression(argument) for argument in args], floating=name == "div"
                )
                scalar = operands[0].type
                if name in _INTEGER_ONLY and scalar.is_float:
                    raise KernelError(self.place, f"'{name}' needs integer operands, not {scalar}.")
                if name in ("sub", "neg") and scalar.kind == "u":
                    raise KernelError(
                        self.place,
                        f"a difference of {scalar} values wraps around below zero, to 4294967295 for -1.",
                        "declare the field or parameter as int32 or int64",
                    )
                return Op(name, tuple(operands), BOOL if OPERATORS[name].result == "bool" else scalar)
        raise AssertionError(value)

    def read(self, element: Access | Gather) -> Expression:
        scalar = element.type
        if scalar.is_float and scalar.bits < self.arithmetic.bits:
            number = Cast(element, self.arithmetic)
            scale = Const(element.field.scale, self.arithmetic)
            return number if element.field.scale == 1 else Op("div", (number, scale), self.arithmetic)
        if scalar.kind in "iu" and scalar.bits < I32.bits:
            return Cast(element, I32)  # as C++ does it anyway
        return element

    def stored(self, target: Access | Gather, value: Expression) -> Expression:
        """A value as memory holds it."""
        if target.field.scale != 1:
            number = self.converted(value, self.arithmetic)
            value = Op("mul", (number, Const(target.field.scale, self.arithmetic)), self.arithmetic)
        return self.converted(value, target.type)

    def condition(self, value: Expression) -> Expression:
        typed = self.expression(value)
        if typed.type == BOOL:
            return typed
        return Op("ne", tuple(self.unified([typed, Const(0)])), BOOL)

    def integer(self, value: Expression) -> Expression:
        if isinstance(value, Const) and value.type is None:
            return Const(int(value.value), I64)
        if value.type.is_float:
            if is_whole(value, self.values):
                return Cast(value, I64)
            raise KernelError(
                self.place, "the position of a gather is not an integer.", "round it: floor(position)"
            )
        return value if value.type == I64 else Cast(value, I64)

    def unified(self, operands: list[Expression], floating: bool = False) -> list[Expression]:
        """Operands in one type: the widest float if there is one (or one is needed), else the widest
        integer."""
        first = operands[0].type
        if first is not None and first.is_float and all(operand.type is first for operand in operands):
            return operands
        known = [operand.type for operand in operands if operand.type is not None]
        fraction = any(
            isinstance(operand, Const)
            and operand.type is None
            and isinstance(operand.value, (float, Fraction))
            for operand in operands
        )
        floats = [scalar for scalar in known if scalar.is_float]
        if floats or floating or fraction or not known:
            target = max(floats or [self.arithmetic], key=lambda scalar: scalar.bits)
        else:
            target = max(known, key=lambda scalar: (scalar.bits, scalar.kind == "u"))
        return [self.converted(operand, target) for operand in operands]

    def converted(self, value: Expression, target: Scalar) -> Expression:
        if isinstance(value, Const) and value.type is None:
            self.check_range(value.value, target)
            if not target.is_float and isinstance(value.value, (float, Fraction)):
                raise KernelError(
                    self.place,
                    f"{value.value} is not an integer, but is stored to an integer field.",
                    "round it: floor(value)",
                )
            if target.is_float and target.bits < self.arithmetic.bits:
                return Cast(Const(value.value, self.arithmetic), target)
            return Const(value.value, target)
        return value if value.type == target else Cast(value, target)

    def check_range(self, number: bool | int | float | Fraction, target: Scalar) -> None:
        """Raise KernelError for a number that a type does not hold."""
        least, most = limits(self.arithmetic if target == F16 else target)
        if not (least <= number <= most or number != number):
            raise KernelError(
                self.place,
                f"{float(number):g} is outside the range of {target}.",
                "use a wider type or precision, or other units",
            )

    def check_stored(self, target: Access | Gather, value: Expression) -> None:
        """Raise KernelError where an integer field would keep part of a value."""
        scalar, name = target.type, target.field.name
        if scalar.is_float or isinstance(value, Const):
            return
        if value.type.is_float and not is_whole(value, self.values):
            raise KernelError(
                self.place,
                f"a real value is stored to '{name}', whose elements are {scalar}: its fraction would be "
                "cut off.",
                "round it: floor(value); an integer over an integer is real, too",
            )
        (least, most), (lowest, highest) = limits(scalar), bounds(value, self.values)
        if scalar.bits < I32.bits and not least <= lowest <= highest <= most:
            raise KernelError(
                self.place,
                f"the value stored to '{name}' may not fit into {scalar}, and would wrap around.",
                "bound it: bit_and(value, 255), Min(Max(value, 0), 255); or declare the field as int32",
            )

    def settled(self, value: Expression) -> Expression:
        """A constant that meets nothing has the arithmetic type."""
        return value if value.type is not None else self.converted(value, self.arithmetic)


_ANY = {"min", "max", "abs", "sign"}
