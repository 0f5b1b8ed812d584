# SPDX-License-Identifier: Apache-2.0
"""What lifting a function gives, and how it refuses."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.errors import KernelError, Place
from heddle.ir import nodes as ir
from heddle.ir.source import FunctionParameter


@dataclass(frozen=True)
class Lifted:
    """A function in the vocabulary of lowered kernels.

    body: loops are canonical, early exits are guards, visible functions are inlined, CUDA threads are loops
    of kind "thread". assumptions: what the source does not say and lifting relied on, as sentences.
    launch_bounds: of a CUDA kernel. result: the value that a function returns at its end, if any.
    """

    name: str
    key: str
    parameters: tuple[FunctionParameter, ...]
    body: tuple[ir.Statement, ...]
    cuda: bool
    place: Place
    assumptions: tuple[str, ...] = ()
    launch_bounds: tuple[int, ...] = ()


def refuse(place: Place, what: str, hint: str = "") -> KernelError:
    """The error for source that lifting does not understand. what: a sentence."""
    return KernelError(place, what, hint or "rewrite this line in a form that can be lifted, or leave it out")
