# SPDX-License-Identifier: Apache-2.0
"""Kessler's scheme for one column in plain Python, from the equations of the papers, to compare with."""

from __future__ import annotations

import math
from collections.abc import MutableSequence

Column = dict[str, MutableSequence[float]]


def kessler(c: Column, dt: float) -> tuple[float, float]:
    """Change th, qv, qc, qr of a column. Returns what fell (mm), and what fell in the last substep."""
    n = len(c["th"])
    rho, height, dz = c["rho"], c["height"], c["dz"]
    p = list(c["qr"])

    def speeds() -> list[float]:
        return [
            36.34 * max(0.0, 1e-3 * rho[k] * p[k]) ** 0.1364 * math.sqrt(rho[0] / rho[k]) for k in range(n)
        ]

    def substeps(time: float) -> int:
        return max(1, math.floor(0.5 + max(v[k] * time / dz[k] for k in range(n)) / 0.75 + 0.5))

    v, left, fallen, last = speeds(), dt, 0.0, 0.0
    count = substeps(left)
    while True:
        delta = left / count
        left -= delta
        last = rho[0] * p[0] * v[0] * delta
        fallen += last
        flux = [rho[k] * p[k] * v[k] for k in range(n)]
        for k in range(n - 1):
            p[k] -= delta / (rho[k] * (height[k + 1] - height[k])) * (flux[k] - flux[k + 1])
        p[n - 1] -= delta / (height[n - 1] - height[n - 2]) * p[n - 1] * v[n - 1]
        if count == 1:
            break
        v = speeds()
        count = substeps(left)
    for k in range(n):
        _phases(c, k, p[k], dt)
    return fallen, last


def _phases(c: Column, k: int, p: float, dt: float) -> None:
    th, qv, qc, qr, rho, pii = (c[name][k] for name in ("th", "qv", "qc", "qr", "rho", "pii"))
    phi = 1 / (1 + 2.2 * dt * max(0.0, qr) ** 0.875)
    a = qc * (1 - phi) + phi * 1e-3 * dt * max(qc - 1e-3, 0.0)
    qc = max(qc - a, 0.0)
    qr = max(p + a, 0.0)
    t = th * pii
    pressure = 1e5 * pii ** (1004 / 287)
    e = 611.2 * math.exp(17.67 * (t - 273.15) / (t - 29.65))
    qvs = 287 / 461.6 * e / (pressure - e)
    f = 17.67 * 243.5 * 2.5e6 / 1004.5
    excess = (qv - qvs) / (1 + pressure / (pressure - e) * qvs * f / (t - 29.65) ** 2)
    x = 1e-3 * rho * qr
    rate = (1.6 + 124.9 * x**0.2046) * x**0.525 / (2.55e8 / (pressure * qvs) + 5.4e5)
    dryness = max(qvs - qv, 0.0) / (1e-3 * rho * qvs)
    evaporated = min(dt * rate * dryness, max(-excess - qc, 0.0), qr)
    condensed = max(excess, -qc)
    c["th"][k] = th + 2.5e6 / (1004 * pii) * (condensed - evaporated)
    c["qv"][k] = max(qv - condensed + evaporated, 0.0)
    c["qc"][k] = qc + condensed
    c["qr"][k] = qr - evaporated
