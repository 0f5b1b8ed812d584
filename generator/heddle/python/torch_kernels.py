# SPDX-License-Identifier: Apache-2.0
"""What operators of PyTorch do that are kernels: run one, or say the shapes of its results alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from heddle.python.frames import Frame, Wanted
from heddle.python.reverse import Arrays


def operand_of(torch: Any, frame: Frame, wanted: Wanted, value: Any) -> Any:
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


def runner(torch: Any, kernel: Callable[..., Any], frame: Frame, in_place: bool) -> Callable[..., Any]:
    """What runs the kernel, on tensors without derivatives."""

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
            device, precision = device_of(frame, tensors), precision_of(frame, tensors)
            for name, types in frame.outputs:
                kind = getattr(torch, types[precision])
                found.append(torch.tensor(numbers[name], dtype=kind, device=device))
        return _several(found)

    return run


def faker(torch: Any, frame: Frame, in_place: bool) -> Callable[..., Any]:
    """What says shapes and types alone, and refuses those that do not fit."""

    def fake(*operands: Any) -> Any:
        *tensors, ghosts = operands
        arrays = {w.name: t for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array}
        shapes = {name: (t.shape, _kind(t)) for name, t in arrays.items()}
        precision = frame.check(shapes, frame.ghosts(ghosts))
        device = device_of(frame, tensors)
        found = [] if in_place else [torch.empty_like(arrays[name]) for name in frame.written]
        for _, types in frame.outputs:
            found.append(torch.empty((), dtype=getattr(torch, types[precision]), device=device))
        return _several(found)

    return fake


def device_of(frame: Frame, tensors: Sequence[Any]) -> Any:
    """Where the arrays of a call lie."""
    return next((t.device for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array), None)


def precision_of(frame: Frame, tensors: Sequence[Any]) -> int:
    """The number of their precision."""
    kinds = {w.name: _kind(t) for w, t in zip(frame.wanted, tensors, strict=True) if w.is_array}
    return frame.precision(kinds)


def _kind(tensor: Any) -> str:
    """As NumPy calls the type of its elements: float64."""
    return str(tensor.dtype).removeprefix("torch.")


def _several(found: Sequence[Any]) -> Any:
    return None if not found else found[0] if len(found) == 1 else tuple(found)
