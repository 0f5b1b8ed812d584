# SPDX-License-Identifier: Apache-2.0
"""Quotients of integers by a constant, in one form: what can be divided without rounding stands outside.

C++ rounds towards zero, so that parts may be divided on their own only where all of them are natural numbers.
Counters of loops are, since they count from 0; what a mask leaves is; and what is made of these.

    (32 c) / 32 = c        (2 t + (y & 1)) / 2 = t        (2 t + (y & 1)) / 64 = t / 32
"""

from __future__ import annotations

import math

from heddle.ir import nodes as ir
from heddle.roundtrip.equivalence.terms import ONE, Polynomial, Term, Terms


def divided(terms: Terms, above: Term, by: int) -> tuple[Term, Term, Term] | None:
    """(w, a, b) with above / by = w + a / b, both simpler; None if nothing can be said. by: positive."""
    if by == 1:
        return above, terms.integer(0), terms.integer(1)
    if above.kind == "quotient" and above.args[1].kind == "int" and above.args[1].data > 0:
        return terms.integer(0), above.args[0], terms.integer(by * above.args[1].data)
    parts = terms.polynomial(above)
    whole, rest = _cut(terms, parts, by)
    if rest is terms.integer(0):
        return whole, rest, terms.integer(1)
    if whole is not terms.integer(0) and is_natural(terms, whole) and is_natural(terms, rest):
        return whole, rest, terms.integer(by)
    common = math.gcd(by, *(factor for monomial, factor in parts.terms.items() if not _is_small(monomial)))
    whole, rest = _cut(terms, parts, common)
    most = greatest(terms, rest)
    if common > 1 and (
        rest is terms.integer(0) or (is_natural(terms, above) and most is not None and most < common)
    ):
        return terms.integer(0), whole, terms.integer(by // common)  # (g u + r) / (g k) = u / k for r < g
    return None


def _cut(terms: Terms, parts: Polynomial, by: int) -> tuple[Term, Term]:
    """A polynomial as by * w + r."""
    whole, rest = parts.floored(by)
    stays = rest.unknown.terms  # 3 n stays 3 n: halves of it say nothing
    whole = Polynomial({m: factor for m, factor in whole.terms.items() if m not in stays})
    return terms.collected(whole), terms.collected(parts.plus(whole, -by))


def _is_small(monomial: tuple[Term, ...]) -> bool:
    return monomial == ONE or (len(monomial) == 1 and mask(monomial[0]) is not None)


def mask(term: Term) -> int | None:
    """m of `p & m`, for a natural m."""
    if term.kind == "bitand":
        for argument in term.args:
            if argument.kind == "int" and argument.data >= 0:
                return int(argument.data)
    return None


def is_natural(terms: Terms, value: Term) -> bool:
    """Whether an integer is surely not negative, whatever memory holds."""
    return terms.polynomial(value).is_natural(lambda atom: _is_natural_atom(terms, atom))


def _is_natural_atom(terms: Terms, atom: Term) -> bool:
    match atom.kind:
        case "counter" | "wrap":
            return True
        case "bitand":
            return mask(atom) is not None
        case "quotient":
            return atom.args[1].kind == "int" and atom.args[1].data > 0 and is_natural(terms, atom.args[0])
        case "load":
            return atom.data[0] in ir.SCALARS and ir.SCALARS[atom.data[0]].kind == "u"
    return False


def greatest(terms: Terms, value: Term) -> int | None:
    """What a natural number cannot exceed; None if that is not known."""
    total = 0
    for monomial, factor in terms.polynomial(value).terms.items():
        limit = 1
        for atom in monomial:
            known = mask(atom)
            if known is None:
                return None
            limit *= known
        total += factor * limit
    return total
