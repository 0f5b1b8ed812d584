# SPDX-License-Identifier: Apache-2.0
"""Heddle turns a method written as mathematics into C++ and CUDA kernels.

    from heddle import Assignment, Module, fields

    u, u_next = fields("u, u_next: real[2D]")
    heat = Module("heat")
    heat.add("step", [Assignment(u_next.here, (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]) / 4)])

`heddle build model.py --out generated` writes the files.
"""

from typing import TYPE_CHECKING

from heddle.errors import KernelError
from heddle.ir.schedule import (
    CacheLines,
    CompressedList,
    Interleaved,
    Rows,
    Schedule,
    Strips,
    Threads,
    WarpPerCell,
)
from heddle.model.assignment import Assignment, AssignmentCollection, If, Reduce, Scan, Section, While
from heddle.model.bits import bit_and, has_bit, remainder, shift_left
from heddle.model.field import Field, block_coordinates, block_extents, fields, parameters, profiles, tables
from heddle.model.spaces import Cells, Dense, Sparse
from heddle.module import Module
from heddle.python.cell_list import CellList
from heddle.python.domain import Domain
from heddle.python.in_jax import in_jax
from heddle.python.in_torch import in_torch
from heddle.python.load import load
from heddle.python.loop import fold_periodic, periodic, steps
from heddle.python.zeros import zeros

if TYPE_CHECKING:
    from heddle.explorer.run import explore

__version__ = "0.1.0"

__all__ = [
    "Assignment",
    "AssignmentCollection",
    "CacheLines",
    "CellList",
    "Cells",
    "CompressedList",
    "Dense",
    "Domain",
    "Field",
    "If",
    "Interleaved",
    "KernelError",
    "Module",
    "Reduce",
    "Rows",
    "Scan",
    "Schedule",
    "Section",
    "Sparse",
    "Strips",
    "Threads",
    "WarpPerCell",
    "While",
    "bit_and",
    "block_coordinates",
    "block_extents",
    "explore",
    "fields",
    "fold_periodic",
    "has_bit",
    "in_jax",
    "in_torch",
    "load",
    "parameters",
    "periodic",
    "profiles",
    "remainder",
    "shift_left",
    "steps",
    "tables",
    "zeros",
]


def __getattr__(name: str) -> object:
    """`heddle.explore`, loaded when it is asked for: no other command needs it, and each starts faster."""
    if name == "explore":
        from heddle.explorer.run import explore as found

        globals()[name] = found
        return found
    raise AttributeError(f"module 'heddle' has no attribute '{name}'")
