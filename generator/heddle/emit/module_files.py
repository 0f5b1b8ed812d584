# SPDX-License-Identifier: Apache-2.0
"""The files of a module: the C header, the C++ wrappers and the sweep classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.emit.expression import type_text
from heddle.emit.files import comment_lines, render
from heddle.emit.kernel_files import Variant, checks_tables
from heddle.emit.signature import Argument, arguments, table_checks
from heddle.ir import nodes as ir
from heddle.ir.target import Target, in_order
from heddle.ir.visit import nodes_of

WRAPPER_HEADER = "views.hpp"
"""The device header that module.hpp includes."""


def c_header(
    module: str,
    kernels: Mapping[str, Sequence[Variant]],
    targets: Sequence[Target],
    banner: Mapping[str, Any],
) -> str:
    """module.h: every entry of every kernel."""
    return render(
        "module.h.j2",
        **banner,
        module=module,
        guard=f"{module}_H".upper(),
        **_gpus(targets),
        row_cells=has_row_cells(kernels, targets),
        entries=[_entry(module, name, variants, targets) for name, variants in kernels.items()],
    )


def _gpus(targets: Sequence[Target]) -> dict[str, str]:
    """What headers call the GPUs that a module has kernels for, and their streams."""
    gpus = [target.gpu for target in in_order(targets) if target.gpu is not None]
    return {
        "languages": " or ".join(gpu.language for gpu in gpus) or "GPU",
        "streams": " or ".join(f"a {gpu.stream}" for gpu in gpus) or "that of a GPU",
    }


def has_row_cells(kernels: Mapping[str, Sequence[Variant]], targets: Sequence[Target]) -> bool:
    """Whether threads of a GPU take several cells of a row in one of the kernels: their entries alone return
    -8."""
    return any(target.gpu is not None for target in targets) and any(
        variant.schedule.gpu.row_cells > 1 for variants in kernels.values() for variant in variants
    )


@dataclass(frozen=True)
class Entry:
    """A function of C. special: it takes arguments of which more is known than of those of the plain one, or
    looks at them more closely."""

    name: str
    variant: Variant
    target: Target
    special: bool = False

    @property
    def stream(self) -> bool:
        """Whether a stream is its last argument."""
        return bool(self.target.threads)


def entries(
    module: str, kernel: str, variants: Sequence[Variant], targets: Sequence[Target]
) -> Iterator[Entry]:
    """All entries of a kernel, in the order of the header."""
    dense = variants[0].stages.kernel.space.is_box
    for variant in variants:
        name = f"{module}_{kernel}_{variant.suffix}"
        for target in in_order(targets):
            yield Entry(f"{name}{target.suffix}", variant, target)
            if target.threads or target.checked:
                continue
            if dense:
                yield Entry(f"{name}_unit", variant, target, special=True)
            if checks_tables(variant.stages.kernel, target):
                yield Entry(f"{name}_checked", variant, target, special=True)
            if variant.schedule.cpu.unchecked_entry:
                yield Entry(f"{name}_unchecked", variant, target, special=True)


def _entry(
    module: str, kernel: str, variants: Sequence[Variant], targets: Sequence[Target]
) -> dict[str, Any]:
    declarations = [
        f"{entry.name}({', '.join(argument.c for argument in arguments(entry.variant.stages.kernel))}"
        f"{', void* stream' if entry.stream else ''})"
        for entry in entries(module, kernel, variants, targets)
    ]
    about = [*kernel_about(kernel, variants[0]), *_trusted(variants[0], targets)]
    return {"about": comment_lines(about), "declarations": declarations}


def _trusted(variant: Variant, targets: Sequence[Target]) -> list[str]:
    """What the entries of a kernel do not test."""
    kernel, lines = variant.stages.kernel, list[str]()
    if table_checks(kernel):
        looking = any(checks_tables(kernel, target) for target in targets)
        lines.append(
            "Trusts what is in the tables: entries lead to elements of the fields, no two cells to an "
            "element that both write." + (" _checked looks through them first: -5." if looking else "")
        )
    if variant.schedule.cpu.unchecked_entry:
        lines.append("_unchecked trusts all of its arguments.")
    return lines


def kernel_about(kernel: str, variant: Variant, without: Sequence[str] = ()) -> list[str]:
    """What a comment says of a kernel and its arguments, but for those of some roles."""
    stages = variant.stages
    lines = [stages.kernel.about or f"Kernel {kernel}."]
    lines += [
        f"{argument.name}: {argument.about}"
        for argument in arguments(stages.kernel)
        if argument.about and argument.role not in without
    ]
    reach = _reach(stages.kernel)
    if reach:
        lines.append(reach)
    return lines


def _reach(kernel: ir.Kernel) -> str:
    if not kernel.space.is_box:
        return ""
    far = [0] * kernel.space.dimensions
    for node in nodes_of(kernel):
        if isinstance(node, ir.Access) and node.field.dense:
            for axis, offset in enumerate(node.offsets):
                far[axis] = max(far[axis], abs(offset))
    if not any(far):
        return "Touches interior cells only."
    return f"Reaches ({', '.join(map(str, far))}) cells outside the interior."


def cpp_header(
    module: str,
    kernels: Mapping[str, Sequence[Variant]],
    targets: Sequence[Target],
    banner: Mapping[str, Any],
) -> str:
    """module.hpp: wrappers over views."""
    wrappers: list[dict[str, Any]] = []
    for name, variants in kernels.items():
        for target in in_order(targets):
            if not target.checked:
                wrappers.append(_wrapper(module, name, variants, target))
    return render(
        "module.hpp.j2",
        **banner,
        module=module,
        guard=f"{module}_HPP".upper(),
        **_gpus(targets),
        wrappers=wrappers,
    )


def _wrapper(module: str, kernel: str, variants: Sequence[Variant], target: Target) -> dict[str, Any]:
    suffix, extra = target.suffix, "void* stream" if target.threads else ""
    everything = arguments(variants[0].stages.kernel)
    arrays = [argument for argument in everything if argument.role == "array"]
    outputs = [argument for argument in everything if argument.role == "output"]
    templates = ", ".join(f"typename {_title(argument.name)}" for argument in [*arrays, *outputs])
    dispatch = f"heddle::detail::Element<{_title(arrays[0].name)}>" if arrays else "void"
    setup: list[str] = []
    for argument in arrays:
        rank = _entries(argument)
        setup += [
            f"const auto {argument.name}_extent = heddle::detail::extents<{rank}>({argument.name});",
            f"const auto {argument.name}_stride = heddle::detail::strides<{rank}>({argument.name});",
        ]
    typed = next(
        (a for a in arrays if len({str(_kind(v, a.name)) for v in variants}) > 1),
        arrays[0] if arrays else None,
    )
    if typed is not None:
        dispatch = f"heddle::detail::Element<{_title(typed.name)}>"
    cases = []
    taken: set[str] = set()
    for variant in variants:
        element = type_text(_kind(variant, typed.name)) if typed is not None else "void"
        if element in taken:
            continue
        taken.add(element)
        passed = ", ".join(_passed(argument) for argument in arguments(variant.stages.kernel))
        entry = f"{module}_{kernel}_{variant.suffix}{suffix}"
        if checks_tables(variant.stages.kernel, target):
            entry = f"(heddle::detail::tables_checked ? {entry}_checked : {entry})"
        call = f"{entry}({passed}{', stream' if extra else ''})"
        cases.append({"condition": f"std::is_same_v<{dispatch}, {element}>", "call": call})
    return {
        "name": kernel + suffix,
        "about": comment_lines(kernel_about(kernel, variants[0], without=("extent", "stride"))),
        "templates": templates,
        "parameters": ", ".join(
            [
                *filter(None, (_wrapper_parameter(a, variants, dispatch) for a in everything)),
                *([extra] if extra else []),
            ]
        ),
        "setup": setup,
        "shapes": [f'{{"{a.name}", {a.name}.data(), {a.name}_extent, {a.name}_stride}}' for a in arrays],
        "cases": cases,
        "dispatch": dispatch,
    }


def _kind(variant: Variant, name: str) -> ir.Scalar:
    argument = next(a for a in arguments(variant.stages.kernel) if a.name == name)
    assert isinstance(argument.kind, ir.Pointer)
    return argument.kind.element


def _entries(argument: Argument) -> int:
    field = argument.field
    assert field is not None
    space = 1 if field.layout.over_list else field.rank
    return space + (1 if field.components or field.layout.split else 0)


def _wrapper_parameter(argument: Argument, variants: Sequence[Variant], dispatch: str) -> str:
    """As the wrapper declares it. dispatch: the element type that tells the variants apart, in C++."""
    if argument.role == "array":
        return f"const {_title(argument.name)}& {argument.name}"
    if argument.role == "entries" and len({_kind(variant, argument.name) for variant in variants}) > 1:
        assert isinstance(argument.kind, ir.Pointer)
        return f"{'const ' if argument.kind.const else ''}{dispatch}* {argument.name}"
    if argument.role in ("extent", "stride"):
        return ""
    if argument.role in ("output", "work"):
        return f"{_title(argument.name.removesuffix('_work'))}* {argument.name}"
    if argument.role == "scalar" and isinstance(argument.kind, ir.Scalar) and argument.kind.is_float:
        return f"double {argument.name}"
    return argument.cpp


def _passed(argument: Argument) -> str:
    if argument.role == "array":
        return f"{argument.name}.data()"
    if argument.role in ("extent", "stride"):
        return f"{argument.name}.data()"
    if argument.role == "scalar" and argument.kind == ir.F32:
        return f"static_cast<float>({argument.name})"
    return argument.name


def _title(name: str) -> str:
    """What the type of an argument is called: `f_next` -> `FNext`; `T` cannot be its own type."""
    title = "".join(part.capitalize() for part in name.split("_"))
    return title if title != name else title + "View"
