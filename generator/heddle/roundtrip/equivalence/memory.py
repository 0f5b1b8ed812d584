# SPDX-License-Identifier: Apache-2.0
"""Memory while a kernel is read: for each array, what has been stored to it since the loop's body began.

A load finds the store that it sees: the last one to the same element, past those to elements that are surely
others. Where that cannot be told, the load keeps the whole state of the array, so that it is equal only to a
load from the same state.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from heddle.roundtrip.equivalence.alias_analysis import AliasAnalysis
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.rewrite import Rewriter
from heddle.roundtrip.equivalence.terms import Term, conjuncts


@dataclass(frozen=True, eq=False)
class Item:
    """For all values of the counters (each with how often it runs): where `guard`, element `index` is
    `value`. The iterations do not touch what others of them write."""

    counters: tuple[tuple[Term, Term], ...]
    guard: Term
    index: Term
    value: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        return (*(count for _, count in self.counters), self.guard, self.index, self.value)

    def with_parts(self, parts: tuple[Term, ...]) -> Item:
        *counts, guard, index, value = parts
        counters = tuple((name, count) for (name, _), count in zip(self.counters, counts, strict=True))
        return Item(counters, guard, index, value)


@dataclass
class State:
    """The contents of an array: `base`, then the items in order."""

    base: Term
    items: list[Item] = field(default_factory=list)


@dataclass
class Layer:
    """What the body of a loop has stored so far. uid: of the loop; -1 outside all."""

    uid: int
    states: dict[str, State] = field(default_factory=dict)
    local: set[str] = field(default_factory=set)


class Memory:
    """The arrays of a kernel, layer by layer of its loops."""

    def __init__(self, bits: FloatTerms, aliases: AliasAnalysis, rewriter: Rewriter) -> None:
        self.bits, self.terms, self.aliases, self.rewriter = bits, bits.terms, aliases, rewriter
        self.layers = [Layer(-1)]

    @property
    def top(self) -> Layer:
        return self.layers[-1]

    def state(self, array: str) -> State:
        layer = self.top
        if array not in layer.states:
            kind, data = ("initial", array) if layer.uid < 0 else ("entry", (layer.uid, array))
            layer.states[array] = State(self.terms.make(kind, data))
        return layer.states[array]

    def declare(self, array: str, scalar: str) -> None:
        """A small array of the loop's body; what it holds at first is no value."""
        self.top.local.add(array)
        self.top.states[array] = State(self.terms.make("undefined", scalar))

    def load(self, array: str, scalar: str, index: Term, guards: frozenset[Term] = frozenset()) -> Term:
        """What an element holds now. guards: conditions under which it is asked.

        Extents and strides are never stored to (`difference.effects` refuses that): they hold what they held
        at first.
        """
        if array.endswith(("_extent", "_stride")):
            return self.terms.make("load", (scalar, array), (self.terms.make("initial", array), index))
        state = self.state(array)
        return self._load(array, scalar, index, state, len(state.items), guards)

    def _load(
        self, array: str, scalar: str, index: Term, state: State, length: int, guards: frozenset[Term]
    ) -> Term:
        for position in reversed(range(length)):
            item = state.items[position]
            if self.aliases.apart(array, item.index, index):
                continue
            values = self.aliases.iteration(item.index, item.counters, index)
            if values is None:
                upto = self.state_term(state, position + 1)
                return self.terms.make("load", (scalar, array), (upto, index))
            guard = self.rewriter.replace(item.guard, values)
            value = self.rewriter.replace(item.value, values)
            if guard is self.bits.yes or set(conjuncts(guard)) <= guards:
                return value
            older = self._load(array, scalar, index, state, position, guards)
            return self.bits.select(scalar, (guard, value, older))
        return self.terms.make("load", (scalar, array), (state.base, index))

    def state_term(self, state: State, length: int | None = None) -> Term:
        """A state as a term, its stores in the order of the program."""
        items = state.items[:length]
        if not items:
            return state.base
        return self.terms.make("stores", "", (state.base, *map(self.closed, items)))

    def closed(self, item: Item) -> Term:
        """An item as a term; its counters in an order that does not depend on the nest where that is
        possible."""
        item = replace(item, counters=self.in_order(item))
        return self.rewriter.bind("item", (), (name for name, _ in item.counters), item.parts)

    def in_order(self, item: Item) -> tuple[tuple[Term, Term], ...]:
        """The counters of an item by how often they run, unless that depends on other counters."""
        if any(count.free for _, count in item.counters):
            return item.counters
        return tuple(sorted(item.counters, key=lambda counter: self.bits.key(counter[1])))

    def store(self, array: str, scalar: str, item: Item, guards: frozenset[Term] = frozenset()) -> None:
        """Store without or with counters; a store of what is there already says nothing."""
        state = self.state(array)
        if not item.counters:
            old = self.load(array, scalar, item.index, guards)
            if item.value is old:
                return
            if item.value.kind == "select" and old in item.value.args[1:]:
                condition, yes, no = item.value.args
                kept = yes is old
                condition = self.bits.negated("", (condition,)) if kept else condition
                guard = self.bits.both("", (item.guard, condition))
                item = replace(item, guard=guard, value=no if kept else yes)
            if self._merged(array, scalar, state, item):
                return
        state.items.append(item)

    def _merged(self, array: str, scalar: str, state: State, item: Item) -> bool:
        """Two stores to one element are one store of the later value, where it is stored."""
        for position in reversed(range(len(state.items))):
            earlier = state.items[position]
            if earlier.index is item.index and not earlier.counters:
                known = set(conjuncts(earlier.guard))  # what holds wherever one of the two is stored
                later = self.bits.both("", tuple(c for c in conjuncts(item.guard) if c not in known))
                value = self.bits.select(scalar, (later, item.value, earlier.value))
                guard = self.bits.either("", (item.guard, earlier.guard))
                state.items[position] = replace(earlier, guard=guard, value=value)
                return True
            if not self.aliases.apart(array, earlier.index, item.index):
                return False
        return False

    def final(self, array: str) -> list[Term]:
        """The items of an array at the end, those that may change places in one order for all programs."""
        items = self.state(array).items
        closed = [self.closed(item) for item in items]
        before: list[set[int]] = [
            {
                earlier
                for earlier in range(later)
                if not self.aliases.apart(array, items[earlier].index, items[later].index)
            }
            for later in range(len(items))
        ]
        result: list[int] = []
        left = set(range(len(items)))
        while left:
            ready = [number for number in left if not before[number] & left]
            chosen = min(ready, key=lambda number: (self.bits.key(closed[number]), closed[number].number))
            left.remove(chosen)
            result.append(chosen)
        return [closed[number] for number in result]
