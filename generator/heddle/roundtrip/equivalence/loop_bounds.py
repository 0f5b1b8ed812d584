# SPDX-License-Identifier: Apache-2.0
"""Guards that only shorten a loop: `for i in [0, n): if (i >= 1 && i < n - 1)` is `for i in [1, n - 1)`."""

from __future__ import annotations

from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.memory import Item
from heddle.roundtrip.equivalence.terms import Term, conjuncts


def is_bounded(item: Item, counter: Term) -> bool:
    """Whether the guard compares the counter with something."""
    return any(part.kind == "le0" and counter in part.free for part in conjuncts(item.guard))


def without_bounds(context: Context, item: Item, counter: Term) -> Item:
    """The item with the conditions of its guard that bound a counter in its range."""
    terms, bits = context.terms, context.bits
    count = dict(item.counters)[counter]
    begin, kept = terms.integer(0), []
    for condition in conjuncts(item.guard):
        parts = terms.coefficient(condition.args[0], counter) if condition.kind == "le0" else None
        step = parts[0].data if parts and parts[0].kind == "int" else 0
        if parts and step == 1:  # t <= -r
            count = context.aliases.least(count, terms.minus(terms.integer(1), parts[1]))
        elif parts and step == -1 and context.aliases.not_negative(terms.minus(parts[1], begin)):  # t >= r
            begin = parts[1]
        elif not (parts and step == -1 and context.aliases.not_negative(terms.minus(begin, parts[1]))):
            kept.append(condition)
    if len(kept) == len(conjuncts(item.guard)):
        return item
    moved = {counter: terms.plus(counter, begin)}
    length = terms.minus(count, begin)
    context.aliases.counts[counter] = length
    counters = tuple((name, length if name is counter else n) for name, n in item.counters)
    shorter = Item(counters, bits.both("", tuple(kept)), item.index, item.value)
    return shorter.with_parts(tuple(context.rewriter.replace(part, moved) for part in shorter.parts))
