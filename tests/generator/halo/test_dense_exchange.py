# SPDX-License-Identifier: Apache-2.0
"""What crosses the borders of a block, against what kernels are seen to touch when they run."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from heddle import Assignment, fields, lbm
from heddle.atmosphere.large_eddies import level_means
from heddle.halo.dense import Exchange, HaloRegion, exchanges, text
from heddle.ir import nodes as ir
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.ir.space import Dense
from heddle.module import Module
from heddle.passes.schedule_pack import COLUMNS
from running import changed_pairs, levels

PATTERNS = {"pull": lbm.Pull, "push": lbm.Push, "aa": lbm.AA, "twist": lbm.EsoTwist, "eso_pull": lbm.EsoPull}
EXTENTS = {2: [(3, 2), (1, 4)], 3: [(3, 2, 2), (1, 2, 3)]}
Element = tuple[str, int, tuple[int, ...]]
"""Name of a field, component, cell."""


class Traced(list[Any]):
    """Memory that knows what was read and written."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__(values)
        self.read: Counter[int] = Counter()
        self.written: Counter[int] = Counter()

    def __getitem__(self, index: Any) -> Any:
        self.read[index] += 1
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.written[index] += 1
        super().__setitem__(index, value)


def memory(field: ir.Field, extent: Sequence[int], value: Callable[[int], Any]) -> Array:
    """A field with its ghost layers, x fastest, components last; `value` of the number of an element."""
    extent = extent[: field.rank]  # a plane has two
    whole = [n + 2 * field.ghost_layers for n in extent]
    stride = [1]
    for n in whole:
        stride.append(stride[-1] * n)
    components = max(field.components, 1)
    values = Traced([value(i) for i in range(stride[-1] * components)])
    origin = sum(field.ghost_layers * s for s in stride[:-1])
    shape = (*extent, *([field.components] if field.components else []))
    return Array(values, origin, shape, tuple(stride if field.components else stride[:-1]))


def number(array: Array, component: int, cell: Sequence[int]) -> int:
    """Where an element lies in the memory of its field."""
    return array.origin + sum(c * s for c, s in zip((*cell, component), array.stride, strict=False))


def elements(field: ir.Field, array: Array, extent: Sequence[int]) -> Iterator[tuple[Element, int]]:
    """All elements of a field, ghost cells too, and where they lie."""
    g = field.ghost_layers
    for cell in itertools.product(*(range(-g, n + g) for n in extent)):
        for component in range(max(field.components, 1)):
            yield (field.name, component, cell), number(array, component, cell)


def touched_ghosts(kernel: ir.Kernel, extent: Sequence[int]) -> tuple[set[Element], set[Element]]:
    """The ghost elements that a run of a kernel reads, and those that it writes."""
    arrays = {field.name: memory(field, extent, lambda i: 0.001 * (i % 7)) for field in kernel.fields}
    run(kernel, arrays, {symbol.name: 1.5 for symbol in kernel.parameters})
    read, written = set(), set()
    for field in kernel.fields:
        values = arrays[field.name].values
        assert isinstance(values, Traced)
        for element, place in elements(field, arrays[field.name], extent):
            if all(0 <= c < n for c, n in zip(element[2], extent, strict=True)):
                continue
            if values.read[place]:
                read.add(element)
            if values.written[place]:
                written.add(element)
    return read, written


def halo_elements(exchange: Exchange, extent: Sequence[int]) -> Counter[Element]:
    """How often each ghost element is among what crosses."""
    return Counter(
        (region.field.name, region.component, cell)
        for region in exchange.regions
        for cell in region.cells(extent)
    )


def streaming(pattern: str, lattice: str) -> list[ir.Kernel]:
    d = lbm.Lattice(lattice)
    module = Module("m", precisions=("f64",))
    module.add(pattern, PATTERNS[pattern](d)(lbm.BGK(d)))
    return [model.typed(precision("f64")) for model in module.kernels.values()]


@pytest.mark.parametrize("lattice", ["D2Q9", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_exactly_what_is_touched_crosses_once(pattern: str, lattice: str) -> None:
    """Before a step every ghost value that it reads arrives once, after it every one that it wrote leaves
    once; nothing else crosses."""
    for kernel in streaming(pattern, lattice):
        assert isinstance(kernel.space, Dense)
        before, after = exchanges(kernel)
        for extent in EXTENTS[kernel.space.rank]:
            read, written = touched_ghosts(kernel, extent)
            assert halo_elements(before, extent) == dict.fromkeys(read, 1)
            assert halo_elements(after, extent) == dict.fromkeys(written, 1)


@pytest.mark.parametrize(
    ("lattice", "counts"),
    [
        ("D2Q9", {"face": {3}, "corner": {1}}),
        ("D3Q19", {"face": {5}, "edge": {1}}),
        ("D3Q27", {"face": {9}, "edge": {3}, "corner": {1}}),
    ],
)
def test_populations_that_cross(lattice: str, counts: dict[str, set[int]]) -> None:
    """lbm.md, section 5: slots a face, an edge and a corner; AA exchanges around its odd step only."""
    (pull,) = streaming("pull", lattice)
    assert exchanges(pull)[0].counts() == counts
    assert not exchanges(pull)[1].regions
    even, odd = streaming("aa", lattice)
    assert [len(e.regions) for e in exchanges(even)] == [0, 0]
    assert [e.counts() for e in exchanges(odd)] == [counts, counts]
    for kernel in streaming("twist", lattice):
        for exchange in exchanges(kernel):
            assert all(min(region.side) >= 0 for region in exchange.regions)


def test_push_sends_the_array_that_it_writes() -> None:
    (push,) = streaming("push", "D3Q19")
    before, after = exchanges(push)
    assert not before.regions
    assert [field.name for field in after.fields] == ["f_next"]


def stencil(rank: int, offsets: Sequence[Sequence[tuple[int, ...]]], ghosts: int) -> ir.Kernel:
    """A kernel that adds up components of u and of v at offsets."""
    u = fields(f"u: double(2)[{rank}D]", ghost_layers=ghosts)
    v, w = fields(f"v, w: double[{rank}D]", ghost_layers=ghosts)
    here = (0,) * rank
    parts = [u[(*o, 0)] for o in offsets[0]] + [u[(*o, 1)] for o in offsets[1]] + [v[o] for o in offsets[2]]
    module = Module("m", precisions=("f64",))
    module.add("add", [Assignment(w[here], sum(parts))])
    return module.kernels["add"].typed(precision("f64"))


@pytest.mark.parametrize("seed", range(30))
def test_any_stencil(seed: int) -> None:
    """Several offsets of one component: their boxes overlap, but each cell crosses once."""
    generator = random.Random(seed)
    rank, reach = generator.choice((2, 3)), generator.choice((1, 2))
    every = list(itertools.product(range(-reach, reach + 1), repeat=rank))
    kernel = stencil(rank, [generator.sample(every, generator.randrange(1, 6)) for _ in range(3)], reach)
    before, after = exchanges(kernel)
    assert not after.regions
    for extra in (0, 1):
        extent = tuple(before.min_block_extent + extra * axis for axis in range(rank))
        assert halo_elements(before, extent) == dict.fromkeys(touched_ghosts(kernel, extent)[0], 1)


def box_of(cells: Sequence[tuple[int, ...]]) -> tuple[list[int], list[int]]:
    """First cell and extent, along three axes."""
    first, last = min(cells), max(cells)
    assert (
        len(cells)
        == len(set(cells))
        == len(list(itertools.product(*map(range, first, [c + 1 for c in last]))))
    )
    flat = 3 - len(first)
    return [*first, *[0] * flat], [*(b - a + 1 for a, b in zip(first, last, strict=True)), *[1] * flat]


def tables(exchange: Exchange, extent: Sequence[int]) -> tuple[list[int], list[int], int]:
    """The tables of owners' and of ghost cells' boxes in one periodic block, and the length of the buffer."""
    owners: list[int] = []
    ghosts: list[int] = []
    length = 0
    for region in exchange.regions:
        cells = list(region.cells(extent))
        if not cells:
            continue
        shifted = [
            tuple(c - s * n for c, s, n in zip(cell, region.side, extent, strict=True)) for cell in cells
        ]
        which = exchange.fields.index(region.field)
        for table, place in ((owners, shifted), (ghosts, cells)):
            first, count = box_of(place)
            table += [which, region.component, *first, *count, length]
        length += len(cells)
    return owners, ghosts, length


def pack_both(module: Module, exchange: Exchange, extent: Sequence[int], target: str, chosen: str) -> None:
    """Pack and unpack in the interpreter at every level: the values of the senders arrive, each once, and
    nothing else changes."""
    owners, ghosts, length = tables(exchange, extent)
    senders, receivers = (owners, ghosts) if exchange.direction == "before" else (ghosts, owners)
    longest = max(a * b * c for a, b, c in zip(*(owners[i::9] for i in (5, 6, 7)), strict=True))
    scalars = {"box_count": len(owners) // 9, "longest": longest}
    packs, unpacks = (levels(module.kernels[f"halo_{w}"], chosen, target) for w in ("pack", "unpack"))  # type: ignore[arg-type]
    for (level, pack), (_, unpack) in changed_pairs(packs, unpacks):
        names = [field.name for field in pack.fields[:-2]]
        arrays = {
            name: memory(field, extent, lambda i: float(1 + i))
            for name, field in zip(names, exchange.fields, strict=True)
        }
        before = {name: list(array.values) for name, array in arrays.items()}
        buffer = Array(Traced([None] * length), 0, (length,), (1,))
        run(pack, arrays | {"buffer": buffer, "boxes": Array(senders, 0, (len(senders),), (1,))}, scalars)
        assert buffer.values.written == dict.fromkeys(range(length), 1), level  # type: ignore[attr-defined]
        run(
            unpack,
            arrays | {"buffer": buffer, "boxes": Array(receivers, 0, (len(receivers),), (1,))},
            scalars,
        )
        for name, field in zip(names, exchange.fields, strict=True):
            expected = before[name]
            array, moved = arrays[name], Counter[int]()
            for region in exchange.regions:
                if region.field is field:
                    expected = copied(array, exchange.direction, region, extent, expected, moved)
            assert list(array.values) == expected, level
            assert array.values.written == moved, level  # type: ignore[attr-defined]


def copied(
    array: Array,
    direction: str,
    region: HaloRegion,
    extent: Sequence[int],
    values: list[Any],
    moved: Counter[int],
) -> list[Any]:
    """Values after one box has crossed in a periodic block, by the definition; counts the writes in
    `moved`."""
    result = list(values)
    for cell in region.cells(extent):
        ghost = number(array, region.component, cell)
        owner = number(array, region.component, [c % n for c, n in zip(cell, extent, strict=True)])
        source, target = (owner, ghost) if direction == "before" else (ghost, owner)
        result[target] = values[source]
        moved[target] += 1
    return result


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("pattern", ["pull", "push", "aa", "twist", "eso_pull"])
def test_packed_values_arrive(pattern: str, target: str) -> None:
    d = lbm.Lattice("D2Q9" if pattern == "twist" else "D3Q19")
    module = Module("m", precisions=("f64",))
    module.add(pattern, PATTERNS[pattern](d)(lbm.BGK(d)))
    names = list(module.kernels)
    module.add_halo()
    for name in names:
        for exchange in exchanges(module.kernels[name].typed(precision("f64"))):
            if exchange.regions:
                pack_both(module, exchange, (3, 2, 4)[: d.dimension], target, "f64")


def two_fields(message_precision: str | None = None) -> tuple[Module, Exchange]:
    a, b, c = (fields(f"{name}: real{parts}[3D]") for name, parts in (("a", "(2)"), ("b", "(3)"), ("c", "")))
    module = Module("m", precisions=("f64", "f32"))
    module.add("mix", [Assignment(c[0, 0, 0], a[1, 0, 0, 1] + b[0, -1, 0, 2] + b[0, 1, 0, 0])])
    module.add_halo(message_precision=message_precision)
    return module, exchanges(module.kernels["mix"].typed(precision("f64")))[0]


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_several_fields_share_a_call(target: str) -> None:
    module, exchange = two_fields()
    assert [field.name for field in exchange.fields] == ["a", "b"]
    pack_both(module, exchange, (2, 3, 2), target, "f64")


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_planes_of_neighbouring_columns_are_exchanged_with_other_fields(target: str) -> None:
    """In one level: the boxes of the plane are one cell high, and its pack kernels know no level."""
    u, v, mu = fields("u, v: real[3D]; mu: real[xy]")
    module = Module("m", precisions=("f64",))
    module.add("mix", [Assignment(v.here, u[0, 0, 1] * (mu[1, 0] + mu[0, -1] + mu[1, 1]))])
    module.add_halo()
    exchange = exchanges(module.kernels["mix"].typed(precision("f64")))[0]
    assert [(field.name, field.rank) for field in exchange.fields] == [("u", 3), ("mu", 2)]
    planes = [region for region in exchange.regions if region.field.rank == 2]
    found = sorted(cell for region in planes for cell in region.cells((3, 2, 4)))
    assert found == [
        (0, -1, 0),
        (1, -1, 0),
        (1, 2, 0),
        (2, -1, 0),
        (2, 2, 0),
        (3, 0, 0),
        (3, 1, 0),
        (3, 2, 0),
    ]
    pack_both(module, exchange, (3, 2, 4), target, "f64")


def test_narrower_messages_round() -> None:
    module, exchange = two_fields(message_precision="f32")
    kernel = module.kernels["halo_pack"].typed(precision("f64"))
    extent = (2, 2, 2)
    owners, _, length = tables(exchange, extent)
    arrays = {f.name: memory(f, extent, lambda i: 1 / 3 + i) for f in exchange.fields}
    buffer = Array([None] * length, 0, (length,), (1,))
    table = Array(owners, 0, (len(owners),), (1,))
    run(kernel, arrays | {"buffer": buffer, "boxes": table}, {"box_count": len(owners) // 9, "longest": 4})
    first = dict(zip(COLUMNS, owners, strict=False))
    cell = [first[f"{axis}_begin"] for axis in "xyz"]
    value = arrays["a"].values[number(arrays["a"], first["component"], cell)]
    assert buffer.values[0] != value
    assert buffer.values[0] == pytest.approx(value, rel=1e-7)
    assert "float* buffer" in "".join(build_texts(module))


def build_texts(module: Module, target: str = "cpu", end: str = "halo_pack.cpp") -> list[str]:
    from heddle.build import files

    return [text for name, text in files(module, [target]).items() if name.endswith(end)]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_threads_divide_out_no_coordinate_that_fields_lack(rank: int) -> None:
    """Compilers warn of a name that nothing reads."""
    u, after = fields(f"u, u_next: real[{rank}D]")
    module = Module("m", precisions=("f64",))
    rest = (0,) * (rank - 1)
    module.add("step", [Assignment(after.here, u[(1, *rest)] + u[(*rest, -1)])])
    module.add_halo()
    exchange = exchanges(module.kernels["step"].typed(precision("f64")))[0]
    pack_both(module, exchange, (3, 2, 2)[:rank], "cuda", "f64")
    for kernel in ("halo_pack", "halo_unpack"):
        (source,) = build_texts(module, "cuda", f"{kernel}.cuh")
        assert re.findall("const std::int64_t ([xyz]) =", source) == list("xyz"[:rank])


def test_text_names_what_crosses() -> None:
    (pull,) = streaming("pull", "D3Q19")
    lines = text(exchanges(pull)[0]).splitlines()
    assert lines[0] == "before pull: owners send to ghost cells; components that cross: 5 face, 1 edge"
    assert "  face (-1,  0,  0)" in lines
    assert "    f.ne     x in [-1, 0)  y in [0, n_y - 1)  z in [0, n_z)" in lines
    assert len(lines) == 1 + 6 * (1 + 5) + 12 * (1 + 1)
    assert text(exchanges(pull)[1]) == "after pull: nothing crosses"


def test_results_of_rows_do_not_cross() -> None:
    """Sums of rows stay where they are; what the rows read beyond the block crosses."""
    u = fields("u: real[3D]", ghost_layers=1)
    module = Module("m", precisions=("f64",))
    module.add("k", level_means.row_sums(level_means.rows("rows", 1), [u[1, 0, 0] * u[0, 0, -1]]))
    before, after = exchanges(module.typed("k", "f64"))
    crossing = {(region.field.name, region.anchor) for region in before.regions}
    assert crossing == {("u", (1, 0, 0)), ("u", (0, 0, -1))}
    assert not after.regions
