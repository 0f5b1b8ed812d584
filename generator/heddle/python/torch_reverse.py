# SPDX-License-Identifier: Apache-2.0
"""How autograd of PyTorch goes back through a kernel: with the kernel of Module.add_adjoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from heddle.module import Module
from heddle.python.frames import Frame, adjoint_of
from heddle.python.reverse import Arrays, Call, Reverse, Slices
from heddle.python.torch_kernels import device_of, operand_of, precision_of


def keep(ctx: Any, inputs: Any, output: Any) -> None:
    """What the way back needs: the arguments."""
    *tensors, ctx.ghosts = inputs
    ctx.save_for_backward(*tensors)
    ctx.set_materialize_grads(True)


def backward(
    torch: Any,
    module: Module,
    frame: Frame,
    frame_of: Callable[[str], Frame],
    operator_of: Callable[[str], Any],
) -> Callable[..., Any]:
    """The derivatives by all arguments of a kernel. operator_of: gives those that write to their tensors."""

    def back(ctx: Any, *bars: Any) -> Any:
        adjoint = adjoint_of(module, frame.name)
        if not adjoint:
            raise frame.refused("it has no derivative.", f'module.add_adjoint("{frame.name}") gives it one')
        reverse = Reverse(frame, frame_of(adjoint))
        names = [w.name for w in frame.wanted]
        needed = [name for name, needs in zip(names, ctx.needs_input_grad, strict=False) if needs]
        reverse.check(needed)
        tensors = dict(zip(names, ctx.saved_tensors, strict=True))
        precision = precision_of(frame, ctx.saved_tensors)
        given = dict(zip((*frame.written, *(n for n, _ in frame.outputs)), bars, strict=True))
        shapes = {w.name: tensors[w.name].shape for w in frame.arrays}
        library = _Library(torch, device_of(frame, ctx.saved_tensors))

        def run(kernel: Frame, operands: Arrays, ghosts: Sequence[int]) -> Arrays:
            for name in reverse.in_place:  # what came from autograd stays as it is
                operands[f"{name}_bar"] = operands[f"{name}_bar"].clone()
            values = [operand_of(torch, kernel, w, operands[w.name]) for w in kernel.wanted]
            found = operator_of(kernel.name)(*values, [*reversed(ghosts)])
            sums = () if not kernel.outputs else found if len(kernel.outputs) > 1 else (found,)
            results = {name: operands[name] for name in kernel.written}
            return results | {n: s for (n, _), s in zip(kernel.outputs, sums, strict=True)}

        saved = {name: tensors[name] for name in reverse.needs}
        found = Call(reverse, library, run, shapes, precision, frame.ghosts(ctx.ghosts)).run(saved, given)
        for name in reverse.numbers:
            found[name] = found[name].to(tensors[name])
        return (*(found[name] if name in needed else None for name in names), None)

    return back


class _Library:
    """What reverses of kernels ask of tensors."""

    def __init__(self, torch: Any, device: Any) -> None:
        self.torch, self.device = torch, device

    def zeros(self, shape: Sequence[int], kind: str) -> Any:
        return self.torch.zeros(tuple(shape), dtype=getattr(self.torch, kind), device=self.device)

    def take(self, array: Any, at: Sequence[int], axis: int) -> Any:
        return self.torch.index_select(array, axis, self.torch.tensor(at, device=self.device))

    def placed(self, array: Any, at: Slices, values: Any) -> Any:
        array[at] = values
        return array
