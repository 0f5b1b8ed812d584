# SPDX-License-Identifier: Apache-2.0
"""Nests: the monotone interpolation and the boundary zones, beside plain NumPy written from the formulas of
Smolarkiewicz and Grell (1992) and from what WRF's `sint` and `bdy_interp1` compute."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import DTYPES, SUFFIXES, Library
from heddle import KernelError, Module
from heddle.atmosphere import nesting
from models import FULL

KINDS = [(2, "y"), (3, "x"), (4, "x"), (5, "")]
if FULL:
    KINDS = [(r, s) for r in (2, 3, 4, 5) for s in ("", "x", "y")]
TARGETS = ("reference", "cpu", "cuda")
GHOSTS = 2
RNG = np.random.default_rng(21)


# Plain NumPy


def operator(y: list[Any], c: Any, relative: bool = False) -> Any:
    """S(y[0], ..., y[4]; c)."""
    ym2, ym1, y0, y1, y2 = y
    f0 = c * np.where(c >= 0, ym1, y0)
    f1 = c * np.where(c >= 0, y0, y1)
    w = y0 - (f1 - f0)
    mx = np.maximum(np.maximum(ym1, y0), np.maximum(y1, w))
    mn = np.minimum(np.minimum(ym1, y0), np.minimum(y1, w))

    def g(m: Any, a: Any, b: Any, p: Any) -> Any:
        return (
            c / 12 * (7 * (b + a) - (p + m))
            - c**2 / 24 * (15 * (b - a) - (p - m))
            - c**3 / 12 * ((b + a) - (p + m))
            + c**4 / 24 * (3 * (b - a) - (p - m))
        )

    def pos(a: Any) -> Any:
        return np.maximum(a, 0)

    def neg(a: Any) -> Any:
        return np.minimum(a, 0)

    a0, a1 = g(ym2, ym1, y0, y1) - f0, g(ym1, y0, y1, y2) - f1
    ep = np.maximum(1e-10 * (mx - mn), 2.0**-126) if relative else 1e-10
    ov = np.minimum(1, (mx - w) / (-neg(a1) + pos(a0) + ep))
    un = np.minimum(1, (w - mn) / (pos(a1) - neg(a0) + ep))
    a0 = pos(a0) * ov + neg(a0) * un
    a1 = pos(a1) * un + neg(a1) * ov
    return w - (a1 - a0)


def sint(coarse: Any, r: int, staggered: str = "", relative: bool = False) -> Any:
    """[a + b r, i, j, k]: the sub-planes of the coarse cells that have two neighbours on each side."""
    odd = [int(r % 2 == 0 and staggered == axis) for axis in "xy"]
    n, m = coarse.shape[0] - 4, coarse.shape[1] - 4
    planes = []
    for b in range(r):
        for a in range(r):
            xi, eta = ((r - 1 - o) / (2 * r) - s / r for o, s in zip(odd, (a, b), strict=True))
            rows = [
                operator(
                    [coarse[i : i + n, j : j + m] for i in range(5)],
                    np.float64(xi),
                    relative,
                )
                for j in range(5)
            ]
            planes.append(operator(rows, np.float64(eta), relative))
    return np.array(planes)


def whole_nest(
    coarse: Any,
    size: tuple[int, ...],
    r: int,
    staggered: str,
    ipos: int,
    jpos: int,
    relative: bool = False,
) -> Any:
    """The interpolated value at each point of a nest that begins at coarse cell (ipos, jpos); `coarse` has
    two cells around."""
    planes = sint(coarse, r, staggered, relative)
    ioff, joff = (max((r - 1) // 2, 1) if staggered == axis else 0 for axis in "xy")
    found = np.empty((*size, coarse.shape[2]))
    for ni in range(size[0]):
        for nj in range(size[1]):
            ci, ip = ipos + (ni + ioff) // r, (ni + ioff) % r
            cj, jp = jpos + (nj + joff) // r, (nj + joff) % r
            found[ni, nj] = planes[ip + jp * r, ci, cj]
    return found


def bdy_interp1(new: Any, nest: Any, zone: int, cdt: float) -> dict[str, tuple[Any, Any]]:
    """Value and tendency [along, from the side inwards, level] of the four sides."""
    nx, ny, nz = nest.shape
    sides = {}
    for side, length in (("w", ny), ("e", ny), ("s", nx), ("n", nx)):
        value, tendency = np.empty((length, zone, nz)), np.empty((length, zone, nz))
        for at in range(length):
            for b in range(zone):
                cell = {
                    "w": (b, at),
                    "e": (nx - 1 - b, at),
                    "s": (at, b),
                    "n": (at, ny - 1 - b),
                }[side]
                value[at, b] = nest[cell]
                tendency[at, b] = (new[cell] - nest[cell]) / cdt
        sides[side] = value, tendency
    return sides


# Kernels


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    main, single = (Module(name, precisions=(p,)) for name, p in (("nest", "f64"), ("single", "f32")))
    for module in (main, single):
        module.add("interpolate", nesting.Nest(3).interpolation())
        module.add("boundary", nesting.Nest(3).boundary(fields=2))
        module.add("boundaries", nesting.Nest(3).boundary(fields=2, nests="nests"))
    kinds = Module("kinds", precisions=("f64",))
    for r, staggered in KINDS:
        kinds.add(f"boundary_{r}{staggered}", nesting.Nest(r, staggered).boundary())
    kinds.add("interpolate_2", nesting.Nest(2).interpolation())
    kinds.add("relative", nesting.Nest(3, relative=True).interpolation())
    folder: Path = tmp_path_factory.mktemp("nest")
    library = Library(folder, [(main, TARGETS), (single, TARGETS), (kinds, ("reference",))])
    for target in ("reference", "cuda"):
        library.flags[target][0] = "-O0"  # of the three, cpu has vectors
    return library.compile()


def padded(*extent: int, components: int = 0, dtype: Any = np.float64) -> Any:
    """A Fortran-ordered array."""
    return np.zeros((*extent, components) if components else extent, dtype, order="F")


def call(library: ctypes.CDLL, entry: str, target: str, arrays: list[Any], *scalars: Any) -> int:
    """The flat C entry; of the first array the two cells around are ghost layers."""
    passed: list[Any] = []
    for number, array in enumerate(arrays):
        ghosts = GHOSTS if number == 0 else 0
        stride = [s // array.itemsize for s in array.strides]
        extent = [n - 2 * ghosts if axis < 2 else n for axis, n in enumerate(array.shape)]
        origin = ghosts * (stride[0] + stride[1]) * array.itemsize
        passed.append(ctypes.c_void_p(array.ctypes.data + origin))
        passed += [(ctypes.c_int64 * len(numbers))(*numbers) for numbers in (extent, stride)]
    real = ctypes.c_double if arrays[0].dtype == np.float64 else ctypes.c_float
    for s in scalars:
        if isinstance(s, np.ndarray):
            passed.append(ctypes.c_void_p(s.ctypes.data))
        else:
            passed.append(real(s) if isinstance(s, float) else ctypes.c_int64(s))
    if target == "cuda":
        passed.append(ctypes.c_void_p(None))
    return int(getattr(library, entry + SUFFIXES[target])(*passed))


def noise(*extent: int, dtype: Any = np.float64) -> Any:
    return np.asfortranarray(RNG.standard_normal(extent).astype(dtype))


def interpolated(
    library: ctypes.CDLL,
    coarse: Any,
    entry: str = "nest_interpolate_f64",
    target: str = "reference",
    r: int = 3,
) -> Any:
    """All nest cells in the interior of a coarse field."""
    nest = padded(
        r * (coarse.shape[0] - 4),
        r * (coarse.shape[1] - 4),
        coarse.shape[2],
        dtype=coarse.dtype,
    )
    assert call(library, entry, target, [coarse, nest], 0, 0) == 0
    return nest


def test_the_interpolation_is_that_of_the_formulas(kernels: ctypes.CDLL) -> None:
    coarse = noise(13, 11, 3)
    expected = whole_nest(coarse, (27, 21), 3, "", 0, 0)
    np.testing.assert_allclose(interpolated(kernels, coarse), expected, rtol=0, atol=1e-15 * 4)
    expected = whole_nest(coarse, (27, 21), 3, "", 0, 0, relative=True)
    found = interpolated(kernels, coarse, "kinds_relative_f64")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15 * 4)


@pytest.mark.parametrize(("r", "staggered"), KINDS)
def test_the_boundary_is_that_of_the_index_maps(kernels: ctypes.CDLL, r: int, staggered: str) -> None:
    """Strips of different lengths; a nest within the coarse grid, one point longer where it is staggered."""
    size = (2 * r + int(staggered == "x"), 3 * r + int(staggered == "y"))
    coarse, nest = noise(12, 13, 2), noise(*size, 2)
    zone, cdt, ipos, jpos = 4, 30.0, 2, 1
    value, tendency = (padded(2 * sum(size), zone, 2) for _ in range(2))
    entry = f"kinds_boundary_{r}{staggered}_f64"
    arrays = [coarse, nest, value, tendency]
    assert call(kernels, entry, "reference", arrays, r * ipos, r * jpos, *size, cdt) == 0
    new = whole_nest(coarse, size, r, staggered, ipos, jpos)
    begin = 0
    for side, (present, towards) in bdy_interp1(new, nest, zone, cdt).items():
        own = slice(begin, begin + len(present))
        begin += len(present)
        assert np.array_equal(value[own], present), side
        np.testing.assert_allclose(tendency[own], towards, rtol=0, atol=2e-16, err_msg=side)
    assert begin == value.shape[0]


@pytest.mark.parametrize("entry", ["nest_boundary_f64", "single_boundary_f32"])
def test_all_targets_give_the_same_bits_for_all_fields(kernels: ctypes.CDLL, entry: str) -> None:
    """Two fields at once; each is that of a call of its own in plain NumPy."""
    dtype, (nx, ny), levels, zone = DTYPES[entry[-3:]], (9, 12), 3, 5
    coarse = padded(11, 12, levels, components=2, dtype=dtype)
    coarse[:] = noise(*coarse.shape)
    nest = padded(nx, ny, levels, components=2, dtype=dtype)
    nest[:] = noise(*nest.shape)
    results = []
    for target in TARGETS:
        value, tendency = (padded(2 * (nx + ny), zone, 2 * levels, dtype=dtype) for _ in range(2))
        arrays = [coarse, nest, value, tendency]
        assert call(kernels, entry, target, arrays, levels, 6, 3, nx, ny, 0.5) == 0
        results.append([value, tendency])
        if dtype == np.float64:
            results[-1].append(interpolated(kernels, np.asfortranarray(coarse[..., 0]), target=target))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))
    for field in range(2):
        new = whole_nest(coarse[..., field].astype(np.float64), (nx, ny), 3, "", 2, 1)
        sides = bdy_interp1(new, nest[..., field].astype(np.float64), zone, 0.5)
        expected = np.concatenate([tendency for _, tendency in sides.values()])
        found = results[0][1][:, :, field * levels : (field + 1) * levels]
        np.testing.assert_allclose(found, expected, rtol=0, atol=4e-15 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("entry", ["nest_boundar", "single_boundar"])
def test_a_table_of_nests_is_one_call(kernels: ctypes.CDLL, entry: str) -> None:
    """Three nests of different sizes, side by side in one field, in two parents side by side: the bits of a
    call each, on all targets."""
    kind = "f64" if entry.startswith("nest") else "f32"
    dtype, levels, zone = DTYPES[kind], 3, 4
    coarse = padded(12, 25, levels, components=2, dtype=dtype)
    coarse[:] = noise(*coarse.shape)
    sizes, corners = [(9, 12), (6, 9), (12, 6)], [(0, 0), (3, 12), (1, 21)]
    firsts = [(6, 3), (3, 6), (0, 3 * 13)]  # the third in the second parent
    nest = padded(13, 27, levels, components=2, dtype=dtype)
    nest[:] = noise(*nest.shape)
    lengths = [2 * (x + y) for x, y in sizes]
    begins = np.cumsum([0, *lengths[:-1]])
    table = np.asfortranarray(
        [[b, *f, *s, *c] for b, f, s, c in zip(begins, firsts, sizes, corners, strict=True)], dtype=np.int64
    ).T.copy(order="F")
    number = np.repeat(np.arange(3, dtype=np.int32), lengths)
    for target in TARGETS:
        together = [padded(sum(lengths), zone, 2 * levels, dtype=dtype) for _ in range(2)]
        arrays = [coarse, nest, *together, table]
        assert call(kernels, f"{entry}ies_{kind}", target, arrays, number, levels, 0.5) == 0
        for n, (nx, ny) in enumerate(sizes):
            (i, j), alone = corners[n], [padded(lengths[n], zone, 2 * levels, dtype=dtype) for _ in range(2)]
            own = np.asfortranarray(nest[i : i + nx, j : j + ny])
            arrays = [coarse, own, *alone]
            assert call(kernels, f"{entry}y_{kind}", "cpu", arrays, levels, *firsts[n], nx, ny, 0.5) == 0
            for a, b in zip(together, alone, strict=True):
                assert np.array_equal(a[begins[n] : begins[n] + lengths[n]], b), (target, n)


BOTH = pytest.mark.parametrize("entry", ["nest_interpolate_f64", "single_interpolate_f32"])


@BOTH
def test_constants_and_linear_fields_are_exact(kernels: ctypes.CDLL, entry: str) -> None:
    dtype = DTYPES[entry[-3:]]
    single = dtype == np.float32
    constant = np.asfortranarray(np.full((9, 10, 2), 0.1, dtype))
    for one in (entry,) if single else (entry, "kinds_relative_f64"):
        assert np.all(interpolated(kernels, constant, one) == dtype(0.1))
    x, y = np.meshgrid(np.arange(9.0), np.arange(10.0), indexing="ij")
    coarse = np.asfortranarray((0.3 * x - 0.2 * y + 0.1)[..., None].astype(dtype))
    for r, one in ((3, entry),) if single else ((3, entry), (2, "kinds_interpolate_2_f64")):
        found = interpolated(kernels, coarse, one, r=r)[..., 0]
        i, j = ((np.arange(n) + 0.5) / r - 0.5 + GHOSTS for n in found.shape)
        np.testing.assert_allclose(
            found, 0.3 * i[:, None] - 0.2 * j + 0.1, rtol=0, atol=45 * np.finfo(dtype).eps
        )


def around(coarse: Any, pick: Callable[..., Any], r: int = 3) -> Any:
    """The least or largest of the nine coarse cells around each nest cell."""
    n, m = coarse.shape[0] - 4, coarse.shape[1] - 4
    nine = [coarse[1 + i : 1 + i + n, 1 + j : 1 + j + m] for i in range(3) for j in range(3)]
    return pick.reduce(nine).repeat(r, 0).repeat(r, 1)  # type: ignore[attr-defined]


def test_nothing_leaves_the_range_of_nine_coarse_cells(kernels: ctypes.CDLL) -> None:
    coarse = noise(44, 44, 4)
    for entry in ("nest_interpolate_f64", "kinds_relative_f64"):
        found = interpolated(kernels, coarse, entry)
        assert np.all(found <= around(coarse, np.maximum))
        assert np.all(found >= around(coarse, np.minimum))


def test_in_single_precision_it_leaves_that_range_by_a_rounding_at_most(
    kernels: ctypes.CDLL,
) -> None:
    """The western strip of a nest of zeros is as deep as the nest, and the time step 1."""
    size, levels = (60, 45), 2
    coarse = padded(24, 19, levels, components=2, dtype=np.float32)
    coarse[:] = noise(*coarse.shape)
    nest = padded(*size, levels, components=2, dtype=np.float32)
    value, tendency = (padded(2 * sum(size), size[0], 2 * levels, dtype=np.float32) for _ in range(2))
    arrays = [coarse, nest, value, tendency]
    assert call(kernels, "single_boundary_f32", "cpu", arrays, levels, 0, 0, *size, 1.0) == 0
    found = tendency[: size[1], :, :levels].swapaxes(0, 1)
    field = coarse[..., 0]
    beyond = np.maximum(found - around(field, np.maximum), around(field, np.minimum) - found)
    assert np.all(beyond <= 2 * np.spacing(np.abs(field).max()))


def error(kernels: ctypes.CDLL, n: int, entry: str) -> float:
    """Of a smooth field in a quarter of the unit square, n cells along its side, away from extrema: there the
    limiter has nothing to do."""
    middle = (np.arange(-GHOSTS, n // 4 + GHOSTS) + 0.5) / n
    smooth = (np.sin(0.3 + 2 * middle)[:, None] * np.exp(middle))[..., None]
    found = interpolated(kernels, np.asfortranarray(smooth.astype(DTYPES[entry[-3:]])), entry)[..., 0]
    fine = (np.arange(found.shape[0]) + 0.5) / (3 * n)
    return float(np.abs(found - np.sin(0.3 + 2 * fine)[:, None] * np.exp(fine)).max())


def test_a_smooth_field_converges_with_order_five(kernels: ctypes.CDLL) -> None:
    """In f32 with the same errors but for a few roundings."""
    errors = [error(kernels, n, "nest_interpolate_f64") for n in (20, 40, 80, 160)]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 5) < 0.25), (errors, slopes)
    coarse = error(kernels, 4, "nest_interpolate_f64")
    assert coarse > 1e-5
    assert abs(error(kernels, 4, "single_interpolate_f32") - coarse) < 8 * np.finfo(np.float32).eps
    assert error(kernels, 20, "single_interpolate_f32") < 8 * np.finfo(np.float32).eps


@BOTH
def test_a_mirrored_field_gives_mirrored_bits(kernels: ctypes.CDLL, entry: str) -> None:
    coarse = noise(12, 11, 2, dtype=DTYPES[entry[-3:]])
    found = interpolated(kernels, coarse, entry)
    for axis in (0, 1):
        mirrored = interpolated(kernels, np.asfortranarray(np.flip(coarse, axis)), entry)
        assert np.array_equal(np.flip(mirrored, axis), found)


def test_only_the_relative_form_does_not_depend_on_the_unit(
    kernels: ctypes.CDLL,
) -> None:
    """Powers of two: nothing is rounded differently."""
    for entry, invariant in (
        ("kinds_relative_f64", True),
        ("nest_interpolate_f64", False),
        ("single_interpolate_f32", False),
    ):
        dtype = DTYPES[entry[-3:]]
        coarse = noise(14, 14, 2, dtype=dtype)
        found = interpolated(kernels, coarse, entry)
        for power, least in ((-20, 1e-6), (-30, 1e-3)):
            scaled = interpolated(kernels, coarse * dtype(2.0**power), entry) / dtype(2.0**power)
            assert np.array_equal(scaled, found) == invariant
            assert invariant or np.abs(scaled - found).max() > least


def test_blocks_give_the_bits_of_the_whole(kernels: ctypes.CDLL) -> None:
    """Cut where no coarse cell ends, with a part of the coarse field each."""
    coarse = noise(14, 12, 2)
    whole = interpolated(kernels, coarse)
    for begin, end in ((0, 11), (11, 30)):
        block = padded(end - begin, whole.shape[1], 2)
        first = begin // 3
        part = coarse[first:, :, :]  # its first interior cell is coarse cell `first`
        assert (
            call(
                kernels,
                "nest_interpolate_f64",
                "cpu",
                [part, block],
                begin - 3 * first,
                0,
            )
            == 0
        )
        assert np.array_equal(block, whole[begin:end])


def test_a_coarse_field_that_is_too_small_is_refused(kernels: ctypes.CDLL) -> None:
    """By the reference target, which tests each place; without a cell by all."""
    coarse, nest = noise(8, 8, 1), padded(13, 12, 1)
    assert call(kernels, "nest_interpolate_f64", "reference", [coarse, nest], 0, 0) == -5
    for target in TARGETS:
        assert call(kernels, "nest_interpolate_f64", target, [noise(4, 8, 1), nest], 0, 0) == -2


def test_what_is_no_nest_is_refused() -> None:
    with pytest.raises(KernelError, match="not a ratio of a nest"):
        nesting.Nest(6)
    with pytest.raises(KernelError, match="not a horizontal axis"):
        nesting.Nest(3, "z")
    with pytest.raises(KernelError, match="not a number of fields"):
        nesting.Nest(3).boundary(fields=0)
