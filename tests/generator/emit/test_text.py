# SPDX-License-Identifier: Apache-2.0
"""Emitted text: two kernels word for word, names, schedules, costs, guards.

`python tests/generator/emit/test_text.py` writes the expected files of golden/ anew; read the difference.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import sympy
from heddle import (
    Assignment,
    CacheLines,
    CompressedList,
    If,
    Interleaved,
    Module,
    Reduce,
    Rows,
    Schedule,
    Section,
    Sparse,
    Strips,
    Threads,
    fields,
    has_bit,
    lbm,
    parameters,
    profiles,
)
from heddle.build import files
from heddle.emit.cost import Cost, cost
from heddle.ir.schedule import CpuSchedule
from heddle.ir.visit import walk
from heddle.model.assignment import Statement
from heddle.module import KernelModel

GOLDEN = Path(__file__).parent / "golden"


def heat() -> Module:
    """Diffusion in two dimensions."""
    u, u_next = fields("u, u_next: real[2D]")
    alpha, laplacian = sympy.symbols("alpha laplacian")
    module = Module("heat", about="Diffusion on a unit grid.", citation="Fourier 1822.")
    module.model = Path("heat.py")
    neighbours = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module.add(
        "step",
        [
            Section("Laplacian"),
            Assignment(laplacian, neighbours - 4 * u.here),
            Section("u_t = alpha laplacian\nForward in time"),
            Assignment(u_next.here, u.here + alpha * laplacian),
        ],
    )
    return module


def bounce() -> Module:
    """A listed sparse kernel of D2Q5 with a guarded logarithm, in half precision."""
    lattice = lbm.Lattice("D2Q5")
    f = lbm.AA(lattice).source
    mask = fields("mask: uint32[entries]")
    u_wall = parameters("u_wall")
    module = Module("bounce", precisions=("f16",), about="A moving wall.")
    module.model = Path("bounce.py")
    value = sympy.Piecewise((sympy.log(u_wall), u_wall > 0), (0, True))
    module.add(
        "wall",
        [
            If(has_bit(mask.here, q), [Assignment(f[0, 0, q], f[0, 0, q] + value / 18)], wall=True)
            for q in (1, 2)
        ],
        space=Sparse("inlet", listed=True),
    )
    return module


GOLDEN_FILES = {
    "heat_step.cpp": (heat, ("cpu",), "heat/step.cpp"),
    "heat_step.cuh": (heat, ("cuda",), "heat/step.cuh"),
    "heat_step.cu": (heat, ("cuda",), "heat/step.cu"),
    "heat.h": (heat, ("reference", "cpu", "cuda"), "heat/heat.h"),
    "bounce_wall.cpp": (bounce, ("cpu",), "bounce/wall.cpp"),
}


def emitted(name: str) -> str:
    make, targets, path = GOLDEN_FILES[name]
    return files(make(), targets)[path]


@pytest.mark.parametrize("name", GOLDEN_FILES)
def test_golden(name: str) -> None:
    assert emitted(name) == (GOLDEN / name).read_text()


def text(
    statements: list[Statement], schedule: Schedule | None = None, target: str = "cpu", **options: Any
) -> str:
    """The text of one kernel in f64."""
    module = Module("module", precisions=("f64",))
    module.add("kernel", statements, schedule=schedule, **options)
    wanted = {"cpu": "kernel.cpp", "reference": "kernel_reference.cpp", "cuda": "kernel.cuh"}[target]
    return files(module, [target])[f"module/{wanted}"]


u, v = fields("u, v: real[2D]")


# --- Names --------------------------------------------------------------------------------------------------


def test_comments_name_all_arguments_that_begin_alike() -> None:
    """u_next is no extent or stride of u."""
    u, u_next = fields("u, u_next: real[2D]")
    module = Module("heat")
    module.add("step", [Assignment(u_next.here, u.here)])
    text = files(module, ["cpu"])["heat/heat.hpp"]
    assert "/// u_next: " in text
    assert "u_extent: " not in text


def test_keywords_and_collisions_are_renamed() -> None:
    new, row, row_more, plain = sympy.symbols("new u_row u_row_ speed")
    emitted_text = text(
        [
            Assignment(new, u.here + 1),
            Assignment(row, 2 * new),
            Assignment(row_more, row + new),
            Assignment(plain, row_more * 3),
            Assignment(v.here, plain + new + row),
        ]
    )
    assert "const double new_ = u_row[x] + 1.0;" in re.sub(
        r"1\.0 \+ u_row\[x\]", "u_row[x] + 1.0", emitted_text
    )
    assert "const double u_row_ = 2.0 * new_;" in emitted_text
    assert re.search(r"const double u_row__ = (u_row_ \+ new_|new_ \+ u_row_);", emitted_text)
    assert "const double speed = 3.0 * u_row__;" in emitted_text
    assert not re.search(r"[^_\w]new[^_\w]", emitted_text.split("#include")[-1])


def test_names_of_the_model_survive() -> None:
    omega = sympy.Symbol("omega")
    for target in ("cpu", "cuda", "reference"):
        found = text(
            [Assignment(sympy.Symbol("rho"), u.here), Assignment(v.here, omega * sympy.Symbol("rho"))],
            target=target,
        )
        assert "const double rho = " in found
        assert re.search(r"omega \* rho|rho \* omega", found)


def test_constants_enter_half_fields_as_halves() -> None:
    module = Module("module", precisions=("f16",))
    module.add("kernel", [Assignment(v.here, sympy.Rational(1, 3))])
    assert "v_row[x] = heddle::to_half(1.0F / 3.0F);" in files(module, ["cpu"])["module/kernel.cpp"]


# --- Schedules ----------------------------------------------------------------------------------------------

BASE = Schedule(cpu=Strips(64))
CHANGES = {
    "parallel": Schedule(cpu=Strips(64, parallel=False)),
    "simd": Schedule(cpu=Rows(simd=False)),
    "size": Schedule(cpu=Strips(32)),
    "prefetch": Schedule(cpu=Strips(64, prefetch=128)),
    "prefetch_distance": Schedule(cpu=CacheLines(4)),
    "nontemporal": Schedule(cpu=Strips(64, nontemporal=True)),
    "fma": Schedule(fma=True, cpu=Strips(64)),
    "block": Schedule(cpu=Strips(64), gpu=Threads(block=(32, 4, 1))),
    "minimum_blocks": Schedule(cpu=Strips(64), gpu=Threads(minimum_blocks=2)),
    "rematerialise": Schedule(cpu=Strips(64), gpu=Threads(rematerialise=True)),
    "coarsening": Schedule(cpu=Strips(64), gpu=Threads(coarsening=2)),
    "unit_stride": Schedule(cpu=Strips(64), gpu=Threads(unit_stride=True)),
    "same_strides": Schedule(cpu=Strips(64), gpu=Threads(same_strides=True)),
    "row_cells": Schedule(cpu=Strips(64), gpu=Threads(unit_stride=True, same_strides=True, row_cells=2)),
    "levels_first": Schedule(cpu=Strips(64), gpu=Threads(levels_first=True)),
    "level_by_level": Schedule(
        cpu=Strips(64),
        gpu=Threads(block=(32, 8, 1), unit_stride=True, same_strides=True, level_by_level=True),
    ),
    "row_pieces": Schedule(gpu=Threads(block=(64, 1, 1), row_pieces=True)),
    "lanes": Schedule(cpu=Strips(64), gpu=Interleaved(4)),
    "threads_per_vector": Schedule(cpu=Strips(64), gpu=Interleaved(4, threads_per_vector=2)),
    "fixed_nx": Schedule(cpu=Rows(fixed_nx=8)),
    "adjacent_components": Schedule(cpu=Rows(fixed_nx=8, adjacent_components=True)),
    "usual": Schedule(cpu=Rows(usual=("order", 5))),
    "nontemporal_from": Schedule(cpu=Rows(nontemporal_from=32)),
    "unchecked_entry": Schedule(cpu=Strips(64, unchecked_entry=True)),
    "colours": Schedule(colours=2),
    "specialise": Schedule(specialise=("flag", 3)),
    "math": Schedule(cpu=Strips(64), math="reproducible"),
}


BY_ROW = sympy.Piecewise((2 * u.here, profiles("order: real[y]").here >= 5), (u.here, True))


def both(
    schedule: Schedule, in_place: bool = False, value: Any = 2 * u.here + u[1, 0], deep: bool = False
) -> str:
    module = Module("module", precisions=("f64",))
    statement: Statement = Assignment(v.here, u.here if isinstance(value, Reduce) else value)
    if in_place:
        statement = Assignment(u.here, 2 * u.here)
    if schedule.specialise:
        statement = Assignment(v.here, u.here * fields(f"{schedule.specialise[0]}: int32[2D]").here)
    if deep:
        below, above = fields("below, above: real[3D]")
        statement = Assignment(above.here, 2 * below[0, 0, -1])
    if isinstance(value, Reduce):
        statement = value
    module.add("kernel", [statement], schedule=schedule)
    texts = files(module, ["cpu", "cuda"])
    own = [text for name, text in texts.items() if name.startswith("module/")]
    assert max(len(line) for text in own for line in text.splitlines()) <= 100
    return "".join(texts[f"module/kernel.{suffix}"] for suffix in ("cpp", "cuh", "cu"))


def test_every_option_has_a_case() -> None:
    parts = (Rows, Strips, CacheLines, Threads, Interleaved, CompressedList, Schedule)
    options = {option.name for part in parts for option in dataclasses.fields(part)}
    assert CHANGES.keys() == options - {"cpu", "gpu"}


def test_compressed_lists_change_cuda_alone() -> None:
    lattice = lbm.Lattice("D2Q9")
    kernel = lbm.Pull(lattice)(lbm.BGK(lattice, "omega"))
    schedule, space = Schedule(gpu=CompressedList()), Sparse("fluid")
    found = {target: text(kernel, schedule, target, space=space) for target in ("reference", "cpu", "cuda")}  # type: ignore[arg-type]
    load = "heddle::decode_neighbours<8>(link, neighbour_chunk, neighbour, neighbour_stride, n, last);"
    assert load in found["cuda"]
    assert "heddle::neighbour_or_wall(link[0], static_cast<std::uint32_t>(2 * f_sq + n))" in found["cuda"]
    assert "decode_neighbours" not in found["cpu"] + found["reference"]


OF_ROWS = ("simd", "colours", "fixed_nx", "usual", "nontemporal_from")


@pytest.mark.parametrize("option", CHANGES)
def test_every_option_changes_the_text(option: str) -> None:
    base = Schedule(cpu=Rows()) if option in OF_ROWS else BASE
    base = CHANGES["lanes"] if option == "threads_per_vector" else base
    deep = option in ("levels_first", "level_by_level")
    if option == "level_by_level":
        base = Schedule(cpu=Strips(64), gpu=Threads(block=(32, 8, 1), unit_stride=True, same_strides=True))
    if option == "row_pieces":
        base = Schedule(gpu=Threads(block=(64, 1, 1)))
    in_place = option == "rematerialise"
    values = {"math": sympy.exp(u.here), "usual": BY_ROW, "row_pieces": Reduce("sum", v.of_row(), u.here)}
    value = values.get(option, 2 * u.here + u[1, 0])
    assert both(CHANGES[option], in_place, value, deep) != both(base, in_place, value, deep)


@pytest.mark.parametrize(("target", "condition"), [
    ("cpu", "if (heddle::all_equal(flag_row, x_begin, x_end, 3)) {"),
    ("cuda", "if (flag_here == 3) {"),
])  # fmt: skip
def test_usual_cells_have_a_copy(target: str, condition: str) -> None:
    flag = fields("flag: int32[2D]")
    value = sympy.Piecewise((2 * u.here, sympy.Eq(flag.here, 3)), (u.here, True))
    found = text([Assignment(v.here, value)], Schedule(specialise=("flag", 3)), target)
    copy, whole, *_ = found[found.index(condition) :].split("} else {")
    assert "?" not in copy
    assert "== 3 ?" in whole


def test_usual_rows_have_a_copy() -> None:
    found = text([Assignment(v.here, BY_ROW)], CHANGES["usual"], "cpu")
    copy, whole, *_ = found[found.index("if (order_here == 5.0) {") :].split("} else {")
    assert "choose" not in copy
    assert "heddle::choose(order_here >= 5.0" in whole
    assert "order_here == 5" not in text([Assignment(v.here, BY_ROW)], CHANGES["usual"], "cuda")


def test_what_is_declared_double_stays_double_in_one_precision() -> None:
    """Sweeps of a module of f32 alone are templates of its real fields, and of no others."""
    exact = fields("exact: double[2D]")
    made = Module("module", precisions=("f32",))
    made.add("kernel", [Assignment(v.here, u.here + exact.here)])
    sweeps = files(made, ["cpu"])["module/module_sweeps.hpp"]
    assert "heddle::Field<T>& u" in sweeps
    assert "heddle::Field<double>& exact" in sweeps


@pytest.mark.parametrize(
    "part", [Rows(unit_stride=True), Strips(64, unit_stride=True), CacheLines(1, unit_stride=True)]
)
def test_unit_strides_need_one_copy(part: CpuSchedule) -> None:
    """The entry refuses other strides, and nothing calls the loops for them."""
    model = [Assignment(v.here, 2 * u.here)]
    both_strides = text(model, Schedule(cpu=dataclasses.replace(part, unit_stride=False)), "cpu")
    one = text(model, Schedule(cpu=part), "cpu")
    assert "<false>(" in both_strides
    assert "check_arrays(arrays, unit_stride)" in both_strides
    assert "<false>(" not in one
    assert "check_arrays(arrays, true)" in one
    assert "bool unit_stride)" not in one
    assert len(one) < len(both_strides)


def test_large_arrays_have_a_loop_of_their_own() -> None:
    found = text([Assignment(v.here, u[1, 0])], CHANGES["nontemporal_from"], "cpu")
    large, plain, *_ = found[found.index("if (heddle::exceeds_mebibytes(v, 2 * (n_x * n_y), 32)) {") :].split(
        "} else {"
    )
    assert "heddle::stream_run<64>(v_row, x_begin, v_run, x_end - x_begin);" in large
    assert "v_row[x] = u_row[x + 1];" in plain
    assert "exceeds" not in text([Assignment(v.here, u[1, 0])], CHANGES["nontemporal_from"], "cuda")


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("option", ["size", "prefetch", "nontemporal", "fma"])
def test_options_change_lattice_boltzmann_kernels(option: str, sparse: bool, target: str) -> None:
    """Dense and sparse alike; what is for CPUs leaves CUDA alone."""
    lattice = lbm.Lattice("D2Q9")
    kernel = lbm.Pull(lattice)(lbm.BGK(lattice, "omega"))
    space = Sparse("fluid") if sparse else None
    base = Schedule(Rows(), Threads()) if option == "size" else BASE
    schedules = [base, CHANGES[option]]
    if sparse:  # the length of a list's runs
        schedules = [
            dataclasses.replace(s, cpu=dataclasses.replace(s.cpu, size=16)) if s.cpu != Rows() else s
            for s in schedules
        ]
    before, after = (text(kernel, schedule, target, space=space) for schedule in schedules)  # type: ignore[arg-type]
    assert (before != after) == (target == "cpu" or option == "fma")


def test_what_the_options_emit() -> None:
    assert "#pragma omp parallel for schedule(static)" in both(Schedule())
    assert "#pragma omp parallel" not in both(CHANGES["parallel"])
    assert "#pragma omp simd" in both(BASE)
    assert "simd" not in both(CHANGES["simd"])
    assert "heddle::prefetch<64>(x_begin + 128, n_x, v_sy, v_row)" in both(CHANGES["prefetch"])
    assert "heddle::stream_run<64>(v_row, x_begin" in both(CHANGES["nontemporal"])
    assert "std::fma(2.0, u_row[x], u_row[x + 1])" in both(CHANGES["fma"])
    assert "__launch_bounds__(128)" in both(CHANGES["block"])
    assert "dim3(32, 4, 1)" in both(CHANGES["block"])
    assert "__launch_bounds__(256, 2)" in both(CHANGES["minimum_blocks"])
    assert "fma(" not in both(BASE)
    assert "heddle::math::exp(u_row[x])" in both(CHANGES["math"], value=sympy.exp(u.here))


@pytest.mark.parametrize(("precision", "strip", "ahead"), [
    ("f64", 8, 32), ("f32", 16, 64), ("f16", 16, 128), ("f32/f64", 8, 64),
])  # fmt: skip
def test_prefetch_distance_in_cells(precision: str, strip: int, ahead: int) -> None:
    """A strip is a vector of the arithmetic, and lines are those of the memory."""
    module = Module("module", precisions=(precision,))
    module.add("kernel", [Assignment(v.here, 2 * u.here)], schedule=Schedule(cpu=CacheLines(4)))
    text = files(module, ["cpu"])["module/kernel.cpp"]
    assert f"x_begin += {strip})" in text
    assert f"heddle::prefetch<{strip}>(x_begin + {ahead}, n_x, v_sy, v_row);" in text


def test_lists_ask_for_runs_ahead() -> None:
    """Four lines are two strips in f64, four in f32; the last strip asks for itself."""
    lattice = lbm.Lattice("D2Q9")
    module = Module("lists", precisions=("f64", "f32"))
    collide = lbm.BGK(lattice, "omega")
    module.add("step", lbm.AA(lattice)(collide), space=Sparse("fluid"), schedule=Schedule(cpu=CacheLines(4)))
    written = files(module, ["cpu"])
    odd, even = (written[f"lists/step_{step}.cpp"] for step in ("odd", "even"))
    for strips, cells in ((2, 32), (4, 64)):
        assert f"n_ahead = heddle::min(n_strip + {strips}, (last + 15) / 16 - 1);" in odd
        assert f"heddle::prefetch<16>(&f_c_row[n_begin + {cells}]);" in odd
    assert odd.count("heddle::prefetch_runs<16, 8>(f, neighbour_run + 8 * n_ahead);") == 2
    assert "prefetch_runs" not in even
    assert "constexpr std::int64_t strip = 64 / sizeof(Real);" in even
    assert "heddle::prefetch<strip>(&f_c_row[n_begin + 4 * strip]);" in even


def test_what_is_prefetched() -> None:
    """What a kernel updates; where its stores bypass the caches, each row that it reads, once."""
    statements = [Assignment(v.here, u.here + u[1, 0] + u[0, -1])]
    cached, streamed = (
        [line.split("(")[1] for line in text(statements, schedule).splitlines() if "prefetch<" in line]
        for schedule in (Schedule(cpu=CacheLines(1)), Schedule(cpu=CacheLines(1, nontemporal=True)))
    )
    assert cached == ["x_begin + 8, n_x, v_sy, v_row);"]
    assert sorted(streamed) == ["x_begin + 8, n_x, u_sy, u_row_s);", "x_begin + 9, n_x, u_sy, u_row);"]


# --- Cost ---------------------------------------------------------------------------------------------------


def costs(statements: Any, space: Sparse | None = None, schedule: Schedule | None = None) -> dict[str, Cost]:
    module = Module("module", precisions=("f64", "f32", "f16", "f32/f64"))
    module.add("kernel", statements, space=space, schedule=schedule)
    result = {}
    for precision in module.precisions:
        for name in module.kernels:
            stages = module.stages(name, precision, "cpu")
            result[f"{name} {precision}"] = cost(stages.kernel, stages.lowered)
    return result


def test_cost_of_a_stencil() -> None:
    alpha = sympy.Symbol("alpha")
    statements = [Assignment(v.here, u.here + alpha * (u[1, 0] + u[-1, 0] - 2 * u.here))]
    found = costs(statements)  # + * + - *
    assert found["kernel f64"] == Cost(8, 8, 5)
    assert found["kernel f32"] == Cost(4, 4, 5)
    assert found["kernel f16"] == Cost(2, 2, 5)
    assert found["kernel f32/f64"] == Cost(4, 4, 5)
    assert str(found["kernel f64"]) == "reads 8 B, writes 8 B, 5 flops"


def test_cost_counts_functions_and_what_is_computed_once() -> None:
    beta, t = sympy.symbols("beta t")
    statements = [
        Assignment(t, sympy.exp(beta) + 1),  # the same for all cells: costs nothing an update
        Assignment(v.here, t * u.here + sympy.exp(u.here) + sympy.exp(u[1, 0]) + sympy.sqrt(u.here)),
    ]
    assert costs(statements)["kernel f64"] == Cost(8, 8, 5, (("exp", 2),))
    assert str(costs(statements)["kernel f64"]).endswith("5 flops + 2 exp")


def test_cost_in_place_reads_and_writes() -> None:
    assert costs([Assignment(u.here, 2 * u.here)])["kernel f64"] == Cost(8, 8, 1)
    for operation in ("sum", "max"):  # of a tile, not of a cell
        assert costs([Reduce(operation, "e", u.here)])["kernel f32"] == Cost(4, 0, 0)


def test_cost_is_of_one_cell_however_many_a_thread_takes() -> None:
    module = Module("module", precisions=("f64",))
    statements = [Assignment(v.here, 2 * u.here + sympy.exp(u[1, 0]))]
    module.add("kernel", statements, schedule=Schedule(gpu=Threads(block=(32, 4, 1), coarsening=3)))
    texts = files(module, ["cpu", "cuda"])
    line = "One update in f64: reads 8 B, writes 8 B, 2 flops + 1 exp."
    assert line in texts["module/kernel.cpp"]
    assert line in texts["module/kernel.cuh"]


def test_cost_of_a_fused_operation_is_two() -> None:
    assert (
        costs([Assignment(v.here, 2 * u.here + u[1, 0])], schedule=Schedule(fma=True))["kernel f64"].flops
        == 2
    )


@pytest.mark.parametrize("pattern", ["Pull", "AA"])
@pytest.mark.parametrize("sparse", [False, True])
def test_cost_of_lattice_boltzmann_against_the_emitted_text(pattern: str, sparse: bool) -> None:
    """Elements named in the text, and operators between operands, counted by reading it."""
    lattice = lbm.Lattice("D3Q19")
    module = Module("module", precisions=("f64",))
    kernels = getattr(lbm, pattern)(lattice)(lbm.BGK(lattice, "omega"))
    module.add("kernel", kernels, space=Sparse("fluid") if sparse else None)
    for name, source in files(module, ["cpu"]).items():
        if not name.endswith(".cpp"):
            continue
        claimed = re.search(r"One update in f64: reads (\d+) B, writes (\d+) B, (\d+) flops\.", source)
        assert claimed is not None
        body = source.split("#pragma omp simd" if not sparse else "simd schedule(static)")[1].split("\nint ")[
            0
        ]
        body = re.sub(r"//.*", "", body[body.index("{") :])
        links = len(set(re.findall(r"(neighbour_\w+)\[", body)))
        stored = set(re.findall(r"\n\s*(\w+\[[^=\]]*\]) =\s", body))
        loaded = set(re.findall(r"= (?:\n\s*)?(f\w*\[[^\]]*\])", body))
        assert len(stored) == len(loaded) == 19
        assert (int(claimed[1]), int(claimed[2])) == (19 * 8 + 4 * links, 19 * 8)
        assert links == (18 if sparse and name != "module/kernel_even.cpp" else 0)
        arithmetic = re.sub(r"\[[^\]]*\]", "", body).split(";", 1)[1]
        arithmetic = re.sub(r"(?<=[=(]) *-", " ", arithmetic)  # a sign is no operation
        arithmetic = re.sub(r"\d\.\d / \d+\.\d", "1", arithmetic)  # neither is a constant
        starts = re.findall(
            r"= (\w+ [-+] \w+)\b", arithmetic
        )  # a sum that two sums start with is computed once
        written = len(re.findall(r"[\w)\]]\s+[-+*/]\s+(?=[-(\w])", arithmetic))
        assert int(claimed[3]) == written - (len(starts) - len(set(starts)))


# --- Guards -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["cpu", "cuda", "reference"])
def test_guarded_operands_stay_behind_their_condition(target: str) -> None:
    guarded = sympy.Piecewise((sympy.log(u.here), u.here > 0), (0, True))
    alpha = sympy.Symbol("alpha")
    invariant = sympy.Piecewise((sympy.log(alpha), alpha > 0), (0, True))
    module = Module("module", precisions=("f64",))
    module.add(
        "kernel",
        [Assignment(sympy.Symbol("t"), invariant), Assignment(v.here, guarded + sympy.Symbol("t"))],
        schedule=Schedule(gpu=Threads()),
    )
    found = "".join(source for name, source in files(module, [target]).items() if "kernel" in name)
    assert found.count("log(") == 2
    assert len(re.findall(r"> 0\.0\s*\?\s*(?:std::)?log\(", found)) == 2


def test_values_under_a_condition_are_not_hoisted() -> None:
    alpha, t = sympy.symbols("alpha t")
    found = text([If(u.here > 0, [Assignment(t, sympy.log(alpha)), Assignment(v.here, t)])])
    assert found.index("if (u_row[x] > 0.0)") < found.index("std::log(alpha)")


# --- The rules of design.md, section 6 ----------------------------------------------------------------------


def test_no_banner_has_a_path_of_a_machine() -> None:
    module = heat()
    module.model = Path("/home/somebody/heat.py")
    assert not any("somebody" in text for text in files(module, ["reference", "cpu", "cuda"]).values())


def test_banner_and_what_a_kernel_may_include() -> None:
    for name, source in files(heat(), ["reference", "cpu", "cuda"]).items():
        if "/device/" in name:
            continue
        lines = source.splitlines()
        assert re.fullmatch(r"// Generated by Heddle [0-9.]+ from heat\.py\.", lines[0])
        assert lines[1] == "// To change it, edit the model and run: heddle build <model> --out <folder>"
        compiled = r" Compile with -(ffp-contract=off|fmad=false) and without -\S+math\."
        needs = compiled if name.endswith((".cpp", ".cu", ".cuh")) else ""
        assert re.fullmatch(r"// Digest of this text: [0-9a-f]{12}\." + needs, lines[2])
        cited = not name.endswith(".hpp")  # where the mathematics stands, and in the C header
        assert lines[3] == "// Diffusion on a unit grid." + (" Fourier 1822." if cited else "")
        assert max(map(len, lines)) <= 100
        assert ("#include <cmath>" in lines) == bool(re.search(r"std::(?!u?int)", source)) or ".h" in name
        if name.endswith("_sweeps.hpp"):
            continue
        allowed = {
            "cstdint",
            "cmath",
            "cuda_runtime.h",
            "stdint.h",
            "array",
            "cstddef",
            "stdexcept",
            "string",
            "type_traits",
            "utility",
        }
        included = set(re.findall(r"#include <(.*)>", source))
        assert included <= allowed
        assert not re.search(r"using namespace|#define (?!HEAT)|\b(xi|tmp)_\d", source)


def test_emitted_kernel_uses_every_argument_it_names() -> None:
    module = heat()
    for precision in module.precisions:
        lowered = module.stages("step", precision, "cpu").lowered
        assert {"u", "u_next", "alpha"} <= {getattr(node, "name", "") for node in walk(lowered.body)}


def test_model() -> None:
    assert isinstance(heat().kernels["step"], KernelModel)


if __name__ == "__main__":
    for golden_name in GOLDEN_FILES:
        (GOLDEN / golden_name).write_text(emitted(golden_name))


def test_parameters_of_a_dense_kernel_may_be_called_as_those_of_a_list() -> None:
    """`first` and `last` bound the cells of a sparse kernel; elsewhere they are the model's own."""
    u = fields("u: real[2D]")
    first, last = parameters("first, last")
    module = Module("ramp", precisions=("f64",))
    module.add("fill", [Assignment(u.here, first + (last - first) * u.here)])
    text = files(module, ["cpu"])["ramp/fill.cpp"]
    assert "const double last" in text
    assert "extents_differ" not in text
