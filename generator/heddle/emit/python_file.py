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
from heddle.emit.signature import Argument, arguments
from heddle.ir import nodes as ir
from heddle.ir.space import Layer
from heddle.ir.target import Target
from heddle.ir.visit import statements
from heddle.ir.walls import bit

PYTHON_CALL = "call.cpp"
"""What all modules have in common."""
PYTHON_HEADERS = ("api.hpp", "array.hpp", "room.hpp", "call.hpp", PYTHON_CALL)
MOST_PARAMETERS = 128
"""As call.hpp says."""
_LISTED = ("extent", "stride")
"""Roles of arguments that an array brings with it."""


def in_python(kernel: ir.Kernel) -> bool:
    """Whether a kernel is a function of Python, too: those over all cells of a box, without tables, values of
    rows, and arrays that have extents of their own."""
    taken = python_arguments(kernel)
    layouts = [argument.field.layout for argument in taken if argument.field is not None]
    if any(argument.of_row for argument in taken) or any(one.table or one.other_grid for one in layouts):
        return False
    return kernel.space.is_box and len(taken) <= MOST_PARAMETERS


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


def python_arguments(kernel: ir.Kernel) -> list[Argument]:
    """What a kernel takes, as one argument for each array."""
    return [argument for argument in arguments(kernel) if argument.role not in _LISTED]


def array_axes(kernel: ir.Kernel, argument: Argument) -> tuple[str, ...]:
    """The axes of an array in the order of Python; of a profile its only one."""
    field = argument.field
    assert field is not None
    if field.layout.along_axis:
        return ("xyz"[field.axis],)
    space = tuple("xyz"[axis] for axis in reversed(range(field.rank)))
    if field.layout.split:
        return ("colour", *space[:-1], "x/2")
    return ("component", *space) if field.components else space


def needed(kernel: ir.Kernel) -> Iterator[tuple[Argument, str]]:
    """The arguments that a call may name, each as a signature says it."""
    for argument in python_arguments(kernel):
        if argument.role in ("array", "entries"):
            axes = list(array_axes(kernel, argument))
            assert argument.field is not None
            if axes[0] == "component":
                axes[0] = str(argument.field.components)
            assert isinstance(argument.kind, ir.Pointer)
            yield argument, f"{argument.name}[{', '.join(axes)}]{'' if argument.kind.const else ' (written)'}"
        elif argument.role not in ("output", "work"):
            default = _default(kernel, argument)
            yield argument, argument.name if default is None else f"{argument.name}={default}"


def signature_text(name: str, kernel: ir.Kernel) -> str:
    """`step(u[y, x], u_next[y, x] (written), alpha)`"""
    outputs = [output.name for output in kernel.outputs]
    gives = f" -> {', '.join(outputs)}" if outputs else ""
    return f"{name}({', '.join(text for _, text in needed(kernel))}){gives}"


def _default(kernel: ir.Kernel, argument: Argument) -> int | None:
    """The value of an argument that a call may leave out: all colours; walls at all sides that may have one,
    since the arrays of a call are the whole domain."""
    if argument.role == "list":
        return kernel.space.colours if argument.name == "last_colour" else 0
    if argument.role == "flags":
        return sum(bit(side) for side in kernel.space.walls)
    return None


def _kernel(module: str, name: str, variants: Sequence[Variant], target: Target) -> dict[str, Any]:
    kernel = variants[0].stages.kernel
    scanned = {s.axis for s in statements(kernel.body) if isinstance(s, ir.Scan)}
    return {
        "name": name,
        "signature": signature_text(name, kernel),
        "doc": [_quoted(line) for line in doc_lines(name, kernel)],
        "parameters": [_parameter(kernel, argument) for argument in python_arguments(kernel)],
        "dimensions": kernel.space.dimensions,
        "colours": kernel.space.colours,
        "scanned": ["true" if axis in scanned else "false" for axis in range(3)],
        "variants": [
            {
                "suffix": variant.suffix,
                "entry": f"{module}_{name}_{variant.suffix}{target.suffix}",
                "types": [_type(argument) for argument in python_arguments(variant.stages.kernel)],
                "arguments": [
                    *_passed(variant.stages.kernel),
                    *(["stream"] if target.gpu is not None else []),
                ],
            }
            for variant in variants
        ],
    }


def doc_lines(name: str, kernel: ir.Kernel) -> list[str]:
    """What help() shows; the first lines are the signature as inspect reads it."""
    names = [f"{a.name}{'' if (d := _default(kernel, a)) is None else f'={d}'}" for a, _ in needed(kernel)]
    lines = [f"{name}(*, {', '.join([*names, 'ghosts=0'])})", "--", "", kernel.about or f"Kernel {name}.", ""]
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
    facts = [f'.name = "{argument.name}"', f".role = Role::{_role(argument)}"]
    if argument.role == "array":
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
    elif argument.role == "entries":
        assert field is not None
        facts += [f".axis = {field.axis}"] if field.axis else []
        facts += [f".around = {field.ghost_layers}"] if field.ghost_layers else []
    default = _default(kernel, argument)
    if default is not None:
        facts += [".given = false", f".usual = {default}"]
    return f"{{{', '.join(facts)}}}"


def _role(argument: Argument) -> str:
    if argument.role == "entries":
        return "profile"
    if argument.role in ("array", "output", "work"):
        return argument.role
    assert isinstance(argument.kind, ir.Scalar)
    return "number" if argument.kind.is_float else "integer"


def _type(argument: Argument) -> str:
    scalar = argument.kind.element if isinstance(argument.kind, ir.Pointer) else argument.kind
    return f"{{'{scalar.kind}', {scalar.bits}}}"


def _passed(kernel: ir.Kernel) -> Iterator[str]:
    """The arguments of an entry, from the values of a call."""
    place = {argument.name: at for at, argument in enumerate(python_arguments(kernel))}
    for argument in arguments(kernel):
        if argument.role in _LISTED:
            assert argument.field is not None
            yield f"v[{place[argument.field.name]}].{argument.role}"
        elif isinstance(argument.kind, ir.Pointer):
            yield f"static_cast<{type_text(argument.kind)}>(v[{place[argument.name]}].data)"
        else:
            value = f"v[{place[argument.name]}].{_role(argument)}"
            yield (
                value
                if argument.kind in (ir.F64, ir.I64)
                else f"static_cast<{type_text(argument.kind)}>({value})"
            )
