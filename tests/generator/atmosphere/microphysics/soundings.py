# SPDX-License-Identifier: Apache-2.0
"""Columns of air to test with: hydrostatic, of several regimes, with water that random numbers spread."""

from __future__ import annotations

from typing import Any

import numpy as np

KAPPA = 287 / 1004.5


def sounding(
    seed: int, columns: int, levels: int, warmth: float = 300.0, top: float = 15e3
) -> dict[str, Any]:
    """Temperatures that fall by about 6.5 K per km from `warmth` (K) at the ground, and layers of growing
    thickness: dz, height, T, p, pii, rho, th; and w, up to 5 m/s."""
    generator = np.random.default_rng(seed)
    spread = generator.uniform(0.8, 1.2, (levels, columns)) * np.linspace(0.5, 1.5, levels)[:, None]
    dz = spread * top / spread.sum(axis=0)
    height = np.cumsum(dz, axis=0) - dz / 2
    lapse = generator.uniform(5.0, 8.0, columns) * 1e-3
    t = np.maximum(warmth + generator.normal(0, 4, columns) - lapse * height, 210.0)
    p = 1e5 * np.exp(-9.81 * np.cumsum(dz / (287 * t), axis=0))
    pii = (p / 1e5) ** KAPPA
    w = 5 * generator.normal(size=(levels, columns)) * (generator.random(columns) < 0.7)
    return {
        "dz": dz,
        "height": height,
        "T": t,
        "p": p,
        "pii": pii,
        "rho": p / (287 * t),
        "th": t / pii,
        "w": w,
    }


def saturation(t: Any, p: Any) -> Any:
    """Mixing ratio of saturated vapour over water, roughly: for initial values only."""
    e = np.minimum(611.2 * np.exp(17.67 * (t - 273.15) / (t - 29.65)), 0.5 * p)
    return 0.622 * e / (p - e)


def spread(generator: Any, shape: tuple[int, int], largest: float) -> Any:
    """Mixing ratios over many orders of magnitude, in a slab of each column; none in a third of them."""
    levels, columns = shape
    values = largest * 10.0 ** (generator.uniform(-4, 0, columns) + generator.uniform(-1, 0, shape))
    lower = generator.integers(-levels // 2, levels, columns)
    thick = generator.integers(1, levels, columns)
    k = np.arange(levels)[:, None]
    inside = (k >= lower) & (k < lower + thick) & (generator.random(columns) > 1 / 3)
    return np.where(inside, values, 0.0)
