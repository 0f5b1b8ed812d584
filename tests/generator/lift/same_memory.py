# SPDX-License-Identifier: Apache-2.0
"""Run a lifted function and the kernels recovered from it on the same memory."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.hash_consing import Node
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import Number
from heddle.ir.space import Sparse
from heddle.ir.visit import walk
from heddle.lift.lifted import Lifted
from heddle.lift.polynomial import Polynomial
from heddle.lift.recovered import Recovered

LENGTH = 9000
SIZES = {
    "nx": 7, "ny": 6, "nz": 5, "n": 11, "width": 8, "height": 6, "sx": 1, "sy": 12, "gl": 2, "edge_count": 9,
    "stride": 13, "pitch": 9, "its": 2, "ite": 6, "jts": 1, "jte": 4, "kts": 1, "kte": 3, "kme": 5, "ims": 0,
    "ime": 9, "jms": 0, "kms": 0, "colour": 1, "ci": 1, "cj": 0, "active": 1,
    "x": 5, "y": 4, "nx_": 9, "size": 11, "rows": 4,
}  # fmt: skip
"""Extents and strides, and threads of a grid, for which no index leaves an array."""


class UnknownNameError(Exception):
    """A name of the corpus that SIZES does not know."""


def differences(function: Lifted, kernels: tuple[Recovered, ...]) -> list[str]:
    """Names of the arrays and results that differ after both have run."""
    generator = random.Random(1)
    scalars = dict(_scalars(function, generator))
    before = {name: _memory(scalar, generator) for name, scalar in _pointers(function).items()}
    expected = {name: list(values) for name, values in before.items()}
    own = ir.Kernel(function.name, (), (), Sparse("none"), function.body)
    arrays = {name: Array(values, 0, (LENGTH,), (1,)) for name, values in expected.items()}
    for name in [name for name in arrays if "." in name]:
        arrays[name.split(".")[0]] = arrays[name]
    run(own, arrays, scalars | {"first": 0, "last": 0})
    found = {name: list(values) for name, values in before.items()}
    outputs: dict[str, Number] = {}
    for each in kernels:
        outputs |= _run(each, found, scalars)
        for name, value in each.finishes:
            _finish(name, value, found, scalars | outputs)
    for name, output in outputs.items():
        base, _, index = name.rpartition("_")
        if name in found:
            found[name][0] = output
        elif base in found:
            found[base][int(index)] = output
    sums = {s.output.name for each in kernels for s in walk(each.kernel.body) if _is_sum(s)}
    sums |= {name for each in kernels for name, _ in each.finishes}
    for name in sums & found.keys():  # by a tree of their own
        tolerance = 1e-14 if _pointers(function)[name] == ir.F64 else 1e-5
        if math.isclose(found[name][0], expected[name][0], rel_tol=tolerance):
            found[name][0] = expected[name][0]
    return [name for name in before if list(map(repr, found[name])) != list(map(repr, expected[name]))]


def _finish(
    name: str, value: ir.Expression, memory: dict[str, list[Number]], scalars: dict[str, Number]
) -> None:
    """What the caller of the kernels computes from their outputs."""
    target = ir.Load(ir.Symbol(name, ir.Pointer(value.type)), integer(0))  # type: ignore[arg-type]
    once = ir.Loop(
        "serial", ir.Symbol("once", ir.I64), integer(0), integer(1), integer(1), (ir.Store(target, value),)
    )
    last = ir.Kernel(name, (), (), Sparse("none"), (once,))
    run(last, {name: Array(memory[name], 0, (LENGTH,), (1,))}, scalars | {"first": 0, "last": 0})


def _is_sum(statement: Node) -> bool:
    return isinstance(statement, ir.Reduce) and statement.operation == "sum"


def _run(each: Recovered, memory: dict[str, list[Number]], scalars: dict[str, Number]) -> dict[str, Number]:
    """A recovered kernel on the arrays of the source."""

    def value(polynomial: Polynomial) -> int:
        total = 0
        for monomial, factor in polynomial.terms.items():
            for atom in monomial:
                assert isinstance(atom, ir.Symbol)
                factor *= int(scalars[atom.name])
            total += factor
        return total

    extents = tuple(map(value, each.extents))
    arrays: dict[str, Array] = {}
    for field in each.kernel.fields:
        values = memory[each.sources[field.name]]
        placement = each.placements.get(field.name)
        if placement is None:
            arrays[field.name] = Array(values, 0, extents, (1,))
            continue
        size = (placement.size,) if placement.size else ()
        strides = (*map(value, placement.strides), *((value(placement.component_stride),) if size else ()))
        arrays[field.name] = Array(values, value(placement.first(each.begins)), (*extents, *size), strides)
    given = {symbol.name: scalars[each.sources[symbol.name]] for symbol in each.kernel.parameters}
    return run(each.kernel, arrays, given).outputs


def _pointers(function: Lifted) -> dict[str, ir.Scalar]:
    """The arrays that a function touches, and the type of their elements."""
    views = {s.symbol.name for s in walk(function.body) if isinstance(s, ir.Let)}
    return {
        node.name: node.type.element
        for node in walk(function.body)
        if isinstance(node, ir.Symbol) and isinstance(node.type, ir.Pointer) and node.name not in views
    }


def _memory(scalar: ir.Scalar, generator: random.Random) -> list[Number]:
    if scalar.is_float:
        draw = [generator.uniform(0.1, 2.0) * generator.choice((1, 1, -1)) for _ in range(LENGTH)]
        return [float(value) for value in draw] if scalar == ir.F64 else [_single(v) for v in draw]
    return [generator.randrange(3) for _ in range(LENGTH)]


def _single(value: float) -> float:
    return round(value * 4096) / 4096


def _scalars(function: Lifted, generator: random.Random) -> Iterator[tuple[str, Number]]:
    inside = {n for n in walk(function.body) if isinstance(n, ir.Symbol) and isinstance(n.type, ir.Scalar)}
    declared = {n.symbol for n in walk(function.body) if isinstance(n, (ir.Let, ir.Var))}
    declared |= {n.counter for n in walk(function.body) if isinstance(n, (ir.Loop, ir.While))}
    names = {p.symbol.name for p in function.parameters} | {s.name for s in inside - declared} | {"grid"}
    for symbol in sorted(inside, key=lambda s: s.name):
        base, _, member = symbol.name.partition(".")
        if base not in names:
            continue
        if symbol.type.is_float:  # type: ignore[union-attr]
            yield symbol.name, _single(generator.uniform(0.1, 0.9))
        elif (member or base) in SIZES:
            yield symbol.name, SIZES[member or base]
        else:
            raise UnknownNameError(symbol.name)
