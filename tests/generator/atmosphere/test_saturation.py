# SPDX-License-Identifier: Apache-2.0
"""Saturation and the adjustment to it, against the published fit, Tetens' formula and bisection."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from boxes import Kernel, framed, inner
from heddle import fields, profiles
from heddle.atmosphere.large_eddies import saturation
from heddle.atmosphere.large_eddies.air import Air
from heddle.model.assignment import AssignmentCollection
from heddle.model.equations import Equations

AIR = Air()
RD, RV, CP, LV = 287.04, 461.5, 1005.0, 2.5e6
EPS = RD / RV
FIT = np.polynomial.Polynomial(
    [
        610.5851, 44.40316, 1.430341, 2.641412e-2, 2.995057e-4, 2.031998e-6, 6.936113e-9, 2.564861e-12,
        -3.704404e-15,
    ]
)  # fmt: skip
PRESSURES = np.array([6e4, 7e4, 8e4, 9e4, 102000.0])
EXNER = (PRESSURES / 1e5) ** (RD / CP)


def pressure_of(T: Any) -> Any:
    return FIT(np.maximum(T - 273.15, -80))


def humidity(T: Any, p: Any) -> Any:
    e = pressure_of(T)
    return EPS * e / (p - (1 - EPS) * e)


def levels(values: Any) -> Any:
    return framed(values)


def adjustment(loop: bool, precision: str) -> Kernel:
    th, q, T, q_c, q_s = fields("th, q, T_out, q_c_out, q_s_out: real[3D]", ghost_layers=3)
    p, Pi = profiles("p, Pi: real[z]", ghost_layers=3)
    cell = Equations(fields=("th", "q", "p", "Pi", "T_out", "q_c_out", "q_s_out"))
    found = saturation.adjust(cell, th.here, q.here, p.here, Pi.here, loop=loop)
    for target, value in ((T, found.T), (q_c, found.q_c), (q_s, found.q_s)):
        cell.store(target.here, value)
    return Kernel(AssignmentCollection(cell.statements), precision)


def box(excess: Any) -> dict[str, Any]:
    """Temperatures of 265 to 305 K at all pressures, with so much water beyond saturation (kg/kg)."""
    cold = np.linspace(265, 305, 9)
    T = np.broadcast_to(cold, (len(PRESSURES), len(excess), len(cold)))
    q = humidity(T, PRESSURES[:, None, None]) + np.asarray(excess)[None, :, None]
    return {
        "th": framed(T / EXNER[:, None, None]),
        "q": framed(q),
        "p": levels(PRESSURES),
        "Pi": levels(EXNER),
    }


def by_bisection(a: dict[str, Any]) -> tuple[Any, Any]:
    """T and q_c of saturated air."""
    T_l, q = inner(a["th"]) * EXNER[:, None, None], inner(a["q"])
    p = PRESSURES[:, None, None]
    low, high = T_l.copy(), T_l + LV / CP * (q - humidity(T_l, p))
    for _ in range(80):
        middle = (low + high) / 2
        above = middle - T_l - LV / CP * (q - humidity(middle, p)) > 0
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return low, q - humidity(low, p)


def test_four_steps_reach_the_temperature_of_bisection() -> None:
    """The bounds hold up to so much cloud water, and no result lies below the solution."""
    excess = np.array([1e-4, 1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 1.2e-2, 1.6e-2])
    given = box(excess)
    found = adjustment(False, "f64")(given)
    T, q_c = by_bisection(given)
    error = inner(found["T_out"]) - T
    assert np.sum(q_c > 3e-3) > 50
    assert np.sum(q_c < 1e-3) > 50
    assert np.max(np.abs(error[q_c < 3e-3])) < 1e-8
    assert np.max(np.abs(error[q_c < 6e-3])) < 1e-5
    assert np.min(error) > -1e-11
    few = q_c < 3e-3
    np.testing.assert_allclose(inner(found["q_c_out"])[few], q_c[few], atol=1e-11)
    q_s = humidity(inner(found["T_out"]), PRESSURES[:, None, None])
    np.testing.assert_allclose(inner(found["q_s_out"]), q_s, rtol=1e-13)


def test_each_step_comes_down_from_above() -> None:
    """With one to three steps the result lies above that of bisection, and moves towards it."""
    given, last = box(np.array([1e-3, 4e-3])), np.inf
    T, _ = by_bisection(given)
    for steps in (1, 2, 3):
        saturation.STEPS = steps
        try:
            error = inner(adjustment(False, "f64")(given)["T_out"]) - T
        finally:
            saturation.STEPS = 4
        assert np.min(error) > -1e-11
        assert np.max(error) < last
        last = np.max(error)
    assert 1e-7 < last < 1e-2


def test_dry_air_keeps_its_temperature_and_cloud_water_begins_at_0() -> None:
    given = box(np.array([-5e-3, -1e-6, 0, 1e-12]))
    found = adjustment(False, "f64")(given)
    T, q_c = inner(found["T_out"]), inner(found["q_c_out"])
    assert np.array_equal(T[:, :2], (EXNER[:, None, None] * inner(given["th"]))[:, :2])
    assert np.all(q_c[:, :2] == 0)
    assert np.all(q_c[:, 2:] < 2e-12)
    assert np.max(q_c[:, 3]) > 1e-13


def test_the_loop_has_the_bits_of_the_straight_line() -> None:
    given = box(np.array([-1e-3, 0, 1e-4, 5e-3]))
    for precision in ("f64", "f32"):
        straight, loop = (adjustment(form, precision)(given) for form in (False, True))
        for name in ("T_out", "q_c_out", "q_s_out"):
            assert np.array_equal(straight[name], loop[name], equal_nan=True), name


def test_the_pressure_is_that_of_tetens_and_its_slope_the_derivative() -> None:
    T_in, e, slope, q_s, dq_s = fields("T_in, e, slope, q_s, dq_s: real[3D]", ghost_layers=3)
    cell = Equations(fields=("T_in", "e", "slope", "q_s", "dq_s"))
    for target, value in zip((e, slope), saturation.vapour_pressure(cell, T_in.here, "_0"), strict=True):
        cell.store(target.here, value)
    found = saturation.saturation(cell, T_in.here, sympy.Integer(90_000), suffix="_1")
    for target, value in zip((q_s, dq_s), found, strict=True):
        cell.store(target.here, value)
    kernel = Kernel(AssignmentCollection(cell.statements))
    T = np.array([180.0, 185.0, 280, 285, 290, 295, 300])[None, None, :]
    now, beside = kernel({"T_in": framed(T)}), kernel({"T_in": framed(T + 1e-3)})
    before = kernel({"T_in": framed(T - 1e-3)})
    e_s = inner(now["e"])[0, 0]
    tetens = 610.78 * np.exp(17.269 * (T[0, 0] - 273.16) / (T[0, 0] - 35.86))
    np.testing.assert_allclose(e_s[2:], tetens[2:], rtol=1e-3)
    assert abs(e_s[-1] - 3531.9) < 0.05
    assert e_s[0] == e_s[1] == FIT(-80.0)
    for value, change in (("e", "slope"), ("q_s", "dq_s")):
        difference = (inner(beside[value]) - inner(before[value])) / 2e-3
        np.testing.assert_allclose(inner(now[change])[0, 0, 2:], difference[0, 0, 2:], rtol=1e-7)
