# SPDX-License-Identifier: Apache-2.0
"""Run chemistry kernels on cells given as NumPy arrays, [cell] or [component, cell]: in the interpreter, and
compiled for every target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from compiled import DTYPES, Library, Memory, call
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.module import Module

TARGETS = ("reference", "cpu", "cuda")
State = dict[str, Any]


def memory(kernel: ir.Kernel, given: Mapping[str, Any]) -> dict[str, Array]:
    """Of the interpreter, cells side by side; fields that are not given hold zeros."""
    cells = next(np.shape(v)[-1] for name, v in given.items() if np.ndim(v) and "tolerance" not in name)
    result = {}
    for field in kernel.fields:
        shape = (field.components, cells) if field.components else (cells,)
        if field.layout.table:
            shape = (field.size,)
        values = np.zeros(shape) + given.get(field.name, 0)
        numbers = values.ravel().astype(DTYPES[str(field.type)]).tolist()
        stride = (1, cells) if field.components else (1,)
        result[field.name] = Array(numbers, 0, shape[::-1], stride)
    return result


def shaped(kernel: ir.Kernel, values: Mapping[str, Any]) -> State:
    """Arrays of the fields, [component, cell]."""
    return {
        f.name: np.array(values[f.name], DTYPES[str(f.type)]).reshape((f.components or 1), -1).squeeze(0)
        if not f.components
        else np.array(values[f.name], DTYPES[str(f.type)]).reshape(f.components, -1)
        for f in kernel.fields
    }


def interpreted(
    module: Module, name: str, given: Mapping[str, Any], target: str = "reference", **scalars: float
) -> State:
    """What the fields hold after a kernel, as it is lowered for a target."""
    kernel = module.stages(name, "f64", target).lowered
    arrays = memory(kernel, given)
    assert run(kernel, arrays, scalars).status == 0
    return shaped(kernel, {field: array.values for field, array in arrays.items()})


def evaluated(module: Module, name: str, given: Mapping[str, Any], **scalars: float) -> State:
    """The same, as the model says it: with less work for a large mechanism, and the functions of Python."""
    kernel = module.typed(name, "f64")
    arrays = memory(kernel, given)
    assert run(kernel, arrays, scalars).status == 0
    return shaped(kernel, {field: array.values for field, array in arrays.items()})


class Compiled:
    """Modules compiled for some targets."""

    def __init__(self, folder: Path, modules: Sequence[tuple[Module, Sequence[str]]]) -> None:
        self.library = Library(folder, modules, plain=True).compile()

    def run(
        self, module: Module, name: str, given: Mapping[str, Any], target: str = "cpu", **scalars: float
    ) -> State:
        """What the fields hold after a kernel."""
        kernel = module.typed(name, "f64")
        held = Memory(kernel, memory(kernel, given))
        assert call(self.library, f"{module.name}_{name}_f64", kernel, held, scalars, target) == 0
        return shaped(kernel, held.data)
