# SPDX-License-Identifier: Apache-2.0
"""Where each population is read and written in a step, as two functions.

`read(q, step)` and `write(q, step)` give (slot, offset): population q of cell x is component `slot` of cell x
+ offset. Everything else follows from them: loads and stores of kernels, boundary sweeps, moments, the rows
of a sparse neighbour table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from heddle.errors import KernelError, calling_place
from heddle.lbm.lattice import Lattice
from heddle.model.field import Access, Field
from heddle.model.streaming_kernels import Link

Offset = tuple[int, ...]
PopulationSlot = tuple[int, Offset]


class AccessPattern(ABC):
    """Where the populations of a lattice lie in memory, in each of the steps of a streaming pattern, which
    alternate. source: the field that is read; zero_centred: whether it holds f - w.
    """

    lattice: Lattice
    source: Field
    zero_centred: bool
    steps: tuple[str, ...] = ("",)
    in_place = False

    @abstractmethod
    def read(self, q: int, step: str) -> PopulationSlot:
        """Where population q that arrives in a cell is read in this step."""

    @abstractmethod
    def write(self, q: int, step: str) -> PopulationSlot:
        """Where the post-collision population q is written in this step."""

    def access(self, slot: PopulationSlot, field: Field | None = None) -> Access:
        """The element of a slot, as a relative access."""
        return (field or self.source)[(*slot[1], slot[0])]

    def next_step(self, step: str) -> str:
        """The step after this one."""
        return self.steps[(self.steps.index(step) + 1) % len(self.steps)]

    def check(self) -> None:
        """Raise KernelError unless steps are free of races and populations arrive where the next step
        reads them."""
        directions = range(self.lattice.size)
        for step in self.steps:
            reads = [self.read(q, step) for q in directions]
            writes = [self.write(q, step) for q in directions]
            self._check_unique(step, "writes", writes)
            if self.in_place:
                self._check_unique(step, "reads", reads)
                if set(reads) != set(writes):
                    stray = next(slot for slot in writes if slot not in reads)
                    raise KernelError(
                        calling_place(),
                        f"{self._step_name(step)} writes component {stray[0]} at {list(stray[1])}, which "
                        "another cell reads in the same step: a race.",
                        "write only elements that the cell itself reads, or use a second array",
                    )
            following = self.next_step(step)
            for q in directions:
                slot, offset = self.read(q, following)
                arrives = (
                    slot,
                    tuple(c + o for c, o in zip(self.lattice.velocities[q], offset, strict=True)),
                )
                if arrives != self.write(q, step):
                    raise KernelError(
                        calling_place(),
                        f"{self._step_name(step)} writes population {self.lattice.names[q]} to component "
                        f"{self.write(q, step)[0]} at {list(self.write(q, step)[1])}, but the next step "
                        f"reads it from component {arrives[0]} at {list(arrives[1])}.",
                        "read(q, next) must be the slot of write(q), relative to the cell at c_q",
                    )

    def _step_name(self, step: str) -> str:
        return f"the {step} step of {type(self).__name__}" if step else type(self).__name__

    def _check_unique(self, step: str, verb: str, slots: Sequence[PopulationSlot]) -> None:
        components = [component for component, _ in slots]
        for slot in range(self.lattice.size):
            if components.count(slot) != 1:
                raise KernelError(
                    calling_place(),
                    f"{self._step_name(step)} {verb} component {slot} {components.count(slot)} times per "
                    "cell.",
                    "assign each component to exactly one population per step",
                )

    @property
    def links(self) -> tuple[Link, ...]:
        """The rows of the neighbour table, row q - 1 for direction q; empty if populations at walls cannot
        be kept in the cell itself."""
        return ()

    def bounce_back_slot(self, slot: PopulationSlot) -> PopulationSlot:
        """The slot of the current cell that stands for this one at a wall; the same one where lists store
        solid boundary nodes."""
        if not any(slot[1]):
            return slot
        for link in self.links:
            if link.stores_solid:
                return slot
            if (link.slot, link.offset) == slot:
                return link.wall_slot, (0,) * self.lattice.dimension
        raise KernelError(
            calling_place(),
            f"{type(self).__name__} does not keep the populations at walls in the cell itself, so it has "
            "no boundary sweep over a list.",
            "use AA, Pull or Push, or pass the face: stream.boundary(condition, face=...)",
        )
