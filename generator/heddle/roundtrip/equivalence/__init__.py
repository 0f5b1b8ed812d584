# SPDX-License-Identifier: Apache-2.0
"""Whether two lowered kernels do the same: a proof with its tier, or a counterexample.

Both kernels are read into terms (`reading`): every store becomes {array, index polynomial, loops, guard} ->
value, a function of the memory at entry. If rewriting that keeps the bits makes them equal, that is a
structural proof; if arithmetic over the reals does, an algebraic one (`reals`); else both are run. See
`verdict.Proof` for what each claims, and generator/docs/decisions/0031-equality-and-verified-text.md for why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from heddle.errors import KernelError
from heddle.ir import nodes as ir
from heddle.ir.loop_versions import without_versions
from heddle.ir.text import expression
from heddle.roundtrip.equivalence.addresses import with_chosen_elements
from heddle.roundtrip.equivalence.difference import difference, effects
from heddle.roundtrip.equivalence.differential_test import Measured, differential_test
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.identity import Identities
from heddle.roundtrip.equivalence.levels import without_levels
from heddle.roundtrip.equivalence.random_inputs import Sample, random_inputs
from heddle.roundtrip.equivalence.real_terms import RealTerms
from heddle.roundtrip.equivalence.reductions import ASSUME_EMPTY_GROUPS, contributions, fills_groups, reduces
from heddle.roundtrip.equivalence.row_assumptions import interleave_of, row_assumptions
from heddle.roundtrip.equivalence.terms import Terms
from heddle.roundtrip.equivalence.verdict import Counterexample, Proof

__all__ = ["Counterexample", "Proof", "Sample", "equivalent"]

CLOSE = 16.0
"""Units in the last place of the largest value, up to which runs agree in the numeric tier."""


def equivalent(
    a: ir.Kernel,
    b: ir.Kernel,
    given: Mapping[ir.Expression, ir.Expression] | None = None,
    memory: Iterable[Sample] | None = None,
) -> Proof | Counterexample:
    """Prove that two lowered kernels do the same, or show where they do not.

    given: the arguments of b in terms of those of a, where they differ: `Load(u_stride, 1)` -> `nx`, a
    pointer `u` -> `View(data, nx + 1, 1)`; each becomes an assumption. memory: to run on, instead of random
    fields, where the arguments have other names; a sample holds what both kernels need, and where b's
    pointers lead elsewhere its arrays share their values with those of a. Raises KernelError for a kernel
    that cannot be read.
    """
    left, right = (with_chosen_elements(without_versions(without_levels(kernel))) for kernel in (a, b))
    known = {f"{expression(key)} is {expression(value)}" for key, value in (given or {}).items()}
    rows = row_assumptions(left, right, known)
    lanes = interleave_of(left), interleave_of(right)
    blocks = max(lanes)
    filled = fills_groups(left) and fills_groups(right)
    if not filled and (reduces(left) or reduces(right)):
        known.add(ASSUME_EMPTY_GROUPS)
    bits = FloatTerms(Terms(), set(known))
    first, second = contributions(left, filled), contributions(right, filled)
    both = rows | dict(given or {})
    found = difference(effects(first, bits, rows, blocks), effects(second, bits, both, blocks))
    if found is None:
        return Proof("structural", None, tuple(sorted(bits.assumptions)))
    if blocks > 1:
        raise KernelError(
            a.name,
            f"the kernels run {lanes[0]} and {lanes[1]} interleaved blocks at a time and are not proved "
            f"equal ({found.where}: {found.reason}); the differential test does not support interleaved "
            "blocks.",
            "compare the models without interleave, or compare their results on your own data",
        )
    reals = RealTerms(Terms(), set(known))
    mine, other = effects(first, reals, rows, blocks), effects(second, reals, both, blocks)
    identities = Identities(reals)
    over_reals = difference(mine, other, identities.equal, reals.key)
    result = differential_test(left, right, random_inputs(left, right) if memory is None else memory)
    if over_reals is None:
        return _algebraic(result, tuple(sorted(reals.assumptions)), found)
    if identities.too_large:
        over_reals = replace(over_reals, reason=f"the expansion is too large to prove: {over_reals.reason}")
    if reduces(left) != reduces(right) and isinstance(result, Measured) and not result.runs:
        raise KernelError(
            a.name,
            "only one of the kernels reduces in the order of ir.reduction, so they can be neither proved "
            "equal nor tested.",
            "compare the results of both on your own data",
        )
    return _numeric(result, over_reals)


def _algebraic(
    result: Measured | Counterexample, assumptions: tuple[str, ...], found: Counterexample
) -> Proof | Counterexample:
    """Equal over the reals; a run can still show that one of the kernels has no meaning."""
    if isinstance(result, Counterexample):
        if not result.where:
            return result
        inputs = ", ".join(f"{name} = {value}" for name, value in result.inputs.items())
        return Proof("algebraic", math.inf, assumptions, f"{result.where} is {result.values} for {inputs}")
    where = f"; the bits may differ in: {found.where}: {found.reason}"
    seen = result.ulp if result.runs else None
    return Proof("algebraic", seen, assumptions, f"{result.runs} runs{where}")


def _numeric(result: Measured | Counterexample, found: Counterexample) -> Proof | Counterexample:
    """The last tier: evidence."""
    if isinstance(result, Counterexample):
        return Counterexample(found.reason, found.where, result.inputs, result.values)
    if not result.runs:
        return Counterexample(f"{found.reason}; no random input suits both kernels", found.where)
    if result.relative <= CLOSE:
        return Proof(
            "numeric", result.ulp, (), f"{result.runs} runs; not proved: {found.where}: {found.reason}"
        )
    assert result.worst is not None
    return Counterexample(found.reason, found.where, result.worst.inputs, result.worst.values)
