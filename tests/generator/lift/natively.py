# SPDX-License-Identifier: Apache-2.0
"""Run functions of C++ and the kernels lifted from them natively on the same memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compiled import SCALARS, SUFFIXES, Library, run
from heddle.commands.lifted_model import Adopted, adopted, module_of
from heddle.emit.signature import arguments
from heddle.ir import nodes as ir
from heddle.lift.front_end import read
from heddle.lift.kernels import find, lifted
from heddle.lift.lifted import Lifted
from heddle.lift.model_writer.model_text import Origin
from heddle.lift.polynomial import Polynomial
from heddle.lift.raise_accesses import raise_accesses
from heddle.lift.recovered import Recovered

MARGIN = 64
"""Elements before and behind an array, which must not change either."""


@dataclass
class Case:
    """A function and what it is called with, in the order of its parameters. arrays: lengths. members: of
    objects in an array: by their name in the source that array, and where the first one lies in bytes."""

    text: str
    scalars: dict[str, int | float] = field(default_factory=dict)
    arrays: dict[str, int] = field(default_factory=dict)
    members: dict[str, tuple[str, int]] = field(default_factory=dict)


class Natively:
    """Originals and kernels of some cases, each compiled once. The functions are called like their cases.
    nests: what was lifted elsewhere and does what a case does."""

    def __init__(
        self, folder: Path, cases: Mapping[str, Case], nests: Mapping[str, Lifted] | None = None
    ) -> None:
        self.cases = cases
        source = folder / "originals.cpp"
        text = '#include <cmath>\n#include <cstdint>\n#include <cstddef>\nextern "C" {\n'
        text += "".join(f"{case.text}\n" for case in cases.values()) + "}\n"
        source.write_text(text)
        unit = read(source)
        self.functions = {name: find(unit, name) for name in cases}
        own = {name: lifted(unit, name) for name in cases if name not in (nests or {})} | dict(nests or {})
        self.recovered = {name: raise_accesses(own[name]) for name in cases}
        models = {n: adopted(f"{n}_m", each, Origin("originals.cpp")) for n, each in self.recovered.items()}
        self.models: dict[str, Adopted] = models
        self.modules = modules = {name: module_of(model.name, model.text) for name, model in models.items()}
        library = Library(folder, [(module, ("reference",)) for module in modules.values()], plain=True)
        self.kernels = library.compile()
        shared = folder / "originals.so"
        plain = ["g++", "-std=c++20", "-O0", "-ffp-contract=off", "-shared", "-fPIC"]
        run([*plain, str(source), "-o", str(shared)])
        self.originals = ctypes.CDLL(str(shared))

    def differences(self, name: str) -> list[str]:
        """The arrays that differ in some bit after both have run."""
        case, function = self.cases[name], self.functions[name]
        kinds = {p.symbol.name: p.symbol.type for p in function.parameters}
        generator = np.random.default_rng(7)
        memory = {n: _memory(kinds[n], length, generator) for n, length in case.arrays.items()}
        expected = {n: data.copy() for n, data in memory.items()}
        passed = [
            _pointer(expected[n], MARGIN) if n in expected else SCALARS[str(kind)](case.scalars[n])
            for n, kind in kinds.items()
        ]
        getattr(self.originals, name)(*passed)
        for each in self.recovered[name]:
            self.call(name, each, memory, case.scalars)
        return [n for n in memory if memory[n].tobytes() != expected[n].tobytes()]

    def call(self, name: str, each: Recovered, memory: Mapping[str, Any], scalars: Mapping[str, Any]) -> None:
        """The flat entry of a kernel, with what a caller passes in place of the loop."""

        def value(size: Polynomial) -> int:
            total = 0
            for monomial, factor in size.terms.items():
                for atom in monomial:
                    assert isinstance(atom, ir.Symbol)
                    factor *= int(scalars[atom.name])
                total += factor
            return total

        extents = [value(extent) for extent in each.extents]
        passed: list[Any] = []
        model = self.models[name]
        kernel = self.modules[name].typed(each.kernel.name, model.precision)
        for argument in arguments(kernel):
            owner = argument.field.name if argument.field is not None else ""
            placement = each.placements.get(owner)
            if argument.role == "array":
                first = value(placement.first(each.begins)) if placement else 0
                owned, begin = self.cases[name].members.get(each.sources[owner], (each.sources[owner], 0))
                assert argument.field is not None
                passed.append(_pointer(memory[owned], MARGIN, begin + first * argument.field.type.bytes))
            elif argument.role == "extent":
                whole = [*extents, placement.size] if placement and placement.size else extents
                passed.append((ctypes.c_int64 * len(whole))(*whole))
            elif argument.role == "stride":
                strides = [value(stride) for stride in placement.strides] if placement else [1]
                if placement and placement.size:
                    strides.append(value(placement.component_stride))
                passed.append((ctypes.c_int64 * len(strides))(*strides))
            else:
                passed.append(SCALARS[str(argument.kind)](scalars[each.sources[argument.name]]))
        suffix = {"f64": "f64", "f32": "f32"}.get(model.precision, model.precision.replace("/", "_"))
        entry = f"{model.name}_{each.kernel.name}_{suffix}{SUFFIXES['reference']}"
        status = getattr(self.kernels, entry)(*passed)
        assert status == 0, status


def _memory(kind: Any, length: int, generator: Any) -> Any:
    kinds: Sequence[tuple[str, Any]] = (
        ("f64", np.float64),
        ("f32", np.float32),
        ("i32", np.int32),
        ("i64", np.int64),
    )
    dtype = dict(kinds)[str(kind.element)]
    size = length + 2 * MARGIN
    if dtype == np.int32:
        return generator.integers(-9, 10, size).astype(dtype)
    if dtype == np.int64:
        return generator.integers(-(1 << 62), 1 << 62, size)
    return generator.uniform(-1.5, 1.5, size).astype(dtype)


def _pointer(data: Any, first: int, more: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(data.ctypes.data + first * data.itemsize + more)
