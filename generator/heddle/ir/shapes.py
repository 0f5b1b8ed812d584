# SPDX-License-Identifier: Apache-2.0
"""What the parts of each node may be, from its annotations; and the reader of decoded JSON that checks it."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from heddle.errors import Place
from heddle.ir import layout, source, space
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import Node

_CLASSES: dict[str, type[Node]] = {
    cls.__name__: cls
    for module in (ir, space, layout, source)
    for cls in vars(module).values()
    if isinstance(cls, type) and dataclasses.is_dataclass(cls) and issubclass(cls, Node)
}
_TYPES = (ir.Scalar, ir.Pointer, source.Array, source.PointerTo, source.Record, source.Void)


class MalformedError(Exception):
    """A value that is no part of a kernel."""


@dataclasses.dataclass(frozen=True)
class Kinds:
    """The values that a part may have: those of some classes, some strings, lists of such."""

    classes: frozenset[type]
    words: frozenset[str] = frozenset()
    entries: Kinds | None = None
    pair: tuple[Kinds, ...] = ()

    def tupled(self, value: Any) -> Any:
        """A part as it is in a node. Raises MalformedError."""
        kind = type(value)
        if kind is list and self.entries is not None:
            classes = self.entries.classes
            if not all([type(entry) in classes for entry in value]):
                return tuple([self.entries.tupled(entry) for entry in value])
            return tuple(value)
        if kind is list and len(value) == len(self.pair) > 0:
            return tuple(each.tupled(entry) for each, entry in zip(self.pair, value, strict=True))
        if kind in self.classes or (kind is str and value in self.words):
            return value
        raise MalformedError


def _kinds(hint: Any) -> Kinds:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return Kinds(frozenset((*_TYPES, str, int, types.NoneType)))
    if origin is typing.Literal:
        return Kinds(frozenset(), frozenset(arguments))
    if origin is tuple and arguments[-1] is ...:
        return Kinds(frozenset(), entries=_kinds(arguments[0]))
    if origin is tuple:
        return Kinds(frozenset(), pair=tuple(map(_kinds, arguments)))
    if origin in (typing.Union, types.UnionType):
        return Kinds(frozenset().union(*(_kinds(each).classes for each in arguments)))
    return Kinds(frozenset(cls for cls in _CLASSES.values() if issubclass(cls, hint)) | {hint})


def _kinds_of(part: str, hint: Any) -> Kinds:
    """Types of expressions may be those of source text too."""
    return Kinds(frozenset((*_TYPES, types.NoneType))) if part == "type" else _kinds(hint)


@dataclasses.dataclass(frozen=True)
class Shape:
    """A class and its parts, in order."""

    cls: type[Node]
    keys: tuple[str, ...]  # "node" first, as JSON has them
    kinds: tuple[Kinds, ...]
    defaults: dict[str, Any]

    def parts(self, tree: dict[str, Any]) -> list[Any]:
        """The values in order, what is left out by its default. Raises MalformedError."""
        if not tree.keys() <= set(self.keys):
            raise MalformedError
        try:
            return [tree[key] if key in tree else self.defaults[key] for key in self.keys[1:]]
        except KeyError:
            raise MalformedError from None


def _shape(cls: type[Node]) -> Shape:
    hints = typing.get_type_hints(cls)
    parts = dataclasses.fields(cls)  # type: ignore[arg-type]
    return Shape(
        cls,
        ("node", *(part.name for part in parts)),
        tuple(_kinds_of(part.name, hints[part.name]) for part in parts),
        {part.name: part.default for part in parts if part.default is not dataclasses.MISSING},
    )


_SHAPES = {name: _shape(cls) for name, cls in _CLASSES.items()}


class Reader:
    """Makes nodes of decoded JSON, the inner ones first. What occurs again is looked up, not made."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Node] = {}
        self._places: dict[tuple[str, int], Place] = {}

    def value(self, tree: dict[str, Any]) -> Any:
        """An object hook of the JSON decoder. Raises MalformedError."""
        name = tree.get("node")
        if name is None:
            return self._other(tree)
        shape = _SHAPES.get(name) if type(name) is str else None
        if shape is None:
            raise MalformedError
        values = list(tree.values())[1:] if tuple(tree) == shape.keys else shape.parts(tree)
        for at, kinds in enumerate(shape.kinds):
            if type(values[at]) not in kinds.classes:
                values[at] = kinds.tupled(values[at])
        cls = shape.cls
        if cls is ir.Const:  # 1, 1.0 and True are equal, but different constants
            return cls(*values)
        key = (cls, *values)
        node = self._made.get(key)
        if node is None:
            node = self._made[key] = cls(*values)
        return node

    def _other(self, tree: dict[str, Any]) -> Any:
        if len(tree) != 1:
            raise MalformedError
        for key, value in tree.items():
            if key == "place":
                return self._place(value)
            make = _OTHERS.get(key)
            if make is not None:
                return make(value)
        raise MalformedError

    def _place(self, value: Any) -> Place:
        if (
            type(value) is not list
            or len(value) != 2
            or type(value[0]) is not str
            or type(value[1]) is not int
        ):
            raise MalformedError
        key = value[0], value[1]
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = Place(*key)
        return place


def _scalar(value: Any) -> ir.Scalar:
    if type(value) is not str or value not in ir.SCALARS:
        raise MalformedError
    return ir.SCALARS[value]


def _rational(value: Any) -> Fraction:
    if type(value) is not list or [type(entry) for entry in value] != [int, int] or value[1] == 0:
        raise MalformedError
    return Fraction(value[0], value[1])


def _float(value: Any) -> float:
    if value not in ("inf", "-inf", "nan"):
        raise MalformedError
    return float(value)


_OTHERS: dict[str, Callable[[Any], Any]] = {"type": _scalar, "rational": _rational, "float": _float}


def described(value: Any) -> str:
    """A decoded value in a few words."""
    if isinstance(value, Node):
        return f"a {type(value).__name__}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that JSON does not have"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def fault(document: Any) -> tuple[str, str]:
    """Path and reason of the first thing that keeps a decoded document from being a node. Objects in it are
    replaced by their nodes."""
    reader, found = Reader(), ("", "it is not a node")
    broken: set[int] = set()  # ids of objects that are no nodes, or hold such
    for path, holder, key in reversed(list(_objects(document))):
        tree = holder[key]
        if any(id(part) in broken for value in tree.values() for part in _flat(value)):
            broken.add(id(tree))
            continue
        try:
            holder[key] = reader.value(tree)
        except MalformedError:
            broken.add(id(tree))
            found = path, _reason(tree)
    return found


def _objects(document: Any) -> Iterator[tuple[str, Any, Any]]:
    """Path, holder and key of every object, outer ones first, in the order of the text."""
    root = [document]
    waiting: list[tuple[str, Any, Any]] = [("", root, 0)]
    while waiting:
        path, holder, key = waiting.pop()
        value = holder[key]
        if isinstance(value, dict):
            yield path, holder, key
            waiting += [(f"{path}.{name}".lstrip("."), value, name) for name in reversed(value)]
        elif isinstance(value, list):
            waiting += [(f"{path}[{at}]", value, at) for at in reversed(range(len(value)))]


def _flat(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        else:
            yield value


def _reason(tree: dict[str, Any]) -> str:
    """What is wrong with an object whose parts are nodes."""
    if "node" not in tree:
        if len(tree) == 1 and (key := next(iter(tree))) in (*_OTHERS, "place"):
            return f"{described(tree[key])} is not a {key}"
        keys = ", ".join(map(described, tree)) or "nothing"
        return f"an object of {keys} that is neither a node nor a type, place, rational or float"
    name = tree["node"]
    shape = _SHAPES.get(name) if type(name) is str else None
    if shape is None:
        return f"there is no node {described(name)}"
    for key in tree:
        if key not in shape.keys:
            return f"a {name} has no field {described(key)}"
    for key, kinds in zip(shape.keys[1:], shape.kinds, strict=True):
        if key not in tree and key not in shape.defaults:
            return f"a {name} needs a field {key!r}"
        try:
            _ = key not in tree or kinds.tupled(tree[key])
        except MalformedError:
            return f"the field {key!r} of a {name} cannot be {described(tree[key])}"
    return f"this {name} is not valid"
