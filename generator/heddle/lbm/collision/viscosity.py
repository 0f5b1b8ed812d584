# SPDX-License-Identifier: Apache-2.0
"""Models of the local viscosity: a relaxation rate from the stress or the velocity gradients of a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import sympy

from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Tensor, contract
from heddle.lbm.neighbour_access import IndexedNeighbours
from heddle.model.equations import Equations, square_root


@dataclass(frozen=True)
class LocalFlow:
    """What a model sees of a cell.

    omega: the rate of the molecular viscosity. inv_rho: 1 / rho. stress: names the second moment of f - f_eq,
    Pi_ab, with its share of the force, so that S_ab = -3 omega Pi_ab / (2 rho).
    """

    equations: Equations
    lattice: Lattice
    omega: sympy.Expr
    inv_rho: sympy.Expr
    stress: Callable[[], Tensor]


class ViscosityModel(ABC):
    """Base of the models.

    needs_stress: whether `rate` takes the stress of the cell. replaces_omega: whether the model knows the
    whole viscosity, so that the operator's rate has no meaning.
    """

    needs_stress = True
    replaces_omega = False

    @property
    @abstractmethod
    def arguments(self) -> tuple[sympy.Expr, ...]:
        """The user's expressions."""

    @abstractmethod
    def rate(self, flow: LocalFlow) -> sympy.Expr:
        """The local relaxation rate, after the statements that it needs."""

    def over_list(self, neighbours: IndexedNeighbours) -> ViscosityModel:
        """The same model in a kernel over a list, where it has to look at neighbours in another way."""
        del neighbours
        return self


def stress_norm(flow: LocalFlow) -> sympy.Expr:
    """Name Q = sqrt(Pi_ab Pi_ab); the shear rate is |S| = 3 omega Q / (sqrt(2) rho)."""
    stress = flow.stress()
    return flow.equations.let("stress_norm", square_root(contract(flow.equations, stress, "stress_squared")))
