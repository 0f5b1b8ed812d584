# SPDX-License-Identifier: Apache-2.0
"""Poisson problems with constant coefficients along x and y: `from heddle import poisson`."""

from heddle.symbolic.tridiagonal import eliminate, eliminate_periodic

__all__ = ["eliminate", "eliminate_periodic"]
