# SPDX-License-Identifier: Apache-2.0
"""A day of a mechanism of the stratosphere, given as text of KPP: accuracy against the method Radau IIA of
order 5 (E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, IV.5) in NumPy, with reactions
and rates of its own in molecules and cm, not by KPP's functions; and its atoms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import Compiled
from heddle import Module, Schedule, Strips, chemistry

TEXT = """\
#DEFVAR
  O = O;  O1D = O;  O3 = 3O;  NO = N + O;  NO2 = N + 2O;  NO3 = N + 3O;  N2O5 = 2N + 5O;
  CL = Cl;  CLO = Cl + O;  CLNO3 = Cl + N + 3O;
#DEFFIX
  M = IGNORE;  O2 = 2O;
#INITVALUES
  O2 = 1.8E+17;
#EQUATIONS
  O2 + hv = 2O : J_O2;
  O + O2 + M = O3 + M : ARR_ac(6.0e-34, -2.4);
  O3 + hv = O + O2 : J_O3;
  O3 + hv = O1D + O2 : J_O1D;
  O1D + M = O + M : 2.3E-11*EXP(100/TEMP);
  O + O3 = 2O2 : ARR_ab(8.0E-12, 2060);
  NO + O3 = NO2 + O2 : ARR_abc(3.0E-12, 1500, 0);
  NO2 + O = NO + O2 : 5.1E-12*EXP(210/TEMP);
  NO2 + hv = NO + O : J_NO2;
  NO2 + O3 = NO3 + O2 : 1.2E-13*EXP(-2450/TEMP);
  NO3 + hv = NO2 + O : J_NO3;
  NO3 + NO = 2NO2 : 1.5E-11*EXP(170/TEMP);
  NO2 + NO3 = N2O5 : FALL(2.0E-30, 0, -4.4, 1.4E-12, 0, -0.7, 0.6);
  N2O5 + hv = NO2 + NO3 : J_N2O5;
  CL + O3 = CLO + O2 : 2.3E-11*EXP(-200/TEMP);
  CLO + O = CL + O2 : 2.8E-11*EXP(85/TEMP);
  CLO + NO = CL + NO2 : ARR2(6.4E-12, 290);
  CLO + NO2 = CLNO3 : k3rd_jpl(cair, 1.8E-31, 3.4, 1.5E-11, 1.9, 0.6);
  CLNO3 + hv = CL + NO3 : J_CLNO3;
"""
NAMES = ("O", "O1D", "O3", "NO", "NO2", "NO3", "N2O5", "CL", "CLO", "CLNO3")
NOON = {"O2": 5e-11, "O3": 4e-4, "O1D": 6e-5, "NO2": 1e-2, "NO3": 0.2, "N2O5": 4e-5, "CLNO3": 6e-5}
"""Photolysis, s-1."""
MOLECULES = 6.02214076e17
"""In cm3, of 1 mol m-3."""
T = np.array([215.0, 225.0, 240.0])
"""K, of three cells."""
P = np.array([5e3, 2.5e3, 8e2])
M = P / (8.31446261815324 * T) * MOLECULES
START = np.outer([0, 0, 4e12, 6e8, 2e9, 0, 2e8, 0, 3e7, 5e8], [1.0, 0.8, 0.3])
"""Molecules per cm3 at sunrise."""


def fall(low: Any, high: Any) -> Any:
    return low / (1 + low / high) * 0.6 ** (1 / (1 + np.log10(low / high) ** 2))


def reactions(sun: float) -> list[tuple[str, str, Any]]:
    """Unknowns that react and that come out; rate constants of the cells times what is fixed."""
    o2, part = 1.8e17, T / 300
    j = {name: np.full(3, rate * sun) for name, rate in NOON.items()}
    return [
        ("", "O O", j["O2"] * o2),
        ("O", "O3", 6.0e-34 * part**-2.4 * o2 * M),
        ("O3", "O", j["O3"]),
        ("O3", "O1D", j["O1D"]),
        ("O1D", "O", 2.3e-11 * np.exp(100 / T) * M),
        ("O O3", "", 8.0e-12 * np.exp(-2060 / T)),
        ("NO O3", "NO2", 3.0e-12 * np.exp(-1500 / T)),
        ("NO2 O", "NO", 5.1e-12 * np.exp(210 / T)),
        ("NO2", "NO O", j["NO2"]),
        ("NO2 O3", "NO3", 1.2e-13 * np.exp(-2450 / T)),
        ("NO3", "NO2 O", j["NO3"]),
        ("NO3 NO", "NO2 NO2", 1.5e-11 * np.exp(170 / T)),
        ("NO2 NO3", "N2O5", fall(2.0e-30 * part**-4.4 * M, 1.4e-12 * part**-0.7)),
        ("N2O5", "NO2 NO3", j["N2O5"]),
        ("CL O3", "CLO", 2.3e-11 * np.exp(-200 / T)),
        ("CLO O", "CL", 2.8e-11 * np.exp(85 / T)),
        ("CLO NO", "CL NO2", 6.4e-12 * np.exp(290 / T)),
        ("CLO NO2", "CLNO3", fall(1.8e-31 * part**-3.4 * M, 1.5e-11 * part**-1.9)),
        ("CLNO3", "CL NO3", j["CLNO3"]),
    ]


class Equations:
    """f and its Jacobian for some cells at once, [cell, species], while the sun stands still."""

    def __init__(self, sun: float) -> None:
        table = reactions(sun)
        self.k = np.array([k for _, _, k in table]).T
        # A reactant that is missing is a further unknown, which is 1.
        left = [[NAMES.index(name) for name in a.split()] + [10, 10] for a, _, _ in table]
        self.first, self.second = np.array([row[:2] for row in left]).T
        self.nu = np.zeros((10, len(table)))
        for q, (a, b, _) in enumerate(table):
            for number, side in ((-1, a), (1, b)):
                for name in side.split():
                    self.nu[NAMES.index(name), q] += number

    def values(self, y: Any) -> Any:
        whole = np.append(y, np.ones((*y.shape[:-1], 1)), axis=-1)
        return (self.k * whole[..., self.first] * whole[..., self.second]) @ self.nu.T

    def jacobian(self, y: Any) -> Any:
        whole = np.append(y, np.ones((*y.shape[:-1], 1)), axis=-1)
        partials = np.zeros((len(y), len(self.nu[0]), 11))
        at = np.arange(len(self.nu[0]))
        partials[:, at, self.first] = self.k * whole[:, self.second]
        partials[:, at, self.second] += self.k * whole[:, self.first]
        return self.nu @ partials[..., :10]


ROOT = np.sqrt(6)
RADAU = np.array(
    [
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]
)


def radau(y: Any, equations: Equations, seconds: float) -> Any:
    """Steps from 1 ms on, each 1.3 times as long as the one before, up to 90 s. Half as long ones change the
    results by 1e-8."""
    t, h = 0.0, 1e-3
    while t < seconds:
        h = min(h, seconds - t)
        stages = np.repeat(y[:, None], 3, axis=1)
        matrix = np.eye(30) - h * np.einsum("ij,cab->ciajb", RADAU, equations.jacobian(y)).reshape(-1, 30, 30)
        inverse = np.linalg.inv(matrix)
        for _ in range(30):
            slopes = np.stack([equations.values(stages[:, i]) for i in range(3)], axis=1)
            rest = y[:, None] + h * np.einsum("ij,cja->cia", RADAU, slopes) - stages
            change = (inverse @ rest.reshape(-1, 30, 1)).reshape(rest.shape)
            stages += change
            if np.all(np.abs(change) <= 1e-12 * np.abs(stages) + 1e-12):
                break
        else:
            raise AssertionError(f"Newton's method does not converge at {t} s")
        y, t, h = stages[:, 2], t + h, min(1.3 * h, 90.0)
    return y


@pytest.mark.compiles
def test_a_day(tmp_path: Path) -> None:
    """From sunrise on, light as in the middle of each hour, with remembered steps."""
    (tmp_path / "day.kpp").write_text(TEXT)
    mechanism = chemistry.read(tmp_path / "day.kpp", require_balanced=("N", "O", "Cl"))
    assert mechanism.variable == NAMES
    module = Module("day", precisions=("f64",))
    schedule = Schedule(cpu=Strips(8), math="reproducible")
    module.add("day", chemistry.Rosenbrock(mechanism, dimensions=1).integrate(), schedule=schedule)
    compiled = Compiled(tmp_path, [(module, ("cpu",))])
    suns = [max(0.0, np.cos((hour - 5.5) * np.pi / 12)) for hour in range(24)]
    exact, y = [], START.T.copy()
    for sun in suns:
        y = radau(y, Equations(sun), 3600.0)
        exact.append(y.T / MOLECULES)
    for rtol, atol, most in ((1e-4, 1e-22, 1e-3), (1e-6, 1e-22, 1e-5), (1e-8, 1e-26, 1e-6)):
        state: dict[str, Any] = {"concentration": START / MOLECULES, "temperature": T, "pressure": P}
        squares = []
        for sun, wanted in zip(suns, exact, strict=True):
            rates = [NOON[name.removeprefix("J_")] * sun for name in mechanism.inputs]
            state["rate_input"] = np.array(rates)[:, None]
            tolerances = {"relative_tolerance": rtol, "absolute_tolerance": atol}
            found = compiled.run(module, "day", state, interval=3600.0, **tolerances)
            assert not found["outcome"].any()
            state["concentration"], state["step"] = found["concentration"], found["step"]
            squares.append(((found["concentration"] - wanted) / (np.abs(wanted) + 1e-18)) ** 2)
        rms = float(np.sqrt(np.mean(squares)))
        assert rms <= most, (rtol, rms)
        for element in ("N", "Cl"):
            atoms = np.array([(mechanism.known[name].atoms or {}).get(element, 0) for name in NAMES])
            kept = atoms @ state["concentration"] / (atoms @ START / MOLECULES)
            assert kept == pytest.approx(np.ones(3), rel=1e-11)
