# SPDX-License-Identifier: Apache-2.0
"""A second witness beside the proof: a loop and what was generated from it run on the same random memory.

The comparison over cells reads the generated kernel with the same code that read the loop, so that it sees no
mistake of that code. Here both bodies run as they stand, with no field, offset or box between them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Container, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.interpret import Array, run
from heddle.ir.rounding import InterpretationError, Number, rounded
from heddle.ir.space import Sparse
from heddle.ir.visit import expressions, statements, transform, walk
from heddle.lift.polynomial import Polynomial, number_of, polynomial
from heddle.lift.recovered import Recovered
from heddle.roundtrip.compare import Counterexample

Body = Sequence[ir.Statement]
RUNS, ATTEMPTS = 6, 400
CELLS = 3000
"""The largest box that is run."""
SHORT = 5
"""Cells along an axis of fixed length: more of them would say no more."""
_MIDDLE = 1 << 40
OUTSIDE = "is outside its array"
"""Says the interpreter; memory being endless here, of an unsigned index below 0."""


@dataclass(frozen=True)
class Agreement:
    """runs: how many gave the same bits. whole: all that is written was compared; not so what is collected
    over cells, which the two add up in orders of their own."""

    runs: int
    whole: bool


class _Endless(MutableSequence[Any]):
    """Memory without an end on either side: an element that nobody wrote has a value of its own."""

    def __init__(self, scalar: ir.Scalar, seed: int) -> None:
        self.scalar, self.seed = scalar, seed
        self.written: dict[int, Number] = {}
        self.read: dict[int, Number] = {}

    def __getitem__(self, place: Any) -> Any:
        if place in self.written:
            return self.written[place]
        if place not in self.read:
            self.read[place] = _number(random.Random(self.seed + place), self.scalar)
        return self.read[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        self.written[place] = value

    def __len__(self) -> int:
        return 2 * _MIDDLE

    def __delitem__(self, place: Any) -> None:
        raise TypeError("memory does not shrink")

    def insert(self, index: int, value: Any) -> None:
        raise TypeError("memory does not grow")


def _number(generator: random.Random, scalar: ir.Scalar) -> Number:
    if scalar.kind == "b":
        return generator.random() < 0.5
    if scalar.is_float:
        return rounded(generator.choice((1, 1, -1)) * generator.uniform(0.1, 2.0), scalar)
    return generator.randrange(4)


def witnessed(loop: Body, generated: Body, kernels: Sequence[Recovered]) -> Agreement | Counterexample:
    """Run both bodies for several sizes, drawn at random, for which the boxes are neither empty nor large and
    no element belongs to two cells."""
    bodies = [*loop, *generated]
    pointers, scalars = _pointers(bodies), _scalars(bodies)
    collected = {name for kernel in kernels for name in _collected(kernel)}
    generator = random.Random(1)
    runs = 0
    for attempt in range(ATTEMPTS):
        if runs == RUNS or (runs and not scalars):
            break
        values = {s.name: _argument(generator, s, 4 + attempt // 20) for s in scalars}
        if not all(_suits(kernel, values) for kernel in kernels):
            continue
        found = _compared(loop, generated, pointers, values, collected, attempt)
        if isinstance(found, Counterexample):
            return found
        runs += found
    return Agreement(runs, not collected)


def _collected(kernel: Recovered) -> Iterator[str]:
    """The arrays that receive what a kernel collects over cells, and those that it is collected in."""
    for output in kernel.kernel.outputs:
        yield from (output.name, f"{output.name}_work", output.name.rpartition("_")[0])
    for name, _ in kernel.finishes:
        yield name


def shortened(body: Body, kernels: Sequence[Recovered]) -> tuple[Body, list[Recovered]]:
    """Loops of fixed length with fewer iterations, and the kernels with boxes to match."""
    lengths = {
        (counter, extent.constant)
        for kernel in kernels
        for counter, extent in zip(kernel.counters, kernel.extents, strict=True)
        if extent.constant is not None and extent.constant > SHORT
    }
    loops = [s for s in statements(body) if isinstance(s, ir.Loop)]
    lengths &= {(s.counter.name, _length(s)) for s in loops}

    def cut(node: Any) -> Any:
        if not (isinstance(node, ir.Loop) and (node.counter.name, _length(node)) in lengths):
            return node
        return dataclasses.replace(node, end=integer((number_of(node.begin) or 0) + SHORT))

    boxes = [
        dataclasses.replace(
            kernel,
            extents=tuple(
                polynomial(SHORT) if (counter, extent.constant) in lengths else extent
                for counter, extent in zip(kernel.counters, kernel.extents, strict=True)
            ),
        )
        for kernel in kernels
    ]
    return tuple(transform(statement, cut) for statement in body), boxes


def _length(loop: ir.Loop) -> int | None:
    """How many iterations a loop has that takes each number between two known ones."""
    begin, end = number_of(loop.begin), number_of(loop.end)
    return end - begin if begin is not None and end is not None and number_of(loop.step) == 1 else None


def _argument(generator: random.Random, symbol: ir.Symbol, largest: int) -> Number:
    assert isinstance(symbol.type, ir.Scalar)
    if symbol.type.is_float or symbol.type.kind == "b":
        return _number(generator, symbol.type)
    return generator.randrange(largest) if generator.random() < 0.4 else generator.randrange(2, 2 * largest)


def _suits(kernel: Recovered, values: Mapping[str, Number]) -> bool:
    """Whether a size is one that the loop was written for."""
    try:
        extents = [_value(extent, values) for extent in kernel.extents]
    except KeyError:
        return True  # an extent that is no polynomial of arguments: any size is as good as another
    if min(extents) < 1 or math.prod(extents) > CELLS:
        return False
    written = _written(kernel)
    own = all(_apart(kernel, name, extents, values) for name in kernel.placements if name in written)
    return own and _no_element_twice(kernel, written, extents, values)


def _written(kernel: Recovered) -> set[str]:
    """The fields that a kernel stores to."""
    return {
        s.target.field.name
        for s in statements(kernel.kernel.body)
        if isinstance(s, ir.Store) and isinstance(s.target, ir.Access)
    }


def _no_element_twice(
    kernel: Recovered, written: Container[str], extents: Sequence[int], values: Mapping[str, Number]
) -> bool:
    """Whether fields that are parts of one array share no element, if one of them is written."""
    whole = [kernel.sources[name] for name in kernel.placements]
    parts = [name for name in kernel.placements if whole.count(kernel.sources[name]) > 1]
    try:
        elements = {name: set(_elements(kernel, name, extents, values)) for name in parts}
    except KeyError:
        return True
    return all(
        elements[one].isdisjoint(elements[other])
        for one in parts
        for other in parts
        if one in written and one != other and kernel.sources[one] == kernel.sources[other]
    )


def _elements(
    kernel: Recovered, name: str, extents: Sequence[int], values: Mapping[str, Number]
) -> Iterator[int]:
    """The elements of its array that a field touches."""
    placement = kernel.placements[name]
    first = _value(placement.first(kernel.begins), values)
    strides = [_value(stride, values) for stride in placement.strides]
    apart = _value(placement.component_stride, values)
    accesses = {
        node
        for node in expressions(kernel.kernel.body)
        if isinstance(node, ir.Access) and node.field.name == name
    }
    for cell in itertools.product(*map(range, extents)):
        for access in accesses:
            at = zip(cell, access.offsets, strides, strict=True)
            yield first + sum((c + o) * s for c, o, s in at) + access.component * apart


def _apart(kernel: Recovered, name: str, extents: Sequence[int], values: Mapping[str, Number]) -> bool:
    """Whether each cell has elements of its own."""
    placement = kernel.placements[name]
    try:
        sizes = [
            (abs(_value(stride, values)), extent)
            for stride, extent in zip(placement.strides, extents, strict=True)
            if stride != Polynomial()
        ]
        if placement.size:
            sizes.append((abs(_value(placement.component_stride, values)), placement.size))
    except KeyError:
        return True
    covered = 0
    for stride, extent in sorted(sizes):
        if stride <= covered:
            return False
        covered += stride * (extent - 1)
    return True


def _value(size: Polynomial, values: Mapping[str, Number]) -> int:
    total = 0
    for monomial, factor in size.terms.items():
        product = factor
        for atom in monomial:
            if not isinstance(atom, ir.Symbol):
                raise KeyError(atom)
            product *= int(values[atom.name])
        total += product
    return total


def _compared(
    loop: Body,
    generated: Body,
    pointers: Mapping[str, ir.Scalar],
    values: Mapping[str, Number],
    collected: Container[str],
    seed: int,
) -> bool | Counterexample:
    """Whether both can be run; a counterexample where only one can, or some bit differs."""
    memories: list[dict[str, _Endless]] = []
    problems: list[str] = []
    for body in (loop, generated):
        if problems and OUTSIDE in problems[0]:
            return False  # of these sizes the loop itself leaves its arrays
        memory = {n: _Endless(t, (seed << 50) + (at << 60)) for at, (n, t) in enumerate(pointers.items())}
        arrays = {name: Array(own, _MIDDLE, (1,), (1,)) for name, own in memory.items()}
        kernel = ir.Kernel("witness", (), (), Sparse("none"), tuple(body))
        try:
            run(kernel, arrays, dict(values) | {"first": 0, "last": 0})
        except (InterpretationError, ZeroDivisionError, OverflowError, KeyError) as error:
            problems.append(f"{type(error).__name__}: {error}")
        memories.append(memory)
    if len(problems) == 2:
        return False
    if problems:
        return Counterexample("only one of the loop and the kernel can be run", "", values, tuple(problems))
    for name in pointers:
        one, other = memories[0][name], memories[1][name]
        for place in sorted(one.written.keys() | other.written.keys()):
            if name not in collected and repr(one[place]) != repr(other[place]):
                where = f"{name}[{place - _MIDDLE}]"
                return Counterexample("a run gives another value", where, values, (one[place], other[place]))
    return True


def _pointers(body: Body) -> dict[str, ir.Scalar]:
    """The arrays that come from outside, and the type of their elements."""
    own = {s.symbol.name for s in statements(body) if isinstance(s, (ir.Let, ir.Local))}
    return {
        node.name: node.type.element
        for node in walk(body)
        if isinstance(node, ir.Symbol) and isinstance(node.type, ir.Pointer) and node.name not in own
    }


def _scalars(body: Body) -> list[ir.Symbol]:
    """The numbers that come from outside."""
    own = {s.symbol for s in statements(body) if isinstance(s, (ir.Let, ir.Var))}
    own |= {s.counter for s in statements(body) if isinstance(s, (ir.Loop, ir.While))}
    names = {symbol.name for symbol in own}
    found = {n for n in walk(body) if isinstance(n, ir.Symbol) and isinstance(n.type, ir.Scalar)}
    return sorted((s for s in found - own if s.name not in names), key=lambda symbol: symbol.name)
