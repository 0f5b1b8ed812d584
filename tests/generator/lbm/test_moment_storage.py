# SPDX-License-Identifier: Apache-2.0
"""Moments in memory: what a cell rebuilds is what its neighbours would have stored, on every lattice."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy
from evaluate import Periodic
from heddle import lbm
from heddle.errors import KernelError
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.model.assignment import Assignment
from heddle.module import Module

EDGE = 3


def box(components: int, dimension: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Origin, extent and strides of a box of three cells an axis with a ghost layer."""
    strides = tuple((EDGE + 2) ** axis for axis in range(dimension + 1))
    return sum(strides[:dimension]), (*([EDGE] * dimension), components), strides


def index_pairs(d: int) -> list[tuple[int, int]]:
    """Entries of a symmetric tensor in the order of the fields."""
    return [(a, a) for a in range(d)] + [(a, b) for a in range(d) for b in range(a + 1, d)]


def third_moments(
    lattice: lbm.Lattice, density: float, momentum: list[float], stress: dict[tuple[int, int], float]
) -> dict[tuple[int, ...], float]:
    """rho u_a u_b u_c and u times the stress beside it, by all three axes (lbm.md, section 4)."""
    d, u = lattice.dimension, [j / (1 + density) for j in momentum]

    def pi(a: int, b: int) -> float:
        return stress[min(a, b), max(a, b)] - momentum[a] * u[b]

    return {
        (a, b, c): momentum[a] * u[b] * u[c] + u[a] * pi(b, c) + u[b] * pi(a, c) + u[c] * pi(a, b)
        for a in range(d)
        for b in range(d)
        for c in range(d)
    }


def third_order(lattice: lbm.Lattice, c: tuple[int, ...], t: dict[tuple[int, ...], float]) -> float:
    """What third moments add to f / w: Hermite polynomials times factors; on D3Q19 those of sums and
    differences of a pair (lbm.md, section 3.6)."""
    d = lattice.dimension

    def hermite(a: int, b: int) -> float:
        return (c[a] ** 2 - 1 / 3) * c[b]

    if lattice.name != "D3Q19":
        plane = sum(hermite(a, b) * t[a, a, b] for a in range(d) for b in range(d) if a != b)
        corners = 27 * c[0] * c[1] * c[2] * t[0, 1, 2] if d == 3 else 0
        return 13.5 * plane + corners
    result = 0.0
    for b in range(3):
        a, e = (axis for axis in range(3) if axis != b)
        result += 13.5 * (hermite(a, b) + hermite(e, b)) * (t[a, a, b] + t[e, e, b])
        result += 4.5 * (hermite(a, b) - hermite(e, b)) * (t[a, a, b] - t[e, e, b])
    return result


def rebuilt(lattice: lbm.Lattice, moments: list[float], recursive: bool) -> list[float]:
    """The populations that belong to the stored moments of a cell: lbm.md, section 4."""
    d = lattice.dimension
    density, momentum = moments[0], moments[1 : 1 + d]
    stress = dict(zip(index_pairs(d), moments[1 + d :], strict=True))
    third = third_moments(lattice, density, momentum, stress)
    result = []
    for q, c in enumerate(lattice.velocities):
        even = sum((1 if a == b else 2) * (c[a] * c[b] - (a == b) / 3) * t for (a, b), t in stress.items())
        odd = sum(x * j for x, j in zip(c, momentum, strict=True))
        more = third_order(lattice, c, third) if recursive else 0
        result.append(float(lattice.weight(q)) * (density + 3 * odd + 4.5 * even + more))
    return result


def compare(name: str, wall: int = 0, lid: int = 0, *, recursive: bool = False) -> None:
    """A step from random moments everywhere against one on populations, in the middle of a box of 3^d cells.

    wall, lid: bits of the directions that come to it from a wall, and from one that moves.
    """
    lattice = lbm.Lattice(name)
    d, q = lattice.dimension, lattice.size
    speed = (0.03, -0.02, 0.05)[:d]
    storage = lbm.MomentStorage(lattice)
    if wall:
        storage = lbm.MomentStorage(lattice, walls="walls", lid="lid", velocity=speed)
    collide = lbm.RecursiveRegularised(lattice) if recursive else lbm.Regularised(lattice)
    module = Module("module", precisions=("f64",))
    module.add("moments", storage(collide))
    module.add("populations", lbm.Pull(lattice)(collide))
    generator = random.Random(11)
    cells = (EDGE + 2) ** d
    numbers = [
        [generator.uniform(-0.02, 0.02) for _ in range(cells)] for _ in range(1 + d + d * (d + 1) // 2)
    ]

    def field(components: int, values: list[float] | None = None) -> Array:
        origin, extent, strides = box(components, d)
        return Array(values or [0.0] * (cells * components), origin, extent, strides)

    cell_by_cell = [rebuilt(lattice, [c[n] for c in numbers], recursive) for n in range(cells)]
    populations = [cell_by_cell[n][i] for i in range(q) for n in range(cells)]
    origin, _, strides = box(q, d)
    middle = origin + sum(strides[:d])
    for i in (i for i in range(q) if wall >> i & 1):  # the cell gets back what it has sent
        c = lattice.velocities[i]
        source = middle - sum(x * step for x, step in zip(c, strides, strict=False))
        push = 6 * float(lattice.weight(i)) * sum(x * u for x, u in zip(c, speed, strict=True))
        back = populations[lattice.opposite(i) * cells + middle]
        populations[i * cells + source] = back + (push if lid >> i & 1 else 0)
    parts = {"flow": numbers[: 1 + d], "stress": numbers[1 + d : 5 + d], "shear": numbers[5 + d :]}
    arrays = {name: field(len(part), [v for c in part for v in c]) for name, part in parts.items() if part}
    arrays |= {name + "_next": field(len(part)) for name, part in parts.items() if part}
    for bits, at_middle in (("walls", wall), ("lid", lid)) if wall else ():
        arrays[bits] = Array([0] * cells, origin, (EDGE,) * d, strides[:d])
        arrays[bits].values[middle] = at_middle
    run(module.kernels["moments"].typed(precision("f64")), arrays, {"omega": 1.3})
    both = {"f": field(q, populations), "f_next": field(q)}
    run(module.kernels["populations"].typed(precision("f64")), both, {"omega": 1.3})
    after = [both["f_next"].values[middle + i * cells] for i in range(q)]
    stored = [
        arrays[part + "_next"].values[middle + c * cells]
        for part, values in parts.items()
        for c in range(len(values))
    ]
    total = sum(after)
    assert stored[0] == pytest.approx(total, abs=1e-15)
    for a in range(d):
        expected = sum(f * c[a] for f, c in zip(after, lattice.velocities, strict=True))
        assert stored[1 + a] == pytest.approx(expected, abs=1e-15)
    for i, (a, b) in enumerate(index_pairs(d)):
        expected = sum(f * c[a] * c[b] for f, c in zip(after, lattice.velocities, strict=True))
        assert stored[1 + d + i] == pytest.approx(expected - (total / 3 if a == b else 0), abs=1e-15)
    assert rebuilt(lattice, stored, recursive) == pytest.approx(
        after, abs=1e-15
    )  # and so for all later steps


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
def test_a_step_equals_the_step_on_populations(name: str) -> None:
    compare(name)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_walls_send_back_what_the_cell_has_sent(name: str) -> None:
    """Directions from walls at rest, from a lid and from fluid in one cell."""
    compare(name, wall=0b1010110110, lid=0b1000100010)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_what_walls_send_back_has_exact_factors(name: str) -> None:
    """1/3 rounded to f32 takes 1e-8 of 9/2 of the trace from the mass, always with one sign (decision 0010).
    NeighbourAccess the weights, which are named, factors are multiples of a power of two."""
    lattice = lbm.Lattice(name)
    storage = lbm.MomentStorage(lattice, walls="walls", lid="lid", velocity=(0,) * lattice.dimension)
    statements = storage(lbm.Regularised(lattice)).steps[""].statements
    sent_back = [s for s in statements if isinstance(s, Assignment) and str(s.target).startswith("own_")]
    assert len(sent_back) > lattice.size
    for statement in sent_back:
        for factor in statement.value.atoms(sympy.Rational):
            assert factor.q & (factor.q - 1) == 0, statement


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_third_moments_follow_from_what_is_stored(name: str) -> None:
    """A step of the recursive operator; some directions come from walls."""
    corners = 0b100001 << 19 if name == "D3Q27" else 0
    compare(name, wall=0b1010110110 + corners, lid=0b1000100010, recursive=True)


def test_half_a_lid_is_refused() -> None:
    d2q9 = lbm.Lattice("D2Q9")
    with pytest.raises(KernelError, match="two mask fields and a velocity"):
        lbm.MomentStorage(d2q9, walls="walls", lid="lid")
    with pytest.raises(KernelError, match="has 2 components, not 3"):
        lbm.MomentStorage(d2q9, walls="walls", lid="lid", velocity=(0, 0, 0))


def test_what_ten_moments_cannot_hold_is_refused() -> None:
    d3q19, d3q27 = lbm.Lattice("D3Q19"), lbm.Lattice("D3Q27")
    storage = lbm.MomentStorage(d3q19)
    with pytest.raises(KernelError, match="BGK leaves more in the populations"):
        storage(lbm.BGK(d3q19))  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="but a force changes both afterwards"):
        storage(lbm.RecursiveRegularised(d3q19, force=("g", 0, 0)))
    with pytest.raises(KernelError, match="uses D3Q27, but the streaming pattern uses D3Q19"):
        storage(lbm.Regularised(d3q27))
    with pytest.raises(KernelError, match="compressible"):
        storage(lbm.Regularised(d3q19, compressible=False))
    with pytest.raises(KernelError, match="'float' is not a storage type of the stress"):
        lbm.MomentStorage(d3q19, stress_type="float")


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_a_uniform_acceleration(name: str) -> None:
    """After n steps u = u_0 + n F / rho, and memory holds what a start with this velocity puts there."""
    lattice = lbm.Lattice(name)
    d, rho = lattice.dimension, 1.1
    u, push = np.array([0.02, -0.03, 0.01][:d]), np.array([1e-3, 0, -2e-3][:d])
    names = [f"u_{axis}" for axis in "xyz"[:d]]
    storage, force = lbm.MomentStorage(lattice), ("g_x", 0, "g_z")[:d]
    arguments = {"g_x": push[0], "g_z": push[-1]}
    step = storage(lbm.Regularised(lattice, force=force, omega_bulk=0.8)).steps[""]
    start, state = (
        storage.initialise(rho, names, force=force).steps[""],
        storage.moments(force=force, pressure="p").steps[""],
    )

    def fresh(velocity: np.ndarray) -> Periodic:
        box = (3, 2, 2)[:d]
        fields = Periodic(**{f.name: np.zeros((f.components, *box)) for f in storage.fields})
        fields.run(start, **dict(zip(names, velocity, strict=True)), **arguments)
        fields.fields |= {"rho": np.zeros((1, *box)), "u": np.zeros((d, *box)), "p": np.zeros((1, *box))}
        return fields

    fields = fresh(u)
    for n in range(4):
        velocity = u + n * push / rho
        expected = fresh(velocity)
        for field in storage.fields:
            assert fields.fields[field.name] == pytest.approx(expected.fields[field.name], abs=1e-16)
        fields.run(state, **arguments)
        assert fields.fields["rho"] == pytest.approx(rho, abs=1e-15)
        assert fields.fields["p"] == pytest.approx((rho - 1) / 3, abs=1e-16)
        assert np.abs(fields.fields["u"].reshape(d, -1).T - velocity).max() < 1e-16
        fields.fields |= {field.name + "_next": fields.fields[field.name].copy() for field in storage.fields}
        fields.run(step, omega=1.3, **arguments)
        fields.fields |= {field.name: fields.fields[field.name + "_next"] for field in storage.fields}


@pytest.mark.parametrize("omega_bulk", [None, 0.8])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_a_start_with_the_stress_of_its_gradients(name: str, omega_bulk: float | None) -> None:
    """Memory holds the moments of the populations of that start after a collision."""
    lattice = lbm.Lattice(name)
    d, box, force = lattice.dimension, (4, 3, 5)[: lattice.dimension], ("g_x", 0, "g_z")[: lattice.dimension]
    random, arguments = np.random.default_rng(3), {"omega": 1.4, "g_x": 1e-3, "g_z": -2e-3}
    rho, u = 1 + random.uniform(-0.05, 0.05, (1, *box)), random.uniform(-0.05, 0.05, (d, *box))
    storage, aa = lbm.MomentStorage(lattice), lbm.AA(lattice)
    fields = Periodic(f=np.full((lattice.size, *box), np.nan), rho=rho, u=u)
    fields.fields |= {f.name: np.full((f.components, *box), np.nan) for f in storage.fields}
    for start in (aa, storage):
        made = start.initialise(omega="omega", omega_bulk=omega_bulk, force=force)
        fields.run(made.steps[""], **arguments)
    fields.run(aa(lbm.Regularised(lattice, force=force, omega_bulk=omega_bulk)).steps["even"], **arguments)
    c = -np.array(lattice.velocities)  # the even step leaves each population in the place of its opposite
    density, flow = fields.fields["f"].sum(0), np.einsum("qa,q...->a...", c, fields.fields["f"])
    second = np.einsum("qa,qb,q...->ab...", c, c, fields.fields["f"])
    axes = [(a, a) for a in range(d)] + [(a, b) for a in range(d) for b in range(a + 1, d)]
    stress = [second[ab] - (ab[0] == ab[1]) * density / 3 for ab in axes]
    memory = np.concatenate([fields.fields[f.name] for f in storage.fields])
    assert np.abs(memory - np.array([density, *flow, *stress])).max() < 1e-15


def test_what_moments_in_memory_have_not() -> None:
    d2q9 = lbm.Lattice("D2Q9")
    storage = lbm.MomentStorage(d2q9)
    with pytest.raises(KernelError, match="At omega = 1 it is zero"):
        storage.strain_rate(lbm.Regularised(d2q9))
