# SPDX-License-Identifier: Apache-2.0
"""What a kernel reads and gives, as its adjoint needs to know it. Refuses what has no adjoint."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import sympy

from heddle.adjoints.reverse import REAL_TYPES
from heddle.errors import KernelError, Place
from heddle.model.assignment import Assignment, If, Reduce, Scan, Section, Statement, While, stores
from heddle.model.expression import parts
from heddle.model.field import Access, Coordinate, Extent, GatherFunction, IsWallLink, Parameter

_Single = Assignment | If | Reduce | Scan | While
_NO_SCALARS = (Access, Coordinate, Extent, IsWallLink)


@dataclass(frozen=True)
class Primal:
    """A kernel to differentiate.

    statements: one value or result each. reads, writes: its elements in the order of the statements.
    behind_walls: of the elements that it writes, those that no other cell accesses. scalars: its parameters.
    taken: every name.
    """

    name: str
    statements: tuple[Assignment | Reduce, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    behind_walls: frozenset[Access]
    scalars: tuple[sympy.Symbol, ...]
    taken: frozenset[str]

    def active(self, of: Collection[str] | None, place: Place) -> list[sympy.Symbol]:
        """The reads and parameters to differentiate with respect to: all that are real, or those with given
        names. Raises KernelError for a name that has no adjoint."""
        named: dict[str, list[sympy.Symbol]] = {}
        for symbol in (*self.reads, *self.scalars):
            key = symbol.field.name if isinstance(symbol, Access) else symbol.name
            named.setdefault(key, []).append(symbol)
        real = [name for name, (first, *_) in named.items() if _dtype(first) in REAL_TYPES]
        chosen = real if of is None else list(dict.fromkeys(of))
        for name in chosen:
            if name not in real:
                raise KernelError(
                    place,
                    f"'{self.name}' reads no real field and takes no real parameter '{name}'.",
                    "choose of " + ", ".join(real),
                )
            first = named[name][0]
            if isinstance(first, Access) and (first.field.profile >= 0 or first.field.plane):
                raise KernelError(
                    place,
                    f"'{name}' has one value for many cells, so its adjoint is a sum over these, which no "
                    "cell can store.",
                    "give it a value per cell, and add up the adjoint; or leave it out: of=("
                    + ", ".join(f'"{other}"' for other in chosen if other != name)
                    + ",)",
                )
        return [symbol for name in chosen for symbol in named[name]]


def primal(name: str, statements: Iterable[Statement]) -> Primal:
    """Raises KernelError for statements and values that have no adjoint."""
    walls: set[Access] = set()
    flat = [_single(name, statement) for statement in _without_walls(statements, walls)]
    everything = [
        part
        for s in flat
        for part in parts(s.value) | ({s.target} if isinstance(s, Assignment) else set())
        if isinstance(part, sympy.Symbol)
    ]
    taken = {symbol.field.name if isinstance(symbol, Access) else symbol.name for symbol in everything}
    taken |= {s.name for s in flat if isinstance(s, Reduce)}
    locals_ = {s.target for s in flat if isinstance(s, Assignment)}
    reads: dict[Access, None] = {}
    scalars: dict[sympy.Symbol, None] = {}
    for statement in flat:
        for symbol in sorted(
            (part for part in parts(statement.value) if isinstance(part, sympy.Symbol)), key=str
        ):
            if isinstance(symbol, Access):
                reads[symbol] = None
            elif symbol not in locals_ and not isinstance(symbol, _NO_SCALARS):
                scalars[symbol] = None
    writes = dict.fromkeys(
        s.target for s in flat if isinstance(s, Assignment) and isinstance(s.target, Access)
    )
    return Primal(
        name, tuple(flat), tuple(reads), tuple(writes), frozenset(walls), tuple(scalars), frozenset(taken)
    )


def _without_walls(statements: Iterable[Statement], walls: set[Access]) -> Iterator[_Single]:
    """The statements without headings, and without the conditions that only say of elements that they lie
    behind walls; these elements are added to `walls`."""
    for statement in statements:
        if isinstance(statement, If) and statement.wall and statement.condition == sympy.true:
            walls |= set(stores(statement.body))
            yield from _without_walls(statement.body, walls)
        elif not isinstance(statement, Section):
            yield statement


def _single(kernel: str, statement: _Single) -> Assignment | Reduce:
    """The statement, if it is one value."""
    match statement:
        case If():
            what, hint = (
                "a statement stands under an If",
                "write Piecewise((value, condition), (other, True))",
            )
        case Scan() | While():
            what = (
                f"it has a {type(statement).__name__}, whose adjoint would run backwards over stored values"
            )
            hint = "write kernels of single cells"
        case Reduce(operation, target) if operation != "sum" or not isinstance(target, str):
            what = "of reductions only sums over all cells to one number have an adjoint"
            hint = 'use Reduce("sum", name, value)'
        case Assignment() | Reduce() if any(isinstance(part, GatherFunction) for part in _values(statement)):
            what = "it reads a field at a computed position, and other cells may read there, too"
            hint = "use relative accesses, u[1, 0, 0]"
        case Assignment() | Reduce() if any(_is_split(part) for part in _values(statement)):
            what, hint = "its fields are split by colour", "use fields that are not split"
        case Assignment() | Reduce():
            return statement
    raise KernelError(statement.place, f"'{kernel}' has no adjoint: {what}.", hint)


def _values(statement: Assignment | Reduce) -> set[sympy.Basic]:
    target = {statement.target} if isinstance(statement, Assignment) else set()
    return parts(statement.value) | target


def _is_split(part: sympy.Basic) -> bool:
    return isinstance(part, Access) and part.field.split


def _dtype(symbol: sympy.Symbol) -> str:
    if isinstance(symbol, Access):
        return symbol.field.dtype
    return symbol.dtype if isinstance(symbol, Parameter) else "real"
