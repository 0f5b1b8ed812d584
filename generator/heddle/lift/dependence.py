# SPDX-License-Identifier: Apache-2.0
"""Whether the order of the cells matters: what a cell reads of what other cells write."""

from __future__ import annotations

from collections.abc import Sequence

from heddle.ir import nodes as ir
from heddle.ir.visit import evaluated, statements, walk


def dependences(body: Sequence[ir.Statement]) -> dict[int, list[ir.Access]]:
    """Reads of elements that another cell writes, by the axis along which that cell lies; under -1 those that
    lie along several."""
    stored = [s.target for s in statements(body) if isinstance(s, ir.Store)]
    written = {target.field: target for target in stored if isinstance(target, ir.Access)}
    result: dict[int, list[ir.Access]] = {}
    for node in evaluated(body):
        if isinstance(node, ir.Access) and node.field in written:
            own = written[node.field]
            apart = [a for a, (d, o) in enumerate(zip(node.offsets, own.offsets, strict=True)) if d != o]
            if apart and node.component == own.component:
                result.setdefault(apart[0] if len(apart) == 1 else -1, []).append(node)
    return result


def is_coloured(body: Sequence[ir.Statement]) -> bool:
    """Whether all that is stored is stored under a condition on the remainder of coordinates."""
    return all(
        isinstance(s, ir.Let) or (isinstance(s, ir.If) and (_colour(s.condition) or is_coloured(s.body)))
        for s in body
    )


def _colour(condition: ir.Expression) -> bool:
    return any(isinstance(node, ir.Op) and node.name in ("bitand", "rem") for node in walk(condition))
