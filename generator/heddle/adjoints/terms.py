# SPDX-License-Identifier: Apache-2.0
"""Lists of named values: replace, prune, and put back in place what is used once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import sympy

from heddle.model.expression import parts

Let = tuple[sympy.Symbol, sympy.Expr]
"""A name and its value."""
Leaf = Callable[[sympy.Symbol], sympy.Basic]

_AS_WRITTEN = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Piecewise)


def replaced(value: sympy.Basic, leaf: Leaf, memo: dict[sympy.Basic, sympy.Basic]) -> sympy.Basic:
    """The expression with other symbols, its sums and products as they are written. memo: what is known; for
    one `leaf`."""
    found = memo.get(value)
    if found is None:
        if isinstance(value, sympy.Symbol):
            found = leaf(value)
        elif not value.args:
            found = value
        else:
            args = [replaced(argument, leaf, memo) for argument in value.args]
            if all(new is old for new, old in zip(args, value.args, strict=True)):
                found = value
            elif isinstance(value, _AS_WRITTEN):
                found = value.func(*args, evaluate=False)
            else:
                found = value.func(*args)
        memo[value] = found
    return found


def names_in(value: sympy.Basic) -> set[sympy.Symbol]:
    return {part for part in parts(value) if isinstance(part, sympy.Symbol)}


def needed(lets: Sequence[Let], results: Iterable[sympy.Basic]) -> list[Let]:
    """The values, in order, on which the results depend."""
    wanted: set[sympy.Symbol] = set().union(*map(names_in, results))
    kept: list[Let] = []
    for symbol, value in reversed(lets):
        if symbol in wanted:
            kept.append((symbol, value))
            wanted |= names_in(value)
    return kept[::-1]


def without_single_uses(
    lets: Sequence[Let], results: Sequence[sympy.Basic], own: Iterable[sympy.Symbol]
) -> tuple[list[Let], list[sympy.Basic]]:
    """The same with values that are used once, and are no sums, where they are used. own: the names that may
    disappear."""
    free = set(own)
    uses: Counter[sympy.Symbol] = Counter()
    for value in (*(value for _, value in lets), *results):
        _count(value, uses)
    inlined: dict[sympy.Symbol, sympy.Basic] = {}
    memo: dict[sympy.Basic, sympy.Basic] = {}

    def leaf(symbol: sympy.Symbol) -> sympy.Basic:
        return inlined.get(symbol, symbol)

    kept: list[Let] = []
    for symbol, value in lets:
        new = replaced(value, leaf, memo)
        if symbol in free and uses[symbol] <= 1 and not new.is_Add:
            inlined[symbol] = new
        else:
            kept.append((symbol, new))
    return kept, [replaced(value, leaf, memo) for value in results]


def _count(value: sympy.Basic, uses: Counter[sympy.Symbol]) -> None:
    """Count every place at which a symbol stands."""
    if isinstance(value, sympy.Symbol):
        uses[value] += 1
    for argument in value.args:
        _count(argument, uses)
