# SPDX-License-Identifier: Apache-2.0
"""What everything that rewrites stores of one kernel shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heddle.ir.nodes import Scalar
from heddle.roundtrip.equivalence.alias_analysis import AliasAnalysis
from heddle.roundtrip.equivalence.float_terms import FloatTerms
from heddle.roundtrip.equivalence.memory import Memory
from heddle.roundtrip.equivalence.rewrite import Rewriter
from heddle.roundtrip.equivalence.terms import Terms


@dataclass(frozen=True, eq=False)
class Context:
    """The arithmetic of a kernel, what is known of indices, and its memory. elements: types of the arrays."""

    bits: FloatTerms
    aliases: AliasAnalysis
    rewriter: Rewriter
    memory: Memory
    elements: Mapping[str, Scalar]

    @property
    def terms(self) -> Terms:
        """The terms that the arithmetic makes."""
        return self.bits.terms
