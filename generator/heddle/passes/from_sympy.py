# SPDX-License-Identifier: Apache-2.0
"""from_sympy: SymPy statements -> untyped IR. The last place that knows SymPy.

before   Assignment(u_next[0], u[0] + alpha*(u[1] - 2*u[0] + u[-1]))
after    store u_next[0] = add(u[0], mul(alpha, sub(add(u[-1], u[1]), mul(2, u[0]))))

SymPy keeps sums and products in an order of its own, which may change between versions. Here they are put
into the order of the model: constants, parameters and locals as they are first named, accesses by field,
component and offset.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import sympy
from sympy.codegen.cfunctions import exp2, log2
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean, BooleanFalse, BooleanTrue

from heddle.errors import NOWHERE, KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.cpp_names import is_name, why_no_name
from heddle.ir.functions import FUNCTIONS
from heddle.ir.hash_consing import Node
from heddle.ir.layout import (
    ENTRIES,
    INTERMEDIATE,
    OTHER_GRID,
    OVER_LIST,
    PROFILE,
    SPLIT,
    STRIDED,
    TABLE,
    Layout,
)
from heddle.ir.schedule import Precision
from heddle.ir.space import PLACES, Dense, Space
from heddle.ir.unique_names import with_free_counters
from heddle.ir.visit import distinct
from heddle.ir.walls import crossed
from heddle.model import assignment as model
from heddle.model import field as named
from heddle.model.bits import bit_and, remainder, shift_left
from heddle.model.expression import parts

_RELATIONS = {
    sympy.StrictLessThan: "lt",
    sympy.LessThan: "le",
    sympy.StrictGreaterThan: "gt",
    sympy.GreaterThan: "ge",
    sympy.Equality: "eq",
    sympy.Unequality: "ne",
}
_CALLS: dict[Any, str] = {
    getattr(sympy, row.sympy): name for name, row in FUNCTIONS.items() if row.sympy and row.power is None
} | {exp2: "exp2", log2: "log2"}
_ROOTS = {sympy.Rational(row.power): name for name, row in FUNCTIONS.items() if row.power is not None}
_TYPES = {
    "double": ir.F64,
    "float": ir.F32,
    "half": ir.F16,
    "int32": ir.I32,
    "int64": ir.I64,
    "uint8": ir.U8,
    "uint32": ir.U32,
    "bool": ir.BOOL,
}
_INTEGER_FUNCTIONS = {bit_and: "bitand", shift_left: "shl", remainder: "rem"}
_Key = tuple[Any, ...]
_DENSE_NAMES = frozenset({"x", "y", "z", "n_x", "n_y", "n_z"})
_ENTRY_NAMES = frozenset({"stream", "precondition", "arrays", "split", "wrong"})
_COLOUR_NAMES = frozenset(
    {"colour", "i", "n_i", "other", "first_colour", "last_colour", "x_first", "y_first", "z_first"}
)
_WALL_NAMES = frozenset({"walls"})
TRIP = ir.Symbol("trip", ir.I64)
"""Counts the rounds of a While; name_locals gives it another name where this one is taken."""
_SPARSE_NAMES = frozenset({"first", "last", "cells", "cell_count", "neighbour", "neighbour_stride"}) | {
    "neighbour_chunk",
    "neighbour_run",
}


def from_sympy(
    name: str,
    statements: Iterable[model.Statement],
    space: Space,
    precision: Precision,
    about: str = "",
    order: Sequence[str] = (),
) -> ir.Kernel:
    """Turn the statements of a model into a kernel. Raises KernelError for what has no meaning as a kernel.

    order: names of arguments as the model declares them. Behind them come the other fields as the equations
    first use them, and the other scalars by alphabet.
    """
    return _Converter(space, precision).kernel(name, tuple(statements), about, order)


class _Converter:
    def __init__(self, space: Space, precision: Precision) -> None:
        self.space, self.precision = space, precision
        self.fields: dict[str, tuple[named.Field, ir.Field]] = {}
        self.parameters: dict[str, ir.Symbol] = {}
        self.outputs: dict[str, tuple[ir.Symbol, str]] = {}
        self.locals: dict[str, ir.Symbol] = {}
        self.rank: dict[str, int] = {}
        self.memo: dict[sympy.Basic, ir.Expression] = {}
        self.keys: dict[Node, _Key] = {}
        self.ended: set[str] = set()
        self.places: dict[str, Place] = {}
        self.known: dict[str, sympy.Symbol] = {}
        self.place: Place = NOWHERE

    def kernel(
        self, name: str, statements: tuple[model.Statement, ...], about: str, order: Sequence[str]
    ) -> ir.Kernel:
        space = self.space
        box = PLACES[: space.box]  # of listed cells of a box, their coordinates
        for place in box:
            self.field(named.Field(place, "int32", 0, ghost_layers=0))
        body = self.block(statements)
        self.check_derived(name)
        if not any(isinstance(node, ir.Access) and crossed(space, node) for node in distinct(body)):
            space = space.without_walls()  # it looks at no neighbours
        number = {argument: n for n, argument in enumerate((*box, *order))}
        fields = [field for _, field in self.fields.values()]
        fields.sort(key=lambda field: number.get(field.name, len(number)))
        parameters = sorted(self.parameters.values(), key=lambda p: (number.get(p.name, len(number)), p.name))
        return with_free_counters(
            ir.Kernel(
                name,
                tuple(fields),
                tuple(parameters),
                space,
                body,
                tuple(output for output, _ in self.outputs.values()),
                about,
            )
        )

    # Statements

    def block(self, statements: Iterable[model.Statement]) -> tuple[ir.Statement, ...]:
        return tuple(self.statement(statement) for statement in statements)

    def statement(self, statement: model.Statement) -> ir.Statement:
        self.place = getattr(statement, "place", self.place)
        place = self.place
        match statement:
            case model.Section(text):
                return ir.Comment(text)
            case model.Assignment(named.Access() as target, value):
                stored = self.value(value)
                return ir.Store(self.access(target), stored, False, place)
            case model.Assignment(named.GatherFunction() as target, value):
                stored = self.value(value)
                level = self.value(target)
                assert isinstance(level, ir.Gather)
                return ir.Store(level, stored, False, place)
            case model.Assignment(target, value):
                named_value = self.value(value)
                return ir.Let(self.local(target), named_value, place)
            case model.If(condition, body, wall):
                return ir.If(self.value(condition), self.scope(body)[0], wall, place)
            case model.Reduce(operation, named.GatherFunction() as target, value):
                result = ir.Call(f"row_{operation}", (self.value(value),))
                row = self.value(target)
                assert isinstance(row, ir.Gather)
                return ir.Store(row, result, False, place)
            case model.Reduce(operation, str() as name, value):
                return ir.Reduce(operation, self.output(name, operation), self.value(value), place)  # type: ignore[arg-type]
            case model.Scan(axis, carried, body, update, reverse):
                if not (self.space.is_box and axis in range(self.space.dimensions)):
                    raise KernelError(
                        place,
                        f"the Scan runs along axis {axis}, which the kernel's space does not have.",
                        "use an axis below the number of dimensions of the fields",
                    )
                initial = tuple(self.value(value) for value in carried.values())
                symbols = tuple(self.local(symbol) for symbol in carried)
                inner, updates = self.scope(body, [update[symbol] for symbol in carried])
                return ir.Scan(axis, reverse, symbols, initial, inner, updates, place)
            case model.While(condition, carried, body, update, at_most):
                initial = tuple(self.value(value) for value in carried.values())
                symbols = tuple(self.local(symbol) for symbol in carried)
                asked = self.value(condition)
                inner, updates = self.scope(body, [update[symbol] for symbol in carried])
                assert at_most is not None
                return ir.While(TRIP, at_most, asked, symbols, initial, inner, updates, place)
        raise AssertionError(statement)

    def scope(
        self, body: Iterable[model.Statement], values: Iterable[sympy.Basic] = ()
    ) -> tuple[tuple[ir.Statement, ...], tuple[ir.Expression, ...]]:
        """The body of a condition or a loop, and `values` after it, which may use its names; nothing else
        may."""
        outside, memo = dict(self.locals), dict(self.memo)
        inside = self.block(body), tuple(self.value(value) for value in values)
        for symbol in self.locals.keys() - outside.keys():
            self.rank.pop(symbol, None)
            self.ended.add(symbol)
        self.locals, self.memo = outside, memo
        return inside

    def output(self, name: str, operation: str) -> ir.Symbol:
        """The argument that receives a reduction."""
        symbol, agreed = self.outputs.setdefault(name, (ir.Symbol(name), operation))
        if agreed != operation:
            raise KernelError(
                self.place,
                f"'{name}' is reduced with two different operations.",
                "give each reduction its own name",
            )
        if name in self.fields or name in self.locals or name in self.parameters:
            raise KernelError(
                self.place, f"'{name}' names both a reduction and another quantity.", "rename one of them"
            )
        self.check_name(name)
        return symbol

    def check_name(self, name: str, argument: bool = True) -> None:
        """Raise KernelError for what is no name in C++, or stands for something else in the emitted function.

        argument: of that function, which keeps its name; a local value may get another one."""
        own = _DENSE_NAMES if self.space.is_box else _SPARSE_NAMES
        if self.space.box:
            own |= _DENSE_NAMES
        if self.space.colours > 1:
            own |= _COLOUR_NAMES
        if self.space.walls:
            own |= _WALL_NAMES
        if argument:
            own |= _ENTRY_NAMES
            self.places.setdefault(name, self.place)
        if not is_name(name) or name in own:
            reason = why_no_name(name) or "the emitted function uses this name"
            if is_name(name) and name in _SPARSE_NAMES and name in own:
                reason = "emitted kernels over a list use this name"
            hint = "choose another name"
            if any(sign in name for sign in "+-*/("):
                hint += (
                    "; build expressions from symbols, 1 / (3 * sympy.Symbol('nu') + ...), not from strings"
                )
            raise KernelError(self.place, f"'{name}' cannot be used as a name here: {reason}.", hint)

    def check_derived(self, kernel: str) -> None:
        """Raise KernelError for an argument whose name the emitted text derives from the name of another one,
        or of the kernel."""
        derived = {f"{field}_{what}" for field in self.fields for what in ("extent", "stride")}
        derived |= {f"{output}_{what}" for output in self.outputs for what in ("work", "status")}
        derived |= {f"{kernel}_{what}" for what in ("kernel", "entry", "check")}
        function = f"{kernel}_{self.precision.suffix}"
        for name, place in self.places.items():
            if name in derived or name == function or name.startswith(f"{function}_"):
                raise KernelError(
                    place,
                    f"'{name}' cannot be used as a name here: the emitted function uses this name.",
                    "choose another name",
                )

    def check_symbol(self, symbol: sympy.Symbol) -> None:
        """Raise KernelError if another symbol has this name: in emitted code they would be one quantity."""
        name, other = symbol.name, self.known.setdefault(symbol.name, symbol)
        if other != symbol and sympy.Dummy in (type(symbol), type(other)):
            raise KernelError(
                self.place,
                f"two different symbols are called '{name}', one of them a Dummy.",
                "give each a name of its own, or use one Symbol",
            )
        types = [each.dtype if isinstance(each, named.Parameter) else "real" for each in (other, symbol)]
        if types[0] != types[1]:
            raise KernelError(
                self.place,
                f"'{name}' stands for a parameter of type {types[0]} and for one of type {types[1]}.",
                "use what parameters(...) returned wherever the parameter is meant",
            )

    def local(self, symbol: sympy.Symbol) -> ir.Symbol:
        """A new name for a value: an integer where SymPy knows the symbol to be one. Raises KernelError for a
        name that is taken."""
        name = symbol.name
        self.check_symbol(symbol)
        if is_name(name) or not is_name(f"{name}_"):
            self.check_name(name, argument=False)  # a keyword gets an underscore later, in name_locals
        if name in self.locals:
            raise KernelError(
                self.place, f"'{name}' is assigned twice.", "use a second symbol for the second value"
            )
        if name in self.parameters:
            raise KernelError(
                self.place, f"'{name}' is used before it is assigned.", "move its assignment up"
            )
        if name in self.fields:
            raise KernelError(
                self.place, f"'{name}' names both a field and a local value.", "rename one of them"
            )
        if name in self.outputs:
            raise KernelError(
                self.place, f"'{name}' names both a reduction and another quantity.", "rename one of them"
            )
        self.locals[name] = ir.Symbol(name, ir.I64 if symbol.is_integer else None)
        self.rank.setdefault(name, len(self.rank))
        return self.locals[name]

    # Expressions

    def value(self, value: sympy.Basic) -> ir.Expression:
        """A whole expression. New fields and scalars in it become arguments in alphabetical order, since
        SymPy's order of operands is not the model's."""
        scalars: dict[str, sympy.Symbol] = {}
        every: list[sympy.Basic] = []
        for part in parts(value):
            if type(part) is sympy.Symbol:
                scalars[part.name] = part
            else:
                every.append(part)
        accesses = {atom for atom in every if isinstance(atom, named.Access)}
        accesses |= {atom.link for atom in every if isinstance(atom, named.IsWallLink)}
        accesses |= {access.at for access in accesses if access.at is not None}
        touched = {access.field.name: access.field for access in accesses}
        gathers = {type(atom) for atom in every if isinstance(atom, named.GatherFunction)}
        touched |= {gather.field.name: gather.field for gather in gathers}
        for name in sorted(touched):
            self.field(touched[name])
        own = (named.Access, named.IsWallLink, named.Coordinate, named.Extent)
        symbols = [atom for atom in every if isinstance(atom, sympy.Symbol) and not isinstance(atom, own)]
        scalars |= {atom.name: atom for atom in symbols}
        for name in sorted(scalars):
            self.symbol(scalars[name])
        return self.expression(value)

    def expression(self, value: sympy.Basic) -> ir.Expression:
        known = self.memo.get(value)
        if known is None:
            known = self.memo[value] = self.convert(value)
        return known

    def convert(self, value: sympy.Basic) -> ir.Expression:
        found = type(value)  # most values of a large kernel are of these
        if found is sympy.Symbol:
            return self.symbol(value)
        if found is sympy.Mul:
            return self.product(value)
        if found is sympy.Add:
            return self.sum(value)
        match value:
            case named.Access():
                return self.access(value)
            case named.IsWallLink():
                link = self.access(value.link)
                return ir.IsWallLink(link.field, link.offsets, link.component, link.through, link.at)
            case named.Coordinate() | named.Extent():
                rank = self.space.dimensions if self.space.is_box else self.space.box
                if value.axis >= rank:
                    raise KernelError(
                        self.place,
                        f"'{value.name}' is undefined here: the kernel's space has no such axis.",
                        "pass position-dependent values as a field",
                    )
                return ir.Symbol(value.name, ir.I64)
            case sympy.Symbol():
                return self.symbol(value)
            case sympy.Integer():
                self.check_number(value, abs(value.p))
                return ir.Const(int(value))
            case sympy.Rational():
                self.check_number(value, max(abs(value.p), value.q))
                return ir.Const(Fraction(int(value.p), int(value.q)))
            case sympy.Float():
                self.check_number(value, abs(value))
                if value != 0 and float(value) == 0:
                    self.check_number(value, sympy.oo)
                return ir.Const(float(value))
            case sympy.NumberSymbol():
                return ir.Const(float(value))
            case sympy.Add():
                return self.sum(value)
            case sympy.Mul():
                return self.product(value)
            case sympy.Pow():
                return self.power(value.base, value.exp)
            case sympy.Piecewise():
                return self.select(value)
            case BooleanTrue() | BooleanFalse():
                return ir.Const(bool(value))
            case sympy.Not():
                return ir.Op("not", (self.expression(value.args[0]),))
            case sympy.And() | sympy.Or():
                operands = sorted(self.ordered(value.args), key=_gathers)
                return self.chain("and" if isinstance(value, sympy.And) else "or", operands)
            case sympy.Min() | sympy.Max():
                result, *rest = self.ordered(value.args)
                for entry in rest:
                    result = ir.Call("min" if isinstance(value, sympy.Min) else "max", (result, entry))
                return result
            case named.GatherFunction():
                if type(value).field.split:
                    name = type(value).field.name
                    what = f"'{name}' is split by colour and cannot be read at a computed position."
                    raise KernelError(self.place, what, "gather from a field that is not split")
                *position, component = (self.expression(argument) for argument in value.args)
                return ir.Gather(self.field(type(value).field), tuple(position), component)
            case bit_and() | shift_left() | remainder():
                name = _INTEGER_FUNCTIONS[type(value)]
                return ir.Op(name, tuple(self.expression(argument) for argument in value.args))
        if value.func in _RELATIONS:
            return ir.Op(_RELATIONS[value.func], tuple(self.expression(argument) for argument in value.args))
        if value.func in _CALLS:
            return ir.Call(_CALLS[value.func], tuple(self.expression(argument) for argument in value.args))
        kind = (
            "an undefined function" if isinstance(value, AppliedUndef) else f"a SymPy {type(value).__name__}"
        )
        raise KernelError(
            self.place,
            f"'{value}' is {kind}, which kernels do not support.",
            f"use + - * / powers, {' '.join(row.sympy for row in FUNCTIONS.values() if row.sympy)}, "
            "Piecewise, comparisons",
        )

    def check_number(self, value: sympy.Number, largest: sympy.Expr | int) -> None:
        """Raise KernelError for a number that double precision does not hold. largest: of its parts."""
        if largest > sys.float_info.max:
            digits = str(value)
            shown = digits if len(digits) < 40 else f"{digits[:20]}... ({len(digits)} characters)"
            raise KernelError(
                self.place,
                f"the number {shown} is outside the range of double precision.",
                "write equations in other units, or numbers as floats, such as 1e-30",
            )

    def access(self, access: named.Access) -> ir.Access:
        at = None if access.at is None else self.access(access.at)
        return ir.Access(self.field(access.field), access.offsets, access.component, access.through, at)

    def field(self, field: named.Field) -> ir.Field:
        known = self.fields.get(field.name)
        if known is None:
            if field.name in self.locals or field.name in self.parameters or field.name in self.outputs:
                raise KernelError(
                    self.place, f"'{field.name}' names both a field and a scalar.", "rename one of them"
                )
            self.check_name(field.name)
            known = self.fields[field.name] = field, self.declare(field)
        elif known[0] != field:
            raise KernelError(
                self.place, f"two different fields are called '{field.name}'.", "rename one of them"
            )
        return known[1]

    def declare(self, field: named.Field) -> ir.Field:
        scalar = _TYPES.get(field.dtype, self.precision.storage)
        return ir.Field(
            field.name,
            scalar,
            field.rank,
            field.components,
            field.ghost_layers,
            self.layout(field),
            field.component_names,
            field.half_scale if scalar == ir.F16 else 1,
            max(field.profile, 0),
            field.table,
        )

    def layout(self, field: named.Field) -> Layout:
        """Where the elements of a field lie. Raises KernelError for one that the kernel's space does not
        take."""
        if field.rank == 0:
            if not self.space.listed:
                raise KernelError(
                    self.place,
                    f"'{field.name}' has one value per list entry, but the kernel does not run over a list.",
                    "add the kernel with space=Sparse(name, listed=True), or Cells(name)",
                )
            if field.components:
                raise KernelError(
                    self.place,
                    f"'{field.name}' has components, but fields with one value per list entry must be "
                    "scalar.",
                    "declare one field per component",
                )
            return ENTRIES
        if field.table:
            if not self.space.is_box:
                what = f"'{field.name}' is a table, which only dense kernels read."
                raise KernelError(self.place, what, "use tables with space=Dense()")
            return TABLE
        if field.profile >= 0:
            if not (self.space.is_box and field.profile < self.space.dimensions):
                raise KernelError(
                    self.place,
                    f"'{field.name}' is a profile along {'xyz'[field.profile]}, which the kernel's space "
                    "does not have.",
                    "use profiles in dense kernels only",
                )
            return PROFILE
        if field.split and self.space != Dense(field.rank, 2):
            raise KernelError(
                self.place,
                f"'{field.name}' is split by colour, but the kernel does not use two colours.",
                "Schedule(colours=2)",
            )
        if field.other_grid:
            if not self.space.is_box:
                raise KernelError(
                    self.place,
                    f"'{field.name}' lies on another grid, but the kernel runs over a list of cells.",
                    "use a dense space, or a field of the same grid",
                )
            return OTHER_GRID
        if self.space.is_index_list:
            return OVER_LIST
        rank = self.space.dimensions
        if field.rank != rank and not (field.plane and rank == 3):
            raise KernelError(
                self.place,
                f"'{field.name}' has {field.rank} dimensions, but the kernel's space has {rank}.",
                "declare one value per column as a plane: real[xy]"
                if (field.rank, rank) == (2, 3)
                else "use fields of one rank in a kernel",
            )
        if field.intermediate:
            return INTERMEDIATE
        return SPLIT if field.split else STRIDED

    def symbol(self, symbol: sympy.Symbol) -> ir.Symbol:
        name = symbol.name
        self.check_symbol(symbol)
        if name in self.locals:
            if isinstance(symbol, named.Parameter):
                raise KernelError(
                    self.place,
                    f"'{name}' names both a parameter and a local value.",
                    "rename one of them",
                )
            return self.locals[name]
        if name in self.fields:
            raise KernelError(self.place, f"'{name}' names both a field and a scalar.", "rename one of them")
        if name not in self.parameters:
            if name in self.ended:
                raise KernelError(
                    self.place,
                    f"'{name}' is assigned inside a condition or a scan and undefined outside of it.",
                    "assign it before, with a Piecewise if it depends on the condition",
                )
            if name in self.outputs:
                raise KernelError(
                    self.place, f"'{name}' names both a reduction and another quantity.", "rename one of them"
                )
            self.check_name(name)
            dtype = symbol.dtype if isinstance(symbol, named.Parameter) else "real"
            self.parameters[name] = ir.Symbol(name, _TYPES.get(dtype, self.precision.arithmetic))
            self.rank.setdefault(name, len(self.rank))
        return self.parameters[name]

    # Sums, products, powers

    def sum(self, value: sympy.Add) -> ir.Expression:
        terms = []
        for term in value.args:
            coefficient, rest = term.as_coeff_Mul()
            negative = _is_negative(coefficient)
            inner = self.expression(rest)
            size = inner
            if coefficient is not sympy.S.NegativeOne:
                size = self.expression(-coefficient * rest if negative else term)
            terms.append((self.key(inner), negative, size))
        terms.sort(key=lambda entry: (entry[1], entry[0]))  # what is added first, then what is subtracted
        _, negative, result = terms[0]
        if negative:
            result = ir.Op("neg", (result,))
        for _, negative, term in terms[1:]:
            result = ir.Op("sub" if negative else "add", (result, term))
        return result

    def product(self, value: sympy.Mul) -> ir.Expression:
        coefficient, _ = value.as_coeff_Mul()
        if _is_negative(coefficient):
            return ir.Op("neg", (self.expression(-value),))
        above: list[sympy.Basic] = []
        below: list[sympy.Basic] = []
        for factor in value.args:
            if isinstance(factor, sympy.Pow) and factor.exp.is_number and factor.exp.is_negative:
                below.append(sympy.Pow(factor.base, -factor.exp))
            else:
                above.append(factor)
        numerator = self.chain("mul", self.ordered(above)) if above else ir.Const(1)
        if not below:
            return numerator
        return ir.Op("div", (numerator, self.chain("mul", self.ordered(below))))

    def power(self, base: sympy.Basic, exponent: sympy.Basic) -> ir.Expression:
        if exponent.is_Float and float(2 * exponent).is_integer():
            exponent = sympy.Rational(exponent)  # 0.5, 2.0
        if exponent.is_number and exponent.is_negative:
            return ir.Op("div", (ir.Const(1), self.expression(sympy.Pow(base, -exponent))))
        factor = self.expression(base)
        if exponent in _ROOTS:
            return ir.Call(_ROOTS[exponent], (factor,))
        if exponent.is_Integer and 2 <= int(exponent) <= 8:
            return self.repeated(factor, int(exponent))
        if (2 * exponent).is_Integer and 2 < int(2 * exponent) <= 8:
            half = int(2 * exponent) // 2
            return ir.Op("mul", (self.repeated(factor, half), ir.Call("sqrt", (factor,))))
        return ir.Call("pow", (factor, self.expression(exponent)))

    def repeated(self, base: ir.Expression, exponent: int) -> ir.Expression:
        """base**exponent by squaring: the fewest multiplications, and a fixed rounding."""
        if exponent == 1:
            return base
        half = self.repeated(base, exponent // 2)
        square = ir.Op("mul", (half, half))
        return ir.Op("mul", (square, base)) if exponent % 2 else square

    def select(self, value: sympy.Piecewise) -> ir.Expression:
        *cases, (last, otherwise) = value.args
        if otherwise != sympy.true:
            raise KernelError(
                self.place,
                f"'{value}' has no value if none of its conditions holds.",
                "end it with (value, True)",
            )
        result = self.expression(last)
        for branch, condition in reversed(cases):
            result = ir.Select(self.expression(condition), self.expression(branch), result)
        return result

    def chain(self, name: str, operands: list[ir.Expression]) -> ir.Expression:
        result = operands[0]
        for operand in operands[1:]:
            result = ir.Op(name, (result, operand))
        return result

    def ordered(self, values: Iterable[sympy.Basic | Boolean]) -> list[ir.Expression]:
        return sorted((self.expression(value) for value in values), key=self.key)

    def key(self, expression: ir.Expression) -> _Key:
        """Sorts the operands of a sum or product, in an order that depends on the model only."""
        known = self.keys.get(expression)
        if known is None:
            known = self.keys[expression] = self.compute_key(expression)
        return known

    def compute_key(self, expression: ir.Expression) -> _Key:
        match expression:
            case ir.Const(value):
                return 0, float(value)
            case ir.Symbol(name):
                if name in self.parameters:
                    return 1, self.rank[name]
                return (2, self.rank[name]) if name in self.rank else (2, -1, name)
            case ir.Access(field, offsets, component):
                names = list(self.fields)
                return 3, names.index(field.name), component, offsets[::-1], expression.through
            case ir.IsWallLink(field, offsets, component):
                return 7, field.name, component, offsets[::-1], expression.through
            case ir.Op(name, args) | ir.Call(name, args):
                return 4, name, len(args), tuple(self.key(argument) for argument in args)
            case ir.Gather(field, position, component):
                inner = tuple(self.key(argument) for argument in (*position, component))
                return 5, field.name, len(inner), inner
            case ir.Select(condition, yes, no):
                return 6, "", 3, (self.key(condition), self.key(yes), self.key(no))
        raise AssertionError(expression)


def _is_negative(number: sympy.Expr) -> bool:
    """Whether a coefficient is negative, without the deduction that SymPy starts for each new number."""
    if number.is_Float:
        return bool(number._mpf_[0])
    if number.is_Rational:
        return bool(number.p < 0)
    return bool(number.is_negative)


def _gathers(condition: ir.Expression) -> bool:
    """Whether a condition reads at a computed position. Such conditions come last: those before may say
    whether there is an element."""
    return any(isinstance(node, ir.Gather) for node in distinct(condition))
