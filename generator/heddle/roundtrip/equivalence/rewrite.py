# SPDX-License-Identifier: Apache-2.0
"""Replace variables in terms, bind them, and open what was bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.terms import Term

BINDERS = ("item", "reduce", "system")
"""Terms whose data ends with the number of variables that they bind and their height."""


class Rewriter:
    """Rebuilds terms in the normal form of an arithmetic."""

    def __init__(self, bits: FloatTerms) -> None:
        self.bits, self.terms = bits, bits.terms
        self._latest: tuple[Mapping[Term, Term], Replacement] | None = None

    def replace(self, term: Term, values: Mapping[Term, Term]) -> Term:
        """The term with variables replaced."""
        if self._latest is None or self._latest[0] != values:  # what many terms share is rebuilt once
            self._latest = dict(values), Replacement(self, values)
        return self._latest[1].of(term)

    def bind(
        self, kind: str, data: tuple[object, ...], variables: Iterable[Term], args: Iterable[Term]
    ) -> Term:
        """A binder over terms: its variables become positions."""
        parts, names = tuple(args), tuple(variables)
        height = 1 + max((part.height for part in parts), default=0)
        bound = {name: self.terms.make("bound", (height, place)) for place, name in enumerate(names)}
        return self.terms.make(
            kind, (*data, len(names), height), (self.replace(part, bound) for part in parts)
        )

    def opened(self, binder: Term) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """Fresh variables for those of a binder, and its operands with them. Of a recurrence, the first one
        counts the iterations, and the others are any values."""
        *_, size, height = binder.data
        counters = 1 if binder.kind == "system" else size
        fresh = tuple(self.terms.fresh("counter" if n < counters else "carried") for n in range(size))
        values = {self.terms.make("bound", (height, place)): name for place, name in enumerate(fresh)}
        return fresh, tuple(self.replace(argument, values) for argument in binder.args)


class Replacement:
    """One replacement, of any number of terms. load: what a load with a rebuilt index becomes, or None for
    the usual."""

    def __init__(
        self,
        rewriter: Rewriter,
        values: Mapping[Term, Term],
        load: Callable[[Term, Term], Term | None] = lambda term, index: None,
    ) -> None:
        self.rewriter, self.terms, self.load = rewriter, rewriter.terms, load
        self.done: dict[Term, Term] = dict(values)
        self.variables = frozenset().union(*(v.free for v in values if v.kind != "bound"))
        self.lowest = min((v.data[0] for v in values if v.kind == "bound"), default=0)
        self.plain = all(value.height == 0 or value.kind == "bound" for value in values.values())

    def touches(self, term: Term) -> bool:
        return bool(term.free & self.variables) or bool(self.lowest and term.height >= self.lowest)

    def of(self, root: Term) -> Term:
        stack = [root]
        while stack:
            term = stack[-1]
            if term in self.done:
                stack.pop()
                continue
            if not self.touches(term):
                self.done[term] = term
                stack.pop()
                continue
            waiting = [argument for argument in term.args if argument not in self.done]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self.done[term] = self.rebuilt(term)
        return self.done[root]

    def rebuilt(self, term: Term) -> Term:
        args = tuple(self.done[argument] for argument in term.args)
        if term.kind == "load":
            found = self.load(term, args[1])
            if found is not None:
                return found
        if term.kind == "stores" and args[0].kind == "stores":
            return self.terms.make("stores", term.data, (*args[0].args, *args[1:]))
        if term.kind in BINDERS and not self.plain:
            return self.rebound(term)
        return self.rewriter.bits.build(term, args)

    def rebound(self, term: Term) -> Term:
        """What is put in may bind variables of its own: the heights are counted anew."""
        counters, args = self.rewriter.opened(term)
        inner = (self.of(argument) for argument in args)
        return self.rewriter.bind(term.kind, term.data[:-2], counters, inner)
