# SPDX-License-Identifier: Apache-2.0
"""Several cells a CUDA thread: interleaved blocks give the numbers of each block alone; what is refused."""

from __future__ import annotations

import dataclasses
import random

import pytest
from heddle import Assignment, If, Interleaved, Reduce, Rows, Schedule, Sparse, block_coordinates, fields, lbm
from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.device_calls import is_call
from heddle.ir.interpret import Array, run
from heddle.ir.schedule import precision
from heddle.ir.text import lines
from heddle.ir.visit import walk
from heddle.module import Module
from models import model
from running import levels

LANES = 4
EXTENT = (5, 3, 2)
GHOSTED = tuple(n + 2 for n in EXTENT)


def interleaved(blocks: list[list[float]], components: int) -> Array:
    """Blocks whose elements lie between each other; a block alone is its own interleaving."""
    lanes = len(blocks)
    values = [value for cell in zip(*blocks, strict=True) for value in cell]
    sx, sy, sz = lanes, lanes * GHOSTED[0], lanes * GHOSTED[0] * GHOSTED[1]
    strides = (sx, sy, sz, sz * GHOSTED[2])
    return Array(values, sx + sy + sz, (*EXTENT, components), strides)


@pytest.mark.parametrize("pattern", [lbm.AA, lbm.EsoPull, lbm.Pull])
@pytest.mark.parametrize("chosen", ["f64", "f32", "f16"])
def test_vectors_give_what_each_block_gives(pattern: type[lbm.StreamingPattern], chosen: str) -> None:
    vectors_give_what_each_block_gives(pattern, chosen, 1)


@pytest.mark.parametrize("threads", [2, 4])
def test_so_do_parts_of_vectors(threads: int) -> None:
    vectors_give_what_each_block_gives(lbm.AA, "f64", threads)


def vectors_give_what_each_block_gives(
    pattern: type[lbm.StreamingPattern], chosen: str, threads: int
) -> None:
    lattice = lbm.Lattice("D3Q19")
    module = Module("module", precisions=(chosen,))
    module.add(
        "step",
        pattern(lattice)(lbm.BGK(lattice)),
        schedule=Schedule(gpu=Interleaved(LANES, threads_per_vector=threads)),
    )
    generator = random.Random(5)
    for entry in module.kernels.values():
        kernels = levels(entry, chosen, "cuda")
        typed, lowered = kernels[0][1], kernels[-1][1]
        count = GHOSTED[0] * GHOSTED[1] * GHOSTED[2] * 19
        blocks = [[generator.randrange(-64, 64) / 4096 for _ in range(count)] for _ in range(LANES)]
        names = [field.name for field in typed.fields]
        together = {name: interleaved(blocks, 19) for name in names}
        run(lowered, together, {"omega": 1.5})
        for lane, block in enumerate(blocks):
            alone = {name: interleaved([block], 19) for name in names}
            run(typed, alone, {"omega": 1.5})
            for name in names:
                assert together[name].values[lane::LANES] == alone[name].values
    assert sum(is_call(node, "load_vector") for node in walk(lowered.body)) == 19
    assert sum(is_call(node, "store_vector") for node in walk(lowered.body)) == 19


def test_processors_know_nothing_of_lanes() -> None:
    f, g = fields("f, g: real[3D]")
    entry = model([Assignment(g.here, f[1, 0, 0])], Schedule(cpu=Rows(), gpu=Interleaved(LANES)))
    plain = model([Assignment(g.here, f[1, 0, 0])], Schedule(cpu=Rows()))
    for target in ("cpu", "reference"):
        bodies = [list(lines(levels(each, "f64", target)[-1][1].body)) for each in (entry, plain)]
        assert bodies[0] == bodies[1]


def refused(statements: list[object], reason: str) -> None:
    entry = model(statements, Schedule(gpu=Interleaved(LANES)))  # type: ignore[arg-type]
    with pytest.raises(KernelError, match=reason):
        levels(entry, "f64", "cuda")


def test_what_differs_between_blocks_is_refused() -> None:
    f, g = fields("f, g: real[3D]")
    x, *_ = block_coordinates()
    refused([Assignment(g.here, f.here * x)], "uses 'x', which differs between the interleaved blocks")
    refused([If(f.here > 0, [Assignment(g.here, f.here)])], "branches, scans or reductions")
    refused([Assignment(g.here, f.here), Reduce("sum", "total", f.here)], "branches, scans or reductions")


def test_lists_and_odd_numbers_are_refused() -> None:
    lattice = lbm.Lattice("D3Q19")
    with pytest.raises(KernelError, match="lanes=3 is out of range"):
        Schedule(gpu=Interleaved(3))
    with pytest.raises(KernelError, match="which does not support Interleaved"):
        Module("module").add(
            "step",
            lbm.AA(lattice)(lbm.BGK(lattice)),
            space=Sparse("fluid"),
            schedule=Schedule(gpu=Interleaved(2)),
        )


def test_halves_hold_a_multiple_of_small_populations() -> None:
    """A population of 2^-20 keeps its bits: memory holds 2^15 times it; f64 and f32 hold it as it is."""
    lattice = lbm.Lattice("D2Q9")
    stream = lbm.AA(lattice)
    assert stream.source.half_scale == 2**15
    assert lbm.AA(lattice, zero_centred=False).source.half_scale == 1
    assert lbm.AA(lattice, half_scale=8).source.half_scale == 8
    with pytest.raises(KernelError, match="12 is not a power of two"):
        lbm.AA(lattice, half_scale=12)
    (f,) = (dataclasses.replace(stream.source, name="f"),)
    entry = model([Assignment(f[0, 0, 0], f[0, 0, 0] + f[0, 0, 1])])
    stored = Array([1.0, 3.0], 0, (1, 1, 9), (1, 1, 1))  # 2^-15 and 3 * 2^-15
    stored = dataclasses.replace(stored, values=[1.0, 3.0, *[0.0] * 7])
    run(entry.typed(precision("f16")), {"f": stored})
    assert stored.values[:2] == [4.0, 3.0]
    scaled = {
        chosen: any(
            isinstance(node, ir.Op) and node.name == "div" for node in walk(entry.typed(precision(chosen)))
        )
        for chosen in ("f64", "f32", "f16")
    }
    assert scaled == {"f64": False, "f32": False, "f16": True}


def test_bf16_is_refused_with_its_error() -> None:
    with pytest.raises(
        KernelError, match=r"bf16 is not supported: it keeps 8 significant bits .* 0\.4 to 1\.6 %"
    ):
        precision("bf16")
