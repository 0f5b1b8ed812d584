# SPDX-License-Identifier: Apache-2.0
"""Loops over threads that take several cells each: shown to be a loop over the cells one by one.

for z in [0, n) by 2: f(z); f(z + 1 < n ? z + 1 : z)        is for z in [0, n): f(z)

The body is read once for each number of cells that a thread can find: with m cells left, `z + j < n` is known
for every j. What it then stores has to be what the body with one cell stores, m times, one cell further each
time; a cell that is done twice is then one store. So nothing is taken from how the body is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heddle.equivalence.memory import Item, Layer
from heddle.equivalence.terms import Term
from heddle.ir import nodes as ir

if TYPE_CHECKING:
    from heddle.equivalence.reading import Reader


class SharedThread:
    """A loop whose counter is `begin + counter`, in steps of `cells`, up to `end`."""

    def __init__(self, reader: Reader, loop: ir.Loop, counter: Term, begin: Term, end: Term) -> None:
        self.reader, self.loop, self.counter = reader, loop, counter
        self.terms = reader.terms
        self.first, self.end = self.terms.plus(begin, counter), end

    def is_cell_by_cell(self, cells: int) -> bool:
        """Whether the loop is one over the cells, with the body that `facts(1)` leaves."""
        bits, known = self.reader.bits, set(self.reader.bits.assumptions)
        one = self.stored(1, cells)
        if all(self.are_cells(self.stored(m, cells), one, m) for m in range(2, cells + 1)):
            return True
        bits.assumptions.intersection_update(known)
        return False

    def facts(self, left: int, cells: int) -> dict[Term, Term]:
        """What is known in a thread that has `left` cells: which of them there are, and which is the last."""
        terms, bits = self.terms, self.reader.bits
        facts: dict[Term, Term] = {}
        last = terms.minus(self.end, terms.integer(1))
        for further in range(1, cells):
            cell = terms.plus(self.first, terms.integer(further))
            nearest = terms.plus(self.first, terms.integer(min(further, left - 1)))
            facts[bits.compare("lt", ir.I64, (cell, self.end))] = bits.condition(further < left)
            facts[bits.extreme("least", (cell, last))] = nearest
        return facts

    def stored(self, left: int, cells: int) -> dict[str, list[Item]] | None:
        """What a thread with so many cells stores; None if it leaves an array as no list of stores."""
        reader = self.reader
        names, guards, facts = dict(reader.names), reader.guards, reader.facts
        reader.names[self.loop.counter.name] = self.first
        reader.guards, reader.facts = [], facts | self.facts(left, cells)
        reader.memory.layers.append(Layer(self.counter.data[0]))
        reader.cell(self.loop.body)
        layer = reader.memory.layers.pop()
        reader.names, reader.guards, reader.facts = names, guards, facts
        written = {array: state for array, state in layer.states.items() if array not in layer.local}
        entries = {array: self.terms.make("entry", (layer.uid, array)) for array in written}
        if any(state.base is not entries[array] for array, state in written.items()):
            return None
        return {array: state.items for array, state in written.items() if state.items}

    def are_cells(
        self, several: dict[str, list[Item]] | None, one: dict[str, list[Item]] | None, left: int
    ) -> bool:
        """Whether stores are those of one cell and of the ones that follow it, for each in their order. That
        cells do not disturb each other is shown, or assumed, of the loop over cells: `loops.close`."""
        if several is None or one is None or several.keys() != one.keys():
            return False
        memory, rewriter = self.reader.memory, self.reader.rewriter
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
