# SPDX-License-Identifier: Apache-2.0
"""heddle.CellList: its tables are those of heddle::IndexList, its values go to the box and back, and what
does not fit is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import over_lists
import pytest
from heddle import CellList, KernelError, Module, Sparse, lbm
from heddle.python.list_tables import strides

D2Q9, D3Q19 = over_lists.D2Q9, over_lists.D3Q19
RANDOM = np.random.default_rng(5)


def module(pattern: Any, lattice: lbm.Lattice) -> Module:
    result = Module("links", precisions=("f64",))
    result.add("step", pattern(lattice)(lbm.BGK(lattice, omega=1)), space=Sparse("pores"))
    return result


PULL, PLANE = module(lbm.Pull, D3Q19), module(lbm.Pull, D2Q9)
MASK = RANDOM.random((7, 9)) < 0.6


def checksum(words: Any) -> int:
    """As tests/runtime/sparse/python_tables_test.cpp computes it."""
    flat = np.ascontiguousarray(words).reshape(-1).astype(np.uint64)
    terms = flat + np.arange(len(flat), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    terms ^= terms >> np.uint64(31)
    return int((terms * np.uint64(0xBF58476D1CE4E5B9)).sum())


@pytest.mark.parametrize(
    ("pattern", "table", "runs", "compressed"),
    [
        (lbm.Pull, 0xC108ACCBE2DB5904, 0x92D6E4B7A20A8457, 0xE6B361EBAE292211),
        (lbm.AA, 0xD90044F952321A91, 0x9D1A65F96DDFDB73, 0x2773A0061C023574),
    ],
)
def test_the_tables_are_those_of_cpp(pattern: Any, table: int, runs: int, compressed: int) -> None:
    """The mask and the numbers stand in tests/runtime/sparse/python_tables_test.cpp."""
    z, y, x = np.mgrid[:4, :151, :203].astype(np.uint32)
    mixed = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663)) ^ (z * np.uint32(83492791))
    flags = ((x < 40) & (y < 20)) | (((mixed * np.uint32(2654435761)) >> np.uint32(16)) % 4 != 0)
    cells = CellList(flags, module(pattern, D3Q19), periodic="xz")
    assert (len(cells), cells.slot_stride) == (92567, 93488)
    assert cells.neighbour.base.shape == (18, 92880)
    assert checksum(cells.neighbour.base) == table
    assert checksum(cells.neighbour_run) == runs
    assert checksum(cells.neighbour_chunk) == compressed


@pytest.mark.parametrize("periodic", ["", "x", "xy"])
@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.Push, lbm.AA])
def test_links_lead_where_they_say(pattern: Any, periodic: str) -> None:
    """From the definition, cell by cell."""
    made = module(pattern, D2Q9)
    cells = CellList(MASK.astype("u1"), made, periodic)
    number = {place: n for n, place in enumerate(zip(*np.nonzero(MASK), strict=True))}
    height, width = MASK.shape
    for r, link in enumerate(made.links):
        for (y, x), n in number.items():
            there_x, there_y = x + link.offset[0], y + link.offset[1]
            if "x" in periodic:
                there_x %= width
            if "y" in periodic:
                there_y %= height
            there = number.get((there_y, there_x))
            slot, cell = (link.wall_slot, n) if there is None else (link.slot, there)
            assert cells.neighbour[r, n] == slot * cells.slot_stride + cell


def test_strides_of_large_lists_and_of_gpus() -> None:
    """As heddle::ListLayout computes them."""
    assert strides(1, on_device=False) == (19 * 16, 45 * 16)
    assert strides(1 << 20, on_device=False) == ((2**16 + 19) * 16, (2**16 + 45) * 16)
    assert strides(130, on_device=True) == (256, 256)


def test_values_go_to_the_box_and_back() -> None:
    cells = CellList(MASK, PLANE)
    field = cells.zeros("f4", 9)
    assert (field.shape, field.dtype) == ((9, len(cells)), np.float32)
    assert field.strides == (4 * cells.slot_stride, 4)
    assert field.ctypes.data % 64 == 0
    assert not field.any()
    assert cells.zeros("i8").shape == (MASK.sum(),)
    y, x = np.mgrid[: MASK.shape[0], : MASK.shape[1]]
    listed = cells.gather(10 * y + x)
    np.testing.assert_array_equal(listed, [10 * y + x for y, x in zip(*np.nonzero(MASK), strict=True)])
    np.testing.assert_array_equal(cells.scatter(listed, fill=-1), np.where(MASK, 10 * y + x, -1))
    both = cells.gather(np.stack([x, y]).astype(float))
    assert both.strides[0] == 8 * cells.slot_stride
    np.testing.assert_array_equal(cells.scatter(both), np.where(MASK, np.stack([x, y]), np.nan))
    assert repr(cells) == f"CellList of {len(cells)} cells in a box of shape (7, 9), 8 links"


def test_a_selection_and_the_links_to_some_cells() -> None:
    cells = CellList(MASK, PLANE, "x")
    half = np.zeros(MASK.shape, bool)
    half[3:] = True
    some = cells.select(half)
    assert len(some) == (MASK & half).sum()
    np.testing.assert_array_equal(some.cells, np.flatnonzero(half[MASK]))
    inlet = cells.links_to(~MASK & half, D2Q9.velocities)
    found = dict(zip(inlet.cells.tolist(), inlet.mask.tolist(), strict=True))
    for n, (y, x) in enumerate(zip(*np.nonzero(MASK), strict=True)):
        bits = 0
        for q, (c_x, c_y) in enumerate(D2Q9.velocities):
            there = y - c_y, (x - c_x) % MASK.shape[1]
            if 0 <= there[0] < len(MASK) and not MASK[there] and half[there]:
                bits |= 1 << q
        assert found.get(n, 0) == bits


def test_a_table_of_ones_own() -> None:
    cells = CellList(MASK, PLANE)
    table = cells.neighbour.copy()
    table[:, [3, 4]] = table[:, [4, 3]]
    own = cells.with_table(table)
    np.testing.assert_array_equal(own.neighbour, table)
    assert own.separate
    assert cells.neighbour[0, 3] == table[0, 4]  # the first list is as it was
    assert not np.array_equal(own.neighbour_run, cells.neighbour_run)
    table[0, 0] = table[1, 1]
    assert not cells.with_table(table).separate
    rest = cells.neighbour.copy()
    rest[0, 0] = 0  # the population at rest, which each cell stores itself
    assert not cells.with_table(rest).separate


# ---------------------------------------------------------------- what is refused


def mistakes() -> list[tuple[Any, str]]:
    cells = CellList(MASK, PLANE)
    twist = module(lbm.EsoTwist, D2Q9)
    far, beyond = D3Q19.velocities, cells.neighbour.copy()
    beyond[2, 5] = len(cells)
    return [
        (lambda: CellList(np.zeros((3, 4), bool), PLANE), r"no cell of the mask of shape \(3, 4\) is listed"),
        (lambda: CellList(MASK, PULL), r"shape \(7, 9\), but the links have 3 dimensions"),
        (lambda: CellList(MASK[None, None], ()), r"\(1, 1, 7, 9\), but the links have 2 or 3 dimensions"),
        (lambda: CellList(MASK * 0.5, PLANE), "the mask has elements of float64"),
        (lambda: CellList(MASK, PLANE, "z"), r"periodic='z' does not name axes of a box of shape \(7, 9\)"),
        (lambda: CellList(MASK, PLANE, "xx"), "periodic='xx' does not name axes"),
        (lambda: CellList(MASK, twist), "the links lead to stored cells behind walls"),
        (lambda: CellList(MASK, "links"), "str has no links"),
        (lambda: CellList(MASK, 3), "int has no links"),
        (lambda: cells.gather(np.zeros((7, 8))), r"gather: .* shape \(7, 8\), but \(7, 9\) or \(components,"),
        (lambda: cells.scatter(np.zeros(3)), r"scatter: the values have the shape \(3,\)"),
        (lambda: cells.scatter(np.zeros((2, 2, len(cells)))), "scatter: the values have the shape"),
        (
            lambda: cells.select(MASK[1:]),
            r"select: the values have the shape \(6, 9\), but \(7, 9\) is needed",
        ),
        (lambda: cells.links_to(MASK, far), r"19 velocities, .* do not fit a box of shape \(7, 9\)"),
        (lambda: cells.links_to(MASK, [(0, 0)] * 33), "33 velocities, "),
        (lambda: cells.with_table(cells.neighbour[1:]), r"the table has the shape \(7, 38\) and elements of"),
        (lambda: cells.with_table(0.5 * cells.neighbour), "and elements of float64"),
        (
            lambda: cells.with_table(beyond),
            r"entry \[2, 5\] is 38, which is no element of 9 slots of 38 cells",
        ),
    ]


@pytest.mark.parametrize("number", range(18))
def test_a_mistake_is_refused(number: int) -> None:
    make, what = mistakes()[number]
    with pytest.raises(KernelError, match=what):
        make()


def test_elements_without_a_number_of_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heddle.python.cell_list._LAST_ELEMENT", 2000)
    with pytest.raises(KernelError, match="the elements of 9 slots of 38 cells have no numbers of 32 bits"):
        CellList(MASK, PLANE)
