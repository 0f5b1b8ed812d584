# SPDX-License-Identifier: Apache-2.0
"""What passes between the kinds of water in a step, how it is limited, and the state after it.

q_k (1 + sinks_k) = q_k before + what passes at once + what passes in proportion to q after the step, for
the kinds k: liquid, ice, rain, snow and vapour (Tompkins, Gierens and Raedel 2007; IFS documentation,
part IV, section 7.3).
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Eq, Max, Or

from heddle.atmosphere.microphysics.cloudsc.constants import NONE
from heddle.atmosphere.microphysics.functions import number, only_if, reals, where
from heddle.model.assignment import While
from heddle.model.equations import Equations, add, negate

KINDS = "lirsv"
"""Liquid, ice, rain, snow, vapour."""
PAIRS = ("li", "lr", "ls", "lv", "ir", "iv", "rs", "rv", "sv")
"""Of each pair the first gains what is positive, and the second loses it. Ice and snow exchange nothing
at once."""


class Exchange:
    """Amounts (kg/kg) that pass at once, in order, and those that come from elsewhere."""

    def __init__(self) -> None:
        self.moved: dict[str, list[sympy.Expr]] = {pair: [] for pair in PAIRS}
        self.sources: dict[str, list[sympy.Expr]] = {kind: [] for kind in KINDS}

    def move(self, origin: str, target: str, amount: sympy.Expr) -> None:
        """An amount from one kind to another."""
        if target + origin in self.moved:
            self.moved[target + origin].append(amount)
        else:
            self.moved[origin + target].append(negate(amount))

    def add(self, target: str, amount: sympy.Expr) -> None:
        """An amount that comes from another level or another process."""
        self.sources[target].append(amount)

    def gains(self, cell: Equations, before: Mapping[str, sympy.Expr]) -> dict[str, sympy.Expr]:
        """Emit what each kind gains, once no kind loses more than there is `before` (kg/kg).

        What a kind loses is scaled to what there is. That takes from what others gain, so the kind that
        runs out first is scaled first, and the loss of the next is summed anew.
        """
        pairs = {
            pair: cell.let(f"to_{pair[0]}_from_{pair[1]}", add(*terms)) for pair, terms in self.moved.items()
        }
        source = {
            kind: cell.let(f"source_{kind}", add(*terms)) for kind, terms in self.sources.items() if terms
        }
        there = {kind: cell.let(f"there_{kind}", Max(before[kind], number(NONE))) for kind in KINDS}
        loss = {kind: cell.let(f"loss_{kind}", negate(_gain(kind, pairs, source))) for kind in KINDS}
        over = Or(*(loss[kind] > there[kind] for kind in KINDS))
        body, carried = Equations(), reals(*(f"limited_{pair}" for pair in PAIRS))
        after = self._in_order(body, pairs, source, there, loss)
        names = [str(symbol) for symbol in carried]
        values = {name: (pairs[pair], after[pair]) for name, pair in zip(names, PAIRS, strict=True)}
        limited = dict(zip(PAIRS, where(cell, over, "runs_out", values, body), strict=True))
        return {kind: cell.let(f"gain_{kind}", _gain(kind, limited, source)) for kind in KINDS}

    @staticmethod
    def _in_order(
        body: Equations, pairs: Mapping[str, sympy.Expr], source: Mapping[str, sympy.Expr],
        there: Mapping[str, sympy.Expr], loss: Mapping[str, sympy.Expr],
    ) -> dict[str, sympy.Expr]:  # fmt: skip
        """Emit the pairs, scaled for one kind after the other."""
        ratio = {
            kind: body.let(f"ratio_{kind}", there[kind] / Max(loss[kind], there[kind])) for kind in KINDS
        }
        rank = {}
        for n, kind in enumerate(KINDS):
            earlier = [only_if(ratio[other] <= ratio[kind], 1) for other in KINDS[:n]]
            later = [only_if(ratio[other] < ratio[kind], 1) for other in KINDS[n + 1 :]]
            rank[kind] = body.let(f"rank_{kind}", add(*earlier, *later))
        (turn,) = reals("turn")
        now = dict(zip(PAIRS, reals(*(f"scaled_{pair}" for pair in PAIRS)), strict=True))
        one = Equations()
        share = {}
        for kind in KINDS:
            lost = negate(_gain(kind, now, source))
            scaled = there[kind] / Max(lost, there[kind])
            share[kind] = one.let(f"share_{kind}", only_if(Eq(rank[kind], turn), scaled, 1))
        update = {
            now[pair]: now[pair] * only_if(now[pair] < 0, share[pair[0]], share[pair[1]]) for pair in PAIRS
        }
        first = {now[pair]: pairs[pair] for pair in PAIRS}
        turns = While(
            turn < len(KINDS),
            {turn: sympy.Integer(0), **first},
            one.statements,
            {turn: turn + 1, **update},
            at_most=len(KINDS),
        )
        body.statements.append(turns)
        return now


def _gain(kind: str, pairs: Mapping[str, sympy.Expr], source: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """What a kind gains of all others and from elsewhere, in the order of KINDS."""
    terms = []
    for other in KINDS:
        if kind + other in pairs:
            terms.append(pairs[kind + other])
        elif other + kind in pairs:
            terms.append(negate(pairs[other + kind]))
        elif other == kind and kind in source:
            terms.append(source[kind])
    return add(*terms)


def solved(
    cell: Equations, right: Mapping[str, sympy.Expr], falls: Mapping[str, sympy.Expr], sinks: sympy.Expr,
    riming: sympy.Expr, aggregation: sympy.Expr,
) -> dict[str, sympy.Expr]:  # fmt: skip
    """Emit the amounts after the step (kg/kg). right: before, and what was gained at once. In proportion
    to what is there afterwards: falls, out of the cell, of ice, rain and snow; sinks, of liquid and ice
    by subsiding air; riming, liquid that becomes snow; aggregation, ice that does. So the matrix of the
    five kinds is a triangle, solved from the top."""
    kept = {"l": cell.let("solved_l", right["l"] / (1 + sinks + riming))}
    kept["i"] = cell.let("solved_i", right["i"] / (1 + falls["i"] + sinks + aggregation))
    kept["r"] = cell.let("solved_r", right["r"] / (1 + falls["r"]))
    grown = right["s"] + riming * kept["l"] + aggregation * kept["i"]
    kept["s"] = cell.let("solved_s", grown / (1 + falls["s"]))
    traces = [only_if(q < number(NONE), q) for q in kept.values()]
    after = {kind: cell.let(f"new_{kind}", only_if(q < number(NONE), 0, q)) for kind, q in kept.items()}
    return after | {"v": cell.let("new_v", add(right["v"], *traces))}
