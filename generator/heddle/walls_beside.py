# SPDX-License-Identifier: Apache-2.0
"""Walls within a step concern every kernel that looks across them.

`Dense(walls=...)` puts the populations that a wall sends back into the own cell. A boundary sweep at another
side, or a kernel that reads the moments, meets them at the edges: it has to look there, not behind the wall,
where nobody writes. So such kernels of a module say the same walls as one of its steps.
"""

from __future__ import annotations

from collections.abc import Mapping

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.visit import walk
from heddle.ir.walls import SIDES, axis_of, is_upper
from heddle.module import KernelModel, Module


def check_walls(module: Module) -> None:
    """Raises KernelError for a kernel beside the steps that says walls of none of them and looks there."""
    dense = {
        name: entry
        for name, entry in module.kernels.items()
        if isinstance(entry, KernelModel) and isinstance(entry.space, ir.Dense)
    }
    if not any(_walls(entry) for entry in dense.values()):
        return
    steps = {name: entry for name, entry in dense.items() if entry.role == "step"}
    for name, entry in dense.items():
        if entry.role == "beside":
            _check_ends(module, name, entry, steps)
            _check(module, name, entry, steps)


def _check_ends(module: Module, name: str, entry: KernelModel, steps: Mapping[str, KernelModel]) -> None:
    """Raises KernelError for a sweep along a face that ends at walls within a step."""
    if not entry.ends:
        return
    fields = entry.field_names
    for step, model in steps.items():
        met = tuple(side for side in _walls(model) if side in entry.ends)
        if met and fields & {field for field, _ in _populations(module.typed(step, module.precisions[0]))}:
            raise KernelError(
                entry.place,
                f"'{name}' takes what is sent beyond the sides {', '.join(met)}, and the walls that '{step}' "
                "has within it there send nothing along the face.",
                f"leave {', '.join(met)} out of walls, and sweep NoSlip there after '{name}'",
            )


def _check(module: Module, name: str, entry: KernelModel, steps: Mapping[str, KernelModel]) -> None:
    kernel = module.typed(name, module.precisions[0])
    populations = _populations(kernel)
    found: tuple[str, tuple[str, ...]] | None = None
    for step, model in steps.items():
        if not populations & _populations(module.typed(step, module.precisions[0])):
            continue
        differ = set(_walls(entry)) ^ set(_walls(model))
        across = tuple(side for side in SIDES if side in differ and _looks_across(kernel, side))
        if not across:
            return
        found = found or (step, across)
    if found is None:
        return
    step, across = found
    walls = _walls(steps[step])
    raise KernelError(
        entry.place,
        f"'{name}' looks across the sides {', '.join(across)}, where '{step}' has {_said(walls)} within it "
        f"and '{name}' {_said(_walls(entry))}: at the edges it would touch what nobody reads or writes.",
        f"the same space for both: {f'Dense(walls={walls!r})' if walls else 'Dense()'}",
    )


def _walls(entry: KernelModel) -> tuple[str, ...]:
    assert isinstance(entry.space, ir.Dense)
    return entry.space.walls


def _said(walls: tuple[str, ...]) -> str:
    return f"walls at {', '.join(walls)}" if walls else "no walls"


def _populations(kernel: ir.Kernel) -> set[tuple[str, int]]:
    """Name and components of the fields with several components."""
    return {(field.name, field.components) for field in kernel.fields if field.dense and field.components}


def _looks_across(kernel: ir.Kernel, side: str) -> bool:
    sign = 1 if is_upper(side) else -1
    return any(
        node.offsets[axis_of(side)] * sign > 0
        for node in walk(kernel.body)
        if isinstance(node, ir.Access) and node.field.components and node.field.dense
    )
