# SPDX-License-Identifier: Apache-2.0
"""Names of the source, so that one name is one variable wherever it is seen.

before   const double x = b[i]; { const double x = 3; a[i] = x; } c[i] = x;
after    const double x = b[i]; { const double x_2 = 3; a[i] = x_2; } c[i] = x;
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.visit import transform, walk
from heddle.lift.lifted import refuse

Body = tuple[ir.Statement, ...]
Names = Mapping[str, str]


def unique_names(body: Sequence[ir.Statement], taken: set[str], place: Place) -> Body:
    """A body that declares no name again where it is seen, and none of `taken`."""
    reading = _Scopes(set(), place)
    reading.block(body, {}, set())
    return _Scopes(taken | reading.free, place).block(body, {}, taken | reading.free)


class _Scopes:
    """A walk that knows which names are seen. taken: names that a new one must not have. free: those that are
    used where nothing in the body declares them."""

    def __init__(self, taken: set[str], place: Place) -> None:
        self.taken, self.place = set(taken), place
        self.free: set[str] = set()

    def block(self, body: Sequence[ir.Statement], names: Names, seen: set[str]) -> Body:
        """names: what was renamed. seen: the names that a declaration here would hide."""
        own, visible = dict(names), set(seen)
        return tuple([self.statement(statement, own, visible) for statement in body])

    def statement(self, statement: ir.Statement, names: dict[str, str], seen: set[str]) -> ir.Statement:
        self.place = getattr(statement, "place", self.place)
        match statement:
            case source.Declaration(symbol, value):
                renamed = None if value is None else self.renamed(value, names, seen)
                return dataclasses.replace(
                    statement, symbol=self.declared(symbol, names, seen), value=renamed
                )
            case source.Block(inner):
                return source.Block(self.block(inner, names, seen))
            case source.UnknownStatement(inside=inside) if inside:
                return dataclasses.replace(statement, inside=self.block(inside, names, seen))
            case source.Branch(condition, yes, no):
                return dataclasses.replace(
                    statement,
                    condition=self.renamed(condition, names, seen),
                    yes=self.block(yes, names, seen),
                    no=self.block(no, names, seen),
                )
            case source.For(start, condition, step, inner, pragma):
                own, visible = dict(names), set(seen)
                begun = tuple([self.statement(each, own, visible) for each in start])
                if changed := own.keys() & set(re.findall(r"\w+", pragma)):
                    raise refuse(
                        statement.place,
                        f"The pragma names '{min(changed)}', which hides another variable of this name.",
                        "give the two variables different names",
                    )
                return dataclasses.replace(
                    statement,
                    start=begun,
                    condition=None if condition is None else self.renamed(condition, own, visible),
                    step=tuple([self.statement(each, own, visible) for each in step]),
                    body=self.block(inner, own, visible),
                )
        return self.renamed(statement, names, seen)  # type: ignore[no-any-return]

    def declared(self, symbol: ir.Symbol, names: dict[str, str], seen: set[str]) -> ir.Symbol:
        names.pop(symbol.name, None)  # hidden from here on
        name, number = symbol.name, 1
        while name in seen or (number > 1 and name in self.taken):
            number += 1
            name = f"{symbol.name}_{number}"
        seen |= {symbol.name, name}
        self.taken.add(name)
        if name != symbol.name:
            names[symbol.name] = name
        return ir.Symbol(name, symbol.type)

    def renamed(self, root: Any, names: Mapping[str, str], seen: set[str]) -> Any:
        self.free |= {node.name for node in walk(root) if isinstance(node, ir.Symbol)} - seen

        def change(node: Any) -> Any:
            if isinstance(node, ir.Symbol) and node.name in names:
                return ir.Symbol(names[node.name], node.type)
            return node

        return transform(root, change) if names else root


def declared_names(body: Sequence[ir.Statement]) -> set[str]:
    """The names that a body declares anywhere."""
    return {node.symbol.name for node in walk(body) if isinstance(node, source.Declaration)}
