# SPDX-License-Identifier: Apache-2.0
"""A small evaluator of model statements on NumPy arrays: an independent meaning of emitted kernels.

Cells are evaluated all at once: each read sees the state before the kernel, which is what a kernel without
races computes in any order. Double precision, sums and products in the order of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import sympy
from heddle.model.assignment import Assignment, If, Statement
from heddle.model.bits import bit_and
from heddle.model.field import Access, IsWallLink

Array: TypeAlias = Any
Load = Callable[[Any], Array]
Store = Callable[[Access, Array, Array | None], None]

_FUNCTIONS: dict[Any, Any] = {
    sympy.Abs: np.abs,
    sympy.exp: np.exp,
    sympy.Max: np.maximum,
    sympy.Min: np.minimum,
}
_COMPARISONS: dict[Any, Any] = {
    sympy.Equality: np.equal,
    sympy.StrictGreaterThan: np.greater,
    sympy.GreaterThan: np.greater_equal,
    sympy.StrictLessThan: np.less,
    sympy.LessThan: np.less_equal,
    sympy.Ne: np.not_equal,
}


def run(
    statements: Iterable[Statement],
    load: Load,
    store: Store,
    arguments: Mapping[str, float] | None = None,
    condition: Array | None = None,
    names: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Evaluate the statements; stores happen at the end. Returns the named values."""
    values: dict[str, Any] = dict(arguments or {}) if names is None else names
    pending: list[tuple[Access, Array, Array | None]] = []
    _body(statements, load, pending, values, condition)
    for target, value, where in pending:
        store(target, value, where)
    return values


def _body(
    statements: Iterable[Statement],
    load: Load,
    pending: list[tuple[Access, Array, Array | None]],
    values: dict[str, Any],
    condition: Array | None,
) -> None:
    for statement in statements:
        match statement:
            case Assignment(Access() as target, value):
                pending.append((target, evaluate(value, load, values), condition))
            case Assignment(target, value):
                assert target.name not in values, f"{target.name} is named twice"
                values[target.name] = evaluate(value, load, values)
            case If(test, body):
                _body(body, load, pending, values, evaluate(test, load, values))


def evaluate(expression: sympy.Basic, load: Load, values: Mapping[str, Any]) -> Any:
    """The value of an expression."""
    if isinstance(expression, (Access, IsWallLink)):
        return load(expression)
    if isinstance(expression, sympy.Symbol):
        return values[expression.name]
    if isinstance(expression, sympy.Rational):
        return float(expression.p) / float(expression.q)
    if expression.is_Number:
        return float(expression)
    if isinstance(expression, sympy.Piecewise):
        with np.errstate(all="ignore"):  # branches that are not taken
            evaluated = [[evaluate(part, load, values) for part in case.args] for case in expression.args]
        *cases, (result, _) = evaluated
        for value, condition in reversed(cases):
            result = np.where(condition, value, result)
        return result
    if expression in (sympy.true, sympy.false):
        return bool(expression)
    arguments = [evaluate(argument, load, values) for argument in expression.args]
    if isinstance(expression, sympy.Add):
        total = arguments[0]
        for argument in arguments[1:]:
            total = total + argument
        return total
    if isinstance(expression, sympy.Mul):
        product = arguments[0]
        for argument in arguments[1:]:
            product = product * argument
        return product
    if isinstance(expression, sympy.Pow):
        if expression.exp == sympy.Rational(1, 2):
            return np.sqrt(arguments[0])
        exponent = int(expression.exp) if expression.exp.is_Integer else arguments[1]
        with np.errstate(divide="ignore"):  # a branch not taken may stand at a pole
            return np.asarray(arguments[0])[()] ** exponent
    if type(expression) in _FUNCTIONS:
        return _FUNCTIONS[type(expression)](*arguments)
    if isinstance(expression, (sympy.And, sympy.Or)):
        both = np.logical_and if isinstance(expression, sympy.And) else np.logical_or
        return both.reduce(np.broadcast_arrays(*arguments))
    if type(expression) in _COMPARISONS:
        return _COMPARISONS[type(expression)](arguments[0], arguments[1])
    if isinstance(expression, bit_and):
        return np.asarray(arguments[0], dtype=np.uint32) & np.uint32(arguments[1])
    raise AssertionError(f"the evaluator does not know {expression}")


class Periodic:
    """Fields on a periodic box: name -> array with the component first (scalars have one component)."""

    def __init__(self, **fields: Array) -> None:
        self.fields = fields

    def load(self, access: Access) -> Array:
        """The value at the offset, for every cell."""
        array = self.fields[access.field.name][access.component]
        return np.roll(array, [-offset for offset in access.offsets], tuple(range(array.ndim)))

    def store(self, access: Access, value: Array, where: Array | None) -> None:
        """Write every cell's value at the offset."""
        array = self.fields[access.field.name][access.component]
        shift, axes = access.offsets, tuple(range(array.ndim))
        moved = np.roll(np.broadcast_to(value, array.shape), shift, axes)
        keep = np.roll(np.broadcast_to(True if where is None else where, array.shape), shift, axes)
        array[keep] = moved[keep]

    def run(self, statements: Iterable[Statement], **arguments: float) -> dict[str, Any]:
        """Evaluate a kernel on the box."""
        return run(statements, self.load, self.store, arguments)


class InBox:
    """Some cells of a periodic box: places [axis, entry], and fields of rank 0 by entry."""

    def __init__(self, fields: dict[str, Array], places: Array, data: dict[str, Array]) -> None:
        self.fields, self.places, self.data = fields, places, data

    def _at(self, access: Access) -> tuple[Array, ...]:
        shape = self.fields[access.field.name].shape[1:]
        return tuple((p + d) % n for p, d, n in zip(self.places, access.offsets, shape, strict=True))

    def load(self, access: Access) -> Array:
        """The value at the offset, for every entry."""
        if access.field.rank == 0:
            return self.data[access.field.name][0]
        return self.fields[access.field.name][access.component][self._at(access)].copy()

    def store(self, access: Access, value: Array, where: Array | None) -> None:
        """Write every entry's value at the offset."""
        keep = slice(None) if where is None else where
        if access.field.rank == 0:
            values = self.data[access.field.name][0]
            values[keep] = np.broadcast_to(value, values.shape)[keep]
            return
        at = self._at(access)
        chosen = tuple(axis[keep] for axis in at)
        self.fields[access.field.name][access.component][chosen] = np.broadcast_to(value, at[0].shape)[keep]

    def run(self, statements: Iterable[Statement], **arguments: float) -> dict[str, Any]:
        """Evaluate a kernel on these cells."""
        return run(statements, self.load, self.store, arguments)


class Listed:
    """Fields on a list of cells with a neighbour table: row (slot, offset) -> index in the flat field.

    entries: the cells a kernel runs over (None: all). Fields of rank 0 are indexed by list position.
    """

    def __init__(
        self,
        fields: dict[str, Array],
        table: Mapping[tuple[int, tuple[int, ...]], Array],
        entries: Array | None = None,
        data: dict[str, Array] | None = None,
    ) -> None:
        self.fields, self.table, self.data = fields, table, data or {}
        count = next(iter(fields.values())).shape[1]
        self.entries = np.arange(count) if entries is None else entries

    def _cells(self, access: Access) -> Array:
        """The cell from which an access is seen, for every entry."""
        if not access.through:
            return self.entries
        if access.at is not None:
            number = access.at.field
            return self.fields[number.name][0, self.entries] if number.rank else self.data[number.name][0]
        row = next(row for (_, offset), row in self.table.items() if offset == access.through)
        return row[self.entries] % self.fields["f"].shape[1]

    def _flat(self, access: Access) -> Array:
        if any(access.offsets):
            return self.table[access.component, access.offsets][self._cells(access)]
        return access.component * self.fields[access.field.name].shape[1] + self._cells(access)

    def load(self, access: Access | IsWallLink) -> Array:
        """The value through the table, or whether a link leads back to its own cell, for every entry."""
        if isinstance(access, IsWallLink) and access.link.at is not None:
            return self._cells(access.link) == self.entries
        if isinstance(access, IsWallLink):
            return self._flat(access.link) % self.fields["f"].shape[1] == self._cells(access.link)
        if access.field.rank == 0:
            return self.data[access.field.name][access.component].copy()
        return np.asarray(self.fields[access.field.name].reshape(-1)[self._flat(access)])

    def store(self, access: Access, value: Array, where: Array | None) -> None:
        """Write every entry's value through the table."""
        if access.field.rank == 0:
            self.data[access.field.name][access.component] = value
            return
        flat, chosen = self._flat(access), slice(None) if where is None else where
        self.fields[access.field.name].reshape(-1)[flat[chosen]] = np.broadcast_to(value, flat.shape)[chosen]

    def run(self, statements: Iterable[Statement], **arguments: float) -> dict[str, Any]:
        """Evaluate a kernel on the list."""
        return run(statements, self.load, self.store, arguments)


def operations(statements: Iterable[Statement]) -> int:
    """Additions, multiplications, divisions and roots of the statements; a negation or a fraction is free."""
    count = 0
    for statement in statements:
        if isinstance(statement, Assignment):
            for node in sympy.preorder_traversal(statement.value):
                if isinstance(node, (sympy.Add, sympy.Mul)):
                    count += len(node.args) - 1 - (node.is_Mul and node.args[0] == -1)
                count += bool(node.is_Pow)
    return count
