# SPDX-License-Identifier: Apache-2.0
"""HIP text on the CPU: every golden kernel, reductions in blocks of all shapes, rounds that lanes share, and
one emitted kernel of each structure that depends on the wave (with HEDDLE_TESTS=full each kernel), with waves
of 64 threads against the reference target, bit for bit."""

from __future__ import annotations

import ast
import ctypes
import dataclasses
import random
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from compiled import ROOT, WAVES, Library, Memory, call
from heddle import KernelError, Module, Schedule, Threads, WarpPerCell, chemistry
from heddle.build import files, load
from heddle.emit.targets import CUDA, HIP
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array
from heddle.ir.reduction import reduces_rows
from heddle.ir.rounding import Number
from heddle.ir.schedule import GpuSchedule, precision
from heddle.ir.space import PLACES, Sparse
from heddle.ir.target import device_of
from models import FULL, coloured_reduction, column_reduction, reduction
from running import array, boxed_memory, listed_memory, memory, scalars
from waves import GENERATED, Structure, emitted, meetings, model_of, structures

GOLDEN = ROOT / "tests" / "golden"
BLOCKS = {"row": (64, 2, 1), "half": (32, 4, 1), "odd": (96, 1, 1)}
"""Of reductions: whole waves along x, waves of two rows, and a wave and a half."""
EXTENT = (38, 6, 5)
LIST = {2: (24, 18), 3: (10, 9, 5)}
"""Boxes of which lists have a third of the cells, or all: more than a wave has threads."""
PLACED = {2: (34, 33), 3: (18, 13, 13)}
"""The same of lists with a cell in four along each axis."""
Run = tuple[Module, str, str]
"""A module, the name of a kernel in it, and the precision that is run."""
Kernels = dict[tuple[str, str], Run]


def goldens() -> Kernels:
    """Every kernel of which a file is golden, alone in a module of its own."""
    found: Kernels = {}
    for path in sorted(GOLDEN.glob("*/*")):
        name = path.name.partition(".")[0].removesuffix("_reference")
        if path.name.startswith(path.parent.name) and path.suffix in (".h", ".hpp"):
            continue  # a header of the whole module
        found[path.parent.name, name] = alone(path, name, "f16" if "f16" in path.parent.name else "")
    return found


def alone(emitted_from_it: Path, name: str, chosen: str = "") -> Run:
    """A kernel in a module of its own, in one precision, by default the first one of its module. No other has
    its name: all are compiled together."""
    whole = load(model_of(emitted_from_it), ROOT)
    chosen = chosen or whole.precisions[0]
    module, own = Module(f"{whole.name}_{name}", precisions=(chosen,)), f"{name}_of_{whole.name}"
    module.kernels[own], module.model = dataclasses.replace(whole.kernels[name], name=own), whole.model
    return module, own, chosen


def reductions() -> Kernels:
    module = Module("reduced", precisions=("f64",))
    for shape, block in BLOCKS.items():
        module.add(f"norms_{shape}", reduction(), schedule=Schedule(gpu=Threads(block=block)))
        module.add(
            f"colours_{shape}", coloured_reduction(), schedule=Schedule(colours=2, gpu=Threads(block=block))
        )
    module.add("columns", column_reduction())
    return {("reduced", name): (module, name, "f64") for name in module.kernels}


def shared_rounds() -> Kernels:
    """Chemistry whose lanes share rounds, of one cell at once and of more: a block is half a wave."""
    found = chemistry.Mechanism("few")
    names = [f"S{n}" for n in range(4)]
    found.species("X", *names)
    for n, name in enumerate(names):
        found.reaction(f"{name} + X -> {names[(n + 1) % 4]}", rate=1.0 + n)
        found.reaction(f"{name} -> X + {names[(n + 3) % 4]}", rate=0.5 + n)
    solver = chemistry.Rosenbrock(found, "Rodas3", dimensions=1, max_steps=50)
    module = Module("shared_rounds", precisions=("f64",))
    step = solver.integrate()
    for at_once, cells in (1, 5), (2, 5), (4, 8), (8, 32):
        schedule = Schedule(gpu=WarpPerCell(cells_at_once=at_once, cells=cells), math="reproducible")
        module.add(f"at_once_{at_once}", step, schedule=schedule)
    return {(module.name, name): (module, name, "f64") for name in module.kernels}


KERNELS = goldens() | reductions() | shared_rounds()
EMITTED = emitted()


def one_of_each_structure() -> list[tuple[str, str]]:
    """Kernels of EMITTED, the smallest ones, but for structures that KERNELS have; with FULL all. Lanes that
    share work are left to shared_rounds(): how long they work depends on the numbers."""
    done: set[Structure] = set().union(*(EMITTED[name] for name in KERNELS if name in EMITTED))
    size = {name: (GENERATED / name[0] / f"{name[1]}.cuh").stat().st_size for name in EMITTED}
    chosen = []
    for name in sorted(EMITTED, key=lambda name: size[name]):
        work = [s for s in EMITTED[name] if not s.warps]
        if work and name not in KERNELS and (FULL or not done.issuperset(work)):
            chosen.append(name)
            done.update(work)
    return chosen


OTHERS = one_of_each_structure()


@cache
def entry(name: tuple[str, str]) -> Run:
    """A kernel that is run."""
    return KERNELS.get(name) or alone(GENERATED / name[0] / f"{name[1]}.cuh", name[1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hip")


@pytest.fixture(scope="module")
def library(folder: Path) -> ctypes.CDLL:
    modules = {id(module): module for module, _, _ in map(entry, (*KERNELS, *OTHERS))}.values()
    return Library(folder, [(module, ("reference", "hip")) for module in modules], plain=True).compile()


def memory_of(
    kernel: ir.Kernel, gpu: GpuSchedule, generator: random.Random
) -> tuple[dict[str, Array], dict[str, Number]]:
    """Random memory for a kernel of any space; that of interleaved blocks is one array of all of them."""
    if kernel.space.is_list:
        dimensions = max(f.rank for f in kernel.fields)
        if isinstance(kernel.space, Sparse) and kernel.space.box:
            arrays = boxed_memory(kernel, PLACED[dimensions], generator)
            for name in {*PLACES} & {*arrays}:  # not in the ghost layer: some look two cells further
                arrays[name].values = [place + 1 for place in arrays[name].values]
            return arrays, scalars(kernel, generator)
        return listed_memory(kernel, LIST[dimensions], generator)
    numbers = scalars(kernel, generator)
    if kernel.space.packs:
        return packed_memory(kernel, generator), numbers | {"box_count": 2, "longest": 12}
    if gpu.same_strides:
        most = max(field.ghost_layers for field in kernel.fields)
        fields = tuple(dataclasses.replace(field, ghost_layers=most) for field in kernel.fields)
        kernel = dataclasses.replace(kernel, fields=fields)
    row = gpu.block[0] if reduces_rows(kernel.body) and not gpu.row_pieces else EXTENT[0]
    extent = min(row, EXTENT[0]), *EXTENT[1 : kernel.space.dimensions]
    arrays = memory(kernel, extent, generator, plain=True)
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
@pytest.mark.parametrize("name", [*KERNELS, *OTHERS], ids="/".join)
def test_waves_of_64_threads_give_the_same(library: ctypes.CDLL, name: tuple[str, str]) -> None:
    module, own, chosen = entry(name)
    kernel = module.stages(own, chosen, "reference").kernel
    arrays, numbers = memory_of(kernel, module.kernels[own].schedule.gpu, random.Random(3))
    if name in OTHERS:  # numbers of elements of tables, depths of layers, what a root is taken of
        for field in kernel.fields:
            less = 0.5 if field.type.is_float else 0
            arrays[field.name].values = [abs(value) or less for value in arrays[field.name].values]
        numbers = {parameter: abs(value) for parameter, value in numbers.items()}
    called = f"{module.name}_{own}_{precision(chosen).suffix}"
    expected, found = Memory(kernel, arrays), Memory(kernel, arrays)
    for lane in range(kernel.space.interleave):  # the reference knows one block
        expected.arrays = {
            field: dataclasses.replace(one, origin=one.origin + lane) for field, one in arrays.items()
        }
        assert call(library, called, kernel, expected, numbers, "reference") == 0
    assert call(library, called, kernel, found, numbers, "hip") == 0
    data = {field: Array(list(values), 0, (), ()) for field, values in expected.data.items()}
    assert found.differences(data) == []
    for output in kernel.outputs:
        assert found.outputs[output.name][0] == expected.outputs[output.name][0]
    assert name not in OTHERS or not any(np.isnan(found.data[field.name]).any() for field in kernel.fields)
    assert found.differences(arrays) or kernel.outputs, "the kernel has changed nothing"


def test_every_golden_kernel_is_run() -> None:
    for path in GOLDEN.glob("*/*"):
        if path.suffix in (".cpp", ".cu", ".cuh"):
            assert (path.parent.name, re.split(r"_reference|\.", path.name)[0]) in KERNELS


@pytest.mark.compiles
@pytest.mark.slow  # needs all modules of the build dev
@pytest.mark.usefixtures("library")
def test_each_structure_that_depends_on_the_wave_is_run(folder: Path) -> None:
    """Of the text that was run, not of that from which it was chosen."""
    run: set[Structure] = set()
    for module, own, _ in map(entry, (*KERNELS, *OTHERS)):
        kernel, launcher = ((folder / module.name / f"{own}{end}").read_text() for end in HIP.files)
        if meetings(kernel):
            run.update(structures(kernel, launcher))
    assert len(EMITTED) > 50
    missing = {name: work - run for name, work in EMITTED.items() if not work <= run}
    assert all(s.warps > 1 for work in missing.values() for s in work), missing
    for name in missing:
        module, own, chosen = alone(GENERATED / name[0] / f"{name[1]}.cuh", name[1])
        with pytest.raises(KernelError, match="a wave of HIP has 64"):
            module.stages(own, chosen, "hip")


def test_every_shape_of_lanes_that_hip_takes_is_run() -> None:
    """In the models of the tree, also in those that only a CUDA compiler wants: the build dev does not emit
    them. More than one warp is refused."""
    found = set()
    for top in ("examples", "generator/docs", "runtime", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            if "WarpPerCell(" in (text := path.read_text()) and "tests/generator" not in path.as_posix():
                calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
                for call in calls:
                    if ast.unparse(call.func).endswith("WarpPerCell"):
                        found.add(WarpPerCell(**{k.arg: ast.literal_eval(k.value) for k in call.keywords}))
    assert len(found) > 8
    run = {module.kernels[own].schedule.gpu for module, own, _ in shared_rounds().values()}
    at_once = {shape.cells_at_once for shape in run if isinstance(shape, WarpPerCell)}
    assert {shape.cells_at_once for shape in found if shape.warps == 1} <= at_once


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
