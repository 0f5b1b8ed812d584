# SPDX-License-Identifier: Apache-2.0
"""Run two kernels in the interpreter on the same memory and measure by how much the results differ."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from heddle.ir import nodes as ir
from heddle.ir.interpret import Result, run
from heddle.ir.rounding import InterpretationError, Number, rounded
from heddle.roundtrip.equivalence.random_inputs import Sample
from heddle.roundtrip.equivalence.verdict import Counterexample

_BITS = {16: ("e", "H"), 32: ("f", "I"), 64: ("d", "Q")}


@dataclass(frozen=True)
class Measured:
    """runs: how many were compared. ulp: the largest difference in units in the last place of the result;
    relative: in those of the largest value of the array. worst: where."""

    runs: int
    ulp: float
    relative: float
    worst: Counterexample | None


def differential_test(a: ir.Kernel, b: ir.Kernel, memories: Iterable[Sample]) -> Measured | Counterexample:
    """Run both. A counterexample if one of them does what has no meaning, or integers differ."""
    runs, ulp, relative = 0, 0.0, 0.0
    worst: Counterexample | None = None
    for sample in memories:
        left, right = sample.copied(), sample.copied()
        outcomes: list[Result | str] = []
        for kernel, arrays in ((a, left), (b, right)):
            try:
                outcomes.append(run(kernel, arrays, sample.scalars))
            except (InterpretationError, ZeroDivisionError, OverflowError, KeyError) as error:
                outcomes.append(f"{type(error).__name__}: {error}")
        inputs = {"memory": sample.about, **sample.scalars}
        first, second = outcomes
        if isinstance(first, str) or isinstance(second, str):
            if isinstance(first, str) and isinstance(second, str):
                continue
            return Counterexample("only one of the kernels can be run", "", inputs, (first, second))
        runs += 1
        results = [
            (f"{field.name}[{place}]", field.type, x, y, scale)
            for field in {f.name: f for f in (*a.fields, *b.fields)}.values()
            for scale in (_largest(left[field.name].values),)
            for place, (x, y) in enumerate(
                zip(left[field.name].values, right[field.name].values, strict=True)
            )
        ]
        results += [
            (output.name, _type(output), first.outputs[output.name], second.outputs[output.name], 1.0)
            for output in a.outputs
            if output.name in second.outputs
        ]
        for where, scalar, x, y, scale in results:
            distance = apart(x, y, scalar)
            if not distance:
                continue
            found = Counterexample("the results differ", where, inputs, (x, y))
            if not scalar.is_float or math.isinf(distance):
                return found
            if distance > ulp:
                ulp, worst = distance, found
            unit = _unit(scale, scalar)
            relative = max(relative, abs(x - y) / unit)
    return Measured(runs, ulp, relative, worst)


def _type(symbol: ir.Symbol) -> ir.Scalar:
    assert isinstance(symbol.type, ir.Scalar)
    return symbol.type


def _largest(values: Iterable[Number]) -> float:
    return max((abs(float(v)) for v in values if math.isfinite(v)), default=1.0) or 1.0


def _unit(value: float, scalar: ir.Scalar) -> float:
    """One unit in the last place of a value."""
    digits = {16: 11, 32: 24, 64: 53}[scalar.bits]
    return float(2.0 ** (math.frexp(value)[1] - digits))


def apart(x: Number, y: Number, scalar: ir.Scalar) -> float:
    """How many numbers of the type lie between two of them; a NaN is no number, and zeros of both signs
    are next to each other."""
    if not scalar.is_float:
        return 0.0 if x == y else math.inf
    if math.isnan(x) or math.isnan(y):
        return 0.0 if math.isnan(x) and math.isnan(y) else math.inf
    if math.isinf(x) or math.isinf(y):
        return 0.0 if x == y else math.inf
    return float(abs(_place(float(x), scalar) - _place(float(y), scalar)))


def _place(value: float, scalar: ir.Scalar) -> int:
    """The place of a number in the order of all numbers of its type."""
    code, integer = _BITS[scalar.bits]
    (bits,) = struct.unpack(f"<{integer}", struct.pack(f"<{code}", rounded(value, scalar)))
    top = 1 << (scalar.bits - 1)
    return -(bits - top) - 1 if bits & top else int(bits)
