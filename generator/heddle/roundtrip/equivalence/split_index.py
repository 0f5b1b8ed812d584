# SPDX-License-Identifier: Apache-2.0
"""One number that counts the cells of a box becomes counters along its axes.

for n in [0, a b): f(n / a, n % a)            is for j in [0, b): for i in [0, a): f(j, i)
"""

from __future__ import annotations

from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.memory import Item
from heddle.roundtrip.equivalence.terms import Term, inside


def split_index(context: Context, item: Item) -> Item:
    """The item with a counter for each axis, where it divides the number of a cell by an extent."""
    terms, counters = context.terms, [counter for counter, _ in item.counters]
    for place, (counter, count) in enumerate(item.counters):
        for quotient in sorted(_quotients(item, counter), key=_by_divisor, reverse=True):
            extent = quotient.args[1]
            multiple, rest = terms.polynomial(count).divided(terms.polynomial(extent))
            if rest.terms or extent.free & set(counters):
                continue
            rows = terms.collected(multiple)
            if not context.aliases.not_negative(extent):
                continue
            outer, inner = terms.fresh("counter", "row"), terms.fresh("counter", "cell")
            context.aliases.counts |= {outer: rows, inner: extent}
            values = {counter: terms.plus(terms.times(outer, extent), inner), quotient: outer}
            parts = (context.rewriter.replace(part, values) for part in (item.guard, item.index, item.value))
            digits = ((outer, rows), (inner, extent))
            return split_index(
                context, Item((*item.counters[:place], *digits, *item.counters[place + 1 :]), *parts)
            )
    return item


def _quotients(item: Item, counter: Term) -> list[Term]:
    """Where the item divides a counter."""
    return [
        term
        for term in inside(part for part in item.parts if counter in part.free)
        if term.kind == "quotient" and term.args[0] is counter
    ]


def _by_divisor(quotient: Term) -> tuple[int, int]:
    divisor = quotient.args[1]
    return (divisor.data if divisor.kind == "int" else 0), -quotient.number
