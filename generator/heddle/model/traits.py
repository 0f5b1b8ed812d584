# SPDX-License-Identifier: Apache-2.0
"""What of a kernel's statements decides how it runs where the model leaves that open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

import sympy

from heddle.ir.default_schedule import Traits
from heddle.ir.space import Space
from heddle.model.assignment import Assignment, If, Reduce, Scan, Section, Statement, While, stores
from heddle.model.expression import parts
from heddle.model.field import Access, GatherFunction


def traits(statements: Sequence[Statement], space: Space, layer: bool = False) -> Traits:
    """Of a kernel in a space. layer: it runs over the cells at a face."""
    every = tuple(_each(statements))
    stored = set(stores(statements))
    values = parts(*(value for s in every for value in _values(s)))
    loaded = {part for part in values if isinstance(part, Access)}
    written, read = _elements(stored, space), _elements(loaded, space)
    reductions = [s for s in every if isinstance(s, Reduce)]
    return Traits(
        space,
        layer,
        scans=tuple(sorted({s.axis for s in every if isinstance(s, Scan)})),
        rounds=any(isinstance(s, While) for s in every),
        reduces=any(isinstance(s.name, str) for s in reductions),
        reduces_rows=any(isinstance(s.name, GatherFunction) for s in reductions),
        split=any(access.field.split for access in stored | loaded),
        read=len(read - written),
        written=len(written - read),
        updated=len(written & read),
        loads=len(loaded),
        stores_rows=_stores_rows(statements, stored, space) and not any(map(_is_slow, values)),
    )


def _stores_rows(statements: Sequence[Statement], stored: Set[Access], space: Space) -> bool:
    """Whether every cell stores, each once, to fields of its space, and does nothing else."""

    def plain(access: Access) -> bool:
        field = access.field
        own = field.rank == space.dimensions and not any(access.offsets) and field.dtype == "real"
        return own and not (field.table or field.split or field.other_grid or field.intermediate)

    computed = all(isinstance(s, (Assignment, Section)) for s in statements)
    return computed and all(map(plain, stored)) and len({a.field for a in stored}) == len(stored)


def _is_slow(part: sympy.Basic) -> bool:
    """Whether a value is one of a function, or a root: it takes longer than the memory of a cell."""
    if isinstance(part, sympy.Pow):
        return not part.exp.is_Integer
    return isinstance(part, (sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tanh))


def _each(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements, and those inside them."""
    for statement in statements:
        yield statement
        if isinstance(statement, (If, Scan, While)):
            yield from _each(statement.body)


def _values(statement: Statement) -> Iterator[sympy.Basic]:
    """The expressions that a statement computes itself."""
    match statement:
        case Assignment(_, value) | Reduce(_, _, value):
            yield value
        case If(condition):
            yield condition
        case Scan(_, carried, _, update):
            yield from (*carried.values(), *update.values())
        case While(condition, carried, _, update):
            yield from (condition, *carried.values(), *update.values())


def _elements(accesses: Iterable[Access], space: Space) -> set[tuple[str, int]]:
    """Fields and components that have a value in each cell."""
    return {
        (access.field.name, access.component)
        for access in accesses
        if not access.field.table
        and access.field.profile < 0
        and (space.is_list or access.field.rank == space.dimensions)
    }
