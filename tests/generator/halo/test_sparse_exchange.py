# SPDX-License-Identifier: Apache-2.0
"""What crosses between lists of cells, against what kernels are seen to touch when they run; packed, sent and
unpacked on every target."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from heddle import Assignment, Sparse, fields, lbm
from heddle.halo.sparse import ListExchange, list_exchanges, text, written_offsets
from heddle.ir import nodes as ir
from heddle.ir import space as ir_spaces
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.model.assignment import AssignmentCollection
from heddle.module import KernelModel, Module
from running import changed_pairs, levels
from test_dense_exchange import PATTERNS, Traced

Cell = tuple[int, ...]
Key = tuple[int, int, Cell]
"""Field, row of the table, cell of the domain that reaches an element through it."""
LATTICES = {2: "D2Q9", 3: "D3Q19"}


LISTABLE: dict[str, Callable[[lbm.Lattice], Any]] = {
    **PATTERNS,
    "twist_halfway": lambda lattice: lbm.EsoTwist(lattice, halfway_mask="walls"),
    "eso_pull_halfway": lambda lattice: lbm.EsoPull(lattice, halfway_mask="walls"),
}


def module_of(pattern: str, dimension: int) -> Module:
    d = lbm.Lattice(LATTICES[dimension])
    module = Module("m", precisions=("f64",))
    module.add("step", LISTABLE[pattern](d)(lbm.BGK(d)), space=Sparse("fluid"))
    module.add_halo()
    return module


def typed(module: Module) -> list[ir.Kernel]:
    models = [k for k in module.kernels.values() if isinstance(k, KernelModel)]
    return [model.typed(precision("f64")) for model in models]


class List:
    """The list of a block of a periodic domain: own cells in any order, then the ghost cells around them,
    then those held behind walls, and the table as heddle::IndexList has it."""

    def __init__(
        self,
        domain: Sequence[int],
        lower: Cell,
        upper: Cell,
        fluid: set[Cell],
        links: Sequence[ir_spaces.Link],
    ) -> None:
        self.domain, self.lower, self.upper = domain, lower, upper
        around = list(itertools.product(*(range(a - 1, b + 1) for a, b in zip(lower, upper, strict=True))))
        listed = [cell for cell in around if self.wrapped(cell) in fluid]
        inside = [cell for cell in listed if self.is_own(cell)]
        self.count = len(inside)
        self.cells = [*inside, *(cell for cell in listed if cell not in inside)]
        self.listed = set(listed)
        if links[0].stores_solid:
            self.cells += sorted(self.held(links, set(around)))
        self.slot_stride = len(self.cells) + 3
        number = {cell: n for n, cell in enumerate(self.cells)}
        self.table: list[list[int]] = []
        for link in links:
            row = []
            for n, cell in enumerate(self.cells):
                there = moved(cell, link.offset)
                slot, found = (link.slot, number[there]) if there in number else (link.wall_slot, n)
                row.append(found if link.stores_solid else slot * self.slot_stride + found)
            self.table.append(row)

    def held(self, links: Sequence[ir_spaces.Link], around: set[Cell]) -> set[Cell]:
        """Cells that are not listed, and that listed ones reach by rows one after the other."""
        reached = set(self.listed)
        in_turn = all(sum(map(abs, link.offset)) == 1 for link in links)
        for link in links:
            reached |= {moved(c, link.offset) for c in (reached if in_turn else self.listed)} & around
        return reached - self.listed

    def wrapped(self, cell: Cell) -> Cell:
        return tuple(c % n for c, n in zip(cell, self.domain, strict=True))

    def is_own(self, cell: Cell) -> bool:
        return all(a <= c < b for c, a, b in zip(cell, self.lower, self.upper, strict=True))

    def is_copy(self, element: int) -> bool:
        """Of what another block owns."""
        n = element % self.slot_stride
        return n < len(self.cells) and not self.is_own(self.cells[n])

    def place(self, element: int) -> tuple[Cell, int]:
        """The cell of the domain and the slot of an element."""
        return self.wrapped(self.cells[element % self.slot_stride]), element // self.slot_stride

    def reached(self, exchange: ListExchange, own: bool) -> dict[Key, int]:
        """Elements that own cells reach in ghost cells, or ghost cells in own ones."""
        which = range(self.count) if own else range(self.count, len(self.listed))
        found = {}
        for number, link in enumerate(exchange.links):
            for n in which:
                element = n
                for row in link.path:
                    element = self.table[row][element]
                if link.slot is not None:
                    element += link.slot * self.slot_stride
                if self.is_copy(element) != own:
                    continue
                if link.other and moved(self.cells[n], link.other) not in self.listed:
                    continue
                key = exchange.fields.index(link.field), number, self.wrapped(self.cells[n])
                assert key not in found
                found[key] = element
        return found

    def memory(self, components: int, first: int) -> Array:
        values = Traced([0.001 * ((first + 7 * i) % 31) for i in range(self.slot_stride * components)])
        return Array(values, 0, (len(self.cells), components), (1, self.slot_stride))

    def masks(self, lattice: lbm.Lattice) -> Array:
        """Bit q of each own cell: population q comes in from a wall."""
        values = [
            sum(
                1 << q
                for q, c in enumerate(lattice.velocities)
                if moved(cell, [-d for d in c]) not in self.listed
            )
            for cell in self.cells[: self.count]
        ]
        return Array(Traced(values), 0, (self.count,), (1,))

    def neighbour(self) -> Array:
        entries = [entry for row in self.table for entry in row]
        return Array(entries, 0, (len(self.cells), len(self.table)), (1, len(self.cells)))


def moved(cell: Cell, by: Sequence[int]) -> Cell:
    return tuple(c + d for c, d in zip(cell, by, strict=True))


def blocks(seed: int, links: Sequence[ir_spaces.Link], dimension: int) -> list[List]:
    """A random porous box, cut into two or three blocks along each axis."""
    generator = random.Random(seed)
    domain = [generator.randrange(4, 7) for _ in range(dimension)]
    fluid = {cell for cell in itertools.product(*map(range, domain)) if generator.random() < 0.6}
    cuts = []
    for n in domain:
        inner = sorted(generator.sample(range(2, n - 1), generator.choice((0, 1)))) or [n // 2]
        cuts.append(list(itertools.pairwise([0, *inner, n])))
    result = []
    for corner in itertools.product(*cuts):
        lower, upper = tuple(a for a, _ in corner), tuple(b for _, b in corner)
        block = List(domain, lower, upper, fluid, links)
        if block.count:
            result.append(block)
    return result


Touched = list[dict[str, Counter[tuple[str, int]]]]
"""Of each block what it has read and written: elements of fields, how often."""


def touched(kernel: ir.Kernel, everywhere: Sequence[List], lattice: lbm.Lattice) -> Touched:
    """What is seen when a kernel runs over every block."""
    result = []
    for block in everywhere:
        arrays = {
            field.name: block.memory(field.components, 1) if field.components else block.masks(lattice)
            for field in kernel.fields
        }
        scalars = {symbol.name: 1.5 for symbol in kernel.parameters} | {"first": 0, "last": block.count}
        run(kernel, arrays | {"neighbour": block.neighbour()}, scalars)
        result.append(
            {
                what: Counter(
                    (name, element) for name in arrays for element in getattr(arrays[name].values, what)
                )
                for what in ("read", "written")
            }
        )
    return result


@pytest.mark.parametrize("dimension", LATTICES)
@pytest.mark.parametrize("pattern", LISTABLE)
def test_exactly_what_is_touched_crosses_once(pattern: str, dimension: int) -> None:
    """Before a step every ghost value that own cells read arrives once, after it every one that they wrote
    leaves once; nothing else crosses, and the owner finds the same elements in its own table. Where lists
    hold cells behind walls, what no other block touches in any step is not needed."""
    kernels = typed(module_of(pattern, dimension))
    space = kernels[0].space
    assert isinstance(space, ir_spaces.Sparse)
    everywhere = blocks(dimension, space.links, dimension)
    seen = [touched(kernel, everywhere, lbm.Lattice(LATTICES[dimension])) for kernel in kernels]
    places = [
        {
            (name, *block.place(element))
            for steps in seen
            for name, element in (*steps[b]["read"], *steps[b]["written"])
            if name != "walls"
        }
        for b, block in enumerate(everywhere)
    ]
    kept = 0
    for kernel, steps in zip(kernels, seen, strict=True):
        before, after = list_exchanges(kernel, ends=written_offsets(kernels))
        for b, block in enumerate(everywhere):
            for exchange, what in ((before, "read"), (after, "written")):
                needed_here: Counter[tuple[str, int]] = Counter()
                for (name, element), times in steps[b][what].items():
                    if name == "walls" or not block.is_copy(element):
                        continue
                    place = (name, *block.place(element))
                    if space.links[0].stores_solid and not any(
                        place in places[o] for o in range(len(places)) if o != b
                    ):
                        kept += 1
                        continue
                    needed_here[name, element] = times
                found_here = Counter(
                    (exchange.fields[field].name, element)
                    for (field, _, _), element in block.reached(exchange, own=True).items()
                )
                assert found_here == needed_here
                assert set(found_here.values()) <= {1}
        for exchange in (before, after):
            needed: dict[Key, Any] = {}
            owned: dict[Key, Any] = {}
            for block in everywhere:
                for found, own in ((needed, True), (owned, False)):
                    for key, element in block.reached(exchange, own).items():
                        assert key not in found
                        found[key] = block.place(element)
            assert needed == owned
            assert bool(needed) == bool(exchange.links)
    assert bool(kept) == space.links[0].stores_solid


def test_exchanges_of_each_phase() -> None:
    """AA exchanges around its odd step only; pull before each step, push after it what it writes; the
    esoteric ones around both steps."""

    def rows(pattern: str) -> list[list[int]]:
        kernels = typed(module_of(pattern, 3))
        return [[len(e.links) for e in list_exchanges(k, ends=written_offsets(kernels))] for k in kernels]

    assert rows("pull") == [[18, 0]]
    assert rows("push") == [[0, 18]]
    assert rows("aa") == [[0, 0], [18, 18]]
    # 12 of the 18 shifts of EsoTwist lead away from the cell, and one of each pair of EsoPull
    assert rows("twist") == rows("twist_halfway") == [[12, 12], [12, 12]]
    assert rows("eso_pull") == rows("eso_pull_halfway") == [[9, 9], [9, 9]]
    (push,) = typed(module_of("push", 3))
    assert [field.name for field in list_exchanges(push)[1].fields] == ["f_next"]


def buffer_of(senders: Sequence[tuple[int, int]], gap: int) -> tuple[list[int], list[int]]:
    """Numbers of elements and of their fields, with entries of no field in front."""
    return [0] * gap + [element for _, element in senders], [255] * gap + [field for field, _ in senders]


def exchanged(module: Module, exchange: ListExchange, lists: Sequence[List], target: str) -> None:
    """Pack and unpack in the interpreter at every level: between any two blocks, what senders hold arrives,
    each value once, and nothing else changes."""
    packs, unpacks = (levels(module.kernels[f"halo_{w}"], "f64", target) for w in ("pack", "unpack"))  # type: ignore[arg-type]
    sizes = [field.components for field in exchange.fields]
    names = [field.name for field in exchange.fields]
    for (level, pack), (_, unpack) in changed_pairs(packs, unpacks):
        memories = [
            {name: lists[b].memory(size, 1 + 1000 * b) for name, size in zip(names, sizes, strict=True)}
            for b in range(len(lists))
        ]
        before = [{name: list(array.values) for name, array in memory.items()} for memory in memories]
        expected: list[dict[tuple[str, int], float]] = [{} for _ in lists]
        ours, theirs = (False, True) if exchange.direction == "before" else (True, False)
        for a, b in itertools.permutations(range(len(lists)), 2):
            out = lists[a].reached(exchange, ours)
            into = lists[b].reached(exchange, theirs)
            keys = sorted(set(out) & set(into))
            if not keys:
                continue
            arrived: Sequence[Any] = [None] * (len(keys) + 3)
            buffer = Array(Traced(arrived), 0, (len(keys) + 3,), (1,))
            for kernel, block, found in ((pack, a, out), (unpack, b, into)):
                numbers, which = buffer_of([(key[0], found[key]) for key in keys], gap=3)
                flat = {
                    name: Array(array.values, 0, (len(array.values),), (1, len(array.values)))
                    for name, array in memories[block].items()
                }
                lines = {"which": which, "cells": numbers}
                tables = {name: Array(values, 0, (len(values),), (1,)) for name, values in lines.items()}
                run(kernel, flat | tables | {"buffer": buffer}, {"cell_count": len(numbers)})
            assert buffer.values.written == dict.fromkeys(range(3, len(keys) + 3), 1), level  # type: ignore[attr-defined]
            for key in keys:
                element = names[key[0]], into[key]
                assert element not in expected[b]
                expected[b][element] = before[a][names[key[0]]][out[key]]
        assert any(expected)
        for b, memory in enumerate(memories):
            for name, array in memory.items():
                arrivals = {e: value for (n, e), value in expected[b].items() if n == name}
                assert array.values.written == dict.fromkeys(arrivals, 1), level  # type: ignore[attr-defined]
                wanted = [arrivals.get(e, value) for e, value in enumerate(before[b][name])]
                assert list(array.values) == wanted, level


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu", "cuda"])
@pytest.mark.parametrize("pattern", LISTABLE)
def test_packed_values_arrive(pattern: str, target: str) -> None:
    module = module_of(pattern, 2)
    kernels = typed(module)
    for kernel in kernels:
        assert isinstance(kernel.space, ir_spaces.Sparse)
        for exchange in list_exchanges(kernel, ends=written_offsets(kernels)):
            if exchange.links:
                exchanged(module, exchange, blocks(7, kernel.space.links, 2), target)


def two_fields() -> lbm.StreamingKernels:
    """Reads two fields over the links of D2Q9 and writes a third."""
    a, b, c = fields("a: real(9)[2D]; b: real(9)[2D]; c: real[2D]")
    total = Assignment(c[0, 0], a[-1, 0, 1] + b[-1, 0, 1] + b[0, 1, 4])
    return lbm.StreamingKernels({"": AssignmentCollection([total])}, lbm.Pull(lbm.Lattice("D2Q9")).links)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_several_fields_share_a_call(target: str) -> None:
    module = Module("m", precisions=("f64",))
    module.add("mix", two_fields(), space=Sparse("fluid"))
    module.add_halo()
    (kernel,) = typed(module)
    exchange = list_exchanges(kernel)[0]
    assert [field.name for field in exchange.fields] == ["a", "b"]
    assert isinstance(kernel.space, ir_spaces.Sparse)
    exchanged(module, exchange, blocks(3, kernel.space.links, 2), target)


def test_narrower_messages_round() -> None:
    d = lbm.Lattice("D2Q9")
    module = Module("m", precisions=("f64",))
    module.add("step", lbm.Pull(d)(lbm.BGK(d)), space=Sparse("fluid"))
    module.add_halo(message_precision="f16")
    kernel = module.kernels["halo_pack"].typed(precision("f64"))
    third = [1 / 3]
    arrays = {"f": Array(third, 0, (1,), (1, 1)), "buffer": Array([None], 0, (1,), (1,))}
    tables = {"which": Array([0], 0, (1,), (1,)), "cells": Array([0], 0, (1,), (1,))}
    run(kernel, arrays | tables, {"cell_count": 1})
    sent = arrays["buffer"].values[0]
    assert sent != third[0]
    assert sent == pytest.approx(third[0], rel=2**-11)


def test_text_names_what_crosses() -> None:
    even, odd = typed(module_of("aa", 3))
    assert isinstance(odd.space, ir_spaces.Sparse)
    assert text(list_exchanges(even)[0], odd.space.links) == "before step_even: nothing crosses"
    lines = text(list_exchanges(odd)[1], odd.space.links).splitlines()
    assert lines[0] == "after step_odd: ghost cells are sent to owners what 18 rows lead to"
    assert lines[1] == "  row  0: f.w at (-1,  0,  0)"
    assert len(lines) == 19
    kernels = typed(module_of("twist", 3))
    assert isinstance(kernels[1].space, ir_spaces.Sparse)
    lines = text(
        list_exchanges(kernels[1], ends=written_offsets(kernels))[0], kernels[1].space.links
    ).splitlines()
    assert lines[0] == "before step_odd: owners send to ghost cells what 12 ways lead to"
    assert "  row  0  1: f.ne at ( 1,  1,  0), shared with the cell at ( 1,  1,  0)" in lines
