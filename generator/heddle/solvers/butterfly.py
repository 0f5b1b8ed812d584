# SPDX-License-Identifier: Apache-2.0
"""Butterflies as kernels: one pass of Stockham's transform (Cochran et al., Proc. IEEE 55, 1967).

A pass of radix r over n = r m values, s transforms of which lie beside each other:

    out[s (r p + k) + q] = exp(-2 pi i p k / n) sum_j in[s (p + m j) + q] exp(-2 pi i j k / r)

for 0 <= p < m along z, 0 <= q < s along y, and, along x, one of the lines that are transformed together, so
that every value is a vector. The index j of the input and k of the output are components: whoever calls sets
the strides. Real and imaginary parts are fields of their own; with the two exchanged, a pass of the inverse.

Only the butterfly is generated; the plan that leads from pass to pass is C++ (runtime/src/poisson/fft).
"""

from __future__ import annotations

from heddle.errors import KernelError, calling_place
from heddle.model.assignment import Assignment, AssignmentCollection
from heddle.model.field import Field
from heddle.solvers.fourier import Complex, Derivation, transform

RADICES = (2, 3, 4, 5, 7, 8, 11, 13, 16)
"""Radices that plans are made of."""


def butterfly(radix: int, twiddled: bool) -> AssignmentCollection:
    """A pass of a radix. twiddled: with the factors w<k> = exp(-2 pi i p k / n), profiles along z; the last
    pass of a plan has none."""
    if radix < 2:
        raise KernelError(calling_place(), f"{radix} is not a valid radix of a butterfly.", "use 2 or more")
    d = Derivation()
    values = [
        Complex(_field("in_re", radix).component(j), _field("in_im", radix).component(j))
        for j in range(radix)
    ]
    d.section("Load")
    loaded = [d.named(f"x{j}", value) for j, value in enumerate(values)]
    d.section(f"X_k = sum_j x_j exp(-2 pi i j k / {radix})")
    result = transform(d, loaded, "X")
    d.section("Turn and store" if twiddled else "Store")
    for k, value in enumerate(result):
        if twiddled and k:
            value = value.times(Complex(_factor(f"w{k}_re"), _factor(f"w{k}_im")))
        d.statements.append(Assignment(_field("out_re", radix).component(k), value.re))
        d.statements.append(Assignment(_field("out_im", radix).component(k), value.im))
    return AssignmentCollection(d.statements)


def _field(name: str, radix: int) -> Field:
    return Field(name, rank=3, components=radix, ghost_layers=0)


def _factor(name: str) -> object:
    return Field(name, rank=1, ghost_layers=0, profile=2).here
