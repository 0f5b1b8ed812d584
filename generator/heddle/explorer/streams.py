# SPDX-License-Identifier: Apache-2.0
"""Limits that are measured beside candidates: kernels that move the same bytes and compute nothing, and one
that computes and moves next to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heddle.emit.cost import cost
from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.layout import Strided
from heddle.ir.schedule import CacheLines, Rows, Schedule, Threads
from heddle.ir.visit import evaluated, statements
from heddle.model.assignment import Assignment, Reduce
from heddle.model.equations import Equations, add
from heddle.model.field import Access, Field
from heddle.module import Module

CHAINS, LENGTH = 8, 16
"""Independent chains of fused multiply-adds in the kernel `peak`, and how long each is: enough to keep two
units of latency 4 busy."""
CPU_WAYS = {
    "rows": Schedule(cpu=Rows()),
    "lines": Schedule(cpu=CacheLines(4)),
    "past": Schedule(cpu=CacheLines(4, nontemporal=True)),
}
GPU_WAYS = {
    "small": Schedule(gpu=Threads(block=(128, 1, 1), unit_stride=True)),
    "blocks": Schedule(gpu=Threads(block=(256, 1, 1), unit_stride=True)),
    "large": Schedule(gpu=Threads(block=(512, 1, 1), unit_stride=True)),
    "several": Schedule(gpu=Threads(block=(128, 1, 1), coarsening=2, unit_stride=True)),
}
"""How a matching stream may run."""
Element = tuple[ir.Field, int]


def stream_module(kernels: Sequence[ir.Kernel], chosen: str, target: str) -> Module:
    """A module with kernels that read and write the same elements of the cell itself as each of these typed
    kernels: `<way>_<kernel>`, for each way in which a memory may like it best."""
    module = Module("streams", precisions=(chosen,), about="Copies, to compare with.")
    for way, schedule in ways(target).items():
        names = [f"{way}_{kernel.name}" for kernel in kernels]
        for name, kernel in zip(names, kernels, strict=True):
            module.add(name, _copies(kernel))
        try:
            alone = module.alone(names, chosen, schedule, target)
            module.kernels |= {name: alone.kernels[name] for name in names}
        except KernelError:  # no store may bypass the caches, or there is one axis
            for name in names:
                del module.kernels[name]
    return module


def ways(target: str) -> dict[str, Schedule]:
    """Those of a target."""
    return CPU_WAYS if TARGETS[target].gpu is None else GPU_WAYS


def ways_of(module: Module, target: str) -> list[str]:
    """Those that a module of streams has."""
    return [way for way in ways(target) if any(name.startswith(f"{way}_") for name in module.kernels)]


def _copies(kernel: ir.Kernel) -> list[Assignment | Reduce]:
    """Each element that is only written gets one or a sum of those that are only read; those that are read
    and written change their sign."""
    read, written = _elements(kernel)
    read = [*read, *_entries(kernel)]
    both = [element for element in written if element in read]
    sources = [element for element in read if element not in written]
    targets = [element for element in written if element not in read]
    found: list[Assignment | Reduce] = []
    places = targets or both
    for number, element in enumerate(places):
        floats = [source for source in sources if source[0].type.is_float == element[0].type.is_float]
        own = floats[number :: len(places)] or (floats[number % len(floats) :][:1] if floats else [])
        value: Any = add(*(_access(source) for source in own)) if own else 1
        if element in both:
            value = -_access(element) + (value if own else 0)
        found.append(Assignment(_access(element), value))
    if targets:
        found += [Assignment(_access(element), -_access(element)) for element in both]
    if not places:
        found.append(Reduce("sum", "total", add(*(_access(source) for source in sources))))
    return found


def moves(kernel: ir.Kernel) -> tuple[object, ...]:
    """What the matching stream of a kernel depends on."""
    read, written = _elements(kernel)
    return kernel.name, kernel.space.dimensions, tuple(read), tuple(written), tuple(_entries(kernel))


def _elements(kernel: ir.Kernel) -> tuple[list[Element], list[Element]]:
    """What a kernel reads and writes per cell: fields and components, without tables and planes."""

    def counted(node: object) -> bool:
        if not isinstance(node, (ir.Access, ir.Gather)):
            return False
        layout = node.field.layout
        return not (layout.along_axis or layout.table or node.field.is_plane(kernel.space))

    read = dict.fromkeys(_element(node) for node in evaluated(kernel.body) if counted(node))
    targets = [s.target for s in statements(kernel.body) if isinstance(s, ir.Store) and counted(s.target)]
    return list(read), list(dict.fromkeys(_element(node) for node in targets))


def _entries(kernel: ir.Kernel) -> list[Element]:
    """The entries of a list's table of neighbours that a kernel reads per cell, as numbers of four bytes."""
    if not kernel.space.is_index_list:
        return []
    read, _ = _elements(kernel)
    own = sum(field.type.bytes for field, _ in read)
    count = round((cost(kernel, kernel).bytes_read - own) / 4)
    table = ir.Field("table", ir.F32, 1, count, 0, Strided())
    return [(table, entry) for entry in range(count)]


def _element(node: object) -> Element:
    assert isinstance(node, (ir.Access, ir.Gather))
    component = node.component
    return node.field, component if isinstance(component, int) else 0


def _access(element: Element) -> Access:
    field, component = element
    name = {"f64": "double", "f32": "float", "f16": "half"}.get(str(field.type), str(field.type))
    rank, ghosts = (1, 0) if field.layout.over_list else (field.rank, field.ghost_layers)
    plain = Field(field.name, name, rank, field.components, ghosts)
    place = (0,) * rank
    return plain[(*place, component)] if field.components else plain[place]


def peak_module(chosen: str) -> tuple[Module, int]:
    """A module whose kernel `peak` computes with what it reads once, and its operations per cell."""
    u, v = (Field(name, "real", 1) for name in "uv")
    module = Module("limits", precisions=(chosen,), about="Chains of fused multiply-adds.")
    equations = Equations(fields="uv")
    chains: list[Any] = [u[0] + chain for chain in range(CHAINS)]
    for link in range(LENGTH):
        for chain in range(CHAINS):
            chains[chain] = equations.let(f"x_{chain}_{link}", chains[chain] * u[0] + u[0])
    body = [*equations.statements, Assignment(v[0], add(*chains))]
    module.add("peak", body, schedule=Schedule(fma=True, cpu=Rows(), gpu=Threads(unit_stride=True)))
    return module, 2 * CHAINS * LENGTH + 2 * CHAINS - 2
