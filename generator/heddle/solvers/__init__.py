# SPDX-License-Identifier: Apache-2.0
"""Solvers of elliptic equations: relaxation, multigrid, direct Poisson solvers, and staggered grids.

Each module is an address of its own: `from heddle.solvers import relaxation, staggered, poisson, tridiagonal,
butterfly`.
"""
