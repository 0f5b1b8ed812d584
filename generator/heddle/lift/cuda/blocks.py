# SPDX-License-Identifier: Apache-2.0
"""CUDA kernels whose threads work together in blocks: which sizes of a block they are written for, and what
they are without their blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.hash_consing import Node
from heddle.ir.visit import statements, walk
from heddle.lift.cuda.block_reductions import Reduction, with_direct_atomics, without_block_reduction
from heddle.lift.cuda.thread_index import AXES, without_casts
from heddle.lift.cuda.thread_state import Block
from heddle.lift.cuda.threads import thread_loops
from heddle.lift.cuda.tiles import without_tiles
from heddle.lift.device_calls import SHUFFLES, Atomic, Shuffle, shared_arrays
from heddle.lift.lifted import refuse
from heddle.lift.statements import StatementLifter

Body = tuple[ir.Statement, ...]
SIZES = (32, 64, 128, 256, 512, 1024)
"""Threads of a block that a kernel may be launched with, where its text does not say it."""
RIMS = range(5)
LARGEST = 1024
MOST = 64
"""Sizes that are tried."""


def lifted_kernel(unit: source.Unit, function: source.Function) -> tuple[Body, list[str]]:
    """A kernel's body with loops over its threads, and what was assumed.

    Where threads share memory and the size of a block is not in the text, every likely size is tried; those
    for which all could be shown are the assumption, and the result must be the same for all. Raises
    KernelError, from the size that came farthest, where there is none.
    """
    if not _shares(unit, function):
        lifter = StatementLifter(unit)
        body = lifter.function(function)
        found = with_direct_atomics(body, function.place) if _has_atomics(body) else Reduction(body, (), ())
        return _with_loops(found, function, [*lifter.assumptions, *found.assumptions], False)
    best: tuple[Body, list[str]] | None = None
    shown: list[str] = []
    problem: KernelError | None = None
    for block in _blocks(unit, function):
        try:
            found = _of_size(unit, function, block)
            each = _with_loops(found, function, list(found.assumptions), True)
        except KernelError as error:
            problem = error if problem is None or _line(error) > _line(problem) else problem
            continue
        if best is not None and each[0] != best[0]:
            raise refuse(function.place, "The kernel does different work for different block sizes.")
        best = each
        shown.append(" x ".join(str(n) for n in block if n > 1) or "1")
    if best is None:
        raise problem or refuse(function.place, "No block size fits this kernel's shared memory.")
    note = f"{function.place}: a block has {' or '.join(shown)} threads"
    return best[0], [note, *best[1]]


def _with_loops(
    found: Reduction, function: source.Function, assumed: list[str], sized: bool
) -> tuple[Body, list[str]]:
    body, more = thread_loops(found.inside, function.place, sized)
    return (*body, *found.behind), [*assumed, *more]


def _of_size(unit: source.Unit, function: source.Function, block: Block) -> Reduction:
    """The kernel as it is for blocks of one size."""
    lifter = StatementLifter(unit, block)
    body = lifter.function(function)
    assumed = lifter.assumptions
    if _combines(body):
        alone = any(note.endswith("launched with one block") for note in assumed)
        found = without_block_reduction(body, block, function.place, alone)
    else:
        inside, more = without_tiles(body, block, function.place)
        found = Reduction(tuple(inside), (), tuple(more))
    return Reduction(found.inside, found.behind, (*assumed, *found.assumptions))


def _line(error: KernelError) -> int:
    return int(getattr(error.where, "line", 0))


def _has_atomics(body: Body) -> bool:
    return any(isinstance(s, Atomic) for s in statements(body))


def _combines(body: Body) -> bool:
    """Whether threads compute with what others stored, not only copy."""
    shared = shared_arrays(body)
    return any(
        isinstance(node, (Atomic, Shuffle))
        or (
            isinstance(node, ir.Store)
            and isinstance(node.target, ir.Load)
            and node.target.pointer in shared
            and any(isinstance(n, ir.Load) and n.pointer in shared for n in walk(node.value))
        )
        for node in walk(body)
    )


def _shares(unit: source.Unit, function: source.Function) -> bool:
    """Whether a kernel, with what it calls, has shared memory or shuffles."""
    by_key = {each.key: each for each in unit.functions}
    names = {each.key: each.name for each in unit.functions}
    seen, left = {function.key}, [function]
    while left:
        for node in walk(left.pop().body):
            if isinstance(node, source.Declaration) and node.space == "shared":
                return True
            if isinstance(node, source.Invoke):
                if names.get(node.function, node.function) in SHUFFLES:
                    return True
                if (
                    node.function in by_key
                    and node.function not in seen
                    and not _is_ours(names[node.function])
                ):
                    seen.add(node.function)
                    left.append(by_key[node.function])
    return False


def _is_ours(name: str) -> bool:
    """Building blocks of heddle/device are known by name."""
    return name.startswith("heddle::")


def _blocks(unit: source.Unit, function: source.Function) -> Iterator[Block]:
    """The sizes that a block may have."""
    used = {_built_in(node) for node in walk(function.body)}
    axes = [axis for axis in AXES if ("threadIdx", axis) in used] or ["x"]
    written = dict(_written(unit, function))
    extents = list(_extents(function.body))
    choices: list[Sequence[int]] = []
    for place, axis in enumerate(axes):
        if axis in written:
            choices.append((written[axis],))
        elif len(axes) == 1:
            choices.append(sorted({*SIZES, *(n for e in extents for n in _inner(e[-1]))}))
        else:
            choices.append(
                sorted({n for e in extents if len(e) > place for n in _inner(e[-1 - place])}) or SIZES[:1]
            )
    for size in islice(product(*choices), MOST):
        threads = dict(zip(axes, size, strict=True))
        block = threads.get("x", 1), threads.get("y", 1), threads.get("z", 1)
        if block[0] * block[1] * block[2] <= LARGEST:
            yield block


def _built_in(node: Node) -> tuple[str, str] | None:
    """`threadIdx.x` and its like in the record."""
    if isinstance(node, source.Member) and isinstance(node.object, ir.Symbol):
        return node.object.name, node.name
    return None


def _written(unit: source.Unit, function: source.Function) -> Iterator[tuple[str, int]]:
    """Numbers that stand in place of blockDim: `blockIdx.x * 16`."""
    named = {d.symbol.name: d.value for d in unit.constants}
    named |= {
        s.symbol.name: s.value
        for s in walk(function.body)
        if isinstance(s, source.Declaration) and s.constant
    }
    for node in walk(function.body):
        if isinstance(node, ir.Op) and node.name == "mul":
            one, other = (without_casts(argument) for argument in node.args)
            for block, number in ((one, other), (other, one)):
                while isinstance(number, ir.Symbol) and isinstance(
                    meant := named.get(number.name), ir.Expression
                ):
                    number = without_casts(meant)
                place = _built_in(block)
                if place and place[0] == "blockIdx" and isinstance(number, ir.Const) and number.value > 0:
                    yield place[1], int(number.value)


def _inner(extent: int) -> list[int]:
    """An extent without rims."""
    return [extent - 2 * rim for rim in RIMS if 0 < extent - 2 * rim <= LARGEST]


def _extents(body: Sequence[ir.Statement]) -> Iterator[tuple[int, ...]]:
    """The extents of the arrays in shared memory."""
    for node in walk(body):
        if isinstance(node, source.Declaration) and node.space == "shared":
            kind: Any = node.symbol.type
            found: list[int] = []
            while isinstance(kind, source.Array):
                found.append(kind.length)
                kind = kind.element
            if found:
                yield tuple(found)
