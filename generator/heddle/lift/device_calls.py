# SPDX-License-Identifier: Apache-2.0
"""What the threads of a CUDA block say to each other: statements and expressions that only exist between the
record and the loops over threads. `block_reductions` takes them away, or they are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir.hash_consing import node
from heddle.ir.nodes import Expression, Statement
from heddle.ir.visit import statements
from heddle.lift.calls import BARRIER

Operation = Literal["sum", "min", "max"]
ATOMICS: dict[str, Operation] = {"atomicAdd": "sum", "atomicMin": "min", "atomicMax": "max"}
SHUFFLES = {f"__shfl_{kind}_sync": kind for kind in ("down", "up", "xor")} | {"__shfl_sync": "from"}
FULL_MASK = 0xFFFFFFFF
WARP = 32
WARP_BARRIER = "__syncwarp"
READ_ONLY = ("__ldg", "__ldcs")


@node
class Shuffle(Expression):
    """The value that another thread of the warp has: the one `lanes` further, before, with these bits turned,
    or of this number."""

    kind: Literal["down", "up", "xor", "from"]
    value: Expression
    lanes: Expression
    type: ir.Scalar


@node
class Atomic(Statement):
    """Combine a value with an element, of which other threads do the same."""

    operation: Operation
    target: ir.Load
    value: Expression
    place: Place


def is_barrier(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Comment) and statement.text == BARRIER


def shared_arrays(body: Sequence[ir.Statement]) -> dict[ir.Symbol, int]:
    """The arrays in shared memory, and their lengths."""
    return {s.symbol: s.length for s in statements(body) if isinstance(s, ir.Local) and s.space == "shared"}
