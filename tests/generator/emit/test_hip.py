# SPDX-License-Identifier: Apache-2.0
"""HIP text on the CPU: every golden kernel, reductions in blocks of all shapes, and rounds that lanes share,
with waves of 64 threads against the reference target, bit for bit."""

from __future__ import annotations

import ctypes
import dataclasses
import random
import re

import pytest
from compiled import ROOT, WAVES, Library, Memory, call
from heddle import Module, Schedule, Threads, WarpPerCell, chemistry
from heddle.build import files, load
from heddle.emit.targets import CUDA, HIP
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array
from heddle.ir.rounding import Number
from heddle.ir.schedule import precision
from heddle.ir.target import device_of
from models import coloured_reduction, column_reduction, reduction
from running import array, listed_memory, memory, scalars

GOLDEN = ROOT / "tests" / "golden"
BLOCKS = {"row": (64, 2, 1), "half": (32, 4, 1), "odd": (96, 1, 1)}
"""Of reductions: whole waves along x, waves of two rows, and a wave and a half."""
EXTENT = (38, 6, 5)
Kernels = dict[tuple[str, str], tuple[Module, str]]
"""Module and kernel by name, and the precision that is run."""


def goldens() -> Kernels:
    """Every kernel of which a file is golden, alone in a module of its own."""
    found: Kernels = {}
    for path in sorted(GOLDEN.glob("*/*")):
        name = path.name.partition(".")[0].removesuffix("_reference")
        if path.name.startswith(path.parent.name) and path.suffix in (".h", ".hpp"):
            continue  # a header of the whole module
        model = re.search(r"from (\S+\.py)\.", path.read_text())
        assert model is not None, path
        whole = load(ROOT / model[1], ROOT)
        chosen = "f16" if "f16" in path.parent.name else whole.precisions[0]
        alone = Module(f"{whole.name}_{name}", precisions=(chosen,))
        alone.kernels[name], alone.model = whole.kernels[name], whole.model
        found[whole.name, name] = alone, chosen
    return found


def reductions() -> Kernels:
    module = Module("reduced", precisions=("f64",))
    for shape, block in BLOCKS.items():
        module.add(f"norms_{shape}", reduction(), schedule=Schedule(gpu=Threads(block=block)))
        module.add(
            f"colours_{shape}", coloured_reduction(), schedule=Schedule(colours=2, gpu=Threads(block=block))
        )
    module.add("columns", column_reduction())
    return {("reduced", name): (module, "f64") for name in module.kernels}


def shared_rounds() -> Kernels:
    """Chemistry whose lanes share rounds, of one cell at once and of eight: a block is half a wave."""
    found = chemistry.Mechanism("few")
    names = [f"S{n}" for n in range(4)]
    found.species("X", *names)
    for n, name in enumerate(names):
        found.reaction(f"{name} + X -> {names[(n + 1) % 4]}", rate=1.0 + n)
        found.reaction(f"{name} -> X + {names[(n + 3) % 4]}", rate=0.5 + n)
    solver = chemistry.Rosenbrock(found, "Rodas3", dimensions=1, max_steps=50)
    module = Module("shared_rounds", precisions=("f64",))
    for name, gpu in {"one": WarpPerCell(cells=5), "eight": WarpPerCell(cells_at_once=8, cells=32)}.items():
        module.add(name, solver.integrate(), schedule=Schedule(gpu=gpu, math="reproducible"))
    return {(module.name, name): (module, "f64") for name in module.kernels}


KERNELS = goldens() | reductions() | shared_rounds()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    modules = list({module.name: module for module, _ in KERNELS.values()}.values())
    folder = tmp_path_factory.mktemp("hip")
    return Library(folder, [(module, ("reference", "hip")) for module in modules], plain=True).compile()


def memory_of(kernel: ir.Kernel, generator: random.Random) -> tuple[dict[str, Array], dict[str, Number]]:
    """Random memory for a kernel of any space; that of interleaved blocks is one array of all of them."""
    if kernel.space.is_list:
        return listed_memory(kernel, (6, 5, 4)[: max(f.rank for f in kernel.fields)], generator)
    numbers = scalars(kernel, generator)
    if kernel.space.packs:
        return packed_memory(kernel, generator), numbers | {"box_count": 2, "longest": 12}
    arrays = memory(kernel, EXTENT[: kernel.space.dimensions], generator, plain=True)
    if kernel.space.walls:
        numbers["walls"] = 0b0101
    lanes = kernel.space.interleave
    for name, one in arrays.items() if lanes > 1 else ():
        values = [value for v in one.values for value in (v, *generator.sample(one.values, lanes - 1))]
        arrays[name] = Array(values, lanes * one.origin, one.extent, tuple(lanes * s for s in one.stride))
    return arrays, numbers


def packed_memory(kernel: ir.Kernel, generator: random.Random) -> dict[str, Array]:
    """Fields, two boxes of their cells (field, component, first cell, extent, place), and the message."""
    arrays = {
        f.name: array(generator, f.type, (7, 5, 3), f.components, f.ghost_layers, False, True)
        for f in kernel.fields
        if not f.layout.per_entry
    }
    boxes = [0, 1, 6, -1, 0, 1, 3, 2, 0, 1, 0, 0, 0, 1, 3, 2, 2, 6]
    arrays["boxes"] = Array(boxes, 0, (len(boxes),), (1,))
    buffer = next(f for f in kernel.fields if f.name == "buffer")
    arrays["buffer"] = array(generator, buffer.type, (18,), 0, 0, False, True)
    return arrays


def test_a_wave_of_amd_has_64_threads() -> None:
    assert HIP.gpu is not None
    assert HIP.gpu.wave == 64
    assert WAVES == {"cuda": "-DHEDDLE_EMULATION_WAVE=32", "hip": "-DHEDDLE_EMULATION_WAVE=64"}


@pytest.mark.compiles
@pytest.mark.parametrize("name", KERNELS, ids="/".join)
def test_waves_of_64_threads_give_the_same(library: ctypes.CDLL, name: tuple[str, str]) -> None:
    module, chosen = KERNELS[name]
    kernel = module.stages(name[1], chosen, "reference").kernel
    arrays, numbers = memory_of(kernel, random.Random(3))
    entry = f"{module.name}_{name[1]}_{precision(chosen).suffix}"
    expected, found = Memory(kernel, arrays), Memory(kernel, arrays)
    for lane in range(kernel.space.interleave):  # the reference knows one block
        expected.arrays = {
            field: dataclasses.replace(one, origin=one.origin + lane) for field, one in arrays.items()
        }
        assert call(library, entry, kernel, expected, numbers, "reference") == 0
    assert call(library, entry, kernel, found, numbers, "hip") == 0
    data = {field: Array(list(values), 0, (), ()) for field, values in expected.data.items()}
    assert found.differences(data) == []
    for output in kernel.outputs:
        assert found.outputs[output.name][0] == expected.outputs[output.name][0]
    assert found.differences(arrays) or kernel.outputs, "the kernel has changed nothing"


def test_every_golden_kernel_is_run() -> None:
    for path in GOLDEN.glob("*/*"):
        if path.suffix in (".cpp", ".cu", ".cuh"):
            assert (path.parent.name, re.split(r"_reference|\.", path.name)[0]) in KERNELS


def test_kernel_text_is_that_of_cuda() -> None:
    """But for names and what compilers are told: one text, two dialects."""
    module = load(ROOT / "examples" / "first_kernel" / "model.py", ROOT)
    texts = files(module, ["cuda", "hip"], sweeps=False)
    cuda, hip = (texts[f"heat/step{target.files[0]}"] for target in (CUDA, HIP))

    def nameless(text: str) -> str:
        text = re.sub(r"Digest of this text: .*", "", text)
        return re.sub(r"heat_(cuda|hip)|HEAT_STEP_(CUH|HIP_HPP)", "", text)

    assert nameless(cuda) == nameless(hip)
    assert "cuda" not in texts["heat/step.hip"]
    assert "heat_step_f64_hip(" in texts["heat/heat.h"]
    assert "a cudaStream_t or a hipStream_t" in " ".join(texts["heat/heat.h"].split("\n// "))


def test_sweeps_leave_hip_alone() -> None:
    """heddle::runtime has no streams of HIP: sweeps call the host's kernels, or those of CUDA."""
    assert device_of([HIP]) is None
    assert device_of([HIP, CUDA]) is CUDA
    module = load(ROOT / "examples" / "first_kernel" / "model.py", ROOT)
    text = files(module, ["cpu", "hip"])["heat/heat_sweeps.hpp"]
    assert "_hip" not in text
    assert "static void host(" in text
    assert "static void device(" not in text
