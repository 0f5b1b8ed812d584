# SPDX-License-Identifier: Apache-2.0
"""What recovering a loop nest gives."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.lift.delinearise import Placement
from heddle.lift.polynomial import Polynomial

COORDINATES = tuple(ir.Symbol(name, ir.I64) for name in "xyz")
EXTENTS = tuple(ir.Symbol(f"n_{name}", ir.I64) for name in "xyz")
RESERVED = frozenset("x y z n_x n_y n_z status unit_stride main std heddle".split())
"""Names that an emitted function uses itself."""
TYPES = {ir.F16, ir.F32, ir.F64, ir.I32, ir.I64, ir.U8, ir.U32, ir.BOOL}


@dataclass(frozen=True)
class Recovered:
    """A kernel over cells and how the source's arrays map to its fields.

    kernel: symbolic, typed. placements: of the arrays, by the name of the field. sources: names in the source
    of fields and parameters. extents: of the interior, x first. begins: the counters' values in the first
    cell. counters: the source's names of the axes. assumptions: sentences. place: of the loop. finishes: what
    the source computes from outputs after the loop, by name: that stays with the caller.
    """

    kernel: ir.Kernel
    placements: dict[str, Placement]
    sources: dict[str, str]
    extents: tuple[Polynomial, ...]
    begins: tuple[Polynomial, ...]
    counters: tuple[str, ...]
    assumptions: tuple[str, ...]
    place: Place
    finishes: tuple[tuple[str, ir.Expression], ...] = ()

    @property
    def begins_at(self) -> dict[str, tuple[object, ...]]:
        """For each field its array, the index of the first interior cell there, and the strides."""
        return {
            name: (self.sources[name], p.first(self.begins), *p.strides, p.component_stride)
            for name, p in self.placements.items()
        }
