# SPDX-License-Identifier: Apache-2.0
"""Every kernel model in the tree: all targets and schedules are proved equal, and in which tier."""

from __future__ import annotations

from pathlib import Path

import pytest
from heddle import KernelError, Reduce
from heddle.build import load
from heddle.emit.targets import TARGETS
from heddle.ir import nodes as ir
from heddle.ir.schedule import CacheLines, Rows, Schedule, Strips, Threads, precision
from heddle.module import KernelModel, Module
from heddle.pipeline import Request, lower
from heddle.roundtrip.compare import Counterexample, Proof, equivalent
from models import FULL, column, in_rows, lattice_boltzmann, model, random_model, reduction, sample

ROOT = Path(__file__).resolve().parents[4]
MODELS = {path.parent.name: path for path in sorted((ROOT / "tests" / "kernels").glob("*/model.py"))}
MODELS |= {path.parent.name: path for path in sorted((ROOT / "examples").glob("*/model.py"))}


def lowered(
    entry: KernelModel, target: str, schedule: Schedule | None = None, chosen: str = "f64"
) -> ir.Kernel:
    known = precision(chosen)
    return lower(entry.typed(known), Request(known, schedule or entry.schedule, TARGETS[target])).lowered


def structural(result: Proof | Counterexample) -> None:
    assert isinstance(result, Proof), result
    assert result.tier == "structural", result
    assert result.rounding is None


if not FULL:
    del MODELS["lbm_lanes"]
"""Four blocks at a time: their proofs take as long as those of all other models. test_addresses proves a
smaller lattice with two; `./test.sh --full` proves them with four."""
BY_RUNS = {
    "advection": [
        f"{kernel}_halo_unpack" for kernel in ("scale", "limited", "excess", "scale_stored", "limited_stored")
    ]
}
"""Rows and threads are equal in runs, not by structure. An exchange stores a plane in a loop over the levels
of a box, so that each level stores to the same element. Rows leave the value of the last level there, threads
that of any. The two agree because each box of a plane has one level: `heddle.halo.dense` derives its
regions so. The kernel that the proof reads does not say that, and a proof must not assume what only its
caller keeps."""

ROW_SUMS = {"column_physics": ["fluxes"]}
"""Threads combine the values of a row, which the proof refuses to read; test_longwave compares the bits."""


MANY = 6


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_targets_of_every_model(name: str) -> None:
    """Rows, threads and the checked reference are the same bits; so are runs of lists and strips, colours,
    reductions, and boxes of an exchange. Of models with more than MANY kernels, one of three is proved."""
    module: Module = load(MODELS[name])
    for kernel in sample(module.kernels, 3 if len(module.kernels) > MANY else 1):
        chosen = module.precisions[0]
        reference, cpu, cuda = (
            module.stages(kernel, chosen, t).lowered for t in ("reference", "cpu", "cuda")
        )
        entry = module.kernels[kernel]
        if isinstance(entry, KernelModel) and in_rows(entry) != entry.schedule:
            cpu = lowered(entry, "cpu", in_rows(entry), chosen)
        structural(equivalent(reference, cpu))
        if kernel in ROW_SUMS.get(name, []):
            with pytest.raises(KernelError, match="the proof does not read combine_row_sum"):
                equivalent(cpu, cuda)
            continue
        result = equivalent(cpu, cuda)
        if kernel in BY_RUNS.get(name, []):
            assert isinstance(result, Proof), result
            assert (result.tier, result.rounding) == ("numeric", 0.0)
        else:
            structural(result)


SCHEDULES = {
    "serial": Schedule(cpu=Rows(simd=False, parallel=False)),
    "strip": Schedule(cpu=Strips(16)),
    "one thread, strip": Schedule(cpu=Strips(16, parallel=False)),
    "prefetch": Schedule(cpu=Strips(8, prefetch=16)),
    "lines": Schedule(cpu=CacheLines(4)),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("pattern", "step"), [("Pull", ""), ("AA", "even"), ("AA", "odd"), ("EsoTwist", "odd")]
)
def test_schedules_keep_the_bits(pattern: str, step: str, schedule: str) -> None:
    entry = lattice_boltzmann(pattern, step)
    structural(equivalent(lowered(entry, "cpu"), lowered(entry, "cpu", SCHEDULES[schedule])))


def test_nontemporal_and_rematerialised() -> None:
    entry = lattice_boltzmann("Pull", "")
    structural(
        equivalent(lowered(entry, "cpu"), lowered(entry, "cpu", Schedule(cpu=Strips(16, nontemporal=True))))
    )
    entry = lattice_boltzmann("AA", "odd")
    structural(
        equivalent(lowered(entry, "cuda"), lowered(entry, "cuda", Schedule(gpu=Threads(rematerialise=True))))
    )


@pytest.mark.parametrize(("rank", "axis"), [(1, 0), (2, 0), (2, 1), (3, 2)])
def test_columns(rank: int, axis: int) -> None:
    """Two recurrences, one of which reads what the other one left."""
    entry = model(column(rank, axis))
    cpu = lowered(entry, "cpu", in_rows(entry))
    structural(equivalent(lowered(entry, "reference"), cpu))
    if rank > 1:
        structural(equivalent(cpu, lowered(entry, "cuda")))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_reductions(rank: int) -> None:
    """In one fixed order, so with the same bits on all targets."""
    entry = model(reduction(rank))
    structural(equivalent(lowered(entry, "reference"), lowered(entry, "cpu")))
    structural(equivalent(lowered(entry, "cpu"), lowered(entry, "cuda")))
    other = model([*reduction(rank)[:2], Reduce("max", "smallest", reduction(rank)[2].value)])
    found = equivalent(lowered(model(reduction(rank)[:3]), "cpu"), lowered(other, "cpu"))
    assert isinstance(found, Counterexample)


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed: int) -> None:
    entry = model(random_model(seed))
    structural(equivalent(lowered(entry, "reference"), lowered(entry, "cpu")))
    structural(equivalent(lowered(entry, "cpu"), lowered(entry, "cuda")))


def test_every_level() -> None:
    """A kernel before it is scheduled, before it is lowered, and after."""
    for entry in (lattice_boltzmann("AA", "odd"), model(column(2, 1)), model(reduction(2))):
        known = precision("f64")
        stages = lower(entry.typed(known), Request(known, in_rows(entry), TARGETS["cpu"]))
        structural(equivalent(stages.kernel, stages.lowered))
        structural(equivalent(stages.scheduled, stages.lowered))
