# SPDX-License-Identifier: Apache-2.0
# -*- coding: utf-8 -*-
"""Lifted from legacy.cpp by heddle 0.1.0.

advect: legacy.cpp:12
  x is i from nh, n_x = nx
  y is j from nh, n_y = ny
  q, u, v, q_new: first cell at (nh, nh), strides (1, 2*nh + nx)
  Assumed, since the source does not say it:
  - legacy.cpp:12: products of extents fit into the 32 bits that indices are computed in
  - legacy.cpp:7: q, q_new, u, v do not overlap

sor: legacy.cpp:33
  x is i from 1, n_x = nx - 2
  y is j from 1, n_y = ny - 2
  z is k from 1, n_z = nz - 2
  p, rhs, solid: first cell at (1, 1, 1), strides (1, nx, nx*ny)
  Assumed, since the source does not say it:
  - legacy.cpp:34: products of extents fit into the 32 bits that indices are computed in
  - legacy.cpp:28: p, rhs, solid do not overlap

diffuse_column: legacy.cpp:48
  x is i from 0, n_x = nx
  y is j from 0, n_y = ny
  z is k from 0, n_z = nz
  a, b, c, d, cp, field_x (x in the source): first cell at (0, 0, 0), strides (1, nx, nx*ny)
  Assumed, since the source does not say it:
  - legacy.cpp:45: products of extents fit into the 32 bits that indices are computed in
  - legacy.cpp:48: the parts of the column along 'k' do not cross: it is long enough
  - legacy.cpp:43: a, b, c, cp, d, x do not overlap

receive: legacy.cpp:68
  x is n from 0, n_x = count
  flux: read at computed places
  donor, area, out: first cell at (0), strides (1)
  Assumed, since the source does not say it:
  - legacy.cpp:66: area, donor, flux, out do not overlap

Rounding: as in the source; `evaluate(False)` keeps the order of its operations.
"""

from heddle import (
    Assignment,
    If,
    Module,
    Rows,
    Scan,
    Schedule,
    Threads,
    bit_and,
    block_coordinates,
    block_extents,
    fields,
    parameters,
)
from sympy import Eq, Ne, Piecewise, evaluate, symbols

lifted = Module("lifted", precisions=("f64",), about="Lifted from legacy.cpp.")
# Cells one by one, as in the source, so that the proof follows. Schedule() may be faster.
as_written = Schedule(cpu=Rows(), gpu=Threads())

# advect
q = fields("q: real[2D]")
u, v, q_new = fields("u, v, q_new: real[2D]", ghost_layers=0)
cx, cy = parameters("cx, cy: real")
dx, dy = symbols("dx dy", real=True)
with evaluate(False):
    statements = [
        Assignment(dx, Piecewise((q[0, 0] - q[-1, 0], u[0, 0] > 0), (q[1, 0] - q[0, 0], True))),
        Assignment(dy, Piecewise((q[0, 0] - q[0, -1], v[0, 0] > 0), (q[0, 1] - q[0, 0], True))),
        Assignment(q_new[0, 0], q[0, 0] - cx * u[0, 0] * dx - cy * v[0, 0] * dy),
    ]
lifted.add("advect", statements, about="Lifted from legacy.cpp:12.", schedule=as_written)

# sor
p = fields("p: real[3D]")
rhs = fields("rhs: real[3D]", ghost_layers=0)
solid = fields("solid: int32[3D]", ghost_layers=0)
omega, h2 = parameters("omega, h2: real")
colour = parameters("colour: int32")
x, y, z = block_coordinates(3)
sum = symbols("sum", real=True)
with evaluate(False):
    statements = [
        If(Eq(bit_and(x + y + z + 1, 1), colour), [
            If(Eq(solid[0, 0, 0], 0), [
                Assignment(
                    sum,
                    p[-1, 0, 0] + p[1, 0, 0] + p[0, -1, 0] + p[0, 1, 0] + p[0, 0, -1] + p[0, 0, 1] - h2 *
                        rhs[0, 0, 0],
                ),
                Assignment(p[0, 0, 0], (1 - omega) * p[0, 0, 0] + omega * sum / 6),
            ]),
        ]),
    ]
lifted.add("sor", statements, about="Lifted from legacy.cpp:33.", schedule=as_written)

# diffuse_column
a, b, c, d = fields("a, b, c, d: real[3D]", ghost_layers=0)
cp, field_x = fields("cp, field_x: real[3D]")
x, y, z = block_coordinates(3)
n_x, n_y, n_z = block_extents(3)
w = symbols("w", real=True)
with evaluate(False):
    statements = [
        Scan(2, {}, [
            If(Eq(z, 0), [
                Assignment(cp[0, 0, 0], c[0, 0, 0] / b[0, 0, 0]),
                Assignment(field_x[0, 0, 0], d[0, 0, 0] / b[0, 0, 0]),
            ]),
            If(Ne(z, 0), [
                Assignment(w, 1 / (b[0, 0, 0] - a[0, 0, 0] * cp[0, 0, -1])),
                Assignment(cp[0, 0, 0], c[0, 0, 0] * w),
                Assignment(field_x[0, 0, 0], (d[0, 0, 0] - a[0, 0, 0] * field_x[0, 0, -1]) * w),
            ]),
        ], {}),
        Scan(2, {}, [
            If(Ne(z, n_z - 1), [
                Assignment(field_x[0, 0, 0], field_x[0, 0, 0] - cp[0, 0, 0] * field_x[0, 0, 1]),
            ]),
        ], {}, reverse=True),
    ]
lifted.add("diffuse_column", statements, about="Lifted from legacy.cpp:48.", schedule=as_written)

# receive
flux = fields("flux: real[1D]", ghost_layers=0)
donor = fields("donor: int32[1D]", ghost_layers=0)
area, out = fields("area, out: real[1D]", ghost_layers=0)
from_ = symbols("from", real=True)
with evaluate(False):
    statements = [
        Assignment(from_, donor[0]),
        Assignment(out[0], area[0] * flux.gather(from_) + 0.5 * (1 - area[0]) * out[0]),
    ]
lifted.add("receive", statements, about="Lifted from legacy.cpp:68.", schedule=as_written)
