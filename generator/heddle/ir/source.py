# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of source text: what heddle-lift reads from C++ or CUDA before it is a kernel.

The program heddle-lift only translates Clang's tree: it keeps every conversion, gives every expression its
type, and marks what it does not know. It decides nothing; the passes of `heddle.lift` turn its record into
the vocabulary of lowered kernels. The record is these nodes, with `Const Symbol Op Select Cast` of
`heddle.ir.nodes`, as the JSON of `heddle.ir.json`. The C++ side of heddle-lift is written from this file, see
`heddle.lift.schema`.

Rules of the record, values:

- Only conversions that can change a value are casts: between integers, between floats, between both, and to
  bool, where the two types differ (`long` to `long long` is none). Decay, qualification, lvalue-to-rvalue,
  and conversions to a pointer to void, or between pointers to the same numbers or arrays of them, are not
  written. Others are unknown.
- Operators are those of `heddle.ir.functions.OPERATORS`, on numbers that already have one type (those of a
  shift keep their own). `+e` is e; pointer arithmetic is `Op("add" | "sub", (pointer, integer), Pointer)`;
  pointers are compared only with the symbol `nullptr`, which every null pointer is. A bit complement is
  unknown.
- `*p` is `Subscript(p, 0)`, `p->x` the member of that, `i[a]` is `a[i]`, and `&x[i]` is
  `AddressOf(Subscript(x, i))`. In methods, the symbol `this` is the object, not its address.
- `a op= b`, `++a` and `--a` as statements are an `Assignment` of the operation written out, with the
  conversions that C++ prescribes; a pointer steps by an i64. Inside an expression they are unknown.
- Character, integer, bool and float literals are `Const` with their own type (a float literal is rounded to
  it), `T()` of a number is its zero; sizeof is a `Const` of type u64, unknown for classes.
- Default arguments and default member initialisers are written out. Trivial copies are what they copy.
- Floats are f16 (`_Float16`, `__half`), f32, f64; integers are told by size and sign (`long` is i64); an
  enumeration is its integer, a reference what it refers to. Whatever is volatile is a `Record`.
- A function as a value is a symbol of its qualified name; its type is a `Record`.
- Constants of namespaces and enumerators are symbols of their qualified names, see `Unit`; so are members
  that are static constants.

Statements:

- One statement for each declarator, and for each part of a comma expression. What is no code is not written:
  empty statements, types, `static_assert`. Attributes are passed over.
- `if constexpr` is a `Block` of the branch that is taken, nothing if there is none; so is
  `do { } while (0)` without `break` and `continue` of its own.
- A variable that is static and not constant, or whose class has a destructor, is unknown.

Names and places:

- Qualified names leave out anonymous and inline namespaces; classes in them have all their template
  arguments, as Clang prints the canonical type: `heddle::StridedRow<double>::operator[]`.
- A place is the line where something begins (in a macro: where that is used), of a function or a constant the
  line of its name; files are without folders.

Whatever is not listed here is `Unknown` or `UnknownStatement` with a reason, which `heddle.lift.diagnostics`
lists; never a guess. So is what is nested too deeply: more than 400 expressions of Clang's tree, or 200
statements.
"""

from __future__ import annotations

from typing import Any, Literal

from heddle.errors import NOWHERE, Place
from heddle.ir.hash_consing import Node, node
from heddle.ir.nodes import Expression, Statement, Symbol

# --- Types --------------------------------------------------------------------------------------------------


@node
class Array(Node):
    """`element[length]`, nested for more dimensions; length 0 where it is not a constant. size: that length,
    where it is a sum or product of local integers, with the values that they had when the type was named."""

    element: Any
    length: int
    size: Expression | None = None

    def __str__(self) -> str:
        return f"{self.element}[{self.length}]"


@node
class PointerTo(Node):
    """A pointer to something that is not a number: an array, a record, a pointer. Pointers to numbers are
    `heddle.ir.nodes.Pointer`."""

    element: Any
    const: bool = False

    def __str__(self) -> str:
        return f"{self.element}*"


@node
class Record(Node):
    """A class, by its full name with template arguments; also a type that is not understood."""

    name: str

    def __str__(self) -> str:
        return self.name


@node
class Void(Node):
    """No value."""

    def __str__(self) -> str:
        return "void"


# --- Expressions --------------------------------------------------------------------------------------------


@node
class Subscript(Expression):
    """`base[index]`, base being a pointer or an array."""

    base: Expression
    index: Expression
    type: Any


@node
class AddressOf(Expression):
    """`&element`."""

    element: Expression
    type: Any


@node
class Member(Expression):
    """`object.name` or `object->name`; inside a method, the object is the symbol `this`. apart: the bytes
    from one object of its class to the next in an array; 0 where several members may share memory. at: the
    bytes from the begin of an object to the member."""

    object: Expression
    name: str
    type: Any
    apart: int = 0
    at: int = 0


@node
class Invoke(Expression):
    """A call: of a function of the unit by its key, else of one whose body is not visible by its qualified
    name.

    template: its template arguments, packs flattened: types as Clang names them, integers as they are, bools
    as 0 and 1. The object of a method is the first argument. A constructor's name is that of its class, its
    type the Record. lvalue: it returns a reference. references: the numbers of the arguments that the
    function may change, as it takes them by reference.
    """

    function: str
    template: tuple[Any, ...]
    args: tuple[Expression, ...]
    type: Any
    lvalue: bool = False
    references: tuple[int, ...] = ()


@node
class Initializer(Expression):
    """`{entries}`, the initial value of an array or an aggregate in the order of its members. Nested braces
    are nested initializers, also where they were left out. An array has the entries that were written, an
    aggregate all members."""

    entries: tuple[Expression, ...]
    type: Any


@node
class Unknown(Expression):
    """An expression that heddle-lift does not translate. reason: what it is, as a noun: "a lambda". Its
    type is not recorded."""

    reason: str
    place: Place
    type: Any = None


# --- Statements ---------------------------------------------------------------------------------------------


@node
class Declaration(Statement):
    """A variable. value: None where it has no initial value. space: "shared" for `__shared__`. constant: it
    can never change (const or constexpr, not a reference). reference: it is another name of the value.
    alignment: of an `alignas`, in bytes, else 0."""

    symbol: Symbol
    value: Expression | None
    constant: bool
    space: Literal["", "shared"] = ""
    reference: bool = False
    alignment: int = 0
    place: Place = NOWHERE


@node
class Assignment(Statement):
    """`target = value`. updates: it was written as `target op= ...`, `++target` or `--target`."""

    target: Expression
    value: Expression
    updates: bool = False
    place: Place = NOWHERE


@node
class Branch(Statement):
    """`if (condition) yes else no`."""

    condition: Expression
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    place: Place = NOWHERE


@node
class For(Statement):
    """`for (start; condition; step) body`. condition: None where there is none. pragma: the text of the `omp`
    pragma lines before it, without `#pragma`, joined by newlines, with single spaces; blank lines, `//` lines
    and other pragmas may stand between."""

    start: tuple[Statement, ...]
    condition: Expression | None
    step: tuple[Statement, ...]
    body: tuple[Statement, ...]
    pragma: str = ""
    place: Place = NOWHERE


@node
class Block(Statement):
    """`{ body }` that is not the body of another statement."""

    body: tuple[Statement, ...]


@node
class Exit(Statement):
    """`return value`, `return`, `continue` or `break`."""

    kind: Literal["return", "continue", "break"]
    value: Expression | None = None
    place: Place = NOWHERE


@node
class Evaluate(Statement):
    """An expression for its effect: a call."""

    value: Expression
    place: Place = NOWHERE


@node
class UnknownStatement(Statement):
    """A statement that heddle-lift does not translate. reason: as a noun: "a while loop". inside: the
    statements and conditions in it, in the order of the text, where that is known."""

    reason: str
    place: Place
    inside: tuple[Statement, ...] = ()


# --- Functions ----------------------------------------------------------------------------------------------


@node
class FunctionParameter(Node):
    """A parameter. restrict: `__restrict__`; reference: passed by reference."""

    symbol: Symbol
    restrict: bool = False
    reference: bool = False


@node
class Function(Node):
    """A function with a body. key: qualified name, template arguments and parameter types as Python's str()
    of them with what tells overloads apart, unique in the unit: `ns::name<4, double>(f64 const*, i32&)`,
    `ns::Class::method(i64) const`. name: qualified name, of a constructor that of its class. kind: "kernel"
    for `__global__`; the first parameter of a method or a constructor is the symbol `this`, a reference to
    its object. initialisers: of a constructor, member name and value. launch_bounds: of a kernel, as far as
    given. main: defined in the file itself, not in an include."""

    key: str
    name: str
    template: tuple[Any, ...]
    parameters: tuple[FunctionParameter, ...]
    result: Any
    body: tuple[Statement, ...]
    kind: Literal["function", "kernel", "method", "constructor"] = "function"
    initialisers: tuple[tuple[str, Expression], ...] = ()
    launch_bounds: tuple[int, ...] = ()
    main: bool = True
    place: Place = NOWHERE


@node
class Unit(Node):
    """A translation unit: the functions defined in its file in the order of the text (instantiations of a
    template in the order of their keys), the kernels of its includes, then the functions they call, by key;
    and the constants of namespaces that they read, by name, if their initial value is known. Not written are
    templates, lambdas, destructors, defaulted functions, methods of local classes, and what stands in system
    headers."""

    file: str
    functions: tuple[Function, ...]
    constants: tuple[Declaration, ...] = ()
