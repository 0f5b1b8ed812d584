# SPDX-License-Identifier: Apache-2.0
"""What `Schedule()` chooses: by what a kernel does, legally, results unchanged, as the page says."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heddle
import pytest
import sympy
from heddle import (
    Assignment,
    CacheLines,
    Cells,
    CompressedList,
    Dense,
    If,
    Interleaved,
    Module,
    Reduce,
    Rows,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    WarpPerCell,
    While,
    fields,
    lbm,
)
from heddle.ir.default_schedule import CPU, GPU
from heddle.ir.schedule import CHOSEN_CPU, CHOSEN_GPU, CpuSchedule
from heddle.ir.schedule_text import as_text, from_json, part_text, to_json
from heddle.module import KernelModel

PAGE = Path(heddle.__file__).parents[1] / "docs/schedules.md"
D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
u, v, w = fields("u, v, w: real[3D]")
p, q = fields("p, q: real[2D]")
c = fields("c: real(2)[3D]")
s = fields("s: real[3D]", split=True)
k, total = sympy.symbols("k total")
COPY = [Assignment(v.here, u.here)]
SUM = sum(f.here for f in fields("a, b, c, d: real[3D]"))
COLUMN = [Scan(2, {k: 0}, [Assignment(v.here, k + u.here)], {k: v.here})]
ROUNDS = [While(k > 1, {k: u.here}, [], {k: k / 2}, at_most=9), Assignment(v.here, k)]
PLANE = [Scan(1, {k: 0}, [Assignment(q.here, k + p.here)], {k: q.here})]
SINKING = [Scan(2, {total: 0}, [*ROUNDS[:1], Assignment(w.here, total + k)], {total: w.here})]
ONE, TALL, FEW = Threads(), Threads(block=(64, 1, 1)), Threads(block=(128, 1, 1), coarsening=4)
COLOURED, SPLIT = Threads(block=(32, 8, 1)), Threads(block=(32, 4, 1), coarsening=2)
LINES, PAST, LONG = CacheLines(4), CacheLines(4, nontemporal=True), Strips(128, nontemporal=True)
LARGE = Rows(nontemporal_from=32)
REPRODUCIBLE = Schedule(math="reproducible")
KERNELS: dict[str, tuple[Any, dict[str, Any], Any, Any]] = {
    "stencil": ([Assignment(v.here, u[1, 0, 0] + u[0, 0, 1])], {}, LARGE, FEW),
    "functions": ([Assignment(v.here, sympy.exp(u.here))], {}, Rows(), FEW),
    "stencil in place": ([Assignment(u.here, u.here + v[1, 0, 0])], {}, Rows(), FEW),
    "two components": ([Assignment(c[0, 0, 0, q], u.here) for q in (0, 1)], {}, Rows(), FEW),
    "many fields": ([Assignment(v.here, SUM)], {}, Rows(), ONE),
    "pull": (lbm.Pull(D3Q19)(lbm.BGK(D3Q19)), {}, PAST, ONE),
    "AA": (lbm.AA(D3Q19)(lbm.BGK(D3Q19)), {}, LINES, ONE),
    "moments": (
        lbm.MomentStorage(D3Q19)(lbm.Regularised(D3Q19)), {}, LONG, Threads(block=(32, 4, 1))
    ),
    "walls": (lbm.Pull(D2Q9)(lbm.BGK(D2Q9)), {"space": Dense(walls=("w",))}, Rows(), ONE),
    "list": (lbm.Pull(D2Q9)(lbm.BGK(D2Q9)), {"space": Sparse("fluid")}, Rows(), ONE),
    "face": (lbm.Pull(D2Q9).boundary(lbm.NoSlip(D2Q9), face="w"), {}, Rows(), ONE),
    "column": (COLUMN, {}, Strips(256), TALL),
    "column of a plane": (PLANE, {}, Strips(64), TALL),
    "column with rounds": (SINKING, {}, Strips(64), TALL),
    "column along x": ([Scan(0, {k: 0}, [Assignment(v.here, k)], {k: u.here})], {}, Rows(), TALL),
    "rounds": (ROUNDS, {"schedule": REPRODUCIBLE}, Strips(16), TALL),
    "rounds of the library": (ROUNDS, {}, Rows(), TALL),
    "rounds that reduce": (
        [*ROUNDS, Reduce("sum", "total", k)], {"schedule": REPRODUCIBLE}, Rows(), TALL
    ),
    "reduction": ([Reduce("max", "total", u.here)], {}, Rows(), FEW),
    "colours": ([Assignment(u.here, u[1, 0, 0])], {"schedule": Schedule(colours=2)}, Rows(), COLOURED),
    "split": ([Assignment(s.here, s[1, 0, 0])], {"schedule": Schedule(colours=2)}, Rows(), SPLIT),
    "condition": ([If(u.here > 0, COPY)], {}, Rows(), FEW),
}  # fmt: skip


def module_of(name: str, **schedule: Any) -> Module:
    statements, options, _, _ = KERNELS[name]
    module = Module("chosen", precisions=("f64", "f32"))
    own = options.get("schedule", Schedule())
    module.add("step", statements, **options | {"schedule": dataclasses.replace(own, **schedule)})
    return module


def models(module: Module) -> Iterator[KernelModel]:
    for model in module.kernels.values():
        assert isinstance(model, KernelModel)
        yield model


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_chosen(name: str) -> None:
    """The table's row, legal for every target: it is lowered."""
    _, _, cpu, gpu = KERNELS[name]
    module = module_of(name)
    for model in models(module):
        assert (model.schedule.cpu, model.schedule.gpu) == (cpu, gpu)
        for target in ("cpu", "cuda", "reference"):
            module.stages(model.name, "f32", target)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_stated_holds(name: str) -> None:
    for model in models(module_of(name, cpu=Rows(), gpu=Threads())):
        assert (model.schedule.cpu, model.schedule.gpu) == (Rows(), Threads())
    for model in models(module_of(name, cpu=Rows(parallel=False))):
        assert model.schedule.cpu == Rows(parallel=False)
        assert model.schedule.gpu == KERNELS[name][3]


def test_arithmetic_stays_open_to_nobody() -> None:
    """What changes results is never chosen, nor what narrows an entry or asks for other tables."""
    for name in KERNELS:
        for model in models(module_of(name)):
            own = KERNELS[name][1].get("schedule", Schedule())
            chosen = dataclasses.replace(model.schedule, cpu=own.cpu, gpu=own.gpu)
            assert chosen == own
    for row in CPU:
        assert not row.part.fixed_nx
        assert not row.part.unchecked_entry
    for other in GPU:
        assert not other.part.unit_stride
        assert not other.part.same_strides
        assert not isinstance(other.part, (Interleaved, CompressedList))


def test_every_row_is_the_choice_of_a_kernel() -> None:
    cpu = {part_text(model.schedule.cpu) for name in KERNELS for model in models(module_of(name))}
    gpu = {part_text(model.schedule.gpu) for name in KERNELS for model in models(module_of(name))}
    assert cpu == {part_text(row.part) for row in CPU}
    assert gpu == {part_text(row.part) for row in GPU}


def test_the_page_has_the_tables() -> None:
    text = PAGE.read_text()
    for row in (*CPU, *GPU):
        assert f"| {row.kind} | `{part_text(row.part)}` | {row.why} |" in text


def test_open_parts() -> None:
    assert Schedule() != Schedule(cpu=Rows())
    assert (Schedule().cpu, Schedule().gpu) == (CHOSEN_CPU, CHOSEN_GPU)
    for schedule in (
        Schedule(),
        Schedule(Rows(), Threads()),
        Schedule(gpu=Threads()),
        Schedule(Strips(8, nontemporal=True), WarpPerCell(cells_at_once=2), specialise=("open", 63)),
        Schedule(gpu=WarpPerCell(warps=2)),
    ):
        assert from_json("here", json.loads(json.dumps(to_json(schedule)))) == schedule
        assert eval(as_text(schedule), vars(heddle)) == schedule
    assert as_text(Schedule(Rows())) == "Schedule(cpu=Rows())"
    with pytest.raises(heddle.KernelError, match="cpu=CpuSchedule"):
        Schedule(cpu=CpuSchedule(parallel=False))


def test_threads_of_a_block_follow_from_warps() -> None:
    wider = dataclasses.replace(WarpPerCell(warps=2), warps=4)
    assert wider == WarpPerCell(warps=4)
    assert wider.block == (128, 1, 1)
    assert as_text(Schedule(gpu=wider)) == "Schedule(gpu=WarpPerCell(warps=4))"


def test_cells_take_rows() -> None:
    module = Module("chosen", precisions=("f32",))
    storage = lbm.MomentStorage(D2Q9, walls="walls")
    collide = lbm.Regularised(D2Q9)
    sides = storage.boundary(collide, {"body": lbm.Bouzidi()})
    module.add("sides", sides, space=Cells("sides"))
    (model,) = models(module)
    assert (model.schedule.cpu, model.schedule.gpu) == (Rows(), Threads())
