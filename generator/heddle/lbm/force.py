# SPDX-License-Identifier: Apache-2.0
"""Body forces: the `force` of an operator is a vector, or a vector with a forcing scheme.

A plain vector uses the scheme of Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308: the velocity is u = (sum
c f + F/2) / rho. In moment form the force adds, before its prefactor 1 - omega/2, F to the first moment and u
F + F u to the second, which is the source S_q = w_q [3 (c - u) + 9 (c.u) c].F. Operators in the moving frame
add F to the first central moment and F / 3 to the third.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TypeAlias

import sympy

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import Lattice
from heddle.lbm.moments.macroscopic import Macroscopic, Vector
from heddle.model.equations import Equations, Scalar, quantity


@dataclass(frozen=True)
class ForcedCell:
    """The state of a cell that a force can use, and the rates of the even and odd half of a pair."""

    equations: Equations
    lattice: Lattice
    weights: Mapping[int, sympy.Expr]
    state: Macroscopic
    force: Vector
    even_rate: sympy.Expr
    odd_rate: sympy.Expr


@dataclass(frozen=True)
class ForceModel(ABC):
    """Base of the forcing schemes other than Guo's. vector: a force density, one entry per axis.

    in_velocity: whether the equilibrium uses the velocity with half the force. The output velocity always
    does.
    """

    vector: Sequence[Scalar]
    in_velocity = True

    @abstractmethod
    def source(self, cell: ForcedCell) -> Mapping[str, sympy.Expr]:
        """What the force adds to each direction after the collision."""


Force: TypeAlias = Sequence[Scalar] | ForceModel


def force_vector(lattice: Lattice, force: Force | None) -> Vector:
    """The force density a component, zeros for None. Strings name kernel arguments.

    Raises KernelError if the number of components is not the lattice's dimension.
    """
    if force is None:
        return (sympy.Integer(0),) * lattice.dimension
    vector = force.vector if isinstance(force, ForceModel) else force
    count = repr(vector) if isinstance(vector, str) or not isinstance(vector, Sized) else len(vector)
    if count != lattice.dimension:
        raise KernelError(
            calling_place(),
            f"a force on {lattice.name} has {lattice.dimension} components, not {count}.",
            "give one entry per axis, 0 where there is no force",
        )
    return tuple(quantity(component) for component in vector)
