# SPDX-License-Identifier: Apache-2.0
"""Kernels of earlier levels are lowered for a target that checks nothing, so that one vocabulary is read."""

from __future__ import annotations

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.target import Target
from heddle.ir.verify import VerificationError, verify
from heddle.ir.visit import statements, walk
from heddle.passes.apply_schedule import apply_schedule
from heddle.passes.lower_accesses import lower_accesses
from heddle.passes.lower_reductions import lower_reductions
from heddle.passes.name_locals import name_locals
from heddle.schedule import Schedule

_ANY_ORDER = Target("any order", outer="omp", inner="simd")


def lowered(kernel: ir.Kernel) -> ir.Kernel:
    """The kernel in the lowered vocabulary; the cells of a kernel without loops run in any order."""
    model = (ir.Access, ir.Walled, ir.Gather, ir.Reduce, ir.Scan)
    if not any(isinstance(node, model) for node in walk(kernel.body)):
        return _verified(kernel)
    if not any(isinstance(statement, ir.Loop) for statement in statements(kernel.body)):
        kernel = apply_schedule(kernel, Schedule(), _ANY_ORDER)
    return _verified(name_locals(lower_accesses(lower_reductions(kernel), _ANY_ORDER)))


def _verified(kernel: ir.Kernel) -> ir.Kernel:
    try:
        return verify(kernel, "lowered")
    except VerificationError as error:
        raise KernelError(
            kernel.name, f"{error}.", "lower it with the pipeline, or mend what lifted it"
        ) from error
