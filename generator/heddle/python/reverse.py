# SPDX-License-Identifier: Apache-2.0
"""The reverse of a kernel for frameworks that differentiate: from the derivatives of a number by what the
kernel gives to those by what it takes, with the kernel of `Module.add_adjoint`.

To a framework a kernel is a function of whole arrays, ghost layers included, whose results keep the values
that the kernel does not write. Derivatives are those of this function, exactly, also by cells in ghost
layers: periodic boundaries and others that the framework computes around it get theirs. An adjoint kernel
that gathers computes them for the cells that it runs over, so it runs over the ghost layers, too, on arrays
that are larger at each side by what it reads there (copies of the outermost cells; their share is zero). One
that stores runs over the same cells as the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from heddle.ir import nodes as ir
from heddle.ir.visit import evaluated, statements
from heddle.python.frames import Frame, Wanted

Arrays = dict[str, Any]
Slices = tuple[int | slice, ...]
Run = Callable[[Frame, Arrays, Sequence[int]], Arrays]
"""Runs a kernel on operands with so many ghost layers (x first): its results by their names."""


class Library(Protocol):
    """What is asked of arrays."""

    def zeros(self, shape: Sequence[int], kind: str) -> Any:
        """An array of a type such as float64."""

    def take(self, array: Any, at: Sequence[int], axis: int) -> Any:
        """The parts of an array at these positions along an axis."""

    def placed(self, array: Any, at: Slices, values: Any) -> Any:
        """An array of zeros, not used elsewhere, with values at a place."""


class Reverse:
    """The adjoint of a kernel. differentiable: what of its arguments gets a derivative. needs: those whose
    values the reverse takes."""

    def __init__(self, kernel: Frame, adjoint: Frame) -> None:
        self.kernel, self.adjoint = kernel, adjoint
        body = kernel.kernels[0].body
        read = {n.field.name for n in evaluated(body) if isinstance(n, ir.Access | ir.Gather)}
        self.stores = sorted(
            {
                (s.target.field.name, s.target.component, s.target.offsets)
                for s in statements(body)
                if isinstance(s, ir.Store) and isinstance(s.target, ir.Access)
            }
        )
        mine = {w.name for w in adjoint.wanted}
        sums = {name for name, _ in adjoint.outputs}
        self.kept = [] if kernel.kernels[0].space.walls else [v for v in kernel.written if v not in read]
        self.needs = tuple(w.name for w in kernel.wanted if w.name in mine)
        self.fields = tuple(w.name for w in kernel.arrays if f"{w.name}_bar" in adjoint.written)
        self.numbers = tuple(w.name for w in kernel.wanted if f"{w.name}_bar" in sums)
        self.in_place = tuple(name for name in self.fields if name in kernel.written)
        self.differentiable = {*self.fields, *self.numbers, *self.kept}
        bars = [w for w in adjoint.arrays if w.written]
        self.stored = bool(self.in_place) or any(w.argument.reach.written for w in bars)
        axes = "xyz"[: kernel.kernels[0].space.dimensions]
        self.reach = [max([max(w.reach(a)) for w in adjoint.arrays if a in w.space] or [0]) for a in axes]

    def check(self, wanted: Iterable[str]) -> None:
        """Raise KernelError for an argument whose derivative is wanted, and not known."""
        for name in wanted:
            if name not in self.differentiable:
                raise self.kernel.refused(
                    f"'{name}' has no derivative: the kernel {self.adjoint.name} gives none.",
                    f'jax.lax.stop_gradient or detach(), or add_adjoint("{self.kernel.name}") without of=',
                )


class Call:
    """One call that is differentiated: shapes of its arrays, the precision, and ghost layers, x first."""

    def __init__(
        self,
        reverse: Reverse,
        library: Library,
        run: Run,
        shapes: Mapping[str, Sequence[int]],
        precision: int,
        ghosts: Sequence[int],
    ) -> None:
        self.reverse, self.library, self.runs, self.shapes = reverse, library, run, shapes
        self.kernel, self.precision, self.ghosts = reverse.kernel, precision, ghosts

    def run(self, saved: Arrays, bars: Arrays) -> Arrays:
        """The derivatives by the arguments in `differentiable`. saved: the values of `needs`. bars: those by
        all that the kernel gives."""
        reverse, none = self.reverse, [0] * len(self.ghosts)
        given = {name: self._written(name, bars[name]) for name in reverse.kept}
        results = {name: bars[name] - given[name] for name in reverse.kept}
        if reverse.stored:
            operands = {
                w.name: saved[w.name] if w.name in saved else self._stored(w.name.removesuffix("_bar"), bars)
                for w in reverse.adjoint.wanted
            }
            return results | self._run(operands, self.ghosts)
        fields = {name: given.get(name, bars[name]) for name in self.kernel.written}
        sums = {name: bars[name] for name, _ in self.kernel.outputs}
        parts = []
        if fields:
            parts.append(self._gathered(saved, fields | {name: bar * 0 for name, bar in sums.items()}, none))
        if sums:
            zeros = {name: self._zeros(name, [0] * len(self.ghosts)) for name in fields}
            parts.append(self._gathered(saved, zeros | sums, self.ghosts))
        for name in (*reverse.fields, *reverse.numbers):
            results[name] = sum((part[name] for part in parts[1:]), parts[0][name])
        return results

    def _zeros(self, name: str, more: Sequence[int]) -> Any:
        """In the shape of an argument, with more layers at each side."""
        wanted = self.kernel[name]
        widths = _widths(wanted, more)
        shape = [n + 2 * w for n, w in zip(self.shapes[name], widths, strict=True)]
        return self.library.zeros(shape, wanted.types[self.precision])

    def _written(self, name: str, bar: Any) -> Any:
        """A derivative by a result, with zero where the kernel does not write it."""
        wanted, found = self.kernel[name], self._zeros(name, [0] * len(self.ghosts))
        mine = [(component, offsets) for field, component, offsets in self.reverse.stores if field == name]
        if len({offsets for _, offsets in mine}) == 1 and len(mine) == max(wanted.components, 1):
            at = _cells(wanted, bar.shape, self.ghosts, mine[0][1])
            return self.library.placed(found, at, bar[at])
        for component, offsets in mine:
            at = _cells(wanted, bar.shape, self.ghosts, offsets)
            at = (component, *at[1:]) if wanted.components else at
            found = self.library.placed(found, at, bar[at])
        return found

    def _stored(self, name: str, bars: Arrays) -> Any:
        """The adjoint of an argument or result, where the adjoint kernel stores to the cells it reads."""
        if name in self.reverse.fields and name not in self.reverse.in_place:
            return self._zeros(name, [0] * len(self.ghosts))
        return bars[name]

    def _gathered(self, saved: Arrays, bars: Arrays, without: Sequence[int]) -> Arrays:
        """What cells contribute that are not in the outermost layers, `without` of them at each side."""
        reach, operands = self.reverse.reach, {}
        beyond = [g - w for g, w in zip(self.ghosts, without, strict=True)]  # cells around the kernel's
        for wanted in self.reverse.adjoint.wanted:
            name = wanted.name.removesuffix("_bar")
            if wanted.name in saved:
                value = saved[wanted.name]
                value = self._extended(wanted, value, beyond if wanted.kind == "profile" else reach)
            elif name in bars and not wanted.is_array:
                value = bars[name]
            else:
                value = self._zeros(name, reach)
                if name in bars:
                    at = _cells(self.kernel[name], value.shape, reach)
                    value = self.library.placed(value, at, bars[name])
            operands[wanted.name] = value
        found = self._run(operands, [w + r for w, r in zip(without, reach, strict=True)])
        for name in self.reverse.fields:
            found[name] = found[name][_cells(self.kernel[name], found[name].shape, reach)]
        return found

    def _extended(self, wanted: Wanted, value: Any, widths: Sequence[int]) -> Any:
        """An array with more layers at each side, copies of the outermost one."""
        for axis, width in enumerate(_widths(wanted, widths) if wanted.is_array else ()):
            if width:
                n = value.shape[axis]
                value = self.library.take(value, [*([0] * width), *range(n), *([n - 1] * width)], axis)
        return value

    def _run(self, operands: Arrays, ghosts: Sequence[int]) -> Arrays:
        """What the adjoint kernel gives, by the names of the arguments that it belongs to."""
        found = self.runs(self.reverse.adjoint, operands, ghosts)
        return {name.removesuffix("_bar"): value for name, value in found.items()}


def _widths(wanted: Wanted, layers: Sequence[int]) -> list[int]:
    """One number for each axis of an array, from those of the axes of space."""
    return [0 if axis in ("component", "colour") else layers["xyz".index(axis[0])] for axis in wanted.axes]


def _cells(
    wanted: Wanted, shape: Sequence[int], layers: Sequence[int], offsets: Sequence[int] = (0, 0, 0)
) -> Slices:
    """Where an array has the cells within so many layers, or those at an offset from them."""
    moved = _widths(wanted, [*offsets])
    around = _widths(wanted, layers)
    return tuple(slice(w + o, n - w + o) for n, w, o in zip(shape, around, moved, strict=True))
