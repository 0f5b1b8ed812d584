# SPDX-License-Identifier: Apache-2.0
"""Reverse mode over the statements of one cell: every named value gets an adjoint, from the last one to the
first, and in the end so do the reads and parameters on which the results depend.

    flux = alpha*(u[1] - u[0])          v_bar is given
    v[0] = u[0] + flux**2               flux_bar = 2*v_bar*flux
                                        u[1] gets alpha*flux_bar, u[0] gets v_bar - alpha*flux_bar

The work is a small multiple of the kernel's own, however many reads there are: no derivative of a whole
expression is ever formed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import sympy
from sympy.logic.boolalg import Boolean

from heddle.adjoints.derivatives import contributions
from heddle.adjoints.terms import Let
from heddle.errors import KernelError, Place
from heddle.model.assignment import Assignment, Reduce
from heddle.model.equations import add, local
from heddle.model.field import Access, GatherFunction, IsWallLink

REAL_TYPES = ("real", "double", "float", "half")
Bars = defaultdict[sympy.Symbol, list[sympy.Expr]]


@dataclass(frozen=True)
class Adjoints:
    """lets: named values, those of the kernel first. own: of these, the names that are new. of: what each
    read and each parameter gets, in the cell that reads it."""

    lets: tuple[Let, ...]
    own: frozenset[sympy.Symbol]
    of: Mapping[sympy.Symbol, sympy.Expr]


class Reverse:
    """kernel: its name, for errors. active: the reads and parameters whose adjoints are wanted. taken: names
    of arguments and values of the kernel."""

    def __init__(self, kernel: str, active: Iterable[sympy.Symbol], taken: set[str]) -> None:
        self.kernel = kernel
        self.wanted = set(active)
        self.active = dict.fromkeys(self.wanted, True)
        self.taken = taken
        self.lets: list[Let] = []
        self.own: set[sympy.Symbol] = set()
        self.memo: dict[sympy.Basic, bool] = {}
        self.place: Place

    def run(self, statements: Sequence[Assignment | Reduce], seeds: Mapping[int, sympy.Expr]) -> Adjoints:
        """seeds: by the number of a statement that is a result, the adjoint of what it gives."""
        for statement in statements:
            self.place = statement.place
            if isinstance(statement, Reduce):
                continue
            target, depends = statement.target, self.depends(statement.value)
            if depends and not _is_real(target):
                self.refuse(
                    f"'{target}' is a whole number, which has no derivative.",
                    "leave out what it depends on, of=(...)",
                )
            if not isinstance(target, Access):
                self.active[target] = depends
                self.lets.append((target, statement.value))
        bars: Bars = defaultdict(list)
        for number in reversed(range(len(statements))):
            statement = statements[number]
            self.place = statement.place
            if number in seeds:
                self.pull_back(statement.value, seeds[number], None, bars, "value")
            elif isinstance(statement, Assignment) and bars.get(statement.target):
                symbol = statement.target
                bar = self.named(f"{symbol.name}_bar", add(*bars.pop(symbol)))
                self.pull_back(statement.value, bar, symbol, bars, symbol.name)
        found = {leaf: add(*terms) for leaf, terms in bars.items() if leaf in self.wanted}
        return Adjoints(tuple(self.lets), frozenset(self.own), found)

    def depends(self, value: sympy.Basic) -> bool:
        """Whether a value depends on what adjoints are wanted of. Conditions choose, and have no part."""
        known = self.memo.get(value)
        if known is None:
            if isinstance(value, sympy.Symbol):
                return self.active.get(value, False)
            known = any(self.depends(argument) for argument in _operands(value))
            self.memo[value] = known
        return known

    def pull_back(
        self,
        value: sympy.Expr,
        bar: sympy.Expr,
        name: sympy.Symbol | None,
        bars: Bars,
        label: str,
    ) -> None:
        """Add to `bars` what the symbols in a value get. name: what holds the value, if something does.
        label: the stem of new names."""
        if not self.depends(value):
            return
        inner: dict[sympy.Expr, list[sympy.Expr]] = {value: [bar]}
        for node in reversed(_in_order(value, self)):
            terms = inner.pop(node, [])
            if not terms:
                continue
            if isinstance(node, sympy.Symbol):
                bars[node] += terms
                continue
            total = add(*terms)
            if sum(map(self.depends, _operands(node))) > 1:
                total = self.named(f"{label}_part_bar", total)
            if isinstance(node, sympy.Piecewise):
                self.branches(node, total, bars, label)
                continue
            parts = contributions(node, total, name if node is value and name is not None else node)
            if parts is None:
                self.refuse(
                    f"{node.func.__name__} of what depends on its inputs has no derivative that is of use.",
                    "leave out what it depends on, of=(...); or write its steps as a Piecewise",
                )
            for operand, contribution in parts:
                if self.depends(operand):
                    inner.setdefault(operand, []).append(contribution)

    def branches(self, node: sympy.Piecewise, bar: sympy.Expr, bars: Bars, label: str) -> None:
        """Of a Piecewise, the branch that is taken. What the others compute may be NaN, so the choice comes
        last."""
        found: list[Bars] = []
        for branch, _ in node.args:
            own: Bars = defaultdict(list)
            self.pull_back(branch, bar, None, own, label)
            found.append(own)
        for symbol in dict.fromkeys(symbol for own in found for symbol in own):
            cases = [
                (add(*own.get(symbol, [sympy.Integer(0)])), condition)
                for own, (_, condition) in zip(found, node.args, strict=True)
            ]
            same = len({value for value, _ in cases}) == 1
            bars[symbol].append(cases[0][0] if same else sympy.Piecewise(*cases, evaluate=False))

    def named(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """The value by a name, unless it is one."""
        if value.is_Symbol or value.is_Number:
            return value
        symbol = local(unused(name, self.taken))
        self.lets.append((symbol, value))
        self.own.add(symbol)
        return symbol

    def refuse(self, what: str, hint: str) -> NoReturn:
        raise KernelError(self.place, f"'{self.kernel}' has no adjoint here: {what}", hint)


def _is_real(target: sympy.Symbol) -> bool:
    if isinstance(target, Access):
        return target.field.dtype in REAL_TYPES
    return not target.is_integer


def unused(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken then."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    taken.add(free)
    return free


def _operands(value: sympy.Basic) -> list[sympy.Basic]:
    """Of a Piecewise its branches; nothing of what has only conditions."""
    if isinstance(value, sympy.Piecewise):
        return [branch for branch, _ in value.args]
    if isinstance(value, (Boolean, IsWallLink, GatherFunction)):
        return []
    return list(value.args)


def _in_order(value: sympy.Expr, reverse: Reverse) -> list[sympy.Expr]:
    """The parts that depend on what is wanted, operands before what uses them; nothing within a Piecewise,
    whose branches are apart."""
    found: dict[sympy.Expr, None] = {}

    def visit(node: sympy.Expr) -> None:
        if node in found or not reverse.depends(node):
            return
        if not isinstance(node, sympy.Piecewise):
            for operand in _operands(node):
                visit(operand)
        found[node] = None

    visit(value)
    return list(found)
