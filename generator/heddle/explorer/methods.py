# SPDX-License-Identifier: Apache-2.0
"""What several kernels do together until a problem is solved, as a variant of a search: it is timed as a
whole, from the first guess to a stated residual."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from heddle.errors import KernelError
from heddle.explorer.hybrid import Hybrid
from heddle.explorer.schedules import arithmetic
from heddle.ir.schedule import Schedule
from heddle.module import KernelModel, Module


class Solve(Protocol):
    """One problem in arrays of its own."""

    solution: Any
    """The array that is solved for, without ghost cells."""

    def reset(self) -> None:
        """Back to the first guess."""

    def run(self) -> int:
        """Solve; returns how many cycles that took."""

    def residual(self) -> float:
        """That of the solution, relative to the right-hand side."""

    def error(self) -> float:
        """The distance of the solution from the known one."""


Functions: TypeAlias = Mapping[str, Callable[..., Any]]
Start: TypeAlias = Callable[[Functions, Sequence[int], Any, Any], Solve]


@dataclass(frozen=True)
class Method:
    """A variant that solves a problem, for `heddle.explore(variants=...)`.

    module: its kernels, with their schedules. start: called with the kernels by name, cells along x, y,
    z, the type of numbers ("f8") and the library of arrays (NumPy, CuPy); gives a Solve. tolerance: the
    relative residual that a solve has to reach. pace: a kernel of the module; a solve is compared with a
    stream that moves as many bytes, in the pattern of this kernel. same_bits: whether the reference
    target gives the same bits on a GPU, too: not where a library is called that is another one there.
    identity: of all that `start` depends on. varied: schedules are tried of the kernel `pace`; else all
    kernels keep theirs.
    """

    module: Module
    start: Start
    tolerance: float
    pace: str
    same_bits: bool = True
    identity: str = ""
    varied: bool = False

    def in_precision(self, precision: str) -> Module:
        """Its module in one precision."""
        own = replace(self.module, precisions=(precision,), _stages={}, _typed={})
        own.model = self.module.model
        return own

    def alone(self, precision: str, schedule: Schedule, target: str) -> Module:
        """Its module in one precision, with a schedule for the kernel `pace`. Raises KernelError where that
        cannot run so on a target."""
        own = self.in_precision(precision)
        paced = self.module.alone([self.pace], precision, schedule, target)
        own.kernels = self.module.kernels | paced.kernels  # the replaced module shares its own
        own.tuned = {key: one for key, one in self.module.tuned.items() if key[0] != self.pace}
        return own

    def reference(self, precision: str, schedule: Schedule | None = None) -> Module:
        """The same arithmetic, for the reference target. schedule: that of `pace`."""
        own = self.in_precision(precision)
        own.kernels = {}
        for name, kernel in self.module.kernels.items():
            assert isinstance(kernel, KernelModel)
            same = schedule if schedule and name == self.pace else kernel.schedule
            own.kernels[name] = kernel.scheduled(arithmetic(same))
        return own


Variant: TypeAlias = Module | Method | Hybrid


def module_of_variant(variant: Variant) -> Module:
    """The kernels of a variant."""
    return variant if isinstance(variant, Module) else variant.module


def checked(name: str, method: Method) -> Method:
    """A method whose kernels all run from Python. Raises KernelError for one without such kernels."""
    if method.pace not in method.module.kernels or not method.tolerance > 0:
        raise KernelError(
            "heddle.explore",
            f"the method '{name}' has no kernel '{method.pace}', or a tolerance of {method.tolerance:g}.",
            f"pace= is one of: {', '.join(method.module.kernels)}; tolerance= is positive",
        )
    return method
