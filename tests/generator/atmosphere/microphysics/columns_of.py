# SPDX-License-Identifier: Apache-2.0
"""Run a scheme on columns given as NumPy arrays: in the interpreter, and compiled for every target."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from compiled import DTYPES, Library, Memory, call
from heddle.ir.interpret import Array, run
from heddle.ir.stages import Stages
from heddle.module import Module

TARGETS = ("reference", "cpu", "cuda")
Columns = dict[str, Any]
"""Of each field the values [level, column], of each plane [column]."""


def stages(module: Module, precision: str) -> Stages:
    """Of the only kernel of a module, which has the same arguments on all targets."""
    known = _STAGES.get((id(module), precision))
    if known is None:
        found = module.stages(next(iter(module.kernels)), precision, "reference")
        known = _STAGES[id(module), precision] = module, found
    return known[1]


_STAGES: dict[tuple[int, str], tuple[Module, Stages]] = {}


class Compiled:
    """Modules of one kernel each, compiled for some targets."""

    def __init__(self, folder: Path, modules: Sequence[tuple[Module, Sequence[str]]]) -> None:
        self.library: ctypes.CDLL = Library(folder, modules, plain=True).compile()

    def run(
        self, module: Module, columns: Mapping[str, Any], scalars: Mapping[str, float], target: str = "cpu",
        precision: str = "f64",
    ) -> Columns:  # fmt: skip
        """What the fields hold after a call; fields that are not given hold zeros before."""
        name = next(iter(module.kernels))
        kernel = stages(module, precision).kernel
        memory = Memory(kernel, arrays(kernel, columns, precision))
        assert (
            call(
                self.library,
                f"{module.name}_{name}_{precision}",
                kernel,
                memory,
                scalars,
                target,
            )
            == 0
        )
        return {f.name: memory.data[f.name].reshape(shape(f, columns)) for f in kernel.fields}


def interpreted(
    module: Module, columns: Mapping[str, Any], scalars: Mapping[str, float], precision: str = "f64",
) -> Columns:  # fmt: skip
    """The same by the interpreter."""
    kernel = stages(module, precision).lowered
    memory = arrays(kernel, columns, precision)
    assert run(kernel, memory, scalars).status == 0
    kind = DTYPES[precision]
    return {f.name: np.array(memory[f.name].values, kind).reshape(shape(f, columns)) for f in kernel.fields}


def shape(field: Any, columns: Mapping[str, Any]) -> tuple[int, ...]:
    """[component, level, column], without the first where a field has none, or without level for a plane."""
    levels, count = next(values.shape for values in columns.values() if values.ndim == 2)
    of_one = (count,) if field.rank == 2 else (levels, count)
    return (field.components, *of_one) if field.components else of_one


def arrays(kernel: Any, columns: Mapping[str, Any], precision: str) -> dict[str, Array]:
    """Memory of the interpreter, columns side by side as in WRF."""
    result = {}
    for field in kernel.fields:
        form = shape(field, columns)
        values = np.zeros(form) if field.name not in columns else columns[field.name]
        numbers = [float(value) for value in np.asarray(values, DTYPES[precision]).ravel()]
        count = form[-1]
        extent, stride = (
            ((count, 1), (1, count)) if len(form) == 1 else ((count, 1, form[-2]), (1, count, count))
        )
        if field.components:
            stride = (*stride, count * form[-2])
        result[field.name] = Array(numbers, 0, extent, stride)
    return result


def far(found: Any, wanted: Any) -> float:
    """The largest difference, as a part of the largest value."""
    return float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted)))
