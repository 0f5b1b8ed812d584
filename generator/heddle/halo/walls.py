# SPDX-License-Identifier: Apache-2.0
"""Walls within a step concern every kernel that looks across them.

`Dense(walls=...)` puts the populations that a wall sends back into the current cell. A boundary sweep at
another side, or a kernel that reads the moments, meets them at the edges: it has to look there, not behind
the wall, where nobody writes. So such kernels of a module say the same walls as one of its steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.visit import walk
from heddle.ir.walls import SIDES, axis_of, is_upper


@dataclass(frozen=True)
class DenseKernel:
    """A typed kernel over a dense space. walls: the sides at which the model has walls within the kernel.
    role, ends: of a streaming pattern (StreamingKernels)."""

    kernel: ir.Kernel
    walls: tuple[str, ...]
    role: str
    ends: tuple[str, ...]
    place: Place

    @property
    def populations(self) -> set[tuple[str, int]]:
        """Name and components of the fields with several components."""
        return {(f.name, f.components) for f in self.kernel.fields if f.dense and f.components}


def check_walls(dense: Mapping[str, DenseKernel]) -> None:
    """Raises KernelError for a kernel beside the steps that says walls of none of them and looks there.

    dense: the dense kernels of a module by name.
    """
    if not any(entry.walls for entry in dense.values()):
        return
    steps = {name: entry for name, entry in dense.items() if entry.role == "step"}
    for name, entry in dense.items():
        if entry.role == "companion":
            _check_ends(name, entry, steps)
            _check(name, entry, steps)


def _check_ends(name: str, entry: DenseKernel, steps: Mapping[str, DenseKernel]) -> None:
    """Raises KernelError for a sweep along a face that ends at walls within a step."""
    fields = {field.name for field in entry.kernel.fields}
    for step, other in steps.items():
        met = tuple(side for side in other.walls if side in entry.ends)
        if met and fields & {field for field, _ in other.populations}:
            raise KernelError(
                entry.place,
                f"'{name}' reads populations that are streamed beyond the sides {', '.join(met)}, but the "
                f"walls of '{step}' on these sides stream nothing along the face.",
                f"remove {', '.join(met)} from walls, and run a NoSlip sweep there after '{name}'",
            )


def _check(name: str, entry: DenseKernel, steps: Mapping[str, DenseKernel]) -> None:
    found: tuple[str, tuple[str, ...]] | None = None
    for step, other in steps.items():
        if not entry.populations & other.populations:
            continue
        differ = set(entry.walls) ^ set(other.walls)
        across = tuple(side for side in SIDES if side in differ and _looks_across(entry.kernel, side))
        if not across:
            return
        found = found or (step, across)
    if found is None:
        return
    step, across = found
    walls = steps[step].walls
    raise KernelError(
        entry.place,
        f"'{name}' accesses cells across the sides {', '.join(across)}, where '{step}' has "
        f"{_said(walls)} and '{name}' has {_said(entry.walls)}. At the edges it would access "
        "populations that no other kernel reads or writes.",
        f"use the same space for both: {f'Dense(walls={walls!r})' if walls else 'Dense()'}",
    )


def _said(walls: tuple[str, ...]) -> str:
    return f"walls at {', '.join(walls)}" if walls else "no walls"


def _looks_across(kernel: ir.Kernel, side: str) -> bool:
    sign = 1 if is_upper(side) else -1
    return any(
        node.offsets[axis_of(side)] * sign > 0
        for node in walk(kernel.body)
        if isinstance(node, ir.Access) and node.field.components and node.field.dense
    )
