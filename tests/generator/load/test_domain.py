# SPDX-License-Identifier: Apache-2.0
"""heddle.Domain: what crosses is exchanged. Patterns in place and blocks have the bits of two arrays, whose
populations NumPy moves. For interleaved blocks on a GPU see test_cuda."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
import sympy
from heddle import (
    Assignment,
    Dense,
    Domain,
    Interleaved,
    KernelError,
    Module,
    Reduce,
    Scan,
    Schedule,
    Sparse,
    block_coordinates,
    block_extents,
    fields,
    lbm,
    profiles,
)
from heddle.module import Tuned
from heddle.python.load import Kernels
from over_lists import D2Q9

pytestmark = pytest.mark.compiles
OMEGA = 1.3
START = np.random.default_rng(2).random((9, 12, 20)) * 0.01


def in_place() -> Module:
    """AA, and Pull as its reference; both also between walls at s and n, whose lid moves."""
    module = Module("domain", precisions=("f64",))
    collision = lbm.BGK(D2Q9, omega="omega")
    walls = Dense(walls=("s", "n"))
    module.add("step", lbm.AA(D2Q9)(collision))
    module.add("pull", lbm.Pull(D2Q9)(collision))
    module.add("between", lbm.AA(D2Q9)(collision), space=walls)
    module.add("pull_between", lbm.Pull(D2Q9)(collision), space=walls)
    lid = lbm.Pull(D2Q9).boundary(lbm.VelocityBounceBack(("u_lid", 0)), face="n")
    module.add("lid", lid, space=walls)
    u, u_next, v = fields("u, u_next: real[2D]; v: real[1D]", ghost_layers=2)
    module.add("mean", [Assignment(u_next.here, (u[2, 0] + u[-2, 0]) / 2)])
    module.add("total", [Reduce("sum", "total", u.here)])
    module.add("listed", lbm.Pull(D2Q9)(collision), space=Sparse("pores"))
    module.add("line", [Assignment(v.here, 1)])
    return module


@pytest.fixture(scope="module")
def kernels(own_cache: object) -> Kernels:
    return heddle.load(in_place())


def streamed(f: Any, way: int = 1) -> Any:
    """Populations one cell on, over the periodic plane."""
    moved = [np.roll(f[q], (way * c[1], way * c[0]), (0, 1)) for q, c in enumerate(D2Q9.velocities)]
    return np.stack(moved)


def pulled(kernels: Kernels, name: str, start: Any, steps: int, **given: Any) -> Any:
    """Over the whole box by two arrays, whose ghost cells heddle.periodic fills."""
    f, f_next = np.zeros((2, 9, 14, 22))
    f[:, 1:-1, 1:-1] = start
    for _ in range(steps):
        heddle.periodic(f, axes="x" if "between" in name else "xy")
        kernels[name](f=f, f_next=f_next, omega=OMEGA, ghosts=1, **given)
        f, f_next = f_next, f
    return f[:, 1:-1, 1:-1]


@pytest.mark.parametrize("blocks", [(), (2, 1), (1, 2), (2, 2), (4, 1), (2, 4)])
def test_a_periodic_plane_in_place(kernels: Kernels, blocks: tuple[int, ...]) -> None:
    """AA collides, then streams; Pull begins with what streaming brings to the start."""
    domain = Domain(kernels, (12, 20), periodic="xy", blocks=blocks)
    f = domain.zeros("f8", 9)
    domain.set(f, START)
    for _ in range(3):
        domain.step_even(f=f, omega=OMEGA)
        domain.step_odd(f=f, omega=OMEGA)
    expected = streamed(pulled(kernels, "pull", streamed(START, -1), 6))
    assert domain.whole(f).tobytes() == expected.tobytes()


@pytest.mark.parametrize("blocks", [(), (1, 2), (1, 4)])
def test_between_walls_in_place(kernels: Kernels, blocks: tuple[int, ...]) -> None:
    """What comes back from walls is not exchanged. One more collision brings both to one form: it begins with
    what has arrived, for Pull by streaming within the step."""
    domain = Domain(kernels, (12, 20), periodic="x", blocks=blocks)
    f = domain.zeros("f8", 9)
    domain.set(f, START)
    for _ in range(3):
        domain.between_even(f=f, omega=OMEGA)
        domain.between_odd(f=f, omega=OMEGA)
    domain.between_even(f=f, omega=OMEGA)  # post-collision, each in the opposite slot
    found = domain.whole(f)[[D2Q9.opposite(q) for q in range(9)]]
    first = Domain(kernels, (12, 20), periodic="x")
    g = first.zeros("f8", 9)
    first.set(g, START)
    first.between_even(f=g, omega=OMEGA)
    collided = first.whole(g)[[D2Q9.opposite(q) for q in range(9)]]
    assert found.tobytes() == pulled(kernels, "pull_between", collided, 6).tobytes()


def test_two_arrays_and_a_lid(kernels: Kernels) -> None:
    """The sweep at a face runs with the ghost cells that it needs, block by block."""
    found = []
    for blocks in ((), (1, 2)):
        domain = Domain(kernels, (12, 20), periodic="x", blocks=blocks)
        f, f_next = domain.zeros("f8", 9), domain.zeros("f8", 9)
        domain.set(f, START)
        for _ in range(5):
            assert domain.pull_between(f=f, f_next=f_next, omega=OMEGA) is None
            domain.lid(f=f_next, u_lid=0.1)
            f, f_next = f_next, f
        found.append(domain.whole(f))
    assert found[0].tobytes() == found[1].tobytes()
    still = pulled(kernels, "pull_between", START, 5)
    assert not np.array_equal(found[0], still)


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache")
def test_a_pattern_that_stores_beside_its_cells() -> None:
    """EsoTwist begins, and is left, with populations in neighbour cells: the moments are those of Pull."""
    found = []
    for pattern, blocks in ((lbm.Pull(D2Q9), ()), (lbm.EsoTwist(D2Q9), (2, 2))):
        module = Module("twist" if blocks else "plain", precisions=("f64",))
        module.add("step", pattern(lbm.BGK(D2Q9, omega=OMEGA)))
        module.add("moments", pattern.moments("rho", "u"))
        module.add("begin", pattern.initialise("rho", "u"))
        domain = Domain(heddle.load(module), (12, 20), periodic="xy", blocks=blocks)
        state = {"rho": domain.zeros("f8"), "u": domain.zeros("f8", 2)}
        domain.set(state["rho"], 1 + START[0])
        domain.set(state["u"], START[1:3])
        f, f_next = domain.zeros("f8", 9), domain.zeros("f8", 9)
        domain.begin(f=f, **state)
        for _ in range(3):
            if blocks:
                domain.step_even(f=f)
                domain.step_odd(f=f)
            else:
                domain.step(f=f, f_next=f_next)
                domain.step(f=f_next, f_next=f)
        (domain.moments_even if blocks else domain.moments)(f=f, **state)
        found.append(np.concatenate([domain.whole(state["rho"])[None], domain.whole(state["u"])]))
    assert found[0].tobytes() == found[1].tobytes()
    assert not np.array_equal(found[0][0], 1 + START[0])


def test_a_sum_over_the_box(kernels: Kernels) -> None:
    u = np.ones((14, 22))
    assert Domain(kernels, (12, 20)).total(u=u) == 240


def test_ghost_cells_that_nothing_fills_stay(kernels: Kernels) -> None:
    domain = Domain(kernels, (4, 5), periodic="y", ghosts=2)
    u, u_next = domain.zeros("f8"), domain.zeros("f8")
    u[:, :2] = 3
    domain.mean(u=u, u_next=u_next)
    assert (u_next[2:-2, 2:4] == 1.5).all()
    assert not u_next[2:-2, 4:].any()


def test_what_is_no_domain(kernels: Kernels) -> None:
    for cells, options, message in (
        ((4, 4, 4, 4), {}, "is no box"),
        ((4.5, 4), {}, "is no box"),
        (4, {}, "is no box"),
        ((4, 4), {"ghosts": 1.5}, "is no box"),
        ((4, 4), {"blocks": None}, "is no box"),
        ((4, 4), {"blocks": (-1, -2)}, "are not cut into blocks"),
        ((4, 4), {"periodic": None}, r'periodic=None names no axes\.\n.*a string of axes: "yx"'),
        ((4, 4), {"blocks": (2,)}, "is no box"),
        ((4, 4), {"ghosts": -1}, "is no box"),
        ((4, 4), {"periodic": "z"}, r"'z' in periodic= is no axis of the box\.\n.*its axes are yx"),
        ((4, 6), {"blocks": (4, 4)}, "are not cut into blocks"),
        ((4, 6), {"blocks": (1, 3)}, "are not cut into blocks"),
    ):
        with pytest.raises(KernelError, match=message):
            Domain(kernels, cells, **options)  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="3 blocks are not interleaved"):
        heddle.zeros((4, 4), "f8", interleaved=3)


def test_what_a_call_refuses(kernels: Kernels) -> None:
    """Before anything is exchanged."""
    plane = Domain(kernels, (12, 20), periodic="xy")
    f, wrong = plane.zeros("f8", 9), np.zeros((9, 12, 20))
    f[:, 1:-1, 1:-1] = START
    for call, message in (
        (lambda: plane.step_odd(f=wrong, omega=1), r"'f' has the shape \(9, 12, 20\), but .* \(9, 14, 22\)"),
        (lambda: plane.step_odd(f=f, omega=1, ghosts=1), "the domain says how many ghost layers"),
        (lambda: plane.step_odd(f=f, omega=1, stream=7), "leave out stream=, and enter the stream in"),
        (lambda: plane["loaded"], "there is no kernel 'loaded'"),
        (lambda: plane.step_odd(omega=1), "the call lacks 'f'"),
        (lambda: plane.step_od(f=f), "did you mean 'step_odd'"),
        (lambda: plane.between_odd(f=f, omega=1), "a wall at a side along y, which is periodic"),
        (lambda: plane.listed(f=f), "it runs over a list of cells"),
        (lambda: plane.line(v=f), "it has 1 axes of space, but the domain has 2"),
        (
            lambda: plane.mean(u=f[0], u_next=f[1]),
            r"accesses 2 cells beyond a block, but arrays have 1 ghost",
        ),
        (
            lambda: Domain(kernels, (12, 20), blocks=(2, 1)).lid,
            "a wall at a side along y, where the box is cut",
        ),
        (lambda: Domain(kernels, (12, 20), blocks=(2, 1)).total, "it reduces values"),
    ):
        with pytest.raises(KernelError, match=message):
            call()
    assert not f[:, 0].any()
    thin = Domain(kernels, (4, 2), periodic="x", ghosts=2, blocks=(1, 2))
    u, u_next = thin.zeros("f8"), thin.zeros("f8")
    with pytest.raises(KernelError, match=r"a block has \(4, 1\) cells, but 'mean' .* at least 2"):
        thin.mean(u=u, u_next=u_next)


def test_numbers_of_numpy_and_lists_make_a_box(kernels: Kernels) -> None:
    domain = Domain(kernels, np.array([4, 6]), ghosts=np.int64(2), blocks=[])
    assert (domain.cells, domain.ghosts, domain.blocks) == ((4, 6), (2, 2), (1, 1))
    assert Domain(kernels, [4, 6], ghosts=np.array([1, 2]), blocks=np.array([2, 1])).ghosts == (1, 2)


def quick(module: Module, target: str = "cpu") -> Kernels:
    """The kernels of a module as functions that do nothing: nothing is compiled."""
    functions: dict[str, Any] = {name: lambda **_given: None for name in module.kernels}
    return Kernels(module.name, Path(), functions, (), lambda: (), module, target)


def in_columns() -> Module:
    """What a block cannot know alone along one axis."""
    module = Module("columns", precisions=("f64",))
    u = fields("u: real[3D]")
    height, width = profiles("height: real[z]; width: real[x]")
    r, k = sympy.symbols("r k", integer=True)
    x, y, z = block_coordinates()
    module.add("sweep", [Scan(2, {r: 0}, [Assignment(u.here, r)], {r: r + 1})])
    module.add("level", [Scan(2, {k: 0}, [Assignment(u.at_level(k), 1)], {k: k + 1})])
    module.add("height", [Assignment(u.here, height[0])])
    module.add("width", [Assignment(u.here, width[0])])
    module.add("place", [Assignment(u.here, z)])
    module.add("end", [Assignment(u.here, sympy.Max(0, block_extents()[1] - 1))])
    module.add("corner", [Assignment(u.here, x + y)])
    return module


@pytest.mark.parametrize(
    ("name", "axes", "message"),
    [
        (
            "sweep",
            "z",
            "it has a Scan along z, but the box is cut into blocks along z: each would begin anew",
        ),
        ("level", "z", "it has a Scan along z, but the box is cut into blocks along z"),
        ("height", "z", "it has the profile 'height', but .* along z: each would take the same values"),
        ("width", "x", "it has the profile 'width', but the box is cut into blocks along x"),
        ("place", "z", "it has 'z', of block_coordinates or block_extents, but .* along z: each counts anew"),
        ("end", "y", "it has 'n_y', of block_coordinates or block_extents, but .* along y"),
        ("corner", "xy", "of block_coordinates or block_extents, but the box is cut into blocks along [xy]"),
    ],
)
def test_what_a_block_cannot_know_alone(name: str, axes: str, message: str) -> None:
    """Along other axes the box may be cut."""
    made = quick(in_columns())
    for axis, blocks in (("z", (2, 1, 1)), ("y", (1, 2, 1)), ("x", (1, 1, 2))):
        domain = Domain(made, (4, 4, 4), blocks=blocks)
        if axis not in axes:
            assert domain[name](u=domain.zeros("f8"), height=0, width=0) is None
            continue
        with pytest.raises(KernelError, match=message) as caught:
            _ = domain[name]
        assert caught.value.hint == "cut the box along another axis"


def test_lanes_that_differ_between_precisions() -> None:
    u, v = fields("u, v: real[2D]")
    module = Module("lanes", precisions=("f64", "f32"))
    module.add("copy", [Assignment(v.here, u.here)])
    four = Tuned(Schedule(gpu=Interleaved(4)))
    mixed = replace(module, tuned={("copy", "f32"): four}, _stages={})
    with pytest.raises(KernelError, match="its schedules interleave 1 or 4 blocks, which differs"):
        _ = Domain(quick(mixed, "cuda"), (4, 8), blocks=(4, 1)).copy
    assert Domain(quick(mixed), (4, 8), blocks=(4, 1)).copy is not None  # block by block


@pytest.mark.parametrize("blocks", [(), (1, 2)])
def test_what_is_set(kernels: Kernels, blocks: tuple[int, ...]) -> None:
    """Values over the box or a number; what is larger is not cropped."""
    domain = Domain(kernels, (4, 6), blocks=blocks)
    u, f = domain.zeros("f8"), domain.zeros("f8", 9)
    domain.set(u, 3)
    assert (domain.whole(u) == 3).all()
    domain.set(f, np.arange(24.0).reshape(4, 6))  # all components alike
    assert (domain.whole(f) == np.arange(24.0).reshape(4, 6)).all()
    for array, values, message in (
        (u, np.ones((6, 8)), r"the values to set have the shape \(6, 8\), but the box has \(4, 6\) cells\."),
        (f, np.ones((8, 4, 6)), r"have the shape \(8, 4, 6\), but .* and the array 9 components"),
        (u, [[1.0] * 6] * 4, "the values to set have no shape"),
        (np.ones((7, 9)), np.ones((4, 6)), r"an array has the shape \(7, 9\), but the domain needs"),
    ):
        with pytest.raises(KernelError, match=message):
            domain.set(array, values)
    with pytest.raises(KernelError, match="an array has the shape"):
        domain.whole(np.ones((9, 9)))


def test_kernels_with_names_of_the_domain() -> None:
    u = fields("u: real[2D]")
    module = Module("named", precisions=("f64",))
    for name in ("copies", "neighbour", "set", "zeros"):
        module.add(name, [Assignment(u.here, 1)])
    called: list[str] = []
    functions = {name: lambda name=name, **_given: called.append(name) for name in module.kernels}
    domain = Domain(Kernels("named", Path(), functions, (), lambda: (), module, "cpu"), (2, 3))
    u_now = domain.zeros("f8")
    for name in domain:
        domain[name](u=u_now)
    domain.copies(u=u_now)
    domain.neighbour(u=u_now)
    assert called == ["copies", "neighbour", "set", "zeros", "copies", "neighbour"]
