# SPDX-License-Identifier: Apache-2.0
"""Warm rain beside liquid water potential temperature theta_l and total water q = q_v + q_c, without r in it.

Conversion D (s-1) of cloud water q_c to rain r (kg/kg), evaporation E (s-1) of rain:

    dr/dt = D - E,   dq/dt = E - D,   dtheta_l/dt = Lv/(cp Pi) (D - E)

so that q + r and theta_l - Lv/(cp Pi) r stay what they are. Rates: of Kessler (`heddle.atmosphere.
microphysics.kessler`), or of A. Seifert and K. D. Beheng, Atmos. Res. 59-60, 265 (2001), with a given number
of cloud droplets and the constants of the same authors, Meteorol. Atmos. Phys. 92, 45 (2006). Rain falls with
Kessler's speed.

Rain falls from cell to cell in one sweep, without substeps. What is in a cell keeps its speed v for a step
dt; of cell j above or at a face, the part that ends below the face passes it:

    flux = sum over j of rho_j h_j r_j clip((v_j dt - distance from the face to cell j) / h_j, 0, 1)

(T. Kato, J. Meteor. Soc. Japan 73, 241, 1995). Where rain falls by less than a cell in a step, this is the
upstream scheme. Nothing gets lost, r stays positive for any step, and rain falls by 3 cells at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from heddle.atmosphere.large_eddies.air import Air, number
from heddle.atmosphere.large_eddies.grid import Grid
from heddle.atmosphere.large_eddies.saturation import Adjusted, saturation
from heddle.atmosphere.microphysics.functions import only_if, power
from heddle.atmosphere.microphysics.kessler import (
    resistance_to_rain,
    speed_of_rain,
    ventilation_of_rain,
)
from heddle.model.equations import Equations, Scalar, multiply, quantity, square_root
from heddle.model.field import Field

REACH = 3
"""Cells that rain can pass in a step."""
FASTEST = 10.0
"""Fall speed that no drop exceeds, m/s."""
PER_MASS_TIME = 4.44e9
"""Of droplets that collide with each other, k_cc, m3 kg-2 s-1, in 2006. In 2001 it was 9.44e9 (with
COLLECTION 5.78 and a broadening of 600 tau^0.68 (1 - tau^0.68)^3), which several large-eddy simulations still
take."""
COLLECTION = 5.25
"""Of droplets by drops, k_cr, m3 kg-1 s-1."""
SMALLEST_DROP = 2.6e-10
"""Mass that divides cloud droplets from drops of rain, kg."""
WIDTH = 1
"""Parameter of the droplets' distribution of sizes, nu."""
GROUND_DENSITY = 1.225
"""Of the air for which the rates hold, kg m-3."""


# How much


def kessler_conversion(q_c: sympy.Expr, r: sympy.Expr, threshold: sympy.Expr) -> sympy.Expr:
    """D (s-1): 1e-3 s-1 of the cloud water beyond a threshold (kg/kg), and what rain collects."""
    by_itself = number(1e-3) * sympy.Max(q_c - threshold, 0, evaluate=False)
    return by_itself + number(2.2) * q_c * power(sympy.Max(r, 0, evaluate=False), number(0.875))


def seifert_beheng_conversion(
    cell: Equations, q_c: sympy.Expr, r: sympy.Expr, rho: sympy.Expr, droplets: sympy.Expr,
    collisions: Scalar = PER_MASS_TIME,
) -> sympy.Expr:  # fmt: skip
    """Emit D (s-1) for a number of cloud droplets per m3. rho: of the air, kg m-3. collisions: k_cc, m3 kg-2
    s-1, a number or an argument.

    With L = rho q, x = L_c / droplets and tau = L_r / (L_c + L_r), rho D is

        k_cc/(20 x*) (nu+2)(nu+4)/(nu+1)^2 L_c^2 x^2 [1 + 400 tau^0.7 (1 - tau^0.7)^3 / (1 - tau)^2] rho_0/rho
        + k_cr L_c L_r [tau/(tau + 5e-5)]^4 sqrt(rho_0/rho)
    """
    cloud = cell.let("cloud_content", rho * q_c)
    rain = cell.let("rain_content", rho * sympy.Max(r, 0, evaluate=False))
    share = cell.let("tau", only_if(cloud > 0, rain / (cloud + rain)))
    left = cell.let("cloud_share", sympy.Max(1 - share, number(1e-6), evaluate=False))
    root = cell.let("tau_power", power(share, number(0.7)))
    broad = cell.let("broadening", 1 + 400 * root * (1 - root) ** 3 / left**2)
    size = cell.let("droplet_size", cloud / (droplets * number(SMALLEST_DROP)))
    shape = (WIDTH + 2) * (WIDTH + 4) / (WIDTH + 1) ** 2
    thin = cell.let("thin", number(GROUND_DENSITY) / rho)
    factor = multiply(number(SMALLEST_DROP / 20 * shape), quantity(collisions))
    alone = cell.let("by_itself", factor * cloud**2 * size**2 * broad * thin)
    caught = cell.let("caught", share / (share + number(5e-5)))
    collected = cell.let("collected", number(COLLECTION) * cloud * rain * caught**4 * square_root(thin))
    return cell.let("conversion", (alone + collected) / rho)


def evaporation(
    cell: Equations, r: sympy.Expr, lacking: sympy.Expr, q_s: sympy.Expr, rho: sympy.Expr, p: sympy.Expr
) -> sympy.Expr:
    """Emit Kessler's E (s-1). lacking: q_s - q_v (kg/kg), 0 in saturated air. p: pressure (Pa)."""
    content = cell.let("drops", number(0.001) * rho * sympy.Max(r, 0, evaluate=False))
    rate = ventilation_of_rain(content) / resistance_to_rain(p, q_s) * lacking / (number(0.001) * rho * q_s)
    return cell.let("evaporation", only_if(sympy.And(content > 0, lacking > 0), rate))


@dataclass(frozen=True)
class Exchanged:
    """After a step: theta_l (K, with the offset of what was given), q and r (kg/kg)."""

    theta_l: sympy.Expr
    q: sympy.Expr
    r: sympy.Expr


def exchange(
    cell: Equations, theta_l: sympy.Expr, q: sympy.Expr, r: sympy.Expr, wet: Adjusted, conversion: sympy.Expr,
    step: sympy.Expr, rho: sympy.Expr, p: sympy.Expr, Pi: sympy.Expr, air: Air | None = None,
    drying: Scalar = 1,
) -> Exchanged:  # fmt: skip
    """Emit theta_l, q and r after conversion and evaporation over a step (s).

    wet: temperature and cloud water of this theta_l and q. conversion: D (s-1). Limits: D dt <= q_c, and
    E dt <= r and what saturates the air while that cools it, (q_s - q_v) / (1 + Lv/cp dq_s/dT). drying: by
    which Kessler's E is multiplied, a number or an argument.
    """
    air = air or Air()
    q_s, slope = saturation(cell, wet.T, p, air, "_air")
    lacking = cell.let("lacking", sympy.Max(q_s - (q - wet.q_c), 0, evaluate=False))
    wanted = multiply(quantity(drying), evaporation(cell, r, lacking, q_s, rho, p))
    room = lacking / (1 + number(air.warming) * slope)
    drops = sympy.Max(r, 0, evaluate=False)
    gone = cell.let(
        "evaporated", sympy.Min(step * wanted, sympy.Min(drops, room, evaluate=False), evaluate=False)
    )
    formed = cell.let("formed", sympy.Min(step * conversion, wet.q_c, evaluate=False))
    net = cell.let("net", formed - gone)
    warmer = number(air.warming) / Pi * net
    return Exchanged(theta_l + warmer, q - net, r + net)


# How fast it falls


def fall_speed(cell: Equations, r: sympy.Expr, rho: sympy.Expr, rho_ground: sympy.Expr) -> sympy.Expr:
    """Emit the speed of rain (m/s), at most FASTEST. rho_ground: of the lowest cell, kg m-3."""
    content = cell.let("content", number(0.001) * rho * r)
    speed = only_if(content > 0, speed_of_rain(content, square_root(rho_ground / rho)))
    return cell.let("fall_speed", sympy.Min(speed, number(FASTEST), evaluate=False))


def fall(
    cell: Equations, grid: Grid, r: Field, speed: Field, step: sympy.Expr
) -> tuple[sympy.Expr, sympy.Expr]:
    """Emit r after it fell for a step (s), and what passed the lower face of the cell, kg m-2: of the lowest
    cell, that is rain at the ground. speed: field of fall speeds, m/s."""
    lower, upper = (_passing(cell, grid, r, speed, step, by) for by in (0, 1))
    return cell.let("fallen_r", r.here + grid.level("per_mass") * (upper - lower)), lower


def _passing(cell: Equations, grid: Grid, r: Field, speed: Field, step: sympy.Expr, face: int) -> sympy.Expr:
    """What passes the lower face of the cell so many levels above."""
    parts, distance = [], sympy.Integer(0)
    for level in range(face, face + REACH):
        per_h = grid.level("per_height", level)
        covered = (step * speed[0, 0, level] - distance) * per_h
        inside = sympy.Min(sympy.Max(covered, 0, evaluate=False), 1, evaluate=False)
        mass = grid.level("mass", level) * r[0, 0, level] * inside
        if level > 0:  # cells above the lid do not exist
            mass = sympy.Piecewise((mass, grid.level("order_z", level) > 0), (0, True))
        parts.append(cell.let(f"from_{level}_{'bt'[face]}", mass))
        if level + 1 < face + REACH:
            distance = distance + 1 / per_h
    return cell.let(f"passing_{'bt'[face]}", sympy.Add(*parts, evaluate=False))
