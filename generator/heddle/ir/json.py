# SPDX-License-Identifier: Apache-2.0
"""Kernels as JSON and back: each node is {"node": class, part: value, ...}; rationals are {"rational": [p,
q]}. Reading checks every part, since the text may come from another program: see `heddle.ir.shapes`."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from typing import Any

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir import shapes
from heddle.ir.hash_consing import Node

_HINT = "this is what `to_json` and heddle-lift write; make the document again with the Heddle that reads it"


def to_json(node: Node) -> str:
    """A node and everything in it."""
    return json.dumps(_encoded(node), indent=1, sort_keys=False)


def from_json(text: str, name: str = "<json>") -> Any:
    """The node that `to_json` wrote: the same object, since nodes are hash-consed.

    name: of the document, for messages. Raises KernelError where the text is no JSON or no node, and says
    where in it.
    """
    decoder = json.JSONDecoder(object_hook=shapes.Reader().value)
    try:
        try:
            node = decoder.decode(text)
        except shapes.MalformedError:
            raise _malformed(text, name) from None
    except RecursionError:
        raise KernelError(name, "the document is nested too deeply", _HINT) from None
    except json.JSONDecodeError as error:
        raise KernelError(Place(name, error.lineno), f"{error.msg} at column {error.colno}", _HINT) from None
    except ValueError as error:  # a number of thousands of digits
        raise KernelError(name, str(error), _HINT) from None
    if not isinstance(node, Node):
        raise KernelError(name, f"the document is {shapes.described(node)}, not a node", _HINT)
    return node


def _malformed(text: str, name: str) -> KernelError:
    """Where in the document the first fault is. It is read again for that: from the outside to the inside,
    while the quick reading goes from the inside to the outside and knows no path."""
    path, what = shapes.fault(json.loads(text))
    return KernelError(f"{name}: {path or 'the document'}", what, _HINT)


def _encoded(value: Any) -> Any:
    match value:
        case ir.Scalar():
            return {"type": str(value)}
        case Node():
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
