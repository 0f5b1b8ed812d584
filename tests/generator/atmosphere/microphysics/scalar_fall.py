# SPDX-License-Identifier: Apache-2.0
"""Semi-Lagrangian fall in one column, in plain Python with arrays for everything, to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Speed = Callable[[Sequence[float]], list[float]]


def interfaces(v: Sequence[float], dz: Sequence[float], dt: float) -> list[float]:
    """Speeds of the interfaces from those of the cells: third order, and no cell shrinks by more than 5 %."""
    n = len(v)
    w = [0.0] * (n + 1)
    w[0], w[n] = v[0], v[n - 1]
    for k in range(1, n):
        if k in (1, n - 1):
            w[k] = 0.5 * (v[k] + v[k - 1])
        else:
            w[k] = 9 / 16 * (v[k] + v[k - 1]) - 1 / 16 * (v[k + 1] + v[k - 2])
        if v[k] == 0:
            w[k] = v[k - 1]
    for k in reversed(range(n)):
        if (w[k + 1] - w[k]) * dt / dz[k] > 0.05:
            w[k] = w[k + 1] - 0.05 * dz[k] / dt
    return w


def fall(
    density: Sequence[float],
    v: Sequence[float],
    dz: Sequence[float],
    dt: float,
    speed: Speed | None,
    wrf: bool,
) -> tuple[list[float], float]:
    """Densities (kg m-3) after a step, and the mass that reached the ground (kg m-2). speed: of densities
    that arrived, for a mean with the first speeds v."""
    n = len(density)
    if sum(density) <= 0:
        return list(density), 0.0
    z = [0.0]
    for thickness in dz:
        z.append(z[-1] + thickness)
    a, d, qa = _arrive(density, v, z, dz, dt)
    if speed is not None:
        mean = [0.5 * (first + then) for first, then in zip(v, speed(qa[:n]), strict=True)]
        a, d, qa = _arrive(density, mean, z, dz, dt)
    low, high = list(qa), list(qa)
    for k in range(1, n):
        p = (qa[k + 1] - qa[k]) / (d[k + 1] + d[k])
        m = (qa[k] - qa[k - 1]) / (d[k - 1] + d[k])
        if p * m > 0:
            high[k] = qa[k] + 0.5 * (p + m) * d[k]
            low[k] = 2 * qa[k] - high[k]
            if low[k] < 0 or high[k] < 0:
                low[k] = high[k] = qa[k]

    def integral(k: int, xi: float) -> float:
        return 0.5 * (high[k] - low[k]) * xi * xi + low[k] * xi

    if not wrf:
        return _overlaps(n, z, a, d, integral)
    ground = 0.0
    for k in range(n):
        if a[k] < 0 and a[k + 1] < 0:
            ground += qa[k] * d[k]
        elif a[k] < 0:
            ground -= qa[k] * a[k]
            break
        else:
            break
    result = [0.0] * n
    kb = kt = 0
    for k in range(n):
        kb, kt = max(kb - 1, 0), max(kt - 1, 0)
        if z[k] >= a[n]:
            break
        kb = next((kk for kk in range(kb, n) if z[k] <= a[kk + 1]), kb)
        kt = next((kk for kk in range(kt, n) if z[k + 1] <= a[kk]), kt) - 1
        if kt == kb:
            bottom, top = (z[k] - a[kb]) / d[kb], (z[k + 1] - a[kb]) / d[kb]
            result[k] = (integral(kb, top) - integral(kb, bottom)) / (top - bottom)
        elif kt > kb:
            bottom, top = (z[k] - a[kb]) / d[kb], (z[k + 1] - a[kt]) / d[kt]
            length = (1 - bottom) * d[kb] + sum(d[kb + 1 : kt]) + top * d[kt]
            mass = (qa[kb] - integral(kb, bottom)) * d[kb] + integral(kt, top) * d[kt]
            mass += sum(qa[i] * d[i] for i in range(kb + 1, kt))
            result[k] = mass / length
    return result, ground


def _arrive(
    density: Sequence[float], v: Sequence[float], z: Sequence[float], dz: Sequence[float], dt: float
) -> tuple[list[float], list[float], list[float]]:
    """Interfaces that arrived, thicknesses and densities of cells; the last one is empty, above the rest."""
    n = len(v)
    w = interfaces(v, dz, dt)
    a = [z[k] - w[k] * dt for k in range(n + 1)]
    d = [a[k + 1] - a[k] for k in range(n)] + [z[n] - a[n]]
    return a, d, [density[k] * dz[k] / d[k] for k in range(n)] + [0.0]


def _overlaps(
    n: int,
    z: Sequence[float],
    a: Sequence[float],
    d: Sequence[float],
    integral: Callable[[int, float], float],
) -> tuple[list[float], float]:
    """Each pair of a fallen and a fixed cell, and of a fallen cell and the ground."""

    def between(k: int, lower: float, upper: float) -> float:
        lower, upper = max(lower, a[k]), min(upper, a[k + 1])
        if upper <= lower:
            return 0.0
        return (integral(k, (upper - a[k]) / d[k]) - integral(k, (lower - a[k]) / d[k])) * d[k]

    fixed = [sum(between(k, z[i], z[i + 1]) for k in range(n)) / (z[i + 1] - z[i]) for i in range(n)]
    return fixed, sum(between(k, -1e9, 0.0) for k in range(n))
