# SPDX-License-Identifier: Apache-2.0
"""Longwave radiation in the large-eddy simulation of model.py: what vapour and cloud water emit and absorb.

A call takes some rows of columns along x. What a column has above the lid of the model does not change.
"""

from heddle import (
    Assignment,
    Module,
    Scan,
    Schedule,
    Threads,
    block_extents,
    fields,
    parameters,
    profiles,
    tables,
)
from heddle.atmosphere import longwave
from heddle.atmosphere.large_eddies.air import Air, number
from sympy import Integer, Piecewise, Rational, symbols

air = Air()
OFFSET = Integer(300)
module = Module(
    "clouds_longwave", precisions=("f64", "f32"), about="Longwave radiation in a large-eddy simulation."
)

# --- Layers: temperature, vapour and clouds; temperatures of faces are means of the layers on both sides ----
th, q, cloud = fields("th, q, cloud: real[3D]")
moisture, temperature, face_temperature, cover, cloud_depth = fields(
    "moisture, temperature, face_temperature, cover, cloud_depth: real[3D]"
)
exner, mass = profiles("exner, mass: real[z]")  # mass: of a layer, kg m-2
# Of the lowest layer; temperature of the first layer above the lid, K.
first_exner, above_lid = parameters("first_exner, above_lid")
warming = number(air.warming)
T, T_below = symbols("T T_below")
lowest = first_exner * (OFFSET + th.at_level(0)) + warming * cloud.at_level(0)
module.add(
    "layers",
    [
        Scan(
            2,
            {T_below: lowest},
            [
                Assignment(T, exner.here * (OFFSET + th.here) + warming * cloud.here),
                Assignment(temperature.here, T),
                Assignment(moisture.here, q.here - cloud.here),
                Assignment(face_temperature.here, (T_below + T) / 2),
                Assignment(cover.here, Piecewise((1, cloud.here > Rational(1, 10**6)), (0, True))),
                Assignment(cloud_depth.here, longwave.LIQUID_ABSORPTION * cloud.here * mass.here),
            ],
            {T_below: T},
        ),
        Assignment(face_temperature.at_level(block_extents()[2]), (T_below + above_lid) / 2),
    ],
)

# --- Absorption, of which part is least in the window from 8 to 12 micrometres, and fluxes ------------------
# All columns in one launch, with half a warp for the sixteen g-points of each.
module.add(
    "fluxes",
    longwave.fluxes("grey", clear=False),
    schedule=Schedule(math="reproducible", gpu=Threads(block=(16, 8, 1))),
)

# --- What the fluxes heat, K/s of potential temperature, and what that adds in a stage ----------------------
up, down, heating = fields("up, down, heating: real[3D]")
net = up.here - down.here, up[0, 0, 1] - down[0, 0, 1]
module.add(
    "warming", [Assignment(heating.here, (net[0] - net[1]) / (number(air.heat) * mass.here * exner.here))]
)

th_next = fields("th_next: real[3D]")
length = tables("length: real[1]")
share = parameters("share")
module.add("warm", [Assignment(th_next.here, th_next.here + share * length.gather(0) * heating.here)])
