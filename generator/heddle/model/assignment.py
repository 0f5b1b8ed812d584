# SPDX-License-Identifier: Apache-2.0
"""The statements of a model: assignments, headings, conditions, reductions, column sweeps and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sympy

from heddle.errors import KernelError, Place, calling_place
from heddle.model.expression import expression, parts, require_text, whole_field
from heddle.model.field import Access, Coordinate, Extent, Field, GatherFunction, Parameter, block_coordinates


@dataclass(frozen=True)
class Assignment:
    """`target = value`. An `Access` as target is a store to memory, and so is `field.at_level(...)`; a plain
    symbol names a local value and may be assigned once."""

    target: sympy.Symbol | GatherFunction
    value: sympy.Expr
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.target, Field):
            raise KernelError(self.place, *whole_field(self.target))
        if isinstance(self.target, GatherFunction):
            if self.target.args[:2] != block_coordinates()[:2] or self.target.field.rank != 3:
                raise KernelError(
                    self.place,
                    f"'{self.target.field.name}' is assigned at a position that is computed.",
                    f"write to the own column, {self.target.field.name}.at_level(k), or to an access",
                )
        elif not isinstance(self.target, sympy.Symbol) or isinstance(
            self.target, (Parameter, Coordinate, Extent)
        ):
            raise KernelError(
                self.place, f"'{self.target}' cannot be assigned.", "assign to a symbol or to a field access"
            )
        object.__setattr__(self, "value", expression(self.value, self.place))


@dataclass(frozen=True)
class Section:
    """A heading in the emitted code, such as "Moments" or a formula. It becomes a comment with the same
    number of lines."""

    text: str

    def __post_init__(self) -> None:
        require_text(self.text, "a Section")


@dataclass(frozen=True)
class If:
    """Statements that run only where `condition` holds. Locals assigned inside are not visible outside.

    wall: the condition selects links that lead out of the fluid. The elements stored then lie behind a wall
    (in a ghost cell, or in the cell's own slot of a sparse list), and no other cell accesses them. The
    dependence check relies on it.
    """

    condition: sympy.Basic
    body: Sequence[Statement]
    wall: bool = False
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", expression(self.condition, self.place))
        if isinstance(self.body, Assignment):
            said = "the body of this If is one statement, not a list."
            raise KernelError(self.place, said, "write If(condition, [Assignment(...)])")


@dataclass(frozen=True)
class Reduce:
    """Reduce `value` over all cells. operation: "sum", "min" or "max". name: of the output; or an element
    of each row, `field.of_row()`, for a result per row along x.

    Cells are combined 32 at a time by halves, then these results, and so on. The order, and so the result, is
    the same for any number of threads, on the CPU and with CUDA (see heddle.ir.reduction). If one value is
    NaN, so is the result: test a norm that a loop waits for with `norm <= tolerance`, which NaN never is.

    Over a row, 32 cells at a time become one by halves, and then these results one after the other, from the
    first to the last. Such a Reduce stands in the kernel itself or in a Scan, and nothing in the kernel reads
    the field that holds its results.
    """

    operation: str
    name: str | GatherFunction
    value: sympy.Expr
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        if self.operation not in ("sum", "min", "max"):
            raise KernelError(
                self.place, f"'{self.operation}' is not a reduction operation.", "one of sum, min, max"
            )
        if not isinstance(self.name, str) and not (
            isinstance(self.name, GatherFunction) and self.name.args[0] == 0
        ):
            raise KernelError(
                self.place,
                f"'{self.name}' cannot hold what a Reduce gives.",
                'a name for one number, "total"; field.of_row() for one of each row along x',
            )
        object.__setattr__(self, "value", expression(self.value, self.place))


@dataclass(frozen=True)
class Scan:
    """A sequential sweep along an axis with values carried from cell to cell (Thomas elimination,
    sedimentation).

    axis: 0, 1, 2 for x, y, z. reverse: from the last cell to the first. carried: symbol -> its value before
    the first cell. body: statements of one cell, in which a carried symbol means the previous cell's value.
    update: carried symbol -> its value for the next cell. Cells of a column are visited in order; columns are
    independent.
    """

    axis: int
    carried: Mapping[sympy.Symbol, sympy.Expr]
    body: Sequence[Statement]
    update: Mapping[sympy.Symbol, sympy.Expr]
    reverse: bool = False
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        if set(self.carried) != set(self.update):
            raise KernelError(self.place, "a Scan must update exactly its carried symbols.")
        for name in ("carried", "update"):
            values = {key: expression(value, self.place) for key, value in getattr(self, name).items()}
            object.__setattr__(self, name, values)


@dataclass(frozen=True)
class While:
    """Rounds of statements as long as a condition holds (substeps, iterations to a tolerance).

    condition: asked before each round. carried: symbol -> its value before the first round. body: statements
    of one round, in which a carried symbol means the value that the round began with. update: carried symbol
    -> its value for the next round. Behind the While a carried symbol means the value after the last round.
    at_most: the number of rounds after which the loop ends whatever the condition says, so that no number
    that a cell holds can stop a program. If one must know, carry a count. Cells, or columns, repeat
    independently.

    Beside a Scan the body may have Scans, which may store. Other values are stored behind the While.
    """

    condition: sympy.Basic
    carried: Mapping[sympy.Symbol, sympy.Expr]
    body: Sequence[Statement]
    update: Mapping[sympy.Symbol, sympy.Expr]
    at_most: int | None = None
    place: Place = field(default_factory=calling_place, compare=False)

    def __post_init__(self) -> None:
        if self.at_most is None:
            raise KernelError(
                self.place, "a While has no bound.", "at_most=100, or so many rounds as no cell ever needs"
            )
        if type(self.at_most) is not int or not 0 < self.at_most < 2**31:
            raise KernelError(
                self.place,
                f"at_most={self.at_most} is not a number of rounds.",
                "use a whole number above 0 and below 2**31",
            )
        if set(self.carried) != set(self.update):
            raise KernelError(self.place, "a While must update exactly its carried symbols.")
        object.__setattr__(self, "condition", expression(self.condition, self.place))
        for name in ("carried", "update"):
            values = {key: expression(value, self.place) for key, value in getattr(self, name).items()}
            object.__setattr__(self, name, values)
        for symbol, value in self.update.items():
            if value == symbol:
                raise KernelError(
                    self.place,
                    f"'{symbol}' is carried, but no round changes it.",
                    "assign it before the While, or update it",
                )
        written = {target.field for target in stores(self.body)}
        if not any(
            part in self.carried or (isinstance(part, Access) and part.field in written)
            for part in parts(self.condition)
        ):
            raise KernelError(
                self.place,
                "the condition of a While does not change: it uses nothing that is carried.",
                "carry what it depends on, or use If",
            )


Statement = Assignment | Section | If | Reduce | Scan | While


class AssignmentCollection:
    """An ordered list of statements: the model of one kernel. Immutable; `+` concatenates."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.statements: tuple[Statement, ...] = tuple(statements)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    def __add__(self, other: Iterable[Statement]) -> AssignmentCollection:
        return AssignmentCollection((*self.statements, *other))

    def subs(self, replacements: Mapping[sympy.Basic, sympy.Basic]) -> AssignmentCollection:
        """The same statements with expressions replaced (targets stay)."""
        return AssignmentCollection(_substitute(statement, replacements) for statement in self.statements)


def _substitute(statement: Statement, replacements: Mapping[sympy.Basic, sympy.Basic]) -> Statement:
    def replaced(expression: sympy.Basic) -> sympy.Basic:
        return expression.xreplace(dict(replacements))

    match statement:
        case Assignment(target, value, place):
            return Assignment(target, replaced(value), place)
        case If(condition, body, wall, place):
            return If(replaced(condition), [_substitute(inner, replacements) for inner in body], wall, place)
        case Reduce(operation, name, value, place):
            return Reduce(operation, name, replaced(value), place)
        case Scan(axis, carried, body, update, reverse, place):
            return Scan(
                axis,
                {symbol: replaced(value) for symbol, value in carried.items()},
                [_substitute(inner, replacements) for inner in body],
                {symbol: replaced(value) for symbol, value in update.items()},
                reverse,
                place,
            )
        case While(condition, carried, body, update, at_most, place):
            return While(
                replaced(condition),
                {symbol: replaced(value) for symbol, value in carried.items()},
                [_substitute(inner, replacements) for inner in body],
                {symbol: replaced(value) for symbol, value in update.items()},
                at_most,
                place,
            )
    return statement


def stores(statements: Iterable[Statement]) -> Iterator[Access]:
    """Every field access that the statements store to, in order."""
    for statement in statements:
        match statement:
            case Assignment(Access() as target):
                yield target
            case If(_, body) | Scan(_, _, body) | While(_, _, body):
                yield from stores(body)


def check_statements(statements: Iterable[object], place: Place) -> None:
    """Raise KernelError for what is not a statement. place: where the kernel is added."""
    for statement in statements:
        place = getattr(statement, "place", place)
        match statement:
            case If(_, body) | Scan(_, _, body) | While(_, _, body):
                check_statements(body, place)
            case Assignment() | Section() | Reduce():
                pass
            case sympy.Equality(lhs=target, rhs=value) | (target, value):
                what = "a SymPy equation" if isinstance(statement, sympy.Basic) else "a pair"
                raise KernelError(
                    place, f"{what} is not a statement of a model.", f"write Assignment({target}, {value})"
                )
            case _:
                raise KernelError(
                    place,
                    f"{type(statement).__name__} is not a statement of a model.",
                    "use Assignment, If, Reduce, Scan or While",
                )


def symbols_of(statements: Iterable[Statement]) -> set[str]:
    """The names of the symbols that values have and no statement assigns."""
    names: set[str] = set()
    assigned: set[str] = set()
    for statement in statements:
        match statement:
            case Assignment(GatherFunction() as target, value):
                names |= _names(target) | _names(value)
            case Assignment(target, value):
                names |= _names(value)
                assigned.add(target.name)
            case Reduce(_, target, value):
                names |= _names(value) | (set() if isinstance(target, str) else _names(target))
            case If(condition, body):
                names |= _names(condition) | symbols_of(body)
            case Scan(_, carried, body, update):
                names |= symbols_of(body).union(*map(_names, (*carried.values(), *update.values())))
                assigned |= {symbol.name for symbol in carried}
            case While(condition, carried, body, update):
                assigned |= {symbol.name for symbol in carried}
                names |= symbols_of(body) | _names(condition)
                names = names.union(*map(_names, (*carried.values(), *update.values())))
    return names - assigned


def _names(value: sympy.Basic) -> set[str]:
    return {part.name for part in parts(value) if isinstance(part, sympy.Symbol)}
