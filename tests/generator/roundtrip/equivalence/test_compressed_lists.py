# SPDX-License-Identifier: Apache-2.0
"""Compressed neighbour tables: proved equal to the plain one, and a wrong row or a wrong wall is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from heddle import CompressedList, Schedule, Sparse
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.build import integer
from heddle.ir.compressed_neighbours import CELLS, chunk_entry, compressed, row_words
from heddle.ir.functions import AT_WALL
from heddle.ir.hash_consing import Node
from heddle.ir.schedule import precision
from heddle.ir.visit import transform
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from models import lattice_boltzmann

CASES = [("Pull", ""), ("Push", ""), ("AA", "odd")]


def lowered(case: tuple[str, str], target: str) -> ir.Kernel:
    known, schedule = precision("f64"), Schedule(gpu=CompressedList())
    entry = lattice_boltzmann(*case, Sparse("fluid"), schedule)
    return lower(entry.typed(known), Request(known, schedule, TARGETS[target])).lowered


def changed(kernel: ir.Kernel, change: Callable[[Node], Node]) -> ir.Kernel:
    body = tuple(transform(statement, change) for statement in kernel.body)
    assert body != kernel.body
    return dataclasses.replace(kernel, body=body)


@pytest.mark.parametrize("case", CASES)
def test_is_the_plain_table(case: tuple[str, str]) -> None:
    found = equivalent(lowered(case, "cpu"), lowered(case, "cuda"))
    assert isinstance(found, Proof), found
    assert found.tier == "structural"


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_row_is_found(case: tuple[str, str]) -> None:
    def other_row(node: Node) -> Node:
        if isinstance(node, ir.Load) and node.pointer.name == "link" and node.index == integer(3):
            return ir.Load(node.pointer, integer(4))
        return node

    wrong = changed(lowered(case, "cuda"), other_row)
    assert isinstance(equivalent(lowered(case, "cpu"), wrong), Counterexample)


def test_a_wrong_wall_is_found() -> None:
    def next_cell(node: Node) -> Node:
        if (
            isinstance(node, ir.Call)
            and node.name == "neighbour_or_wall"
            and node.args[0].index == integer(2)
        ):  # type: ignore[attr-defined]
            entry, own = node.args
            assert isinstance(own, ir.Cast)
            moved = ir.Op("add", (own.value, integer(1)), ir.I64)
            return ir.Call("neighbour_or_wall", (entry, ir.Cast(moved, ir.U32)), ir.U32)
        return node

    wrong = changed(lowered(("Pull", ""), "cuda"), next_cell)
    assert isinstance(equivalent(lowered(("Pull", ""), "cpu"), wrong), Counterexample)


def test_the_format_keeps_every_entry() -> None:
    """Differences of one byte, of two, and of more, in strips with and without walls; the last one short."""
    cells, links, stride = 5 * CELLS - 9, 3, 200_000
    steps = [0, 3, 254, 255, 60_000, 70_000]

    def own(link: int, n: int) -> int:
        return (links + link) * stride + n

    def entry(link: int, n: int) -> int:
        if link == 0 or (n + link) % 7 == 0:
            return own(link, n)
        return link * stride + n + (steps[n // CELLS] if n % 5 else 0)

    words = compressed(entry, own, links, cells)
    widths = [words[strip * row_words(links) + links] >> 30 for strip in range(5)]
    assert widths == [0, 0, 0, 1, 1]
    for link in range(links):
        for n in range(cells):
            found = chunk_entry(words, links, link, n)
            assert (own(link, n) if found == AT_WALL else found) == entry(link, n)
    far = compressed(lambda link, n: entry(link, n) + (70_000 if n % 5 else 0), own, links, CELLS)
    assert far[links] >> 30 == 2
    assert chunk_entry(far, links, 1, 3) is None
