# SPDX-License-Identifier: Apache-2.0
"""Poisson problems with constant coefficients along x and y: `from heddle import poisson`.

x = poisson.Direction(256, 0.5, "neumann", "neumann")      # -> x.transform, x.eigenvalue(l), x.lift()
module.add("columns", poisson.eliminate(p, ratio, lower=..., upper=..., excess=...))   # along z
"""

from heddle.symbolic.poisson import Direction, Transform, is_singular
from heddle.symbolic.tridiagonal import eliminate, eliminate_periodic

__all__ = ["Direction", "Transform", "eliminate", "eliminate_periodic", "is_singular"]
