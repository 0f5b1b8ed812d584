# SPDX-License-Identifier: Apache-2.0
"""Fields of a domain with ghost cells for the kernels of advection, flows, and Runge-Kutta steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scatter
from calls import Array, Kernels, interior, wrap
from heddle.atmosphere import advection

G = 3
TILES = [
    (slice(i, j), slice(k, m), slice(0, 6))
    for i, j in ((0, 4), (4, 5), (5, 11))
    for k, m in ((0, 3), (3, 8), (8, 9))
]
"""Of 11 x 9 x 6 cells."""


class Air:
    """Random fields of a domain with ghost cells, in one precision, and the same as a case of `scatter`."""

    def __init__(self, n: tuple[int, int, int], dtype: Any, components: int, periodic: bool) -> None:
        self.n, (nx, ny, nz) = n, n
        r = np.random.default_rng(7)
        tall, flat = (nz + 2 * G, ny + 2 * G, nx + 2 * G), (ny + 2 * G, nx + 2 * G)
        many = (components, *tall) if components else tall
        nan = dict.fromkeys(("ru", "rv", "om"), tall) | dict.fromkeys(("mu", "mu_old", "m"), flat)
        nan |= dict.fromkeys(("q", "q_old", "q_next", "keep", "source", "keep_out", "keep_in"), many)
        nan["excess"] = (3 * max(components, 1), *tall)
        a: dict[str, Array] = {name: np.full(shape, np.nan) for name, shape in nan.items()}
        levels = np.cumsum(r.uniform(0.5, 1.5, nz))
        for name, values in {
            "c1": r.uniform(0.2, 1, nz), "c2": r.uniform(0, 2e4, nz),
            "rdnw": -levels[-1] / np.diff([0, *levels]),
            "fnm": r.uniform(0.3, 0.7, nz), "fnp": r.uniform(0.3, 0.7, nz),
        }.items():  # fmt: skip
            a[name] = np.full(nz + 2 * G, np.nan)
            a[name][G:-G] = values
        for name, cells in (("order_x", nx), ("order_y", ny), ("order_z", nz)):
            a[name] = np.full(cells + 2 * G, np.nan)
            a[name][G : cells + G + 1] = advection.face_orders(cells, 3 if name[-1] == "z" else 5)
        interior(a["mu"])[:] = r.uniform(8e4, 9e4, (ny, nx))
        interior(a["mu_old"])[:] = r.uniform(8e4, 9e4, (ny, nx))
        interior(a["m"])[:] = r.uniform(0.9, 1.1, (ny, nx))
        for name, size in (("ru", 1e6), ("rv", 1e6), ("om", 2e3)):
            interior(a[name])[:] = r.uniform(-size, size, (nz, ny, nx))
        for name in ("q", "q_old"):
            interior(a[name])[:] = np.maximum(0, r.uniform(-1, 1, interior(a[name]).shape))
        interior(a["source"])[:] = r.uniform(-1, 1, interior(a["source"]).shape)
        a["tendency"] = a["source"].copy()
        a["ru"][G:-G, G:-G, nx + G] = r.uniform(-1e6, 1e6, (nz, ny))
        a["rv"][G:-G, ny + G, G:-G] = r.uniform(-1e6, 1e6, (nz, nx))
        if periodic:
            for name in ("ru", "rv", "mu", "mu_old", "m", "q", "q_old"):
                wrap(a[name])
        self.periodic = periodic
        self.arrays = {name: values.astype(dtype) for name, values in a.items()}
        self.scalars = {"dt": 20.0, "rdx": 1e-3, "rdy": 1.25e-3}

    def case(self, clamped: bool = True) -> scatter.Case:
        """clamped: whether fluxes of first order are, as in WRF."""
        (nx, ny, nz), a = (
            self.n,
            {k: v.astype(np.float64) for k, v in self.arrays.items()},
        )
        tall, flat = slice(G, G + nz), (slice(G, G + ny), slice(G, G + nx))
        om = np.zeros((nz + 1, ny, nx))
        om[:nz] = interior(a["om"])
        return scatter.Case(
            a["ru"][tall, G : G + ny, G : G + nx + 1], a["rv"][tall, G : G + ny + 1, G : G + nx], om,
            a["mu"][flat], a["mu_old"][flat], a["m"][flat],
            *(a[name][tall] for name in ("c1", "c2", "rdnw", "fnm", "fnp")),
            self.scalars["rdx"], self.scalars["rdy"], self.scalars["dt"], self.periodic, clamped,
        )  # fmt: skip

    def run(self, kernels: Kernels, plain: str, tile: Any = None, stored: str = "") -> dict[str, Array]:
        """A plain and a limited stage on copies of the fields. Returns the interiors of what was computed.
        stored: what names of the kernels end with that take fluxes which `excess` has stored."""
        found = {}
        a = {name: values.copy() for name, values in self.arrays.items()}
        kernels(plain, a, self.scalars, tile)
        result = "q_next" if plain == "stage" else "tendency"
        found["plain"] = interior(a[result]).copy()
        a[result] = self.arrays[result].copy()
        if stored:
            kernels("excess", a, self.scalars, tile)
            if self.periodic:
                wrap(a["excess"])
        kernels("keep" + stored, a, self.scalars, tile)
        for name in ("keep", "keep_out", "keep_in"):
            found[name] = interior(a[name]).copy()
            if self.periodic:
                wrap(a[name])
        kernels("limited" + stored, a, self.scalars, tile)
        return found | {"limited": interior(a[result])}


def mirrored(a: dict[str, Array]) -> dict[str, Array]:
    """x -> -x: the flux through the lower face of a cell becomes that through the upper face of its image."""
    image = {key: np.ascontiguousarray(v[..., ::-1]) if v.ndim > 1 else v.copy() for key, v in a.items()}
    ru = np.full(a["ru"].shape, np.nan, a["ru"].dtype)
    ru[..., 1:] = -a["ru"][..., :0:-1]
    image["ru"] = ru
    return image


def rotating(n: tuple[int, int, int], dtype: Any) -> Air:
    """A closed circulation without divergence, discretely: edges of cells carry a vector potential. Courant
    numbers stay below 1/2, where fluxes of first order are upwind fluxes."""
    air = Air(n, dtype, 0, periodic=True)
    a, (nx, ny, nz) = air.arrays, n
    x, y = np.arange(nx) / nx * 2 * math.pi, np.arange(ny) / ny * 2 * math.pi
    level = np.cos(math.pi * (np.arange(nz) + 0.5) / nz)
    level -= np.sum(level / interior_profile(a["rdnw"])) / np.sum(1 / interior_profile(a["rdnw"]))
    psi = np.sin(x)[None, :] * np.sin(y)[:, None] * 4e6
    swirl = np.roll(psi, -1, 0) - psi, -(np.roll(psi, -1, 1) - psi)
    drift = 1.2e6 * np.sin(x), 1e6 * np.sin(2 * y)
    rdx, rdy = air.scalars["rdx"], air.scalars["rdy"]
    for k in range(nz):
        a["ru"][k + G, G:-G, G:-G] = swirl[0] / rdx * 1e-3 + level[k] * drift[0][None, :]
        a["rv"][k + G, G:-G, G:-G] = swirl[1] / rdy * 1e-3 + level[k] * drift[1][:, None]
    wrap(a["ru"])
    wrap(a["rv"])
    out = (
        rdx * np.diff(a["ru"], axis=2)[:, G:-G, G : -G + 1]
        + rdy * np.diff(a["rv"], axis=1)[:, G : -G + 1, G:-G]
    )
    om = np.cumsum(-out[G:-G] / interior_profile(a["rdnw"])[:, None, None], axis=0)
    assert np.max(np.abs(om[-1])) < 1e-4 * np.max(np.abs(om)), "air leaves through the lid"
    a["om"][:] = np.nan
    a["om"][G + 1 : G + nz + 1, G:-G, G:-G] = om
    a["om"][G, G:-G, G:-G] = 0
    a["c1"][:], a["c2"][:], a["fnp"][:] = 1, 0, 1 - a["fnm"]
    a["mu"][:] = a["mu_old"][:] = 9e4
    air.scalars["dt"] = 8.0
    return air


def interior_profile(values: Array) -> Array:
    return values[G:-G]


def step(kernels: Kernels, a: dict[str, Array], scalars: dict[str, float], limiter: str) -> None:
    """A Runge-Kutta step of q_old, limited in its last stage."""
    dt = scalars["dt"]
    a["q"][:] = a["q_old"]
    for part in (3, 2):
        kernels("stage", a, scalars | {"dt": dt / part})
        a["q"], a["q_next"] = a["q_next"], a["q"]
        wrap(a["q"])
    if limiter == "none":
        kernels("stage", a, scalars)
    else:
        kernels("keep" if limiter == "positive-definite" else "bounds", a, scalars)
        for name in ("keep", "keep_out", "keep_in"):
            wrap(a[name])
        kernels("limited" if limiter == "positive-definite" else "bounded", a, scalars)
    a["q_old"], a["q_next"] = a["q_next"], a["q_old"]
    wrap(a["q_old"])


LIMITERS = ("none", "positive-definite", "monotone")
