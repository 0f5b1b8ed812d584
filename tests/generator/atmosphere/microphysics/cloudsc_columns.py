# SPDX-License-Identifier: Apache-2.0
"""Columns for CLOUDSC: several climates, with every kind of water, convection, and the tendencies of
other processes."""

from __future__ import annotations

import numpy as np
from columns_of import Columns
from soundings import saturation, sounding, spread

LARGEST = {"ql": 2e-3, "qi": 1e-3, "qr": 3e-3, "qs": 2e-3}
"""kg/kg."""


def weather(warmth: float, columns: int = 40, levels: int = 25, seed: int = 1, dt: float = 3600.0) -> Columns:
    """Level 0 is the highest. warmth: at the ground (K). dt: the step that the tendencies before the
    scheme fit to. Some cells have less water than none, and covers below 0 or above 1, as advection
    leaves them."""
    generator = np.random.default_rng(seed)
    shape = (levels, columns)
    air = sounding(seed, columns, levels, warmth)
    faces = 1e5 * np.exp(
        -9.81 * np.cumsum(np.concatenate([np.zeros((1, columns)), air["dz"] / (287 * air["T"])]), axis=0)
    )
    lower, p = faces[:-1][::-1], 0.5 * (faces[:-1] + faces[1:])[::-1]
    t = air["T"][::-1].copy()
    t += generator.normal(0, 1.5, shape)
    humid = generator.uniform(0.1, 1.3, shape) * np.where(generator.random(columns) < 0.2, 0.3, 1)
    found = {
        "t": t,
        "q": saturation(t, p) * humid,
        "p": p,
        "p_lower": lower.copy(),
        "p_top": faces[-1].copy(),
    }
    found["a"] = np.clip(generator.uniform(-0.5, 1.5, shape), 0, 1) * (generator.random(shape) < 0.7)
    for name, largest in LARGEST.items():
        found[name] = spread(generator, shape, largest)
        found[f"{name}_rate"] = generator.normal(0, 0.2, shape) * found[name] / dt
        found[name][-3, 0], found[f"{name}_rate"][-3, 0] = -1e-6, 0
    found["t_rate"] = generator.normal(0, 0.7, shape) / dt
    found["q_rate"] = 0.02 * generator.normal(size=shape) * found["q"] / dt
    found["a_rate"] = generator.normal(0, 0.05, shape) / dt
    found["omega"] = generator.normal(0, 0.3, shape)
    found["heating_sw"] = generator.uniform(0, 3e-5, shape)
    found["heating_lw"] = generator.normal(-2e-5, 2e-5, shape)
    convects = generator.random(columns) < 0.6
    found["convects"] = convects.astype(float)
    found["convection"] = np.where(convects, generator.integers(0, 4, columns), 0).astype(float)
    found["land"] = generator.random(columns)
    some = convects & (generator.random(shape) < 0.7)
    found["flux_up"] = np.where(some, generator.uniform(-0.005, 0.05, shape), 0)
    found["flux_down"] = np.where(some, -generator.uniform(0, 0.02, shape), 0)
    found["updraught_water"] = np.where(some, 10.0 ** generator.uniform(-6, -2.5, shape), 0)
    found["detrainment"] = np.where(some, 10.0 ** generator.uniform(-7, -4, shape), 0)
    found["snow_detrainment"] = np.where(some & (t < 273), generator.uniform(0, 1e-5, shape), 0)
    found["supersaturation"] = np.where(
        generator.random(shape) < 0.1, 10.0 ** generator.uniform(-7, -4, shape), 0
    )
    found["turbulent_l"] = generator.normal(0, 1e-9, shape)
    found["turbulent_i"] = generator.normal(0, 1e-9, shape)
    return found
