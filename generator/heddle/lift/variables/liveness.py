# SPDX-License-Identifier: Apache-2.0
"""Whether what a variable holds is read later. Names are unique in the statements (`unique_names`); what the
record does not show counts as a read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.hash_consing import Node
from heddle.ir.visit import walk

Use = Literal["read", "killed", "none"]
Body = tuple[ir.Statement, ...]
HIDDEN = "?"
"""Stands among the names of a node for all that it does not show."""
_LOOPS = frozenset({"a while loop", "a do loop", "a range-based for loop"})
_HARMLESS = frozenset({"a string"})


@dataclass(frozen=True)
class After:
    """What runs after a statement: the rest of its sequence, or another iteration of a loop."""

    body: Body = ()
    loop: source.For | None = None


class Liveness:
    """Questions about the statements of one function; answers are kept."""

    def __init__(self) -> None:
        self._names: dict[Node, frozenset[str]] = {}

    def names(self, node: Node | Iterable[Node]) -> frozenset[str]:
        """The names that a node mentions; a declaration without a value mentions none."""
        if not isinstance(node, Node):
            return frozenset().union(*(self.names(each) for each in node))
        if node not in self._names:
            self._names[node] = frozenset(self._mentioned(node))
        return self._names[node]

    def _mentioned(self, node: Node) -> Iterable[str]:
        for each in walk(node):
            match each:
                case ir.Symbol(name) if not (
                    isinstance(node, source.Declaration) and name == node.symbol.name
                ):
                    yield name
                case source.Unknown(reason) if reason not in _HARMLESS:
                    yield HIDDEN
                case source.UnknownStatement(inside=()):
                    yield HIDDEN

    def mentions(self, node: Node | Iterable[Node], name: str) -> bool:
        found = self.names(node)
        return name in found or HIDDEN in found

    def first_use(self, body: Sequence[ir.Statement], name: str, leaving: Use = "killed") -> Use:
        """What statements do first to a variable: some path reads it, all of them assign it before, or
        neither. leaving: what `continue` and `break` of a loop around the statements count as."""
        for statement in body:
            if not self.mentions(statement, name) and not _may_leave(statement):
                continue
            found = self._statement(statement, name, leaving)
            if found != "none":
                return found
        return "none"

    def _statement(self, statement: ir.Statement, name: str, leaving: Use) -> Use:
        match statement:
            case source.Declaration(symbol, value):
                if value is not None and self.mentions(value, name):
                    return "read"
                return "killed" if symbol.name == name else "none"
            case source.Assignment(target, value):
                if self.mentions(value, name):
                    return "read"
                if isinstance(target, ir.Symbol):
                    return "killed" if target.name == name else "none"
                return "read" if self.mentions(target, name) else "none"
            case source.Branch(condition, yes, no):
                if self.mentions(condition, name):
                    return "read"
                both = {self.first_use(side, name, leaving) for side in (yes, no)}
                return "read" if "read" in both else "killed" if both == {"killed"} else "none"
            case source.For(start):
                begun = self.first_use(start, name)
                return begun if begun != "none" else self.iteration(statement, name)
            case source.Block(body):
                return self.first_use(body, name, leaving)
            case source.Exit(kind, value):
                if value is not None and self.mentions(value, name):
                    return "read"
                return "killed" if kind == "return" else leaving
            case source.UnknownStatement(reason, inside=inside) if inside and reason in _LOOPS:
                return "read" if self.first_use(inside, name) == "read" else "none"
        return "read" if self.mentions(statement, name) else "none"

    def iteration(self, loop: source.For, name: str) -> Use:
        """Whether the iterations of a loop read a variable that they have not assigned."""
        if loop.condition is not None and self.mentions(loop.condition, name):
            return "read"
        if self.first_use(loop.body, name) == "read":
            return "read"
        return "read" if self.first_use(loop.step, name) == "read" else "none"

    def live(self, name: str, after: Sequence[After]) -> bool:
        """Whether a variable is read by what runs after a statement, innermost first."""
        for each in after:
            if each.loop is not None:
                found = self.iteration(each.loop, name)
            else:
                found = self.first_use(each.body, name, "read")
            if found != "none":
                return found == "read"
        return False


def _may_leave(statement: ir.Statement) -> bool:
    return isinstance(statement, source.Exit) or any(isinstance(n, source.Exit) for n in walk(statement))
