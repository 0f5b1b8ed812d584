# SPDX-License-Identifier: Apache-2.0
"""Whether two kernels do the same: a proof with its tier, or a counterexample.

Both kernels are read into terms (`reading`): every store becomes {array, index polynomial, loops, guard} ->
value, a function of the memory at entry. If rewriting that keeps the bits makes them equal, that is a
structural proof; if arithmetic over the reals does, an algebraic one (`reals`); else both are run. See
`verdict.Proof` for what each claims, and generator/decisions/0031-equivalence.md for why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heddle.equivalence.arithmetic import Bits
from heddle.equivalence.difference import Effects, difference, effects
from heddle.equivalence.lowering import lowered
from heddle.equivalence.running import measured
from heddle.equivalence.sampling import Sample, samples
from heddle.equivalence.terms import Terms
from heddle.equivalence.verdict import Counterexample, Proof
from heddle.ir import nodes as ir

__all__ = ["Counterexample", "Proof", "Sample", "equivalent"]

CLOSE = 16.0
"""Units in the last place of the largest value, up to which runs agree in the numeric tier."""


def equivalent(
    a: ir.Kernel,
    b: ir.Kernel,
    given: Mapping[ir.Expression, ir.Expression] | None = None,
    memory: Iterable[Sample] | None = None,
) -> Proof | Counterexample:
    """Prove that two kernels, at any level, do the same, or show where they do not.

    given: what is known of arguments, as expression -> value: `Load(u_stride, 1)` -> `n_x`; it becomes an
    assumption. memory: to run on, instead of random fields, where the arguments of the kernels have other
    names; every sample holds what both need. Raises KernelError for a kernel that cannot be read.
    """
    left, right = lowered(a), lowered(b)
    known = {f"{key} is {value}" for key, value in (given or {}).items()}
    terms = Terms()
    bits = Bits(terms, set(known))
    found = difference(effects(left, bits, given), effects(right, bits, given))
    if found is None:
        return Proof("structural", None, tuple(sorted(bits.assumptions)))
    return _run(left, right, found, memory)


def _run(
    left: ir.Kernel, right: ir.Kernel, found: Counterexample, memory: Iterable[Sample] | None
) -> Proof | Counterexample:
    """The last tier: evidence."""
    result = measured(left, right, samples(left, right) if memory is None else memory)
    if isinstance(result, Counterexample):
        return Counterexample(found.reason, found.where, result.inputs, result.values)
    if not result.runs:
        return Counterexample(f"{found.reason}; and no random memory suits the kernels", found.where)
    if result.relative <= CLOSE:
        return Proof(
            "numeric", result.ulp, (), f"{result.runs} runs; not proved: {found.reason} {found.where}"
        )
    assert result.worst is not None
    return Counterexample(found.reason, found.where, result.worst.inputs, result.worst.values)
