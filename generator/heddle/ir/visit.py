# SPDX-License-Identifier: Apache-2.0
"""Walk and rebuild trees of nodes."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from heddle.ir.hash_consing import Node
from heddle.ir.nodes import Expression, Kernel, Op, Scan, Select, Statement, Store, Symbol, While

_nodes: WeakKeyDictionary[Kernel, tuple[Node, ...]] = WeakKeyDictionary()
_field_names: dict[type[Node], tuple[str, ...]] = {}


def _names(cls: type[Node]) -> tuple[str, ...]:
    if cls not in _field_names:
        _field_names[cls] = tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
    return _field_names[cls]


def walk(root: Node | Iterable[Node]) -> Iterator[Node]:
    """Every node, parents before children, in program order (shared nodes as often as they are used).

    Where it does not matter how often, `distinct` takes a fraction of the time.
    """
    stack = [root] if isinstance(root, Node) else list(root)[::-1]
    while stack:
        current = stack.pop()
        yield current
        stack += current.children[::-1]


def distinct(root: Node | Iterable[Node]) -> Iterator[Node]:
    """The nodes of `walk`, each where it comes first: of a value that shares its parts, a tree may have
    millions where there are dozens."""
    stack = [root] if isinstance(root, Node) else list(root)[::-1]
    seen: set[Node] = set()
    while stack:
        current = stack.pop()
        if current not in seen:
            seen.add(current)
            yield current
            if current.children:
                stack += current.children[::-1]


def nodes_of(kernel: Kernel) -> tuple[Node, ...]:
    """`distinct` of a kernel's body, which many ask for: looked through once."""
    found = _nodes.get(kernel)
    if found is None:
        found = _nodes[kernel] = tuple(distinct(kernel.body))
    return found


def rebuild(node: Node, change: Callable[[Any], Any]) -> Any:
    """The same node with `change` applied to each child."""
    if not node.children:
        return node
    new = [change(child) for child in node.children]
    if all(map(operator.is_, new, node.children)):
        return node
    following = iter(new)

    def replaced(value: Any) -> Any:
        if isinstance(value, Node):
            return next(following)
        if isinstance(value, tuple):
            return tuple([next(following) if isinstance(entry, Node) else entry for entry in value])
        return value

    return type(node)(*[replaced(getattr(node, name)) for name in _names(type(node))])


def transform(root: Any, change: Callable[[Any], Any]) -> Any:
    """Bottom-up rewrite: `change` sees each node after its children; it returns the node to put in its
    place."""
    memo: dict[Node, Node] = {}

    def visit(node: Node) -> Node:
        known = memo.get(node)
        if known is None:
            known = memo[node] = change(rebuild(node, visit))
        return known

    return visit(root)


class Renaming:
    """New names for symbols, statement by statement; each can add some for those that follow."""

    def __init__(self, names: Mapping[Symbol, Symbol]) -> None:
        self.names = dict(names)
        self._memo: dict[Node, Any] = {}

    def add(self, symbol: Symbol, name: Symbol) -> None:
        self.names[symbol] = name
        self._memo.clear()

    def __call__(self, statement: Any) -> Any:
        """A statement with new names, but for the statements in its body."""
        return rebuild(statement, self._renamed) if self.names else statement

    def _renamed(self, node: Any) -> Any:
        if isinstance(node, Statement):
            return node
        if isinstance(node, Symbol):
            return self.names.get(node, node)
        if node not in self._memo:
            self._memo[node] = rebuild(node, self._renamed)
        return self._memo[node]


def transform_expressions(statement: Any, change: Callable[[Expression], Expression]) -> Any:
    """Bottom-up rewrite of the expressions in a statement; statements themselves stay."""
    return transform(statement, lambda node: change(node) if isinstance(node, Expression) else node)


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement, outer ones first."""
    for statement in body:
        yield statement
        inner = getattr(statement, "body", None)
        if inner:
            yield from statements(inner)


def evaluated(body: Iterable[Statement]) -> Iterator[Node]:
    """Every node that statements evaluate, inner statements included; what a value uses more than once comes
    once. A store's target is not among them, though a read of the same element, being the same node, is."""
    for statement in statements(body):
        inner = set(getattr(statement, "body", ()))
        parts = [statement.value] if isinstance(statement, Store) else statement.children
        for part in parts:
            if part not in inner:
                yield from distinct(part)


def in_every_cell(body: Iterable[Statement]) -> Iterator[Node]:
    """Every statement that each cell executes, and every node that it evaluates or stores to there: what no
    condition guards."""
    for statement in body:
        yield statement
        inner: set[Node] = set(getattr(statement, "body", ()))
        if isinstance(statement, Scan):
            yield from in_every_cell(statement.body)
        elif isinstance(statement, While):
            inner |= {statement.condition, *statement.update}
        for part in statement.children:
            if part not in inner:
                yield from _always_evaluated(part)


def _always_evaluated(root: Node) -> Iterator[Node]:
    """The nodes of an expression without what it evaluates in some cases only."""
    seen: set[Node] = set()
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        parts = node.children
        guarded = (isinstance(node, Select) and not node.both) or (
            isinstance(node, Op) and node.name in ("and", "or")
        )
        open_nodes += parts[:1] if guarded else parts


def expressions(root: Node | Iterable[Node]) -> Iterator[Expression]:
    """Every expression node."""
    return (node for node in walk(root) if isinstance(node, Expression))
