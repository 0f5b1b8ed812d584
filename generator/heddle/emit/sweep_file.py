# SPDX-License-Identifier: Apache-2.0
"""module_sweeps.hpp: each kernel as a class that binds it to fields of heddle::runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from heddle.emit.expression import type_text
from heddle.emit.files import render
from heddle.emit.kernel_files import Variant
from heddle.emit.lane_walls import lanes, sides, walls
from heddle.emit.signature import Argument, arguments
from heddle.emit.sweep_exchanges import Halo, exchange_methods, link_text
from heddle.ir import nodes as ir
from heddle.ir.space import Link
from heddle.ir.target import Target, device_of, host_of
from heddle.ir.visit import evaluated, statements, walk


class _Module(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def halos(self) -> Mapping[str, Halo]: ...

    @property
    def links(self) -> tuple[Link, ...]: ...

    @property
    def solver(self) -> tuple[str, ...]: ...


def sweep_header(
    module: _Module,
    kernels: Mapping[str, Sequence[Variant]],
    targets: Sequence[Target],
    banner: Mapping[str, Any],
) -> str:
    """The text of module_sweeps.hpp."""
    halos = {kernel: halo for halo in module.halos.values() for kernel in halo.kernels}
    packs = {f"{halo.name}_{way}" for halo in module.halos.values() for way in ("pack", "unpack")}
    sweeps = [
        _sweep(module.name, name, variants, targets, halos.get(name))
        for name, variants in kernels.items()
        if name not in packs and _bindable(variants[0])
    ]
    return render(
        "sweeps.hpp.j2",
        **banner,
        module=module.name,
        guard=f"{module.name}_SWEEPS_HPP".upper(),
        links=[link_text(link) for link in module.links],
        profiles=any(f.layout.along_axis for v in kernels.values() for f in v[0].stages.kernel.fields),
        reduces=any(variants[0].stages.kernel.outputs for variants in kernels.values()),
        coloured=any(_colours(variants[0].stages.kernel) > 1 for variants in kernels.values()),
        marches=any(sweep["marches"] for sweep in sweeps),
        walls=any(walls(variants[0].stages.kernel) for variants in kernels.values()),
        interleaved=any(lanes(variants[0].stages.kernel) > 1 for variants in kernels.values()),
        sweeps=sweeps,
        exchanges=bool(halos),
        boxes=any(sweep["dense"] and sweep["parts"] for sweep in sweeps),
        solver=[name for name in module.solver if name in kernels],
        split=any(field.layout.split for k in kernels.values() for field in k[0].stages.kernel.fields),
        host=host_of(targets),
        device=device_of(targets),
    )


def _bindable(variant: Variant) -> bool:
    """Runtime fields have three dimensions; planes of them have two."""
    return all(field.rank != 1 or field.layout.contiguous for field in variant.stages.kernel.fields)


def _colours(kernel: ir.Kernel) -> int:
    return kernel.space.colours


def _sweep(
    module: str, kernel: str, variants: Sequence[Variant], targets: Sequence[Target], halo: Halo | None
) -> dict[str, Any]:
    typed = variants[0].stages.kernel
    everything = arguments(typed)
    dense = typed.space.is_box
    scalars = [argument for argument in everything if argument.role == "scalar"]
    title = "".join(part.capitalize() for part in kernel.split("_"))
    parts = halo is not None and _separable(typed)
    binding = _Binding(typed, variants, everything, dense, parts)
    arrays = [argument for argument in everything if argument.role == "array"]
    constructor = binding.constructor()
    if scalars:
        constructor.append(f"const {title}Parameters& sweep_parameters")
    if _colours(typed) > 1:
        constructor.append(f"heddle::ColourRange range = {{0, {_colours(typed)}}}")
    if binding.box:
        constructor.append("int block = 0")
    initialisers = binding.initialisers()
    if scalars:
        initialisers.insert(0, "parameters(sweep_parameters)")
    if _colours(typed) > 1:
        initialisers.insert(1 if scalars else 0, "colours(range)")
    checks = [
        f"heddle::require_ghost_layers({argument.name}, {_touches_ghosts(typed, argument)}, "
        f'{_rank(argument)}, "{kernel}");'
        for argument in arrays
        if (dense or binding.box) and _touches_ghosts(typed, argument)
    ]
    blocks = f"{arrays[0].name}.blocks()" if dense else "1"
    checks += [f'heddle::require_values({a.name}, {blocks}, "{kernel}");' for a in binding.outputs]
    checks += [
        f"heddle::require_profile({a.name}, {arrays[0].name}, {a.field.axis}, {a.field.ghost_layers}, "
        f'"{kernel}");'
        for a in binding.entries
        if a.field is not None and a.field.layout.along_axis
    ]
    if _colours(typed) > 1:
        checks.append(f'heddle::require_even_blocks({arrays[0].name}, "{kernel}");')
    if device_of(targets) and lanes(typed) > 1:
        checks += [
            f'heddle::require_interleaved({argument.name}, {lanes(typed)}, "{kernel}");'
            for argument in arrays
        ]
        if walls(typed) and halo is None:  # else the exchange has what is not the same
            checks.append(f'heddle::require_same_walls({arrays[0].name}, {sides(typed)}U, "{kernel}");')
    return {
        "kernel": kernel,
        "name": title,
        "element": binding.chosen,
        "about": typed.about or f"Kernel {kernel} bound to fields.",
        "notes": binding.notes(),
        "explicit": "explicit " if sum(" = " not in text for text in constructor) == 1 else "",
        "constructor": ", ".join(constructor),
        "constructor_body": checks,
        "initialisers": ", ".join(initialisers),
        "coloured": _colours(typed) > 1,
        "scalars": [{"type": _scalar(argument), "name": argument.name} for argument in scalars],
        "accesses": [
            *_accesses(typed, arrays, parts),
            *(
                f'{{{output.name}_, "{output.name}", heddle::AccessMode::write}}'
                for output in binding.outputs
            ),
        ],
        "exchanges": exchange_methods(module, typed, halo, targets, binding.chosen) if halo else [],
        "dense": dense,
        "parts": parts,
        "first": f"{arrays[0].name}_",
        "body": binding.body(kernel, targets),
        "marches": host_of(targets) is not None and binding.marches(),
        "members": binding.members(),
    }


def _rank(argument: Argument) -> int:
    assert argument.field is not None
    return argument.field.rank


def _touches_ghosts(kernel: ir.Kernel, argument: Argument) -> int:
    """How many layers of ghost cells the kernel reaches in a field."""
    accesses = [
        node for node in walk(kernel.body) if isinstance(node, ir.Access) and node.field is argument.field
    ]
    return max((abs(d) for access in accesses for d in access.offsets), default=0)


def _separable(kernel: ir.Kernel) -> bool:
    """Whether some cells of a block can be computed alone: each needs nothing but what it accesses."""
    if kernel.outputs:
        return False
    if kernel.space.is_box and (kernel.space.colours > 1 or kernel.space.fixed_nx):
        return False
    if any(field.layout.along_axis for field in kernel.fields):
        return False
    if any(isinstance(s, ir.Scan) for s in statements(kernel.body)):
        return False
    own = {s.symbol for s in statements(kernel.body) if isinstance(s, ir.Let)} | set(kernel.parameters)
    coordinates = {"x", "y", "z"}
    return not any(
        isinstance(node, ir.Symbol) and node.name in coordinates and node not in own
        for node in walk(kernel.body)
    )


def _list(argument: Argument) -> str:
    """The class that owns values without strides."""
    return "Profile" if argument.field is not None and argument.field.layout.along_axis else "Buffer"


def _scalar(argument: Argument) -> str:
    assert isinstance(argument.kind, ir.Scalar)
    return "double" if argument.kind.is_float else type_text(argument.kind)


def _accesses(kernel: ir.Kernel, arrays: Sequence[Argument], parts: bool) -> list[str]:
    written = {s.target for s in statements(kernel.body) if isinstance(s, ir.Store)}
    read = {node for node in evaluated(kernel.body) if isinstance(node, (ir.Access, ir.Gather))}
    result = []
    for argument in arrays:
        for touched, mode in ((read, "read"), (written, "write")):
            there = [
                node
                for node in touched
                if isinstance(node, (ir.Access, ir.Gather)) and node.field == argument.field
            ]
            if there:
                reach = f", {_reach(there)}" if parts else ""
                result.append(
                    f"{{{argument.name}_, {argument.name}_->name(), heddle::AccessMode::{mode}{reach}}}"
                )
    return result


def _reach(accesses: Sequence[ir.Access | ir.Gather]) -> int:
    """How many cells beyond the own one they lie, at most."""
    return max((abs(d) for node in accesses if isinstance(node, ir.Access) for d in node.offsets), default=0)


class _Binding:
    """Constructor, members and call of one sweep."""

    def __init__(
        self,
        kernel: ir.Kernel,
        variants: Sequence[Variant],
        everything: Sequence[Argument],
        dense: bool,
        parts: bool,
    ) -> None:
        self.kernel, self.variants, self.everything, self.dense = kernel, variants, everything, dense
        self.parts = parts
        self.arrays = [argument for argument in everything if argument.role == "array"]
        self.entries = [argument for argument in everything if argument.role == "entries"]
        self.outputs = [argument for argument in everything if argument.role == "output"]
        self.work = [argument for argument in everything if argument.role == "work"]
        self.box = kernel.space.box > 0
        self.listed = kernel.space.listed and not self.box
        self.by_range = not (self.dense or self.listed or self.box)
        # the template's parameter; a field may be called T
        self.chosen = "Element" if any(argument.name == "T" for argument in everything) else "T"

    @property
    def table(self) -> str:
        """The field whose list has the table: others may be over one of the same cells with other links."""
        nodes = list(walk(self.kernel.body))
        fields = {n.field for n in nodes if isinstance(n, ir.Access) and n.linked and any(n.offsets)}
        fields |= {n.field for n in nodes if isinstance(n, ir.IsWallLink)}
        return next((array for array in self.arrays if array.field in fields), self.arrays[0]).name

    def element(self, argument: Argument) -> str:
        """T for a field of the chosen precision, else its own type."""
        kinds = {
            str(a.kind) for v in self.variants for a in arguments(v.stages.kernel) if a.name == argument.name
        }
        assert isinstance(argument.kind, ir.Pointer)
        varies = len(kinds) > 1 or (len(self.variants) == 1 and argument.kind.element.is_float)
        if varies and argument in (*self.outputs, *self.work) and "f16" in {v.suffix for v in self.variants}:
            return f"std::conditional_t<std::is_same_v<{self.chosen}, double>, double, float>"
        return self.chosen if varies else type_text(argument.kind.element)

    def constructor(self) -> list[str]:
        owner = "Field" if self.dense or self.box else "SparseField"
        result = [f"heddle::{owner}<{self.element(a)}>& {a.name}" for a in self.arrays]
        if self.listed:
            result.append("const heddle::Buffer<std::uint32_t>& cells")
        elif self.by_range:
            result.append("heddle::CellRange range")
        result += [f"const heddle::{_list(a)}<{self.element(a)}>& {a.name}" for a in self.entries]
        result += [f"heddle::Buffer<{self.element(a)}>& {a.name}" for a in self.outputs]
        return result

    def names(self) -> list[str]:
        result = [a.name for a in self.arrays]
        if self.listed:
            result.append("cells")
        elif self.by_range:
            result.append("range")
        return [*result, *(a.name for a in self.entries), *(a.name for a in self.outputs)]

    def initialisers(self) -> list[str]:
        result = [f"{name}_({name})" if name == "range" else f"{name}_(&{name})" for name in self.names()]
        room = f"heddle::reduction_work({self.reduced()}), {self.arrays[0].name}.memory()"
        result += ["block_(block)"] if self.box else []
        return result + [f"{argument.name}_({room})" for argument in self.work]

    def reduced(self) -> str:
        """What the size of a reduction's scratch follows from."""
        if not self.kernel.space.is_box:
            return "cell_x.size()" if self.box else "cells.size()" if self.listed else "range.size()"
        scanned = {s.axis for s in statements(self.kernel.body) if isinstance(s, ir.Scan)}
        axes = ", ".join(str(axis) for axis in range(self.kernel.space.dimensions) if axis not in scanned)
        colours = f", {self.kernel.space.colours}" if self.kernel.space.colours > 1 else ""
        return f"{self.arrays[0].name}, {{{axes}}}{colours}"

    def members(self) -> list[str]:
        result = []
        for parameter, name in zip(self.constructor(), self.names(), strict=True):
            kind = parameter.rsplit(" ", 1)[0]
            result.append(f"{kind} {name}_" if name == "range" else f"{kind.removesuffix('&')}* {name}_")
        result += ["int block_"] if self.box else []
        return result + [f"mutable heddle::Buffer<{self.element(a)}> {a.name}_" for a in self.work]

    def notes(self) -> list[str]:
        if self.listed:
            return ["cells: the cells to run over; fields and buffers must outlive the sweep."]
        if self.box:
            return [
                "cell_x, ...: the cells of a block to run over, from its first one; fields and buffers must",
                "outlive the sweep. heddle::Error if fields have too few ghost layers.",
            ]
        if _colours(self.kernel) > 1:
            return [
                "range: the colours to sweep, one after the other. Fields must outlive the sweep;",
                "heddle::Error if they have too few ghost layers, or blocks that begin at odd cells.",
            ]
        if not self.dense:
            return ["range: the cells to run over, for example list.all(); fields must outlive the sweep."]
        if lanes(self.kernel) > 1:
            return [
                "The fields must outlive the sweep; on a device they have "
                f"{{.interleaved = {lanes(self.kernel)}}}."
            ]
        return ["The fields must outlive the sweep; heddle::Error if they have too few ghost layers."]

    def marches(self) -> bool:
        """Whether two colours can follow each other plane by plane: what a cell gets depends on values at
        most one plane away, and on nothing that is counted from the first plane."""
        dense = all(a.field is not None and a.field.rank == 3 and a.field.dense for a in self.arrays)
        if _colours(self.kernel) != 2 or not dense or self.entries or self.outputs:
            return False
        for node in walk(self.kernel.body):
            if isinstance(node, (ir.Gather, ir.Scan)):
                return False
            if isinstance(node, ir.Symbol) and node.name in ("z", "n_z"):
                return False
            if isinstance(node, ir.Access) and abs(node.offsets[2]) > 1:
                return False
        return True

    def marched(self, kernel: str) -> str:
        """The call of a host kernel for planes of a block, a colour at a time."""
        view = re.compile(r"(\w+_->view\(block\))")
        call = view.sub(r"part.of(\1)", self.call(kernel, "")).replace("colours.", "range.")
        return (
            f"heddle::wavefront_sweep({self.arrays[0].name}_->view(block).extents(), colours, "
            f"[&](const heddle::PlaneRange& part, const heddle::ColourRange& range) {{ {call} }});"
        )

    def call(self, name: str, extra: str, in_vectors: bool = False) -> str:
        """in_vectors: the blocks of a group at once."""
        passed: list[str] = []
        around = "shared_walls" if in_vectors else "walls_of"
        lists = {
            "neighbour": f"{self.table}_->list().neighbour()",
            "neighbour_stride": f"{self.table}_->list().neighbour_stride()",
            "neighbour_run": f"{self.table}_->list().neighbour_run()",
            "neighbour_chunk": f"{self.table}_->list().neighbour_chunk()",
            "first_colour": "colours.first",
            "last_colour": "colours.last",
            "walls": f"heddle::{around}(*{self.arrays[0].name}_, block{', box' if self.parts else ''})",
            "first": "range.first" if self.parts else "range_.first",
            "last": "range.last" if self.parts else "range_.last",
            "cells": "cells_->data()",
            "cell_count": f"static_cast<std::int64_t>({'cell_x' if self.box else 'cells'}_->size())",
        }
        for argument in self.everything:
            if argument.role == "array":
                field = argument.field
                assert field is not None
                plane = ".plane()" if (self.dense or self.box) and field.rank == 2 else ""
                block = "block" if self.dense else "block_" if self.box else ""
                view = f"{argument.name}_->view({block})"
                cut = self.parts and self.dense
                passed.append(f"heddle::part({view}, box){plane}" if cut else f"{view}{plane}")
            elif argument.role == "output" and self.dense:
                passed.append(f"{argument.name}_->data() + block")
            elif argument.field is not None and argument.field.layout.along_axis:
                passed.append(f"{argument.name}_->first({self.arrays[0].name}_->box(block))")
            elif argument.role in ("entries", "output"):
                passed.append(f"{argument.name}_->data()")
            elif argument.role == "work":
                passed.append(f"{argument.name}_.data()")
            elif argument.role == "scalar":
                passed.append(f"parameters.{argument.name}")
            elif argument.name in lists:
                passed.append(lists[argument.name])
        return f"{name}({', '.join([*passed, *([extra] if extra else [])])});"

    def body(self, kernel: str, targets: Sequence[Target]) -> str:
        host, target = host_of(targets), device_of(targets)
        on_host = self.marched(kernel) if self.marches() else self.call(kernel, "")
        if target is None or target.gpu is None:
            return f"static_cast<void>(stream); {on_host}"
        device = self.call(f"{kernel}{target.suffix}", "stream.native()", lanes(self.kernel) > 1)
        if lanes(self.kernel) > 1:  # one call for the blocks that lie between each other
            device = f"if (block % {lanes(self.kernel)} == 0) {{ {device} }}"
        if host is None:
            return device
        return (
            f"if constexpr ({target.gpu.enabled}) {{ if (stream.device()) {{ "
            f"{device} {self.finish()} }} }}\n{on_host}"
        )

    def finish(self) -> str:
        """How the device branch goes on: with the next block, or not at all."""
        return "continue;" if self.dense else "return;"
