# SPDX-License-Identifier: Apache-2.0
"""Mass action: the rates of reactions, how fast species change, and the Jacobian of that.

w_q = k_q prod y_j^n_jq,  f_i = sum over q of nu_iq w_q,  J_ij = df_i/dy_j = sum over q of nu_iq b_qj, with
the partial derivatives b_qj = dw_q/dy_j = n_jq k_q y_j^(n_jq - 1) prod of the others. Rows of J share them:
no row is differentiated.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence

import sympy

from heddle.chemistry.mechanism import Mechanism, Reaction
from heddle.chemistry.quantities import AIR, air_density
from heddle.model.equations import Equations, exact, multiply

Partials = Mapping[tuple[int, int], sympy.Expr]
"""By reaction and species."""


class Kinetics:
    """The equations of a mechanism. species: the unknowns; concentrations are in their order. names: theirs
    in emitted code."""

    def __init__(self, mechanism: Mechanism) -> None:
        mechanism.check()
        self.mechanism = mechanism
        self.species = mechanism.variable
        self.names = code_names(self.species)
        self.number = {name: i for i, name in enumerate(self.species)}
        self.orders: list[dict[int, int]] = [
            {self.number[s]: n for s, n in reaction.reactants.items() if s in self.number}
            for reaction in mechanism.reactions
        ]
        """Of each reaction, how many of each unknown react."""
        self.changes: list[list[tuple[int, float]]] = [[] for _ in self.species]
        """Of each species, reactions that change it, and by how many molecules."""
        for q, reaction in enumerate(mechanism.reactions):
            for s in dict.fromkeys((*reaction.reactants, *reaction.products)):
                if s in self.number and reaction.change(s) != 0:
                    self.changes[self.number[s]].append((q, reaction.change(s)))

    @property
    def structure(self) -> set[tuple[int, int]]:
        """Row and column of what may differ from 0 in J."""
        return {(i, j) for i, changes in enumerate(self.changes) for q, _ in changes for j in self.orders[q]}

    @property
    def pattern(self) -> set[tuple[int, int]]:
        """That, and the diagonal."""
        return self.structure | {(i, i) for i in range(len(self.species))}

    def rate_constants(self, cell: Equations, inputs: Mapping[str, sympy.Expr]) -> list[sympy.Expr]:
        """Emit the rate constant of each reaction, times the concentrations of its fixed species. inputs: the
        host values by name.

        What depends on the state of the air alone and occurs in several is named once.
        """
        cell.section("Rate constants")
        cell.let(AIR.name, air_density())
        given = {sympy.Symbol(name, real=True): value for name, value in inputs.items()}
        given |= {sympy.Symbol(name): value for name, value in inputs.items()}
        constants = [self._constant(reaction).xreplace(given) for reaction in self.mechanism.reactions]
        constants = name_shared(constants, cell)
        return [cell.let(f"k_{q + 1}", constant) for q, constant in enumerate(constants)]

    def _constant(self, reaction: Reaction) -> sympy.Expr:
        fixed = self.mechanism.known
        rate = reaction.rate
        for s, order in reaction.reactants.items():
            concentration = fixed[s].fixed
            if concentration is not None:
                rate = rate * concentration**order
        return rate

    def partials(self, cell: Equations, k: Sequence[sympy.Expr], y: Sequence[sympy.Expr]) -> Partials:
        """Emit dw_q/dy_j."""
        cell.section("Partial derivatives of the rates")
        found = {}
        for q, orders in enumerate(self.orders):
            for j in orders:
                value = multiply(orders[j], k[q], *self._powers(orders, y, without=j))
                found[q, j] = cell.let(f"b_{q + 1}_{self.names[j]}", value)
        return found

    def rates(
        self,
        cell: Equations,
        k: Sequence[sympy.Expr],
        y: Sequence[sympy.Expr],
        suffix: str = "",
        partials: Partials | None = None,
    ) -> list[sympy.Expr]:
        """Emit w_q. suffix: of the names. partials: those at the same y, if they are known."""
        found = []
        for q, orders in enumerate(self.orders):
            single = next((j for j, n in orders.items() if n == 1), None)
            if partials is not None and single is not None:
                value = multiply(partials[q, single], y[single])
            else:
                value = multiply(k[q], *self._powers(orders, y))
            found.append(cell.let(f"w_{q + 1}{suffix}", value))
        return found

    @staticmethod
    def _powers(orders: Mapping[int, int], y: Sequence[sympy.Expr], without: int = -1) -> list[sympy.Expr]:
        return [y[j] for j, n in orders.items() for _ in range(n - (j == without))]

    def tendency(self, cell: Equations, w: Sequence[sympy.Expr], suffix: str = "") -> list[sympy.Expr]:
        """f of each species. suffix: of the names of parts of long sums, which are emitted."""
        return [
            cell.total(f"part_f{suffix}_{name}", *(multiply(exact(nu), w[q]) for q, nu in changes))
            for name, changes in zip(self.names, self.changes, strict=True)
        ]

    def jacobian(
        self, cell: Equations, partials: Partials, sign: int = 1
    ) -> dict[tuple[int, int], sympy.Expr]:
        """J, or with sign -1 its negative, by row and column, without what is 0 everywhere. Parts of long
        sums are emitted."""
        terms: dict[tuple[int, int], list[sympy.Expr]] = {}
        for i, changes in enumerate(self.changes):
            for q, nu in changes:
                for j in self.orders[q]:
                    terms.setdefault((i, j), []).append(multiply(exact(sign * nu), partials[q, j]))
        names = self.names
        return {
            (i, j): cell.total(f"part_J_{names[i]}_{names[j]}", *found, most=50)  # of a sum of L or U
            for (i, j), found in terms.items()
        }


def code_names(names: Sequence[str]) -> list[str]:
    """Names for emitted code: letters, digits and _, each once."""
    result: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "x"
        found, n = plain, 1
        while found.lower() in taken:  # also where a system ignores case
            n += 1
            found = f"{plain}_{n}"
        taken.add(found.lower())
        result.append(found)
    return result


def name_shared(values: Sequence[sympy.Expr], cell: Equations) -> list[sympy.Expr]:
    """Emit the functions and powers that several of the values use, and return the values with their
    names."""
    uses: dict[sympy.Expr, int] = {}
    order: list[sympy.Expr] = []

    def count(value: sympy.Expr) -> None:
        uses[value] = uses.get(value, 0) + 1
        if uses[value] == 1:
            for part in value.args:
                count(part)
            order.append(value)

    for value in values:
        count(value)
    named: dict[sympy.Expr, sympy.Expr] = {}
    for value in order:  # parts come before what they are parts of
        if uses[value] > 1 and isinstance(value, (sympy.Function, sympy.Pow)):
            name = f"{'inverse' if value.is_Pow else value.func.__name__}_{len(named) + 1}"
            named[value] = cell.let(name, _replaced(value, named))
    return [named.get(value, _replaced(value, named)) for value in values]


def _replaced(value: sympy.Expr, named: Mapping[sympy.Expr, sympy.Expr]) -> sympy.Expr:
    if not value.args:
        return value
    parts = [named[p] if p in named else _replaced(p, named) for p in value.args]
    return value if all(map(operator.is_, parts, value.args)) else value.func(*parts)
