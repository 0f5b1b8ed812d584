# SPDX-License-Identifier: Apache-2.0
"""Expressions of source text as expressions of lowered kernels."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.build import integer
from heddle.ir.functions import FUNCTIONS, OPERATORS
from heddle.lift.calls import (
    CHOICE,
    CONTAINER,
    INFINITIES,
    ROW_ELEMENT,
    WITHOUT_NAN,
    half_conversion,
    known_function,
)
from heddle.lift.device_calls import FULL_MASK, READ_ONLY, SHUFFLES, Shuffle
from heddle.lift.lifted import refuse
from heddle.lift.operands import converted, innermost, joined, noun, reads, size_of, times
from heddle.lift.polynomial import number_of


@dataclasses.dataclass(frozen=True)
class Object:
    """A value of a user's class whose constructor is visible: its members."""

    members: Mapping[str, ir.Expression]


@dataclasses.dataclass(frozen=True)
class Dead:
    """A name that must not be used any more. reason: a sentence."""

    reason: str


LARGEST_OBJECT = 64
"""Numbers of an object in an array of objects."""


class ExpressionLifter:
    """Translates the expressions of one function. `names`: what each name of the source stands for where it
    is not simply a symbol. `values`: of the names that never change. block: the threads of a CUDA block along
    x, y, z, where it is to be lifted for blocks of one size."""

    def __init__(self, unit: source.Unit, block: tuple[int, ...] = ()) -> None:
        self.unit, self.block_size = unit, block
        self.functions = {function.key: function for function in unit.functions}
        self.constants = {declaration.symbol.name: declaration for declaration in unit.constants}
        self.names: dict[str, ir.Expression | Object | Dead] = {}
        self.values: dict[ir.Symbol, ir.Expression] = {}
        self.place = Place(unit.file, 0)
        self.assumptions: list[str] = []
        self.kinds: dict[str, bool] = {}  # of members: whether their objects are many
        self.calls: list[str] = []  # functions being inlined, outermost first
        self.changed: set[str] = set()  # variables that some statement assigns
        self.read_as: dict[str, ir.Scalar] = {}  # what pointers to void point to

    # Values

    def value(self, expression: ir.Expression) -> ir.Expression:
        """A number or a truth value."""
        match expression:
            case ir.Const():
                return expression
            case ir.Symbol():
                return self.named(expression)
            case ir.Cast(inner, scalar):
                return converted(self.value(inner), scalar)
            case ir.Op("neg", (inner,), scalar) if isinstance(number := self.value(inner), ir.Const):
                return ir.Const(-number.value, scalar)
            case ir.Op(name, args, scalar):
                if name not in OPERATORS:
                    raise refuse(self.place, f"The operator '{name}' is not part of the kernel language.")
                if any(isinstance(argument.type, (ir.Pointer, source.PointerTo)) for argument in args):
                    raise refuse(
                        self.place,
                        "Pointers are compared or subtracted, which is not part of the kernel language.",
                    )
                return ir.Op(name, tuple(self.value(argument) for argument in args), scalar)
            case ir.Select(condition, yes, no):
                return ir.Select(self.value(condition), self.value(yes), self.value(no))
            case source.Subscript() | source.Member():
                return self.element(expression)
            case source.Invoke():
                return self.call(expression)
            case source.Unknown(reason, place):
                raise refuse(place, f"There is {reason} here, which is not part of the kernel language.")
        raise refuse(self.place, f"There is {noun(expression)} here, where a number is expected.")

    def named(self, symbol: ir.Symbol) -> ir.Expression:
        """What a name stands for."""
        if symbol.name in self.names:
            found = self.names[symbol.name]
            if isinstance(found, Dead):
                raise refuse(self.place, found.reason)
            if isinstance(found, Object):
                raise refuse(self.place, f"The object '{symbol.name}' is used as a number.")
            return found
        if symbol.name in self.constants:
            declaration = self.constants[symbol.name]
            if declaration.value is None:
                raise refuse(
                    declaration.place, f"The value of the constant '{symbol.name}' is not visible here."
                )
            return self.value(declaration.value)
        return symbol

    # Elements and pointers

    def element(self, expression: ir.Expression) -> ir.Expression:
        """An element of an array, or the member of an object."""
        match expression:
            case source.Subscript(base, index, scalar):
                if not isinstance(scalar, ir.Scalar):
                    raise refuse(self.place, f"An element of type {scalar} is used as a number.")
                pointer, offset = self.pointer(self.typed(base, scalar))
                self.check_numbers(pointer, scalar)
                return ir.Load(pointer, joined(offset, self.index(index)))
            case source.Member(base, name, scalar):
                if (found := self.of_many(expression)) is not None:
                    return ir.Load(*found)
                return self.member(base, name, scalar)
        raise AssertionError(expression)

    def of_many(self, expression: ir.Expression) -> tuple[ir.Symbol, ir.Expression] | None:
        """The member of an object in an array of objects, seen as the array `objects.of_f64` of all
        numbers of one type in it. None for the member of a single object."""
        path: list[str] = []
        inner, apart, at = expression, 0, 0
        while isinstance(inner, source.Member):
            path.append(inner.name)
            apart, at = inner.apart, at + inner.at
            if not apart:
                return None  # a union
            inner = inner.object
        if not (isinstance(inner, source.Subscript) and isinstance(inner.type, source.Record)):
            return None
        whole, number = self.thing(inner.base), self.index(inner.index)
        if not isinstance(whole, ir.Symbol) or whole.name in self.names or self.thing(inner) is not inner:
            return None
        element = innermost(expression.type)
        if not isinstance(element, ir.Scalar) or apart % (element.bits // 8) or at % (element.bits // 8):
            return None
        size = apart // (element.bits // 8)
        if size > LARGEST_OBJECT:
            raise refuse(
                self.place,
                f"The objects of '{whole.name}' are {apart} bytes large; at most {LARGEST_OBJECT} numbers "
                "are supported.",
                "keep what the loop needs in arrays of its own",
            )
        self.check_kind(".".join([whole.name, *path[::-1]]), many=True)
        named = ir.Symbol(f"{whole.name}.of_{element}", ir.Pointer(element))
        return named, joined(times(number, size), integer(at // (element.bits // 8)))

    def check_kind(self, name: str, many: bool) -> None:
        """`p->x` is the same in all cells, `p[i].x` need not be: a pointer is to one object or to many."""
        if self.kinds.setdefault(name, many) != many:
            raise refuse(
                self.place,
                f"'{name}' belongs to one object here, and elsewhere to one of an array.",
                "pass the single object by a pointer of its own",
            )

    def member(self, base: ir.Expression, name: str, scalar: Any) -> ir.Expression:
        base = self.thing(base)
        if isinstance(base, ir.Symbol):
            found = self.names.get(base.name)
            if isinstance(found, Object):
                if name not in found.members:
                    raise refuse(self.place, f"'{base.name}' has no visible member '{name}'.")
                return found.members[name]
            whole = found if isinstance(found, ir.Symbol) else base
            if whole.name == "blockDim" and self.block_size:
                return ir.Const(self.block_size["xyz".index(name)], scalar)
            self.check_kind(f"{whole.name}.{name}", many=False)
            return ir.Symbol(f"{whole.name}.{name}", scalar)
        raise refuse(self.place, f"The member '{name}' belongs to {noun(base)}.")

    def check_numbers(self, pointer: ir.Symbol, wanted: Any) -> None:
        """A cast by way of `void*` may look at numbers as others."""
        assert isinstance(pointer.type, ir.Pointer)
        element = pointer.type.element
        if isinstance(wanted, ir.Scalar) and element != wanted:
            raise refuse(
                self.place,
                f"'{pointer.name}' points to numbers of type {element}, and is read as {wanted}.",
                "read an array as what it contains",
            )

    def thing(self, expression: ir.Expression) -> ir.Expression:
        """The name of an object: a member of one has the name `object.member`, what a pointer points to that
        of the pointer."""
        match expression:
            case source.Subscript(base, ir.Const(0), source.Record()):
                found, kind = self.thing(base), expression.type
                return ir.Symbol(found.name, kind) if isinstance(found, ir.Symbol) else expression
            case source.Member(base, name, source.Record() | source.PointerTo()):
                found, kind = self.thing(base), expression.type
                known = self.names.get(found.name) if isinstance(found, ir.Symbol) else None
                if isinstance(known, Object):
                    inner = known.members.get(name)
                    return inner if isinstance(inner, ir.Symbol) else expression
                whole = known if isinstance(known, ir.Symbol) else found
                return ir.Symbol(f"{whole.name}.{name}", kind) if isinstance(whole, ir.Symbol) else expression
        return expression

    def index(self, expression: ir.Expression) -> ir.Expression:
        """An index; a literal one is a 64-bit integer, whatever the literal's type."""
        value = self.value(expression)
        if isinstance(value, ir.Const) and isinstance(value.value, int):
            return integer(value.value)
        return value

    def whole(self, expression: ir.Expression) -> ir.Symbol:
        """An array or a line from its first element on."""
        pointer, offset = self.pointer(expression)
        assert offset == integer(0)
        return pointer

    def typed(self, expression: ir.Expression, wanted: Any) -> ir.Expression:
        """What a pointer is read as. A pointer to void is one to the numbers that it is read as, wherever it
        is read."""
        match expression:
            case ir.Symbol(name, source.PointerTo(source.Void(), const)) if (
                name not in self.names and name != "nullptr" and isinstance(wanted, ir.Scalar)
            ):
                return ir.Symbol(name, ir.Pointer(self.read_as.setdefault(name, wanted), const))
        return expression

    def pointer(self, expression: ir.Expression) -> tuple[ir.Symbol, ir.Expression]:
        """The name of an array or pointer and an offset in elements: `p + a + b` is (p, a + b)."""
        match expression:
            case ir.Symbol(name, kind):
                found = self.named(expression)
                if isinstance(found, ir.View):
                    return found.pointer, found.offset
                if not isinstance(found, ir.Symbol):
                    raise refuse(self.place, f"'{name}' is used as a pointer.")
                kind = found.type
                if isinstance(kind, source.Array):
                    element = innermost(kind)
                    if not isinstance(element, ir.Scalar):
                        raise refuse(
                            self.place, f"'{name}' is an array of {element}, which is not supported."
                        )
                    return ir.Symbol(found.name, ir.Pointer(element)), integer(0)
                if isinstance(kind, source.PointerTo):
                    element = innermost(kind.element)
                    if isinstance(kind.element, source.Array) and isinstance(element, ir.Scalar):
                        return ir.Symbol(found.name, ir.Pointer(element, kind.const)), integer(0)
                    raise refuse(
                        self.place, f"'{name}' is a pointer to {kind.element}, which is not supported."
                    )
                if not isinstance(kind, ir.Pointer):
                    raise refuse(self.place, f"'{name}' of type {kind} is used as a pointer.")
                return found, integer(0)
            case ir.Op("add", (base, offset)) if isinstance(offset.type, ir.Scalar):
                pointer, before = self.pointer(base)
                return pointer, joined(before, self.scaled(expression, self.index(offset)))
            case ir.Op("add", (offset, base)):
                pointer, before = self.pointer(base)
                return pointer, joined(before, self.scaled(expression, self.index(offset)))
            case ir.Op("sub", (base, offset)) if isinstance(offset.type, ir.Scalar):
                pointer, before = self.pointer(base)
                away = self.scaled(expression, self.index(offset))
                return pointer, joined(before, away, "sub")
            case source.AddressOf(source.Subscript(base, index)):
                pointer, before = self.pointer(base)
                return pointer, joined(before, self.scaled(expression, self.index(index)))
            case source.Subscript(type=ir.Pointer() | source.PointerTo()):
                raise refuse(
                    self.place,
                    "There is an array of pointers, whose rows may be anywhere in memory.",
                    "pass one contiguous array",
                )
            case source.Subscript(base, index, source.Array() as row):
                pointer, before = self.pointer(self.typed(base, innermost(row)))
                return pointer, joined(before, times(self.index(index), self.size_of(row)))
            case source.Member(type=source.Array()) if (many := self.of_many(expression)) is not None:
                return many
            case source.Member(base, name, kind):
                found = self.member(base, name, kind)
                if isinstance(found, ir.View):
                    return found.pointer, found.offset
                if isinstance(found, ir.Symbol):
                    return self.pointer(found) if found.name not in self.names else (found, integer(0))
            case source.Invoke(name, _, (base, *_)) if (
                (match := CONTAINER.match(name)) and match[3] == "data" and isinstance(base, ir.Symbol)
            ):
                return self.container(base, expression.type.element), integer(0)
            case source.Invoke() if (function := self.functions.get(expression.function)) is not None:
                return self.inlined_pointer(function, expression)
        raise refuse(self.place, f"There is {noun(expression)} here, where a pointer is expected.")

    def row_view(self, call: source.Invoke) -> ir.View:
        """`heddle::row<unit>(pointer, stride)`."""
        name, template = self.callee(call)
        if name != "heddle::row":
            raise refuse(self.place, f"'{name}' is called where a row is expected.")
        pointer, offset = self.pointer(call.args[0])
        stride = integer(1) if template and template[0] in (True, 1) else self.value(call.args[1])
        return ir.View(pointer, offset, stride)

    def scaled(self, pointer: ir.Expression, offset: ir.Expression) -> ir.Expression:
        """An offset of a pointer to rows, in elements."""
        kind = pointer.type
        if isinstance(kind, source.PointerTo) and isinstance(kind.element, source.Array):
            return times(offset, self.size_of(kind.element))
        return offset

    def size_of(self, kind: source.Array) -> ir.Expression:
        """How many innermost elements a row has. Of one of variable length the variables must never change:
        it keeps the length that it had when its type was named."""
        if kind.length or kind.size is None:
            inner = self.size_of(kind.element) if isinstance(kind.element, source.Array) else integer(1)
            own = size_of(dataclasses.replace(kind, element=ir.I8), self.place)
            return times(inner, own) if isinstance(inner, ir.Const) else times(integer(own), inner)
        length = self.value(kind.size)
        if reads(length, self.changed):
            raise refuse(
                self.place,
                "The length of a row is computed from variables that change.",
                "compute it from constants and arguments that do not change",
            )
        return times(length, self.size_of(kind.element)) if isinstance(kind.element, source.Array) else length

    def container(self, base: ir.Symbol, scalar: Any) -> ir.Symbol:
        """A span, vector or array, seen as the pointer to its first element."""
        found = self.named(base)
        assert isinstance(found, ir.Symbol)
        return ir.Symbol(found.name, ir.Pointer(scalar))

    # Calls

    def callee(self, call: source.Invoke) -> tuple[str, tuple[Any, ...]]:
        """Name and template arguments of the function that is called."""
        function = self.functions.get(call.function)
        return (function.name, function.template) if function else (call.function, call.template)

    def call(self, call: source.Invoke) -> ir.Expression:
        function = self.functions.get(call.function)
        name = function.name if function else call.function
        known = known_function(name)
        if known is None and name.removeprefix("std::").removeprefix("::") in WITHOUT_NAN:
            known = WITHOUT_NAN[name.removeprefix("std::").removeprefix("::")]
            self.assumptions.append(f"{self.place}: no argument of {name} is NaN, which it would pass over")
        if known is not None and FUNCTIONS[known].arrays:
            arrays = (self.whole(a) for a in call.args[: FUNCTIONS[known].arrays])
            numbers = (self.value(a) for a in call.args[FUNCTIONS[known].arrays :])
            return ir.Call(known, (*arrays, *numbers), call.type)
        if known is not None:
            arguments = tuple(self.value(a) for a in call.args[: FUNCTIONS[known].arguments])
            if {a.type for a in arguments} != {call.type} and not FUNCTIONS[known].converts:
                raise refuse(self.place, f"'{name}' is called with arguments of different types.")
            return ir.Call(known, arguments, call.type)
        if name == CHOICE:
            condition, yes, no = map(self.value, call.args)
            return ir.Select(condition, yes, no, True)
        if name in INFINITIES:
            return ir.Const(math.inf, call.type)
        half = half_conversion(name)
        if half is not None:
            return self.half(self.value(call.args[0]), half)
        if name in READ_ONLY:  # a load, past another cache
            pointer, offset = self.pointer(call.args[0])
            return ir.Load(pointer, offset)
        if name in SHUFFLES:
            return self.shuffle(name, call)
        if ROW_ELEMENT.match(name):
            pointer, offset = self.pointer(call.args[0])
            return ir.Load(pointer, joined(offset, self.index(call.args[1])))
        if match := CONTAINER.match(name):
            base = call.args[0]
            if isinstance(base, ir.Symbol) and match[3] == "operator[]":
                return ir.Load(self.container(base, call.type), self.index(call.args[1]))
            if isinstance(base, ir.Symbol) and match[3] == "size":
                return ir.Symbol(f"{base.name}.size", call.type)
        if function is None:
            raise refuse(
                self.place,
                f"The body of the function '{name}' is not visible here.",
                "make its definition visible (inline, in a header), or lift the code around the call",
            )
        return self.inlined(function, call)

    def shuffle(self, name: str, call: source.Invoke) -> ir.Expression:
        """What another thread of the whole warp has."""
        mask, value, lanes, width = call.args
        if number_of(self.value(mask)) not in (FULL_MASK, -1) or number_of(self.value(width)) != 32:
            raise refuse(self.place, f"'{name}' is called for a part of a warp.", "pass the mask 0xffffffff")
        return Shuffle(SHUFFLES[name], self.value(value), self.value(lanes), call.type)  # type: ignore[arg-type]

    @staticmethod
    def half(value: ir.Expression, scalar: ir.Scalar) -> ir.Expression:
        """In C++ a half-precision number is its bits, of type u16: `as_half` reads them as a number."""
        return ir.Cast(value if scalar == ir.F16 else ir.Call("as_half", (value,), ir.F16), scalar)

    def inlined(self, function: source.Function, call: source.Invoke) -> ir.Expression:
        """The value that a visible function returns, its arguments put in."""
        with _Inlining(self, function, call):
            return self.returned(function.body, function)

    def inlined_pointer(
        self, function: source.Function, call: source.Invoke
    ) -> tuple[ir.Symbol, ir.Expression]:
        """The element or pointer that a visible function returns."""
        with _Inlining(self, function, call):
            result = self.returned(function.body, function, as_pointer=True)
        assert isinstance(result, ir.View)
        return result.pointer, result.offset

    def returned(
        self, body: tuple[ir.Statement, ...], function: source.Function, as_pointer: bool = False
    ) -> ir.Expression:
        """The value of a body without effects: constants, `if`s and `return`s."""
        for at, statement in enumerate(body):
            match statement:
                case source.Declaration(symbol, value, reference=False) if value is not None:
                    if isinstance(symbol.type, (ir.Pointer, source.PointerTo)):
                        pointer, offset = self.pointer(value)
                        self.names[symbol.name] = ir.View(pointer, offset, integer(1))
                    else:
                        self.names[symbol.name] = self.value(value)
                case source.Block(inner):
                    return self.returned((*inner, *body[at + 1 :]), function, as_pointer)
                case source.Branch(condition, yes, no) if not as_pointer:
                    rest = body[at + 1 :]
                    outer = dict(self.names)
                    chosen = self.value(condition)
                    first = self.returned((*yes, *rest), function)
                    self.names = dict(outer)
                    return ir.Select(chosen, first, self.returned((*no, *rest), function))
                case source.Exit("return", value) if value is not None:
                    if as_pointer or isinstance(function.result, (ir.Pointer, source.PointerTo)):
                        base = value if isinstance(value.type, (ir.Pointer, source.PointerTo)) else None
                        pointer, offset = self.pointer(
                            base or source.AddressOf(value, ir.Pointer(value.type))
                        )
                        return ir.View(pointer, offset, integer(1))
                    return self.value(value)
                case _:
                    raise refuse(
                        getattr(statement, "place", self.place),
                        f"'{function.name}' does more here than compute a value from constants, `if` and "
                        "`return`, so its call cannot be replaced by its value.",
                    )
        raise refuse(function.place, f"'{function.name}' may end without returning a value.")

    def argument(self, parameter: source.FunctionParameter, value: ir.Expression) -> ir.Expression | Object:
        """What a parameter stands for inside an inlined function."""
        kind = parameter.symbol.type
        if isinstance(kind, (ir.Pointer, source.PointerTo)):
            pointer, offset = self.pointer(self.typed(value, innermost(kind.element)))
            self.check_numbers(pointer, innermost(kind.element))
            return ir.View(pointer, offset, integer(1))
        if isinstance(kind, source.Record):
            value = self.thing(value)
            if isinstance(value, ir.Symbol):
                return self.names.get(value.name, value)
            if isinstance(value, source.Invoke):
                return self.constructed(value)
            raise refuse(
                self.place,
                f"The object passed as '{parameter.symbol.name}' is {noun(value)}, which is not supported.",
            )
        return self.value(value)

    def constructed(self, call: source.Invoke) -> Object:
        """An object by what its constructor does with the arguments."""
        function = self.functions.get(call.function)
        if function is None or function.kind != "constructor" or function.body:
            raise refuse(
                self.place,
                f"The constructor '{call.function}' does more than initialise members.",
            )
        members: dict[str, ir.Expression] = {}
        with _Inlining(self, function, call):
            for name, value in function.initialisers:
                if isinstance(value.type, (ir.Pointer, source.PointerTo)):
                    pointer, offset = self.pointer(value)
                    members[name] = ir.View(pointer, offset, integer(1))
                else:
                    members[name] = self.value(value)
        return Object(members)


class _Inlining:
    """The names inside a function that is being inlined, the outer ones hidden."""

    def __init__(self, lifter: ExpressionLifter, function: source.Function, call: source.Invoke) -> None:
        if function.key in lifter.calls:
            raise refuse(lifter.place, f"'{function.name}' is recursive, which is not supported.")
        parameters = [
            p for p in function.parameters if not (function.kind == "constructor" and p.symbol.name == "this")
        ]
        if len(parameters) != len(call.args):
            raise refuse(
                lifter.place, f"'{function.name}' is called with default arguments, which is not supported."
            )
        self.lifter, self.function = lifter, function
        self.bound = {
            parameter.symbol.name: lifter.argument(parameter, argument)
            for parameter, argument in zip(parameters, call.args, strict=True)
        }

    def __enter__(self) -> None:
        self.outer = self.lifter.names
        self.lifter.names = dict(self.bound)
        self.lifter.calls.append(self.function.key)

    def __exit__(self, *_: object) -> None:
        self.lifter.names = self.outer
        self.lifter.calls.pop()
