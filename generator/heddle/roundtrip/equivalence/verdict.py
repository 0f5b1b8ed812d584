# SPDX-License-Identifier: Apache-2.0
"""What a comparison of two kernels ends in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Tier = Literal["structural", "algebraic", "numeric"]


@dataclass(frozen=True)
class Proof:
    """The two kernels do the same, in the sense of its tier.

    structural: every store of both kernels is the same function of the memory at entry and of the parameters,
    by rewriting that keeps every bit (see `arithmetic.FloatTerms`; payloads of NaN are no difference). So the
    results agree bit for bit, under the assumptions. It says nothing about speed, prefetching, which cells
    a thread takes, or the checks at a kernel's entry. algebraic: the same over the real numbers: in exact
    arithmetic the results agree, wherever both are defined and no value is NaN or infinite. In floating point
    they differ by rounding; `rounding` is what was measured on random fields, not a bound. numeric: both were
    run on random fields of several sizes, and the results agreed within a few ulp of the largest value. That
    is evidence, not a proof: a difference that needs other inputs stays unseen.

    rounding: the largest difference seen, in units in the last place of the result; None if structural,
    or if no random memory suited the kernels, so that nothing was run.
    assumptions: what was taken for granted. detail: how far the proof went, for people.
    """

    tier: Tier
    rounding: float | None = None
    assumptions: tuple[str, ...] = ()
    detail: str = ""

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Counterexample:
    """The two kernels differ.

    reason: in what. where: which array, store, guard or loop. inputs: sizes and scalars of a run in which
    they differ, empty if none was run; values: what the two kernels then left in one element.
    """

    reason: str
    where: str = ""
    inputs: Mapping[str, object] = field(default_factory=dict)
    values: tuple[object, ...] = ()

    def __bool__(self) -> bool:
        return False
