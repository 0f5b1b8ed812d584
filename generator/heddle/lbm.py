# SPDX-License-Identifier: Apache-2.0
"""Lattice Boltzmann methods: `from heddle import lbm`.

d3q19 = lbm.Lattice("D3Q19")
stream = lbm.AA(d3q19)
step = stream(lbm.TRT(d3q19, omega="omega", force=("g_x", 0, 0)))      # step.steps["even"], step.steps["odd"]
inflow = stream.boundary(lbm.VelocityBounceBack(("u_in", 0, 0)))       # "after_even", "after_odd"
moments = stream.moments("rho", "u", force=("g_x", 0, 0))              # before "even", before "odd"
start = stream.initialise("rho", "u")
"""

from heddle.symbolic.boundary import BoundaryCondition, NoSlip, PressureAntiBounceBack, VelocityBounceBack
from heddle.symbolic.collision import BGK, TRT, RecursiveRegularised, Regularised
from heddle.symbolic.consistent_start import ConsistentStart
from heddle.symbolic.cumulant import Cumulant, ParametrisedCumulant
from heddle.symbolic.entropic import KBC
from heddle.symbolic.esoteric import EsoPull, EsoTwist
from heddle.symbolic.force import ForceModel
from heddle.symbolic.forcing import ExactDifference, He
from heddle.symbolic.interpolated import Bouzidi
from heddle.symbolic.lattice import Lattice
from heddle.symbolic.moment_collision import MRT, CentralMoment
from heddle.symbolic.moment_storage import MomentStorage
from heddle.symbolic.operator import Collided, CollisionOperator
from heddle.symbolic.outflow import ConvectiveOutflow, Outflow, PressureJump
from heddle.symbolic.patterns import AA, Pull, Push
from heddle.symbolic.places import Link
from heddle.symbolic.rheology import Carreau, HerschelBulkley, PowerLaw
from heddle.symbolic.scalar import AdvectionDiffusion, boussinesq
from heddle.symbolic.scalar_boundary import ScalarFlux, ScalarValue
from heddle.symbolic.slip import FreeSlip
from heddle.symbolic.streaming import StreamingKernels, StreamingPattern
from heddle.symbolic.subgrid import WALE, Smagorinsky, Vreman
from heddle.symbolic.velocity_fields import q_criterion, vorticity
from heddle.symbolic.viscosity import ViscosityModel

__all__ = [
    "AA",
    "BGK",
    "KBC",
    "MRT",
    "TRT",
    "WALE",
    "AdvectionDiffusion",
    "BoundaryCondition",
    "Bouzidi",
    "Carreau",
    "CentralMoment",
    "Collided",
    "CollisionOperator",
    "ConsistentStart",
    "ConvectiveOutflow",
    "Cumulant",
    "EsoPull",
    "EsoTwist",
    "ExactDifference",
    "ForceModel",
    "FreeSlip",
    "He",
    "HerschelBulkley",
    "Lattice",
    "Link",
    "MomentStorage",
    "NoSlip",
    "Outflow",
    "ParametrisedCumulant",
    "PowerLaw",
    "PressureAntiBounceBack",
    "PressureJump",
    "Pull",
    "Push",
    "RecursiveRegularised",
    "Regularised",
    "ScalarFlux",
    "ScalarValue",
    "Smagorinsky",
    "StreamingKernels",
    "StreamingPattern",
    "VelocityBounceBack",
    "ViscosityModel",
    "Vreman",
    "boussinesq",
    "q_criterion",
    "vorticity",
]
