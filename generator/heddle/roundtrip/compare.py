# SPDX-License-Identifier: Apache-2.0
"""Compare kernels of any level: those of earlier levels are lowered first, for a target that checks nothing.

This file alone of the proof runs passes: they are trusted here to lower a kernel that no schedule has
changed. What has been scheduled and lowered for a target is compared as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.stages import Request
from heddle.ir.target import Target
from heddle.ir.verify import VerificationError, verify
from heddle.ir.visit import statements, walk
from heddle.passes.apply_schedule import apply_schedule
from heddle.passes.lower_accesses import lower_accesses
from heddle.passes.lower_reductions import lower_reductions
from heddle.passes.lower_row_reductions import lower_row_reductions
from heddle.passes.name_locals import name_locals
from heddle.passes.vectorise.scan import vectorise_scans
from heddle.roundtrip import equivalence
from heddle.roundtrip.equivalence import Counterexample, Proof, Sample

__all__ = ["Counterexample", "Proof", "Sample", "equivalent"]

_ANY_ORDER = Request(target=Target("any order", outer="omp", inner="simd"))


def equivalent(
    a: ir.Kernel,
    b: ir.Kernel,
    given: Mapping[ir.Expression, ir.Expression] | None = None,
    memory: Iterable[Sample] | None = None,
) -> Proof | Counterexample:
    """Prove that two kernels do the same, or show where they do not: see `heddle.roundtrip.equivalence`."""
    return equivalence.equivalent(lowered(a), lowered(b), given, memory)


def lowered(kernel: ir.Kernel) -> ir.Kernel:
    """The kernel in the lowered vocabulary; the cells of a kernel without loops run in any order."""
    model = (ir.Access, ir.IsWallLink, ir.Gather, ir.Reduce, ir.Scan)
    if not any(isinstance(node, model) for node in walk(kernel.body)):
        return _verified(kernel)
    if not any(isinstance(statement, ir.Loop) for statement in statements(kernel.body)):
        kernel = apply_schedule(kernel, _ANY_ORDER)
    for step in (vectorise_scans, lower_row_reductions, lower_reductions, lower_accesses, name_locals):
        kernel = step(kernel, _ANY_ORDER)
    return _verified(kernel)


def _verified(kernel: ir.Kernel) -> ir.Kernel:
    try:
        return verify(kernel, "lowered")
    except VerificationError as error:
        raise KernelError(
            kernel.name, f"{error}.", "lower it with the pipeline, or correct the lifter"
        ) from error
