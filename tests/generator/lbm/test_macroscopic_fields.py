# SPDX-License-Identifier: Apache-2.0
"""Strain rate, vorticity, Q-criterion, and the start with a consistent pressure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from evaluate import Periodic
from heddle import Field, lbm
from heddle.errors import KernelError
from test_streaming import arrived_from, place
from test_viscosity import gradient, wale

Array: TypeAlias = Any


def equilibrium(lattice: lbm.Lattice, rho: Array, u: Array) -> Array:
    """f_eq - w of a density [x...] and velocity [a, x...]."""
    result = []
    for q, c in enumerate(lattice.velocities):
        cu = sum(component * u[a] for a, component in enumerate(c))
        shape = 3 * cu + 4.5 * cu**2 - 1.5 * (u**2).sum(0)
        result.append(float(lattice.weight(q)) * (rho - 1 + rho * shape))
    return np.array(result)


@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.AA, lbm.EsoTwist])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_strain_rate_of_populations(name: str, pattern: type[lbm.StreamingPattern]) -> None:
    """f = f_eq - (w rho / (omega c_s^2)) (c c - c_s^2 delta):S, less what half a force step still lacks."""
    lattice = lbm.Lattice(name)
    d, omega = lattice.dimension, 1.3
    random = np.random.default_rng(5)
    box = (4, 3, 5)[:d]
    rho, u = 1 + random.uniform(-0.05, 0.05, box), random.uniform(-0.05, 0.05, (d, *box))
    strain = random.uniform(-1e-3, 1e-3, (d, d, *box))
    strain = (strain + strain.swapaxes(0, 1)) / 2
    force = random.uniform(-1e-3, 1e-3, d)
    f = equilibrium(lattice, rho, u)
    for q, c in enumerate(lattice.velocities):
        w = float(lattice.weight(q))
        second = np.outer(c, c) - np.eye(d) / 3
        stress = np.einsum("ab,ab...->...", second, strain)
        half = np.array([force[a] / 2 * u[b] + u[a] * force[b] / 2 for a in range(d) for b in range(d)])
        half = np.einsum("ab,ab...->...", second, half.reshape(d, d, *box))
        f[q] += -w * 3 * rho / omega * stress - w * (3 * np.dot(c, force / 2) + 4.5 * half)
    stream = pattern(lattice)
    kernels = stream.strain_rate(lbm.BGK(lattice, force=tuple(f"g_{axis}" for axis in lattice.axes)))
    arguments = {f"g_{axis}": force[a] for a, axis in enumerate(lattice.axes)}
    for step in stream.steps:
        fields = Periodic(f=place(stream, f, step), strain=np.full((d * (d + 1) // 2, *box), np.nan))
        fields.run(kernels.steps[step], omega=omega, **arguments)
        entries = [(a, a) for a in range(d)] + [(a, b) for a in range(d) for b in range(a + 1, d)]
        expected = np.array([strain[a, b] for a, b in entries])
        assert np.abs(fields.fields["strain"] - expected).max() < 1e-16


def smagorinsky(shear_rate: Array) -> Array:
    return 1 / 1.3 + 3 * 0.2**2 * shear_rate


def power_law(shear_rate: Array) -> Array:
    return 0.5 + 3 * 0.004 * shear_rate**-0.4


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("compressible", [True, False])
@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize(
    ("options", "time", "error"),
    [
        ({"eddy_viscosity": lbm.Smagorinsky(0.2)}, smagorinsky, 1e-12),
        ({"rheology": lbm.PowerLaw(consistency=0.004, exponent=0.6)}, power_law, 2e-5),
        ({"eddy_viscosity": lbm.WALE(0.4, u="v")}, None, 1e-12),
    ],
    ids=["Smagorinsky", "PowerLaw", "WALE"],
)
def test_strain_rate_with_the_local_viscosity(
    options: dict[str, Any],
    time: Callable[[Array], Array] | None,
    error: float,
    name: str,
    compressible: bool,
    zero_centred: bool,
) -> None:
    """Shear in all planes at once, with the stress that the local relaxation time gives it."""
    lattice = lbm.Lattice(name)
    d, box = lattice.dimension, (4, 3, 5)[: lattice.dimension]
    random = np.random.default_rng(8)
    rho, u = 1 + random.uniform(-0.05, 0.05, box), random.uniform(-0.05, 0.05, (d, *box))
    strain = random.uniform(-2e-2, 2e-2, (d, d, *box))
    strain = (strain + strain.swapaxes(0, 1)) / 2
    v = random.uniform(-0.05, 0.05, (d, *box))
    shear_rate = np.sqrt(2 * (strain**2).sum((0, 1)))
    tau = 1 / 1.3 + 3 * wale(gradient(v), 0.4) if time is None else time(shear_rate)
    assert np.ptp(tau) > 0.001
    carried = rho if compressible else np.ones(box)
    f = equilibrium(lattice, carried, u)
    for q, c in enumerate(lattice.velocities):
        w, second = float(lattice.weight(q)), np.outer(c, c) - np.eye(d) / 3
        f[q] += w * (rho - carried) + (0 if zero_centred else w)
        f[q] -= w * 3 * carried * tau * np.einsum("ab,ab...->...", second, strain)
    stream = lbm.AA(lattice, zero_centred=zero_centred)
    kernels = stream.strain_rate(lbm.TRT(lattice, compressible=compressible, **options))
    given = {} if "rheology" in options else {"omega": 1.3}
    entries = [(a, a) for a in range(d)] + [(a, b) for a in range(d) for b in range(a + 1, d)]
    expected = np.array([strain[entry] for entry in entries])
    for step in stream.steps:
        fields = Periodic(f=place(stream, f, step), strain=np.full((len(entries), *box), np.nan), v=v)
        fields.run(kernels.steps[step], **given)
        assert fields.fields["strain"] == pytest.approx(expected, rel=error, abs=1e-15)


def test_strain_rate_of_a_uniform_acceleration() -> None:
    """None, with each way to act: the populations of ExactDifference are in equilibrium with j / rho, those
    of the others about the velocity with half the force. The source of He has a second moment that lacks
    3 u_a u_b u.F. The share of the force is u F = 1e-4."""
    lattice, pull = lbm.Lattice("D2Q9"), (1e-3, -2e-3)
    forces = {pull: 1e-15, lbm.He(pull): 2e-6, lbm.ExactDifference(pull): 1e-15}
    for force, error in forces.items():
        stream = lbm.Pull(lattice)
        collide = lbm.BGK(lattice, force=force)
        step = stream(collide).steps[""]
        f = equilibrium(lattice, np.ones((2, 2)), np.full((2, 2, 2), 0.02))
        for _ in range(40):
            fields = Periodic(f=f, f_next=np.zeros_like(f))
            fields.run(step, omega=1.4)
            f = fields.fields["f_next"]
        fields = Periodic(f=f, strain=np.full((3, 2, 2), np.nan))
        fields.run(stream.strain_rate(collide).steps[""], omega=1.4)
        assert np.abs(fields.fields["strain"]).max() < error, force


WAVES: dict[str, Callable[..., lbm.CollisionOperator]] = {
    "BGK": lbm.BGK,
    "TRT": lbm.TRT,
    "incompressible": lambda lattice: lbm.TRT(lattice, compressible=False),
    "Regularised": lbm.Regularised,
    "Regularised, bulk": lambda lattice: lbm.Regularised(lattice, omega_bulk=1),
    "RecursiveRegularised": lambda lattice: lbm.RecursiveRegularised(lattice, omega_bulk=0.9),
    "MRT": lambda lattice: lbm.MRT(lattice, omega_bulk="omega_bulk"),
    "Smagorinsky": lambda lattice: lbm.MRT(lattice, eddy_viscosity=lbm.Smagorinsky(0.1)),
    "CentralMoment": lbm.CentralMoment,
    "Cumulant": lbm.Cumulant,
    "ParametrisedCumulant": lbm.ParametrisedCumulant,
    "KBC": lbm.KBC,
    "KBC, force": lambda lattice: lbm.KBC(lattice, force=("g", *(0,) * (lattice.dimension - 1))),
    "KBC, trace": lambda lattice: lbm.KBC(lattice, trace=True),
}


@pytest.mark.parametrize(
    ("operator", "name"),
    [(operator, "D3Q27") for operator in WAVES]
    + [(operator, "D2Q9") for operator in WAVES if operator != "ParametrisedCumulant"],
)
def test_strain_rate_of_a_compressive_wave(operator: str, name: str) -> None:
    """Its trace is div u, whatever rate of its own the collision has for it, and its entries are d_x u_x and
    0. A wave of 48 cells along x, half a period
    of sound after the start, as slopes turn, for they lag a little behind."""
    lattice = lbm.Lattice(name)
    d, n, arguments = lattice.dimension, 48, {"omega": 1.6, "omega_bulk": 0.7, "g": 1e-4}
    box = (n, *(1,) * (d - 1))
    x = 2 * np.pi / n * np.arange(n).reshape(box)
    u = np.array([1e-3 * np.sin(x)] + [0 * x] * (d - 1))
    stream, collide = lbm.Pull(lattice), WAVES[operator](lattice)
    step = stream(collide).steps[""]
    f = equilibrium(lattice, np.ones(box), u)
    for _ in range(42):
        fields = Periodic(f=f, f_next=np.zeros_like(f))
        fields.run(step, **arguments)
        f = fields.fields["f_next"]
    fields = Periodic(f=f, u=u, strain=np.full((d * (d + 1) // 2, *box), np.nan))
    fields.run(stream.strain_rate(collide).steps[""], **arguments)
    fields.run(stream.moments(None, "u", compressible=operator != "incompressible").steps[""])
    wave = np.fft.rfft(fields.fields["u"][0].ravel())
    slope = np.fft.irfft(2j * np.pi / n * np.arange(len(wave)) * wave, n)
    strain = fields.fields["strain"].reshape(-1, n)
    assert np.abs(strain[0] - slope).max() < 0.01 * np.abs(slope).max()
    assert np.abs(strain[1:]).max() < 0.01 * np.abs(slope).max()


@pytest.mark.parametrize("name", ["D2Q9", "D3Q27"])
@pytest.mark.parametrize("operator", ["MRT", "CentralMoment", "Cumulant", "Regularised", "Regularised, bulk"])
def test_a_start_has_the_stress_that_the_collision_keeps(operator: str, name: str) -> None:
    """A sound wave of 48 cells begins where its slopes turn: for two steps the trace of the stress stays what
    it is, -2 rho div u / (3 omega_bulk)."""
    lattice = lbm.Lattice(name)
    d, n, rates = lattice.dimension, 48, {"omega": 1.6, "omega_bulk": 0.7}
    bulk = {"MRT": "omega_bulk", "Regularised": None}.get(operator, 1)
    box = (n, *(1,) * (d - 1))
    x = 2 * np.pi / n * np.arange(n).reshape(box)
    u = np.array([1e-3 * np.sin(x)] + [0 * x] * (d - 1))
    trace = -2 / 3 / rates.get(str(bulk), bulk or 1.6) * 1e-3 * 2 * np.pi / n * np.cos(x)
    stream, collide = lbm.Pull(lattice), WAVES[operator](lattice)
    fields = Periodic(f=np.full((lattice.size, *box), np.nan), u=u)
    fields.run(stream.initialise(1, omega="omega", omega_bulk=bulk).steps[""], **rates)
    for _ in range(3):
        f = arrived_from(stream, fields.fields["f"], "")
        velocity = np.einsum("qa,q...->a...", lattice.velocities, f) / (1 + f.sum(0))
        off = f - equilibrium(lattice, 1 + f.sum(0), velocity)
        second = (np.array(lattice.velocities) ** 2).sum(1)
        assert np.abs(np.tensordot(second, off, 1) - trace).max() < 0.02 * np.abs(trace).max()
        fields.fields |= {"f_next": np.full_like(f, np.nan)}
        fields.run(stream(collide).steps[""], **rates)
        fields.fields["f"] = fields.fields.pop("f_next")


def test_strain_rate_is_of_the_operator_of_the_steps() -> None:
    stream, d3q19 = lbm.Pull(lbm.Lattice("D2Q9")), lbm.Lattice("D3Q19")
    with pytest.raises(KernelError, match="'strain' is not the operator of a collision"):
        stream.strain_rate("strain")  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="the collision uses D3Q19, but the streaming pattern uses D2Q9"):
        stream.strain_rate(lbm.BGK(d3q19))


@pytest.mark.parametrize("zero_centred", [True, False])
@pytest.mark.parametrize("compressible", [True, False])
def test_pressure_beside_the_density_one(compressible: bool, zero_centred: bool) -> None:
    lattice = lbm.Lattice("D3Q19")
    rho, u = 1 + np.random.default_rng(4).uniform(-1e-3, 1e-3, (4, 3, 5)), np.zeros((3, 4, 3, 5))
    weights = np.array([float(lattice.weight(q)) for q in range(lattice.size)])[:, None, None, None]
    stream = lbm.AA(lattice, zero_centred=zero_centred)
    f = equilibrium(lattice, rho, u) + (0 if zero_centred else weights)
    kernels = stream.moments(None, None, pressure="p", compressible=compressible)
    for step in stream.steps:
        fields = Periodic(f=place(stream, f, step), p=np.full((1, *rho.shape), np.nan))
        fields.run(kernels.steps[step])
        assert np.abs(fields.fields["p"][0] - (rho - 1) / 3).max() < (1e-18 if zero_centred else 2e-16)


def test_a_pressure_in_halves_starts_a_weak_flow() -> None:
    """Through a field of 16 bits a pressure of 1e-4 comes back with its 11 bits, and of its density nothing
    but noise."""
    lattice, box = lbm.Lattice("D2Q9"), (6, 5)
    pressure = np.random.default_rng(3).uniform(0.5e-4, 1e-4, (1, *box))
    stream, zero = lbm.Pull(lattice), np.zeros((1, *box))
    whole = 1 + 3 * Field("p", "real", 2).here
    found = []
    for start, given in ((whole, {"p": pressure}), ("rho", {"rho": 1 + 3 * pressure})):
        halves = {name: value.astype(np.float16).astype(float) for name, value in given.items()}
        fields = Periodic(f=np.zeros((9, *box)), q=zero.copy(), **halves)
        fields.run(stream.initialise(start, (0, 0)).steps[""])
        fields.run(stream.moments(None, None, pressure="q").steps[""])
        found.append(np.abs(fields.fields["q"] / pressure - 1).max())
    assert found[0] < 2**-11 < 0.3 < found[1]


def test_vorticity_and_q_criterion_of_vortices() -> None:
    """u = (-cos x sin y, sin x cos y, 0): curl u = 2 cos x cos y, Q = (cos^2 x cos^2 y - sin^2 x sin^2 y)."""
    n = 24
    k = 2 * np.pi / n
    x, y, _ = np.meshgrid(*(k * np.arange(m) for m in (n, n, 3)), indexing="ij")
    u = np.array([-np.cos(x) * np.sin(y), np.sin(x) * np.cos(y), 0 * x])
    slope = np.sin(k)  # the central difference of sin k x, over cos k x
    whole = 2 * slope * np.cos(x) * np.cos(y)
    q = slope**2 * ((np.cos(x) * np.cos(y)) ** 2 - (np.sin(x) * np.sin(y)) ** 2)
    space = Periodic(u=u, vorticity=np.full_like(u, np.nan), q=np.full((1, *x.shape), np.nan))
    space.run(lbm.vorticity(3))
    space.run(lbm.q_criterion(3))
    assert np.abs(space.fields["vorticity"] - np.array([0 * x, 0 * x, whole])).max() < 1e-14
    assert np.abs(space.fields["q"][0] - q).max() < 1e-14
    plane = Periodic(u=u[:2, :, :, 0], vorticity=np.full((1, n, n), np.nan), q=np.full((1, n, n), np.nan))
    plane.run(lbm.vorticity(2))
    plane.run(lbm.q_criterion(2))
    assert np.abs(plane.fields["vorticity"][0] - whole[:, :, 0]).max() < 1e-14
    assert np.abs(plane.fields["q"][0] - q[:, :, 0]).max() < 1e-14


def test_fields_of_a_velocity_have_two_or_three_dimensions() -> None:
    with pytest.raises(KernelError, match="1 dimensions has no curl"):
        lbm.vorticity(1)


@pytest.mark.parametrize("pattern", [lbm.Pull, lbm.AA])
def test_start_finds_the_pressure_of_vortices(pattern: type[lbm.StreamingPattern]) -> None:
    """rho = 1 - 3/4 U^2 (cos 2x + cos 2y), and the velocity as given."""
    lattice, n, speed = lbm.Lattice("D2Q9"), 16, 0.02
    k = 2 * np.pi / n
    x, y = np.meshgrid(k * np.arange(n), k * np.arange(n), indexing="ij")
    u = speed * np.array([-np.cos(x) * np.sin(y), np.sin(x) * np.cos(y)])
    stream = pattern(lattice)
    kernels = stream(lbm.ConsistentInitialisation(lattice))
    arrived = equilibrium(lattice, np.ones((n, n)), u)
    names = list(stream.steps)
    fields = Periodic(f=place(stream, arrived, names[0]), u=u)
    steps = 600
    for t in range(steps):
        if not stream.in_place:
            fields.fields["f_next"] = np.full_like(arrived, np.nan)
        fields.run(kernels.steps[names[t % len(names)]], omega=1.2)
        if not stream.in_place:
            fields.fields["f"] = fields.fields.pop("f_next")
    found = arrived_from(stream, fields.fields["f"], names[steps % len(names)])
    expected = -0.75 * speed**2 * (np.cos(2 * x) + np.cos(2 * y))
    deviation = found.sum(0) - found.sum(0).mean()
    assert np.abs(deviation - expected).max() < 0.1 * np.abs(expected).max()  # (k cell)^2 / 6 = 3 % and more
    c = np.array(lattice.velocities)
    momentum = np.einsum("qa,q...->a...", c, found)
    assert np.abs(momentum - u).max() < 0.04 * speed  # one step of viscosity, 2 nu k^2 = 3.4 %


@pytest.mark.parametrize("compressible", [True, False])
def test_start_is_the_state_that_the_first_step_reads(compressible: bool) -> None:
    """Density, velocity and strain rate as given, with a force, at densities far from 1."""
    lattice, force, box = lbm.Lattice("D2Q9"), (1e-3, "g"), (5, 4)
    random = np.random.default_rng(6)
    rho, u = 1 + random.uniform(-0.1, 0.1, (1, *box)), random.uniform(-0.1, 0.1, (2, *box))
    stream = lbm.AA(lattice)
    fields = Periodic(f=np.full((9, *box), np.nan), rho=rho.copy(), u=u.copy(), strain=np.zeros((3, *box)))
    start = stream.initialise(omega="omega", force=force, compressible=compressible)
    fields.run(start.steps[""], omega=1.4, g=2e-3)
    fields.fields["rho"][:], fields.fields["u"][:] = np.nan, np.nan
    fields.run(stream.moments(force=force, compressible=compressible).steps["even"], g=2e-3)
    assert fields.fields["rho"] == pytest.approx(rho, abs=1e-15)
    assert fields.fields["u"] == pytest.approx(u, abs=1e-15)
    collide = lbm.TRT(lattice, force=force, compressible=compressible)
    fields.run(stream.strain_rate(collide).steps["even"], omega=1.4, g=2e-3)
    slopes = gradient(u)
    expected = np.array([slopes[0, 0], slopes[1, 1], (slopes[0, 1] + slopes[1, 0]) / 2])
    assert fields.fields["strain"] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("compressible", [True, False])
def test_consistent_initialisation_carries_the_velocity(compressible: bool) -> None:
    """The momentum after its collision is rho u, without compressibility u."""
    lattice, box = lbm.Lattice("D2Q9"), (3, 4)
    f = equilibrium(lattice, 1 + np.random.default_rng(7).uniform(-0.1, 0.1, box), np.zeros((2, *box)))
    u = np.random.default_rng(8).uniform(-0.1, 0.1, (2, *box))
    fields = Periodic(f=f, f_next=np.zeros_like(f), u=u)
    collide = lbm.ConsistentInitialisation(lattice, compressible=compressible)
    density = 1 + fields.run(lbm.Pull(lattice)(collide).steps[""], omega=1.2)["delta_rho"]
    momentum = np.einsum("qa,q...->a...", np.array(lattice.velocities), fields.fields["f_next"])
    assert momentum == pytest.approx(u * (density if compressible else 1), abs=1e-16)
