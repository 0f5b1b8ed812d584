# SPDX-License-Identifier: Apache-2.0
"""What a streaming pattern passes to `Module.add`: statements for each of its steps, and the rows of the
neighbour table that they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from heddle.ir.space import Layer, Link
from heddle.model.assignment import AssignmentCollection

__all__ = ["STORES_SOLID", "HalfOfAStep", "Layer", "Link", "StreamingKernels", "Where"]

STORES_SOLID = -1
"""As wall_slot of a link: the list stores the cell at the link's offset even if it is solid."""

Where: TypeAlias = Literal["", "face", "list", "cells"]


class HalfOfAStep:
    """Base of what is not yet a kernel: a pattern, which streams, or a collision. does: the verb for
    errors."""

    does: ClassVar[str]


@dataclass(frozen=True)
class StreamingKernels:
    """One collection of statements per step; the key is the suffix of the kernel's name ("" for a single
    one).

    links: the rows of the neighbour table that a sparse list needs; empty if the pattern has no own-cell
    walls. role: "step" for kernels that stream and collide, "companion" for those that belong to them.
    populations: of a step, the names of the fields that hold them. over_list: the statements over a sparse
    list where these differ, since a cell there has no neighbours behind walls; empty if a pattern has no
    links. None: the same. where: of a boundary sweep, over what it runs: the layer of cells at a side of a
    dense box, a list of cells, or some cells of a dense box, the space Cells; else "". layer: which layer.
    ends: of a sweep over a layer that looks along it, the sides at its ends. between_walls: of a sweep over a
    layer, the same for a space with walls within the step at some sides, which have the links through edges
    and corners.
    """

    steps: Mapping[str, AssignmentCollection]
    links: tuple[Link, ...]
    role: Literal["step", "companion"] = "companion"
    populations: tuple[str, ...] = ()
    over_list: Mapping[str, AssignmentCollection] | None = None
    where: Where = ""
    layer: Layer | None = None
    ends: tuple[str, ...] = ()
    between_walls: Callable[[Sequence[str]], StreamingKernels] | None = None
