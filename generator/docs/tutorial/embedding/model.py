# SPDX-License-Identifier: Apache-2.0
# -*- coding: utf-8 -*-
"""Lifted from legacy.cpp by heddle 0.1.0.

transport: legacy.cpp:8
  x is i from 1, n_x = nx
  y is j from 1, n_y = ny
  q, u, v, q_new: first cell at (1, 1), strides (1, nx + 2)
  Assumed, since the source does not say it:
  - legacy.cpp:8: products of extents fit into the 32 bits that indices are computed in
  - legacy.cpp:5: q, q_new, u, v do not overlap

Rounding: as in the source; `evaluate(False)` keeps the order of its operations.
"""

from heddle import Assignment, Module, Rows, Schedule, Threads, fields, parameters
from sympy import Piecewise, evaluate, symbols

tracer = Module("tracer", precisions=("f64",), about="Lifted from legacy.cpp.")
# Cells one by one, as in the source, so that the proof follows. Schedule() may be faster.
as_written = Schedule(cpu=Rows(), gpu=Threads())

# transport
q = fields("q: real[2D]")
u, v, q_new = fields("u, v, q_new: real[2D]", ghost_layers=0)
c = parameters("c: real")
dx, dy = symbols("dx dy", real=True)
with evaluate(False):
    statements = [
        Assignment(dx, Piecewise((q[0, 0] - q[-1, 0], u[0, 0] > 0), (q[1, 0] - q[0, 0], True))),
        Assignment(dy, Piecewise((q[0, 0] - q[0, -1], v[0, 0] > 0), (q[0, 1] - q[0, 0], True))),
        Assignment(q_new[0, 0], q[0, 0] - c * (u[0, 0] * dx + v[0, 0] * dy)),
    ]
tracer.add("transport", statements, about="Lifted from legacy.cpp:8.", schedule=as_written)
