# SPDX-License-Identifier: Apache-2.0
"""Which schedules a space and its statements take: every rule by which Heddle refuses a schedule.

What two options exclude of each other in one part of a schedule cannot be written down (heddle.ir.schedule).
`check_space` holds when a kernel is added to a module, `check_schedule` when it is lowered for a target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heddle.errors import NOWHERE, KernelError, Place
from heddle.ir.colouring import BITS, bits
from heddle.ir.compressed_neighbours import MOST_NEIGHBOURS
from heddle.ir.layout import STRIDED
from heddle.ir.nodes import (
    F16,
    F32,
    Access,
    Comment,
    Gather,
    Kernel,
    Let,
    Reduce,
    Scalar,
    Scan,
    Statement,
    Store,
    Symbol,
    While,
)
from heddle.ir.reduction import TILE, holds_rows, row_operation
from heddle.ir.schedule import (
    RUN_CELLS,
    CompressedList,
    Interleaved,
    Rows,
    Schedule,
    Strips,
    Threads,
    WarpPerCell,
)
from heddle.ir.space import Space
from heddle.ir.stages import Request
from heddle.ir.target import Target
from heddle.ir.visit import evaluated, statements, walk

LANES = 32
"""Of a warp that shares rounds."""

# --- Spaces -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refusal:
    """What a kernel does, the options that this does not support, why, and what to use instead of them."""

    what: str
    options: tuple[str, ...]
    why: str
    instead: str = ""


_LEVELS = ("levels_first", "level_by_level")
_WHOLE_ROWS = (
    "colours", "specialise", "Interleaved", "coarsening", "same_strides", "row_cells", *_LEVELS, "fixed_nx",
    "unchecked_entry", "unit_stride",
)  # fmt: skip
REFUSALS = {
    "box": Refusal(
        "runs over a dense space", ("CompressedList",), "it has no neighbour table", "use space=Sparse(...)"
    ),
    "list": Refusal("runs over a list", _WHOLE_ROWS, "its cells form no rows", "use a dense space"),
    "cells": Refusal(
        "runs over a Cells space", (*_WHOLE_ROWS, "strips", "CompressedList"), "its cells are not contiguous"
    ),
    "solid": Refusal(
        "runs over a list that stores cells behind walls",
        ("strips", "CompressedList"),
        "they are far from their neighbours, so only the plain table exists",
    ),
    "walls": Refusal(
        "has walls in its dense space",
        ("strips", "coarsening", "same_strides", "row_cells", *_LEVELS, "specialise", "colours"),
        "cells at walls take other branches",
        "use stream.boundary(NoSlip(lattice), face=...)",
    ),
    "colours": Refusal(
        "runs colour by colour",
        ("strips", "fixed_nx", "threads_per_vector", "row_cells", *_LEVELS),
        "neighbouring cells of a row differ in colour",
    ),
    "specialise": Refusal(
        "has a specialised loop",
        ("strips", "Interleaved", "row_cells", *_LEVELS),
        "it takes whole rows",
    ),
}
"""By what kernels have in common: see `_traits`."""


def check_space(name: str, space: Space, schedule: Schedule, place: Place) -> None:
    """Raise KernelError for what a schedule asks for and a space does not have."""
    asked = list(_asked(schedule))
    for trait in _traits(space, schedule):
        refusal = REFUSALS[trait]
        for option in asked:
            if option in refusal.options:
                hint = f"leave out {option}" + (f", or {refusal.instead}" if refusal.instead else "")
                what = f"'{name}' {refusal.what}, which does not support {option}: {refusal.why}."
                raise KernelError(place, what, hint)
    if space.colours > 1 and (space.dimensions, space.colours) not in BITS:
        known = " or ".join(str(colours) for rank, colours in BITS if rank == space.dimensions)
        raise KernelError(
            place,
            f"'{name}' has colours={space.colours}, which {space.dimensions} dimensions do not support.",
            f"use colours={known}",
        )
    if isinstance(schedule.gpu, CompressedList) and len(space.links) > MOST_NEIGHBOURS:
        raise KernelError(
            place,
            f"a compressed neighbour table holds {MOST_NEIGHBOURS} links, but '{name}' follows "
            f"{len(space.links)}.",
            "leave out CompressedList",
        )


def _traits(space: Space, schedule: Schedule) -> Iterator[str]:
    """What matters of a kernel for the options that it takes."""
    if space.is_list:
        yield "cells" if space.box else "list"
        if any(link.stores_solid for link in space.links):
            yield "solid"
    else:
        yield "box"
        if space.walls:
            yield "walls"
    if schedule.colours > 1:
        yield "colours"
    if schedule.specialise is not None:
        yield "specialise"


def _asked(schedule: Schedule) -> Iterator[str]:
    """The options that not every kernel takes, as refusals name them."""
    cpu, gpu = schedule.cpu, schedule.gpu
    if not isinstance(cpu, Rows):
        yield "strips"
    if cpu.fixed_nx:
        yield "fixed_nx"
    if cpu.unchecked_entry:
        yield "unchecked_entry"
    if cpu.unit_stride:
        yield "unit_stride"
    if isinstance(gpu, (CompressedList, Interleaved)):
        yield type(gpu).__name__
    if isinstance(gpu, Interleaved) and gpu.threads_per_vector > 1:
        yield "threads_per_vector"
    if gpu.coarsening > 1:
        yield "coarsening"
    if gpu.row_cells > 1:
        yield "row_cells"
    if gpu.levels_first:
        yield "levels_first"
    if gpu.level_by_level:
        yield "level_by_level"
    if gpu.same_strides:
        yield "same_strides"
    if schedule.colours > 1:
        yield "colours"
    if schedule.specialise is not None:
        yield "specialise"


def check_runs(name: str, space: Space, place: Place) -> None:
    """Raise KernelError for strips of a list that are not its runs: heddle::IndexList has one length."""
    if space.strip_size not in (0, RUN_CELLS):
        raise KernelError(
            place,
            f"'{name}' has strips of {space.strip_size} cells, but lists store contiguous runs of "
            f"{RUN_CELLS} neighbours.",
            f"use Strips({RUN_CELLS})",
        )


# --- Statements ---------------------------------------------------------------------------------------------


def check_schedule(kernel: Kernel, request: Request) -> Kernel:
    """Raise KernelError where a kernel that is not yet scheduled cannot run as its schedule says."""
    schedule, target = request.schedule, request.target
    _check_scans(kernel, target)
    _check_reductions(kernel, schedule, target)
    _check_row_reductions(kernel, schedule, target)
    _check_rounds(kernel, schedule, target)
    if target.threads:
        _check_lanes(kernel)
        if schedule.gpu.coarsening > 1:
            _check_coarsening(kernel, schedule.gpu.coarsening)
        if schedule.gpu.same_strides:
            _check_same_strides(kernel)
        if schedule.gpu.row_cells > 1:
            _check_row_cells(kernel, schedule.gpu.row_cells)
        if schedule.gpu.levels_first:
            _check_levels_first(kernel)
        if schedule.gpu.level_by_level:
            _check_level_by_level(kernel)
    if target.inner == "simd" and isinstance(schedule.cpu, Strips) and schedule.cpu.nontemporal:
        _check_nontemporal(kernel)
    return kernel


def _check_scans(kernel: Kernel, target: Target) -> None:
    """A scan is the loop over its axis; on a GPU, the threads are those of the other axes."""
    scans = [s for s in statements(kernel.body) if isinstance(s, Scan)]
    if not scans or not kernel.space.is_box:
        return
    if kernel.space.colours > 1:
        raise KernelError(
            scans[0].place,
            f"'{kernel.name}' cannot combine a scan with colours: a scan visits all cells of a column, "
            "whatever their colour.",
            "leave out colours",
        )
    if target.threads and kernel.space.dimensions == len({scan.axis for scan in scans}):
        raise KernelError(
            scans[0].place,
            f"'{kernel.name}' is a single scan and has no parallelism for CUDA.",
            "use --targets cpu",
        )


def _check_rounds(kernel: Kernel, schedule: Schedule, target: Target) -> None:
    """Each cell repeats a While as often as its own numbers ask for: lanes need masks, which vectorise_scans
    knows for boxes."""
    loop = next((s for s in statements(kernel.body) if isinstance(s, While)), None)
    if target.threads and isinstance(schedule.gpu, WarpPerCell):
        _check_warps(kernel, schedule.gpu, schedule.colours, target)
    if loop is None:
        return
    strips = target.inner == "simd" and not isinstance(schedule.cpu, Rows)
    reduces = any(isinstance(s, Reduce) for s in statements(_up_to_the_last_rounds(kernel.body)))
    if strips and (reduces or not kernel.space.is_box):
        why = "reduces before its last round" if reduces else "runs over a list"
        raise KernelError(
            loop.place,
            f"'{kernel.name}' repeats a While, as often as each cell asks for, and {why}, which strips do "
            "not support together: the cells of a strip do the same.",
            "use Schedule(cpu=Rows())" + (", or reduce behind the rounds" if reduces else ""),
        )
    if target.threads and schedule.gpu.coarsening > 1:
        raise KernelError(
            loop.place,
            f"coarsening={schedule.gpu.coarsening} does not work for '{kernel.name}': each of its cells "
            "repeats a While as often as it asks for.",
            "leave out coarsening",
        )


def _up_to_the_last_rounds(body: Sequence[Statement]) -> Sequence[Statement]:
    """What lanes do before they all have their results: the last part of a strip comes after that."""
    holding = [
        n for n, s in enumerate(body) if any(isinstance(inner, (Scan, While)) for inner in statements((s,)))
    ]
    return body[: holding[-1] + 1] if holding else ()


def _check_warps(kernel: Kernel, warps: WarpPerCell, colours: int, target: Target) -> None:
    """A warp shares the rounds of one While of a dense space, in double precision, and nothing else. Several
    warps take different numbers of turns, and meet at barriers: two of them are no halves of one wave."""
    whiles = [s for s in statements(kernel.body) if isinstance(s, While)]
    others = [s for s in statements(kernel.body) if isinstance(s, (Scan, Reduce))]
    why = ""
    if len(whiles) != 1:
        why = f"it has {len(whiles)} of them"
    elif whiles[0] not in kernel.body:
        why = "it does not stand by itself"
    elif others or not kernel.space.is_box or kernel.space.walls or colours > 1:
        why = "other statements scan or reduce, or its space is no plain dense one"
    elif {symbol.type for symbol in whiles[0].carried} & {F32, F16}:
        why = "it computes in single precision"
    if why:
        raise KernelError(
            whiles[0].place if whiles else kernel.name,
            f"WarpPerCell shares the rounds of one While of '{kernel.name}' between lanes: {why}.",
            "use Schedule(gpu=Threads())",
        )
    if warps.warps > 1 and target.gpu is not None and target.gpu.wave > LANES:
        raise KernelError(
            whiles[0].place,
            f"WarpPerCell(warps={warps.warps}) of '{kernel.name}' has {LANES} lanes in a warp, and a wave of "
            f"{target.gpu.language} has {target.gpu.wave}: two warps in one wave would wait for each other.",
            "use WarpPerCell() with warps=1, or Threads()",
        )


def _check_reductions(kernel: Kernel, schedule: Schedule, target: Target) -> None:
    """Reductions combine cells tile by tile: strips have that size, too, and the threads of a warp lie in
    one row. With more than two colours, rows of a colour differ in number, and nobody would fill the tiles
    of those that are not there."""
    place = next((s.place for s in statements(kernel.body) if isinstance(s, Reduce)), None)
    if place is None:
        return
    colours = kernel.space.colours
    if colours > 2:
        raise KernelError(
            place,
            f"'{kernel.name}' reduces over {colours} colours; at most two are supported.",
            "reduce in a separate kernel without colours",
        )
    if isinstance(schedule.cpu, Strips) and schedule.cpu.size != TILE:
        raise KernelError(
            place,
            f"'{kernel.name}' reduces {TILE} cells at a time, which does not fit strips of "
            f"{schedule.cpu.size} cells.",
            f"use Strips({TILE}) or Rows()",
        )
    if target.threads and schedule.gpu.block[0] % TILE:
        raise KernelError(
            place,
            f"'{kernel.name}' reduces {TILE} cells of a row at a time, which blocks of "
            f"{schedule.gpu.block} threads would split.",
            f"use block=({TILE}, ...), or another multiple along x",
        )


def _check_row_reductions(kernel: Kernel, schedule: Schedule, target: Target) -> None:
    """A row is a loop over its tiles, or a block of threads."""
    rows = [s for s in statements(kernel.body) if row_operation(s)]
    if not rows and schedule.gpu.row_pieces and target.threads:
        raise KernelError(
            kernel.name,
            f"row_pieces does not work for '{kernel.name}': it does not reduce over rows.",
            "leave out row_pieces",
        )
    if not rows:
        return
    where, what = getattr(rows[0], "place", NOWHERE), f"'{kernel.name}' reduces over rows"
    if not kernel.space.is_box or kernel.space.dimensions < 2 or kernel.space.walls:
        raise KernelError(
            where, f"{what}, which a dense space of two or three axes has.", "use space=Dense()"
        )
    if any(isinstance(s, Scan) and s.axis == 0 for s in statements(kernel.body)):
        raise KernelError(where, f"{what}, along which it scans, too.", "let columns lie along y or z")
    if any(isinstance(s, Reduce) for s in statements(kernel.body)):
        raise KernelError(where, f"{what} and over all cells.", "write two kernels")
    strips = isinstance(schedule.cpu, Strips) and schedule.cpu != Strips(TILE)
    if schedule.colours > 1 or schedule.specialise is not None or schedule.cpu.fixed_nx or strips:
        raise KernelError(
            where,
            f"{what}, {TILE} cells at a time, which does not support colours, specialise, fixed_nx and other "
            "strips.",
            "use Schedule(cpu=Rows())",
        )
    block = schedule.gpu.block
    alone = isinstance(schedule.gpu, Threads) and schedule.gpu.coarsening == 1
    if target.threads and (not alone or not holds_rows(block, schedule.gpu.row_pieces)):
        raise KernelError(
            where,
            f"{what}, each of which one block of threads has to hold.",
            f"use Threads(block=({TILE} * n, 1, 1)) with at least as many threads as a row has cells, or "
            f"({TILE}, m, 1) or ({TILE // 2}, 2 * m, 1) for short rows; and row_pieces=True for longer ones, "
            f"with {TILE} threads or more along x",
        )


def _check_nontemporal(kernel: Kernel) -> None:
    """Stores bypass the caches for fields that the kernel only writes: one that it also reads is in the
    caches anyway."""
    stored = [s for s in statements(kernel.body) if isinstance(s, Store) and isinstance(s.target, Access)]
    read = {node.field for node in evaluated(kernel.body) if isinstance(node, (Access, Gather))}
    if all(s.target.field in read for s in stored if isinstance(s.target, Access)):
        raise KernelError(
            stored[0].place if stored else kernel.name,
            f"'{kernel.name}' reads every field that it writes, so nontemporal stores would evict cache "
            "lines that are in use.",
            "leave out nontemporal for in-place kernels",
        )


def _check_lanes(kernel: Kernel) -> None:
    """What differs between interleaved blocks, such as coordinates, is not the same for all lanes."""
    if kernel.space.interleave == 1:
        return
    places = [getattr(statement, "place", NOWHERE) for statement in kernel.body]
    first = next((place for place in places if place != NOWHERE), NOWHERE)
    for where, why, hint in _obstacles(kernel):
        lanes = kernel.space.interleave
        raise KernelError(
            first if where == NOWHERE else where,
            f"'{kernel.name}' cannot run in {lanes} interleaved blocks per thread: {why}.",
            hint,
        )


def _obstacles(kernel: Kernel) -> Iterator[tuple[Place, str, str]]:
    """What keeps the cells of interleaved blocks from being lanes of one vector."""
    for field in kernel.fields:
        if field.layout is not STRIDED or field.rank != kernel.space.dimensions:
            yield NOWHERE, f"'{field.name}' does not extend along all axes", "leave out Interleaved"
    for symbol in walk(kernel.body):
        if isinstance(symbol, Symbol) and symbol.name in ("x", "y", "z", "n_x", "n_y", "n_z"):
            yield (
                NOWHERE,
                f"it uses '{symbol.name}', which differs between the interleaved blocks",
                "pass position-dependent values as a field",
            )
    for statement in kernel.body:
        if not isinstance(statement, (Let, Store, Comment)):
            place = getattr(statement, "place", NOWHERE)
            yield place, "it has branches, scans or reductions", "move them to a separate kernel"


def _check_coarsening(kernel: Kernel, cells: int) -> None:
    """The cells of a thread follow each other along the outermost axis, and share what is inside it."""
    space = kernel.space
    scans = any(isinstance(s, Scan) for s in statements(kernel.body))
    split = any(field.layout.split for field in kernel.fields)
    halved = len(bits(space.dimensions, space.colours))
    if space.is_box and (space.dimensions == 1 or scans or halved > int(split)):
        raise KernelError(
            kernel.name,
            f"coarsening={cells} does not work for '{kernel.name}': it has one axis, a Scan, or "
            "colours of fields that are not split.",
            "leave out coarsening, or use fields(..., split=True)",
        )


def _check_same_strides(kernel: Kernel) -> None:
    """One number of a cell serves fields of the whole box; and no integers but it are computed with."""
    whole = [field for field in kernel.fields if field.numbered_with(kernel.space)]
    data = (*(field.type for field in kernel.fields), *(symbol.type for symbol in kernel.parameters))
    why = ""
    if not whole or any(field.layout.split for field in whole):
        why = "no field has a value for each cell of its box, or they are split by colour"
    elif any(isinstance(kind, Scalar) and kind.kind in "iu" for kind in data):
        why = "it has fields or parameters of integers"
    if why:
        raise KernelError(
            kernel.name,
            f"same_strides does not work for '{kernel.name}': {why}.",
            "leave out same_strides",
        )


def _check_row_cells(kernel: Kernel, cells: int) -> None:
    """The cells of a thread do the same statements, side by side, and load before they store."""
    stored = {s.target.field for s in kernel.body if isinstance(s, Store) and isinstance(s.target, Access)}
    read = {node.field for node in evaluated(kernel.body) if isinstance(node, Access)}
    grids = (field for field in kernel.fields if field.dense and field.rank and not field.layout.along_axis)
    why = ""
    rounds = [
        inside for statement in kernel.body if isinstance(statement, While) for inside in statement.body
    ]
    if not (
        all(isinstance(statement, (Let, Store, Comment, While)) for statement in kernel.body)
        and all(isinstance(statement, (Let, Comment)) for statement in rounds)
    ):
        why = "it has branches, scans or reductions"
    elif stored & read:
        why = "it reads fields that it writes"
    elif not all(field.numbered_with(kernel.space) for field in grids):
        why = "it has fields of fewer axes, or of another grid"
    if why:
        raise KernelError(
            kernel.name,
            f"row_cells={cells} does not work for '{kernel.name}': {why}.",
            "leave out row_cells",
        )


def _check_levels_first(kernel: Kernel) -> None:
    """There are a y and a z to exchange."""
    scans = any(isinstance(s, Scan) for s in statements(kernel.body))
    if kernel.space.dimensions == 3 and not scans:
        return
    why = "it scans an axis" if scans else f"it has {kernel.space.dimensions} of the three axes"
    raise KernelError(
        kernel.name, f"levels_first does not work for '{kernel.name}': {why}.", "leave out levels_first"
    )


def _check_level_by_level(kernel: Kernel) -> None:
    """The threads of a block do the same statements for cells that lie apart, and take what each other has
    computed: so a value depends on nothing but the fields around its cell. (That the components of the fields
    are alike is found when the statements are taken apart: passes.level_by_level.)"""
    stores = [s for s in kernel.body if isinstance(s, Store)]
    stored = {s.target.field for s in stores if isinstance(s.target, Access)}
    read = list(evaluated(kernel.body))
    why = ""
    if kernel.space.dimensions != 3:
        why = "its space has no levels"
    elif not all(isinstance(statement, (Let, Store, Comment)) for statement in kernel.body):
        why = "it has branches, scans or reductions"
    elif any(isinstance(node, Gather) for node in read):
        why = "it reads at computed positions"
    elif any(isinstance(node, Symbol) and node.name in _PLACES for node in read):
        why = "it depends on the coordinates of cells"
    elif stored & {node.field for node in read if isinstance(node, Access)}:
        why = "it reads fields that it writes"
    elif any(field.is_plane(kernel.space) for field in stored):
        why = "it writes a plane"
    if why:
        raise KernelError(
            kernel.name,
            f"level_by_level does not work for '{kernel.name}': {why}.",
            "leave out level_by_level",
        )


_PLACES = frozenset({"x", "y", "z", "n_x", "n_y", "n_z"})
"""Names of coordinates and extents."""


def check_integers(kernel: Kernel, name: str) -> None:
    """Raise KernelError where the field whose usual value has statements of its own has no integers."""
    field = next((field for field in kernel.fields if field.name == name), None)
    if field is not None and field.type.is_float:
        raise KernelError(
            kernel.name,
            f"'{kernel.name}' cannot be specialised for a value of '{name}', whose elements are "
            f"{field.type}.",
            "name a field of integers, such as flags",
        )


def check_usual(kernel: Kernel, profile: str, found: bool) -> None:
    """Raise KernelError where no loop over rows chooses by the profile whose usual value has statements of
    its own. found: whether one does."""
    if not found:
        raise KernelError(
            kernel.name,
            f"'{kernel.name}' has no choice between values that depends on '{profile}' and is the same in a "
            "row.",
            "name a profile along y or z that a condition compares, or leave out usual",
        )


def check_nontemporal_from(kernel: Kernel, found: bool) -> None:
    """Raise KernelError where no loop over rows can store past the caches. found: whether one can."""
    if not found:
        raise KernelError(
            kernel.name,
            f"'{kernel.name}' has no loop over whole rows that stores, in every cell, to a field that it "
            "does not read.",
            "leave out nontemporal_from",
        )


def check_specialised(kernel: Kernel, field: str, found: bool) -> None:
    """Raise KernelError where no cell reads the field whose usual value has statements of its own. found:
    whether there are such rows or threads."""
    if not found:
        raise KernelError(
            kernel.name,
            f"'{kernel.name}' does not read '{field}' at the cell itself along contiguous rows, "
            "so its loop cannot be specialised.",
            "name an integer field that the kernel reads at the cell itself; with colours, split the fields",
        )
