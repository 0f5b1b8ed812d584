# SPDX-License-Identifier: Apache-2.0
"""The one pipeline from a model to a lowered kernel, for all targets and schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from heddle.garbage_collection import without_search
from heddle.ir.default_schedule import plain
from heddle.ir.legality import check_schedule
from heddle.ir.nodes import Kernel
from heddle.ir.schedule import CacheLines, Precision
from heddle.ir.space import Space
from heddle.ir.stages import Request, Stages
from heddle.ir.verify import verify
from heddle.model.assignment import Statement
from heddle.passes.apply_schedule import apply_schedule, follows_links
from heddle.passes.check_dependences import check_dependences
from heddle.passes.coarsen_threads import coarsen_threads
from heddle.passes.from_sympy import from_sympy
from heddle.passes.fuse_scans import fuse_scans
from heddle.passes.hoist_invariants import hoist_invariants
from heddle.passes.infer_types import infer_types
from heddle.passes.inline_intermediates import inline_intermediates
from heddle.passes.inline_stored_values import inline_stored_values
from heddle.passes.level_by_level import level_by_level
from heddle.passes.lower_accesses import lower_accesses
from heddle.passes.lower_reductions import lower_reductions
from heddle.passes.lower_row_reductions import lower_row_reductions
from heddle.passes.merge_equal_values import merge_equal_values
from heddle.passes.name_constants import name_constants
from heddle.passes.name_locals import name_locals
from heddle.passes.name_shared_values import name_shared_values
from heddle.passes.rematerialise_addresses import rematerialise_addresses
from heddle.passes.select_functions import select_functions
from heddle.passes.vectorise.gathers import vectorise_gathers
from heddle.passes.vectorise.half_conversion import convert_halves
from heddle.passes.vectorise.inline_lane_loads import inline_lane_loads
from heddle.passes.vectorise.interleaved_blocks import vectorise_interleaved_blocks
from heddle.passes.vectorise.pad_vector_loop import pad_vector_loop
from heddle.passes.vectorise.row_cells import update_row_cells
from heddle.passes.vectorise.row_groups import group_rows
from heddle.passes.vectorise.row_values import row_values
from heddle.passes.vectorise.rows_past_caches import rows_past_caches
from heddle.passes.vectorise.scan import vectorise_scans
from heddle.passes.vectorise.streaming_stores import stream_stores
from heddle.passes.vectorise.usual_rows import usual_rows
from heddle.passes.version_loops import version_loops

Pass = Callable[[Kernel, Request], Kernel]

TYPING: tuple[Pass, ...] = (inline_intermediates, name_shared_values, infer_types, check_dependences)
SCHEDULING: tuple[Pass, ...] = (check_schedule, fuse_scans, apply_schedule)
LOWERING: tuple[Pass, ...] = (
    merge_equal_values,
    hoist_invariants,
    vectorise_scans,
    lower_row_reductions,
    lower_reductions,
    level_by_level,
    lower_accesses,
    rematerialise_addresses,
    coarsen_threads,
    vectorise_gathers,
    stream_stores,
    convert_halves,
    pad_vector_loop,
    inline_lane_loads,
    inline_stored_values,
    vectorise_interleaved_blocks,
    update_row_cells,
    group_rows,
    version_loops,
    select_functions,
    row_values,
    usual_rows,
    rows_past_caches,
    name_constants,
    name_locals,
)


@without_search()
def typed(
    name: str,
    statements: Iterable[Statement],
    space: Space,
    precision: Precision,
    about: str = "",
    order: Sequence[str] = (),
) -> Kernel:
    """Convert, type and check a model: the part that does not depend on the target. order: as for
    from_sympy."""
    request = Request(precision)
    kernel = from_sympy(name, statements, space, precision, about, order)
    for step in TYPING:
        kernel = step(kernel, request)
    return verify(kernel, "symbolic")


def check(kernel: Kernel, request: Request) -> None:
    """Raise KernelError where a typed kernel cannot run on a target as its schedule says."""
    check_schedule(kernel, _in_cells(kernel, request))


def _in_cells(kernel: Kernel, request: Request) -> Request:
    """With strips of cells instead of cache lines, and nothing left open."""
    request = replace(request, schedule=plain(request.schedule))
    cpu = request.schedule.cpu
    if isinstance(cpu, CacheLines):
        cpu = cpu.in_cells(request.precision, follows_links(kernel))
        request = replace(request, schedule=replace(request.schedule, cpu=cpu))
    return request


@without_search()
def lower(kernel: Kernel, request: Request) -> Stages:
    """Schedule and lower a typed kernel for a target."""
    request = _in_cells(kernel, request)
    scheduled = kernel
    for step in SCHEDULING:
        scheduled = step(scheduled, request)
    verify(scheduled, "scheduled")
    lowered = scheduled
    for step in LOWERING:
        lowered = step(lowered, request)
    return Stages(kernel, scheduled, verify(lowered, "lowered"))
