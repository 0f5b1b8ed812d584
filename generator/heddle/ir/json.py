# SPDX-License-Identifier: Apache-2.0
"""Kernels as JSON and back: each node is {"node": class, part: value, ...}; rationals are {"rational": [p,
q]}."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from typing import Any

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source

_CLASSES = {
    cls.__name__: cls
    for module in (ir, source)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, ir.Node)
}


def to_json(node: ir.Node) -> str:
    """A node and everything in it."""
    return json.dumps(_encoded(node), indent=1, sort_keys=False)


def from_json(text: str) -> Any:
    """The node that `to_json` wrote: the same object, since nodes are hash-consed."""
    return _decoded(json.loads(text))


def _encoded(value: Any) -> Any:
    match value:
        case ir.Scalar():
            return {"type": str(value)}
        case ir.Node():
            parts = {field.name: _encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}  # type: ignore[arg-type]
            return {"node": type(value).__name__} | parts
        case tuple():
            return [_encoded(entry) for entry in value]
        case Fraction():
            return {"rational": [value.numerator, value.denominator]}
        case Place():
            return {"place": [value.file, value.line]}
        case float() if not math.isfinite(value):
            return {"float": repr(value)}
    return value


def _decoded(value: Any) -> Any:
    match value:
        case {"node": name, **parts}:  # first: a node may have a part called "type"
            return _CLASSES[name](**{str(key): _decoded(part) for key, part in parts.items()})
        case {"type": name}:
            return ir.SCALARS[name]
        case {"rational": [above, below]}:
            return Fraction(above, below)
        case {"place": [file, line]}:
            return Place(file, line)
        case {"float": text}:
            return float(text)
        case list():
            return tuple(_decoded(entry) for entry in value)
    return value
