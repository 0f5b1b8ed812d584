# SPDX-License-Identifier: Apache-2.0
"""Kernels over lists of cells, called from Python, give the bits that the same step over the whole box gives
where NumPy reflects populations at walls; and lists that do not fit are refused, before anything is
touched."""

from __future__ import annotations

import inspect
import re
from typing import Any

import heddle
import numpy as np
import over_lists
import pytest
from heddle import CellList, KernelError
from heddle.python.load import Kernels
from over_lists import D2Q9, D3Q19

pytestmark = pytest.mark.compiles
RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def plane(own_cache: Any) -> Kernels:
    return heddle.load(over_lists.plane())


@pytest.fixture(scope="module")
def space(own_cache: Any) -> Kernels:
    return heddle.load(over_lists.space())


class Box:
    """The whole box with ghost cells: solid beyond an axis that is not periodic."""

    def __init__(self, kernels: Kernels, lattice: Any, mask: Any, periodic: str) -> None:
        self.kernels, self.lattice, self.periodic = kernels, lattice, periodic
        self.fluid = np.pad(mask, 1)
        if periodic:
            heddle.periodic(self.fluid, axes=periodic)
        self.inner = (slice(1, -1),) * mask.ndim
        self.f = RANDOM.random((len(lattice.velocities), *self.fluid.shape)) * 0.01
        self.other = np.zeros_like(self.f)

    def step(self, omega: float) -> None:
        self.meet_walls()
        self.kernels.dense_step(f=self.f, f_next=self.other, omega=omega, ghosts=1)
        self.f, self.other = self.other, self.f

    def meet_walls(self) -> None:
        if self.periodic:
            heddle.periodic(self.f, axes=self.periodic)
        over_lists.at_walls(self.lattice, self.f, self.fluid)

    def arrived(self) -> Any:
        """The populations after the streaming that a pull has not done yet."""
        self.meet_walls()
        axes = tuple(range(self.fluid.ndim))
        moved = [np.roll(f, c[::-1], axes) for f, c in zip(self.f, self.lattice.velocities, strict=True)]
        return np.array(moved)[:, *self.inner]


@pytest.mark.parametrize(("periodic", "shape"), [("", (9, 40)), ("y", (33, 7)), ("xy", (6, 53))])
def test_pull_is_the_step_over_the_box(plane: Kernels, periodic: str, shape: tuple[int, int]) -> None:
    mask = RANDOM.random(shape) < 0.7
    box, cells = Box(plane, D2Q9, mask, periodic), CellList(mask, plane, periodic)
    f, f_next = cells.gather(box.f[:, *box.inner]), cells.zeros("f8", 9)
    for _ in range(5):
        box.step(1.2)
        plane.step(f=f, f_next=f_next, omega=1.2, cells=cells)
        f, f_next = f_next, f
    np.testing.assert_array_equal(f, cells.gather(box.f[:, *box.inner]))


@pytest.mark.parametrize("periodic", ["", "xz"])
def test_aa_is_the_step_over_the_box(space: Kernels, periodic: str) -> None:
    mask = RANDOM.random((5, 6, 37)) < 0.8
    box, cells = Box(space, D3Q19, mask, periodic), CellList(mask, space, periodic)
    f = cells.gather(box.arrived())
    for step in range(4):
        box.step(1.7)
        (space.step_odd if step % 2 else space.step_even)(f=f, omega=1.7, cells=cells)
    np.testing.assert_array_equal(f, cells.gather(box.arrived()))


def test_moments_and_sums(plane: Kernels) -> None:
    mask = RANDOM.random((30, 41)) < 0.6
    cells = CellList(mask, plane, "x")
    f, rho, u = cells.zeros("f8", 9), cells.zeros("f8"), np.zeros((2, len(cells)))
    f[:] = RANDOM.random(f.shape) * 0.01
    plane.moments(f=f, rho=rho, u=u, cells=cells)
    np.testing.assert_allclose(rho.sum(), len(cells) + f.sum(), rtol=1e-14)  # no population is lost
    assert plane.mass(rho=rho, cells=cells) == pytest.approx(rho.sum(), rel=1e-14)
    some = cells.select(np.arange(41) < 13 * np.ones((30, 1)))
    before = rho.copy()
    assert plane.add(rho=rho, u=u, cells=some) == pytest.approx(u[1, some.cells].sum(), abs=1e-14)
    before[some.cells] += u[1, some.cells]
    np.testing.assert_array_equal(rho, before)
    assert plane.add(rho=rho, u=u, cells=cells.select(np.zeros(mask.shape))) == 0


def test_couette_flow_between_a_wall_and_a_lid(plane: Kernels) -> None:
    """u = U (y + 1/2) / H, exact for walls half-way on links."""
    mask = np.ones((6, 4), bool)
    mask[-1] = False
    cells = CellList(mask, plane, "x")
    lid = cells.links_to(~mask, D2Q9.velocities)
    f, f_next, rho, u = cells.zeros("f8", 9), cells.zeros("f8", 9), cells.zeros("f8"), cells.zeros("f8", 2)
    for _ in range(400):
        plane.step(f=f, f_next=f_next, omega=1.0, cells=cells)
        f, f_next = f_next, f
        plane.lid(f=f, mask=lid.mask, u_x=0.1, cells=lid)
    plane.moments(f=f, rho=rho, u=u, cells=cells)
    expected = np.broadcast_to(0.1 * (np.arange(5)[:, None] + 0.5) / 5, (5, 4))
    np.testing.assert_allclose(cells.scatter(u)[0, :-1], expected, atol=1e-12)


# ---------------------------------------------------------------- what is refused


def mistakes(plane: Kernels, space: Kernels) -> dict[str, tuple[dict[str, Any], str]]:
    mask = np.ones((3, 20), bool)
    cells, other = CellList(mask, plane, "x"), CellList(mask[:, 1:], plane, "x")
    turned = CellList(mask, plane._links()[::-1])
    locked = cells.zeros("f8", 9)
    locked.flags.writeable = False
    return {
        "lacks": ({"cells": None}, "the call lacks 'cells'"),
        "mask": ({"cells": mask}, "'cells' is of type ndarray.\n.*pass a list: heddle.CellList"),
        "some": ({"cells": cells.select(mask)}, "'cells' is of type CellSelection.\n.*pass a list"),
        "links": ({"cells": turned}, "the links of 'cells' are not those of the kernel"),
        "aa": ({"cells": CellList(mask[None], space)}, "the links of 'cells' are not those of the kernel"),
        "list": ({"cells": other}, r"'cells.neighbour' has \(57,\) cells, but 'f' has \(60,\) cells"),
        "field": ({"f_next": other.zeros("f8", 9)}, r"'f_next' has \(57,\) cells, but 'f' has \(60,\) cells"),
        "plain": ({"f": np.zeros((9, 60))}, r"components of 'f' lie 60 elements apart, .* lie 304 apart"),
        "components": ({"f": cells.zeros("f8", 8)}, "'f' of shape .* has 8 components .* needs 9"),
        "axes": ({"f": cells.zeros("f8")}, r"'f' has the shape \(60,\), but needs 2 axes"),
        "one": ({"f_next": locked}, "'f_next' is read only"),
        "same": ({"f_next": None}, "shares elements"),
        "type": ({"f": cells.zeros("f4", 9)}, "'f' has elements of float32; the kernel is there for float64"),
        "turned": ({"f_next": np.zeros((60, 9)).T}, "x does not have the stride"),
        "ghosts": ({"ghosts": 0}, "no argument 'ghosts'"),
        "table": ({"neighbour": cells.neighbour}, "no argument 'neighbour'"),
    }  # fmt: skip


@pytest.mark.parametrize("name", [
    "lacks", "mask", "some", "links", "aa", "list", "field", "plain", "components", "axes", "one", "same",
    "type", "turned", "ghosts", "table",
])  # fmt: skip
def test_a_mistake_is_refused(plane: Kernels, space: Kernels, name: str) -> None:
    cells = CellList(np.ones((3, 20), bool), plane, "x")
    wrong, what = mistakes(plane, space)[name]
    f, f_next = cells.zeros("f8", 9), cells.zeros("f8", 9)
    f[:] = f_next[:] = 0.5
    arguments = {"f": f, "f_next": f_next, "omega": 1, "cells": cells} | wrong
    if name == "same":
        arguments["f_next"] = f
    with pytest.raises(KernelError) as raised:
        plane.step(**arguments)
    assert re.search(what, str(raised.value), re.DOTALL), raised.value
    assert str(raised.value).startswith("plane.step: ")
    assert "call step(f[9, cell], f_next[9, cell] (written), omega, cells)" in raised.value.hint
    assert (f == 0.5).all()
    assert (f_next == 0.5).all()


def test_a_table_with_walls_that_slip(plane: Kernels) -> None:
    """A column of gas between two mirrors keeps its velocity along them."""
    cells = CellList(np.ones((4, 3), bool), plane, "x")
    table, s = cells.neighbour.copy(), cells.slot_stride
    rows = {link.slot: r for r, link in enumerate(cells.links)}
    mirror = {q: D2Q9.velocities.index((c_x, -c_y)) for q, (c_x, c_y) in enumerate(D2Q9.velocities)}
    places = np.arange(12).reshape(4, 3)
    for q, (c_x, c_y) in enumerate(D2Q9.velocities):
        for side in [0] * (c_y > 0) + [-1] * (c_y < 0):  # what arrives from a side left along the mirror
            table[rows[q], places[side]] = mirror[q] * s + np.roll(places[side], c_x)
    f, f_next, rho, u = (cells.zeros("f8", components) for components in (9, 9, 0, 2))
    for there in (cells.with_table(table), cells):
        f[:] = 0
        f[1], f[2] = 0.01, -0.01  # along x
        for _ in range(20):
            plane.step(f=f, f_next=f_next, omega=1, cells=there)
            f, f_next = f_next, f
        plane.moments(f=f, rho=rho, u=u, cells=there)
        if there is not cells:
            np.testing.assert_allclose(u[0], 0.02, rtol=1e-13)
            np.testing.assert_allclose(u[1], 0, atol=1e-15)
    assert abs(u[0]).max() < 0.015  # between walls it does not


def test_kernels_that_write_through_links(space: Kernels) -> None:
    cells = CellList(np.ones((2, 3, 4), bool), space)
    table = cells.neighbour.copy()
    table[0, 0] = table[0, 1]
    own = cells.with_table(table)
    f = own.zeros("f8", 19)
    space.step_even(f=f, omega=1, cells=own)
    with pytest.raises(KernelError, match="the table of 'cells' leads to one element twice, but the kernel"):
        space.step_odd(f=f, omega=1, cells=own)


def test_selections_that_do_not_fit(plane: Kernels) -> None:
    cells = CellList(np.ones((3, 20), bool), plane, "x")
    rho, u, some = cells.zeros("f8"), cells.zeros("f8", 2), cells.select(np.ones((3, 20)))
    with pytest.raises(KernelError, match=r"'cells' is of type CellList.\n.*pass some cells of a list"):
        plane.add(rho=rho, u=u, cells=cells)
    with pytest.raises(KernelError, match="'rho' has 59 cells, but 'cells' has 60"):
        plane.add(rho=rho[1:], u=u[:, 1:], cells=some)
    lid = {"f": cells.zeros("f8", 9), "u_x": 0, "cells": some}
    with pytest.raises(KernelError, match="'mask' has 3 values, but 'cells' has 60 entries"):
        plane.lid(mask=np.zeros(3, "u4"), **lid)
    with pytest.raises(KernelError, match=r"'mask' has the shape .* needs one axis of values that follow"):
        plane.lid(mask=np.zeros(120, "u4")[::2], **lid)


def test_kernels_describe_themselves(plane: Kernels) -> None:
    assert "lid(f[9, cell] (written), mask[entry], u_x, cells)" in repr(plane)
    assert str(inspect.signature(plane.step)) == "(*, f, f_next, omega, cells)"
