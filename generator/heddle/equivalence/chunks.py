# SPDX-License-Identifier: Apache-2.0
"""Loops over chunks: a pair of counters that together run over one range become the one counter.

for c in [0, ceil(n / S)): for x in [S c, min(S c + S, n))                is for x in [0, n)
for c in [first / S, (last + S - 1) / S):
    for n in [max(S c, first), min(S c + S, last))                        is for n in [first, last)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heddle.equivalence.memory import Item
from heddle.equivalence.terms import Term

if TYPE_CHECKING:
    from heddle.equivalence.reading import Reader

LIST_BEGINS = "the first cell of a list is not negative"


def without_chunks(reader: Reader, item: Item) -> Item:
    """The item with its first counter merged into an inner one, where both are a loop over chunks."""
    terms = reader.terms
    (chunk, count), *inner = item.counters
    for lane, length in inner:
        if chunk not in length.free:
            continue
        for end in (
            atom for monomial in terms.polynomial(length) for atom in monomial if atom.kind == "least"
        ):
            begin = terms.minus(end, length)
            whole = _whole(reader, chunk, count, begin, end)
            if whole is None:
                continue
            first, last = whole
            cell = terms.fresh("counter", "cell")
            reader.places.counts[cell] = terms.minus(last, first)
            values = {lane: terms.minus(terms.plus(first, cell), begin)}
            counters = tuple(pair for pair in inner if pair[0] is not lane)
            parts = (reader.rewriter.replace(part, values) for part in (item.guard, item.index, item.value))
            merged = Item(((cell, reader.places.counts[cell]), *counters), *parts)
            if not any(chunk in part.free for part in merged.parts):
                return merged
    return item


def _whole(reader: Reader, chunk: Term, count: Term, begin: Term, end: Term) -> tuple[Term, Term] | None:
    """The range that the chunks cut into pieces [begin, end), if they do."""
    terms = reader.terms
    for upper, last in (end.args, end.args[::-1]):
        if chunk in last.free:
            continue
        plain = terms.coefficient(upper, chunk)
        if plain is None or plain[0].kind != "int" or plain[0].data <= 0:
            continue
        size = plain[0].data
        low = terms.minus(upper, terms.integer(size))
        rounded = terms.integer(size - 1)
        if low is begin:
            first = terms.minus(begin, terms.scaled(chunk, size))
            way = terms.plus(terms.minus(last, first), rounded)
            if count is reader.bits.quotient("", (way, terms.integer(size))):
                return first, last
        if begin.kind == "greatest" and low in begin.args:
            first = begin.args[begin.args[0] is low]
            start = reader.bits.quotient("", (first, terms.integer(size)))
            stop = reader.bits.quotient("", (terms.plus(last, rounded), terms.integer(size)))
            aligned = terms.scaled(terms.plus(chunk, start), size)
            if chunk not in first.free and low is aligned and count is terms.minus(stop, start):
                reader.bits.assumptions.add(LIST_BEGINS)
                return first, last
    return None
