# SPDX-License-Identifier: Apache-2.0
"""What can be seen of a loop without a pass."""

from __future__ import annotations

from heddle.ir.build import operate
from heddle.ir.nodes import Comment, Let, Load, Loop, Store, Symbol
from heddle.ir.visit import walk


def touches_only(loop: Loop, arrays: set[Symbol]) -> bool:
    """Whether each cell of a loop reads and writes nothing but its own lane of some arrays."""
    lane = operate("sub", loop.counter, loop.begin)
    return all(isinstance(s, (Comment, Let, Store)) for s in loop.body) and all(
        node.pointer in arrays and node.index == lane for node in walk(loop.body) if isinstance(node, Load)
    )
