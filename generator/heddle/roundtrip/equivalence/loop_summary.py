# SPDX-License-Identifier: Apache-2.0
"""What a loop does, from what its body does.

Where no iteration touches what another one writes, a loop is its body's stores for all values of its counter,
in any order: then nests may be permuted, split, joined and cut into strips. OpenMP, SIMD and CUDA loops are
such by declaration; a serial loop is, if it can be shown. What is carried from one iteration to the next
(variables, and arrays that are read where other iterations write) is a recurrence: the values at the start,
and the values after one iteration in terms of those before it. A recurrence is one term without names; its
value at iteration t is `during (recurrence, t)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, product

from heddle.roundtrip.equivalence.alias_analysis import ASSUME_OWN_ELEMENTS
from heddle.roundtrip.equivalence.boundary_disjointness import (
    Condition,
    conditions_around,
    disjoint_at_boundaries,
)
from heddle.roundtrip.equivalence.colour_disjointness import Facts, even_numbers
from heddle.roundtrip.equivalence.context import Context
from heddle.roundtrip.equivalence.loop_bounds import is_bounded, without_bounds
from heddle.roundtrip.equivalence.memory import Item, Layer, State
from heddle.roundtrip.equivalence.reduction_terms import reduction, reversed_range
from heddle.roundtrip.equivalence.rewrite import Replacement
from heddle.roundtrip.equivalence.split_index import split_index
from heddle.roundtrip.equivalence.strips import without_strips
from heddle.roundtrip.equivalence.terms import Term, conjuncts, inside

ASSUME_PARALLEL = "the iterations of loops that are declared parallel do not disturb each other"
ASSUME_SAME_ORDER = "what parallel loops carry from one iteration to the next is combined in one order"


@dataclass(frozen=True, eq=False)
class ExecutedLoop:
    """A loop whose body has been read. carried: name -> (its value when an iteration starts, its value before
    the loop, its type); updates: its value when an iteration ends. guard: under which the loop stands."""

    kind: str
    counter: Term
    count: Term
    backwards: bool
    guard: Term
    layer: Layer
    carried: dict[str, tuple[Term, Term, str]]
    updates: dict[str, Term]


@dataclass(frozen=True, eq=False)
class _Slot:
    """Something carried: the free term it is in an iteration, at the start, and after the iteration."""

    variable: Term
    initial: Term
    update: Term


def summarise(context: Context, loop: ExecutedLoop) -> dict[str, Term]:
    """Add what the loop stores to the memory around it; returns the variables that it changed."""
    return _LoopSummary(context, loop).closed()


class _LoopSummary:
    def __init__(self, context: Context, loop: ExecutedLoop) -> None:
        self.context, self.loop = context, loop
        self.bits, self.terms = context.bits, context.terms
        self.memory, self.aliases, self.rewriter = context.memory, context.aliases, context.rewriter
        self.written = {
            array: state
            for array, state in loop.layer.states.items()
            if array not in loop.layer.local and (state.items or state.base is not self.entry(array))
        }
        self.updates = dict(loop.updates)
        self.elements: list[tuple[str, Term, Term, Term]] = []  # array, variable, first index, update
        self.around_loads: dict[Term, Condition] = {}  # under what they are evaluated
        self.even_at_loads: dict[Term, dict[Facts, None]] = {}  # numbers that are even there

    @property
    def loads(self) -> dict[str, list[Term]]:
        """The loads of the body, by array."""
        everything = chain(
            chain.from_iterable(item.parts for state in self.written.values() for item in state.items),
            (state.base for state in self.written.values()),
            self.updates.values(),
        )
        found: dict[str, list[Term]] = {}
        for term in inside(everything):
            if term.kind == "load":
                found.setdefault(term.data[1], []).append(term)
        return found

    def closed(self) -> dict[str, Term]:
        if self.loop.kind == "serial":
            for array in self.written:
                self.carry_elements(array)
        self.read = self.loads
        dependent = {array for array in self.written if not self.is_independent(array)}
        self.outside = {
            self.entry(array): self.outer(array)
            for array in self.loop.layer.states
            if array not in dependent and array not in self.loop.layer.local
        }
        self.around = Replacement(self.rewriter, self.outside, self.load_before)
        items = {
            array: [self.from_outside(item) for item in state.items] for array, state in self.written.items()
        }
        slots = [
            *(
                _Slot(variable, initial, self.guarded(scalar, self.moved(self.updates[name]), variable))
                for name, (variable, initial, scalar) in self.loop.carried.items()
            ),
            *(
                _Slot(variable, self.load_at(array, self.moved(first)), self.moved(update))
                for array, variable, first, update in self.elements
            ),
        ]
        for array in sorted(dependent):
            after = State(self.moved(self.written[array].base), items[array])
            slots.append(_Slot(self.entry(array), self.outer(array), self.memory.state_term(after)))
        recurrences = {slot.variable: self.recurrence(slot, slots) for slot in slots}
        at_counter = {
            variable: self.during(variable, system, self.loop.counter)
            for variable, system in recurrences.items()
        }
        for array in self.written:
            if array in dependent:
                final = self.during(self.entry(array), recurrences[self.entry(array)], self.loop.count)
                self.memory.top.states[array] = State(final)
                continue
            for item in items[array]:
                self.add(array, item, at_counter)
        return self.variables(slots, recurrences)

    # Arrays

    def entry(self, array: str) -> Term:
        return self.terms.make("entry", (self.loop.layer.uid, array))

    def outer(self, array: str) -> Term:
        return self.memory.state_term(self.memory.state(array))

    def is_independent(self, array: str) -> bool:
        """Whether no iteration writes what another one reads or writes."""
        state, counter = self.written[array], self.loop.counter
        entry = self.entry(array)
        if state.base is not entry:
            return False
        reads = [term for term in self.read.get(array, []) if entry in term.args[0].free]
        stores = [
            (*self.loosened(item.index, counter), even_numbers(self.terms, item.guard), item)
            for item in state.items
        ]
        others: list[tuple[Term, set[Term], Facts, Item | Term]] = [*stores]
        for read in reads:
            where = self.loosened(read.args[1], counter)
            others += [(*where, facts, read) for facts in self.known_where(read)]
        for (index, inner, facts, store), (other, loose, known, touch) in product(stores, others):
            if self.aliases.apart_across(array, index, other, counter, inner | loose, (facts, known)):
                continue
            if self.loop.kind != "serial":
                self.bits.assumptions.add(ASSUME_PARALLEL)
            elif not self.are_disjoint_at_boundaries(array, (index, store), (other, touch)):
                return False
        return True

    def are_disjoint_at_boundaries(
        self, array: str, a: tuple[Term, Item | Term], b: tuple[Term, Item | Term]
    ) -> bool:
        """Whether two elements are apart because only cells at a side touch one of them. Of each: its index,
        and the store or the load that touches it."""
        pairs = self.aliases.pairs(array, a[0], b[0])
        if not disjoint_at_boundaries(
            self.aliases, pairs, (self.condition_of(a[1]), self.condition_of(b[1]))
        ):
            return False
        self.bits.assumptions.add(ASSUME_OWN_ELEMENTS)
        return True

    def condition_of(self, touch: Item | Term) -> Condition:
        """What holds wherever a store or a load happens."""
        if isinstance(touch, Item):
            return frozenset(conjuncts(touch.guard))
        if not self.around_loads:
            items = [item for state in self.written.values() for item in state.items]
            roots = [(item.guard, frozenset[Term]()) for item in items]
            roots += [(part, frozenset(conjuncts(i.guard))) for i in items for part in (i.index, i.value)]
            roots += [(state.base, frozenset[Term]()) for state in self.written.values()]
            roots += [(update, frozenset[Term]()) for update in self.updates.values()]
            self.around_loads = conditions_around(self.bits, roots)
        return self.around_loads[touch]

    def known_where(self, read: Term) -> list[tuple[Term, ...]]:
        """What is an even number where something is read: once each, of all the places."""
        if not self.even_at_loads:
            for item in (item for state in self.written.values() for item in state.items):
                self.note_loads(item.parts, even_numbers(self.terms, item.guard))
            self.note_loads(chain((s.base for s in self.written.values()), self.updates.values()), ())
        return list(self.even_at_loads.get(read, [()]))

    def note_loads(self, roots: Iterable[Term], facts: Facts) -> None:
        for term in inside(roots):
            if term.kind == "load":
                self.even_at_loads.setdefault(term, {})[facts] = None

    def carry_elements(self, array: str) -> None:
        """What an iteration reads where the one before it wrote is a carried value, and the array itself then
        carries nothing. Before the first iteration it is what memory holds there."""
        counter, one = self.loop.counter, self.terms.integer(1)
        scalar = str(self.context.elements[array])
        for item in list(self.written[array].items):
            if item.counters or item.guard is not self.bits.yes or counter not in item.index.free:
                continue
            before = self.rewriter.replace(item.index, {counter: self.terms.minus(counter, one)})
            read = self.terms.make("load", (scalar, array), (self.entry(array), before))
            others = [other for other in self.written[array].items if other.index is not item.index]
            if read in self.loads.get(array, []) and all(
                self.aliases.apart(array, other.index, item.index)
                and self.aliases.apart_across(array, other.index, before, counter, dict(other.counters))
                for other in others
            ):
                first = self.rewriter.replace(before, {counter: self.terms.integer(0)})
                variable = self.terms.fresh("carried", array)
                self.elements.append((array, variable, first, item.value))
                self.replace_in_body({read: variable})

    def load_at(self, array: str, index: Term) -> Term:
        return self.memory.load(array, str(self.context.elements[array]), index)

    def replace_in_body(self, values: dict[Term, Term]) -> None:
        def new(term: Term) -> Term:
            return self.rewriter.replace(term, values)

        for array, state in self.written.items():
            items = [item.with_parts(tuple(map(new, item.parts))) for item in state.items]
            self.written[array] = State(new(state.base), items)
        self.updates = {name: new(update) for name, update in self.updates.items()}
        self.elements = [(a, variable, first, new(update)) for a, variable, first, update in self.elements]

    def loosened(self, index: Term, counter: Term) -> tuple[Term, set[Term]]:
        """An index in which bound variables and other counters of inner loops stand for themselves."""
        fresh = {term: self.terms.fresh("carried") for term in inside((index,)) if term.kind == "bound"}
        loose = self.rewriter.replace(index, fresh) if fresh else index
        unchanged = {self.entry(array) for array in self.loop.layer.states.keys() - self.written.keys()}
        return loose, {variable for variable in loose.free - unchanged if variable.number > counter.number}

    def moved(self, term: Term) -> Term:
        """The term with loads from what the loop's arrays held before it."""
        return self.around.of(term)

    def load_before(self, load: Term, index: Term) -> Term | None:
        scalar, array = load.data
        return self.memory.load(array, scalar, index) if load.args[0] in self.outside else None

    def from_outside(self, item: Item) -> Item:
        return item.with_parts(tuple(self.moved(part) for part in item.parts))

    def add(self, array: str, item: Item, carried: dict[Term, Term]) -> None:
        """The item for all values of the counter."""
        parts = tuple(self.rewriter.replace(part, carried) for part in item.parts)
        self.place(array, self.over_counter(item.with_parts(parts)))

    def over_counter(self, item: Item) -> Item:
        """The item for all values of the loop's counter, which then rises with the index."""
        counter, count = self.loop.counter, self.loop.count
        guard = self.bits.both("", (self.loop.guard, item.guard))
        item = Item(((counter, count), *item.counters), guard, item.index, item.value)
        if is_bounded(item, counter):
            counter, item = self.renamed(item, counter, count)
            item = without_bounds(self.context, item, counter)
            count = dict(item.counters)[counter]
        if self.loop.backwards:  # any order will do
            item = reversed_range(self.context, item, counter, count)
        parts = self.terms.coefficient(item.index, counter)
        slope = self.terms.polynomial(parts[0]).terms.values() if parts else ()
        if slope and all(factor < 0 for factor in slope):
            item = reversed_range(self.context, item, counter, count)
        return split_index(self.context, without_strips(self.context, item))

    def renamed(self, item: Item, counter: Term, count: Term) -> tuple[Term, Item]:
        """The item with a counter of its own, whose range its guard may shorten."""
        own = self.terms.fresh("counter", "own")
        self.aliases.counts[own] = count
        _, *inner = item.counters
        moved = Item(((own, count), *inner), item.guard, item.index, item.value)
        return own, moved.with_parts(
            tuple(self.rewriter.replace(part, {counter: own}) for part in moved.parts)
        )

    def place(self, array: str, item: Item) -> None:
        self.memory.store(array, str(self.context.elements[array]), item)

    # What is carried

    def guarded(self, scalar: str, update: Term, before: Term) -> Term:
        return self.bits.select(scalar, (self.loop.guard, update, before))

    def recurrence(self, slot: _Slot, slots: list[_Slot]) -> Term:
        """What a slot depends on, as one term: all values at the start, all values after one iteration."""
        by_variable = {other.variable: other for other in slots}
        needed = {slot.variable}
        waiting = [slot]
        while waiting:
            for variable in waiting.pop().update.free & by_variable.keys():
                if variable not in needed:
                    needed.add(variable)
                    waiting.append(by_variable[variable])
        others = [other for other in slots if other.variable in needed and other is not slot]
        others = self.in_order(others, slot)
        chosen = [slot, *others]
        variables = [self.loop.counter, *(other.variable for other in chosen)]
        initial = [other.initial for other in chosen]
        updates = [other.update for other in chosen]
        kind = "serial"
        if self.loop.kind != "serial" and all(other.variable.kind == "entry" for other in chosen):
            self.bits.assumptions.add(ASSUME_PARALLEL)  # so that any order will do
        elif self.loop.kind != "serial":
            kind = "parallel"
            self.bits.assumptions.add(ASSUME_SAME_ORDER)
        return self.rewriter.bind("system", (kind, len(chosen)), variables, (*initial, *updates))

    def in_order(self, others: list[_Slot], first: _Slot) -> list[_Slot]:
        """An order that does not depend on names: by what the slots are, then by what they depend on. The
        number of a term depends on names in it: all loops around, and what they carry, are one variable."""
        if len(others) < 2:
            return others
        known = {self.loop.counter, first.variable, *(slot.variable for slot in others)}
        parts = chain.from_iterable((slot.initial, slot.update) for slot in (first, *others))
        outer = frozenset().union(*(part.free for part in parts)) - known
        unnamed = dict.fromkeys(outer, self.terms.make("bound", (-1, 1)))
        unnamed[self.loop.counter] = self.terms.make("bound", (-1, 2))
        variables = {first.variable: 0} | {slot.variable: 1 for slot in others}
        for _ in range(len(others)):
            marks = unnamed | {
                variable: self.terms.make("bound", (-1 - mark, 0)) for variable, mark in variables.items()
            }
            looks = {
                slot.variable: (
                    variables[slot.variable],
                    self.bits.key(self.rewriter.replace(slot.initial, marks)),
                    self.bits.key(self.rewriter.replace(slot.update, marks)),
                )
                for slot in others
            }
            classes = sorted(set(looks.values()))
            variables |= {variable: 1 + classes.index(look) for variable, look in looks.items()}
        return sorted(others, key=lambda slot: variables[slot.variable])

    def during(self, variable: Term, system: Term, time: Term) -> Term:
        """The slot that a recurrence is about, when iteration `time` starts."""
        return self.terms.make("during", variable.kind, (system, time))

    def variables(self, slots: list[_Slot], recurrences: dict[Term, Term]) -> dict[str, Term]:
        result: dict[str, Term] = {}
        for name, slot in zip(self.loop.carried, slots, strict=False):
            scalar = self.loop.carried[name][2]
            reduced = self.reduced(slot, scalar)
            result[name] = reduced or self.during(slot.variable, recurrences[slot.variable], self.loop.count)
        return result

    # Reductions

    def reduced(self, slot: _Slot, scalar: str) -> Term | None:
        """The loop as a reduction, if it is one: in any order, and with the loops inside."""
        guard, value = self.bits.yes, slot.update
        if value.kind == "select" and slot.variable is value.args[2]:
            guard, value = value.args[0], value.args[1]
        elif value.kind == "select" and slot.variable is value.args[1]:
            guard, value = self.bits.negated("", value.args[:1]), value.args[2]
        if value.kind == "reduce" and value.args[0] is slot.variable:
            name = value.data[0]
            inner, (_, *counts, inside_guard, inner_value) = self.rewriter.opened(value)
            counters = tuple(zip(inner, counts, strict=True))
            for counter, count in counters:
                self.aliases.counts[counter] = count
            guard = self.bits.both("", (guard, inside_guard))
            return self.reduction(
                name, scalar, slot, Item(counters, guard, self.terms.integer(0), inner_value)
            )
        for name, combined in self.bits.combined(value, slot.variable):
            return self.reduction(name, scalar, slot, Item((), guard, self.terms.integer(0), combined))
        return None

    def reduction(self, name: str, scalar: str, slot: _Slot, item: Item) -> Term | None:
        if any(slot.variable in part.free for part in item.parts):
            return None
        if any(
            variable.kind != "counter" and variable in self.carried_here
            for part in item.parts
            for variable in part.free
        ):
            return None
        return reduction(self.context, name, scalar, slot.initial, self.over_counter(item))

    @property
    def carried_here(self) -> set[Term]:
        return {variable for variable, _, _ in self.loop.carried.values()} | {
            self.entry(array) for array in self.written
        }
