# SPDX-License-Identifier: Apache-2.0
"""Frozen, hash-consed nodes: two that are built alike are the same object.

So equality is identity, a set of nodes is cheap, and a common subexpression is stored once.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, dataclass_transform
from weakref import WeakValueDictionary

_table: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
T = TypeVar("T")


def _key(value: object) -> object:
    """Distinguishes 1, 1.0 and True, and 0.0 from -0.0, which compare equal."""
    if isinstance(value, (Node, str)):  # most of them, and asking whether it is a Fraction is slow
        return value
    if isinstance(value, tuple):
        return tuple(_key(entry) for entry in value)
    if isinstance(value, float):
        return float, value.hex()
    return (type(value), value) if isinstance(value, (int, Fraction)) else value


_signatures: dict[type, tuple[tuple[str, ...], tuple[Any, ...]]] = {}


def _signature(cls: type) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and defaults of a node's parts."""
    if cls not in _signatures:
        parts = dataclasses.fields(cls)
        _signatures[cls] = tuple(part.name for part in parts), tuple(part.default for part in parts)
    return _signatures[cls]


class _HashConsed(type):
    def __call__(cls: type[T], *args: Any, **kwargs: Any) -> T:
        names, defaults = _signature(cls)
        if kwargs or len(args) < len(names):  # one spelling of a node, one key
            given = dict(zip(names, args, strict=False)) | kwargs
            args = tuple(given.get(name, default) for name, default in zip(names, defaults, strict=True))
        key = (cls, *(_key(argument) for argument in args))
        node = _table.get(key)
        if node is None:
            node = _table[key] = type.__call__(cls, *args)
        return node  # type: ignore[no-any-return]


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, eq=False)(cls)


class Node(metaclass=_HashConsed):
    """Anything in a kernel."""

    __slots__ = ("_children",)
    _children: tuple[Node, ...]
    """What `visit.children` found."""
