# SPDX-License-Identifier: Apache-2.0
"""Compile generated kernels for all targets (CUDA through the emulation header) and call their flat C
entries."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from heddle.build import files, write
from heddle.emit.signature import arguments
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array
from heddle.ir.rounding import Number
from heddle.ir.space import PLACES
from heddle.module import Module
from models import FULL

ROOT = Path(__file__).resolve().parents[2]
EMULATION = ROOT / "tests" / "emulation" / "include"
STRICT = (
    "-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror "
    "-ffp-contract=off -fno-math-errno -fno-trapping-math"
).split()
# What users compile with, cpu has in test_compiled.py, in test_nan.py and with --full; the rest is quicker.
OPTIMISE = {"cpu": ["-O3" if FULL else "-Og"], "reference": ["-Og"], "cuda": ["-Og"], "hip": ["-Og"]}
FLAGS = {"cpu": ["-march=native", "-fopenmp"], "hip": ["-D__HIP_PLATFORM_AMD__"]}
WAVES = {name: f"-DHEDDLE_EMULATION_WAVE={t.gpu.wave}" for name, t in TARGETS.items() if t.gpu is not None}
DTYPES: dict[str, Any] = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "bool": np.bool_,
    "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32,
}  # fmt: skip
SCALARS: dict[str, Any] = {
    "f64": ctypes.c_double, "f32": ctypes.c_float, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
    "u32": ctypes.c_uint32,
}  # fmt: skip
SUFFIXES = {name: target.suffix for name, target in TARGETS.items()} | {
    "unit": "_unit",
    "unchecked": "_unchecked",
    "checked": "_checked",
}


class Library:
    """The kernels of some modules, each with the targets it is built for, in one shared library: not cuda and
    hip together, whose waves differ. plain: not optimised, which is quicker.

    Without -fno-gnu-unique, a process that has loaded several of these libraries has one copy of the
    emulation's statics, those of the first wave.
    """

    def __init__(
        self, folder: Path, modules: Sequence[tuple[Module, Sequence[str]]], plain: bool = False
    ) -> None:
        self.folder = folder
        self.flags = {
            target: [*(["-O0"] if plain else best), *FLAGS.get(target, []), *WAVES.get(target, "").split()]
            for target, best in OPTIMISE.items()
        }
        self.units: dict[str, Path] = {}
        sources: dict[str, list[str]] = {}
        self.includes: list[str] = ["-I", str(EMULATION), "-I", str(folder)]
        for module, targets in modules:
            texts = files(module, targets)
            write(texts, folder)
            for target in targets:
                for kernel in module.kernels:
                    name = f"{module.name}/{kernel}{TARGETS[target].files[-1]}"
                    sources.setdefault(target, []).append(f'#include "{name}"\n')
            self.includes += ["-I", str(folder / module.name)]
        for target, lines in sources.items():  # one unit a target: headers are read once
            self.units[target] = folder / f"all_{target}.cpp"
            self.units[target].write_text("".join(sorted(lines)))

    def compile(self) -> ctypes.CDLL:
        """Build with g++ under the strict warnings and load it."""
        library = self.folder / "kernels.so"
        objects = [self.folder / f"{target}.o" for target in self.units]

        def build(target: str, result: Path) -> None:
            run(
                [
                    "g++",
                    *STRICT,
                    *self.flags[target],
                    "-fPIC",
                    "-fno-gnu-unique",
                    "-c",
                    str(self.units[target]),
                    *self.includes,
                    "-o",
                    str(result),
                ]
            )

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(build, self.units, objects))
        run(["g++", "-shared", "-fopenmp", *map(str, objects), "-pthread", "-o", str(library)])
        return ctypes.CDLL(str(library))

    def check(self, target: str, compiler: str) -> None:
        """Whether a compiler takes the text without a warning."""
        openmp = ["-fopenmp-simd"] if target == "cpu" else []
        run([compiler, *STRICT, *openmp, "-fsyntax-only", str(self.units[target]), *self.includes])


def run(command: list[str]) -> None:
    """Run a command; what it says becomes the failure."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


class Memory:
    """NumPy memory with the contents of interpreter arrays."""

    def __init__(self, kernel: ir.Kernel, arrays: Mapping[str, Array]) -> None:
        kinds = {f.name: str(f.type) for f in kernel.fields} | {
            name: "u32" for name in ("neighbour", "neighbour_run", "neighbour_chunk", "cells")
        }
        self.arrays = arrays
        self.data = {name: np.array(a.values, DTYPES[kinds[name]]) for name, a in arrays.items()}
        self.outputs = {symbol.name: np.zeros(1, DTYPES[str(symbol.type)]) for symbol in kernel.outputs}
        for name, output in list(self.outputs.items()):  # one value for each cell is more than enough
            cells = 2 * max(data.size for data in self.data.values()) + 2
            self.outputs[f"{name}_work"] = np.full(cells, np.nan, output.dtype)

    def pointer(self, name: str) -> ctypes.c_void_p:
        data = self.outputs.get(name, self.data.get(name))
        assert data is not None
        origin = self.arrays[name].origin if name in self.arrays else 0
        return ctypes.c_void_p(data.ctypes.data + origin * data.itemsize)

    def differences(self, other: Mapping[str, Array]) -> list[str]:
        """Names of the arrays that differ from the interpreter's in some bit."""
        return [
            name
            for name, data in self.data.items()
            if not same(data, np.array(other[name].values, data.dtype))
        ]


def same(a: Any, b: Any) -> bool:
    """Equal bits; one NaN is like another."""
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    return bool(np.all((np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def call(
    library: ctypes.CDLL,
    entry: str,
    kernel: ir.Kernel,
    memory: Memory,
    scalars: Mapping[str, Number],
    target: str,
    replaced: Mapping[str, Any] | None = None,
) -> int:
    """Call the flat entry of a target; `replaced` puts other values in place of some arguments."""
    passed: list[Any] = []
    lists = {"cell_count": "cells", "neighbour_stride": "neighbour"}
    if PLACES[0] in memory.arrays:  # cells of a box
        lists["cell_count"] = PLACES[0]
    for argument in arguments(kernel):
        name = argument.name
        if replaced and name in replaced:
            passed.append(replaced[name])
        elif (
            argument.role in ("array", "entries", "table", "runs", "chunks", "output", "work")
            or name == "cells"
        ):
            passed.append(memory.pointer(name))
        elif argument.role in ("extent", "stride"):
            assert argument.field is not None
            numbers = getattr(memory.arrays[argument.field.name], argument.role)
            passed.append((ctypes.c_int64 * len(numbers))(*numbers))
        elif name in lists:
            array = memory.arrays[lists[name]]
            passed.append(ctypes.c_int64(array.extent[0] if name == "cell_count" else array.stride[1]))
        else:
            passed.append(SCALARS[str(argument.kind)](scalars[name]))
    if target in TARGETS and TARGETS[target].threads:
        passed.append(ctypes.c_void_p(None))
    return int(getattr(library, entry + SUFFIXES[target])(*passed))
