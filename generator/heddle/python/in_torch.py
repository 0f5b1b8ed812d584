# SPDX-License-Identifier: Apache-2.0
"""heddle.in_torch: the kernels of a loaded module as operators of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from heddle.errors import KernelError
from heddle.python.frames import Frame, Wanted, adjoint_of
from heddle.python.load import Kernels
from heddle.python.reverse import Arrays, Call, Reverse, Slices

_OPERATORS: dict[str, Any] = {}
"""Those registered so far, by their names: PyTorch takes each once."""


def in_torch(kernels: Kernels) -> SimpleNamespace:
    """The kernels as operators of PyTorch, two of each: ops = heddle.in_torch(kernels).

    ops.step_(u=u, u_next=v, ghosts=1) writes to its tensors, without a copy, and returns what a Reduce gives.
    ops.step(...) changes nothing: it returns copies of the tensors that the kernel writes, as they are
    afterwards, then what a Reduce gives; several as a dictionary. It has a derivative if Module.add_adjoint
    made the kernel's adjoint. Both take what the kernel takes, by keyword, and `ghosts=`, as with
    heddle.load; numbers may be tensors without axes, and have derivatives then. Both are torch.library
    operators, which torch.compile takes as they are (fullgraph=True); there tensors are whole, with their
    ghost layers.

    Raises KernelError where PyTorch is missing, or has no torch.library.custom_op (2.4 does); operators raise
    it for what does not fit.
    """
    try:
        import torch
    except ImportError:
        raise KernelError("heddle.in_torch", "PyTorch is not installed.", "pip install torch") from None
    if not hasattr(torch.library, "custom_op"):
        raise KernelError(
            "heddle.in_torch",
            f"PyTorch {torch.__version__} has no torch.library.custom_op.",
            "install 2.4 or newer",
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
            operands = [_operand(torch, frame, frame[n], value) for n, value in frame.complete(given).items()]
            if in_place and torch.is_grad_enabled() and any(o.requires_grad for o in operands):
                raise frame.refused(
                    f"{name}_ writes to its tensors, which autograd cannot follow.",
                    f"call {name}, which returns new ones, or call it under torch.no_grad()",
                )
            found = operator(*operands, [*reversed(frame.ghosts(ghosts))])
            names = [*([] if in_place else frame.written), *(n for n, _ in frame.outputs)]
            if len(names) < 2:
                return found
            return dict(zip(names, found, strict=True))

        call.__name__, call.__doc__ = name + "_" * in_place, self.kernels[name].__doc__
        return call

    def operator(self, name: str, in_place: bool) -> Any:
        """The operator, registered once in a process."""
        key = f"heddle::{self.kernels.folder.name.replace('-', '_')}_{name}{'_' * in_place}"
        if key not in _OPERATORS:
            frame = self.frame(name)
            names = ", ".join(
                f"Tensor{f'(a{i}!)' if in_place and w.written else ''} {w.name}"
                for i, w in enumerate(frame.wanted)
            )
            count = len(frame.outputs) + (0 if in_place else len(frame.written))
            gives = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
            made = self.torch.library.custom_op(
                key,
                self.runner(frame, in_place),
                mutates_args=frame.written if in_place else (),
                schema=f"({names}, int[] ghosts) -> {gives}",
            )
            made.register_fake(self.faker(frame, in_place))
            _OPERATORS[key] = made
            if not in_place:
                made.register_autograd(self.backward(frame), setup_context=_keep(frame))
        return _OPERATORS[key]

    def runner(self, frame: Frame, in_place: bool) -> Callable[..., Any]:
        """What runs the kernel, on tensors without derivatives."""
        torch, kernel = self.torch, self.kernels[frame.name]

        def run(*operands: Any) -> Any:
            *tensors, ghosts = operands
            values: Arrays = {}
            for wanted, tensor in zip(frame.wanted, tensors, strict=True):
                if wanted.is_array:
                    tensor = tensor.detach()
                    values[wanted.name] = tensor.clone() if wanted.written and not in_place else tensor
                else:
                    values[wanted.name] = tensor.item()
            sums = kernel(**values, ghosts=tuple(ghosts))
            found = [] if in_place else [values[name] for name in frame.written]
            if frame.outputs:
                numbers = sums if isinstance(sums, dict) else {frame.outputs[0][0]: sums}
                device, precision = self.device(frame, tensors), self.precision(frame, tensors)
                for name, types in frame.outputs:
                    kind = getattr(torch, types[precision])
                    found.append(torch.tensor(numbers[name], dtype=kind, device=device))
            return _several(found)

        return run

    def faker(self, frame: Frame, in_place: bool) -> Callable[..., Any]:
        """What says shapes and types alone, and refuses those that do not fit."""

        def fake(*operands: Any) -> Any:
            *tensors, ghosts = operands
            arrays = {w.name: t for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array}
            shapes = {name: (t.shape, _kind(t)) for name, t in arrays.items()}
            precision = frame.check(shapes, frame.ghosts(ghosts))
            device = self.device(frame, tensors)
            found = [] if in_place else [self.torch.empty_like(arrays[name]) for name in frame.written]
            for _, types in frame.outputs:
                found.append(self.torch.empty((), dtype=getattr(self.torch, types[precision]), device=device))
            return _several(found)

        return fake

    def backward(self, frame: Frame) -> Callable[..., Any]:
        def backward(ctx: Any, *bars: Any) -> Any:
            adjoint = adjoint_of(self.module, frame.name)
            if not adjoint:
                raise frame.refused(
                    "it has no derivative.", f'module.add_adjoint("{frame.name}") gives it one'
                )
            reverse = Reverse(frame, self.frame(adjoint))
            names = [w.name for w in frame.wanted]
            needed = [name for name, needs in zip(names, ctx.needs_input_grad, strict=False) if needs]
            reverse.check(needed)
            tensors = dict(zip(names, ctx.saved_tensors, strict=True))
            precision = self.precision(frame, ctx.saved_tensors)
            given = dict(zip((*frame.written, *(n for n, _ in frame.outputs)), bars, strict=True))
            shapes = {w.name: tensors[w.name].shape for w in frame.arrays}
            library = _Library(self.torch, self.device(frame, ctx.saved_tensors))

            def run(kernel: Frame, operands: Arrays, ghosts: Sequence[int]) -> Arrays:
                for name in reverse.in_place:  # what came from autograd stays as it is
                    operands[f"{name}_bar"] = operands[f"{name}_bar"].clone()
                values = [_operand(self.torch, kernel, w, operands[w.name]) for w in kernel.wanted]
                found = self.operator(kernel.name, True)(*values, [*reversed(ghosts)])
                sums = () if not kernel.outputs else found if len(kernel.outputs) > 1 else (found,)
                results = {name: operands[name] for name in kernel.written}
                return results | {n: s for (n, _), s in zip(kernel.outputs, sums, strict=True)}

            saved = {name: tensors[name] for name in reverse.needs}
            found = Call(reverse, library, run, shapes, precision, frame.ghosts(ctx.ghosts)).run(saved, given)
            for name in reverse.numbers:
                found[name] = found[name].to(tensors[name])
            return (*(found[name] if name in needed else None for name in names), None)

        return backward

    def device(self, frame: Frame, tensors: Sequence[Any]) -> Any:
        return next((t.device for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array), None)

    def precision(self, frame: Frame, tensors: Sequence[Any]) -> int:
        kinds = {w.name: _kind(t) for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array}
        return frame.precision(kinds)


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


def _keep(frame: Frame) -> Callable[..., None]:
    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        *tensors, ctx.ghosts = inputs
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(True)

    return keep


def _kind(tensor: Any) -> str:
    """As NumPy calls the type of its elements: float64."""
    return str(tensor.dtype).removeprefix("torch.")


def _operand(torch: Any, frame: Frame, wanted: Wanted, value: Any) -> Any:
    """An argument as an operator takes it: numbers as tensors of the host, so that they may be traced."""
    if isinstance(value, torch.Tensor):
        if not wanted.is_array and (value.dim() or value.is_complex()):
            raise frame.refused(
                f"'{wanted.name}' has the shape {tuple(value.shape)}, but a number is needed."
            )
        return value
    if wanted.is_array:
        raise frame.refused(f"'{wanted.name}' is no tensor, but of type {type(value).__name__}.")
    if not isinstance(value, int | float) and hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if not isinstance(value, int if wanted.kind == "integer" else int | float):
        needed = "a whole number" if wanted.kind == "integer" else "a number"
        raise frame.refused(f"'{wanted.name}' is of type {type(value).__name__}, but {needed} is needed.")
    return torch.tensor(value, dtype=torch.int64 if wanted.kind == "integer" else torch.float64)


def _several(found: Sequence[Any]) -> Any:
    return None if not found else found[0] if len(found) == 1 else tuple(found)
