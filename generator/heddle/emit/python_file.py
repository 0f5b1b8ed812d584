# SPDX-License-Identifier: Apache-2.0
"""The kernels of a module as functions of Python: <module>_python.cpp, compiled together with the kernels.

Python's axes are the reverse of the kernel's, so that arrays in C order have x fastest: u[z, y, x], with
components f[q, z, y, x].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle.emit.expression import type_text
from heddle.emit.files import comment_text, render
from heddle.emit.kernel_files import Variant
from heddle.emit.signature import UNUSED, Argument, arguments
from heddle.ir import nodes as ir
from heddle.ir.space import Layer
from heddle.ir.target import Target
from heddle.ir.visit import distinct, statements
from heddle.ir.walls import bit

PYTHON_CALL = "call.cpp"
"""What all modules have in common."""
PYTHON_HEADERS = ("api.hpp", "array.hpp", "room.hpp", "call.hpp", PYTHON_CALL)
MOST_PARAMETERS = 128
"""As call.hpp says."""
_LISTED = ("extent", "stride")
"""Roles of arguments that an array brings with it."""
_CELLS = "cells"
"""What a call names a list of cells, or a selection of them."""
_OF_CELLS = {
    "neighbour": "array",
    "neighbour_run": "words",
    "neighbour_chunk": "words",
    "cells": "words",
    "cell_count": "entry_count",
    "last": "cell_count",
}
"""What kernels over lists take of the list: their own names, and the roles in a call. A call from Python
names these cells.neighbour and so on, which no keyword of a user can be."""


def in_python(kernel: ir.Kernel) -> bool:
    """Whether a kernel is a function of Python, too: those over all cells of a box, without values of rows,
    and arrays that have extents of their own; and those over the cells of an index list."""
    taken = python_arguments(kernel)
    layouts = [argument.field.layout for argument in taken if argument.field is not None]
    if any(argument.of_row for argument in taken) or any(one.other_grid for one in layouts):
        return False
    return (kernel.space.is_box or kernel.space.is_index_list) and len(taken) <= MOST_PARAMETERS


def python_file(
    module: str,
    kernels: Mapping[str, Sequence[Variant]],
    layers: Mapping[str, Layer],
    target: Target,
    banner: Mapping[str, Any],
) -> str:
    """<module>_python.cpp, or what it is called for another target. layers: where kernels run that do not
    run over all cells of their arrays."""
    return render(
        "python.cpp.j2",
        **banner,
        module=module,
        suffix=target.suffix,
        gpu=target.gpu is not None,
        kernels=[
            _kernel(module, name, variants, target) | {"layer": _layer(layers.get(name))}
            for name, variants in kernels.items()
        ],
    )


def python_arguments(kernel: ir.Kernel, device: bool = False) -> list[Argument]:
    """What a kernel takes, as one argument for each array. device: on a GPU."""
    taken = [argument for argument in arguments(kernel) if argument.role not in _LISTED]
    if not kernel.space.is_index_list:
        return taken
    left = UNUSED["device" if device else "host"]
    taken = [a for a in taken if a.role not in left and a.name not in ("first", "neighbour_stride")]
    sizes = ["last", "slot_stride"] if kernel.space.listed else ["slot_stride"]  # of the list, to be checked
    return [*taken, *(Argument(name, ir.I64, "list") for name in sizes)]


def of_cells(argument: Argument) -> bool:
    """Whether an argument of a kernel over a list belongs to the list."""
    return argument.role in ("table", "runs", "chunks", "list")


def list_tables(kernel: ir.Kernel, device: bool) -> tuple[str, ...]:
    """What a call of a kernel over a list takes of it: names of the attributes of CellList and Selection."""
    return tuple(a.name for a in python_arguments(kernel, device) if of_cells(a))


def array_axes(kernel: ir.Kernel, argument: Argument) -> tuple[str, ...]:
    """The axes of an array in the order of Python; of a profile or a table its only one."""
    field = argument.field
    assert field is not None
    if field.layout.per_entry:
        return ("entry",)
    if field.layout.over_list:
        return ("component", "cell") if field.components else ("cell",)
    if field.layout.along_axis:
        return ("xyz"[field.axis],)
    if field.layout.table:
        return ("component",)
    space = tuple("xyz"[axis] for axis in reversed(range(field.rank)))
    if field.layout.split:
        return ("colour", *space[:-1], "x/2")
    return ("component", *space) if field.components else space


def components_of(field: ir.Field) -> int:
    """How long the axis "component" of an array is."""
    return field.size if field.layout.table else field.components


def needed(kernel: ir.Kernel) -> Iterator[tuple[Argument, str]]:
    """The arguments that a call may name, each as a signature says it."""
    listed = kernel.space.is_index_list
    for argument in python_arguments(kernel):
        if listed and of_cells(argument):
            continue
        if argument.role in ("array", "entries"):
            axes = list(array_axes(kernel, argument))
            assert argument.field is not None
            if axes[0] == "component":
                axes[0] = str(components_of(argument.field))
            assert isinstance(argument.kind, ir.Pointer)
            yield argument, f"{argument.name}[{', '.join(axes)}]{'' if argument.kind.const else ' (written)'}"
        elif argument.role not in ("output", "work"):
            default = default_of(kernel, argument)
            yield argument, argument.name if default is None else f"{argument.name}={default}"
    if listed:
        yield Argument(_CELLS, ir.I64, "list"), _CELLS


def signature_text(name: str, kernel: ir.Kernel) -> str:
    """`step(u[y, x], u_next[y, x] (written), alpha)`"""
    outputs = [output.name for output in kernel.outputs]
    gives = f" -> {', '.join(outputs)}" if outputs else ""
    return f"{name}({', '.join(text for _, text in needed(kernel))}){gives}"


def default_of(kernel: ir.Kernel, argument: Argument) -> int | None:
    """The value of an argument that a call may leave out: all colours; walls at all sides that may have one,
    since the arrays of a call are the whole domain."""
    if argument.role == "list" and not kernel.space.is_index_list:
        return kernel.space.colours if argument.name == "last_colour" else 0
    if argument.role == "flags":
        return sum(bit(side) for side in kernel.space.walls)
    return None


def _kernel(module: str, name: str, variants: Sequence[Variant], target: Target) -> dict[str, Any]:
    kernel, device = variants[0].stages.kernel, target.gpu is not None
    scanned = {s.axis for s in statements(kernel.body) if isinstance(s, ir.Scan)}
    return {
        "name": name,
        "signature": signature_text(name, kernel),
        "doc": [_quoted(line) for line in doc_lines(name, kernel)],
        "parameters": [_parameter(kernel, argument) for argument in python_arguments(kernel, device)],
        "dimensions": 1 if kernel.space.is_index_list else kernel.space.dimensions,
        "list": kernel.space.is_index_list,
        "colours": kernel.space.colours,
        "scanned": ["true" if axis in scanned else "false" for axis in range(3)],
        "variants": [
            {
                "suffix": variant.suffix,
                "entry": f"{module}_{name}_{variant.suffix}{target.suffix}",
                "types": [_type(argument) for argument in python_arguments(variant.stages.kernel, device)],
                "arguments": [
                    *_passed(variant.stages.kernel, device),
                    *(["stream"] if device else []),
                ],
            }
            for variant in variants
        ],
    }


def doc_lines(name: str, kernel: ir.Kernel) -> list[str]:
    """What help() shows; the first lines are the signature as inspect reads it."""
    names = [f"{a.name}{'' if (d := default_of(kernel, a)) is None else f'={d}'}" for a, _ in needed(kernel)]
    ghosts = [] if kernel.space.is_index_list else ["ghosts=0"]
    lines = [f"{name}(*, {', '.join([*names, *ghosts])})", "--", "", kernel.about or f"Kernel {name}.", ""]
    lines.append(signature_text(name, kernel))
    return lines


def _layer(layer: Layer | None) -> list[int]:
    """Along each axis: -1 the first cells, 1 the last ones, 0 all."""
    ends = [(-1, "wsb"), (1, "ent")]
    sides = layer.sides if layer else ()
    return [sum(end for end, names in ends if names[axis] in sides) for axis in range(3)]


def _quoted(text: str) -> str:
    return comment_text(text).replace("\\", "\\\\").replace('"', '\\"')


def _parameter(kernel: ir.Kernel, argument: Argument) -> str:
    field = argument.field
    listed = kernel.space.is_index_list
    if listed and of_cells(argument):
        role = _OF_CELLS.get(argument.name, argument.name)
        facts = [f'.name = "{_CELLS}.{argument.name}"', f".role = Role::{role}"]
        if argument.role == "table":
            facts += [".space = 1", f".last = {len(kernel.space.links)}"]
        return f"{{{', '.join(facts)}}}"
    facts = [f'.name = "{argument.name}"', f".role = Role::{_role(argument)}"]
    if argument.role == "array" and listed:
        assert field is not None
        assert isinstance(argument.kind, ir.Pointer)
        facts += [] if argument.kind.const else [".written = true"]
        facts += [".space = 1", f".last = {field.components}"] if field.components else [".space = 1"]
        facts += [".linked = true"] if field in linked_fields(kernel) else []
    elif argument.role == "entries" and listed:
        facts += [".per_entry = true"]
        facts += [] if isinstance(argument.kind, ir.Pointer) and argument.kind.const else [".written = true"]
    elif argument.role == "array":
        assert field is not None
        assert isinstance(argument.kind, ir.Pointer)
        if not argument.kind.const:
            facts.append(".written = true")
        facts.append(f".space = {field.rank}")
        last = field.layout.last_extent(field.components)
        if last:
            facts.append(f".last = {last}")
        if field.layout.split:
            facts.append(".split = true")
        for name, reach in (("before", argument.reach.before), ("after", argument.reach.after)):
            if any(reach):
                facts.append(f".{name} = {{{', '.join(map(str, reach))}}}")
    elif argument.role == "entries" and field is not None and field.layout.table:
        facts.append(f".last = {field.size}")
    elif argument.role == "entries":
        assert field is not None
        facts += [f".axis = {field.axis}"] if field.axis else []
        facts += [f".around = {field.ghost_layers}"] if field.ghost_layers else []
    default = default_of(kernel, argument)
    if default is not None:
        facts += [".given = false", f".usual = {default}"]
    return f"{{{', '.join(facts)}}}"


def linked_fields(kernel: ir.Kernel) -> set[ir.Field]:
    """The fields over a list to whose elements links lead."""
    nodes = list(distinct(kernel.body))
    followed = {node.field for node in nodes if isinstance(node, ir.Access) and node.linked}
    return followed | {node.field for node in nodes if isinstance(node, ir.IsWallLink)}


def writes_links(kernel: ir.Kernel) -> bool:
    """Whether a kernel over a list stores to elements to which links lead."""
    targets = [s.target for s in statements(kernel.body) if isinstance(s, ir.Store)]
    return any(isinstance(target, ir.Access) and target.linked for target in targets)


def _role(argument: Argument) -> str:
    if argument.role == "entries":
        assert argument.field is not None
        layout = argument.field.layout
        return "words" if layout.per_entry else "table" if layout.table else "profile"
    if argument.role in ("array", "output", "work"):
        return argument.role
    assert isinstance(argument.kind, ir.Scalar)
    return "number" if argument.kind.is_float else "integer"


def _type(argument: Argument) -> str:
    scalar = argument.kind.element if isinstance(argument.kind, ir.Pointer) else argument.kind
    return f"{{'{scalar.kind}', {scalar.bits}}}"


def _passed(kernel: ir.Kernel, device: bool) -> Iterator[str]:
    """The arguments of an entry, from the values of a call."""
    place = {argument.name: at for at, argument in enumerate(python_arguments(kernel, device))}
    listed = kernel.space.is_index_list
    for argument in arguments(kernel):
        if argument.role in _LISTED:
            assert argument.field is not None
            yield f"v[{place[argument.field.name]}].{argument.role}"
        elif isinstance(argument.kind, ir.Pointer):
            if listed and argument.name not in place:
                yield "nullptr"
            else:
                yield f"static_cast<{type_text(argument.kind)}>(v[{place[argument.name]}].data)"
        elif listed and argument.name == "first":
            yield "0"
        elif listed and argument.name == "neighbour_stride":
            yield f"v[{place['neighbour']}].stride[1]"
        else:
            role = "integer" if listed and of_cells(argument) else _role(argument)
            value = f"v[{place[argument.name]}].{role}"
            yield (
                value
                if argument.kind in (ir.F64, ir.I64)
                else f"static_cast<{type_text(argument.kind)}>({value})"
            )
