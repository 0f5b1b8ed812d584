# SPDX-License-Identifier: Apache-2.0
"""Cells of two colours: two indices are apart if some of their coordinates have an even sum in one and an odd
sum in the other.

Cells of a chessboard: stored at (x, y) with x = ((c + y) & 1) + 2 t, so that x + y is c, modulo 2, in every
iteration; loaded from (x - 1, y), where the sum is c + 1. The same if every cell is visited, and a guard says
`((x + y) & 1) == c`. In fields split by colour, stored in half c, loaded
from half 1 - c.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from heddle.roundtrip.equivalence.division import mask
from heddle.roundtrip.equivalence.terms import ONE, Monomial, Term, Terms, conjuncts

Facts = tuple[Term, ...]
"""Integers that are even where something is done."""
NOTHING: tuple[Facts, Facts] = ((), ())


def even_numbers(terms: Terms, guard: Term) -> Facts:
    """What is even wherever a guard holds: p - q where `(p & 1) == q`."""
    return tuple(
        part.args[0]
        for part in conjuncts(guard)
        if part.kind == "eq0" and any(mask(atom) == 1 for atom in terms.polynomial(part.args[0]).atoms)
    )


def disjoint_by_parity(
    terms: Terms,
    pairs: Sequence[tuple[Term, Term]],
    own: frozenset[Term],
    facts: tuple[Facts, Facts] = NOTHING,
) -> bool:
    """Whether some of the coordinates of two cells, given in pairs, never have the same sum. own: counters
    that have a value of their own in each cell. facts: numbers that are even for the one and for the
    other."""
    odd = [(_odd(terms, left), _odd(terms, right)) for left, right in pairs]
    odd += [(_odd(terms, fact), set()) for fact in facts[0]]
    odd += [(set(), _odd(terms, fact)) for fact in facts[1]]
    for size in range(1, len(odd) + 1):
        for chosen in itertools.combinations(odd, size):
            left: set[Monomial] = set()
            right: set[Monomial] = set()
            for one, other in chosen:
                left ^= one
                right ^= other
            free = frozenset().union(*(atom.free for monomial in left | right for atom in monomial))
            if left ^ right == {ONE} and not free & own:
                return True
    return False


def _odd(terms: Terms, value: Term) -> set[Monomial]:
    """The monomials of an integer that remain modulo 2."""
    result: set[Monomial] = set()
    for monomial, factor in terms.polynomial(value).terms.items():
        if factor % 2:
            single = monomial[0] if len(monomial) == 1 else None
            result ^= _odd(terms, _masked(single)) if single and mask(single) == 1 else {monomial}
    return result


def _masked(term: Term) -> Term:
    """p of `p & 1`."""
    first, second = term.args
    return second if first.kind == "int" else first
