# SPDX-License-Identifier: Apache-2.0
"""module_sweeps.hpp: each kernel as a class that binds it to fields of heddle::runtime.

What all sweeps share stands in heddle/graph/sweep.hpp; a class says which base it has, which fields and
scalars it takes, and what each argument of its kernel is bound to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from heddle.emit.expression import type_text
from heddle.emit.files import comment_text, render
from heddle.emit.kernel_files import Variant
from heddle.emit.lane_walls import lanes, sides
from heddle.emit.names import class_name, parameters_name
from heddle.emit.signature import Argument, arguments, offsets
from heddle.emit.sweep_exchanges import Halo, link_text, pack_kernels, sweep_exchanges
from heddle.ir import nodes as ir
from heddle.ir.space import Layer, Link
from heddle.ir.target import Target, device_of, host_of
from heddle.ir.visit import evaluated, nodes_of, statements
from heddle.ir.walls import axis_of, is_upper


class _Module(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def halos(self) -> Mapping[str, Halo]: ...

    @property
    def layers(self) -> Mapping[str, Layer]: ...

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
    packs = [pack for halo in module.halos.values() for pack in pack_kernels(halo)]
    sweeps = [
        _Sweep(module.name, name, variants, targets, halos.get(name), module.layers.get(name))
        for name, variants in kernels.items()
        if name not in [pack["kernel"] for pack in packs] and _bindable(variants[0])
    ]
    sweeps = [sweep for sweep in sweeps if not sweep.layer or sweep.block_by_block]
    calls = {
        side: f"{module.name}::{{}}{target.suffix}"
        for side, target in (("host", host_of(targets)), ("device", device_of(targets)))
        if target is not None
    }
    return render(
        "sweeps.hpp.j2",
        **banner,
        module=module.name,
        guard=f"{module.name}_SWEEPS_HPP".upper(),
        standard=[
            "cstdint",
            *(["tuple"] if any(sweep.scalars for sweep in sweeps) else []),
            *(["type_traits"] if any("std::is_same_v" in sweep.constructor for sweep in sweeps) else []),
        ],
        layered=any(sweep.layer for sweep in sweeps),
        coloured=any(sweep.colours > 1 for sweep in sweeps),
        links=[link_text(link) for link in module.links],
        packs=packs,
        sweeps=[sweep.text() for sweep in sweeps],
        functions=lambda kernel: "\n".join(
            f"static void {side}(const auto&... a) {{ {call.format(kernel)}(a...); }}"
            for side, call in calls.items()
        ),
        solver=[name for name in module.solver if name in kernels and calls],
        solve=lambda kernel: _solve({side: call.format(kernel) for side, call in calls.items()}),
        split=any(field.layout.split for k in kernels.values() for field in k[0].stages.kernel.fields),
    )


def _solve(calls: Mapping[str, str]) -> str:
    """The body of a function that calls one kernel where its stream is."""
    if "device" not in calls:
        return f"{calls['host']}(a...);"
    if "host" not in calls:
        return f"{calls['device']}(a..., stream.native());"
    return (
        f"heddle::dispatch(stream, [&] {{ {calls['host']}(a...); }}, "
        f"[&](auto native) {{ {calls['device']}(a..., native); }});"
    )


def _bindable(variant: Variant) -> bool:
    """Runtime fields have three dimensions; planes of them have two. A sweep has the fields of one grid."""
    fields = variant.stages.kernel.fields
    return all(
        (field.rank != 1 or field.layout.contiguous) and not field.layout.other_grid for field in fields
    )


def _separable(kernel: ir.Kernel, profiles: bool = False) -> bool:
    """Whether some cells of a block can be computed alone: each needs nothing but what it accesses. profiles:
    they count, too, for each part gets its own."""
    if kernel.outputs:
        return False
    if kernel.space.is_box and (kernel.space.colours > 1 or kernel.space.fixed_nx):
        return False
    if not profiles and any(field.layout.along_axis for field in kernel.fields):
        return False
    if any(isinstance(s, ir.Scan) for s in statements(kernel.body)):
        return False
    own = {s.symbol for s in statements(kernel.body) if isinstance(s, ir.Let)} | set(kernel.parameters)
    coordinates = {"x", "y", "z"}
    return not any(
        isinstance(node, ir.Symbol) and node.name in coordinates and node not in own
        for node in nodes_of(kernel)
    )


class _Sweep:
    """One sweep class: its base, its constructor, and what the arguments of its kernel are bound to."""

    def __init__(
        self,
        module: str,
        name: str,
        variants: Sequence[Variant],
        targets: Sequence[Target],
        halo: Halo | None,
        layer: Layer | None,
    ) -> None:
        """layer: where the kernel runs; None: over whole blocks."""
        self.module, self.name, self.variants, self.targets, self.halo = module, name, variants, targets, halo
        self.kernel = variants[0].stages.kernel
        self.arguments = arguments(self.kernel)
        self.arrays = self.of_role("array")
        self.scalars = self.of_role("scalar")
        space = self.kernel.space
        self.dense = space.is_box
        self.colours = space.colours
        self.box = space.box > 0
        self.listed = space.listed and not self.box
        self.split = halo is not None and _separable(self.kernel)
        self.lanes = lanes(self.kernel) if device_of(targets) else 1
        self.layer = layer
        self.block_by_block = (
            layer is not None
            and layer.block_by_block
            and self.lanes == 1
            and _separable(self.kernel, profiles=True)
        )
        self.title = class_name(name)
        # the template's parameter; a field may be called T
        self.element = "Element" if any(argument.name == "T" for argument in self.arguments) else "T"
        self.constructor = self._constructor()

    def of_role(self, role: str) -> list[Argument]:
        return [argument for argument in self.arguments if argument.role == role]

    @property
    def first(self) -> str:
        """The field that says where the sweep runs: the first one that is no plane."""
        return next(a.name for a in self.arrays if not self._is_plane(a))

    def _is_plane(self, argument: Argument) -> bool:
        return argument.field is not None and argument.field.is_plane(self.kernel.space)

    def text(self) -> dict[str, Any]:
        """What the template fills in."""
        made = sweep_exchanges(self.kernel, self.halo, self.targets, self.element) if self.halo else None
        members = list(made.tables) if made else []
        if self.lanes > 1:
            members.append(f"static constexpr int interleave = {self.lanes};")
        if self.layer:
            members.append(f"static constexpr heddle::Layer layer{_layer(self.layer)};")
        if self._in_wavefront():
            members.append("static constexpr bool wavefront = true;")
        parameters = [text for text in self.constructor.split(", ") if " = " not in text]
        return {
            "kernel": self.name,
            "name": self.title,
            "element": self.element,
            "about": comment_text(self.kernel.about),
            "base": self._base(),
            "explicit": "explicit " if len(parameters) == 1 else "",
            "constructor": self.constructor,
            "bound": ", ".join(self._bound()),
            "exchanges": made.statements if made else [],
            "members": members,
            "scalars": [{"type": _scalar(argument), "name": argument.name} for argument in self.scalars],
        }

    def _base(self) -> str:
        own = [f"{self.title}<{self.element}>"]
        if self.dense or self.box:
            own.append(str(self.kernel.space.dimensions))
        if self.scalars:
            own.append(parameters_name(self.name))
        if self.colours > 1:
            kind = "Coloured"
        elif self.layer:
            kind = "Layer"
        elif self.box:
            kind = "BlockCell"
        elif self.listed:
            kind = "Cell"
        else:
            kind = ("Split" if self.split else "") + ("Dense" if self.dense else "Range")
        base = f"heddle::{kind}Sweep<{', '.join(own)}>"
        return f"heddle::WithHalo<{base}>" if self.halo and (self.layer or not self.split) else base

    def _constructor(self) -> str:
        owner = "Field" if self.dense or self.box else "SparseField"
        result = [f"heddle::{owner}<{self._type(a)}>& {a.name}" for a in self.arrays]
        if self.listed:
            result.append("const heddle::Buffer<std::uint32_t>& cells")
        elif not (self.dense or self.box):
            result.append("heddle::CellRange range")
        for a in self.of_role("entries"):
            owner = "Profile" if _is_profile(a) else "Buffer"
            result.append(f"const heddle::{owner}<{self._type(a)}>& {a.name}")
        result += [f"heddle::Buffer<{self._type(a)}>& {a.name}" for a in self.of_role("output")]
        if self.scalars:
            result.append(f"const {parameters_name(self.name)}& scalars")
        if self.colours > 1:
            result.append(f"heddle::ColourRange range = {{0, {self.colours}}}")
        if self.box:
            result.append("int block = 0")
        return ", ".join(result)

    def _type(self, argument: Argument) -> str:
        """T for a field of the chosen precision, else its own type."""
        kinds = {
            str(a.kind) for v in self.variants for a in arguments(v.stages.kernel) if a.name == argument.name
        }
        assert isinstance(argument.kind, ir.Pointer)
        if len(self.variants) == 1:  # what is declared double in a module of f32 alone stays double
            chosen = self.variants[0].precision
            own = (chosen.storage, chosen.arithmetic) if chosen.suffix == "f16" else (chosen.storage,)
            varies = argument.kind.element in own
        else:
            varies = len(kinds) > 1
        if varies and argument.role == "output" and "f16" in {v.suffix for v in self.variants}:
            return f"std::conditional_t<std::is_same_v<{self.element}, double>, double, float>"
        return self.element if varies else type_text(argument.kind.element)

    def _bound(self) -> list[str]:
        """The arguments of the base's constructor: see heddle/graph/kernel_arguments.hpp."""
        result = [f'"{self.module}::{self.name}"']
        if self.colours > 1:
            result.append("range")
        if self.box:
            result.append("block")
        lists = {
            "first_colour": f"heddle::colours({self.first})",
            "walls": self._walls(),
            "neighbour": f"heddle::neighbours({self._table()})",
            "neighbour_run": f"heddle::neighbour_runs({self._table()})",
            "neighbour_chunk": f"heddle::neighbour_chunks({self._table()})",
            "cells": "heddle::cells(cells)",
            "first": "range",
        }
        if self.box:
            lists["cell_count"] = "heddle::count(cell_x)"
        for argument in self.arguments:
            if argument.role == "array":
                result.append(self._field(argument))
            elif argument.role == "entries":
                result.append(self._entries(argument))
            elif argument.role == "output":
                result.append(f'heddle::reduces({argument.name}, "{argument.name}", {self._reduced()})')
            elif argument.role != "scalar" and argument.name in lists:
                result.append(lists[argument.name])
        return [*result, *(["scalars"] if self.scalars else [])]

    def _field(self, argument: Argument) -> str:
        """How the kernel accesses a field, and how far beyond the cell that it updates."""
        read = [node for node in evaluated(self.kernel.body) if isinstance(node, (ir.Access, ir.Gather))]
        written = [s.target for s in statements(self.kernel.body) if isinstance(s, ir.Store)]
        reaches = []
        for nodes in (read, written):
            there = [n for n in nodes if isinstance(n, (ir.Access, ir.Gather)) and n.field == argument.field]
            far = [distance for node in there if (distance := offsets(node)) is not None]
            reaches.append(_reach(far, self.dense or self.box) if there else None)
        how = {
            (True, True): "updates",
            (True, False): "reads",
            (False, True): "writes",
            (False, False): "takes",
        }
        chosen = how[reaches[0] is not None, reaches[1] is not None]
        numbers = [reach for reach in reaches if reach is not None]
        while numbers and numbers[-1] == "0":
            numbers.pop()
        assert argument.field is not None
        stored = argument.field.layout.last_extent(argument.field.components)
        components = f"<{stored}>" if stored > 1 else ""
        text = f"heddle::{chosen}{components}({', '.join([argument.name, *numbers])})"
        if reaches[1] is not None and argument.of_row:
            text = f"heddle::of_rows({text})"
        return f"heddle::plane({text})" if self._is_plane(argument) else text

    def _entries(self, argument: Argument) -> str:
        if not _is_profile(argument):
            return f'heddle::values({argument.name}, "{argument.name}")'
        assert argument.field is not None
        return (
            f"heddle::profile({argument.name}, {self.first}, {argument.field.axis}, "
            f'{argument.field.ghost_layers}, "{argument.name}")'
        )

    def _walls(self) -> str:
        """Walls that differ between interleaved blocks are part of an exchange; without one they may not."""
        if self.lanes > 1 and self.halo is None:
            return f"heddle::same_walls({self.first}, {sides(self.kernel)}U)"
        return f"heddle::walls({self.first})"

    def _table(self) -> str:
        """The field whose list has the table: others may be over one of the same cells with other links."""
        nodes = nodes_of(self.kernel)
        fields = {n.field for n in nodes if isinstance(n, ir.Access) and n.linked and any(n.offsets)}
        fields |= {n.field for n in nodes if isinstance(n, ir.IsWallLink)}
        return next((array for array in self.arrays if array.field in fields), self.arrays[0]).name

    def _reduced(self) -> str:
        """What the size of a reduction's scratch follows from."""
        if not self.kernel.space.is_box:
            cells = "cell_x.size()" if self.box else "cells.size()" if self.listed else "range.size()"
            return f"{cells}, {self.first}.memory()"
        scanned = {s.axis for s in statements(self.kernel.body) if isinstance(s, ir.Scan)}
        axes = ", ".join(str(axis) for axis in range(self.kernel.space.dimensions) if axis not in scanned)
        colours = f", {self.colours}" if self.colours > 1 else ""
        return f"{self.first}, {{{axes}}}{colours}"

    def _in_wavefront(self) -> bool:
        """Whether two colours can follow each other plane by plane: what a cell gets depends on values at
        most one plane away, and on nothing that is counted from the first plane."""
        dense = all(a.field is not None and a.field.rank == 3 and a.field.dense for a in self.arrays)
        if host_of(self.targets) is None or self.colours != 2 or not dense:
            return False
        if self.of_role("entries") or self.of_role("output"):
            return False
        for node in nodes_of(self.kernel):
            if isinstance(node, (ir.Gather, ir.Scan)):
                return False
            if isinstance(node, ir.Symbol) and node.name in ("z", "n_z"):
                return False
            if isinstance(node, ir.Access) and abs(node.offsets[2]) > 1:
                return False
        return True


def _layer(layer: Layer) -> str:
    """A heddle::Layer: -1 or 1 for each axis along which it is the first or the last one."""
    at = [0, 0, 0]
    for side in layer.sides:
        at[axis_of(side)] = 1 if is_upper(side) else -1
    return "{" + ", ".join(map(str, at)) + "}"


def _reach(offsets: Sequence[tuple[int, ...]], along_axes: bool) -> str:
    """A heddle::Reach: so many cells along all axes, or along each where they differ."""
    far = [max(map(abs, along)) for along in zip(*offsets, strict=True)]
    if not along_axes or len(set(far)) <= 1:
        return str(max(far, default=0))
    return "{" + ", ".join(map(str, [*far, 0][:3])) + "}"


def _is_profile(argument: Argument) -> bool:
    return argument.field is not None and argument.field.layout.along_axis


def _scalar(argument: Argument) -> str:
    assert isinstance(argument.kind, ir.Scalar)
    return "double" if argument.kind.is_float else type_text(argument.kind)
