# SPDX-License-Identifier: Apache-2.0
"""Elements that are touched at a side of the box alone: no cell elsewhere reaches them.

A step with walls within it stores f[x] where x == 0, else another component at x - 1; the cell at x - 1,
which would store f[x], lies behind the wall. In different iterations f[x], known to be f[0], and f[x' + 1]
are apart, since x' is at least 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.ranges import Ranges
from heddle.roundtrip.equivalence.terms import Term, conjuncts, inside

Condition = frozenset[Term]
"""What holds where something is done, all of it."""
MOST_CASES = 64


def conditions_around(bits: FloatTerms, roots: Iterable[tuple[Term, Condition]]) -> dict[Term, Condition]:
    """For each term in some terms that are evaluated under conditions: what holds wherever it is evaluated.
    One in a branch of a choice is asked for only where the choice falls on it."""
    given = list(roots)
    found: dict[Term, Condition] = {}

    def evaluated(term: Term, condition: Condition) -> None:
        found[term] = found[term] & condition if term in found else condition

    for root, condition in given:
        evaluated(root, condition)
    # terms are made after their parts, so that all that a term is part of comes first
    for term in sorted(set(inside(root for root, _ in given)), key=lambda term: -term.number):
        around = found[term]
        if term.kind == "select":
            choice, yes, no = term.args
            evaluated(choice, around)
            evaluated(yes, around | set(conjuncts(choice)))
            evaluated(no, around | set(conjuncts(bits.negated("", (choice,)))))
            continue
        for part in term.args:
            evaluated(part, around)
    return found


def disjoint_at_boundaries(
    ranges: Ranges, pairs: Sequence[tuple[Term, Term]], conditions: tuple[Condition, Condition]
) -> bool:
    """Whether two cells, given by their coordinates in pairs, each in an iteration of its own, are never the
    same: in every case of what is known, one coordinate is always smaller in the one than in the other."""
    cases = [_cases(condition) for condition in conditions]
    if len(cases[0]) * len(cases[1]) > MOST_CASES or cases == [[()], [()]]:
        return False
    return all(
        any(_below(ranges, a, left, b, right) or _below(ranges, b, right, a, left) for a, b in pairs)
        for left, right in itertools.product(*cases)
    )


def _cases(condition: Condition) -> list[tuple[Term, ...]]:
    """The numbers that are 0, case by case: at one side or another."""
    cases: list[tuple[Term, ...]] = [()]
    for part in sorted(condition, key=lambda term: term.number):
        either = part.args if part.kind == "or" else (part,)
        zeros = [tuple(c.args[0] for c in conjuncts(choice) if c.kind == "eq0") for choice in either]
        if all(zeros):
            cases = [(*case, *more) for case in cases for more in zeros]
    return cases


def _below(
    ranges: Ranges, low: Term, known_low: Sequence[Term], high: Term, known_high: Sequence[Term]
) -> bool:
    """Whether `low` is always smaller than `high`."""
    most = _extreme(ranges, low, known_low, upper=True)
    least = _extreme(ranges, high, known_high, upper=False)
    if most is None or least is None:
        return False
    terms = ranges.terms
    return ranges.not_negative(terms.minus(terms.minus(least, most), terms.integer(1)))


def _extreme(ranges: Ranges, value: Term, zeros: Sequence[Term], upper: bool) -> Term | None:
    """The greatest or the least value of a coordinate, where some numbers are 0."""
    terms = ranges.terms
    for zero in zeros:
        for known in (terms.minus(value, zero), terms.plus(value, zero)):
            if not known.free & ranges.counts.keys():
                return known
    return ranges.bound(value, value.free & ranges.counts.keys(), upper)
