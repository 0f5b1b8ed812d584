# SPDX-License-Identifier: Apache-2.0
"""What somebody who follows a recipe of CONTRIBUTING.md writes: one small example each, file by file."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from compiled import Library, Memory, call
from heddle import Module
from heddle.ir.interpret import run
from running import memory, scalars

ROOT = Path(__file__).resolve().parents[2]


def works(module: Module, folder: Path, target: str, tolerance: float = 0.0) -> dict[str, Any]:
    """Emit the only kernel of a module, compile it and run it on random fields: what they hold afterwards is
    what the interpreter has, to a relative tolerance. Returns it by field, after `before <field>`."""
    ((name, _),) = module.kernels.items()
    kernel = module.stages(name, "f64", target).lowered
    generator, extent = random.Random(1), (40, 3, 2)[: kernel.space.dimensions]
    arrays, numbers = memory(kernel, extent, generator, plain=True), scalars(kernel, generator)
    found = Memory(kernel, arrays)
    library = Library(folder, [(module, (target,))], plain=True).compile()
    assert call(library, f"{module.name}_{name}_f64", kernel, found, numbers, target) == 0
    before = {f"before {field}": np.array(array.values) for field, array in arrays.items()}
    outputs = run(kernel, arrays, numbers).outputs
    for field, array in arrays.items():
        np.testing.assert_allclose(found.data[field], array.values, rtol=tolerance, atol=0)
    for output, value in outputs.items():
        np.testing.assert_allclose(found.outputs[output][0], value, rtol=tolerance, atol=0)
    assert outputs or any((before[f"before {field}"] != data).any() for field, data in found.data.items())
    return before | found.data


@dataclass(frozen=True)
class After:
    """Lines that come after the line with these words in a file that is there."""

    words: str
    added: str

    def __call__(self, text: str) -> str:
        (line,) = (line for line in text.splitlines(keepends=True) if self.words in line)
        return text.replace(line, line + self.added)


@dataclass(frozen=True)
class Appended:
    """Lines at the end of a file that is there."""

    added: str

    def __call__(self, text: str) -> str:
        return text + self.added


Change = str | tuple[After | Appended, ...]
"""The text of a new file, or what is added to one."""


@dataclass(frozen=True)
class Recipe:
    """title: of the recipe in CONTRIBUTING.md. name: what <name> stands for there. sources: so many of the
    files are no tests. changes: by path. tests: what pytest runs of the files, and of their cases those whose
    names have one of these words.
    """

    title: str
    name: str
    sources: int
    changes: Mapping[str, Change]
    tests: tuple[str, ...]
    words: str = ""


def block_of_the_recipe(beginning: str) -> str:
    """The class that a recipe shows, from a line of it on."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return beginning + text.partition(beginning)[2].partition("\n\n\n")[0] + "\n"


MATH_FUNCTION = Recipe(
    "Add a math function",
    "erf",
    1,
    {
        "generator/heddle/ir/functions.py": (
            After(
                '"std::tanh"',
                '    "erf": Function(1, math.erf, "std::erf", False, c_names=("erff",), sympy="erf"),\n',
            ),
        ),
        "tests/generator/ir/test_functions.py": (
            Appended("""

def test_erf_is_odd_and_ends_at_one(tmp_path: Path) -> None:
    from recipes import works

    u, v, w = fields("u, v, w: real[1D]")
    module = Module("far", precisions=("f64",))
    odd, end = sympy.erf(u.here) + sympy.erf(-u.here), sympy.erf(9 + u.here**2)
    module.add("out", [Assignment(v.here, odd), Assignment(w.here, end)])
    after = works(module, tmp_path, "cpu", tolerance=4e-16)
    assert set(after["v"][1:-1]) == {0.0}
    assert set(after["w"][1:-1]) == {1.0}
"""),
        ),
    },
    ("tests/generator/ir/test_functions.py",),
    "erf or models_call",
)

IMPORTED = "from heddle.lbm.boundary.absorbing import Absorbing\n"
BOUNDARY_CONDITION = Recipe(
    "Add a boundary condition",
    "absorbing",
    1,
    {
        "generator/heddle/lbm/boundary/absorbing.py": f'''\
# SPDX-License-Identifier: Apache-2.0
"""A wall that returns a share of what arrives."""

import sympy

from heddle.lbm.boundary.cell import BoundaryCell
from heddle.lbm.boundary.condition import BoundaryCondition, BoundaryState
from heddle.model.equations import Equations, Scalar, multiply, quantity


{block_of_the_recipe("class Absorbing(").replace("lbm.BoundaryCondition", "BoundaryCondition")}''',
        "tests/generator/lbm/test_absorbing.py": '''\
# SPDX-License-Identifier: Apache-2.0
"""A wall that returns half of what arrives, against one that returns all of it."""

from pathlib import Path

import numpy as np
from heddle import Module, lbm
from heddle.lbm.boundary.absorbing import Absorbing
from recipes import works


def swept(condition: lbm.BoundaryCondition, folder: Path) -> dict[str, np.ndarray]:
    module = Module("room", precisions=("f64",))
    module.add("wall", lbm.Pull(lbm.Lattice("D2Q9")).boundary(condition, face="e"))
    return works(module, folder, "cpu")


def test_half_of_what_arrives_comes_back(tmp_path: Path) -> None:
    half = swept(Absorbing(0.5), tmp_path / "half")
    whole = swept(lbm.NoSlip(lbm.Lattice("D2Q9")), tmp_path / "whole")
    changed = whole["f"] != whole["before f"]
    assert changed.any()
    assert np.array_equal(half["f"][changed], 0.5 * whole["f"][changed])
''',
        "tests/generator/lbm/test_boundary_matrix.py": (
            After("from heddle.errors import", IMPORTED),
            After(
                '"free slip": Boundary(',
                '    "absorbing": Boundary(lambda over: Absorbing("a"), {"a": 0.9}),\n',
            ),
        ),
        "tests/generator/lbm/test_every_combination.py": (
            After("from heddle.build import", IMPORTED),
            After('"FreeSlip": lbm.FreeSlip,', '    "Absorbing": lambda: Absorbing("share"),\n'),
        ),
    },
    (
        "tests/generator/lbm/test_absorbing.py",
        "tests/generator/lbm/test_boundary_matrix.py",
        "tests/generator/lbm/test_every_combination.py",
    ),
    "absorbing or every_condition_has_a_row",
)

PASS = Recipe(
    "Add a pass",
    "double_by_adding",
    2,
    {
        "generator/heddle/passes/double_by_adding.py": '''\
# SPDX-License-Identifier: Apache-2.0
"""double_by_adding: twice a named value is its sum with itself, which has the same bits.

before   mul(2, a)
after    add(a, a)
"""

from __future__ import annotations

import dataclasses

from heddle.ir.nodes import Const, Expression, Kernel, Op, Symbol
from heddle.ir.stages import Request
from heddle.ir.visit import transform_expressions


def double_by_adding(kernel: Kernel, request: Request) -> Kernel:
    """Write each product of a name with two as a sum."""
    body = tuple(transform_expressions(statement, _doubled) for statement in kernel.body)
    return dataclasses.replace(kernel, body=body)


def _doubled(expression: Expression) -> Expression:
    match expression:
        case Op("mul", (Const(2), Symbol() as name), scalar) if scalar is not None and scalar.is_float:
            return Op("add", (name, name), scalar)
    return expression
''',
        "generator/heddle/pipeline.py": (
            After("import coarsen_threads", "from heddle.passes.double_by_adding import double_by_adding\n"),
            After("    select_functions,", "    double_by_adding,\n"),
        ),
        "tests/generator/passes/test_double_by_adding.py": '''\
# SPDX-License-Identifier: Apache-2.0
"""double_by_adding: the bits before and after, and the text."""

from pathlib import Path

import numpy as np
from heddle import Assignment, Module, fields
from heddle.build import files, write
from heddle.roundtrip.report import proved
from recipes import works
from running import agree
from sympy import Symbol

u, v = fields("u, v: real[1D]")
MODULE = Module("doubled", precisions=("f64",))
MODULE.add("up", [Assignment(Symbol("a"), u.here * v.here), Assignment(v.here, 2 * Symbol("a"))])


def test_bits_after_each_pass() -> None:
    for target in ("reference", "cpu", "cuda"):
        agree(MODULE.kernels["up"], "f64", target, seed=1)


def test_text(tmp_path: Path) -> None:
    texts = files(MODULE, ["cpu"])
    assert "a + a;" in texts["doubled/up.cpp"]
    write(texts, tmp_path)
    assert [verdict.problem for verdict in proved(MODULE, ["cpu"], tmp_path)] == [""]


def test_compiled(tmp_path: Path) -> None:
    after = works(MODULE, tmp_path, "cpu")
    inside = slice(1, -1)
    assert np.array_equal(after["v"][inside], (2 * (after["u"] * after["before v"]))[inside])
''',
    },
    ("tests/generator/passes/test_double_by_adding.py",),
)

DEVICE_CALL = Recipe(
    "Add a device call",
    "add_line",
    2,
    {
        "runtime/include/heddle/device/add_line.hpp": """\
// SPDX-License-Identifier: MIT-0
#ifndef HEDDLE_DEVICE_ADD_LINE_HPP
#define HEDDLE_DEVICE_ADD_LINE_HPP

#include <cstdint>

namespace heddle {

/// `local[l] += row[first + l]` for 0 <= l < count.
template <int length, typename T>
inline void add_line(T* local, const T* row, std::int64_t first, std::int64_t count) {
  for (std::int64_t l = 0; l < count; ++l) { local[l] = local[l] + row[first + l]; }
}

}  // namespace heddle

#endif
""",
        "generator/heddle/ir/device_calls.py": (
            After(
                "_LINE = {",
                """

def _add_line(
    local: Symbol, row: Symbol, first: Expression, count: Expression, length: int
) -> Sequence[Statement]:
    return _lanes(count, Load(local, LANE), operate("add", Load(local, LANE), _line(row, first)))


""",
            ),
            After(
                "DEVICE_CALLS: dict[",
                """\
    # local[l] += row[first + l] for l < count.
    "add_line": DeviceFunction(
        "add_line.hpp",
        {"local": ARRAY, **_LINE, "count": VALUE},
        _add_line,
        template=("length",),
        requires=_fits,
    ),
""",
            ),
        ),
        "tests/generator/ir/test_device_calls.py": (
            Appended('''

def test_add_line(tmp_path: Path) -> None:
    """v = 1 + u: interpreted, and compiled with the header."""
    import ctypes
    import subprocess

    added = device_call("add_line", local=ROOM, row=U, first=integer(0), count=COUNT, length=LENGTH)
    arrays = memory(kernel(added), (LENGTH,), random.Random(1), plain=True)
    run(kernel(added), arrays)
    expected = [1.0 + u for u in arrays["u"].values]
    assert arrays["v"].values == expected
    assert headers_of([kernel(added)], CPU) == ["add_line.hpp", "preconditions.hpp", "rounding.hpp"]
    path, library = tmp_path / "adding.cpp", tmp_path / "adding.so"
    head = \'extern "C" void adding(const double* u, double* v, std::int64_t n_x)\'
    text = StatementPrinter(CPU).block(kernel(added).body)
    path.write_text(f\'#include "{HEADERS / "add_line.hpp"}"\\n{head} {{\\n{text}\\n}}\\n\')
    strict = "-std=c++20 -Wall -Wextra -Werror -Wno-unknown-pragmas -shared -fPIC".split()
    subprocess.run(["g++", *strict, path, "-o", library], check=True)
    u = (ctypes.c_double * LENGTH)(*arrays["u"].values)
    v = (ctypes.c_double * LENGTH)()
    ctypes.CDLL(str(library)).adding(u, v, ctypes.c_int64(LENGTH))
    assert list(v) == expected
'''),
        ),
    },
    ("tests/generator/ir/test_device_calls.py",),
    "add_line or fit",
)

TARGET = Recipe(
    "Add a target",
    "tin",
    2,
    {
        "generator/heddle/emit/targets.py": (
            After(
                "TARGETS = {",
                """\
TIN = Target(
    "tin",
    outer="thread",
    inner="thread",
    suffix="_tin",
    files=(".tin.hpp", ".tin"),
    gpu=Gpu(
        language="Tin",
        include=\'"heddle/device/gpu.hpp"\',
        stream="tinStream_t",
        qualifiers="__global__ void",
        bounds_blocks=False,
        coordinates=_CELL,
        wave=64,
    ),
)
TARGETS["tin"] = TIN
""",
            ),
        ),
        "runtime/include/heddle/device/gpu.hpp": (
            After("#include <hip/hip_runtime.h>", "#elif defined(__TIN__)\n#include <tin/tin_runtime.h>\n"),
            After(
                "return __shfl_down(", "#elif defined(__TIN__)\n  return __tin_shuffle(value, distance);\n"
            ),
        ),
        "tests/emulation/include/tin/tin_runtime.h": """\
// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_TIN_RUNTIME_H
#define HEDDLE_EMULATION_TIN_RUNTIME_H

#include "../cuda_runtime.h"

template <class T>
T __tin_shuffle(T value, unsigned distance, heddle::emulation::Place place = heddle::emulation::here()) {
  using namespace heddle::emulation;
  const Lanes half = all_lanes >> (wave - 32u) << (lane_number() & ~31u);
  return shuffle_down(half, value, distance, 32, place);
}

#endif
""",
        "tests/generator/compiled.py": (
            After("OPTIMISE = {", 'OPTIMISE["tin"] = ["-O1"]\n'),
            After("FLAGS = {", 'FLAGS["tin"] = ["-D__TIN__"]\n'),
        ),
        "tests/generator/emit/test_tin.py": '''\
# SPDX-License-Identifier: Apache-2.0
"""A reduction with a thread for each cell, which shuffles, and the names in the text."""

from pathlib import Path

from heddle import Module, Schedule, Threads
from heddle.build import files
from models import reduction
from recipes import works

MODULE = Module("tinned", precisions=("f64",))
MODULE.add("norms", reduction(), schedule=Schedule(gpu=Threads(block=(32, 4, 1))))


def test_bits(tmp_path: Path) -> None:
    works(MODULE, tmp_path, "tin")


def test_text() -> None:
    texts = files(MODULE, ["tin"], sweeps=False)
    assert "tinStream_t" in texts["tinned/tinned.h"]
    assert "tinned_norms_f64_tin(" in texts["tinned/norms.tin"]
''',
    },
    ("tests/generator/emit/test_tin.py",),
)

RECIPES = (MATH_FUNCTION, BOUNDARY_CONDITION, PASS, DEVICE_CALL, TARGET)
