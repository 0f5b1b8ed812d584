# SPDX-License-Identifier: Apache-2.0
"""Blocks beside a list as variants of a search: the bits of one list, whichever blocks are dense, and what
crosses is all needed for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError, Module, Reduce, Schedule, Sparse, lbm
from heddle.explorer import built, measure
from heddle.explorer.exploration import Exploration
from heddle.explorer.hybrid import Hybrid, HybridRun, Parts, checked, parts
from heddle.explorer.space import Candidate, space
from heddle.explorer.variants import lattice_boltzmann

SIZE = (34, 21)
"""Cells along x, y: blocks of 17 x 10, and of what is left."""
PATTERNS = ("pull", "push", "AA")


def hybrid(pattern: str) -> Hybrid:
    (found,) = lattice_boltzmann("D2Q9", ("BGK",), (pattern,), ("f64",), spaces=("hybrid",)).values()
    assert isinstance(found, Hybrid)
    return found


class Compiled:
    """A candidate of one pattern, and the kernel over a list that it is compared with."""

    def __init__(self, pattern: str) -> None:
        wanted = [Schedule(fma=True)]
        (self.candidate,) = space({"": hybrid(pattern)}, "cpu", SIZE[0], schedules=wanted).candidates
        self.own = built.build(self.candidate.module, "cpu").functions()
        self.plain = built.build(built.reference(self.candidate), "reference").functions()

    def divided(self, values: Mapping[str, Any], alternate: bool = True) -> Parts:
        kernels = built.typed(self.candidate.module)
        return parts(self.hybrid, kernels, SIZE, values, gpu=False, alternate=alternate)

    @property
    def hybrid(self) -> Hybrid:
        assert self.candidate.hybrid is not None
        return self.candidate.hybrid

    def difference(self, divided: Parts, values: Mapping[str, Any], steps: int = 3) -> str:
        """After some updates: how the hybrid differs from one list."""
        kernels = built.typed(built.reference(self.candidate))
        expected = measure.runnable(self.plain, kernels, SIZE, values, gpu=False)
        found = HybridRun(self.hybrid, self.own, built.typed(self.candidate.module), divided, values, np)
        for _ in range(steps - 1):
            found.once()
            expected.once()
        return measure.difference(found, expected, tolerance=False)


@pytest.fixture(scope="module")
def compiled(own_cache: Path) -> dict[str, Compiled]:
    assert own_cache.is_dir()
    return {pattern: Compiled(pattern) for pattern in PATTERNS}


def porous(shape: tuple[int, ...]) -> Any:
    """Half of the cells are solid, at random places, in three quarters of the box."""
    fluid = np.random.default_rng(3).random(shape) < 0.5
    fluid[: shape[0] // 4] = True
    return fluid


def mostly_free(shape: tuple[int, ...]) -> Any:
    """The same in an eighth of the box."""
    fluid = porous(shape)
    fluid[: 7 * shape[0] // 8] = True
    return fluid


MASKS = {
    "balls": {},
    "porous": {"fluid": porous},
    "all fluid": {"fluid": lambda shape: np.ones(shape, bool)},
    "one cell": {"fluid": lambda shape: np.arange(np.prod(shape)).reshape(shape) == 40},
}


@pytest.mark.compiles
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("mask", MASKS)
def test_the_bits_of_one_list(pattern: str, mask: str, compiled: Mapping[str, Compiled]) -> None:
    """With blocks in turns, with those that move fewer bytes dense, and with all of one kind."""
    case, values = compiled[pattern], MASKS[mask] | {"omega": 1.6}
    for alternate in (True, False):
        assert case.difference(case.divided(values, alternate), values) == ""
    divided = case.divided(values)
    every, none = np.ones_like(divided.mask), np.zeros_like(divided.mask)
    whole = (tuple(slice(0, n) for n in divided.mask.shape),)
    assert case.difference(replace(divided, dense=every, boxes=whole), values) == ""
    assert case.difference(replace(divided, dense=none, boxes=()), values) == ""


@pytest.mark.compiles
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("left_out", ["wall", "list", "box", "own"])
def test_all_that_crosses_is_needed(
    pattern: str, left_out: str, compiled: Mapping[str, Compiled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search would refuse a hybrid that forgets some of it."""

    def fewer(divided: Parts) -> Iterator[tuple[Any, ...]]:
        return (one for one in crossings(divided) if one[1] != left_out)

    crossings = Parts.crossings
    monkeypatch.setattr(Parts, "crossings", fewer)
    case, values = compiled[pattern], MASKS["porous"] | {"omega": 1.6}
    assert "the reference" in case.difference(case.divided(values), values)


@pytest.mark.compiles
def test_a_search(own_cache: Path) -> None:
    """Beside the list and the box; per fluid cell it moves less than a list, and more than a box without
    solid cells. Counters count no hybrid."""
    assert own_cache.is_dir()
    variants = lattice_boltzmann("D2Q9", ("BGK",), ("AA",), ("f64",), spaces=("list", "hybrid"), block=8)
    values = {"omega": 1.6, "fluid": mostly_free}
    chosen: dict[str, Any] = {"sizes": ["64x64"], "samples": 2, "quiet": True, "values": values}
    found: Exploration = heddle.explore(variants=variants, schedules=[Schedule(fma=True)], **chosen)
    assert [(r.state, r.why) for r in found.results] == [("correct", "")] * 2
    listed, both = sorted(found.results, key=lambda result: result.variant, reverse=True)
    assert (listed.variant, both.variant) == ("BGK, AA, list", "BGK, AA, hybrid")
    assert listed.listed == both.listed == int(mostly_free((64, 64)).sum())
    assert listed.place == both.place
    assert 144 < both.bytes < listed.bytes == 160  # 18 f64; and 8 links of 4 bytes in each second step
    assert both.error == listed.error
    assert both.schedule.fma


def test_blocks_are_dense_where_that_moves_less() -> None:
    """From 72 of 80 bytes on: a list reads 8 links of 4 bytes in each second step."""
    mask = np.ones((32, 128), bool)
    mask[0, :25] = False  # 231 of 256: 0.902
    mask[8, :26] = False  # 230 of 256: 0.898
    mask[16:, 32:] = False
    case: Sequence[Candidate] = space({"": hybrid("AA")}, "cpu", 128, schedules=[Schedule()]).candidates
    kernels, of_8 = built.typed(case[0].module), replace(hybrid("AA"), block=8)
    found = parts(of_8, kernels, (128, 32), {"fluid": lambda shape: mask}, gpu=False)
    dense = [[1, 1, 1, 1], [0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert (found.dense == np.kron(dense, np.ones((8, 32)))).all()
    assert found.boxes == (
        (slice(0, 8), slice(0, 128)),
        (slice(8, 16), slice(32, 128)),
        (slice(16, 32), slice(0, 32)),
    )
    assert len(found.own) == 230
    assert found.list is not None
    assert len(found.list) == 230
    assert set(found.list.places[230:]) <= set(np.flatnonzero(mask & found.dense))


def test_what_is_no_hybrid() -> None:
    d2q9 = lbm.Lattice("D2Q9")
    twice = Module("twice", precisions=("f64",))
    twice.add("step", lbm.Pull(d2q9)(lbm.BGK(d2q9, omega="omega")))
    twice.add("listed", lbm.Pull(d2q9)(lbm.BGK(d2q9, omega="omega")), space=Sparse("fluid"))
    assert checked("right", Hybrid(twice, {"step": "listed"})).block == 16
    for listed, what in (
        ({"step": "missing"}, "the hybrid 'wrong' has no kernel 'missing'."),
        ({"listed": "step"}, "the hybrid 'wrong' pairs 'listed' with 'step'."),
    ):
        with pytest.raises(KernelError) as caught:
            heddle.explore(variants={"wrong": Hybrid(twice, listed)}, sizes=["8x8"], quiet=True)
        assert what in str(caught.value)
    eso = lattice_boltzmann("D2Q9", ("BGK",), ("eso-pull",), ("f64",), spaces=("hybrid",))
    with pytest.raises(KernelError, match="has links to stored cells behind walls"):
        heddle.explore(variants=eso, sizes=["8x8"], quiet=True)
    u = heddle.fields("u: real[2D]", ghost_layers=0)
    sums = Module("sums", precisions=("f64",))
    sums.add("total", [Reduce("sum", "all", u.here)])
    sums.add("listed", [Reduce("sum", "all", u.here)], space=Sparse("fluid"))
    with pytest.raises(KernelError, match="the hybrid 'sums' has 'total', which reduces values"):
        heddle.explore(variants={"sums": Hybrid(sums, {"total": "listed"})}, sizes=["8x8"], quiet=True)
