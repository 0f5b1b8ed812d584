# SPDX-License-Identifier: Apache-2.0
"""Kernels as array frameworks see them: what a call with whole arrays, ghost layers included, takes and
gives, and what is wrong with one. What JAX and PyTorch have in common when they trace a call, and know
nothing of its arrays but their shapes and types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from heddle.emit.python_file import (
    array_axes,
    components_of,
    default_of,
    python_arguments,
    signature_text,
)
from heddle.emit.signature import Argument
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.module import KernelModel, Module

_KINDS = {"f": "float", "i": "int", "u": "uint"}
_DEFAULTS = ("list", "flags")
"""Roles of numbers that a call leaves out: all colours, walls at all sides."""


@dataclass(frozen=True)
class Wanted:
    """One array or number of a call. kind: array, profile, number or integer. axes: of an array, in the order
    of Python. written: whether the kernel stores to it; usual: the value of a number that need not be given.
    types: of its elements, for each precision."""

    name: str
    kind: str
    axes: tuple[str, ...]
    components: int
    written: bool
    usual: int | None
    types: tuple[str, ...]
    argument: Argument

    @property
    def is_array(self) -> bool:
        return self.kind in ("array", "profile")

    @property
    def space(self) -> tuple[str, ...]:
        """The axes of space: the last ones."""
        return tuple(axis for axis in self.axes if axis not in ("component", "colour"))

    def reach(self, axis: str) -> tuple[int, int]:
        """How many cells before and behind the interior are accessed along x, y or z."""
        at, reach = "xyz".index(axis[0]), self.argument.reach
        return (reach.before[at], reach.after[at]) if reach.before else (0, 0)


class Frame:
    """A kernel of a loaded module. Raises KernelError where frameworks cannot call it."""

    def __init__(self, module: Module, name: str) -> None:
        self.module, self.name, self.place = module, name, f"{module.name}.{name}"
        self.kernels = [module.typed(name, precision) for precision in module.precisions]
        kernel = self.kernels[0]
        if not kernel.space.is_box:
            raise KernelError(
                self.place,
                "it runs over a list of cells, which is no array of the framework.",
                "call the function of heddle.load, with cells=, outside of traced functions",
            )
        each = [[a for a in python_arguments(one) if a.role != "work"] for one in self.kernels]
        columns = list(zip(*each, strict=True))
        self.wanted = tuple(self._wanted(column) for column in columns if column[0].role != "output")
        self.outputs = tuple(
            (column[0].name, tuple(_type(a) for a in column))
            for column in columns
            if column[0].role == "output"
        )
        self.written = tuple(w.name for w in self.wanted if w.written)
        self.usage = f"call {signature_text(name, kernel)}"

    def _wanted(self, column: Sequence[Argument]) -> Wanted:
        argument, kernel = column[0], self.kernels[0]
        types = tuple(_type(a) for a in column)
        if argument.role in ("array", "entries"):
            assert argument.field is not None
            assert isinstance(argument.kind, ir.Pointer)
            kind = "profile" if argument.field.layout.along_axis else "array"
            axes = array_axes(kernel, argument)
            components = (
                components_of(argument.field) if axes[0] == "component" else 2 * (axes[0] == "colour")
            )
            return Wanted(
                argument.name, kind, axes, components, not argument.kind.const, None, types, argument
            )
        kind = "number" if types[0].startswith("float") else "integer"
        usual = None
        if argument.role in _DEFAULTS:
            usual = default_of(kernel, argument)
        return Wanted(argument.name, kind, (), 0, False, usual, types, argument)

    def __getitem__(self, name: str) -> Wanted:
        return next(w for w in self.wanted if w.name == name)

    @cached_property
    def arrays(self) -> tuple[Wanted, ...]:
        return tuple(w for w in self.wanted if w.is_array)

    def refused(self, what: str, hint: str = "") -> KernelError:
        return KernelError(self.place, what, f"{hint}\n  {self.usage}" if hint else self.usage)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a call gives in the order of the kernel, with numbers that it may leave out."""
        names = [w.name for w in self.wanted]
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, n=1)
                raise self.refused(
                    f"there is no argument '{name}'.", f"did you mean '{near[0]}'?" if near else ""
                )
        missing = [w.name for w in self.wanted if w.name not in given and w.usual is None]
        if missing:
            raise self.refused("the call lacks " + ", ".join(f"'{name}'" for name in missing) + ".")
        return {w.name: given.get(w.name, w.usual) for w in self.wanted}

    def ghosts(self, ghosts: int | Sequence[int]) -> tuple[int, ...]:
        """One number for each axis of space in the order of the kernel, x first."""
        axes = self.kernels[0].space.dimensions
        each = (ghosts,) * axes if isinstance(ghosts, int) else tuple(int(g) for g in reversed(ghosts))
        if len(each) != axes:
            raise self.refused(
                f"ghosts has {len(each)} numbers, but the kernel has {axes} axes.",
                "ghosts=1 for all axes, or one number for each, in the order of Python",
            )
        if min(each) < 0:
            raise self.refused(f"ghosts is {min(each)}.", "a number of cells is not negative")
        return each

    def check(self, shapes: Mapping[str, tuple[Sequence[int], str]], ghosts: Sequence[int]) -> int:
        """The number of the precision that arrays of these shapes and types have; raises KernelError for
        what does not fit. ghosts: as `ghosts` gives it."""
        precision = self.precision({name: kind for name, (_, kind) in shapes.items()})
        cells: dict[str, tuple[int, str]] = {}
        for wanted in sorted(self.arrays, key=lambda w: w.kind):  # arrays before profiles
            shape = tuple(shapes[wanted.name][0])
            if len(shape) != len(wanted.axes):
                plural = "axis" if len(wanted.axes) == 1 else "axes"
                raise self.refused(
                    f"'{wanted.name}' has the shape {shape}, but needs {len(wanted.axes)} {plural}."
                )
            if wanted.components and shape[0] != wanted.components:
                raise self.refused(
                    f"'{wanted.name}' of shape {shape} has {shape[0]} components along its first axis, "
                    f"but needs {wanted.components}."
                )
            for axis, found in self._interior(wanted, shape, ghosts):
                known, other = cells.setdefault(axis, (found, wanted.name))
                if known != found:
                    raise self.refused(
                        f"'{wanted.name}' has {found} cells along {axis}, but '{other}' has {known}.",
                        "all arrays have the same cells",
                    )
        return precision

    def _interior(
        self, wanted: Wanted, shape: Sequence[int], ghosts: Sequence[int]
    ) -> Iterator[tuple[str, int]]:
        """The cells of an array along each of its axes."""
        first = len(shape) - len(wanted.space)
        for axis, whole in zip(wanted.space, shape[first:], strict=True):
            if wanted.kind == "profile":
                assert wanted.argument.field is not None
                yield axis, whole - 2 * wanted.argument.field.ghost_layers
                continue
            around = ghosts["xyz".index(axis[0])]
            if axis == "x/2" and around:
                raise self.refused(f"'{wanted.name}' is split by colour, so ghosts has no meaning along x.")
            if whole < 2 * around:
                raise self.refused(
                    f"'{wanted.name}' of shape {tuple(shape)} has no room for {around} ghost cells at "
                    "each side."
                )
            found = whole - 2 * around
            if found and max(wanted.reach(axis)) > around:
                reach = [max(wanted.reach(a)) for a in wanted.space]
                far = ", ".join(map(str, reach))
                raise self.refused(
                    f"'{wanted.name}' of shape {tuple(shape)} has too few ghost cells: the kernel accesses "
                    f"({far}) cells beyond the interior along its axes, and the array ends before.",
                    f"pass ghosts={max(reach)}, and arrays that contain them",
                )
            yield axis[0], 2 * found if axis == "x/2" else found

    def precision(self, types: Mapping[str, str]) -> int:
        nearest, at = self.arrays[0], -1
        for number in range(len(self.kernels)):
            wrong = [i for i, w in enumerate(self.arrays) if types[w.name] != w.types[number]]
            if not wrong:
                return number
            if wrong[0] > at:
                at, nearest = wrong[0], self.arrays[wrong[0]]
        before = self.arrays[at - 1].name if at else ""
        beside = f", beside '{before}' with {types[before]}" if before else ""
        raise self.refused(
            f"'{nearest.name}' has elements of {types[nearest.name]}{beside}; the kernel is there for "
            f"{' or '.join(dict.fromkeys(nearest.types))}.",
            "convert the array once, or give the module more precisions",
        )


def adjoint_of(module: Module, name: str) -> str:
    """The kernel that Module.add_adjoint made for another one; "" if there is none."""
    for other, entry in module.kernels.items():
        if isinstance(entry, KernelModel) and entry.adjoint_of == name:
            return other
    return ""


def _type(argument: Argument) -> str:
    """As NumPy calls it: float64."""
    scalar = argument.kind.element if isinstance(argument.kind, ir.Pointer) else argument.kind
    assert isinstance(scalar, ir.Scalar)
    return "bool" if scalar.kind == "b" else f"{_KINDS[scalar.kind]}{scalar.bits}"
