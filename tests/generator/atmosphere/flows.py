# SPDX-License-Identifier: Apache-2.0
"""Random flows on stretched levels with a density profile, and what kernels take for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from boxes import G, framed, inner, wrapped
from heddle.atmosphere.large_eddies.grid import Grid, levels

SPACINGS = (90.0, 120.0)
Flow = dict[str, Any]


def profiles(n: int, seed: int, order: int) -> Flow:
    """Of a column of n cells, with NaN in what no kernel may use."""
    r = np.random.default_rng(seed)
    height, rho = r.uniform(20, 60, n), np.linspace(1.2, 0.7, n)
    face = np.interp(np.arange(n + 1), np.arange(n) + 0.5, rho) * r.uniform(0.95, 1.05, n + 1)
    given = levels(list(height), list(rho), list(face), order)
    named = {}
    for name, values in given.items():
        named[name] = framed(values[:n])
        if name in ("rho_face", "order_z", "per_distance", "per_face_mass"):
            named[name][G + n] = values[n]
    return named | {"height": height}


def flow(shape: tuple[int, int, int], seed: int = 3, order: int = 5) -> Flow:
    """Velocities without divergence: the curl of noise on the edges of cells, which is 0 on the ground and
    the lid. shape: cells along z, y, x."""
    n, ny, nx = shape
    a = profiles(n, seed, order)
    rho, face, h = inner(a["rho"]), a["rho_face"][G : G + n + 1], a["height"]
    r, (dx, dy) = np.random.default_rng(seed), SPACINGS
    along_x, along_y = (np.pad(r.normal(size=(n - 1, ny, nx)), [(1, 1), (0, 0), (0, 0)]) * 200 for _ in "xy")
    along_z = r.normal(size=shape) * 300
    rise = 1 / h[:, None, None]
    U = (np.roll(along_z, -1, 1) - along_z) / dy - np.diff(along_y, axis=0) * rise
    V = np.diff(along_x, axis=0) * rise - (np.roll(along_z, -1, 2) - along_z) / dx
    W = (np.roll(along_y, -1, 2) - along_y) / dx - (np.roll(along_x, -1, 1) - along_x) / dy
    u, v, w = U / rho[:, None, None], V / rho[:, None, None], W / face[:, None, None]
    tall = wrapped(w)[:-1]  # n + 1 levels: the lid is the first ghost level
    return {"u": wrapped(u), "v": wrapped(v), "w": tall} | a


def numbers() -> dict[str, float]:
    return {"per_x": 1 / SPACINGS[0], "per_y": 1 / SPACINGS[1]}


def fields_of(a: Flow) -> Flow:
    """Without what is no argument of a kernel."""
    return {name: values for name, values in a.items() if name != "height"}


def mirrored(a: Flow, axis: int, own: str) -> Flow:
    """x -> -x (axis 2) or y -> -y (axis 1). own: the velocity along it; its face at the lower end of a cell
    becomes that at the upper end of the image."""
    image = {name: np.ascontiguousarray(np.flip(v, axis)) if v.ndim == 3 else v for name, v in a.items()}
    inside = np.flip(np.roll(inner(a[own]), -1, axis), axis)
    image[own] = -wrapped(inside)
    return image


def grid_names(*more: str) -> tuple[str, ...]:
    return (*Grid().names, *more)
