# SPDX-License-Identifier: Apache-2.0
"""heddle.in_torch: the kernels of a loaded module as operators of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from heddle.errors import KernelError
from heddle.python.frames import Frame
from heddle.python.load import Kernels
from heddle.python.torch_kernels import faker, operand_of, runner
from heddle.python.torch_operators import Operator, counts_changes, is_supported, registered
from heddle.python.torch_reverse import backward, keep


def in_torch(kernels: Kernels) -> SimpleNamespace:
    """The kernels as operators of PyTorch, two of each: ops = heddle.in_torch(kernels).

    ops.step_(u=u, u_next=v, ghosts=1) writes to its tensors, without a copy, and returns what a Reduce gives.
    ops.step(...) changes nothing: it returns copies of the tensors that the kernel writes, as they are
    afterwards, then what a Reduce gives; several as a dictionary. It has a derivative if Module.add_adjoint
    made the kernel's adjoint. Both take what the kernel takes, by keyword, and `ghosts=`, as with
    heddle.load; numbers may be tensors without axes, and have derivatives then. Both are torch.library
    operators, which torch.compile takes as they are (fullgraph=True; PyTorch 2.4 and newer); there tensors
    are whole, with their ghost layers.

    Raises KernelError where PyTorch is missing, or takes no operators from Python (1.13 does); operators
    raise it for what does not fit.
    """
    try:
        import torch
    except ImportError:
        raise KernelError("heddle.in_torch", "PyTorch is not installed.", "pip install torch") from None
    if not is_supported(torch):
        raise KernelError(
            "heddle.in_torch",
            f"PyTorch {torch.__version__} takes no operators from Python.",
            "install 1.13, or 2.4 or newer",
        )
    joined = _Joined(torch, kernels)
    made: dict[str, Callable[..., Any]] = {}
    for name in kernels:
        made[name], made[f"{name}_"] = joined.function(name, False), joined.function(name, True)
    return SimpleNamespace(**made)


class _Joined:
    """The kernels of a module, known to PyTorch."""

    def __init__(self, torch: Any, kernels: Kernels) -> None:
        self.torch, self.kernels, self.module = torch, kernels, kernels.loaded[0]
        self.frames: dict[str, Frame] = {}

    def frame(self, name: str) -> Frame:
        if name not in self.frames:
            self.frames[name] = Frame(self.module, name)
        return self.frames[name]

    def function(self, name: str, in_place: bool) -> Callable[..., Any]:
        """The operator behind keywords."""
        if self.module.kernels[name].space.is_list:
            return lambda **given: self.frame(name)  # which refuses it
        frame, operator, torch = self.frame(name), self.operator(name, in_place), self.torch

        def call(*, ghosts: int | Sequence[int] = 0, **given: Any) -> Any:
            operands = [
                operand_of(torch, frame, frame[n], value) for n, value in frame.complete(given).items()
            ]
            if in_place and torch.is_grad_enabled() and any(o.requires_grad for o in operands):
                raise frame.refused(
                    f"{name}_ writes to its tensors, which autograd cannot follow.",
                    f"call {name}, which returns new ones, or call it under torch.no_grad()",
                )
            if in_place and not counts_changes(torch):
                for wanted, operand in zip(frame.wanted, operands, strict=True):
                    if wanted.written:
                        operand[:0].zero_()  # changes nothing, and is counted
            found = operator(*operands, [*reversed(frame.ghosts(ghosts))])
            names = [*([] if in_place else frame.written), *(n for n, _ in frame.outputs)]
            if len(names) < 2:
                return found
            return dict(zip(names, found, strict=True))

        call.__name__, call.__doc__ = name + "_" * in_place, self.kernels[name].__doc__
        return call

    def operator(self, name: str, in_place: bool) -> Any:
        """The operator, registered once in a process."""
        key = f"{self.kernels.folder.name.replace('-', '_')}_{name}{'_' * in_place}"
        return registered(self.torch, key, lambda: self.described(key, self.frame(name), in_place))

    def described(self, key: str, frame: Frame, in_place: bool) -> Operator:
        names = ", ".join(
            f"Tensor{f'(a{i}!)' if in_place and w.written else ''} {w.name}"
            for i, w in enumerate(frame.wanted)
        )
        count = len(frame.outputs) + (0 if in_place else len(frame.written))
        gives = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        schema = f"({names}, int[] ghosts) -> {gives}"
        run = runner(self.torch, self.kernels[frame.name], frame, in_place)
        fake = faker(self.torch, frame, in_place)
        if in_place:
            return Operator(key, schema, run, fake, mutated=frame.written)
        back = backward(self.torch, self.module, frame, self.frame, lambda name: self.operator(name, True))
        return Operator(key, schema, run, fake, keep=keep, backward=back)
