# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of every target and precision against the interpreter, bit for bit, on memory of any
strides."""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import functools
import random
import shutil
from typing import Any

import pytest
import sympy
from compiled import Library, Memory, call
from heddle import (
    Assignment,
    CacheLines,
    Cells,
    If,
    Module,
    Scan,
    Schedule,
    Sparse,
    Strips,
    Threads,
    bit_and,
    block_coordinates,
    block_extents,
    fields,
    has_bit,
    lbm,
    parameters,
    shift_left,
)
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, Result, run
from heddle.ir.rounding import Number
from heddle.model.assignment import Statement
from models import (
    FULL,
    coloured_reduction,
    column,
    column_reduction,
    column_values,
    levels_of_columns,
    levels_without_a_loop,
    listed_reduction,
    newton,
    reduction,
    relaxation,
    row_reductions,
    split_relaxation,
    substeps,
)
from running import listed_memory, memory, scalars

pytestmark = pytest.mark.compiles
PRECISIONS = ("f64", "f32", "f16", "f32/f64") if FULL else ("f64", "f16", "f32/f64")
DENSE = ("stencil", "fused", "streamed", "flags", "thomas", "fall", "moving", "aa_even", "aa_odd", "volume",
         "chessboard", "edges", "corners", "norms", "residual", "columns", "values", "split",
         "mixed", "newton", "substeps",
         "levels", "lanes")  # fmt: skip
SPARSE = ("fluid_even", "fluid_odd", "pull", "wall", "body", "count", "some")
SEEDS = 3 if FULL else 2
"""Of memory: plain, then with random strides."""
EXTENT = (21, 4, 3)
EVEN = (70, 4, 3)


def stencil(rank: int = 2) -> list[Statement]:
    """Everything with one rounding: + - * / sqrt, min, max, abs, sign, floor, selects, conversions."""
    a, b, out = fields(f"a, b, out: real[{rank}D]", ghost_layers=2)
    c, many = fields(f"c, many: real(3)[{rank}D]")
    own = (0,) * rank
    east, far = (1, *own[1:]), (*own[1:], -2)
    t, s, inner = sympy.symbols("t s inner")
    factor = sympy.Symbol("alpha") * sympy.Rational(1, 18)
    x = block_coordinates(rank)[0]
    return [
        Assignment(t, a[east] - sympy.Rational(2, 3) * a[far] + factor * c[(*own, 1)] ** 3),
        Assignment(
            s, sympy.Piecewise((sympy.sqrt(t), t > 0), (-t, sympy.And(t > -1, b.here < 1)), (b.here, True))
        ),
        Assignment(
            out.here, sympy.Max(s, 0.3) / (sympy.Abs(b[east]) + 1) + sympy.sign(t) - sympy.Min(t, s, x / 2)
        ),
        Assignment(many[(*own, 0)], sympy.floor(3 * s) - x * block_extents(rank)[-1]),
        Assignment(many[(*own, 2)], (t**2 + 1) ** sympy.Rational(-1, 2) + sympy.Rational(3, 8) + 1e-3),
        If(
            sympy.Or(t < 0, sympy.Ne(s, b.here)),
            [Assignment(inner, t + s), Assignment(many[(*own, 1)], inner * inner)],
        ),
    ]


def flags() -> list[Statement]:
    """Integers: bits, shifts, narrow types, extremes with literals, mixtures with floats."""
    k, m = fields("k, m: int32[2D]")
    byte, word = fields("byte: uint8[2D]; word: uint32[2D]")
    u, v = fields("u, v: real[2D]")
    wide = fields("wide: int64[2D]")
    count = parameters("count: int32")
    return [
        Assignment(m.here, sympy.Min(k.here, 3) + sympy.Max(k[1, 0], -2) * count),
        Assignment(word.here, shift_left(byte.here, 2) + bit_and(byte.here, 5)),
        Assignment(
            wide.here, block_coordinates(2)[0] * 1000 + k.here + sympy.Min(block_coordinates(2)[1], 1)
        ),
        Assignment(
            v.here, sympy.Piecewise((u.here, has_bit(byte.here, 1)), (k.here * u.here, k.here > 0), (1, True))
        ),
    ]


def moving() -> list[Statement]:
    """Reads at computed positions, also of a computed component, and of a larger grid."""
    u, v = fields("u, v: real[2D]")
    w = fields("w: real[2D]", other_grid=True)
    c, k = fields("c: real(3)[2D]; k: int32[2D]")
    x, y = block_coordinates(2)
    n_x, _ = block_extents(2)
    back = sympy.Min(sympy.Max(x + sympy.floor(-u.here / 2), 0), n_x - 1)
    some = c.gather(x, y, component=sympy.Min(sympy.Max(k.here, 0), 2))
    return [Assignment(v.here, u.gather(back, y) - some + w.gather(x + 1, y + 1))]


def fall() -> list[Statement]:
    """Sedimentation downwards, with a condition and updates that need each other's old values."""
    rain, flux = fields("rain, flux: real[3D]")
    above, total, kept = sympy.symbols("above total kept")
    body = [
        Assignment(kept, rain.here + above / 2),
        If(kept > total, [Assignment(flux.here, kept - total)]),
    ]
    return [Scan(2, {above: 0, total: 1}, body, {above: total + kept, total: above - kept / 4}, reverse=True)]


def modules() -> list[tuple[Module, tuple[str, ...]]]:
    """Everything that is compiled."""
    lattice = lbm.Lattice("D2Q9")
    everything = Module("check", precisions=PRECISIONS)
    everything.add("stencil", stencil())
    everything.add("volume", stencil(3), schedule=Schedule(gpu=Threads(block=(8, 2, 2))))
    everything.add("fused", stencil(), schedule=Schedule(fma=True, cpu=Strips(8, prefetch=16)))
    everything.add("streamed", stencil(), schedule=Schedule(cpu=CacheLines(2, nontemporal=True)))
    everything.add("flags", flags())
    everything.add("thomas", column(2, 1))
    everything.add("fall", fall())
    everything.add("moving", moving())
    everything.add("chessboard", relaxation(2, "faces"), schedule=Schedule(colours=2))
    everything.add(
        "edges", relaxation(3, "edges"), schedule=Schedule(colours=4, gpu=Threads(block=(8, 2, 2)))
    )
    everything.add(
        "corners", relaxation(3, "corners"), schedule=Schedule(colours=8, gpu=Threads(block=(4, 4, 1)))
    )
    bgk = lbm.BGK(lattice, "omega")
    everything.add(
        "aa", lbm.AA(lattice)(bgk), schedule=Schedule(cpu=CacheLines(4), gpu=Threads(rematerialise=True))
    )
    everything.add(
        "fluid",
        lbm.AA(lattice)(bgk),
        space=Sparse("fluid"),
        schedule=Schedule(cpu=Strips(16, prefetch=64), gpu=Threads(rematerialise=True)),
    )
    wall = lbm.AA(lattice).boundary(lbm.VelocityBounceBack(("u_wall", 0)))
    everything.add("wall", tuple(wall.steps["after_even"]), space=Sparse("inlet", listed=True))
    listed = Module("listed", precisions=PRECISIONS)
    listed.add(
        "pull",
        lbm.Pull(lattice)(bgk),
        space=Sparse("fluid"),
        schedule=Schedule(cpu=Strips(16, nontemporal=True)),
    )
    reduced = Module("reduced", precisions=PRECISIONS)
    reduced.add("line", column(1, 0))
    rows = Module("rows", precisions=("f64", "f32", "f32/f64"))
    rows.add("rows", row_reductions(), schedule=Schedule(gpu=Threads(block=(96, 1, 1))))
    rows.add("short_rows", row_reductions(), schedule=Schedule(gpu=Threads(block=(32, 2, 1))))
    everything.add("norms", reduction(), schedule=Schedule(gpu=Threads(block=(64, 2, 1))))
    everything.add(
        "residual", coloured_reduction(), schedule=Schedule(colours=2, gpu=Threads(block=(32, 2, 2)))
    )
    everything.add("split", split_relaxation(3), schedule=Schedule(colours=2, gpu=Threads(block=(32, 2, 1))))
    everything.add("mixed", split_relaxation(3, True), schedule=Schedule(colours=2))
    everything.add("columns", column_reduction())
    everything.add("newton", newton(), schedule=Schedule(gpu=Threads(block=(32, 2, 1))))
    everything.add("substeps", substeps())
    everything.add("levels", levels_of_columns())
    everything.add("lanes", levels_without_a_loop(), schedule=Schedule(cpu=Strips(8)))
    everything.add("values", column_values(), schedule=Schedule(cpu=Strips(8)))
    around = tuple(sympy.Rational(1, 8) * x for x in block_coordinates(2))
    body = lbm.AA(lattice, ghost_layers=3).boundary(
        lbm.Bouzidi(velocity=around, order="quadratic"), cells=True, force="push"
    )
    listed.add("body", tuple(body.steps["after_odd"]), space=Cells("body"))
    listed.add("count", listed_reduction(), space=Sparse("fluid"))
    listed.add("some", listed_reduction(), space=Sparse("wall", listed=True))
    all_targets = ("reference", "cpu", "cuda")
    return [
        (everything, all_targets),
        (listed, all_targets),
        (reduced, ("reference", "cpu")),
        (rows, all_targets),
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Library:
    built = Library(tmp_path_factory.mktemp("kernels"), MODULES)
    built.flags["cpu"][0] = "-O3"
    return built


@pytest.fixture(scope="module")
def library(built: Library) -> ctypes.CDLL:
    return built.compile()


MODULES = modules()
KERNELS = {name: module for module, _ in MODULES for name in module.kernels}


def test_every_kernel_is_compared() -> None:
    assert {*DENSE, *SPARSE, "line", "rows", "short_rows"} == KERNELS.keys()


Case = tuple[ir.Kernel, dict[str, Array], dict[str, Number]]
Flat = tuple[str, int]
"""A field, and the axis along which it is the same everywhere."""


@functools.cache
def case(name: str, precision: str, seed: int, plain: bool, flat: Flat | None) -> Case:
    """A kernel and random memory for it, for all targets."""
    kernel, generator = KERNELS[name].stages(name, precision, "cpu").kernel, random.Random(seed)
    if name in SPARSE:
        return kernel, *listed_memory(kernel, (9, 8), generator)
    extent = EVEN if name in ("split", "mixed", "rows") else EXTENT
    arrays = memory(kernel, extent[: kernel.space.rank], generator, plain=plain)  # type: ignore[union-attr]
    if flat is not None:
        whole = arrays[flat[0]]
        strides = tuple(0 if axis == flat[1] else stride for axis, stride in enumerate(whole.stride))
        arrays[flat[0]] = dataclasses.replace(whole, stride=strides)
    return kernel, arrays, scalars(kernel, generator)


@functools.cache
def interpreted(
    name: str, precision: str, target: str, seed: int, plain: bool, flat: Flat | None
) -> tuple[dict[str, Array], Result]:
    """What a lowered kernel leaves in that memory."""
    _, arrays, numbers = case(name, precision, seed, plain, flat)
    expected = copy.deepcopy(arrays)
    return expected, run(KERNELS[name].stages(name, precision, target).lowered, expected, numbers)


def compare(
    library: ctypes.CDLL, name: str, precision: str, target: str, seed: int, plain: bool = False,
    flat: Flat | None = None,
) -> None:  # fmt: skip
    """One kernel on random memory: the compiled entry and the interpreter."""
    kernel, arrays, numbers = case(name, precision, seed, plain, flat)
    own = Memory(kernel, arrays)
    suffix = precision.replace("/", "_")
    status = call(library, f"{KERNELS[name].name}_{name}_{suffix}", kernel, own, numbers, target)
    lowered_for = "cpu" if target == "unit" else target
    expected, result = interpreted(name, precision, lowered_for, seed, plain, flat)
    assert status == result.status
    assert own.differences(expected) == []
    for output, value in result.outputs.items():
        assert own.outputs[output][0] == value
    changed = [f.name for f in kernel.fields if own.differences({**arrays}).count(f.name)]
    assert changed or result.outputs


@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", DENSE)
def test_dense(library: ctypes.CDLL, name: str, precision: str, target: str) -> None:
    for seed in range(1 if target == "unit" else SEEDS):
        compare(library, name, precision, target, seed, plain=target == "unit" or seed == 0)


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", SPARSE)
def test_sparse(library: ctypes.CDLL, name: str, precision: str, target: str) -> None:
    for seed in range(2):
        compare(library, name, precision, target, seed)


@pytest.mark.parametrize("target", ["reference", "cpu", "unit"])
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ["line"])
def test_without_cuda(library: ctypes.CDLL, name: str, precision: str, target: str) -> None:
    for seed in range(2):
        compare(library, name, precision, target, seed, plain=target == "unit")


@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
@pytest.mark.parametrize("precision", ["f64", "f32", "f32/f64"])
@pytest.mark.parametrize("name", ["rows", "short_rows"])
def test_rows(library: ctypes.CDLL, name: str, precision: str, target: str) -> None:
    """Rows of more than two tiles, and of less than one, several in a block of threads; what is the same
    along a row may have stride 0 there."""
    flats: list[Flat | None] = [None, ("total", 0), ("factor", 0), None]
    for seed, flat in enumerate(flats[:3] if target == "unit" else flats):
        compare(library, name, precision, target, seed, plain=target == "unit" or seed < 3, flat=flat)


def test_a_block_of_threads_holds_a_row(library: ctypes.CDLL) -> None:
    kernel, *_ = case("rows", "f64", 0, True, None)
    for name, longest in (("rows", 96), ("short_rows", 32)):
        own = Memory(kernel, memory(kernel, (longest + 1, 4, 3), random.Random(1), plain=True))
        assert call(library, f"rows_{name}_f64", kernel, own, {}, "cuda") == -2


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_clang_takes_it_too(built: Library, target: str) -> None:
    assert shutil.which("clang++"), "clang++ is not installed: apt-get install clang"
    built.check(target, "clang++")


# --- Error codes --------------------------------------------------------------------------------------------


def faulty(
    library: ctypes.CDLL, target: str, replaced: dict[str, Any], overlap: bool = False, name: str = "stencil"
) -> int:
    """Call a kernel with wrong arguments; nothing may be written."""
    kernel = KERNELS[name].stages(name, "f64", "cpu").kernel
    generator = random.Random(9)
    arrays = memory(kernel, EXTENT[: kernel.space.dimensions], generator, plain=True)
    own = Memory(kernel, arrays)
    if overlap:  # the output begins inside an input
        replaced = {"out": ctypes.c_void_p(own.pointer("a").value + 8 * 3)}  # type: ignore[operator]
    status = call(library, f"check_{name}_f64", kernel, own, scalars(kernel, generator), target, replaced)
    assert own.differences(arrays) == []
    return status


def numbers(*values: int) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
def test_error_codes(library: ctypes.CDLL, target: str) -> None:
    null = ctypes.c_void_p(None)
    for name in ("a", "out", "a_extent", "many_stride"):
        assert faulty(library, target, {name: null}) == -1
    assert faulty(library, target, {"b_extent": numbers(21, 5)}) == -2
    assert faulty(library, target, {"c_extent": numbers(21, 4, 2)}) == -2
    assert faulty(library, target, {"a_extent": numbers(-21, 4)}) == -2
    assert faulty(library, target, {"out_stride": numbers(1, 0)}) == -3
    assert faulty(library, target, {"many_stride": numbers(1, 30, 0)}) == -3
    assert faulty(library, target, {}, overlap=True) == -4


@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
def test_planes_have_the_extents_that_columns_have(library: ctypes.CDLL, target: str) -> None:
    x, y, z = EXTENT
    assert faulty(library, target, {"mu_extent": numbers(x, y + 1)}, name="values") == -2
    assert faulty(library, target, {"rain_extent": numbers(x - 1, y)}, name="values") == -2
    assert faulty(library, target, {"water_extent": numbers(x, y - 1, z)}, name="values") == -2
    assert faulty(library, target, {"most_stride": numbers(1, 0)}, name="values") == -3


def test_no_such_colour(library: ctypes.CDLL) -> None:
    kernel = KERNELS["chessboard"].stages("chessboard", "f64", "cpu").kernel
    arrays = memory(kernel, EXTENT[:2], random.Random(2), plain=True)
    values = scalars(kernel, random.Random(3))
    for target in ("reference", "cpu", "unit", "cuda"):
        for wrong in ({"first_colour": -1}, {"last_colour": 3}):
            own = Memory(kernel, arrays)
            assert call(library, "check_chessboard_f64", kernel, own, values | wrong, target) == -2
            assert own.differences(arrays) == []


@pytest.mark.parametrize("target", ["reference", "cpu", "unit", "cuda"])
def test_split_fields_have_half_the_extent(library: ctypes.CDLL, target: str) -> None:
    kernel = KERNELS["mixed"].stages("mixed", "f64", "cpu").kernel
    arrays = memory(kernel, EVEN, random.Random(2), plain=True)
    values = scalars(kernel, random.Random(3))
    for wrong, status in ((("plain", 71, 4, 3), -2), (("out", 70, 5, 3), -2), (("p", 35, 4, 3, 1), -2)):
        own = Memory(kernel, arrays)
        replaced = {f"{wrong[0]}_extent": numbers(*wrong[1:])}
        assert call(library, "check_mixed_f64", kernel, own, values, target, replaced) == status
        assert own.differences(arrays) == []


def test_unit_stride_promised_and_not_given(library: ctypes.CDLL) -> None:
    for name in ("a", "b", "out"):
        assert faulty(library, "unit", {f"{name}_stride": numbers(2, 60)}) == -3
        assert faulty(library, "unit", {f"{name}_stride": numbers(-1, 60)}) == -3


def test_empty_fields_are_no_fault(library: ctypes.CDLL) -> None:
    names = [f"{name}_extent" for name in ("a", "b", "c", "out", "many")]
    empty = {name: numbers(0, 4, 3) for name in names}
    for target in ("reference", "cpu", "unit", "cuda"):
        assert faulty(library, target, empty) == 0


def test_index_outside_a_field(library: ctypes.CDLL) -> None:
    """A neighbour table that leads out of the field: only the reference target looks."""
    kernel = KERNELS["fluid_odd"].stages("fluid_odd", "f64", "reference").kernel
    arrays, scalar_values = listed_memory(kernel, (5, 5), random.Random(1))
    arrays["neighbour"].values[arrays["neighbour"].stride[1] * 3 + 7] = len(arrays["f"].values)
    status = call(library, "check_fluid_odd_f64", kernel, Memory(kernel, arrays), scalar_values, "reference")
    assert status == -5


@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
def test_error_codes_of_a_sparse_kernel(library: ctypes.CDLL, target: str) -> None:
    kernel = KERNELS["fluid_odd"].stages("fluid_odd", "f64", "cpu").kernel
    arrays, scalar_values = listed_memory(kernel, (5, 5), random.Random(1))
    cells = arrays["f"].extent[0]
    for replaced, status in (
        ({"neighbour": ctypes.c_void_p(None)}, -1),
        ({"f": ctypes.c_void_p(None)}, -1),
        ({"last": ctypes.c_int64(cells + 1)}, -2),
        ({"first": ctypes.c_int64(-1)}, -2),
        ({"f_extent": numbers(cells, 8)}, -2),
        ({"neighbour_stride": ctypes.c_int64(0)}, -3),
        ({"f_stride": numbers(2, cells + 3)}, -3),
        ({"first": ctypes.c_int64(4), "last": ctypes.c_int64(4)}, 0),
    ):
        own = Memory(kernel, arrays)
        assert call(library, "check_fluid_odd_f64", kernel, own, scalar_values, target, replaced) == status
        assert own.differences(arrays) == []
