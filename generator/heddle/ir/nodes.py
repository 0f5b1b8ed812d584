# SPDX-License-Identifier: Apache-2.0
"""The kernel language: every node of the intermediate representation, frozen and hash-consed.

Two nodes that are built alike are the same object, so equality is identity, a set of nodes is cheap, and a
common subexpression is stored once. Levels (symbolic, scheduled, lowered) are vocabularies of these nodes:
see `verify`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar, dataclass_transform
from weakref import WeakValueDictionary

from heddle.errors import NOWHERE, Place

_table: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
T = TypeVar("T")


def _key(value: object) -> object:
    """Distinguishes 1, 1.0 and True, and 0.0 from -0.0, which compare equal."""
    if isinstance(value, tuple):
        return tuple(_key(entry) for entry in value)
    if isinstance(value, float):
        return float, value.hex()
    return (type(value), value) if isinstance(value, (int, Fraction)) else value


_signatures: dict[type, tuple[tuple[str, ...], tuple[Any, ...]]] = {}


def _signature(cls: type) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and defaults of a node's parts."""
    if cls not in _signatures:
        parts = dataclasses.fields(cls)
        _signatures[cls] = tuple(part.name for part in parts), tuple(part.default for part in parts)
    return _signatures[cls]


class _HashConsed(type):
    def __call__(cls: type[T], *args: Any, **kwargs: Any) -> T:
        names, defaults = _signature(cls)
        if kwargs or len(args) < len(names):  # one spelling of a node, one key
            given = dict(zip(names, args, strict=False)) | kwargs
            args = tuple(given.get(name, default) for name, default in zip(names, defaults, strict=True))
        key = (cls, *(_key(argument) for argument in args))
        node = _table.get(key)
        if node is None:
            node = _table[key] = type.__call__(cls, *args)
        return node  # type: ignore[no-any-return]


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, eq=False)(cls)


class Node(metaclass=_HashConsed):
    """Anything in a kernel."""

    __slots__ = ("_children",)
    _children: tuple[Node, ...]
    """What `visit.children` found."""


# --- Types --------------------------------------------------------------------------------------------------


@node
class Scalar(Node):
    """A number type: kind "f", "i", "u" or "b", and its size in bits."""

    kind: Literal["f", "i", "u", "b"]
    bits: int

    def __str__(self) -> str:
        return "bool" if self.kind == "b" else f"{self.kind}{self.bits}"

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def bytes(self) -> int:
        return max(self.bits // 8, 1)


@node
class Pointer(Node):
    """Address of elements of a type; `const` ones are never stored through."""

    element: Scalar
    const: bool = False

    def __str__(self) -> str:
        return f"{self.element}{' const' if self.const else ''}*"


Type = Scalar | Pointer
F16, F32, F64 = Scalar("f", 16), Scalar("f", 32), Scalar("f", 64)
I8, I16, I32, I64 = Scalar("i", 8), Scalar("i", 16), Scalar("i", 32), Scalar("i", 64)
U8, U16, U32, U64 = Scalar("u", 8), Scalar("u", 16), Scalar("u", 32), Scalar("u", 64)
BOOL = Scalar("b", 1)
SCALARS = {str(scalar): scalar for scalar in (F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOL)}


# --- Declarations -------------------------------------------------------------------------------------------


@node
class Field(Node):
    """An array that a kernel reads or writes. layout says how cells map to memory; only lower_accesses looks
    at it.

    layout: "strided" (dense), "split" (dense; every second cell of a row, with the colour as last axis),
    "compressed" (sparse list), "entries" (one value an entry of a listed sparse space), "profile" (dense;
    one value for all cells with the same position along `axis`, read only, contiguous). scale: memory holds
    so many times the value (a power of two).
    """

    name: str
    type: Scalar
    rank: int
    components: int
    ghost_layers: int
    layout: Literal["strided", "split", "compressed", "entries", "profile"]
    component_names: tuple[str, ...] = ()
    scale: int = 1
    axis: int = 0

    def component_name(self, q: int) -> str:
        """What the emitted code calls component q."""
        return self.component_names[q] if self.component_names else str(q)

    @property
    def dense(self) -> bool:
        """Whether it has a value for each cell of a box."""
        return self.layout in ("strided", "split")

    @property
    def table(self) -> bool:
        """Whether it is a list of values without strides."""
        return self.layout in ("entries", "profile")


# --- Expressions --------------------------------------------------------------------------------------------


class Expression(Node):
    """A value. Every expression class has a `type`, None before infer_types where it is not known yet."""

    type: Any


@node
class Const(Expression):
    """A literal; rationals stay rational until they are printed."""

    value: int | float | Fraction | bool
    type: Scalar | None = None


@node
class Symbol(Expression):
    """A named value: local, parameter, cell coordinate or pointer."""

    name: str
    type: Type | None = None


@node
class Access(Expression):
    """The element of a field at an offset from the own cell.

    through: over a sparse list, the offset of the cell from which it is seen instead: where a link leads to
    that cell, the own one at a wall. () for the own cell. at: the number of that cell where no link leads
    there.
    """

    field: Field
    offsets: tuple[int, ...]
    component: int = 0
    through: tuple[int, ...] = ()
    at: Expression | None = None

    @property
    def type(self) -> Scalar:
        return self.field.type

    @property
    def linked(self) -> bool:
        """Whether it takes the neighbour table of a sparse list."""
        indexed_neighbours = any(self.through) and self.at is None
        return self.field.layout == "compressed" and (any(self.offsets) or indexed_neighbours)


@node
class IsWallLink(Expression):
    """Whether the link that an Access with the same parts follows in a sparse list ends at a wall; with `at`,
    whether that is the number of the own cell."""

    field: Field
    offsets: tuple[int, ...]
    component: int
    through: tuple[int, ...] = ()
    at: Expression | None = None
    type: Scalar = BOOL

    @property
    def link(self) -> Access:
        """That access."""
        return Access(self.field, self.offsets, self.component, self.through, self.at)


@node
class Gather(Expression):
    """The element of a field at an absolute position computed at run time."""

    field: Field
    position: tuple[Expression, ...]
    component: Expression

    @property
    def type(self) -> Scalar:
        return self.field.type


@node
class View(Expression):
    """A line through memory: element i of it is `pointer[offset + i * stride]`. opaque: compilers shall not
    connect its addresses with earlier ones."""

    pointer: Symbol
    offset: Expression
    stride: Expression
    opaque: bool = False

    @property
    def type(self) -> Pointer:
        return self.pointer.type  # type: ignore[return-value]


@node
class Load(Expression):
    """`pointer[index]`: lowered form of Access and Gather; the pointer may be the name of a View."""

    pointer: Symbol
    index: Expression

    @property
    def type(self) -> Scalar:
        assert isinstance(self.pointer.type, Pointer)
        return self.pointer.type.element


@node
class Op(Expression):
    """An operator of ir.functions.OPERATORS on one, two or three arguments."""

    name: str
    args: tuple[Expression, ...]
    type: Scalar | None = None


@node
class Call(Expression):
    """A function of ir.functions.FUNCTIONS."""

    name: str
    args: tuple[Expression, ...]
    type: Scalar | None = None


@node
class TreeReduce(Expression):
    """What the first `count` elements of an array become (see ir.reduction); it is scratch afterwards."""

    operation: Literal["sum", "min", "max"]
    values: Symbol
    count: Expression

    @property
    def type(self) -> Scalar:
        assert isinstance(self.values.type, Pointer)
        return self.values.type.element


@node
class AllEqual(Expression):
    """Whether the elements [begin, end) of a row all are `value`, an integer."""

    row: Symbol
    begin: Expression
    end: Expression
    value: Const

    @property
    def type(self) -> Scalar:
        return BOOL


@node
class Select(Expression):
    """`condition ? yes : no`; the branch not taken is not evaluated."""

    condition: Expression
    yes: Expression
    no: Expression

    @property
    def type(self) -> Scalar | None:
        return self.yes.type  # type: ignore[no-any-return]


@node
class Cast(Expression):
    """Conversion to another type, rounding to nearest even."""

    value: Expression
    type: Scalar


# --- Statements ---------------------------------------------------------------------------------------------


class Statement(Node):
    """Something that happens. `place` is the line of the model it came from, where there is one."""


@node
class Let(Statement):
    """Name a value, once."""

    symbol: Symbol
    value: Expression
    place: Place = NOWHERE


@node
class Var(Statement):
    """Declare a value that `Assign` changes: the carried values of a scan. value: None only in lifted source,
    where it has none before the first Assign."""

    symbol: Symbol
    value: Expression | None


@node
class Assign(Statement):
    """Change a `Var`."""

    symbol: Symbol
    value: Expression


@node
class Local(Statement):
    """A small array: registers, per-thread scratch or block-shared memory. Those in registers begin without a
    value: what is read of them was written before."""

    symbol: Symbol
    length: int
    space: Literal["register", "scratch", "shared"]


@node
class Store(Statement):
    """Write a field element. A nontemporal store bypasses the caches. target: a Gather only in a space of
    PackRegions, whose table has each element once."""

    target: Access | Gather | Load
    value: Expression
    nontemporal: bool = False
    place: Place = NOWHERE


@node
class Prefetch(Statement):
    """Ask for the cache lines of `length` elements of a row from `target` on, which are about to be updated,
    or only read where the kernel never writes their field. Once lowered: beyond the `count` elements of the
    row, those of the next one, `next` elements of memory further on; without them, whatever lies there."""

    target: Access | Load
    length: int
    count: Expression | None = None
    next: Expression | None = None


@node
class DeviceCall(Statement):
    """A call of a function in heddle/device, which is a row of ir.device_calls.DEVICE_CALLS: its arguments in
    the order of the row, and the integers that its template takes. result: the name that it gives an array.
    """

    name: str
    args: tuple[Expression, ...]
    template: tuple[int, ...] = ()
    result: Symbol | None = None


@node
class Reduce(Statement):
    """TreeReduce `value` over all cells into the output `name`: "sum", "min" or "max" (see ir.reduction)."""

    operation: Literal["sum", "min", "max"]
    output: Symbol
    value: Expression
    place: Place = NOWHERE


@node
class WarpReduce(Statement):
    """With a thread for each cell: `value` is number `lane` of the 32 values that become `target`. Threads
    that have no cell take part; `known`: whether there is such a target."""

    operation: Literal["sum", "min", "max"]
    target: Load
    lane: Expression
    value: Expression
    known: Expression


@node
class If(Statement):
    """Statements under a condition. `wall`: the condition says that the elements stored lie behind a wall."""

    condition: Expression
    body: tuple[Statement, ...]
    wall: bool = False
    place: Place = NOWHERE


@node
class Loop(Statement):
    """`for counter in [begin, end) by step`. kind says who runs the iterations: one after the other (serial),
    OpenMP threads (omp), vector lanes (simd), CUDA threads (thread) or one CUDA thread without a loop, each
    iteration written out (lanes). reductions: variables that they
    combine in any order, in code that was lifted; ours go by ir.reduction."""

    kind: Literal["serial", "omp", "omp simd", "simd", "thread", "lanes"]
    counter: Symbol
    begin: Expression
    end: Expression
    step: Expression
    body: tuple[Statement, ...]
    reductions: tuple[tuple[str, Symbol], ...] = ()


@node
class Scan(Statement):
    """A sequential sweep along an axis: carried symbols hold `initial`, then `update` of each visited
    cell."""

    axis: int
    reverse: bool
    carried: tuple[Symbol, ...]
    initial: tuple[Expression, ...]
    body: tuple[Statement, ...]
    update: tuple[Expression, ...]
    place: Place = NOWHERE


@node
class Comment(Statement):
    """A heading in the emitted code."""

    text: str


# --- Kernels ------------------------------------------------------------------------------------------------


@node
class Link(Node):
    """A row of a sparse list's neighbour table, or a link of a dense space with walls: slot `slot` at
    `offset`, or `wall_slot` of the own cell at a wall. Negative wall_slot: the list holds that cell even
    behind a wall, and the row has its number for all slots."""

    slot: int
    offset: tuple[int, ...]
    wall_slot: int

    @property
    def stores_solid(self) -> bool:
        """Whether the row leads to cells, not to elements."""
        return self.wall_slot < 0


@node
class Dense(Node):
    """Every interior cell of a box of `rank` dimensions. colours: cells of one colour (see ir.colouring) run
    in any order, colours `first_colour` to `last_colour` - 1 one after the other; 1: no colours. interleave:
    a CUDA thread runs its cell in as many interleaved blocks, whose elements follow each other. fixed_nx: how
    many cells there are along x, where that is known; 0: any number. unit: once lowered, the kernel takes for
    granted that the cells of a row follow each other in memory, in all fields. walls: sides of the box at
    which there may be one, and the links that lead to the own cell there (see ir.walls)."""

    rank: int
    colours: int = 1
    interleave: int = 1
    fixed_nx: int = 0
    unit_stride: bool = False
    walls: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()


PLACES = ("cell_x", "cell_y", "cell_z")
"""Fields [entries] that say where the cells of a list lie in a dense box."""


@node
class Sparse(Node):
    """The cells of an index list; `listed`: a subset of them given by a list of cell numbers. strip_size:
    cells for which the list says in one number where neighbours follow each other; 0 if the kernel does not
    ask. compressed: a CUDA kernel finds neighbours in the compressed table of the list. box: where not 0, the
    cells are some of a dense box of so many dimensions instead: the fields are dense, and the place of the
    cell of an entry lies in the fields PLACES. cell, entry: what the kernel calls the number of the own cell,
    and of its entry among listed ones."""

    name: str
    listed: bool = False
    links: tuple[Link, ...] = ()
    strip_size: int = 0
    compressed: bool = False
    box: int = 0
    cell: str = "n"
    entry: str = "i"

    @property
    def counter(self) -> Symbol:
        """What counts the cells, or the entries of listed ones."""
        return Symbol(self.entry if self.listed else self.cell, I64)

    def path(self, slot: int, offset: tuple[int, ...]) -> tuple[int, ...] | None:
        """The rows to follow, one after the other, to slot `slot` of the cell at `offset`; None if there is
        no way. A row for the slot or for all slots of that cell, else rows along x, y and z in turn."""
        for number, link in enumerate(self.links):
            if link.offset == offset and (link.stores_solid or link.slot == slot):
                return (number,)
        stores_solid = {link.offset: number for number, link in enumerate(self.links) if link.stores_solid}
        steps = [
            tuple(d if a == axis else 0 for a in range(len(offset))) for axis, d in enumerate(offset) if d
        ]
        return (
            tuple(stores_solid[step] for step in steps)
            if all(step in stores_solid for step in steps)
            else None
        )

    def row(self, slot: int, offset: tuple[int, ...]) -> int:
        """The row that leads to a slot at an offset, or at a wall to one of the own cell."""
        return next(r for r, link in enumerate(self.links) if (link.slot, link.offset) == (slot, offset))

    def row_at(self, offset: tuple[int, ...]) -> int | None:
        """A row that leads to the cell at an offset, or at a wall to the own one."""
        return next(
            (r for r, link in enumerate(self.links) if link.offset == offset and not link.stores_solid), None
        )


@node
class PackRegions(Node):
    """The cells of a table of boxes, in fields of `rank` dimensions: what an exchange packs.

    The field `boxes` holds nine numbers a box: which field, which component, the first cell along x, y, z,
    the number of cells along x, y, z, and the place of the first cell on the wire, where the cells follow
    each other, x fastest. A body knows them as the symbols `field`, `component`, `x`, `y`, `z` and `place`.
    """

    rank: int


@node
class Kernel(Node):
    """One function: what it needs, where it runs, what it does."""

    name: str
    fields: tuple[Field, ...]
    parameters: tuple[Symbol, ...]
    space: Dense | Sparse | PackRegions
    body: tuple[Statement, ...]
    outputs: tuple[Symbol, ...] = ()
    about: str = ""

    @property
    def slots(self) -> Field:
        """The field over a list into which the entries of the neighbour table lead: the populations."""
        return max((f for f in self.fields if f.layout == "compressed"), key=lambda f: f.components)
