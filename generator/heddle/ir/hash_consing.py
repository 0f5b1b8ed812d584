# SPDX-License-Identifier: Apache-2.0
"""Frozen, hash-consed nodes: two that are built alike are the same object.

So equality is identity, a set of nodes is cheap, and a common subexpression is stored once.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, TypeVar, dataclass_transform
from weakref import WeakValueDictionary

_table: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
T = TypeVar("T")

_NUMBERS = frozenset({bool, int, Fraction})
_SPECIAL = _NUMBERS | {float, tuple}
"""Types whose values are not their own keys."""


def _key(value: object) -> object:
    """Distinguishes 1, 1.0 and True, and 0.0 from -0.0, which compare equal."""
    kind = type(value)
    if kind is tuple:
        return tuple([part if type(part) not in _SPECIAL else _key(part) for part in value])  # type: ignore[attr-defined]
    if kind is float:
        return float, value.hex()  # type: ignore[attr-defined]
    return (kind, value) if kind in _NUMBERS else value


_signatures: dict[type, tuple[tuple[str, ...], tuple[Any, ...]]] = {}


def _signature(cls: type) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and defaults of a node's parts."""
    if cls not in _signatures:
        parts = dataclasses.fields(cls)
        _signatures[cls] = tuple(part.name for part in parts), tuple(part.default for part in parts)
    return _signatures[cls]


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, eq=False, init=False)(cls)


class Node:
    """Anything in a kernel. A metaclass would be the usual way to share instances, but `isinstance` takes
    several times as long where a class has one."""

    __slots__ = ("children",)
    children: tuple[Node, ...]
    """The nodes directly inside, in order."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        names, defaults = _signature(cls)
        if kwargs or len(args) < len(names):  # one spelling of a node, one key
            given = dict(zip(names, args, strict=False)) | kwargs
            args = tuple(map(given.get, names, defaults))
        key = (cls, *[arg if type(arg) not in _SPECIAL else _key(arg) for arg in args])
        made: Self | None = _table.get(key)
        if made is None:
            made = _table[key] = object.__new__(cls)
            made.__dict__.update(zip(names, args, strict=True))
            object.__setattr__(made, "children", _nodes(args))
        return made


def _nodes(parts: tuple[Any, ...]) -> tuple[Node, ...]:
    found: list[Node] = []
    for part in parts:
        if isinstance(part, Node):
            found.append(part)
        elif isinstance(part, tuple):
            found += [entry for entry in part if isinstance(entry, Node)]
    return tuple(found)
