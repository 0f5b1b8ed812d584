# SPDX-License-Identifier: Apache-2.0
"""A value combined over many cells, as one term: in any order of the cells, and whichever way their counters
run."""

from __future__ import annotations

from dataclasses import replace

from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.memory import Item
from heddle.roundtrip.equivalence.terms import Term

ASSUME_SIGN_OF_ZERO = "a minimum or maximum that is zero may have either sign"


def reversed_range(context: Context, item: Item, counter: Term, count: Term) -> Item:
    """The item with a counter that runs the other way."""
    last = context.terms.minus(count, context.terms.integer(1))
    other_way = {counter: context.terms.minus(last, counter)}
    return item.with_parts(tuple(context.rewriter.replace(part, other_way) for part in item.parts))


def reduction(context: Context, name: str, scalar: str, initial: Term, item: Item) -> Term:
    """`initial` combined with the item's value for all values of its counters. name: "sum", "min", "max"."""
    if name in ("min", "max"):
        context.bits.assumptions.add(ASSUME_SIGN_OF_ZERO)
    item = replace(item, counters=context.memory.in_order(item))
    ways = [item]
    if not any(count.free for _, count in item.counters):  # strips are not whole loops yet
        for counter, count in item.counters:
            ways += [reversed_range(context, way, counter, count) for way in ways]
    return min((_bound(context, name, scalar, initial, way) for way in ways), key=context.bits.key)


def _bound(context: Context, name: str, scalar: str, initial: Term, item: Item) -> Term:
    args = (initial, *(count for _, count in item.counters), item.guard, item.value)
    return context.rewriter.bind("reduce", (name, scalar), (counter for counter, _ in item.counters), args)
