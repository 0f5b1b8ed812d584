# SPDX-License-Identifier: Apache-2.0
"""Names that a pass invents keep clear of those that the model has."""

from __future__ import annotations

import dataclasses
from collections.abc import Set

from heddle.ir.nodes import Kernel, Scan, Symbol, While
from heddle.ir.space import Sparse
from heddle.ir.visit import nodes_of, statements


def names_in(kernel: Kernel) -> frozenset[str]:
    """Every name that a kernel has."""
    names = {node.name for node in nodes_of(kernel) if isinstance(node, Symbol)}
    carrying = [s for s in statements(kernel.body) if isinstance(s, (Scan, While))]
    names |= {symbol.name for statement in carrying for symbol in statement.carried}
    names |= {symbol.name for symbol in (*kernel.parameters, *kernel.outputs)}
    return frozenset(names | {field.name for field in kernel.fields})


def fresh(name: str, taken: Set[str]) -> str:
    """The name, or, if it is taken, one like it."""
    while name in taken:
        name += "_"
    return name


def with_free_counters(kernel: Kernel) -> Kernel:
    """A kernel over a list says `cell` and `entry` for its counters where the model has a use for `n` or
    `i`."""
    space, taken = kernel.space, names_in(kernel)
    if not isinstance(space, Sparse):
        return kernel
    cell = _free((space.cell, "cell"), taken)
    entry = _free((space.entry, "entry"), taken)
    return dataclasses.replace(kernel, space=dataclasses.replace(space, cell=cell, entry=entry))


def _free(names: tuple[str, str], taken: frozenset[str]) -> str:
    """The first name, or, if it is taken, the second, with `own_` before it as often as it takes: what is
    derived from it (`cell_begin`) gets no two underscores in a row, which C++ keeps for itself."""
    usual, name = names
    if usual not in taken:
        return usual
    while name in taken:
        name = "own_" + name
    return name
