# SPDX-License-Identifier: Apache-2.0
"""Operators and functions: one table row each, read by the interpreter, the printer and the lifter.

A row gives the meaning (Python), the spelling in C++ and CUDA per type, and for operators the precedence. Bit
operations and comparisons are operators too. Everything is evaluated in the type of its arguments.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from heddle.ir.mathematics import DEFINITIONS
from heddle.ir.mathematics.definition import Definition, flops_of
from heddle.ir.nodes import F64, Scalar
from heddle.ir.reduction import COMBINATION, combined, of_row

AT_WALL = 0xFFFFFFFF
"""What heddle/device/compressed_neighbours.hpp has for the entry of a wall."""


@dataclass(frozen=True)
class Operator:
    """spelling: as in C++. precedence: larger binds tighter. meaning: on exact or rounded Python numbers."""

    spelling: str
    precedence: int
    meaning: Callable[..., Any]
    result: str = "argument"  # or "bool"
    associative: bool = False


def _divide(a: float, b: float) -> float:
    if isinstance(a, int) and isinstance(b, int):
        quotient = abs(a) // abs(b)  # C++ truncates towards zero
        return quotient if (a < 0) == (b < 0) else -quotient
    if b == 0.0:
        if a == 0.0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _remainder(a: int, b: int) -> int:
    return a - int(_divide(a, b)) * b


OPERATORS: dict[str, Operator] = {
    "not": Operator("!", 15, lambda a: not a, "bool"),
    "neg": Operator("-", 15, operator.neg),
    "mul": Operator("*", 13, operator.mul, associative=True),
    "div": Operator("/", 13, _divide),
    "rem": Operator("%", 13, _remainder),
    "add": Operator("+", 12, operator.add, associative=True),
    "sub": Operator("-", 12, operator.sub),
    "shl": Operator("<<", 11, operator.lshift),
    "shr": Operator(">>", 11, operator.rshift),
    "lt": Operator("<", 9, operator.lt, "bool"),
    "le": Operator("<=", 9, operator.le, "bool"),
    "gt": Operator(">", 9, operator.gt, "bool"),
    "ge": Operator(">=", 9, operator.ge, "bool"),
    "eq": Operator("==", 8, operator.eq, "bool"),
    "ne": Operator("!=", 8, operator.ne, "bool"),
    "bitand": Operator("&", 7, operator.and_),
    "and": Operator("&&", 4, lambda a, b: a and b, "bool"),
    "or": Operator("||", 3, lambda a, b: a or b, "bool"),
}
SELECT_PRECEDENCE, UNARY_PRECEDENCE, ATOM = 2, 15, 20


def _sign(a: float) -> float:
    return a if a == 0.0 or math.isnan(a) else float((a > 0) - (a < 0))


def _sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0.0 else math.nan


def _floor(a: float) -> float:
    return math.copysign(math.floor(a), a) if math.isfinite(a) else a  # of -0 it is -0


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _log(a: float) -> float:
    if a == 0.0:
        return -math.inf
    return math.log(a) if a > 0.0 else math.nan


def _pow(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if a == 0.0 else math.nan


def _fma(a: float, b: float, c: float) -> Fraction | float:
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return exact if exact else a * b + c  # the sign of a zero follows the rounded form


def _as_half(bits: int) -> float:
    return float(struct.unpack("e", struct.pack("H", bits))[0])


@dataclass(frozen=True)
class Function:
    """meaning: on Python floats. spelling: the qualified name in C++ and CUDA; without `std::` a float
    argument may find the function for double. c_names: other names of the same function in C, which spells
    the type into it. sympy: its name in SymPy, which models use; power: of its argument, where SymPy knows it
    as one.

    exact: the same bits on every target; others are library functions. definition: what it computes, for each
    type, operation by operation; `meaning` is then the function that it approximates. flops: what the cost
    line counts. header: of `heddle/device`, where the function is not one of <cmath>; gpu_header: where
    device code has another one. arrays: so many of the first arguments are arrays. Then `meaning` takes first
    what rounds a number to the type of the result, and arrays as sequences. one_type: a template over the
    type of all its arguments, which is spelled where one of them is an integer literal. converts: a template
    over the type of its result, which `meaning` takes first.
    """

    arguments: int
    meaning: Callable[..., Any]
    spelling: str
    exact: bool = True
    flops: int = 1
    c_names: tuple[str, ...] = ()
    sympy: str = ""
    power: Fraction | None = None
    header: str = ""
    gpu_header: str = ""
    arrays: int = 0
    one_type: bool = False
    converts: bool = False
    definition: Callable[[Scalar], Definition] | None = None


def _reduction(operation: str) -> Function:
    """What the first elements of an array become (see ir.reduction); the array is scratch afterwards."""

    def meaning(rounded: Callable[[float], float], values: Sequence[float], count: int) -> float:
        return combined(operation, [values[i] for i in range(count)], rounded)

    return Function(
        2,
        meaning,
        f"heddle::combine_{operation}",
        flops=0,
        header="reduce.hpp",
        gpu_header="reduce_gpu.hpp",
        arrays=1,
    )


def _row_reduction(operation: str) -> Function:
    def meaning(rounded: Callable[[float], float], values: Sequence[float], count: int) -> float:
        return of_row(operation, [values[i] for i in range(count)], rounded)

    return Function(2, meaning, f"heddle::fold_row_{operation}", flops=0, arrays=1)


def _reproducible(name: str, meaning: Callable[..., Any]) -> Function:
    """A function of heddle.ir.mathematics, of which `meaning` is the exact form."""
    definition = DEFINITIONS[name]
    in_doubles = definition(F64)
    return Function(
        len(in_doubles.parameters),
        meaning,
        f"heddle::math::{name}",
        flops=flops_of(in_doubles),
        header="math.hpp",
        definition=definition,
    )


def _bits_as(result: Scalar, value: float) -> float:
    """A number of the same size that has the same bits."""
    codes = {"f64": "d", "u64": "Q", "f32": "f", "u32": "I"}
    given = {"f64": "u64", "u64": "f64", "f32": "u32", "u32": "f32"}[str(result)]
    return struct.unpack(codes[str(result)], struct.pack(codes[given], value))[0]  # type: ignore[no-any-return]


def _all_equal(_: object, row: Sequence[int], begin: int, end: int, value: int) -> bool:
    return all(row[i] == value for i in range(begin, end))


def _any_lane(_: object, lanes: Sequence[int], count: int) -> bool:
    return any(lanes[i] != 0 for i in range(count))


def _exceeds_mebibytes(_: object, array: Any, elements: int, mebibytes: int) -> bool:
    return elements * 8 > mebibytes << 20  # either way gives the same: the size of an element does not matter


def _log2(a: float) -> float:
    return math.log2(a) if a > 0.0 else _log(a)


def _exp2(a: float) -> float:
    return _pow(2.0, a)


_MEANINGS: dict[str, Callable[..., Any]] = {
    "cbrt": math.cbrt,
    "cos": math.cos,
    "exp": _exp,
    "exp2": _exp2,
    "log": _log,
    "log2": _log2,
    "pow": _pow,
    "sin": math.sin,
    "tanh": math.tanh,
}
"""The functions that have a definition in heddle.ir.mathematics."""

FUNCTIONS: dict[str, Function] = {
    "fma": Function(3, _fma, "std::fma", flops=2, c_names=("fmaf",)),
    "sqrt": Function(1, _sqrt, "std::sqrt", c_names=("sqrtf",), sympy="sqrt", power=Fraction(1, 2)),
    "cbrt": Function(
        1, math.cbrt, "std::cbrt", exact=False, c_names=("cbrtf",), sympy="cbrt", power=Fraction(1, 3)
    ),
    "abs": Function(1, abs, "std::abs", flops=0, c_names=("fabs", "fabsf"), sympy="Abs"),
    "floor": Function(1, _floor, "std::floor", c_names=("floorf",), sympy="floor"),
    "exp": Function(1, _exp, "std::exp", exact=False, c_names=("expf",), sympy="exp"),
    "log": Function(1, _log, "std::log", exact=False, c_names=("logf",), sympy="log"),
    "exp2": Function(1, _exp2, "std::exp2", exact=False, c_names=("exp2f",)),
    "log2": Function(1, _log2, "std::log2", exact=False, c_names=("log2f",)),
    "pow": Function(2, _pow, "std::pow", exact=False, c_names=("powf",)),
    "sin": Function(1, math.sin, "std::sin", exact=False, c_names=("sinf",), sympy="sin"),
    "cos": Function(1, math.cos, "std::cos", exact=False, c_names=("cosf",), sympy="cos"),
    "tanh": Function(1, math.tanh, "std::tanh", exact=False, c_names=("tanhf",), sympy="tanh"),
    "min": Function(
        2, COMBINATION["min"], "heddle::min", sympy="Min", header="arithmetic.hpp", one_type=True
    ),
    "max": Function(
        2, COMBINATION["max"], "heddle::max", sympy="Max", header="arithmetic.hpp", one_type=True
    ),
    "sign": Function(1, _sign, "heddle::sign", sympy="sign", header="arithmetic.hpp"),
    # A number whose bits are those of an unsigned integer of its size, and the other way round.
    "bits_as": Function(1, _bits_as, "heddle::bits_as", flops=0, header="bits.hpp", converts=True),
    # The bits of a half-precision number, of type u16, as that number: half of heddle::half_to_float.
    "as_half": Function(1, _as_half, "heddle::as_half", flops=0),
    # The entry of a compressed neighbour table, or at a wall the own element.
    "neighbour_or_wall": Function(
        2,
        lambda entry, own: own if entry == AT_WALL else entry,
        "heddle::neighbour_or_wall",
        flops=0,
        header="compressed_neighbours.hpp",
    ),
    # The same value, which a compiler does not connect with earlier uses of it (see rematerialise_addresses).
    "opaque": Function(1, lambda value: value, "heddle::opaque", flops=0, header="opaque.hpp"),
    # The index if it lies in [lower, upper); otherwise the reference target notes the fault and reads
    # `lower`.
    "within": Function(
        3,
        lambda i, lower, upper: i if lower <= i < upper else lower,
        "heddle::within",
        flops=0,
        header="checked.hpp",
    ),
    # Whether the elements [begin, end) of a row of integers, one at least, all are a value.
    "all_equal": Function(4, _all_equal, "heddle::all_equal", flops=0, header="row.hpp", arrays=1),
    # Whether one of the first elements of an array of whole numbers is not zero.
    "any_lane": Function(2, _any_lane, "heddle::any_lane", flops=0, header="row.hpp", arrays=1),
    # Whether so many elements of the type of an array's take more memory than that.
    "exceeds_mebibytes": Function(
        3, _exceeds_mebibytes, "heddle::exceeds_mebibytes", flops=0, header="run.hpp", arrays=1
    ),
    **{f"reproducible_{name}": _reproducible(name, meaning) for name, meaning in _MEANINGS.items()},
    **{f"combine_{operation}": _reduction(operation) for operation in COMBINATION},
    # Never printed: what the values of a row become, the meaning of a block's combine_row_*.
    **{f"fold_row_{operation}": _row_reduction(operation) for operation in COMBINATION},
    # Nor these: what the cells of a row give, where it is stored for the row (see lower_row_reductions).
    **{f"row_{name}": Function(1, lambda value: value, f"heddle::row_{name}") for name in COMBINATION},
}
