# SPDX-License-Identifier: Apache-2.0
"""Fields and parameters: the named quantities of a model, and relative accesses to them.

A field is a quantity on the cells of a grid. `u[1, 0, 0]` reads the neighbour in +x; a field with components
takes the component last, `f[0, 0, 0, q]`; `u.here` is the current cell. Types: `real` stands for the
precision that the module is generated for, `double float half int32 int64 uint8 uint32` are fixed. A plane
has one value per column along z: `rain[1, 0]` is that of the next column. A profile is a quantity that
varies along one axis only: `rho[1]` is its value one level further.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy

from heddle.errors import KernelError, calling_file, calling_place, variables_of_callers
from heddle.ir.text import offsets_text
from heddle.model.flag import require_flag

TYPES = ("real", "double", "float", "half", "int32", "int64", "uint8", "uint32", "bool")
"""Type names a model may use; `real` is resolved when a precision is chosen."""
MOST_GHOST_LAYERS = 1024
"""Of a field: a stencil that reaches further is a mistake."""

_PROFILE = re.compile(r"^\s*(\w+)\s*\[\s*([xyz])\s*\]\s*$")
_TABLE = re.compile(r"^\s*(\w+)\s*\[\s*(\d{1,10})\s*\]\s*$")
_DECLARATION = re.compile(r"^\s*(\w+)\s*(?:\((\d+)\))?\s*\[\s*(?:(\d)D|(entries)|(\d+)|(xy))\s*\]\s*$")
_AXES = "xyz"


@dataclass(frozen=True, order=True)
class Field:
    """A quantity on cells.

    name: identifier in the emitted code. dtype: one of TYPES. rank: 1, 2 or 3 space dimensions; 0 for one
    value per entry of a listed sparse space. components: 0 for a scalar, else the number of components.
    ghost_layers: how far outside the interior a kernel may access the field; the dependence check enforces
    it. component_names: names of the components in emitted code; by default their numbers. split: cells of
    each chessboard colour are contiguous, so that a row holds every second cell (see `fields`). half_scale: a
    power of two by which values are multiplied in memory if they are stored in 16 bits. profile: the axis
    along which a one-dimensional table varies (see `profiles`), or -1. plane: in a kernel with three axes,
    the field has one value per column along z. table: the number of values of a table, which belong to no
    cell (see `tables`). other_grid: it lies on another grid (see `fields`). intermediate: it has no memory
    (see `fields`). declared: the number of the declaration that made it, see `in_declared_order`. Fields are
    ordered, because SymPy sorts the accesses.
    """

    name: str
    dtype: str = "real"
    rank: int = 3
    components: int = 0
    ghost_layers: int = 1
    component_names: tuple[str, ...] = ()
    split: bool = False
    half_scale: int = 1
    profile: int = -1
    plane: bool = False
    table: int = 0
    other_grid: bool = False
    intermediate: bool = False
    declared: int | None = dataclasses.field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise KernelError(
                calling_place(),
                f"{self.name!r} is not a valid field name.",
                'pass an identifier as a string, such as "u"',
            )
        if type(self.ghost_layers) is not int or not 0 <= self.ghost_layers <= MOST_GHOST_LAYERS:
            raise KernelError(
                calling_place(),
                f"ghost_layers={self.ghost_layers!r} of '{self.name}' is not a number of ghost layers.",
                f"use a whole number from 0 to {MOST_GHOST_LAYERS}",
            )

    def __getitem__(self, index: int | sympy.Expr | tuple[int | sympy.Expr, ...]) -> Access:
        if self.table:
            raise KernelError(
                calling_place(),
                f"'{self.name}' is a table: its values belong to no cell.",
                f"write {self.name}.gather(n) for value n, counted from 0",
            )
        if self.other_grid:
            raise KernelError(
                calling_place(),
                f"'{self.name}' lies on another grid, so no cell of it belongs to the current cell.",
                f"read it at a position, {self.name}.gather(...), and write to other fields",
            )
        entries = index if isinstance(index, tuple) else (index,)
        expected = self.rank + (1 if self.components else 0)
        if len(entries) != expected:
            raise KernelError(
                calling_place(),
                f"'{self.name}' takes {expected} indices ({self.rank} offsets"
                + (" and a component" if self.components else "")
                + f"), not {len(entries)}.",
                f"write {self.name}[{', '.join('0' * expected)}] for the cell itself",
            )
        numbers = [self._integer(entry) for entry in entries]
        component = numbers[self.rank] if self.components else 0
        if self.components and not 0 <= component < self.components:
            raise KernelError(
                calling_place(), f"'{self.name}' has components 0 to {self.components - 1}, not {component}."
            )
        return Access(self, tuple(numbers[: self.rank]), component)

    def _integer(self, entry: int | sympy.Expr) -> int:
        if isinstance(entry, (int, sympy.Integer)):
            if abs(entry) > MOST_GHOST_LAYERS and abs(entry) > self.components:
                raise KernelError(
                    calling_place(),
                    f"the index {entry} of '{self.name}' leads too far.",
                    f"offsets reach at most {MOST_GHOST_LAYERS} cells, the most ghost layers of a field",
                )
            return int(entry)
        raise KernelError(
            calling_place(),
            f"the index {entry} of '{self.name}' is not a constant integer.",
            f"for a position computed at run time use {self.name}.gather(...)",
        )

    @property
    def here(self) -> Access:
        """The value in the current cell (component 0)."""
        return self[(0,) * (self.rank + (self.components > 0))]

    def component(self, q: int) -> Access:
        """Component q in the current cell."""
        return self[(*((0,) * self.rank), q)]

    def gather(self, *position: sympy.Expr | int, component: int | sympy.Expr = 0) -> sympy.Expr:
        """The value at an absolute cell position (x, y, z) computed at run time.

        Positions count interior cells from 0 and must lie in [-ghost_layers, extent + ghost_layers). The
        reference target checks this and returns -5.
        """
        if len(position) != max(self.rank, 1):
            raise KernelError(
                calling_place(),
                f"'{self.name}'.gather takes {self.rank} positions.",
                "give one position per axis",
            )
        return gather_function(self)(*position, component)

    def of_row(self, *offsets: int, component: int | sympy.Expr = 0) -> sympy.Expr:
        """The value that the cells of a row along x share: that of the first cell of the row. Also where a
        `Reduce` over the row puts its result.

        offsets: to another row, along y (and z). The field needs one value per row only: stride 0 along x,
        FieldOptions{.same_along = 0}.
        """
        offsets = offsets or (0,) * (self.rank - 1)
        if self.rank < 2 or self.split or len(offsets) != self.rank - 1:
            raise KernelError(
                calling_place(),
                f"'{self.name}' has no rows with {len(offsets)} offsets between them.",
                "declare it as [2D] or [3D], and not split; give an offset along y, and along z in 3D",
            )
        far = [self._integer(offset) for offset in offsets]
        own = block_coordinates(self.rank)[1:]
        return self.gather(0, *(place + d for place, d in zip(own, far, strict=True)), component=component)

    def at_level(self, level: sympy.Expr | int, component: int | sympy.Expr = 0) -> sympy.Expr:
        """The value at a level of the current column, counted from its first interior cell, and known at run
        time: where a search ends, for example. In a kernel with a Scan along z also a target of Assignment.

        As for `gather`, levels lie in [-ghost_layers, n_z + ghost_layers), which the reference target checks.
        Carry levels as integers: sympy.Symbol("k", integer=True).
        """
        if self.rank != 3 or self.split or self.other_grid:
            raise KernelError(
                calling_place(),
                f"'{self.name}' has no columns with levels along z.",
                "declare it as [3D], neither split nor of another grid; of a profile, gather(level)",
            )
        return self.gather(*block_coordinates()[:2], level, component=component)


class Access(sympy.Symbol):
    """A relative access to a field. Two accesses with the same field, offsets, component, `through` and `at`
    are the same symbol."""

    field: Field
    offsets: tuple[int, ...]
    component: int
    through: tuple[int, ...]
    at: Access | None

    def __new__(
        cls,
        field: Field,
        offsets: tuple[int, ...],
        component: int = 0,
        through: tuple[int, ...] = (),
        at: Access | None = None,
    ) -> Access:
        label = ",".join(str(number) for number in (*offsets, *((component,) if field.components else ())))
        seen = f"@{offsets_text(through)}" if through else ""
        self: Access = sympy.Symbol.__xnew__(cls, f"{field.name}[{label}]{seen}", real=True)
        self.field, self.offsets, self.component = field, offsets, component
        self.through, self.at = through, at
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, object]]:
        return (self.field, self.offsets, self.component, self.through, self.at), {}

    def _hashable_content(self) -> tuple[object, ...]:
        content: tuple[object, ...] = super()._hashable_content()
        number = "" if self.at is None else self.at.name  # SymPy puts contents in order
        return (*content, self.field, self.offsets, self.component, self.through, number)

    def via_link(self, offset: tuple[int, ...], at: Access | None = None) -> Access:
        """Over a sparse list: the same access from the cell to which the link at `offset` leads, or from the
        current cell if the link ends at a wall. Further links start from there. at: for an offset without
        a link, the index of that cell as a field with one value per entry; the index of the current cell
        marks a neighbour that must not be read."""
        if not any(offset):
            return Access(self.field, self.offsets, self.component)
        return Access(self.field, self.offsets, self.component, offset, at)


class IsWallLink(sympy.Symbol):
    """A condition: the link that this access to a sparse list follows ends at a wall, so that the access
    stays in its own cell. For an access from a cell whose index is given: that cell is the current cell. Over
    a dense space with walls: a wall lies between the current cell and the one at the offset."""

    link: Access

    def __new__(cls, link: Access) -> IsWallLink:
        self: IsWallLink = sympy.Symbol.__xnew__(cls, f"walled({link.name})")
        self.link = link
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, object]]:
        return (self.link,), {}

    def _hashable_content(self) -> tuple[object, ...]:
        content: tuple[object, ...] = super()._hashable_content()
        return (*content, self.link)


class Parameter(sympy.Symbol):
    """A scalar kernel argument with an explicit type. A plain symbol that is never assigned is a `real`
    argument."""

    dtype: str
    declared: int | None
    """The number of the declaration that made it, see `in_declared_order`."""

    def __new__(cls, name: str, dtype: str = "real") -> Parameter:
        self: Parameter = sympy.Symbol.__xnew__(cls, name, real=True)
        self.dtype, self.declared = dtype, None
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, object]]:
        return (self.name, self.dtype), {}

    def _hashable_content(self) -> tuple[object, ...]:
        content: tuple[object, ...] = super()._hashable_content()
        return (*content, self.dtype)


class Coordinate(sympy.Symbol):
    """The index of the current cell along an axis, counted from the first interior cell."""

    axis: int

    def __new__(cls, axis: int) -> Coordinate:
        self: Coordinate = sympy.Symbol.__xnew__(cls, _AXES[axis], integer=True)
        self.axis = axis
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, object]]:
        return (self.axis,), {}

    def _hashable_content(self) -> tuple[object, ...]:
        content: tuple[object, ...] = super()._hashable_content()
        return (*content, "coordinate")


class Extent(sympy.Symbol):
    """The number of interior cells of a block along an axis."""

    axis: int

    def __new__(cls, axis: int) -> Extent:
        self: Extent = sympy.Symbol.__xnew__(cls, f"n_{_AXES[axis]}", integer=True, positive=True)
        self.axis = axis
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[object, ...], dict[str, object]]:
        return (self.axis,), {}


class GatherFunction(sympy.Function):
    """Base of the functions that read a field at a computed position; each subclass has its field."""

    field: Field


_gathers: dict[Field, type[GatherFunction]] = {}


def gather_function(field: Field) -> type[GatherFunction]:
    """The SymPy function class that stands for `field.gather`; one class per field."""
    if field not in _gathers:
        _gathers[field] = type(f"gather_{field.name}", (GatherFunction,), {"field": field})
    return _gathers[field]


def block_coordinates(rank: int = 3) -> tuple[Coordinate, ...]:
    """The indices (x, y, z) of the current cell in its block, from 0 on.

    Each block counts anew, so results depend on how a grid is cut. For the place in the whole grid take a
    field, which `Field::fill` of the runtime fills from the indices in the domain.
    """
    return tuple(Coordinate(axis) for axis in range(rank))


def block_extents(rank: int = 3) -> tuple[Extent, ...]:
    """The numbers (n_x, n_y, n_z) of interior cells of the block: fewer than those of a grid that is cut."""
    return tuple(Extent(axis) for axis in range(rank))


_last_declared: dict[Field | Parameter, tuple[int, str]] = {}
"""Of each field and parameter the number of the declaration that named it last, and the file of that."""
_declarations = itertools.count()


def declare(quantities: Iterable[Field | Parameter]) -> None:
    """Note that the model declares these now, in this order."""
    file = calling_file()
    for quantity in quantities:
        number = next(_declarations)
        object.__setattr__(quantity, "declared", number)
        _last_declared[quantity] = number, file


def forget_declarations(file: str) -> None:
    """Forget what a file declared: it is no part of the models to come."""
    for quantity in [quantity for quantity, (_, where) in _last_declared.items() if where == file]:
        del _last_declared[quantity]


def in_declared_order(quantities: Iterable[object]) -> tuple[str, ...]:
    """The names of the fields and parameters among `quantities` that a model declared, in the order of the
    declarations. Other models may declare the same in another order: what counts is the declaration that the
    code which is being executed has a variable for, and for what has no variable the last one."""
    wanted = {quantity for quantity in quantities if isinstance(quantity, (Field, Parameter))}
    known = {q: _last_declared[q][0] for q in wanted & _last_declared.keys()}
    for value in variables_of_callers():
        if isinstance(value, (Field, Parameter)) and value.declared is not None and value in wanted:
            known[value] = value.declared
    return tuple(q.name for q in sorted(known, key=known.__getitem__))


def fields(
    declarations: str,
    ghost_layers: int = 1,
    split: bool = False,
    other_grid: bool = False,
    intermediate: bool = False,
) -> Any:
    """Declare fields: `fields("u, u_next: real[3D]; f: real(19)[3D]; mask: uint32[entries]")`.

    `type(n)` declares n components, `[entries]` one value per entry of a listed sparse space, `[xy]` a plane:
    one value per column along z of a kernel with three axes, or per cell of a kernel with two. Returns the
    fields in order, or the field itself if there is one. Raises KernelError for a declaration that it cannot
    read.

    split: element (x, y, z) is stored at (x // 2, y, z) of one of two arrays, that of its colour (x + y + z)
    % 2. The colour is the last axis in memory, and the number of cells along x must be even. A relaxation
    with two colours then loads only the bytes that it needs, in whole vectors.

    other_grid: the fields lie on another grid. Dense kernels read them at computed positions,
    `u.gather(...)`, and take their extents, which may differ from those of the fields that cells belong to.

    intermediate: the fields are in no memory, and no argument. A kernel assigns them in its own cell, and may
    then read them in any other: it computes there what it needs. For methods of several stages in one kernel,
    with Threads(level_by_level=True).

    Kernels take their fields in the order of the declarations, whatever the equations use first.
    """
    require_flag(split, "split")
    require_flag(other_grid, "other_grid")
    require_flag(intermediate, "intermediate")
    result: list[Field] = []
    for group in declarations.split(";"):
        names, colon, kind = group.partition(":")
        match = _DECLARATION.match(kind)
        if not colon or match is None or match[1] not in TYPES:
            raise KernelError(
                calling_place(),
                f"cannot read the field declaration '{group.strip()}'.",
                'write for example "u, v: real[3D]; f: real(19)[3D]" with a type of: ' + ", ".join(TYPES),
            )
        plane = match[6] is not None
        rank = 2 if plane else int(match[3] or 0)
        if match[5] or not 0 <= rank <= 3:
            raise KernelError(
                calling_place(), f"'{group.strip()}' has no supported rank.", "use 1D, 2D or 3D"
            )
        for name in names.split(","):
            if not re.fullmatch(r"[A-Za-z]\w*", name.strip()):
                what = f"'{name.strip()}' is not a valid field name."
                remedy = "use letters without accents, digits and _"
                behind = re.fullmatch(r"([A-Za-z]\w*)(\(\d+\))", name.strip())
                if behind and not match[2]:
                    declaration = f"{behind[1]}: {kind.strip().replace('[', behind[2] + '[')}"
                    remedy = f"components stand behind the type: {declaration}"
                raise KernelError(calling_place(), what, remedy)
            if split and (match[2] or not rank or plane):
                raise KernelError(
                    calling_place(),
                    f"'{name.strip()}' cannot be split by colour: it "
                    + ("is a plane." if plane else "has components or no cells."),
                    "split=False",
                )
            if intermediate and (split or plane or other_grid or not rank):
                raise KernelError(
                    calling_place(),
                    f"'{name.strip()}' cannot be an intermediate field: those have a value for each cell.",
                    "declare it as [1D], [2D] or [3D], neither split nor of another grid",
                )
            ghosts = ghost_layers if rank else 0
            components = int(match[2] or 0)
            if other_grid and (split or plane or not rank):
                raise KernelError(
                    calling_place(),
                    f"'{name.strip()}' cannot lie on another grid: it has no cells.",
                    "declare it as [1D], [2D] or [3D], and not split; or other_grid=False",
                )
            result.append(
                Field(
                    name.strip(),
                    match[1],
                    rank,
                    components,
                    ghosts,
                    split=split,
                    plane=plane,
                    other_grid=other_grid,
                    intermediate=intermediate,
                )
            )
    declare(result)
    return result[0] if len(result) == 1 else tuple(result)


def profiles(declarations: str, ghost_layers: int = 1) -> Any:
    """Declare profiles: `profiles("rho, height: real[z]; lambda_x: real[x]")`, read-only tables of dense
    kernels that vary along one axis. `rho[0]` or `rho.here` is the value at the current cell.

    A kernel takes a pointer to the value of the first interior cell. The values are contiguous in memory,
    with ghost_layers more before and after. Raises KernelError for a declaration that it cannot read.
    """
    result: list[Field] = []
    for group in declarations.split(";"):
        names, _, kind = group.partition(":")
        match = _PROFILE.match(kind)
        if match is None or match[1] not in TYPES:
            raise KernelError(
                calling_place(),
                f"cannot read the profile declaration '{group.strip()}'.",
                'write for example "rho, height: real[z]" with a type of: ' + ", ".join(TYPES),
            )
        for name in names.split(","):
            if not re.fullmatch(r"[A-Za-z]\w*", name.strip()):
                raise KernelError(calling_place(), f"'{name.strip()}' is not a valid profile name.")
            axis = _AXES.index(match[2])
            result.append(Field(name.strip(), match[1], 1, ghost_layers=ghost_layers, profile=axis))
    declare(result)
    return result[0] if len(result) == 1 else tuple(result)


def tables(declarations: str) -> Any:
    """Declare tables: `tables("planck: real[2896]; gauss: double[16]")`, so many numbers that every cell of a
    dense kernel may read: `planck.gather(n)` is the one with number n, counted from 0, which the kernel
    computes from integers or rounds with `floor`.

    A kernel takes a pointer to the first value; they are contiguous. The reference target tests every n.
    Raises KernelError for a declaration that it cannot read.
    """
    result: list[Field] = []
    for group in declarations.split(";"):
        names, _, kind = group.partition(":")
        match = _TABLE.match(kind)
        if match is None or match[1] not in TYPES or not 0 < int(match[2]) < 2**31:
            raise KernelError(
                calling_place(),
                f"cannot read the table declaration '{group.strip()}'.",
                'write for example "planck: real[2896]" with a type of: ' + ", ".join(TYPES),
            )
        for name in names.split(","):
            if not re.fullmatch(r"[A-Za-z]\w*", name.strip()):
                raise KernelError(calling_place(), f"'{name.strip()}' is not a valid table name.")
            result.append(Field(name.strip(), match[1], 1, ghost_layers=0, table=int(match[2])))
    declare(result)
    return result[0] if len(result) == 1 else tuple(result)


def parameters(declarations: str) -> Any:
    """Declare scalar arguments: `parameters("omega, g_x: real; steps: int32")`. The default type is `real`.

    Kernels take them in the order of the declarations, behind the fields. What a kernel takes and no
    declaration names, such as a symbol of SymPy or a name passed as a string, follows by alphabet.
    """
    result: list[Parameter] = []
    for group in declarations.split(";"):
        names, _, kind = group.partition(":")
        dtype = kind.strip() or "real"
        if dtype not in TYPES:
            raise KernelError(calling_place(), f"'{dtype}' is not a type.", "one of " + ", ".join(TYPES))
        result += [Parameter(name.strip(), dtype) for name in names.split(",")]
    declare(result)
    return result[0] if len(result) == 1 else tuple(result)
