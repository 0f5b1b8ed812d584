# SPDX-License-Identifier: Apache-2.0
"""Loops over strips: a pair of counters that together run over one range become the one counter.

for c in [0, ceil(n / S)): for x in [S c, min(S c + S, n))                is for x in [0, n)
for c in [first / S, (last + S - 1) / S):
    for n in [max(S c, first), min(S c + S, last))                        is for n in [first, last)
for c in [0, ceil(n / S)): for x in [S c + f, min(S c + S, n)) by k       is for x in [f, n) by k
                                                                          for 0 <= f < k, k a divisor of S
"""

from __future__ import annotations

from dataclasses import dataclass

from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.division import greatest, is_natural
from heddle.roundtrip.equivalence.memory import Item
from heddle.roundtrip.equivalence.terms import Term, Terms

ASSUME_LIST_BEGINS = "the first cell of a list is not negative"


@dataclass(frozen=True)
class _Pieces:
    """What the pieces [begin, end) of a loop are cut from: [first, last), in strips of `size`."""

    first: Term
    last: Term
    size: int


def without_strips(context: Context, item: Item) -> Item:
    """The item with its first counter merged into an inner one, where both are a loop over strips."""
    terms = context.terms
    (strip, count), *inner = item.counters
    for lane, length in inner:
        if strip not in length.free:
            continue
        whole = _whole_loop(context, strip, count, length)
        if whole is None:
            continue
        cells, before = whole
        cell = terms.fresh("counter", "cell")
        context.aliases.counts[cell] = cells
        values = {lane: terms.minus(cell, before)}
        counters = tuple(pair for pair in inner if pair[0] is not lane)
        parts = (context.rewriter.replace(part, values) for part in (item.guard, item.index, item.value))
        merged = Item(((cell, cells), *counters), *parts)
        if not any(strip in part.free for part in merged.parts):
            return merged
    return item


def _whole_loop(context: Context, strip: Term, count: Term, length: Term) -> tuple[Term, Term] | None:
    """How often a loop in pieces runs in all, and how often it has run before a piece; length: of one."""
    terms = context.terms
    inside, step = length, 1
    if length.kind == "quotient" and length.args[1].kind == "int" and length.args[1].data > 1:
        inside, step = (
            terms.minus(length.args[0], terms.integer(length.args[1].data - 1)),
            length.args[1].data,
        )
    for end in _least(terms, inside):
        begin = terms.minus(end, inside)
        if step == 1:
            pieces = _cut_in_pieces(context, strip, count, begin, end)
            if pieces is not None:
                return terms.minus(pieces.last, pieces.first), terms.minus(begin, pieces.first)
            continue
        for upper in end.args:
            slope = terms.coefficient(upper, strip)
            if slope is None or slope[0].kind != "int" or slope[0].data <= 0 or slope[0].data % step:
                continue
            late = terms.minus(begin, terms.minus(upper, slope[0]))
            most = greatest(terms, late)
            pieces = _cut_in_pieces(context, strip, count, terms.minus(begin, late), end)
            if pieces is None or most is None or most >= step or not is_natural(terms, late):
                continue
            cells = terms.minus(pieces.last, terms.plus(pieces.first, late))
            rounded = terms.plus(cells, terms.integer(step - 1))
            return context.bits.quotient("", (rounded, terms.integer(step))), terms.scaled(
                strip, pieces.size // step
            )
    return None


def _least(terms: Terms, value: Term) -> list[Term]:
    return [atom for monomial in terms.polynomial(value).terms for atom in monomial if atom.kind == "least"]


def _cut_in_pieces(context: Context, strip: Term, count: Term, begin: Term, end: Term) -> _Pieces | None:
    """What the strips cut into pieces [begin, end), if they do."""
    terms = context.terms
    for upper, last in (end.args, end.args[::-1]):
        if strip in last.free:
            continue
        plain = terms.coefficient(upper, strip)
        if plain is None or plain[0].kind != "int" or plain[0].data <= 0:
            continue
        size = plain[0].data
        low = terms.minus(upper, terms.integer(size))
        rounded = terms.integer(size - 1)
        if low is begin:
            first = terms.minus(begin, terms.scaled(strip, size))
            way = terms.plus(terms.minus(last, first), rounded)
            if count is context.bits.quotient("", (way, terms.integer(size))):
                return _Pieces(first, last, size)
        if begin.kind == "greatest" and low in begin.args:
            first = begin.args[begin.args[0] is low]
            start = context.bits.quotient("", (first, terms.integer(size)))
            stop = context.bits.quotient("", (terms.plus(last, rounded), terms.integer(size)))
            aligned = terms.scaled(terms.plus(strip, start), size)
            if strip not in first.free and low is aligned and count is terms.minus(stop, start):
                context.bits.assumptions.add(ASSUME_LIST_BEGINS)
                return _Pieces(first, last, size)
    return None
