# SPDX-License-Identifier: Apache-2.0
"""Directions of Poisson problems, and transforms."""

from __future__ import annotations

from errors.cases import says
from heddle.solvers import poisson
from heddle.solvers.butterfly import butterfly


@says("{here}: 1 is not a valid radix of a butterfly.\n  Hint: use 2 or more")
def butterfly_of_one() -> None:
    butterfly(1, twiddled=False)  # here


@says(
    "{here}: 'robin' is not a boundary condition of a direction.\n  Hint: use periodic, dirichlet or neumann"
)
def unknown_poisson_boundary() -> None:
    poisson.Direction(8, 1, "robin", "neumann")  # here


@says("{here}: 'corner' is not a location of unknowns.\n  Hint: use centre or face")
def unknown_poisson_location() -> None:
    poisson.Direction(8, 1, location="corner")  # here


@says("{here}: the direction is periodic at one end only.\n  Hint: make it periodic at both ends, or at none")
def half_periodic_direction() -> None:
    poisson.Direction(8, 1, "periodic", "neumann")  # here


@says(
    "{here}: a direction with these boundaries needs at least 2 unknowns, not 1.\n  Hint: use more unknowns"
)
def one_node_between_two_neumann_ends() -> None:
    poisson.Direction(1, 1, "neumann", "neumann", "face")  # here
