# SPDX-License-Identifier: Apache-2.0
"""Each rate law against its formula in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from heddle.chemistry.lambda_rates import lambda_expression
from heddle.chemistry.quantities import AIR, PRESSURE, TEMPERATURE
from heddle.chemistry.rate_laws import RATE_LAWS

T, P, M = 261.0, 5.4e4, 24.9
AVOGADRO = 6.02214076e23


def value(kind: str, index: int = 0, name: str = "x", **given: Any) -> float:
    """Of a row of the table, with its usual parameters where none are given."""
    law = RATE_LAWS[kind]
    usual = {key: v for key, v in law.parameters.items() if v is not None}
    rate = law.rate(usual | given, name)[index]
    host = {sympy.Symbol(s.name, real=True): 0.37 for s in rate.free_symbols - {TEMPERATURE, PRESSURE, AIR}}
    return float(rate.subs({TEMPERATURE: T, PRESSURE: P, AIR: M} | host))


def fall_off(k0: float, kinf: float, Fc: float, N: float) -> float:
    x = k0 * M / kinf
    return k0 / (1 + x) * Fc ** (1 / (1 + np.log10(x) ** 2 / N))


def attachment(n: float, temperature: float, air: float) -> float:
    """Molecules, cm3."""
    low = 2e-22 * np.exp(n) * air
    high = 0.43 * (temperature / 298) ** -8
    return low / (1 + low / high) * 0.41 ** (1 / (1 + np.log10(low / high) ** 2))


A, Z = attachment(5, T, M * AVOGADRO * 1e-6), attachment(5, 293, 2.45e19) * (1 - 0.15) / 0.15
HOST = 0.37
"""Of each host value."""
SPEED = np.sqrt(8 * 8.31446261815324 * T / (np.pi * 0.034))
GAS = {"diffusion coefficient [m2 s-1]": 1.46e-5, "molecular weight [kg mol-1]": 0.034}


def accommodated(n: float) -> float:
    free = (-10 * (n - 1) + 7.53 * (n ** (2 / 3) - 1) - 1) * 4184 - T * 4.184 * (
        -32 * (n - 1) + 9.21 * (n ** (2 / 3) - 1) - 1.3
    )
    return float(1 / (1 + np.exp(free / (8.31446261815324 * T))))


def uptake(alpha: float) -> float:
    kn = 3 * 1.46e-5 / (SPEED * HOST)
    f = 0.75 * alpha * (1 + kn) / (kn**2 + kn + 0.283 * kn * alpha + 0.75 * alpha)
    return float(HOST * 4 * np.pi * HOST * 1.46e-5 * f)


ACCOMMODATED = uptake(accommodated(1.74))
PRESSURE_OF_OIL = 101325 * 10 ** (-1970 / T + 2.91 + 1.96e-3 * T - 0.496 * np.log(T))
RT = 8.31446261815324 * T
K0, KINF = 3e4 * np.exp(200 / T) * (T / 300) ** -2, 2e6 * (T / 300) ** 0.5
FALL_OFF = {"k0_A": 3e4, "k0_B": -2, "k0_C": 200, "kinf_A": 2e6, "kinf_B": 0.5, "Fc": 0.45, "N": 0.8}
CASES: dict[str, tuple[dict[str, Any], int, Any]] = {
    "ARRHENIUS": (
        {"A": 3.2, "B": 0.4, "C": -150, "D": 290, "E": 2e-6},
        0,
        3.2 * np.exp(-150 / T) * (T / 290) ** 0.4 * (1 + 2e-6 * P),
    ),
    "ARRHENIUS by energy": ({"A": 3.2, "Ea": 2e-21}, 0, 3.2 * np.exp(-2e-21 / 1.380649e-23 / T)),
    "TROE": (FALL_OFF, 0, fall_off(K0, KINF, 0.45, 0.8) * M),
    "TERNARY_CHEMICAL_ACTIVATION": (FALL_OFF, 0, fall_off(K0, KINF, 0.45, 0.8)),
    "BRANCHED nitrate": ({"X": 2e6, "Y": -300, "a0": 0.15, "n": 5}, 0, 2e6 * np.exp(300 / T) * A / (A + Z)),
    "BRANCHED alkoxy": ({"X": 2e6, "Y": -300, "a0": 0.15, "n": 5}, 1, 2e6 * np.exp(300 / T) * Z / (A + Z)),
    "TUNNELING": ({"A": 1.5, "B": 700, "C": 1e8}, 0, 1.5 * np.exp(-700 / T + 1e8 / T**3)),
    "TAYLOR_SERIES": (
        {f"taylor coefficients.{n}": c for n, c in enumerate((1.0, 2e-2, -3e-5))} | {"A": 2, "C": 100},
        0,
        (1 + 2e-2 * T - 3e-5 * T**2) * 2 * np.exp(100 / T),
    ),
    "SURFACE": (
        {
            "reaction probability": 0.1,
            "diffusion coefficient [m2 s-1]": 2e-5,
            "molecular weight [kg mol-1]": 0.108,
        },
        0,
        4 * 0.37 * np.pi * 0.37**2
        / (0.37 / 2e-5 + 4 / (np.sqrt(8 * 8.31446261815324 * T / (np.pi * 0.108)) * 0.1)),
    ),
    "CMAQ_H2O2": (
        {"k1_A": 1e5, "k1_C": 600, "k2_A": 600, "k2_C": 1000},
        0,
        1e5 * np.exp(600 / T) + 600 * np.exp(1000 / T) * M,
    ),
    "CMAQ_OH_HNO3": (
        {"k0_A": 1e4, "k0_C": 460, "k2_A": 2e4, "k2_B": 0.3, "k3_A": 3e2, "k3_C": 1335},
        0,
        1e4 * np.exp(460 / T)
        + 3e2 * np.exp(1335 / T) * M / (1 + 3e2 * np.exp(1335 / T) * M / (2e4 * (T / 300) ** 0.3)),
    ),
    "PHOTOLYSIS": ({"scaling factor": 9}, 0, 9 * 0.37),
    "EMISSION": ({}, 0, 0.37),
    "FIRST_ORDER_LOSS": ({"scaling factor": 0.5}, 0, 0.37 / 2),
    "USER_DEFINED": ({}, 0, 0.37),
    "LAMBDA_RATE_CONSTANT": (
        {
            "lambda function": lambda_expression(
                "[](double temperature, double p, double air) -> double {\n"
                "  return 1.2e-3 * std::exp(-300.0 / temperature) * std::pow(temperature / 298.0, 1.5)"
                " * (1.0 + p / air) + std::sqrt(air); }",
                "a.json:1",
            )
        },
        0,
        1.2e-3 * np.exp(-300 / T) * (T / 298) ** 1.5 * (1 + P / M) + np.sqrt(M),
    ),
    "REVERSIBLE forth": ({"A": 3e2, "C": 900, "k_r": 0.4}, 0, 3e2 * np.exp(900 / T) * 0.4),
    "REVERSIBLE back": ({"A": 3e2, "C": 900, "k_r": 0.4}, 1, 0.4),
    "AQUEOUS_EQUILIBRIUM forth": (
        {"A": 1.1e-2, "C": 2300, "k_reverse": 0.32}, 0, 1.1e-2 * np.exp(2300 * (1 / T - 1 / 298)) * 0.32,
    ),
    "AQUEOUS_EQUILIBRIUM back": ({"A": 1.1e-2, "C": 2300, "k_reverse": 0.32}, 1, 0.32),
    "CONDENSED_PHASE_ARRHENIUS": (
        {"A": 3.2, "B": 0.4, "C": -150, "E": 2e-6},
        0,
        3.2 * np.exp(-150 / T) * (T / 300) ** 0.4 * (1 + 2e-6 * P),
    ),
    "CONDENSED_PHASE_PHOTOLYSIS": ({"scaling factor": 3}, 0, 3 * HOST),
    "HL_PHASE_TRANSFER forth": (GAS | {"N star": 1.74, "HLC(298K) [mol L-1 Pa-1]": 1.0}, 0, ACCOMMODATED),
    "HL_PHASE_TRANSFER back": (
        GAS | {"N star": 1.74, "HLC(298K) [mol L-1 Pa-1]": 0.9, "HLC exponential factor [K]": 6340},
        1,
        ACCOMMODATED / (0.9 * np.exp(6340 * (1 / T - 1 / 298)) * RT * HOST),
    ),
    "SIMPOL_PHASE_TRANSFER forth": (GAS | {f"B.{n}": 0.1 for n in range(4)}, 0, uptake(0.1)),
    "SIMPOL_PHASE_TRANSFER back": (
        GAS | {"B.0": -1970, "B.1": 2.91, "B.2": 1.96e-3, "B.3": -0.496},
        1,
        uptake(0.1) * PRESSURE_OF_OIL / (RT * HOST),
    ),
    "WET_DEPOSITION": ({"scaling factor": 12.0}, 0, 12 * HOST),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_formula(case: str) -> None:
    given, index, wanted = CASES[case]
    assert value(case.split()[0], index, **given) == pytest.approx(wanted, rel=1e-12)


def test_every_law_has_a_case() -> None:
    assert {case.split()[0] for case in CASES} == set(RATE_LAWS)
