# SPDX-License-Identifier: Apache-2.0
"""A value combined over many cells, as one term: in any order of the cells, and whichever way their counters
run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heddle.equivalence.memory import Item
from heddle.equivalence.terms import Term

if TYPE_CHECKING:
    from heddle.equivalence.reading import Reader

SIGN_OF_ZERO = "a minimum or maximum that is zero may have either sign"


def turned(reader: Reader, item: Item, counter: Term, count: Term) -> Item:
    """The item with a counter that runs the other way."""
    last = reader.terms.minus(count, reader.terms.integer(1))
    other_way = {counter: reader.terms.minus(last, counter)}
    return item.with_parts(tuple(reader.rewriter.replace(part, other_way) for part in item.parts))


def reduction(reader: Reader, name: str, scalar: str, initial: Term, item: Item) -> Term:
    """`initial` combined with the item's value for all values of its counters. name: "sum", "min", "max"."""
    if name in ("min", "max"):
        reader.bits.assumptions.add(SIGN_OF_ZERO)
    item = replace(item, counters=reader.memory.in_order(item))
    ways = [item]
    if not any(count.free for _, count in item.counters):  # chunks are not whole loops yet
        for counter, count in item.counters:
            ways += [turned(reader, way, counter, count) for way in ways]
    return min((_bound(reader, name, scalar, initial, way) for way in ways), key=reader.bits.key)


def _bound(reader: Reader, name: str, scalar: str, initial: Term, item: Item) -> Term:
    args = (initial, *(count for _, count in item.counters), item.guard, item.value)
    return reader.rewriter.bind("reduce", (name, scalar), (counter for counter, _ in item.counters), args)
