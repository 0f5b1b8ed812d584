# SPDX-License-Identifier: Apache-2.0
"""The definition of an adjoint: for all directions, the product of v_bar and v_dot is that of u_bar and
u_dot, to round-off. In periodic boxes and where ghost layers are given (Dirichlet), with walls, in place."""

from __future__ import annotations

import dataclasses
from typing import Any

import heddle
import pytest
import sympy
from heddle import Assignment, Dense, Reduce, fields, lbm, parameters
from heddle.model.assignment import Statement
from tangent import GHOSTS, RANDOM, Fields, assert_equal, product, with_tangent

u, v, p, q = fields("u, v, p, q: real[2D]")
w, w_next, kappa = fields("w, w_next, kappa: real[3D]")
alpha, beta = parameters("alpha, beta")


def heat() -> list[Statement]:
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u.here
    return [Assignment(v.here, u.here + alpha * around)]


def diffusion() -> list[Statement]:
    """div(kappa grad w) with kappa between cells, in conservation form."""
    fluxes: list[Statement] = []
    total: sympy.Expr = sympy.Integer(0)
    for axis, name in enumerate("xyz"):
        for step in (1, -1):
            to = tuple(step if a == axis else 0 for a in range(3))
            flux = sympy.Symbol(f"flux_{name}_{'up' if step > 0 else 'down'}")
            between = 2 / (1 / kappa.here + 1 / kappa[to])  # the harmonic mean
            fluxes.append(Assignment(flux, between * (w[to] - w.here)))
            total += flux
    return [*fluxes, Assignment(w_next.here, w.here + alpha * total)]


def burgers() -> list[Statement]:
    """Upwind, with the sign of the mean velocity at a face, and a limiter's Max and Abs."""
    faces: list[Statement] = []
    flux = {}
    for name, left, right in (("e", u.here, u[1, 0]), ("w", u[-1, 0], u.here)):
        flux[name] = sympy.Symbol(f"flux_{name}", real=True)
        upwind = sympy.Piecewise((left**2 / 2, left + right > 2), (right**2 / 2, True))
        faces.append(Assignment(flux[name], upwind))
    steep = sympy.Max(sympy.Abs(u[1, 0] - u.here), sympy.Abs(u[0, 1] - u.here), beta)
    return [*faces, Assignment(v.here, u.here - alpha * (flux["e"] - flux["w"]) + steep * sympy.sqrt(u.here))]


def gray_scott() -> list[Statement]:
    eaten = u.here * v.here**2
    spread_u, spread_v = (c[1, 0] + c[-1, 0] + c[0, 1] + c[0, -1] - 4 * c.here for c in (u, v))
    du = Assignment(p.here, u.here + spread_u / 6 - eaten + alpha * (1 - u.here))
    dv = Assignment(q.here, v.here + spread_v / 12 + eaten - (alpha + beta) * v.here)
    return [du, dv, Reduce("sum", "misfit", (u.here - v.here) ** 3)]


def functions() -> list[Statement]:
    """The functions that have derivatives."""
    a, b, c = sympy.symbols("a b c", real=True)
    return [
        Assignment(a, sympy.exp(u.here) * sympy.log(u[1, 0]) + sympy.sin(u.here) / sympy.cos(u[0, 1])),
        Assignment(b, sympy.tanh(a) * sympy.cbrt(u.here) + u.here**alpha - u.here**3 * u[1, 0] ** -2),
        Assignment(c, sympy.Min(a, b, u.here) + u.here ** sympy.Rational(3, 2)),
        Assignment(v.here, c),
        Assignment(p.here, c**2 * b),
    ]


STENCILS = [
    (heat, (5, 4)),
    (diffusion, (3, 4, 3)),
    (burgers, (5, 4)),
    (gray_scott, (4, 5)),
    (functions, (4, 4)),
]


@pytest.mark.parametrize("periodic", [True, False], ids=["periodic", "Dirichlet"])
@pytest.mark.parametrize(("stencil", "extent"), STENCILS)
def test_stencils(stencil: Any, extent: tuple[int, ...], periodic: bool) -> None:
    module = with_tangent(stencil())
    memory = Fields(module, extent)
    outputs, inputs = memory.stored("step"), [name[:-4] for name in memory.stored("step_adjoint")]
    for name in memory.arrays:
        if periodic:
            heddle.periodic(memory.arrays[name], ghosts=GHOSTS, axes="xyz"[: len(extent)])
        elif name.endswith(("_dot", "_bar")):
            memory.zero_around(name)
    sums = memory.run("tangent")
    found = memory.run("step_adjoint")
    left = {n: product(memory.inside(f"{n}_bar"), memory.inside(f"{n}_dot")) for n in outputs}
    left |= {n: memory.scalars[n.replace("_dot", "_bar")] * value for n, value in sums.items()}
    right = {n: product(memory.inside(f"{n}_bar"), memory.inside(f"{n}_dot")) for n in inputs}
    right |= {n: memory.scalars[n.replace("_bar", "_dot")] * value for n, value in found.items()}
    assert_equal(left, right)


D2Q9, D3Q19 = lbm.Lattice("D2Q9"), lbm.Lattice("D3Q19")
STEPS = {
    "BGK": lbm.Pull(D2Q9)(lbm.BGK(D2Q9, force=("g_x", 0))),
    "TRT": lbm.Pull(D3Q19)(lbm.TRT(D3Q19)),
    "Cumulant": lbm.Pull(D2Q9)(lbm.Cumulant(D2Q9)),
    "Smagorinsky": lbm.Pull(D2Q9, zero_centred=False)(lbm.BGK(D2Q9, eddy_viscosity=lbm.Smagorinsky())),
    "Push": lbm.Push(D2Q9)(lbm.BGK(D2Q9)),
    "moments": lbm.Pull(D2Q9).moments("rho", "velocity"),
    "scalar": lbm.Pull(D2Q9)(lbm.AdvectionDiffusion(D2Q9, u="velocity")),
}


@pytest.mark.parametrize("step", STEPS)
def test_populations(step: str) -> None:
    """Over all elements, those in ghost layers too: nothing is exchanged."""
    module = with_tangent(STEPS[step])
    check_everywhere(module, (3, 3, 2)[: module.kernels["step"].space.dimensions])


@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.Push])
def test_walls_within_a_step(pattern: Any) -> None:
    walls = ("w", "n", "s")
    module = with_tangent(pattern(D2Q9)(lbm.BGK(D2Q9)), Dense(walls=walls))
    check_everywhere(module, (3, 4), walls=0b1101)


@pytest.mark.parametrize("step", ["even", "odd"])
@pytest.mark.parametrize("pattern", [lbm.AA, lbm.EsoTwist, lbm.EsoPull])
def test_in_place(pattern: Any, step: str) -> None:
    check_in_place(with_tangent(pattern(D2Q9)(lbm.BGK(D2Q9)).steps[step]), (3, 2))


SWEEPS = [
    (lbm.Pull, lbm.VelocityBounceBack(("u_lid", 0)), ""),
    (lbm.Pull, lbm.VelocityBounceBack(("u_lid", 0)), "wesn"),
    (lbm.Push, lbm.VelocityBounceBack(("u_lid", 0)), "wn"),
    (lbm.AA, lbm.VelocityBounceBack(("u_lid", 0)), "wn"),
    (lbm.EsoTwist, lbm.PressureAntiBounceBack("rho_out"), ""),
    (lbm.Pull, lbm.Outflow(), ""),
]


@pytest.mark.parametrize(("pattern", "condition", "walls"), SWEEPS)
def test_sweeps_over_a_face(pattern: Any, condition: Any, walls: str) -> None:
    """In place; with walls within the step, an element behind one is an element of the cell itself."""
    sweep = pattern(D2Q9).boundary(condition, face="n")
    step, *_ = sweep.steps
    one = dataclasses.replace(sweep, steps={"": sweep.steps[step]}, between_walls=None)
    if walls:
        one = dataclasses.replace(one, steps={"": sweep.between_walls(walls).steps[step]})
    module = with_tangent(one, Dense(walls=tuple(walls)))
    bits = {"walls": sum(1 << "wesn".index(side) for side in walls)} if walls else {}
    check_in_place(module, (4, 1), **bits)


def check_in_place(module: Any, extent: tuple[int, ...], **scalars: float) -> None:
    memory = Fields(module, extent, **scalars)
    names = [name[:-4] for name in memory.stored("step_adjoint")]
    given, before = ({n: memory.arrays[f"{n}_{of}"].copy() for n in names} for of in ("bar", "dot"))
    memory.run("tangent")
    found = memory.run("step_adjoint")
    left = {n: product(given[n], memory.arrays[f"{n}_dot"]) for n in names}
    right = {n: product(memory.arrays[f"{n}_bar"], before[n]) for n in names}
    right |= {n: memory.scalars[n.replace("_bar", "_dot")] * value for n, value in found.items()}
    assert_equal(left, right)
    assert any(abs(left[n] - product(given[n], before[n])) > 1e-3 for n in names)


def test_in_place_reads_what_it_keeps() -> None:
    """One component is read and kept, one is changed, one is written only."""
    a = fields("a: real(3)[2D]")
    first, kept, last = (a.component(n) for n in range(3))
    module = with_tangent([Assignment(first, first * kept + alpha), Assignment(last, kept**2)])
    check_in_place(module, (3, 2))


def check_everywhere(module: Any, extent: tuple[int, ...], **scalars: float) -> None:
    memory = Fields(module, extent, **scalars)
    outputs, inputs = memory.stored("step"), [name[:-4] for name in memory.stored("step_adjoint")]
    for name in (*(f"{n}_dot" for n in outputs), *(f"{n}_bar" for n in inputs)):
        memory.arrays[name][...] = 0
    memory.run("tangent")
    found = memory.run("step_adjoint")
    left = {n: product(memory.arrays[f"{n}_bar"], memory.arrays[f"{n}_dot"]) for n in outputs}
    right = {n: product(memory.arrays[f"{n}_bar"], memory.arrays[f"{n}_dot"]) for n in inputs}
    right |= {n: memory.scalars[n.replace("_bar", "_dot")] * value for n, value in found.items()}
    assert_equal(left, right)


def test_periodic_populations() -> None:
    """f -> ghost layers -> step, and back: the adjoint step, then the adjoint of the copies."""
    module = with_tangent(STEPS["BGK"])
    memory = Fields(module, (4, 3))
    memory.arrays["f_bar"][...] = 0
    heddle.periodic(memory.arrays["f"], memory.arrays["f_dot"], ghosts=GHOSTS, axes="xy")
    memory.run("tangent")
    found = memory.run("step_adjoint")
    heddle.fold_periodic(memory.arrays["f_bar"], ghosts=GHOSTS, axes="xy")
    left = product(memory.inside("f_next_bar"), memory.inside("f_next_dot"))
    right = {"f": product(memory.inside("f_bar"), memory.inside("f_dot"))}
    right |= {n: memory.scalars[n.replace("_bar", "_dot")] * value for n, value in found.items()}
    assert_equal({"f": left}, right)


@pytest.mark.parametrize(
    ("kernel", "name", "extent"),
    [(diffusion(), "kappa", (3, 2, 3)), (STEPS["BGK"], "f", (3, 2))],
    ids=["gathered", "stored"],
)
def test_accumulated_adjoints(kernel: Any, name: str, extent: tuple[int, ...]) -> None:
    """They grow by what the plain adjoint gives."""
    memory = Fields(with_tangent(kernel), extent)
    added = Fields(with_tangent(kernel, accumulate=name), extent)
    bar = f"{name}_bar"
    memory.arrays[bar][...] = 0
    added.arrays, added.scalars = {n: a.copy() for n, a in memory.arrays.items()}, memory.scalars
    added.arrays[bar][...] = before = RANDOM.random(added.arrays[bar].shape)
    memory.run("step_adjoint")
    added.run("step_adjoint")
    gained = added.arrays[bar] - before
    assert abs(gained - memory.arrays[bar]).max() < 1e-14
    assert abs(gained).max() > 0.01
