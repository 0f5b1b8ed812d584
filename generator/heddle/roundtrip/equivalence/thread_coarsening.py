# SPDX-License-Identifier: Apache-2.0
"""Loops over threads that take several cells each: shown to be a loop over the cells one by one.

for z in [0, n) by 2: f(z); f(z + 1 < n ? z + 1 : z)        is for z in [0, n): f(z)

The body is read once for each number of cells that a thread can find: with m cells left, `z + j < n` is known
for every j. What it then stores has to be what the body with one cell stores, m times, one cell further each
time; a cell that is done twice is then one store. So nothing is taken from how the body is written.
"""

from __future__ import annotations

from collections.abc import Callable

from heddle.ir import nodes as ir
from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.memory import Item, Layer
from heddle.roundtrip.equivalence.terms import Term

Facts = dict[Term, Term]
ReadBody = Callable[[Term, Facts], Layer]
"""What the body of a loop stores, with a value of its counter and what is then known of terms."""


class CoarsenedThread:
    """A loop whose counter is `begin + counter`, in steps of `cells`, up to `end`. read: its body."""

    def __init__(self, context: Context, read: ReadBody, counter: Term, begin: Term, end: Term) -> None:
        self.context, self.read, self.counter = context, read, counter
        self.terms = context.terms
        self.first, self.end = self.terms.plus(begin, counter), end

    def is_cell_by_cell(self, cells: int) -> bool:
        """Whether the loop is one over the cells, with the body that `facts(1)` leaves."""
        bits, known = self.context.bits, set(self.context.bits.assumptions)
        one = self.stored(1, cells)
        if all(self.are_cells(self.stored(m, cells), one, m) for m in range(2, cells + 1)):
            return True
        bits.assumptions.intersection_update(known)
        return False

    def facts(self, left: int, cells: int) -> Facts:
        """What is known in a thread that has `left` cells: which of them there are, and which is the last."""
        terms, bits = self.terms, self.context.bits
        facts: Facts = {}
        last = terms.minus(self.end, terms.integer(1))
        for further in range(1, cells):
            cell = terms.plus(self.first, terms.integer(further))
            nearest = terms.plus(self.first, terms.integer(min(further, left - 1)))
            facts[bits.compare("lt", ir.I64, (cell, self.end))] = bits.condition(further < left)
            facts[bits.extreme("least", (cell, last))] = nearest
        return facts

    def stored(self, left: int, cells: int) -> dict[str, list[Item]] | None:
        """What a thread with so many cells stores; None if it leaves an array as no list of stores."""
        layer = self.read(self.first, self.facts(left, cells))
        written = {array: state for array, state in layer.states.items() if array not in layer.local}
        entries = {array: self.terms.make("entry", (layer.uid, array)) for array in written}
        if any(state.base is not entries[array] for array, state in written.items()):
            return None
        return {array: state.items for array, state in written.items() if state.items}

    def are_cells(
        self, several: dict[str, list[Item]] | None, one: dict[str, list[Item]] | None, left: int
    ) -> bool:
        """Whether stores are those of one cell and of the ones that follow it, for each in their order. That
        cells do not disturb each other is shown, or assumed, of the loop over cells:
        `loop_summary.summarise`."""
        if several is None or one is None or several.keys() != one.keys():
            return False
        memory, rewriter = self.context.memory, self.context.rewriter
        for array, items in several.items():
            place = {memory.closed(item): number for number, item in enumerate(items)}
            if not len(place) == len(items) == left * len(one[array]):
                return False
            met: set[Term] = set()
            for further in range(left):
                moved = {self.counter: self.terms.plus(self.counter, self.terms.integer(further))}
                cell = [
                    memory.closed(item.with_parts(tuple(rewriter.replace(p, moved) for p in item.parts)))
                    for item in one[array]
                ]
                order = [place.get(item, -1) for item in cell]
                if -1 in order or order != sorted(order):
                    return False
                met |= set(cell)
            if len(met) != len(items):
                return False
        return True


def first_of_vector(context: Context, layer: Layer, counter: Term, cells: int) -> None:
    """Leave of what a thread stores, which has so many cells of a row from `counter` on, what it stores for
    the first one; all of it, where that is not one body for each cell."""
    terms, memory, rewriter = context.terms, context.memory, context.rewriter

    def further(item: Item, by: int) -> Term:
        moved = {counter: terms.plus(counter, terms.integer(by))}
        return memory.closed(item.with_parts(tuple(rewriter.replace(p, moved) for p in item.parts)))

    for array, state in layer.states.items():
        if array in layer.local:
            continue
        there = [memory.closed(item) for item in state.items]
        first = [i for i in state.items if all(further(i, by) in there for by in range(cells))]
        together = {further(item, by) for item in first for by in range(cells)}
        if len(first) * cells == len(there) and together == set(there):
            state.items = first
