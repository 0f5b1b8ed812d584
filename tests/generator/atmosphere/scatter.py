# SPDX-License-Identifier: Apache-2.0
"""Flux-form advection as loops over faces, written from the equations: each face adds to the cells at it, and
limiters scale the faces of each cell. Arrays are [z, y, x] without ghost cells; fluxes have one face more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass
class Case:
    """A flow. ru: [z, y, x + 1], rv: [z, y + 1, x], om: [z + 1, y, x]; mu, mu_old, m: [y, x]; the rest: [z]
    (fnm, fnp: [z], of the face below the level)."""

    ru: Array
    rv: Array
    om: Array
    mu: Array
    mu_old: Array
    m: Array
    c1: Array
    c2: Array
    rdnw: Array
    fnm: Array
    fnp: Array
    rdx: float
    rdy: float
    dt: float
    periodic: bool
    clamped: bool = True  # whether fluxes of first order are, where a Courant number exceeds 1/2


def fifth(a: Array, s: float, limited: bool) -> float:
    """Between a[2] and a[3]."""
    if limited:
        c = 37 / 60 * (a[3] + a[2]) - 2 / 15 * (a[4] + a[1]) + 1 / 60 * (a[5] + a[0])
        return float(c - s * ((a[5] - a[0]) - 5 * (a[4] - a[1]) + 10 * (a[3] - a[2])) * (1 / 60))
    c = (37 * (a[3] + a[2]) - 8 * (a[4] + a[1]) + (a[5] + a[0])) / 60
    return float(c - s * ((a[5] - a[0]) - 5 * (a[4] - a[1]) + 10 * (a[3] - a[2])) / 60)


def third(a: Array, s: float, limited: bool) -> float:
    """Between a[1] and a[2]."""
    if limited:
        c = 7 / 12 * (a[2] + a[1]) - 1 / 12 * (a[3] + a[0])
        return float(c + s * 1 / 12 * ((a[3] - a[0]) - 3 * (a[2] - a[1])))
    c = (7 * (a[2] + a[1]) - (a[3] + a[0])) / 12
    return float(c + s * ((a[3] - a[0]) - 3 * (a[2] - a[1])) / 12)


def high(q: Array, case: Case, limited: bool) -> tuple[Array, Array, Array]:
    """The fluxes of high order; NaN on faces that no tendency takes."""
    fluxes = []
    for u, axis in ((case.ru, 2), (case.rv, 1)):
        f, lines, us = (
            np.full(u.shape, np.nan),
            np.moveaxis(q, axis, 2),
            np.moveaxis(u, axis, 2),
        )
        out, n = np.moveaxis(f, axis, 2), q.shape[axis]
        for k, j, i in np.ndindex(*out.shape):
            line, s = lines[k, j], 1.0 if us[k, j, i] >= 0 else -1.0
            if case.periodic:
                value = fifth([line[(i + d) % n] for d in range(-3, 3)], s, limited)
            elif i in (0, n):
                continue
            elif i in (1, n - 1):
                value = 0.5 * (line[i] + line[i - 1])
            elif i in (2, n - 2):
                value = third(line[i - 2 : i + 2], s, limited)
            else:
                value = fifth(line[i - 3 : i + 3], s, limited)
            out[k, j, i] = us[k, j, i] * value
        fluxes.append(f)
    f, n = np.zeros(case.om.shape), q.shape[0]
    for k, j, i in np.ndindex(*f.shape):
        w = case.om[k, j, i]
        if k in (0, n):
            continue
        if k in (1, n - 1):
            f[k, j, i] = w * (case.fnm[k] * q[k, j, i] + case.fnp[k] * q[k - 1, j, i])
        else:
            f[k, j, i] = w * third(q[k - 2 : k + 2, j, i], 1.0 if -w >= 0 else -1.0, limited)
    return fluxes[0], fluxes[1], f


def low(qo: Array, case: Case) -> tuple[Array, Array, Array]:
    """The fluxes of first order, by Courant numbers."""
    mass = case.c1[:, None, None] * case.mu + case.c2[:, None, None]
    fluxes = []

    def upwind(left: float, right: float, c: float) -> float:
        if not case.clamped:
            return max(0.0, c) * left + min(0.0, c) * right
        return 0.5 * min(1.0, c + abs(c)) * left + 0.5 * max(-1.0, c - abs(c)) * right

    for u, axis, rd in ((case.ru, 2, case.rdx), (case.rv, 1, case.rdy)):
        f, us = np.full(u.shape, np.nan), np.moveaxis(u, axis, 2)
        out, q, mm = (
            np.moveaxis(f, axis, 2),
            np.moveaxis(qo, axis, 2),
            np.moveaxis(mass, axis, 2),
        )
        m, n = np.moveaxis(np.broadcast_to(case.m, qo.shape), axis, 2), qo.shape[axis]
        for k, j, i in np.ndindex(*out.shape):
            if not case.periodic and i in (0, n):
                continue
            a, b = (i - 1) % n, i % n
            d, mu = (
                2 / ((m[k, j, a] + m[k, j, b]) * rd),
                0.5 * (mm[k, j, a] + mm[k, j, b]),
            )
            c = us[k, j, i] * case.dt / (d * mu)
            out[k, j, i] = mu * (d / case.dt) * upwind(q[k, j, a], q[k, j, b], c)
        fluxes.append(f)
    f = np.zeros(case.om.shape)
    for k, j, i in np.ndindex(*f.shape):
        if 0 < k < qo.shape[0]:
            d, mu = 2 / (case.rdnw[k] + case.rdnw[k - 1]), mass[k, j, i]
            c = case.om[k, j, i] * case.dt / (d * mu)
            f[k, j, i] = mu * (d / case.dt) * upwind(qo[k - 1, j, i], qo[k, j, i], c)
    return fluxes[0], fluxes[1], f


def divergence(x: Array, y: Array, z: Array, case: Case, power: int) -> Array:
    """m^(1 + power) (rdx dx + rdy dy) + m^power rdnw dz; at a boundary no part along its axis."""
    dx, dy = case.rdx * np.diff(x, axis=2), case.rdy * np.diff(y, axis=1)
    if not case.periodic:
        dx[:, :, [0, -1]] = 0
        dy[:, [0, -1], :] = 0
    return case.m ** (1 + power) * (dx + dy) + case.m**power * case.rdnw[:, None, None] * np.diff(z, axis=0)


def limit(
    faces: tuple[Array, ...],
    first: tuple[Array, ...],
    qo: Array,
    case: Case,
    monotone: bool,
) -> None:
    """Scale A in place: cell by cell, the faces through which A leaves it."""
    nz, ny, nx = qo.shape
    mass = case.c1[:, None, None] * case.mu + case.c2[:, None, None]
    mass_old = case.c1[:, None, None] * case.mu_old + case.c2[:, None, None]
    after = mass_old * qo - case.dt * divergence(*first, case, 1)
    most, least = qo.copy(), qo.copy()

    def see(to: tuple[int, int, int], value: float) -> None:
        most[to], least[to] = max(most[to], value), min(least[to], value)

    for axis, flux in ((2, case.ru), (1, case.rv), (0, case.om)):
        n = qo.shape[axis]
        for face in np.ndindex(*flux.shape):
            i = face[axis]
            if i in (0, n) and (axis == 0 or not case.periodic):
                continue
            before = tuple((a - 1) % n if b == axis else a for b, a in enumerate(face))
            behind = tuple(a % n if b == axis else a for b, a in enumerate(face))
            u = -flux[face] if axis == 0 else flux[face]
            if u > 0:
                see(behind, qo[before])
            else:
                see(before, qo[behind])
    out, into = np.ones(qo.shape), np.ones(qo.shape)
    ax, ay, az = faces
    for k, j, i in np.ndindex(nz, ny, nx):
        if not case.periodic and (i in (0, nx - 1) or j in (0, ny - 1)):
            continue
        m, w, e = case.m[j, i], ax[k, j, i], ax[k, j, i + 1]
        s, n, b, t = ay[k, j, i], ay[k, j + 1, i], az[k, j, i], az[k + 1, j, i]
        gone = case.dt * (
            m * m * (case.rdx * (max(0, e) - min(0, w)) + case.rdy * (max(0, n) - min(0, s)))
            + m * case.rdnw[k] * (min(0, t) - max(0, b))
        )
        come = -case.dt * (
            m * m * (case.rdx * (min(0, e) - max(0, w)) + case.rdy * (min(0, n) - max(0, s)))
            + m * case.rdnw[k] * (max(0, t) - min(0, b))
        )
        room = after[k, j, i] - (mass[k, j, i] * least[k, j, i] if monotone else 0)
        if gone > room:
            out[k, j, i] = max(0, room / (gone + 1e-20))
        room = mass[k, j, i] * most[k, j, i] - after[k, j, i]
        if monotone and come > room:
            into[k, j, i] = max(0, room / (come + 1e-20))
    for axis, a in ((2, ax), (1, ay), (0, az)):
        n = qo.shape[axis]
        for face in np.ndindex(*a.shape):
            if not case.periodic and axis and face[axis] in (0, n):
                continue
            cells = [tuple((f - d) % n if b == axis else f for b, f in enumerate(face)) for d in (1, 0)]
            forwards = a[face] < 0 if axis == 0 else a[face] > 0
            source, sink = cells if forwards else cells[::-1]
            a[face] *= min(out[source], into[sink])


def tendency(q: Array, qo: Array, case: Case, limiter: str | None) -> Array:
    """T."""
    fluxes = high(q, case, limiter is not None)
    if limiter is None:
        return -divergence(*fluxes, case, 0)
    first = low(qo, case)
    excess = tuple(f - one for f, one in zip(fluxes, first, strict=True))
    limit(excess, first, qo, case, limiter == "monotone")
    return -divergence(*(a + one for a, one in zip(excess, first, strict=True)), case, 0)


def stage(q: Array, qo: Array, case: Case, limiter: str | None, source: Array) -> Array:
    """[M_old q_old + dt (m T + S)] / M."""
    mass = case.c1[:, None, None] * case.mu + case.c2[:, None, None]
    mass_old = case.c1[:, None, None] * case.mu_old + case.c2[:, None, None]
    return (mass_old * qo + case.dt * (case.m * tendency(q, qo, case, limiter) + source)) / mass
