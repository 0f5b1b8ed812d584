# SPDX-License-Identifier: Apache-2.0
"""Operators of PyTorch, registered with what each version has: torch.library.custom_op from 2.4 on, and
before it torch.library.Library (1.13, that of Debian 12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_OPERATORS: dict[str, Any] = {}
"""Those registered so far, by their names: PyTorch takes each once."""
_LIBRARIES: list[Any] = []
"""That of the namespace `heddle`, of which an older PyTorch takes one; it must not be collected."""


@dataclass(frozen=True)
class Operator:
    """What is registered. name: without the namespace. schema: arguments and results as PyTorch writes them.
    run: computes on tensors without derivatives. fake: says shapes and types alone. mutated: arguments that
    `run` writes to. keep(ctx, inputs, output), backward(ctx, *bars): as torch.autograd.Function has them;
    None: no derivative."""

    name: str
    schema: str
    run: Callable[..., Any]
    fake: Callable[..., Any]
    mutated: Sequence[str] = ()
    keep: Callable[..., None] | None = None
    backward: Callable[..., Any] | None = None


def is_supported(torch: Any) -> bool:
    """Whether this PyTorch takes operators from Python."""
    return hasattr(torch.library, "custom_op") or hasattr(torch.library, "Library")


def counts_changes(torch: Any) -> bool:
    """Whether PyTorch itself notes that an operator changed its arguments, so that autograd refuses to go
    back through what was overwritten."""
    return hasattr(torch.library, "custom_op")


def registered(torch: Any, name: str, make: Callable[[], Operator]) -> Any:
    """The operator heddle::name; `make` is called where it is not registered yet."""
    if name not in _OPERATORS:
        register = _custom_op if hasattr(torch.library, "custom_op") else _library_op
        _OPERATORS[name] = register(torch, make())
    return _OPERATORS[name]


def _custom_op(torch: Any, operator: Operator) -> Any:
    made = torch.library.custom_op(
        f"heddle::{operator.name}", operator.run, mutates_args=operator.mutated, schema=operator.schema
    )
    made.register_fake(operator.fake)
    if operator.backward:
        made.register_autograd(operator.backward, setup_context=operator.keep)
    return made


def _library_op(torch: Any, operator: Operator) -> Any:
    if not _LIBRARIES:
        _LIBRARIES.append(torch.library.Library("heddle", "DEF"))
    library = _LIBRARIES[0]
    library.define(operator.name + operator.schema)
    for key in ("CPU", "CUDA"):
        library.impl(operator.name, operator.run, key)
    library.impl(operator.name, operator.fake, "Meta")
    made = getattr(torch.ops.heddle, operator.name).default
    if operator.backward is None or operator.keep is None:
        return made
    keep, reverse = operator.keep, operator.backward

    class Function(torch.autograd.Function):  # type: ignore[misc, name-defined, unused-ignore]
        @staticmethod
        def forward(ctx: Any, *operands: Any) -> Any:
            below = torch._C._AutoDispatchBelowAutograd()  # as long as it lives
            try:
                found = made(*operands)
            finally:
                del below
            keep(ctx, operands, found)
            return found

        @staticmethod
        def backward(ctx: Any, *bars: Any) -> Any:
            return reverse(ctx, *bars)

    library.impl(operator.name, lambda *operands: Function.apply(*operands), "Autograd")
    return made
