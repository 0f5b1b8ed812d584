# SPDX-License-Identifier: Apache-2.0
"""Lattice Boltzmann methods: `from heddle import lbm`.

d3q19 = lbm.Lattice("D3Q19")
stream = lbm.AA(d3q19)
step = stream(lbm.TRT(d3q19, omega="omega", force=("g_x", 0, 0)))      # step.steps["even"], step.steps["odd"]
inflow = stream.boundary(lbm.VelocityBounceBack(("u_in", 0, 0)))       # "after_even", "after_odd"
moments = stream.moments("rho", "u", force=("g_x", 0, 0))              # before "even", before "odd"
start = stream.initialise("rho", "u")
"""

from heddle.lbm.boundary.condition import (
    BoundaryCondition,
    NoSlip,
    PressureAntiBounceBack,
    VelocityBounceBack,
)
from heddle.lbm.boundary.interpolated import Bouzidi
from heddle.lbm.boundary.outflow import ConvectiveOutflow, Outflow, PressureJump
from heddle.lbm.boundary.scalar import ScalarFlux, ScalarValue
from heddle.lbm.boundary.slip import FreeSlip
from heddle.lbm.boundary.wall_velocity import PerLink
from heddle.lbm.collision.cumulant import Cumulant, ParametrisedCumulant
from heddle.lbm.collision.entropic import KBC
from heddle.lbm.collision.moment_collision import MRT, CentralMoment
from heddle.lbm.collision.operator import Collided, CollisionOperator
from heddle.lbm.collision.population_operators import BGK, TRT, RecursiveRegularised, Regularised
from heddle.lbm.collision.rheology import Carreau, HerschelBulkley, PowerLaw
from heddle.lbm.collision.subgrid import WALE, Smagorinsky, Vreman
from heddle.lbm.collision.viscosity import ViscosityModel
from heddle.lbm.consistent_initialisation import ConsistentInitialisation
from heddle.lbm.force import ForceModel
from heddle.lbm.forcing import ExactDifference, He
from heddle.lbm.lattice import Lattice
from heddle.lbm.moment_storage.storage import MomentStorage
from heddle.lbm.scalar import AdvectionDiffusion, boussinesq
from heddle.lbm.streaming.esoteric import EsoPull, EsoTwist
from heddle.lbm.streaming.pattern import StreamingPattern
from heddle.lbm.streaming.pull_push_aa import AA, Pull, Push
from heddle.lbm.velocity_fields import q_criterion, vorticity
from heddle.model.streaming_kernels import Link, StreamingKernels

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
    "ConsistentInitialisation",
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
    "PerLink",
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
