# SPDX-License-Identifier: Apache-2.0
"""Arrays for the kernels of a step, as heddle::Field lays them out. NumPy on a CPU, CuPy on a GPU."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from heddle.emit.python_file import array_axes, list_tables, needed
from heddle.emit.signature import Argument, written_fields
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.python.cell_list import CellList
from heddle.python.zeros import zeros

BLOCK = 1 << 16
"""Random numbers that are drawn; larger arrays repeat them."""
Values: TypeAlias = Mapping[str, float | int | Callable[[tuple[int, ...]], Any]]
"""What the user says of arguments: a number, or for fields also a function of the shape."""


def library(name: str = "numpy") -> Any:
    """NumPy, or "cupy" for arrays on a GPU; KernelError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise KernelError(
            "heddle.explore", f"{name} is not installed.", f"install {name}: kernels are timed on its arrays"
        ) from None


def on_host(array: Any) -> Any:
    """An array of NumPy with what another one holds."""
    return array.get() if hasattr(array, "get") else array


@dataclass
class Array:
    """One field. whole: with its ghost layers and components first; inner: the view that a kernel takes.
    scale: by which memory multiplies values."""

    field: ir.Field
    whole: Any
    inner: Any
    start: Any
    written: bool

    def values(self) -> Any:
        """What is stored, as f64."""
        return on_host(self.whole).astype("f8") / self.field.scale

    def reset(self) -> None:
        """What it held at first."""
        self.whole[...] = self.start

    def keep(self) -> None:
        """Let what it holds now be what it held at first."""
        self.start = self.whole.copy() if self.written else self.whole


class Memory:
    """The arguments of a step's kernels at one size. xp: the library that allocates, `library(...)`.

    extent: cells along x, y, z. values: what the user says of arguments; other fields hold random numbers
    between 0.005 and 0.015, and other parameters one between 0.5 and 1, the same for every candidate. cells:
    the list of kernels over one.
    """

    def __init__(
        self,
        kernels: Sequence[ir.Kernel],
        extent: Sequence[int],
        values: Values,
        xp: Any,
        cells: CellList | None = None,
    ) -> None:
        self.extent, self.given, self.xp, self.cells = tuple(extent), values, xp, cells
        self.arrays: dict[str, Array] = {}
        self.calls: list[dict[str, Any]] = []
        written = {field.name for kernel in kernels for field in written_fields(kernel)}
        for kernel in kernels:
            call: dict[str, Any] = {}
            if kernel.space.is_index_list:
                assert cells is not None
                tables = list_tables(kernel, hasattr(xp, "cuda"))
                call |= {f"cells.{name}": cells.words(name) for name in tables}
            for argument, text in needed(kernel):
                if argument.role == "list" and kernel.space.is_index_list:
                    continue
                if argument.field is not None and isinstance(argument.kind, ir.Pointer):
                    call[argument.name] = self._array(kernel, argument, argument.name in written).inner
                elif "=" not in text:
                    call[argument.name] = self._number(argument)
            self.calls.append(call)

    def _array(self, kernel: ir.Kernel, argument: Argument, written: bool) -> Array:
        field = argument.field
        assert field is not None
        known = self.arrays.get(field.name)
        if known is None:
            axes = array_axes(kernel, argument)
            known = self.arrays[field.name] = self._made(field, axes, written)
        return known

    def _made(self, field: ir.Field, axes: Sequence[str], written: bool) -> Array:
        if field.layout.over_list:
            assert self.cells is not None
            values = self.cells.zeros(dtype_of(field.type), field.components)
            values[...] = self.xp.asarray(self.first(field, tuple(values.shape)))
            return Array(field, values, values, values.copy() if written else values, written)
        ghosts = field.ghost_layers
        cells = [self.extent["xyz".index(axis[0])] for axis in axes if axis[0] in "xyz"]
        cells = [field.size] if field.layout.table else cells
        components = [field.components] if field.components else []
        if field.layout.split:  # each second cell of a row, colour by colour
            components, cells[-1] = [2], self._half(cells[-1])
        whole = zeros(
            (*components, *cells),
            dtype_of(field.type),
            ghosts=ghosts,
            axes="xyz"[: len(cells)],
            library=self.xp,
        )
        whole[...] = self.xp.asarray(self.first(field, tuple(whole.shape)))
        inside = (..., *(slice(ghosts, -ghosts) if ghosts else slice(None) for _ in cells))
        kept = whole.copy() if written else whole
        return Array(field, whole, whole[inside], kept, written)

    @staticmethod
    def _half(along_x: int) -> int:
        if along_x % 2:
            raise KernelError(
                "heddle.explore",
                f"rows of {along_x} cells cannot be split by colour.",
                "give sizes with an even number of cells along x",
            )
        return along_x // 2

    def first(self, field: ir.Field, shape: tuple[int, ...]) -> Any:
        """The values that a field holds at first."""
        np = library()
        given = self.given.get(field.name)
        if callable(given):
            found = np.asarray(given(shape))
            if found.shape != shape:
                raise KernelError(
                    "heddle.explore",
                    f"the values of '{field.name}' have the shape {found.shape}, not {shape}.",
                    "a function of values takes the shape, ghost layers included, and returns an array of it",
                )
        elif given is not None:
            value = np.asarray(given * field.scale).astype(dtype_of(field.type)).item()
            return self.xp.full(shape, value, dtype_of(field.type))  # where the field lies
        else:
            random = np.random.default_rng(zlib.crc32(field.name.encode()))
            drawn = random.uniform(0.005, 0.015, BLOCK) if field.type.is_float else np.ones(1)
            size = int(np.prod(shape))
            stored = self.xp.asarray((drawn * field.scale).astype(dtype_of(field.type)))
            times = -(-size // int(stored.size))  # where the field lies: no copy to a GPU
            repeated = self.xp.broadcast_to(stored, (times, int(stored.size))).reshape(-1)
            return repeated[:size].reshape(shape)
        return (found * field.scale).astype(dtype_of(field.type))

    def _number(self, argument: Argument) -> float | int:
        given = self.given.get(argument.name)
        if callable(given):
            raise KernelError(
                "heddle.explore", f"'{argument.name}' is a number, not a field.", "give a number"
            )
        if given is not None:
            return given
        assert isinstance(argument.kind, ir.Scalar)
        if not argument.kind.is_float:
            return 1
        random = library().random.default_rng(zlib.crc32(argument.name.encode()))
        return float(random.uniform(0.5, 1.0))

    def reset(self) -> None:
        """The written fields as they were at first."""
        for array in self.written():
            array.reset()

    def written(self) -> Iterator[Array]:
        """The fields that the kernels write."""
        return (array for array in self.arrays.values() if array.written)

    @property
    def bytes(self) -> int:
        return sum(int(array.whole.nbytes) for array in self.arrays.values())


def dtype_of(scalar: ir.Scalar) -> str:
    """NumPy's name of a type."""
    return {"b": "?"}.get(scalar.kind, f"{scalar.kind}{scalar.bits // 8}")
