# SPDX-License-Identifier: Apache-2.0
"""Run kernels in the interpreter: memory for their fields, every level of the pipeline, bits to compare."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.compressed_neighbours import compressed
from heddle.ir.interpret import Array, Result, run
from heddle.ir.rounding import Number, rounded
from heddle.ir.schedule import precision
from heddle.ir.space import PLACES, Dense, Sparse
from heddle.ir.target import Target
from heddle.module import KernelModel
from heddle.pipeline import LOWERING, SCHEDULING, Request

EXTENT = (7, 5, 3)
Level = tuple[str, ir.Kernel]


def levels(model: KernelModel, chosen: str, target: str | Target) -> list[Level]:
    """The typed kernel, and the kernel after each later pass."""
    known = TARGETS[target] if isinstance(target, str) else target
    request = Request(precision(chosen), model.schedule, known)
    kernel = model.typed(request.precision)
    result = [("infer_types", kernel)]
    for step in (*SCHEDULING, *LOWERING):
        kernel = step(kernel, request)
        result.append((step.__name__, kernel))
    return result


def changed(stages: Sequence[Level]) -> list[Level]:
    """The levels without those whose pass left the kernel as it was: nodes are hash-consed, so that such a
    kernel is the same object, of which another run says nothing."""
    return [
        level for number, level in enumerate(stages) if not number or level[1] is not stages[number - 1][1]
    ]


def changed_pairs(packs: Sequence[Level], unpacks: Sequence[Level]) -> list[tuple[Level, Level]]:
    """The same of two kernels together: those levels of which one of the kernels is new."""
    pairs = list(zip(packs, unpacks, strict=True))
    return [
        (pack, unpack)
        for (pack, unpack), before in zip(pairs, [None, *pairs], strict=False)
        if before is None or pack[1] is not before[0][1] or unpack[1] is not before[1][1]
    ]


def number(generator: random.Random, scalar: ir.Scalar, exact: bool) -> Number:
    """A number of a type: small whole ones if sums and products are to be exact."""
    if scalar.kind == "b":
        return generator.random() < 0.5
    if not scalar.is_float:
        return generator.randrange(0 if scalar.kind == "u" else -4, 9)
    if exact:
        return float(generator.randrange(-3, 4))
    special = generator.choice((0.0, -0.0, 1.0, 0.5, -2.0))
    return rounded(generator.gauss(0.0, 2.0) if generator.random() < 0.8 else special, scalar)


def array(
    generator: random.Random,
    scalar: ir.Scalar,
    extent: Sequence[int],
    components: int,
    ghosts: int,
    exact: bool = False,
    plain: bool = False,
) -> Array:
    """Memory for a field of any strides: axes in any order, backwards or with steps; `plain`: x first, no
    gaps."""
    whole = [n + 2 * ghosts for n in extent] + ([components] if components else [])
    order = list(range(len(whole)))
    steps = [1] * len(whole)
    if not plain:
        generator.shuffle(order)
        steps = [generator.choice((1, 1, 2)) for _ in whole]
    stride = [0] * len(whole)
    size = 1
    for axis in order:
        stride[axis] = size * steps[axis]
        size *= whole[axis] * steps[axis]
    values = [number(generator, scalar, exact) for _ in range(size)]
    origin = sum(ghosts * stride[axis] for axis in range(len(extent)))
    for axis in range(len(whole)):
        if not plain and generator.random() < 0.3:  # run this axis backwards
            last = whole[axis] - 1 - (2 * ghosts if axis < len(extent) else 0)
            origin += last * stride[axis]
            stride[axis] = -stride[axis]
    return Array(values, origin, (*extent, *([components] if components else [])), tuple(stride))


def memory(
    kernel: ir.Kernel,
    extent: Sequence[int],
    generator: random.Random,
    exact: bool = False,
    plain: bool = False,
) -> dict[str, Array]:
    """Random contents for the fields of a dense kernel."""
    return {
        f.name: array(
            generator, f.type, *_shape(f, extent), f.ghost_layers, exact, plain or f.layout.contiguous
        )
        for f in kernel.fields
    }


def _shape(field: ir.Field, extent: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Extent and components in memory: a field that is split by colour has the colours as components."""
    if field.layout.split:
        return (extent[0] // 2, *extent[1:]), 2
    if field.layout.table:
        return (field.size,), 0
    if field.layout.along_axis:
        return (extent[field.axis],), 0
    return tuple(n + field.layout.other_grid for n in extent[: field.rank]), field.components


def scalars(kernel: ir.Kernel, generator: random.Random, exact: bool = False) -> dict[str, Number]:
    """Random values of the parameters."""
    result: dict[str, Number] = {}
    for symbol in kernel.parameters:
        assert isinstance(symbol.type, ir.Scalar)
        result[symbol.name] = number(generator, symbol.type, exact)
    if isinstance(kernel.space, Dense) and kernel.space.colours > 1:
        result |= {"first_colour": 0, "last_colour": kernel.space.colours}
    return result


def listed_memory(
    kernel: ir.Kernel, box: Sequence[int], generator: random.Random, exact: bool = False
) -> tuple[dict[str, Array], dict[str, Number]]:
    """Memory for a sparse kernel: a box with some solid cells, its neighbour table, and a list of cells."""
    space = kernel.space
    assert isinstance(space, Sparse)
    if space.box:
        return boxed_memory(kernel, box, generator, exact), scalars(kernel, generator, exact)
    places = [p for p in itertools.product(*map(range, box)) if generator.random() < 0.8]
    result = table_memory(kernel, box, places, max(len(places) // 3, 1), generator, exact)
    if space.listed:
        entries = result["cells"].extent[0]
        result["cells"].values = generator.sample(range(len(places)), entries)
        return result, scalars(kernel, generator, exact)
    return result, scalars(kernel, generator, exact) | {"first": 1, "last": len(places)}


def table_memory(
    kernel: ir.Kernel,
    box: Sequence[int],
    places: Sequence[tuple[int, ...]],
    entries: int,
    generator: random.Random,
    exact: bool = False,
) -> dict[str, Array]:
    """Memory for a sparse kernel over the cells at some places of a periodic box, and their neighbour table.
    entries: how many a list of some of them has; here the first ones."""
    space = kernel.space
    assert isinstance(space, Sparse)
    number_of = {place: n for n, place in enumerate(places)}
    if any(link.stores_solid for link in space.links):  # behind walls: the rest of the box, in its order
        for place in itertools.product(*map(range, box)):
            number_of.setdefault(place, len(number_of))
    cells, slot_stride = len(places), len(number_of) + 3
    result: dict[str, Array] = {}
    for f in kernel.fields:
        if f.layout.per_entry:
            values = [number(generator, f.type, exact) for _ in range(entries)]
            result[f.name] = Array(values, 0, (entries,), (1,))
            continue
        components = max(f.components, 1)
        values = [number(generator, f.type, exact) for _ in range(slot_stride * components)]
        shape = ((len(number_of), components), (1, slot_stride)) if f.components else ((cells,), (1,))
        result[f.name] = Array(values, 0, *shape)
    row = len(number_of) + 5
    table = [0] * (row * max(len(space.links), 1))
    for number_of_row, link in enumerate(space.links):
        for place, n in number_of.items():
            to = tuple((a + d) % m for a, d, m in zip(place, link.offset, box, strict=True))
            at = (
                link.slot * slot_stride + number_of[to]
                if to in number_of
                else link.wall_slot * slot_stride + n
            )
            table[number_of_row * row + n] = at
    result["neighbour"] = Array(table, 0, (len(number_of), len(space.links)), (1, row))
    if space.strip_size:
        result["neighbour_run"] = _runs(result["neighbour"], space.strip_size)
    if space.compressed:
        words = compressed(
            lambda link, n: table[link * row + n],
            lambda link, n: space.links[link].wall_slot * slot_stride + n,
            len(space.links),
            cells,
        )
        result["neighbour_chunk"] = Array(words, 0, (len(words),), (1,))
    if space.listed:
        result["cells"] = Array(list(range(entries)), 0, (entries,), (1,))
    return result


def boxed_memory(
    kernel: ir.Kernel, box: Sequence[int], generator: random.Random, exact: bool = False
) -> dict[str, Array]:
    """Memory for a kernel over some cells of a dense box: so far apart that none touches what another one
    does, whatever their masks say; the first in the ghost layer."""
    fields = [f for f in kernel.fields if f.layout.per_entry]
    dense = dataclasses.replace(kernel, fields=tuple(f for f in kernel.fields if f not in fields))
    result = memory(dense, box, generator, exact)
    places = list(itertools.product(*(range(-1, n, 4) for n in box)))
    for f in fields:
        values = [number(generator, f.type, exact) for _ in places]
        if f.name in PLACES:
            values = [place[PLACES.index(f.name)] for place in places]
        elif f.type.kind == "u":
            values = [generator.getrandbits(27) for _ in places]
        result[f.name] = Array(values, 0, (len(places),), (1,))
    return result


def _runs(table: Array, strip: int) -> Array:
    """The first entry of each strip of each row where the whole strip's entries follow each other."""
    cells, rows = table.extent
    values = []
    for begin in range(0, cells, strip):
        for row in range(rows):
            entries = [
                table.values[row * table.stride[1] + n] for n in range(begin, min(begin + strip, cells))
            ]
            whole = entries == list(range(entries[0], entries[0] + strip))
            values.append(entries[0] if whole else 0xFFFFFFFF)
    return Array(values, 0, (len(values),), (1,))


def bits(value: Any) -> Any:
    """What tells numbers apart: 0.0 from -0.0, 1 from 1.0; one NaN is like another."""
    return ("nan" if math.isnan(value) else value.hex()) if isinstance(value, float) else repr(value)


def outcome(
    kernel: ir.Kernel,
    arrays: Mapping[str, Array],
    arguments: Mapping[str, Number] | None = None,
    shuffled: int | None = None,
) -> dict[str, Any]:
    """The bits of all memory, of the outputs and the status, after a run on a copy of the arrays."""
    own = {name: Array(copy.copy(a.values), a.origin, a.extent, a.stride) for name, a in arrays.items()}
    order = random.Random(shuffled)

    def shuffle(cells: list[Any]) -> list[Any]:
        if shuffled is not None:
            order.shuffle(cells)
        return cells

    result: Result = run(kernel, own, arguments, shuffle)
    found: dict[str, Any] = {name: list(map(bits, own[name].values)) for name in own}
    found |= {f"output {name}": bits(value) for name, value in result.outputs.items()}
    return found | {"status": result.status}


def agree(entry: KernelModel, chosen: str, target: str, seed: int, extent: tuple[int, ...] = EXTENT) -> None:
    """Run the kernel after every pass on the same fields."""
    generator = random.Random(seed)
    stages = levels(entry, chosen, target)
    typed = stages[0][1]
    exact = entry.schedule.fma  # whole numbers: where no operation rounds, a fused one gives the same
    if hasattr(typed.space, "rank"):
        arrays, arguments = (
            memory(typed, extent[: typed.space.rank], generator, exact),
            scalars(typed, generator, exact),
        )
    else:
        arrays, arguments = listed_memory(
            typed, (6, 7, 3)[: max(f.rank for f in typed.fields)], generator, exact
        )
    expected = outcome(typed, arrays, arguments)
    assert any(expected[f.name] != [repr(v) for v in arrays[f.name].values] for f in typed.fields)
    for name, kernel in changed(stages)[1:]:
        different = [
            key for key, value in outcome(kernel, arrays, arguments).items() if value != expected[key]
        ]
        assert not different, f"{name} changes {different}"
    for kernel in (typed, stages[-1][1]):
        assert outcome(kernel, arrays, arguments, shuffled=seed) == expected
