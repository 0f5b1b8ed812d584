# SPDX-License-Identifier: Apache-2.0
"""Relaxation methods: `from heddle import relaxation`.

p, f, open = ...                                                       # open: a byte a cell, one bit a face
equation = relaxation.poisson(p, f, openings=open)                     # or Equation(p, residual)
module.add("sor", equation.sor(), schedule=Schedule(colours=2))        # omega, c_x, c_y, c_z are arguments
module.add("check", equation.sor(largest_change="change"), schedule=Schedule(colours=2))
module.add("residual", equation.norm("residual"))
module.add_solver(equation)  # multigrid and conjugate gradients: heddle/solvers/conjugate_gradient.hpp
"""

from heddle.symbolic.relaxation import FACES, Equation, poisson

__all__ = ["FACES", "Equation", "poisson"]
