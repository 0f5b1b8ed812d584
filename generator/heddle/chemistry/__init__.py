# SPDX-License-Identifier: Apache-2.0
"""Atmospheric chemistry: from a mechanism to kernels that integrate it, a stiff system in each cell.

mechanism = chemistry.read("chapman.json")
solver = chemistry.Rosenbrock(mechanism, "Rodas3")
module.add("integrate", solver.integrate(), schedule=Schedule(cpu=Strips(8), math="reproducible"))
"""

from heddle.chemistry.kernels import jacobian, jacobian_places, rate_constants, tendency
from heddle.chemistry.mechanism import Mechanism, Reaction, Species
from heddle.chemistry.mechanisms import cb05
from heddle.chemistry.newton import NewtonKernels
from heddle.chemistry.read import read
from heddle.chemistry.rosenbrock import Rosenbrock

__all__ = [
    "Mechanism",
    "NewtonKernels",
    "Reaction",
    "Rosenbrock",
    "Species",
    "cb05",
    "jacobian",
    "jacobian_places",
    "rate_constants",
    "read",
    "tendency",
]
