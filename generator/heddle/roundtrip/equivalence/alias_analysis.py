# SPDX-License-Identifier: Apache-2.0
"""Where in an array: whether two indices can be the same element, and which iteration wrote one.

An index is a polynomial in counters, extents and strides. Written as a sum over strides (and 1), its
coefficients are the coordinates of the cell: two indices are apart if one coordinate always differs. That no
two cells of a field share an element is what the entry of every kernel checks; it is noted as an assumption,
like what the index list of a sparse space guarantees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heddle.ir.space import Space
from heddle.roundtrip.equivalence.colour_disjointness import NOTHING, Facts, disjoint_by_parity
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.pack_regions import table_of
from heddle.roundtrip.equivalence.ranges import Ranges
from heddle.roundtrip.equivalence.terms import Monomial, Polynomial, Term, inside, is_read

ASSUME_OWN_ELEMENTS = "no two cells or components of an array share an element"
ASSUME_OWN_LINKS = "the list leads each cell and link to an element of its own"
ASSUME_NO_REPEATS = "no cell is listed twice"
ASSUME_BEHIND_WALLS = (
    "what is stored in the cells of a boundary lies behind walls, where no other one of them reads"
)
NEIGHBOUR, CELLS = "neighbour", "cells"


class AliasAnalysis(Ranges):
    """Reasoning about the indices of one kernel."""

    def __init__(self, bits: FloatTerms, space: Space) -> None:
        super().__init__(bits)
        self.links = space.links if space.is_list else ()
        self.listed = space.listed
        self.in_box = space.box > 0
        self.table = table_of(space, self)
        self.zero = self.terms.integer(0)
        self._different: dict[tuple[Term, Term, Term, frozenset[Term]], bool] = {}
        self._coordinates: dict[tuple[str, Term], dict[Term | None, Term]] = {}

    # Coordinates

    def coordinates(self, array: str, index: Term) -> dict[Term | None, Term]:
        """The coefficients of the strides of the array, and the rest under None."""
        known = self._coordinates.get((array, index))
        if known is None:
            known = self._coordinates[array, index] = self._in_coordinates(array, index)
        return known

    def _in_coordinates(self, array: str, index: Term) -> dict[Term | None, Term]:
        parts: dict[Term | None, dict[Monomial, int]] = {}
        for monomial, factor in self.terms.polynomial(index).terms.items():
            strides = [atom for atom in monomial if self.is_stride(array, atom)]
            stride = strides[0] if len(strides) == 1 else None
            rest = tuple(atom for atom in monomial if atom is not stride) if stride else monomial
            parts.setdefault(stride, {})[rest] = factor
        return {stride: self.terms.collected(Polynomial(part)) for stride, part in parts.items()}

    @staticmethod
    def is_stride(array: str, atom: Term) -> bool:
        if atom.kind == "parameter":
            return bool(atom.data[0] == f"{array}_stride")
        return is_read(atom, f"{array}_stride")

    def pairs(self, array: str, a: Term, b: Term) -> list[tuple[Term, Term]]:
        """The coordinates of two indices, stride by stride."""
        left, right, zero = self.coordinates(array, a), self.coordinates(array, b), self.zero
        return [(left.get(stride, zero), right.get(stride, zero)) for stride in {**left, **right}]

    def is_link(self, index: Term) -> bool:
        return bool(self.links) and is_read(index, NEIGHBOUR)

    def is_behind(self, index: Term) -> bool:
        """Whether it lies in a cell to which a link leads, or whose number is given, in a component of its
        own choice."""
        if not self.links or self.is_link(index):
            return False
        return any(map(self.is_other_cell, inside((index,))))

    @staticmethod
    def is_other_cell(term: Term) -> bool:
        """Whether a number in an index of a list was read, and not as that of the current cell."""
        if term.kind != "load" or term.args[0].kind not in ("initial", "entry"):
            return False
        return term.data[1] != CELLS and not term.data[1].endswith(("_stride", "_extent"))

    def on_links(self, array: str, a: Term, b: Term) -> bool:
        """Whether two indices differ because links lead to them: two links, or a link and a component of the
        current cell that no link leads to, not even at a wall."""
        if not (self.is_link(a) or self.is_link(b)):
            return False
        if not (self.is_link(a) and self.is_link(b)):
            own = self.coordinates(array, b if self.is_link(a) else a)
            components = [part for stride, part in own.items() if stride is not None]
            known = [part.data if part.kind == "int" else None for part in components] or [0]
            reached = {slot for link in self.links for slot in (link.slot, link.wall_slot)}
            if len(known) > 1 or known[0] is None or known[0] in reached:
                return False
        self.bits.assumptions.add(ASSUME_OWN_LINKS)
        return True

    def on_held_cells(self, array: str, a: Term, b: Term) -> bool:
        """Whether links lead to the cell of one of two elements at least: cells of a loop then share none,
        since what is stored behind walls belongs to cells that nobody updates."""
        if not any(link.stores_solid for link in self.links):
            return False
        cells = [self.coordinates(array, index).get(None) for index in (a, b)]
        if not any(cell is not None and is_read(cell, NEIGHBOUR) for cell in cells):
            return False
        self.bits.assumptions.add(ASSUME_OWN_LINKS)
        return True

    # Same iteration

    def apart(self, array: str, a: Term, b: Term) -> bool:
        """Whether two indices, for one value of every counter, are surely different elements."""
        gap = self.terms.minus(a, b)
        if gap.kind == "int":
            return bool(gap.data)
        if a is not b and self.on_links(array, a, b):
            return True
        for left, right in self.pairs(array, a, b):
            difference = self.terms.minus(left, right)
            if difference.kind == "int" and difference.data:
                self.bits.assumptions.add(ASSUME_OWN_ELEMENTS)
                return True
        return self.differ_in_parity(array, a, b)

    def differ_in_parity(
        self,
        array: str,
        a: Term,
        b: Term,
        own: frozenset[Term] = frozenset(),
        facts: tuple[Facts, Facts] = NOTHING,
    ) -> bool:
        """Whether the coordinates of two indices have sums of which one is even and the other odd."""
        if not disjoint_by_parity(self.terms, self.pairs(array, a, b), own, facts):
            return False
        self.bits.assumptions.add(ASSUME_OWN_ELEMENTS)
        return True

    # Different iterations of a loop

    def apart_across(
        self,
        array: str,
        a: Term,
        b: Term,
        counter: Term,
        inner: Iterable[Term],
        facts: tuple[Facts, Facts] = NOTHING,
    ) -> bool:
        """Whether a in one iteration and b in any other one are surely different elements. inner: counters
        that run on their own in both. facts: numbers that are even where a, and where b is reached."""
        loose = frozenset(inner)
        other_cell = (a is not b or counter in a.free) and not a.free & loose
        if (other_cell or self.are_other_entries(a, b, counter, loose)) and (
            self.on_links(array, a, b) or self.on_held_cells(array, a, b)
        ):
            return True
        if self.in_box and self.are_other_entries(a, b, counter, loose):
            self.bits.assumptions.add(ASSUME_BEHIND_WALLS)
            return True
        if self.listed and self.is_behind(a) != self.is_behind(b):
            self.bits.assumptions.add(ASSUME_BEHIND_WALLS)
            return True
        pairs = self.pairs(array, a, b)
        for left, right in pairs:
            if self.differs(left, right, counter, loose):
                if len(pairs) > 1:
                    self.bits.assumptions.add(ASSUME_OWN_ELEMENTS)
                return True
        if self.table and self.table.are_in_own_boxes(array, pairs, counter, loose):
            return True
        return self.differ_in_parity(array, a, b, loose | {counter}, facts)

    def are_other_entries(self, a: Term, b: Term, counter: Term, loose: frozenset[Term]) -> bool:
        """Whether two elements are reached from different entries of a list, which is cut into tiles."""
        entries = [self.entry_of(index) for index in (a, b)] if self.listed else [None]
        if None in entries or not self.differs(entries[0], entries[-1], counter, loose):  # type: ignore[arg-type]
            return False
        self.bits.assumptions.add(ASSUME_NO_REPEATS)
        return True

    def entry_of(self, index: Term) -> Term | None:
        """The place in the list of the entry from which an element is reached; None for several."""
        given = {
            term.args[1]
            for term in inside((index,))
            if is_read(term, CELLS) or (self.is_other_cell(term) and term.data[1] != NEIGHBOUR)
        }
        return given.pop() if len(given) == 1 else None

    def differs(self, a: Term, b: Term, counter: Term, loose: frozenset[Term]) -> bool:
        """Whether coordinate a in iteration t never equals b in an iteration t' != t."""
        key = a, b, counter, loose & (a.free | b.free)
        if key not in self._different:
            self._different[key] = self._differs(*key)
        return self._different[key]

    def _differs(self, a: Term, b: Term, counter: Term, loose: frozenset[Term]) -> bool:
        terms = self.terms
        gap = terms.minus(a, b)
        if gap.kind == "int" and gap.data and not (a.free & (loose | {counter})):
            return True
        entries = self.listed_entries(a, b)
        if entries and counter in entries[0].free and self.differs(*entries, counter, loose):
            self.bits.assumptions.add(ASSUME_NO_REPEATS)
            return True
        left, right = terms.coefficient(a, counter), terms.coefficient(b, counter)
        if left is None or right is None or left[0] is not right[0]:
            return False
        step, rest, other = left[0], left[1], right[1]
        if step.free & (loose | {counter}) or step is terms.integer(0):
            return False
        if not (rest.free | other.free) & loose:
            gap = terms.minus(rest, other)
            if gap is terms.integer(0):
                return True
            return gap.kind == "int" and step.kind == "int" and gap.data % step.data != 0
        return self.is_mixed_radix([(step, counter)], (rest, other), loose)

    def is_mixed_radix(
        self, digits: list[tuple[Term, Term]], rests: tuple[Term, Term], loose: frozenset[Term]
    ) -> bool:
        """Whether two numbers, each the sum of its counters times strides and of one same rest, are equal
        only if their counters are: every stride is larger than all that the smaller ones span."""
        terms = self.terms
        for position, rest in enumerate(rests):
            for counter in sorted(rest.free & loose, key=lambda term: term.number):
                parts = terms.coefficient(rest, counter)
                if parts is None or parts[0].free & (loose | {digits[0][1]}):
                    return False
                digits.append((parts[0], counter))
                rest = parts[1]
            rests = (rest, rests[1]) if position == 0 else (rests[0], rest)
        if rests[0] is not rests[1] or any(counter not in self.counts for _, counter in digits):
            return False
        spans: dict[Term, Term] = {}
        for stride, counter in digits:
            size = stride if self.not_negative(stride) else terms.scaled(stride, -1)
            last = terms.minus(self.counts[counter], terms.integer(1))
            known = spans.get(size, last)
            if known is not last and not self.not_negative(terms.minus(known, last)):
                if not self.not_negative(terms.minus(last, known)):
                    return False
                known = last
            spans[size] = known
        below = terms.integer(1)
        for size in sorted(spans, key=lambda stride: terms.polynomial(stride).order):
            if not self.not_negative(terms.minus(size, below)):
                return False
            below = terms.plus(below, terms.times(size, spans[size]))
        return True

    def least(self, count: Term, limit: Term) -> Term:
        """The smaller one of two numbers that a counter stays below."""
        known = self.table.least(count, limit) if self.table else None
        return known or self.bits.extreme("least", (count, limit))

    def listed_entries(self, a: Term, b: Term) -> tuple[Term, Term] | None:
        """The places in the list of two coordinates cells[place] + constant; None if the constants differ."""
        found = []
        for coordinate in (a, b):
            atoms = [atom for monomial in self.terms.polynomial(coordinate).terms for atom in monomial]
            if len(atoms) != 1 or not self.listed or not is_read(atoms[0], CELLS):
                return None
            found.append((atoms[0].args[1], self.terms.minus(coordinate, atoms[0])))
        (place, constant), (other, other_constant) = found
        return (place, other) if constant is other_constant else None

    # Which iteration

    def iteration(
        self, index: Term, counters: Sequence[tuple[Term, Term]], wanted: Term
    ) -> dict[Term, Term] | None:
        """The values of counters at which `index` is `wanted`, if they surely lie in their ranges; the second
        of each pair is how often it runs."""
        terms = self.terms
        rest, factors = index, []
        for counter, _ in counters:
            parts = terms.coefficient(rest, counter)
            if parts is None or parts[0].free or parts[0] is terms.integer(0):
                return None
            factors.append(terms.polynomial(parts[0]))
            rest = parts[1]
        digits, missing = terms.polynomial(terms.minus(wanted, rest)).mixed_radix(factors)
        if missing.terms:
            return None
        values: dict[Term, Term] = {}
        for (counter, count), digit in zip(counters, digits, strict=True):
            value = values[counter] = terms.collected(digit)
            last = terms.minus(terms.minus(count, terms.integer(1)), value)
            if not (self.not_negative(value) and self.not_negative(last)):
                return None
        return values
