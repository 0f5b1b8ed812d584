# SPDX-License-Identifier: Apache-2.0
"""Derivatives of kernels in one direction, from SymPy's diff: what adjoint kernels are compared with.

A tangent kernel computes v_dot = (dF/du) u_dot + (dF/dp) p_dot, forwards and statement by statement. Both
run in the interpreter, on NumPy's memory with ghost layers.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import sympy
from heddle import Assignment, Dense, If, Module, Reduce
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.ir.visit import statements
from heddle.model.assignment import AssignmentCollection, Statement
from heddle.model.expression import parts
from heddle.model.field import Access
from heddle.model.streaming_kernels import StreamingKernels
from heddle.module import KernelModel

GHOSTS = 2
RANDOM = np.random.default_rng(24)


def dot(symbol: sympy.Symbol) -> sympy.Symbol:
    if isinstance(symbol, Access):
        field = dataclasses.replace(symbol.field, name=f"{symbol.field.name}_dot")
        return Access(field, symbol.offsets, symbol.component)
    return sympy.Symbol(f"{symbol.name}_dot", real=True)


def _extreme(sign: int) -> Any:
    """Max or Min of real numbers as (a + b +- |a - b|) / 2, of which SymPy knows the derivative."""
    return lambda *values: functools.reduce(lambda a, b: (a + b + sign * sympy.Abs(a - b)) / 2, values)


def tangent(body: Iterable[Statement]) -> list[Statement]:
    """The statements of the tangent kernel."""
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, If):
            result.append(If(statement.condition, tangent(statement.body), statement.wall))
        if not isinstance(statement, (Assignment, Reduce)):
            continue
        value = statement.value.replace(sympy.Max, _extreme(1)).replace(sympy.Min, _extreme(-1))
        used = sorted((p for p in parts(value) if isinstance(p, sympy.Symbol)), key=str)
        slope = sympy.Add(*(sympy.diff(value, symbol) * dot(symbol) for symbol in used))
        if isinstance(statement, Reduce):
            result.append(Reduce("sum", f"{statement.name}_dot", slope))
        elif isinstance(statement.target, Access):
            result.append(Assignment(dot(statement.target), slope))
        else:
            result += [Assignment(statement.target, value), Assignment(dot(statement.target), slope)]
    return result


def with_tangent(
    kernel: Iterable[Statement] | StreamingKernels, space: Dense | None = None, **options: Any
) -> Module:
    """A module with the kernel `step`, its `tangent` and its `step_adjoint`."""
    module = Module("differentiated", precisions=("f64",))
    module.add("step", kernel, space=space)
    single: Iterable[Statement] = module.kernels["step"].statements  # type: ignore[union-attr]
    links = module.kernels["step"].space.links
    collected: Any = tangent(single)
    if links:
        collected = StreamingKernels({"": AssignmentCollection(collected)}, links)
    module.add("tangent", collected, space=space)
    module.add_adjoint("step", **options)
    return module


class Fields:
    """Memory for the kernels of a module: arrays[name][component, z, y, x] with GHOSTS ghost layers."""

    def __init__(self, module: Module, extent: tuple[int, ...], **scalars: float) -> None:
        self.module, self.extent, self.scalars = module, extent, dict(scalars)
        self.arrays: dict[str, Any] = {}
        self.results: dict[str, float] = {}
        shape = [n + 2 * GHOSTS for n in reversed(extent)]
        for model in module.kernels.values():
            assert isinstance(model, KernelModel)
            kernel = model.typed(precision("f64"))
            for field in kernel.fields:
                size = (max(field.components, 1), *shape)
                self.arrays.setdefault(field.name, 1 + 0.3 * RANDOM.uniform(-1, 1, size))
            for parameter in kernel.parameters:
                self.scalars.setdefault(parameter.name, float(RANDOM.uniform(-1, 1)))

    def stored(self, name: str) -> list[str]:
        """The names of the fields to which a kernel stores."""
        every = statements(self.module.typed(name, "f64").body)
        targets = [s.target for s in every if isinstance(s, ir.Store)]
        return list(dict.fromkeys(t.field.name for t in targets if isinstance(t, ir.Access)))

    def run(self, name: str, **scalars: float) -> dict[str, Any]:
        """Run a kernel; what it reduces."""
        kernel = self.module.typed(name, "f64")
        memory = {}
        for field in kernel.fields:
            array = self.arrays[field.name]
            steps = [stride // 8 for stride in array.strides[::-1]]  # x, y, z, component
            shape = (*self.extent, field.components) if field.components else self.extent
            origin = GHOSTS * sum(steps[: len(self.extent)])
            values = array.reshape(-1).tolist()
            memory[field.name] = Array(values, origin, shape, tuple(steps[: len(shape)]))
        outputs = run(kernel, memory, self.scalars | scalars).outputs
        for field in kernel.fields:
            self.arrays[field.name].reshape(-1)[:] = memory[field.name].values
        return outputs

    def inside(self, name: str) -> Any:
        """The interior of an array."""
        return self.arrays[name][(slice(None), *[slice(GHOSTS, -GHOSTS)] * len(self.extent))]

    def zero_around(self, name: str) -> None:
        """Set the ghost layers to zero."""
        kept = self.inside(name).copy()
        self.arrays[name][...] = 0
        self.inside(name)[...] = kept


def product(a: Any, b: Any) -> float:
    """The scalar product, exactly summed."""
    return math.fsum((a * b).reshape(-1))


def assert_equal(left: Mapping[str, float], right: Mapping[str, float]) -> None:
    """Sums of products agree to round-off: 1e-13 of the sum of their sizes."""
    terms = [*left.values(), *right.values()]
    assert any(abs(term) > 1e-3 for term in terms)
    assert abs(sum(left.values()) - sum(right.values())) < 1e-13 * max(1, *map(abs, terms)), (left, right)
