# SPDX-License-Identifier: Apache-2.0
"""Directions of Poisson problems, and transforms."""

from __future__ import annotations

from errors.cases import says
from heddle.solvers import poisson
from heddle.solvers.butterfly import butterfly


@says("{here}: there is no butterfly of radix 1.\n  Hint: 2 or more")
def butterfly_of_one() -> None:
    butterfly(1, twiddled=False)  # here


@says("{here}: 'robin' is not a boundary.\n  Hint: one of periodic, dirichlet, neumann")
def unknown_poisson_boundary() -> None:
    poisson.Direction(8, 1, "robin", "neumann")  # here


@says("{here}: unknowns cannot lie at 'corner'.\n  Hint: centre or face")
def unknown_poisson_location() -> None:
    poisson.Direction(8, 1, location="corner")  # here


@says("{here}: a direction is periodic at one end only.\n  Hint: periodic at both ends, or at none")
def half_periodic_direction() -> None:
    poisson.Direction(8, 1, "periodic", "neumann")  # here


@says("{here}: 1 unknowns are less than 2.")
def one_node_between_two_neumann_ends() -> None:
    poisson.Direction(1, 1, "neumann", "neumann", "face")  # here
