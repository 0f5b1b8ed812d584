# SPDX-License-Identifier: Apache-2.0
"""Warm rain of large-eddy simulations: formulas written down in another way, conservation, exact falls."""

from __future__ import annotations

from typing import Any

import numpy as np
from boxes import G, Kernel, framed, inner
from flows import profiles as column_of
from heddle import fields, parameters, profiles
from heddle.atmosphere.large_eddies import rain, saturation
from heddle.atmosphere.large_eddies.grid import Grid
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations
from test_saturation import CP, EXNER, LV, PRESSURES, humidity

RHO = np.array([0.8, 0.9, 1.0, 1.1, 1.2])
NAMES = ("th", "q", "r", "q_c", "p", "Pi", "rho", "th_out", "q_out", "r_out", "rate", "speed")


def broadcast(values: Any) -> Any:
    """A box of one row per entry of RHO and as many columns as there are values."""
    return framed(np.broadcast_to(np.asarray(values)[None, None, :], (len(RHO), 1, len(values))))


def rates(name: str) -> Kernel:
    q_c, r, rate = fields("q_c, r, rate: real[3D]", ghost_layers=3)
    rho = profiles("rho: real[z]", ghost_layers=3)
    cell = Equations(fields=NAMES)
    if name == "kessler":
        value = rain.kessler_conversion(q_c.here, r.here, parameters("threshold"))
    else:
        value = rain.seifert_beheng_conversion(cell, q_c.here, r.here, rho.here, parameters("droplets"))
    cell.store(rate.here, value)
    return Kernel(AssignmentCollection(cell.statements))


Q_C = np.array([0.0, 2e-4, 1e-3, 2e-3, 5e-4, 1e-3, 1e-12])
R = np.array([1e-3, 0.0, 0.0, 1e-4, 1e-3, 5e-3, 3e-3])


def test_kessler_converts_beyond_a_threshold_and_collects() -> None:
    found = inner(rates("kessler")({"q_c": broadcast(Q_C), "r": broadcast(R)}, threshold=5e-4)["rate"])
    wanted = 1e-3 * np.maximum(Q_C - 5e-4, 0) + 2.2 * Q_C * R**0.875
    np.testing.assert_allclose(found[2, 0], wanted, rtol=1e-13)


def test_seifert_and_beheng_convert_as_their_paper_has_it() -> None:
    """For nu = 1, with all factors as they stand there."""
    given = {"q_c": broadcast(Q_C), "r": broadcast(R), "rho": framed(RHO)}
    found = inner(rates("sb")(given, droplets=7e7)["rate"])
    for level, rho in enumerate(RHO):
        for n, (q_c, r) in enumerate(zip(Q_C, R, strict=True)):
            cloud, drops = rho * q_c, rho * r
            if cloud == 0:
                assert found[level, 0, n] == 0
                continue
            tau, x = drops / (cloud + drops), cloud / 7e7
            broad = 1 + 400 * tau**0.7 * (1 - tau**0.7) ** 3 / (1 - tau) ** 2
            alone = 4.44e9 / (20 * 2.6e-10) * 3 * 5 / 4 * cloud**2 * x**2 * broad * 1.225 / rho
            collected = 5.25 * cloud * drops * (tau / (tau + 5e-5)) ** 4 * (1.225 / rho) ** 0.5
            np.testing.assert_allclose(found[level, 0, n], (alone + collected) / rho, rtol=1e-6)
    assert np.all(np.isfinite(found))
    # More droplets, less rain: by itself it forms as 1 / droplets^2.
    fewer = inner(rates("sb")(given, droplets=14e7)["rate"])
    np.testing.assert_allclose(fewer[:, 0, 1:3], found[:, 0, 1:3] / 4, rtol=1e-12)


def exchanged(th: Any, q: Any, r: Any, conversion: float, step: float) -> tuple[Any, ...]:
    """theta_l, q and r after an exchange, at PRESSURES."""
    a, b, c, *out = fields("th, q, r, th_out, q_out, r_out: real[3D]", ghost_layers=3)
    p, Pi, rho = profiles("p, Pi, rho: real[z]", ghost_layers=3)
    cell = Equations(fields=NAMES)
    wet = saturation.adjust(cell, a.here, b.here, p.here, Pi.here)
    D, dt = parameters("D, dt")
    now = rain.exchange(cell, a.here, b.here, c.here, wet, D, dt, rho.here, p.here, Pi.here)
    for target, value in zip(out, (now.theta_l, now.q, now.r), strict=True):
        cell.store(target.here, value)
    given = {"th": framed(th), "q": framed(q), "r": framed(r)}
    given |= {"p": framed(PRESSURES), "Pi": framed(EXNER), "rho": framed(RHO)}
    found = Kernel(AssignmentCollection(cell.statements))(given, D=conversion, dt=step)
    return tuple(inner(found[name]) for name in ("th_out", "q_out", "r_out"))


T = np.broadcast_to(np.linspace(280, 300, 4), (5, 1, 4))


def test_water_and_heat_stay_what_they_are() -> None:
    for excess in (-3e-3, 2e-3):
        q = humidity(T, PRESSURES[:, None, None]) + excess
        th, r = T / EXNER[:, None, None], np.full(T.shape, 5e-4)
        th_1, q_1, r_1 = exchanged(th, q, r, 1e-3, 4)
        assert np.all((r_1 > r) if excess > 0 else (r_1 < r))
        np.testing.assert_allclose(q_1 + r_1, q + r, rtol=1e-15)
        kept = LV / (CP * EXNER[:, None, None])
        np.testing.assert_allclose(th_1 - kept * r_1, th - kept * r, rtol=1e-15)


def test_rain_evaporates_as_in_the_column_scheme_of_kessler() -> None:
    q_s = humidity(T, PRESSURES[:, None, None])
    q, r = 0.7 * q_s, np.full(T.shape, 2e-3)
    _, _, r_1 = exchanged(T / EXNER[:, None, None], q, r, 0, 2)
    p, rho = PRESSURES[:, None, None], RHO[:, None, None]
    content = 1e-3 * rho * r  # g cm-3
    ventilation = (1.6 + 124.9 * content**0.2046) * content**0.525
    rate = (1 - q / q_s) * ventilation / (1e-3 * rho) / (5.4e5 + 2.55e8 / (p * q_s))
    np.testing.assert_allclose((r - r_1) / 2, rate, rtol=1e-10)
    assert np.all(rate > 1e-7)


def test_no_more_changes_than_there_is() -> None:
    q_s = humidity(T, PRESSURES[:, None, None])
    th = T / EXNER[:, None, None]
    warm, q, r = exchanged(th, q_s + 1e-3, np.zeros(T.shape), 10, 100)  # all cloud water becomes rain
    assert np.all(r > 1e-4)
    np.testing.assert_allclose(q, humidity(warm * EXNER[:, None, None], PRESSURES[:, None, None]), rtol=1e-9)
    np.testing.assert_allclose(q, q_s + 1e-3 - r, rtol=1e-15)
    th, q, r = exchanged(th, 0.9 * q_s, np.full(T.shape, 1e-5), 0, 1e5)  # all rain evaporates
    np.testing.assert_allclose(r, 0, atol=1e-20)
    before = T / EXNER[:, None, None]
    th, q, r = exchanged(before, 0.9 * q_s, np.full(T.shape, 2e-2), 0, 1e7)  # and cannot oversaturate
    cold = th * EXNER[:, None, None]
    np.testing.assert_allclose(q / humidity(cold, PRESSURES[:, None, None]), 1, rtol=0.01)
    assert np.all(r > 1e-2)


def test_drops_fall_with_the_speed_of_kessler() -> None:
    r, speed = fields("r, speed: real[3D]", ghost_layers=3)
    rho = profiles("rho: real[z]", ghost_layers=3)
    cell = Equations(fields=NAMES)
    cell.store(speed.here, rain.fall_speed(cell, r.here, rho.here, parameters("rho_ground")))
    values = np.array([-1e-6, 0.0, 1e-9, 1e-4, 1e-3, 0.1])
    given = {"r": broadcast(values), "rho": framed(RHO)}
    found = inner(Kernel(AssignmentCollection(cell.statements))(given, rho_ground=1.2)["speed"])[:, 0]
    assert np.all(found[:, :2] == 0)
    wanted = 36.34 * (1e-3 * RHO[:, None] * values[2:5]) ** 0.1364 * (1.2 / RHO[:, None]) ** 0.5
    np.testing.assert_allclose(found[:, 2:5], wanted, rtol=1e-12)
    assert np.all(found[:, 5] == 10)


def fallen(r: Any, speed: Any, column: dict[str, Any], step: float) -> tuple[Any, Any]:
    """r after a fall, and what passed lower faces."""
    grid = Grid()
    given, v = grid.scalar("r"), grid.scalar("speed")
    after, passed = fields("r_out, rate: real[3D]", ghost_layers=3)
    cell = Equations(fields=(*grid.names, *NAMES))
    for target, value in zip((after, passed), rain.fall(cell, grid, given, v, parameters("dt")), strict=True):
        cell.store(target.here, value)
    kernel = Kernel(AssignmentCollection(cell.statements))
    named = {name: column[name] for name in ("mass", "per_mass", "per_height", "order_z")}
    found = kernel({"r": framed(r), "speed": framed(speed)} | named, dt=step)
    return inner(found["r_out"])[:, 0, 0], inner(found["rate"])[:, 0, 0]


def test_rain_that_falls_keeps_its_mass_and_moves_as_far_as_its_speed_says() -> None:
    n = 9
    column = column_of(n, 4, 5)
    mass = inner(column["mass"])
    random = np.random.default_rng(8)
    r = random.uniform(0, 1e-3, (n, 1, 1))
    for fastest in (0.5, 2.9):  # cells of the least height in a step
        speed = random.uniform(0, fastest, (n, 1, 1)) * np.min(column["height"])
        after, passed = fallen(r, speed, column, 1.0)
        assert np.min(after) >= 0
        assert passed[0] > 0
        np.testing.assert_allclose(mass @ after + passed[0], mass @ r[:, 0, 0], rtol=1e-14)
        # Each cell's rain spreads evenly over the heights to which it fell.
        faces = np.concatenate([[0], np.cumsum(column["height"])])
        wanted = np.zeros(n)
        for k in range(n):
            low, high = faces[k] - speed[k, 0, 0], faces[k + 1] - speed[k, 0, 0]
            within = np.minimum(high, faces[1:]) - np.maximum(low, faces[:-1])
            wanted += mass[k] * r[k, 0, 0] * np.maximum(within, 0) / (high - low)
        np.testing.assert_allclose(after * mass, wanted, rtol=1e-12)


def test_slow_rain_is_the_upstream_scheme() -> None:
    n = 6
    column = column_of(n, 2, 5)
    r = np.random.default_rng(1).uniform(0, 1e-3, (n, 1, 1))
    after, passed = fallen(r, np.full((n, 1, 1), 5.0), column, 2.0)
    flux = inner(column["rho"]) * r[:, 0, 0] * 5.0 * 2.0
    np.testing.assert_allclose(passed, flux, rtol=1e-13)
    above = np.append(flux[1:], 0)
    np.testing.assert_allclose(after, r[:, 0, 0] + (above - flux) / inner(column["mass"]), rtol=1e-12)
    assert column["mass"].shape == (n + 2 * G,)
