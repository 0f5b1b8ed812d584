# SPDX-License-Identifier: Apache-2.0
"""Names that a pass invents keep clear of those that the model has."""

from __future__ import annotations

from heddle.ir.nodes import Kernel, Scan, Symbol
from heddle.ir.visit import statements, walk


def names_in(kernel: Kernel) -> frozenset[str]:
    """Every name that a kernel has."""
    names = {node.name for node in walk(kernel.body) if isinstance(node, Symbol)}
    names |= {symbol.name for s in statements(kernel.body) if isinstance(s, Scan) for symbol in s.carried}
    names |= {symbol.name for symbol in (*kernel.parameters, *kernel.outputs)}
    return frozenset(names | {field.name for field in kernel.fields})


def fresh(name: str, taken: frozenset[str]) -> str:
    """The name, or, if it is taken, one like it."""
    while name in taken:
        name += "_"
    return name
