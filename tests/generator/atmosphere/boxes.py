# SPDX-License-Identifier: Apache-2.0
"""Run kernels in the interpreter on NumPy arrays with ghost cells: [z, y, x]; profiles [z], planes [y, x]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from heddle.ir.interpret import Array, run
from heddle.model.assignment import AssignmentCollection
from heddle.module import Module

G = 3
TYPES = {"f64": np.float64, "f32": np.float32}


class Kernel:
    """A kernel of the model language, for the interpreter. All fields have G ghost layers."""

    def __init__(self, statements: AssignmentCollection, precision: str = "f64") -> None:
        module = Module("tested", precisions=(precision,))
        module.add("kernel", statements)
        self.kernel, self.type = module.typed("kernel", precision), TYPES[precision]

    def __call__(self, arrays: Mapping[str, Any], **scalars: float) -> dict[str, Any]:
        """The arrays of all fields afterwards; those that are not given hold NaN before."""
        box = next(a.shape for a in arrays.values() if a.ndim == 3)
        memory = {}
        for field in self.kernel.fields:
            shape = _shape(field, box)
            values = np.full(shape, np.nan) if field.name not in arrays else arrays[field.name]
            assert values.shape == shape, field.name
            strides = [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))][::-1]
            ghosts = 0 if field.layout.table else G
            extent = tuple(n - 2 * ghosts for n in shape[::-1])
            numbers = [float(value) for value in np.asarray(values, self.type).ravel()]
            memory[field.name] = Array(numbers, ghosts * sum(strides), extent, tuple(strides))
        assert run(self.kernel, memory, scalars).status == 0
        return {
            field.name: np.array(memory[field.name].values, self.type).reshape(_shape(field, box))
            for field in self.kernel.fields
        }


def _shape(field: Any, box: tuple[int, ...]) -> tuple[int, ...]:
    if field.layout.table:
        return (field.size,)
    if field.layout.along_axis:
        return (box[2 - field.axis],)
    return box[-field.rank :] if field.rank == 3 else box[1:]


def inner(array: Any) -> Any:
    """Without ghost cells."""
    return array[(slice(G, -G),) * array.ndim]


def framed(values: Any, ghost: float = np.nan) -> Any:
    """With ghost cells of one value."""
    return np.pad(np.asarray(values, np.float64), G, constant_values=ghost)


def wrapped(values: Any) -> Any:
    """With periodic ghost cells along x and y, and NaN below and above."""
    around = np.pad(np.asarray(values, np.float64), [(0, 0)] * (values.ndim - 2) + [(G, G)] * 2, "wrap")
    if values.ndim == 2:
        return around
    return np.pad(around, [(G, G), (0, 0), (0, 0)], constant_values=np.nan)
