# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of chemistry that are written in Python, and solvers that are asked for what they do not have.
What files can have wrong, tests/generator/chemistry shows."""

from __future__ import annotations

from errors.cases import says
from heddle import chemistry
from heddle.chemistry.rate_laws import arrhenius

oxygen = chemistry.Mechanism("oxygen")
oxygen.species("O", "O3")
oxygen.reaction("O3 -> O", rate=arrhenius(A=1.0))


@says("{here}: 'Rodas5' is no Rosenbrock method that is known.\n  Hint: choose one of: Ros3, Rodas3, Rodas4")
def method_that_is_not_there() -> None:
    chemistry.Rosenbrock(oxygen, "Rodas5")  # here


@says("{here}: max_steps=0 is no number of steps.\n  Hint: max_steps=10_000")
def no_steps() -> None:
    chemistry.Rosenbrock(oxygen, max_steps=0)  # here


@says("{here}: dimensions=4 of the cells is none of 1, 2, 3.\n  Hint: dimensions=3")
def cells_of_four_dimensions() -> None:
    chemistry.Rosenbrock(oxygen, dimensions=4)  # here


@says(
    "{here}: there are 3 absolute tolerances for 2 unknowns.\n"
    "  Hint: give one for each of mechanism.variable, as mechanism.absolute_tolerances(1e-15) does"
)
def tolerances_of_another_mechanism() -> None:
    chemistry.Rosenbrock(oxygen).integrate(absolute_tolerance=[1e-15, 1e-15, 1e-12])  # here


@says("{here}: the absolute tolerance of 'O3' is 0.0.\n  Hint: it is a number above 0, in mol m-3: 1e-15")
def tolerance_of_nothing() -> None:
    chemistry.Rosenbrock(oxygen).integrate(absolute_tolerance=[1e-15, 0.0])  # here


@says(
    "{here}: tolerance_per_species makes absolute_tolerance a table of numbers that callers give.\n"
    "  Hint: leave out absolute_tolerance, or tolerance_per_species"
)
def tolerances_given_twice() -> None:
    solver = chemistry.Rosenbrock(oxygen, tolerance_per_species=True)
    solver.integrate(absolute_tolerance=[1e-15, 1e-15])  # here


@says("{here}: the absolute tolerance of 'O1D' is -1e-15.\n  Hint: it is a number above 0, in mol m-3: 1e-15")
def tolerance_below_nothing() -> None:
    chemistry.Mechanism("none").species("O1D", absolute_tolerance=-1e-15)  # here


@says("{here}: 'oxygen.txt' is no format that is known.\n  Hint: use a .json, a .yaml or a .def file")
def mechanism_in_prose() -> None:
    chemistry.read("oxygen.txt")  # here


@says("{here}: 'O3 = O' has no arrow.\n  Hint: write reaction(\"NO + O3 -> NO2 + O2\", rate=...)")
def equation_without_an_arrow() -> None:
    chemistry.Mechanism("none").reaction("O3 = O", rate=1)  # here


@says(
    "{here}: 'N2O5 -> NO2' changes the number of N atoms by -1.\n"
    "  Hint: mend its products, or the atoms of its species; mechanism.unbalanced('N') has 1 reaction in all"
)
def atoms_that_are_lost() -> None:
    mechanism = chemistry.Mechanism("leaking")
    mechanism.species("NO2", atoms={"N": 1})
    mechanism.species("N2O5", atoms={"N": 2})
    mechanism.reaction("N2O5 -> NO2", rate=1)  # here
    mechanism.check(require_balanced=("N",))


@says(
    "oxygen: no species has atoms of 'O', so nobody knows whether reactions keep them.\n"
    "  Hint: give them: species('NO', atoms={'N': 1})"
)
def atoms_of_nothing() -> None:
    oxygen.check(require_balanced=("O",))
