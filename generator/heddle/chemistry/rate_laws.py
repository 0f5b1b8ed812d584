# SPDX-License-Identifier: Apache-2.0
"""Rate laws: rate constants as expressions of temperature T (K), pressure P (Pa) and air M (mol m-3).

Units are (m3 mol-1)^(n-1) s-1 for n reactants. (T/D)^B is written as e^{B ln(T/D)}, so that one logarithm
serves all reactions. Formulas are those of the Mechanism Configuration format, version 1, and of its sources,
which each function names. RATE_LAWS has a row for each type of reaction of the formats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from heddle.chemistry.condensed_laws import (
    accommodation,
    aqueous_equilibrium,
    condensation,
    henry,
    reversible,
    simpol,
)
from heddle.chemistry.quantities import AIR, AVOGADRO, BOLTZMANN, GAS_CONSTANT, PRESSURE, TEMPERATURE
from heddle.model.equations import Scalar, quantity

T, P, M = TEMPERATURE, PRESSURE, AIR
Values = Mapping[str, Any]


def arrhenius(
    A: Scalar = 1.0, B: float = 0.0, C: float = 0.0, D: float = 300.0, E: float = 0.0
) -> sympy.Expr:
    """A e^{C/T} (T/D)^B (1 + E P). C, D: K. E: 1/Pa."""
    exponent = quantity(C) / T + quantity(B) * sympy.log(T / quantity(D))
    return quantity(A) * sympy.exp(exponent) * (1 + quantity(E) * P)


def _broadened(k0: sympy.Expr, kinf: sympy.Expr, Fc: float, N: float) -> tuple[sympy.Expr, sympy.Expr]:
    """x = k0 M/kinf, and Fc^{1/(1 + (log10 x)^2/N)}."""
    x = k0 * M / kinf
    decades = sympy.log(x, evaluate=isinstance(x, sympy.exp)) / sympy.Float(math.log(10))
    return x, sympy.exp(sympy.Float(math.log(Fc)) / (1 + decades**2 / quantity(N)))


def troe(k0: sympy.Expr, kinf: sympy.Expr, Fc: float = 0.6, N: float = 1.0) -> sympy.Expr:
    """Fall-off between low and high pressure: k0 M/(1 + x) Fc^{1/(1 + (log10 x)^2/N)}, x = k0 M/kinf
    (J. Troe, J. Phys. Chem. 83, 114 (1979)). k0: one order higher than kinf."""
    x, broadening = _broadened(k0, kinf, Fc, N)
    return k0 * M / (1 + x) * broadening


def ternary_chemical_activation(
    k0: sympy.Expr, kinf: sympy.Expr, Fc: float = 0.6, N: float = 1.0
) -> sympy.Expr:
    """k0/(1 + x) Fc^{1/(1 + (log10 x)^2/N)}, x = k0 M/kinf: products compete with stabilisation."""
    x, broadening = _broadened(k0, kinf, Fc, N)
    return k0 / (1 + x) * broadening


def tunneling(A: Scalar = 1.0, B: float = 0.0, C: float = 0.0) -> sympy.Expr:
    """A e^{-B/T + C/T^3}. B: K. C: K^3."""
    return quantity(A) * sympy.exp(-quantity(B) / T + quantity(C) / T**3)


def taylor_series(coefficients: Sequence[float], rate: sympy.Expr) -> sympy.Expr:
    """(sum over j of c_j T^j) times a rate, usually of Arrhenius."""
    polynomial: sympy.Expr = sympy.Integer(0)
    for coefficient in reversed(coefficients):
        polynomial = polynomial * T + quantity(coefficient)
    return polynomial * rate


def branched(X: float, Y: float, a0: float, n: float) -> tuple[sympy.Expr, sympy.Expr]:
    """RO2 + NO to a nitrate, and to an alkoxy radical: X e^{-Y/T} times A/(A + Z) and Z/(A + Z) (P. O.
    Wennberg et al., Chem. Rev. 118, 3337 (2018)). a0: the nitrate's part at 293 K and 2.45e19 molecules
    cm-3; n: heavy atoms of RO2, without those of the radical."""
    low = 2e-22 * AVOGADRO * 1e-6 * math.exp(n)  # m3 mol-1

    def nitrate(temperature: sympy.Expr, air: sympy.Expr) -> sympy.Expr:
        high = sympy.Float(0.43) * sympy.exp(-8 * sympy.log(temperature / 298))
        ratio = sympy.Float(low) * air / high
        decades = sympy.log(ratio) / sympy.Float(math.log(10))
        return (
            sympy.Float(low) * air / (1 + ratio) * sympy.exp(sympy.Float(math.log(0.41)) / (1 + decades**2))
        )

    reference = nitrate(sympy.Float(293.0), sympy.Float(2.45e19 * 1e6 / AVOGADRO))
    z = sympy.Float(float(reference) * (1 - a0) / a0)
    a = nitrate(T, M)
    whole = quantity(X) * sympy.exp(-quantity(Y) / T)
    return whole * a / (a + z), whole * z / (a + z)


def surface(
    diffusion: float, molecular_weight: float, probability: float, radius: sympy.Expr, number: sympy.Expr
) -> sympy.Expr:
    """Uptake by particles: 4 N pi r^2/(r/D + 4/(v gamma)), v = sqrt(8 R T/(pi m)).

    diffusion: D of the gas, m2 s-1. molecular_weight: m, kg mol-1. probability: gamma. radius: r, m.
    number: N, m-3.
    """
    speed = sympy.sqrt(sympy.Float(8 * GAS_CONSTANT / (math.pi * molecular_weight)) * T)
    resistance = radius / sympy.Float(diffusion) + sympy.Float(4 / probability) / speed
    return sympy.Float(4 * math.pi) * number * radius**2 / resistance


def cmaq_h2o2(k1: sympy.Expr, k2: sympy.Expr) -> sympy.Expr:
    """k1 + k2 M (HO2 + HO2; EP3 of KPP)."""
    return k1 + k2 * M


def cmaq_oh_hno3(k0: sympy.Expr, k2: sympy.Expr, k3: sympy.Expr) -> sympy.Expr:
    """k0 + k3 M/(1 + k3 M/k2) (EP2 of KPP)."""
    return k0 + k3 * M / (1 + k3 * M / k2)


def host_value(label: str, scaling: float = 1.0) -> sympy.Expr:
    """A rate constant that the host gives for each cell, times a factor: photolysis, emission, loss."""
    return quantity(scaling) * sympy.Symbol(label, real=True)


@dataclass(frozen=True)
class RateLaw:
    """A type of reaction in a file.

    parameters: their values where a file says nothing; None: it must say. rate: of the values and the name of
    the reaction, one rate constant per key of products. reactants: the key that lists them, "" for none.
    named: a host value has the name of the reaction, which must be given. function: the key of a function of
    C++, whose value is among those of the parameters. back: a second rate constant is that of the products,
    which become reactants. phase: it lies in a condensed phase, whose name the rate gets where it is a
    transfer between this and the gas. bounds: parameters that lie above a number, and at most at another one.
    """

    parameters: Mapping[str, float | None]
    rate: Callable[[Values, str], tuple[sympy.Expr, ...]]
    reactants: str = "reactants"
    products: tuple[str, ...] = ("products",)
    named: bool = False
    function: str = ""
    back: bool = False
    phase: bool = False
    transfer: bool = False
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Of all parameters that have some: those by which formulas divide or of which they take a logarithm
        are positive, and powers of T/D are no larger than what describes a reaction."""
        powers = [
            key for key in self.parameters if key.endswith("_B") or (key == "B" and "D" in self.parameters)
        ]
        positive = dict.fromkeys(("D", "Fc", "N", DIFFUSION, WEIGHT, HENRY), _POSITIVE)
        return {**positive, **dict.fromkeys(powers, (-LARGEST_POWER, LARGEST_POWER)), **self.bounds}


_POSITIVE = (0.0, math.inf)
LARGEST_POWER = 1_000.0
"""Of T/D."""
_ARRHENIUS = {"A": 1.0, "B": 0.0, "C": 0.0, "D": 300.0, "E": 0.0}


def _part(prefix: str) -> dict[str, float]:
    """Parameters of one Arrhenius expression of several."""
    return {f"{prefix}_A": 1.0, f"{prefix}_B": 0.0, f"{prefix}_C": 0.0}


def _arrhenius_of(v: Values, prefix: str) -> sympy.Expr:
    return arrhenius(v[f"{prefix}_A"], v[f"{prefix}_B"], v[f"{prefix}_C"])


_BOTH = {"k0_A": _POSITIVE, "kinf_A": _POSITIVE}
_FALL_OFF = {**_part("k0"), **_part("kinf"), "Fc": 0.6, "N": 1.0}


def _fall_off(law: Callable[..., sympy.Expr]) -> Callable[[Values, str], tuple[sympy.Expr, ...]]:
    return lambda v, _: (law(_arrhenius_of(v, "k0"), _arrhenius_of(v, "kinf"), v["Fc"], v["N"]),)


def _host(prefix: str, **options: object) -> RateLaw:
    return RateLaw(
        {"scaling factor": 1.0},
        lambda v, name: (host_value(f"{prefix}.{name}", v["scaling factor"]),),
        named=True,
        **options,  # type: ignore[arg-type]
    )


def _energy(v: Values) -> float:
    """C of Arrhenius, which may be given as an energy per molecule, -Ea/k_B."""
    return float(-v["Ea"] / BOLTZMANN if v.get("Ea") else v["C"])


def _plain(v: Values) -> sympy.Expr:
    return arrhenius(v["A"], v["B"], _energy(v), v["D"], v["E"])


def _taylor(v: Values, _: str) -> tuple[sympy.Expr, ...]:
    count = sum(1 for name in v if name.startswith("taylor coefficients."))
    return (taylor_series([v[f"taylor coefficients.{n}"] for n in range(count)], _plain(v)),)


def _surface(v: Values, name: str) -> tuple[sympy.Expr, ...]:
    radius = host_value(f"SURF.{name}.effective radius [m]")
    number = host_value(f"SURF.{name}.particle number concentration [# m-3]")
    diffusion, weight = v["diffusion coefficient [m2 s-1]"], v["molecular weight [kg mol-1]"]
    return (surface(diffusion, weight, v["reaction probability"], radius, number),)


DIFFUSION, WEIGHT = "diffusion coefficient [m2 s-1]", "molecular weight [kg mol-1]"
HENRY, HENRY_C, N_STAR = "HLC(298K) [mol L-1 Pa-1]", "HLC exponential factor [K]", "N star"


def water_of(phase: str) -> sympy.Expr:
    """The host value with the mass of water of a phase, kg per m3 of air."""
    return host_value(f"AERO.{phase}.water [kg m-3]")


def _uptake(v: Values, phase: str) -> sympy.Expr:
    radius = host_value(f"AERO.{phase}.effective radius [m]")
    number = host_value(f"AERO.{phase}.number concentration [m-3]")
    return condensation(v[DIFFUSION], v[WEIGHT], accommodation(v[N_STAR] or None), radius, number)


def _henry(v: Values, phase: str) -> tuple[sympy.Expr, ...]:
    return henry(_uptake(v, phase), v[HENRY], v[HENRY_C], water_of(phase))


def _simpol(v: Values, phase: str) -> tuple[sympy.Expr, ...]:
    B = v["B.0"], v["B.1"], v["B.2"], v["B.3"]
    return simpol(_uptake(v, phase), B, host_value(f"AERO.{phase}.all species [mol m-3]"))


RATE_LAWS: dict[str, RateLaw] = {
    "ARRHENIUS": RateLaw({**_ARRHENIUS, "Ea": 0.0}, lambda v, _: (_plain(v),)),
    "TROE": RateLaw(_FALL_OFF, _fall_off(troe), bounds=_BOTH),
    "TERNARY_CHEMICAL_ACTIVATION": RateLaw(_FALL_OFF, _fall_off(ternary_chemical_activation), bounds=_BOTH),
    "BRANCHED": RateLaw(
        {"X": None, "Y": None, "a0": None, "n": None},
        lambda v, _: branched(v["X"], v["Y"], v["a0"], v["n"]),
        products=("nitrate products", "alkoxy products"),
        bounds={"a0": (0.0, 1.0), "n": (-1.0, 100.0)},
    ),
    "TUNNELING": RateLaw({"A": 1.0, "B": 0.0, "C": 0.0}, lambda v, _: (tunneling(v["A"], v["B"], v["C"]),)),
    "TAYLOR_SERIES": RateLaw({**_ARRHENIUS, "Ea": 0.0, "taylor coefficients": 1.0}, _taylor),
    "SURFACE": RateLaw(
        {
            "reaction probability": 1.0,
            "diffusion coefficient [m2 s-1]": None,
            "molecular weight [kg mol-1]": None,
        },
        _surface,
        reactants="gas-phase species",
        products=("gas-phase products",),
        named=True,
        bounds={"reaction probability": _POSITIVE},
    ),
    "CMAQ_H2O2": RateLaw(
        {**_part("k1"), **_part("k2")},
        lambda v, _: (cmaq_h2o2(_arrhenius_of(v, "k1"), _arrhenius_of(v, "k2")),),
    ),
    "CMAQ_OH_HNO3": RateLaw(
        {**_part("k0"), **_part("k2"), **_part("k3")},
        lambda v, _: (cmaq_oh_hno3(_arrhenius_of(v, "k0"), _arrhenius_of(v, "k2"), _arrhenius_of(v, "k3")),),
        bounds={"k2_A": _POSITIVE},
    ),
    "PHOTOLYSIS": _host("PHOTO"),
    "EMISSION": _host("EMIS", reactants=""),
    "FIRST_ORDER_LOSS": _host("LOSS"),
    "USER_DEFINED": _host("USER"),
    "LAMBDA_RATE_CONSTANT": RateLaw({}, lambda v, _: (v["lambda function"],), function="lambda function"),
    "REVERSIBLE": RateLaw(
        {"A": 1.0, "C": 0.0, "k_r": None}, lambda v, _: reversible(v["A"], v["C"], v["k_r"]), back=True
    ),
    "AQUEOUS_EQUILIBRIUM": RateLaw(
        {"A": 1.0, "C": 0.0, "k_reverse": None},
        lambda v, _: aqueous_equilibrium(v["A"], v["C"], v["k_reverse"]),
        back=True,
        phase=True,
    ),
    "CONDENSED_PHASE_ARRHENIUS": RateLaw({**_ARRHENIUS, "Ea": 0.0}, lambda v, _: (_plain(v),), phase=True),
    "CONDENSED_PHASE_PHOTOLYSIS": _host("PHOTO", phase=True),
    "HL_PHASE_TRANSFER": RateLaw(
        {HENRY: None, HENRY_C: 0.0, DIFFUSION: None, WEIGHT: None, N_STAR: 0.0},
        _henry,
        reactants="gas-phase species",
        products=("aerosol-phase species",),
        back=True,
        phase=True,
        transfer=True,
    ),
    "SIMPOL_PHASE_TRANSFER": RateLaw(
        {"B": None, DIFFUSION: None, WEIGHT: None, N_STAR: 0.0},
        _simpol,
        reactants="gas-phase species",
        products=("aerosol-phase species",),
        back=True,
        phase=True,
        transfer=True,
    ),
    "WET_DEPOSITION": _host("WET", reactants="", products=(), phase=True),
}
