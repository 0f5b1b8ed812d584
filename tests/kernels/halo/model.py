# SPDX-License-Identifier: Apache-2.0
"""Stencils of several fields, offsets and precisions in messages: what crosses, packed on every target."""

from heddle import Assignment, Module, fields

u, v, w = (
    fields(f"{name}: real{parts}[3D]", ghost_layers=2) for name, parts in (("u", "(2)"), ("v", ""), ("w", ""))
)

halo = Module(
    "halo", precisions=("f64", "f32", "f16"), about="Stencils that reach two cells and around corners."
)
corners = u[1, 1, 0, 0] + u[1, 0, 1, 0] + u[-2, 0, 0, 1] + u[0, -1, -1, 1] + v[0, 2, 0] + v[1, 1, 1]
halo.add("mix", [Assignment(w[0, 0, 0], corners / 4)])
halo.add("smooth", [Assignment(w[0, 0, 0], (v[1, 0, 0] + v[-1, 0, 0]) / 2)])
halo.add_halo(kernels=["mix"])
halo.add_halo("narrow", kernels=["smooth"], message_precision="f16")
