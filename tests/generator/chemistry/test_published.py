# SPDX-License-Identifier: Apache-2.0
"""Stiff problems of chemistry with published solutions, by RADAU5 in quadruple precision: F. Mazzia and C.
Magherini, Test Set for Initial Value Problem Solvers (2008). POLLU, air pollution with 20 species, is by
J. G. Verwer, SIAM J. Sci. Comput. 15, 1243 (1994), HIRES by E. Schaefer, J. Math. Biol. 2, 41 (1975), the
Oregonator by R. J. Field and R. M. Noyes, J. Chem. Phys. 60, 1877 (1974). Units are theirs: ppm and minutes,
and none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from cells import evaluated
from heddle import Module, chemistry

POLLU = """\
NO2 -> NO + O : .35
NO + O3 -> NO2 : 26.6
HO2 + NO -> NO2 + OH : 1.23e4
HCHO -> 2 HO2 + CO : 8.6e-4
HCHO -> CO : 8.2e-4
HCHO + OH -> HO2 + CO : 1.5e4
ALD -> MEO2 + HO2 + CO : 1.3e-4
ALD + OH -> C2O3 : 2.4e4
C2O3 + NO -> NO2 + MEO2 + CO2 : 1.65e4
C2O3 + NO2 -> PAN : 9e3
PAN -> C2O3 + NO2 : .022
MEO2 + NO -> CH3O + NO2 : 1.2e4
CH3O -> HCHO + HO2 : 1.88
NO2 + OH -> HNO3 : 1.63e4
O -> O3 : 4.8e6
O3 -> O1D : 3.5e-4
O3 -> O : .0175
O1D -> 2 OH : 1e8
O1D -> O : 4.44e11
SO2 + OH -> SO4 + HO2 : 1.24e3
NO3 -> NO : 2.1
NO3 -> NO2 + O : 5.78
NO2 + O3 -> NO3 : .0474
NO2 + NO3 -> N2O5 : 1.78e3
N2O5 -> NO3 + NO2 : 3.12
"""
HIRES = """\
() -> A : .0007
A -> B : 1.71
B -> A : .43
B -> D : 8.32
C -> A : 8.32
C -> D : 1.71
D -> C : .43
D -> F : .69
E -> C : .035
E -> F : 1.71
F -> E : .43
F + H -> G : 280
G -> E + H : .43
G -> F + H : .69
G -> H : .69
"""
OREGONATOR = f"""\
Y -> X + Y : 77.27
X -> 2 X : 77.27
2 X -> X : {77.27 * 8.375e-6!r}
X + Y -> Y : 77.27
Z -> Y + Z : {1 / 77.27!r}
Y -> () : {1 / 77.27!r}
X + Y -> X : {1 / 77.27!r}
X -> X + Z : .161
Z -> () : .161
"""


@dataclass(frozen=True)
class Problem:
    """start, end: by species; nothing is there of those that are not named. absolute: a tolerance. most: the
    error with a relative tolerance of 1e-4."""

    reactions: str
    interval: float
    start: dict[str, float]
    end: dict[str, float]
    absolute: float
    most: float = 1e-3


PROBLEMS = {
    "pollu": Problem(
        POLLU,
        60.0,
        {"NO": 0.2, "O3": 0.04, "HCHO": 0.1, "CO": 0.3, "ALD": 0.01, "SO2": 0.007},
        {
            "NO2": 0.5646255480022769e-1, "NO": 0.1342484130422339, "O": 0.4139734331099427e-8,
            "O3": 0.5523140207484359e-2, "HO2": 0.2018977262302196e-6, "OH": 0.1464541863493966e-6,
            "HCHO": 0.7784249118997964e-1, "CO": 0.3245075353396018, "ALD": 0.7494013383880406e-2,
            "MEO2": 0.1622293157301561e-7, "C2O3": 0.1135863833257075e-7, "CO2": 0.2230505975721359e-2,
            "PAN": 0.2087162882798630e-3, "CH3O": 0.1396921016840158e-4, "HNO3": 0.8964884856898295e-2,
            "O1D": 0.4352846369330103e-17, "SO2": 0.6899219696263405e-2, "SO4": 0.1007803037365946e-3,
            "NO3": 0.1772146513969984e-5, "N2O5": 0.5682943292316392e-4,
        },
        1e-8,
    ),
    "hires": Problem(
        HIRES,
        321.8122,
        {"A": 1.0, "H": 0.0057},
        {
            "A": 0.7371312573325668e-3, "B": 0.1442485726316185e-3, "C": 0.5888729740967575e-4,
            "D": 0.1175651343283149e-2, "E": 0.2386356198831331e-2, "F": 0.6238968252742796e-2,
            "G": 0.2849998395185769e-2, "H": 0.2850001604814231e-2,
        },
        1e-5,
    ),
    "oregonator": Problem(
        OREGONATOR,
        360.0,
        {"X": 1.0, "Y": 2.0, "Z": 3.0},
        {"X": 0.1000814870318523e1, "Y": 0.1228178521549917e4, "Z": 0.1320554942846706e3},
        1.0,
        most=2e-3,
    ),
}  # fmt: skip


def mechanism_of(name: str) -> chemistry.Mechanism:
    result = chemistry.Mechanism(name)
    lines = [line.rpartition(" : ") for line in PROBLEMS[name].reactions.splitlines()]
    terms = [
        term.split()[-1] for equation, _, _ in lines for term in equation.replace("->", "+").split(" + ")
    ]
    result.species(*dict.fromkeys(term for term in terms if term != "()"))
    for equation, _, rate in lines:
        result.reaction(equation, rate=float(rate))
    return result


@pytest.mark.parametrize("method", ["Ros3", "Rodas3", "Rodas4"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_published_values(name: str, method: str) -> None:
    """The root mean square of relative errors: at most 1e-3 with a tolerance of 1e-4, 1e-5 with 1e-6. The
    Oregonator, whose oscillations begin anew with every error, has up to 1.5e-3 with 1e-4."""
    problem, mechanism = PROBLEMS[name], mechanism_of(name)
    module = Module(name, precisions=("f64",))
    module.add("step", chemistry.Rosenbrock(mechanism, method, dimensions=1).integrate())
    start = np.array([[problem.start.get(species, 0.0)] for species in mechanism.variable])
    for relative, most in ((1e-4, problem.most), (1e-6, 1e-5)):
        found = evaluated(
            module,
            "step",
            {"concentration": start, "temperature": 298.15, "pressure": 101325.0},
            interval=problem.interval,
            relative_tolerance=relative,
            absolute_tolerance=problem.absolute * relative,
        )
        assert found["outcome"][0] == 0
        values = dict(zip(mechanism.variable, found["concentration"][:, 0], strict=True))
        errors = [values[species] / wanted - 1 for species, wanted in problem.end.items()]
        assert np.sqrt(np.mean(np.square(errors))) <= most, (
            relative,
            dict(zip(problem.end, errors, strict=True)),
        )
