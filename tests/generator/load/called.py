# SPDX-License-Identifier: Apache-2.0
"""The kernels that the tests of this folder call, and what they compute, written in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from heddle import Assignment, Module, Reduce, Scan, fields, parameters, profiles
from sympy import Abs, Symbol

Numbers = np.ndarray[Any, np.dtype[Any]]


def calls() -> Module:
    """One kernel for each kind of argument."""
    u, u_next = fields("u, u_next: real[2D]")
    f, g = fields("f, g: real(3)[3D]", ghost_layers=2)
    rain = fields("rain: real[xy]")
    mask = fields("mask: uint8[3D]")
    weight = profiles("weight: real[z]")
    alpha, count = parameters("alpha; count: int32")
    module = Module("calls", precisions=("f64", "f32"), about="What tests call from Python.")
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
    module.add(
        "mix",
        [
            Assignment(g[0, 0, 0, 0], f[-1, 0, 0, 1] * weight[1]),
            Assignment(g[0, 0, 0, 1], f[0, 2, 0, 2] + rain[0, 0] * mask[0, 0, 0]),
            Assignment(g[0, 0, 0, 2], f[0, 0, 1, 0] * count),
        ],
    )
    module.add("largest", [Reduce("max", "most", Abs(u.here)), Reduce("sum", "total", u.here)])
    module.add("norm", [Reduce("sum", "squares", u.here * u.here)])
    total, column = Symbol("total"), fields("column: real[3D]")
    summed = [Assignment(column.here, total + column.here)]
    module.add("integrate", [Scan(2, {total: 0}, summed, {total: column.here})])
    module.add_halo(kernels=["step"])
    return module


def step(u: Numbers, alpha: float) -> Numbers:
    """The kernel `step` on the interior of an array with one ghost layer; sums in the kernel's order."""
    here, south, west, east, north = u[1:-1, 1:-1], u[:-2, 1:-1], u[1:-1, :-2], u[1:-1, 2:], u[2:, 1:-1]
    factor = u.dtype.type(alpha)
    return here + factor * (south + west + east + north - u.dtype.type(4) * here)


def mix(f: Numbers, weight: Numbers, rain: Numbers, mask: Numbers, count: int) -> Numbers:
    """The kernel `mix`, of arrays with two ghost layers."""
    inner = slice(2, -2)
    first = f[1, inner, inner, 1:-3] * weight[2:, None, None]
    second = f[2, inner, 4:, inner] + rain[inner, inner] * mask[inner, inner, inner]
    return np.stack([first, second, f[0, 3:-1, inner, inner] * count])


def tiny() -> Module:
    """A module of the same name with one kernel."""
    u, u_next = fields("u, u_next: real[1D]")
    module = Module("calls", precisions=("f64",))
    module.add("step", [Assignment(u_next.here, 2 * u.here)])
    return module
