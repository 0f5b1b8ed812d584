# SPDX-License-Identifier: Apache-2.0
"""The kernel language: every node of the intermediate representation, frozen and hash-consed.

Levels (symbolic, scheduled, lowered) are vocabularies of these nodes: see `verify`. Where a kernel runs is
said in `space`, how fields map to memory in `layout`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from heddle.errors import NOWHERE, Place
from heddle.ir.hash_consing import Node, node
from heddle.ir.layout import Layout
from heddle.ir.space import Space

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
    """An array that a kernel reads or writes. layout: how it lies in memory (see `layout`). axis: of a
    profile, the one along which it has values. scale: memory holds the value times this power of two. size:
    of a table.
    """

    name: str
    type: Scalar
    rank: int
    components: int
    ghost_layers: int
    layout: Layout
    component_names: tuple[str, ...] = ()
    scale: int = 1
    axis: int = 0
    size: int = 0

    def component_name(self, q: int) -> str:
        """What the emitted code calls component q."""
        return self.component_names[q] if self.component_names else str(q)

    @property
    def dense(self) -> bool:
        """Whether it has a value for each cell of a box."""
        return self.layout.per_cell

    def numbered_with(self, space: Space) -> bool:
        """Whether one number of a cell serves this and all other such fields, if their strides agree."""
        return self.dense and self.rank == space.dimensions and not self.layout.other_grid

    def is_plane(self, space: Space) -> bool:
        """Whether the cells of a column of a space share a value: it lacks the last axis."""
        return self.dense and self.rank < space.dimensions


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
        return self.field.layout.over_list and (any(self.offsets) or indexed_neighbours)


@node
class IsWallLink(Expression):
    """Whether the link that an Access with the same parts follows in a sparse list ends at a wall; with `at`,
    whether that is the number of the own cell. Over a dense space: whether its walls lie on the way."""

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

    @property
    def of_row(self) -> bool:
        """Whether it is the first cell of a row that depends on the current cell."""
        first, *others = self.position
        own = not any(isinstance(place, Const) for place in others)
        return self.field.rank > 1 and own and isinstance(first, Const) and first.value == 0

    @property
    def row_offsets(self) -> tuple[int, ...] | None:
        """How far the row of such a cell lies from that of the current cell, 0 along x; None where that is
        computed."""
        if not self.of_row:
            return None
        offsets = [0]
        for place, axis in zip(self.position[1:], "yz", strict=False):
            terms = place.args if isinstance(place, Op) and place.name == "add" else (place,)
            numbers = [term.value for term in terms if isinstance(term, Const)]
            if len(terms) > 2 or [t for t in terms if not isinstance(t, Const)] != [Symbol(axis, I64)]:
                return None
            offsets.append(int(sum(numbers)))
        return tuple(offsets)

    @property
    def in_column(self) -> bool:
        """Whether it lies in the column of the current cell, at a level that is computed."""
        return self.field.rank == 3 and self.position[:2] == (Symbol("x", I64), Symbol("y", I64))


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
class Select(Expression):
    """`condition ? yes : no`; the branch not taken is not evaluated. both: emitted text computes both values
    and takes the bits of one (see passes.vectorise.row_values)."""

    condition: Expression
    yes: Expression
    no: Expression
    both: bool = False

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
    """A small array: registers, per-thread scratch or block-shared memory. Scratch begins with zeros; of the
    others is read what was written before."""

    symbol: Symbol
    length: int
    space: Literal["register", "scratch", "shared"]


@node
class Store(Statement):
    """Write a field element. A nontemporal store bypasses the caches. target: a Gather in a space of
    PackRegions, whose table has each element once, and in the column of the current cell."""

    target: Access | Gather | Load
    value: Expression
    nontemporal: bool = False
    place: Place = NOWHERE


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
    """Combine `value` of all cells into `output`: "sum", "min" or "max" (see ir.reduction)."""

    operation: Literal["sum", "min", "max"]
    output: Symbol
    value: Expression
    place: Place = NOWHERE


@node
class If(Statement):
    """Statements under a condition. `wall`: the condition says that the elements stored lie behind a wall."""

    condition: Expression
    body: tuple[Statement, ...]
    wall: bool = False
    place: Place = NOWHERE


LoopKind = Literal["serial", "omp", "omp simd", "simd", "thread", "lanes", "levels"]


@node
class Loop(Statement):
    """`for counter in [begin, end) by step`. kind says who runs the iterations: one after the other (serial),
    OpenMP threads (omp), vector lanes (simd), CUDA threads (thread) or one CUDA thread without a loop, each
    iteration written out (lanes), or two of them at a time (levels). reductions: variables that they combine
    in any order, in code that was lifted; ours go by ir.reduction."""

    kind: LoopKind
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
class While(Statement):
    """Rounds as long as a condition holds, and `at_most` so many: carried symbols hold `initial`, then
    `update` of each round. Lowered, they are variables, and nothing is carried. counter: of the rounds; no
    expression names it."""

    counter: Symbol
    at_most: int
    condition: Expression
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
class Kernel(Node):
    """One function: what it needs, where it runs, what it does."""

    name: str
    fields: tuple[Field, ...]
    parameters: tuple[Symbol, ...]
    space: Space
    body: tuple[Statement, ...]
    outputs: tuple[Symbol, ...] = ()
    about: str = ""

    @property
    def slots(self) -> Field:
        """The field over a list into which the entries of the neighbour table lead: the populations."""
        return max((f for f in self.fields if f.layout.over_list), key=lambda f: f.components)
