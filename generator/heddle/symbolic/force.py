# SPDX-License-Identifier: Apache-2.0
"""Body forces by Guo, Zheng and Shi, Phys. Rev. E 65 (2002) 046308.

The velocity is u = (sum c f + F/2) / rho. In moment form the force adds, before its prefactor 1 - omega/2, F
to the first moment and u F + F u to the second, which is the source S_q = w_q [3 (c - u) + 9 (c.u) c].F.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from heddle.errors import KernelError, calling_place
from heddle.symbolic.equations import Scalar, quantity
from heddle.symbolic.lattice import Lattice

Vector = tuple[sympy.Expr, ...]


def force_vector(lattice: Lattice, force: Sequence[Scalar] | None) -> Vector:
    """The force density a component, zeros for None. Strings name kernel arguments.

    Raises KernelError if the number of components is not the lattice's dimension.
    """
    if force is None:
        return (sympy.Integer(0),) * lattice.dimension
    if len(force) != lattice.dimension:
        raise KernelError(
            calling_place(),
            f"a force on {lattice.name} has {lattice.dimension} components, not {len(force)}.",
            "give one entry an axis, 0 where there is none",
        )
    return tuple(quantity(component) for component in force)


def is_zero(value: sympy.Expr) -> bool:
    """True for the number 0 itself, the mark of an absent component."""
    return bool(value.is_Number and value == 0)
