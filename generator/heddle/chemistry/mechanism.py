# SPDX-License-Identifier: Apache-2.0
"""Mechanisms: species, and reactions between them with their rate constants.

    ozone = Mechanism("ozone")
    ozone.species("O", "O2", "O3")
    ozone.third_body("M")
    ozone.reaction("O2 -> 2 O", rate=sympy.Symbol("j_O2"))
    ozone.reaction("O + O2 + M -> O3 + M", rate=arrhenius(A=217.6, B=-2.4))

Concentrations are in mol m-3, rates in mol m-3 s-1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy

from heddle.chemistry.quantities import AIR, STATE
from heddle.errors import KernelError, Place, calling_place
from heddle.model.equations import Scalar, quantity
from heddle.model.field import Access

MOST_SPECIES = 5_000
MOST_REACTIONS = 50_000
MOST_MOLECULES = 4
"""That react at once: more is a mistake."""
_TERM = re.compile(r"\s*(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)?\s*\*?\s*([A-Za-z]\S*)\s*")
_Where = Place | str
_NO_RATES = (sympy.I, sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


@dataclass(frozen=True)
class Species:
    """fixed: its concentration (mol m-3) where it is no unknown, a number or an expression of the density of
    air. atoms: of each element, where they are known. absolute_tolerance: of an integrator (mol m-3), where
    the mechanism says it."""

    name: str
    fixed: sympy.Expr | None = None
    atoms: Mapping[str, float] | None = None
    absolute_tolerance: float | None = None


@dataclass(frozen=True)
class Reaction:
    """reactants: how many of each. products: how many of each come out, a real number; in a condensed
    mechanism such as Carbon Bond also a negative one, of a species that the reaction consumes whatever there
    is of it. rate: the rate constant, an expression of `heddle.chemistry.quantities` and of symbols that
    stand for host values. where: file or program, and line."""

    reactants: Mapping[str, int]
    products: Mapping[str, float]
    rate: sympy.Expr
    name: str = ""
    where: _Where = field(default="", compare=False)

    def __str__(self) -> str:
        def side(terms: Mapping[str, float]) -> str:
            return " + ".join(f"{n:g} {name}" if n != 1 else name for name, n in terms.items()) or "()"

        text = f"{side(self.reactants)} -> {side(self.products)}"
        return f"{self.name}: {text}" if self.name else text

    def change(self, species: str) -> float:
        """Molecules of a species that one reaction adds."""
        return self.products.get(species, 0) - self.reactants.get(species, 0)

    @property
    def inputs(self) -> list[str]:
        """Names of the host values in its rate."""
        return sorted(symbol.name for symbol in self.rate.free_symbols - set(STATE))


class Mechanism:
    """Species and reactions, in the order in which they are declared."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[str, Species] = {}
        self.reactions: list[Reaction] = []
        self.notes: list[str] = []
        """What a reader left out, and why."""

    # Building

    def species(
        self,
        *names: str,
        atoms: Mapping[str, float] | None = None,
        absolute_tolerance: float | None = None,
    ) -> None:
        """Declare unknowns. atoms: of each element that they have, to check that reactions keep it.
        absolute_tolerance: of each of them in an integrator, in mol m-3."""
        for name in names:
            self.declare(Species(name, None, atoms, absolute_tolerance), calling_place())

    def constant(self, name: str, concentration: Scalar, atoms: Mapping[str, float] | None = None) -> None:
        """Declare a species with a fixed concentration, in mol m-3. atoms: as in `species`."""
        self.declare(Species(name, quantity(concentration), atoms), calling_place())

    def third_body(self, name: str = "M") -> None:
        """Declare what stands for any molecule of air: its concentration is the density of air."""
        self.declare(Species(name, AIR), calling_place())

    def reaction(self, equation: str, rate: Scalar, name: str = "") -> None:
        """Add a reaction, "NO + O3 -> NO2 + O2". Nothing on one side is (): "() -> NO" is an emission."""
        place = calling_place()
        left, arrow, right = equation.partition("->")
        if not arrow:
            raise KernelError(
                place, f"'{equation}' has no arrow.", 'write reaction("NO + O3 -> NO2 + O2", rate=...)'
            )
        self.add(_side(left, place), _side(right, place), quantity(rate), name, place)

    def declare(self, species: Species, where: _Where) -> None:
        """Add a species. where: for errors."""
        if not isinstance(species.name, str) or not re.match(r"[A-Za-z]\S*$", species.name):
            raise KernelError(
                where,
                f"{species.name!r} is no name of a species.",
                "use text that begins with a letter and has no space; in YAML 1.1, NO is a truth value: "
                'quote it, "NO"',
            )
        if species.name in self.known:
            raise KernelError(where, f"the species '{species.name}' is declared twice.", "remove one of them")
        if len(self.known) >= MOST_SPECIES:
            raise KernelError(where, f"the mechanism has more than {MOST_SPECIES} species.")
        if species.absolute_tolerance is not None:
            require_tolerance(species.absolute_tolerance, species.name, where)
        self.known[species.name] = species

    def add(
        self,
        reactants: Mapping[str, float],
        products: Mapping[str, float],
        rate: sympy.Expr,
        name: str,
        where: _Where,
    ) -> None:
        """Add a reaction. where: for errors. Raises KernelError for unknown species and for numbers of
        molecules that have no meaning."""
        text = str(Reaction(reactants, products, rate, name))  # type: ignore[arg-type]
        for species in (*reactants, *products):
            if species not in self.known:
                near = [known for known in self.known if known.lower() == species.lower()]
                raise KernelError(
                    where,
                    f"'{text}' names the species '{species}', which is not declared.",
                    f"it may be '{near[0]}'" if near else "declare it among the species",
                )
        for species, order in reactants.items():
            if not (float(order).is_integer() and order >= 1):
                raise KernelError(
                    where,
                    f"'{text}' takes {order:g} molecules of '{species}'.",
                    "the rate of an elementary reaction has whole orders: use 1, 2 or 3",
                )
        if sum(reactants.values()) > MOST_MOLECULES:
            raise KernelError(
                where,
                f"in '{text}', more than {MOST_MOLECULES} molecules react at once.",
                "split it into elementary reactions",
            )
        for species, number in products.items():
            if not math.isfinite(number):
                raise KernelError(
                    where, f"'{text}' yields {number:g} of '{species}'.", "yields are finite numbers"
                )
        if any(isinstance(part, Access) for part in rate.free_symbols):
            raise KernelError(
                where,
                f"the rate of '{text}' reads a field.",
                "use a symbol, sympy.Symbol('j_NO2'): it becomes a component of the field rate_input",
            )
        if rate.has(*_NO_RATES) or (rate.is_number and not abs(float(rate)) < math.inf):
            raise KernelError(
                where,
                f"the rate constant of '{text}' is no finite number.",
                "look for a logarithm, a root or a divisor that is 0 or negative, and for large exponents",
            )
        if len(self.reactions) >= MOST_REACTIONS:
            raise KernelError(where, f"the mechanism has more than {MOST_REACTIONS} reactions.")
        orders = {species: int(order) for species, order in reactants.items()}
        self.reactions.append(Reaction(orders, dict(products), rate, name, where))

    # What follows

    @property
    def variable(self) -> tuple[str, ...]:
        """The unknowns: species without a fixed concentration that some reaction consumes or makes."""
        changed = {s for r in self.reactions for s in (*r.reactants, *r.products) if r.change(s) != 0}
        asked = {s for r in self.reactions for s in r.reactants}
        return tuple(s.name for s in self.known.values() if s.fixed is None and s.name in changed | asked)

    @property
    def inert(self) -> tuple[str, ...]:
        """Species that no reaction names or changes: no part of the kernels."""
        unknown = (s.name for s in self.known.values() if s.fixed is None)
        return tuple(sorted(set(unknown) - set(self.variable)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Host values in the order of the reactions: the components of the field `rate_input`."""
        return tuple(dict.fromkeys(name for reaction in self.reactions for name in reaction.inputs))

    def absolute_tolerances(self, others: float) -> list[float]:
        """The absolute tolerance of each unknown, in the order of `variable`, in mol m-3. others: of species
        for which the mechanism has none."""
        require_tolerance(others, "others", calling_place())
        own = [self.known[name].absolute_tolerance for name in self.variable]
        return [others if tolerance is None else tolerance for tolerance in own]

    def check(self, require_balanced: Sequence[str] = ()) -> None:
        """Raise KernelError if there is nothing to integrate; if reactions make or lose atoms of an element
        of require_balanced, ("N", "S"); and for one that no species has. For other elements a line in `notes`
        says how many such reactions there are."""
        if not self.variable:
            raise KernelError(
                self.name, "the mechanism has no reaction that changes a species.", "add reactions"
            )
        required = (require_balanced,) if isinstance(require_balanced, str) else tuple(require_balanced)
        known = self.elements
        for element in required:
            if element not in known:
                raise KernelError(
                    self.name,
                    f"no species has atoms of {element!r}, so nobody knows whether reactions keep them.",
                    "known are: " + ", ".join(known) if known else "give them: species('NO', atoms={'N': 1})",
                )
        for element in dict.fromkeys((*required, *known)):
            found = self.unbalanced(element)
            if not found:
                continue
            made = self._made(found[0], element) or 0.0
            what = f"'{found[0]}' changes the number of {element} atoms by {made:+g}"
            how_many = f"{len(found)} reaction{'s' if len(found) > 1 else ''} in all"
            if element in required:
                raise KernelError(
                    found[0].where,
                    f"{what}.",
                    f"mend its products, or the atoms of its species; mechanism.unbalanced({element!r}) has "
                    f"{how_many}",
                )
            note = f"{found[0].where}: {what}; {how_many}"
            if note not in self.notes:
                self.notes.append(note)

    @property
    def elements(self) -> tuple[str, ...]:
        """Those of which species have atoms, as far as they are known."""
        return tuple(dict.fromkeys(e for s in self.known.values() for e, n in (s.atoms or {}).items() if n))

    def unbalanced(self, element: str) -> list[Reaction]:
        """Reactions between species with known atoms that make or lose atoms of an element. Emissions and
        losses have one side only, and are left out. A third body has no atoms that count."""
        return [reaction for reaction in self.reactions if abs(self._made(reaction, element) or 0.0) > 1e-9]

    def _made(self, reaction: Reaction, element: str) -> float | None:
        """Atoms that a reaction adds; None where that cannot be said."""
        if not reaction.reactants or not reaction.products:
            return None
        made = 0.0
        for name in dict.fromkeys((*reaction.reactants, *reaction.products)):
            species, change = self.known[name], reaction.change(name)
            if change == 0 or species.fixed == AIR:
                continue
            if species.atoms is None:
                return None
            made += change * species.atoms.get(element, 0)
        return made

    def __repr__(self) -> str:
        return f"Mechanism({self.name!r}: {len(self.variable)} species, {len(self.reactions)} reactions)"


def require_tolerance(value: object, species: str, where: _Where) -> None:
    """Raise KernelError unless a tolerance is a finite number above 0."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < math.inf:
        raise KernelError(
            where,
            f"the absolute tolerance of '{species}' is {value!r}.",
            "it is a number above 0, in mol m-3: 1e-15",
        )


def _side(text: str, place: Place) -> dict[str, float]:
    """Read "2 NO + O2"."""
    terms: dict[str, float] = {}
    if text.strip() in ("", "()"):
        return terms
    for term in text.split(" + "):
        match = _TERM.fullmatch(term)
        if match is None:
            raise KernelError(
                place,
                f"'{term.strip()}' is no term of a reaction.",
                'write a number and a species, "2 NO", and a plus between spaces',
            )
        terms[match[2]] = terms.get(match[2], 0.0) + float(match[1] or 1)
    return terms
