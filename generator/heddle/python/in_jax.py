# SPDX-License-Identifier: Apache-2.0
"""heddle.in_jax: the kernels of a loaded module as functions of JAX, which XLA calls without Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.python import jax_call
from heddle.python.frames import Frame, adjoint_of
from heddle.python.load import Kernels
from heddle.python.reverse import Arrays, Call, Reverse, Slices


def in_jax(kernels: Kernels, verbose: bool = False) -> SimpleNamespace:
    """The kernels as functions of JAX arrays, by their names: step = heddle.in_jax(kernels).step.

    A function takes what the kernel takes, by keyword, and `ghosts=`, as with heddle.load; arrays are whole,
    with their ghost layers. It changes nothing: it returns the arrays that the kernel writes, which keep what
    they held elsewhere, then what a Reduce gives; several as a dictionary. In a jitted function a result has
    the memory of the argument, where that is not used afterwards (donate_argnums for arguments of the jitted
    function itself); else XLA makes a copy first. Numbers may be traced.

    jit, vmap, scan and so on take it; vmap runs over the batch within one call. If Module.add_adjoint made
    the kernel's adjoint, grad and vjp do, too. Kernels loaded for "cuda" run in XLA's stream. A number of
    Python is part of the compiled function then; one of JAX, traced or not, lies on the GPU, and the call
    waits for it. verbose: print the commands that compile, once, what joins XLA and kernels. Raises
    KernelError where JAX is missing; functions raise it for what does not fit, when they are traced.
    """
    joined = _Joined(kernels, verbose)
    return SimpleNamespace(**{name: _Function(joined, name) for name in kernels})


class _Joined:
    """The kernels of a module, known to XLA."""

    def __init__(self, kernels: Kernels, verbose: bool) -> None:
        try:
            import jax
        except ImportError:
            raise KernelError("heddle.in_jax", "JAX is not installed.", "pip install jax") from None
        self.jax, self.kernels, self.library = jax, kernels, jax_call.library(jax, verbose)
        self.module, target = kernels.loaded
        self.frames, self.on_gpu = dict[str, Frame](), TARGETS[target].gpu is not None

    def frame(self, name: str) -> Frame:
        if name not in self.frames:
            self.frames[name] = Frame(self.module, name)
            jax_call.add(self.library, self.key(name), self.kernels[name])
        return self.frames[name]

    def key(self, name: str) -> str:
        return f"{self.kernels.folder.name}/{name}"

    # What reverses of kernels ask of arrays

    def zeros(self, shape: Sequence[int], kind: str) -> Any:
        return self.jax.numpy.zeros(tuple(shape), kind)

    def take(self, array: Any, at: Sequence[int], axis: int) -> Any:
        return self.jax.numpy.take(array, self.jax.numpy.asarray(at), axis=axis)

    def placed(self, array: Any, at: Slices, values: Any) -> Any:
        return array.at[at].set(values)


class _Function:
    """One kernel. Functions with derivatives are kept, one for each set of shapes."""

    def __init__(self, joined: _Joined, name: str) -> None:
        self.joined, self.name, self.known = joined, name, dict[Any, Callable[..., Any]]()
        self.__name__, self.__doc__ = name, joined.kernels[name].__doc__

    def __call__(self, *, ghosts: int | Sequence[int] = 0, **given: Any) -> Any:
        joined, numpy = self.joined, self.joined.jax.numpy
        frame = joined.frame(self.name)
        layers = frame.ghosts(ghosts)
        operands, numbers = dict[str, Any](), list[tuple[str, float]]()
        for name, value in frame.complete(given).items():
            wanted = frame[name]
            if wanted.is_array and not hasattr(value, "shape"):
                raise frame.refused(f"'{name}' is no array, but of type {type(value).__name__}.")
            if wanted.is_array:
                operands[name] = value if isinstance(value, joined.jax.Array) else numpy.asarray(value)
            elif joined.on_gpu and not isinstance(value, joined.jax.Array):
                numbers.append((name, float(jax_call.number(joined.jax, frame, name, value))))
            else:
                operands[name] = jax_call.number(joined.jax, frame, name, value)
        shapes = {w.name: (operands[w.name].shape, str(operands[w.name].dtype)) for w in frame.arrays}
        key = tuple(shapes.values()), layers, tuple(numbers)
        if key not in self.known:
            only = {name: shape for name, (shape, _) in shapes.items()}
            self.known[key] = self._made(only, self._precision(frame, shapes, layers), layers, dict(numbers))
        found = self.known[key](operands)
        return next(iter(found.values())) if len(found) == 1 else found

    def _precision(
        self, frame: Frame, shapes: Mapping[str, tuple[Sequence[int], str]], layers: Sequence[int]
    ) -> int:
        try:
            return frame.check(shapes, layers)
        except KernelError as error:
            if self.joined.jax.config.jax_enable_x64 or "has elements of" not in error.what:
                raise
            hint = 'jax.config.update("jax_enable_x64", True) before arrays are made, for float64'
            raise frame.refused(error.what, hint) from None

    def _made(
        self, shapes: Mapping[str, Sequence[int]], precision: int, ghosts: Sequence[int], fixed: Arrays
    ) -> Callable[..., Any]:
        """The kernel as a function with a derivative, or with an error in its place. fixed: numbers that are
        part of it, for a kernel of a GPU."""
        joined, frame = self.joined, self.joined.frame(self.name)
        adjoint = adjoint_of(joined.module, self.name)
        reverse = Reverse(frame, joined.frame(adjoint)) if adjoint else None

        def run(kernel: Frame, operands: Arrays, layers: Sequence[int]) -> Arrays:
            return jax_call.call(
                joined.jax, joined.key(kernel.name), kernel, fixed | operands, precision, layers
            )

        def forward(operands: Mapping[str, Any]) -> tuple[Arrays, tuple[Arrays, Arrays]]:
            if reverse is None:
                raise frame.refused(
                    "it has no derivative.", f'module.add_adjoint("{self.name}") gives it one'
                )
            reverse.check(name for name, operand in operands.items() if operand.perturbed)
            values = {name: operand.value for name, operand in operands.items()}
            numbers = {name: values[name] for name in reverse.numbers if name in values}
            needs = {name: values[name] for name in reverse.needs if name in values}
            return run(frame, values, ghosts), (needs, numbers)

        def backward(saved: tuple[Arrays, Arrays], bars: Arrays) -> tuple[Arrays]:
            assert reverse is not None
            zero = joined.jax.custom_derivatives.SymbolicZero
            bars = {
                name: joined.jax.numpy.zeros(bar.shape, bar.dtype) if isinstance(bar, zero) else bar
                for name, bar in bars.items()
            }
            found = Call(reverse, joined, run, shapes, precision, ghosts).run(fixed | saved[0], bars)
            for name, number in saved[1].items():
                found[name] = found[name].astype(number.dtype)
            return ({w.name: found.get(w.name) for w in frame.wanted if w.name not in fixed},)

        function = joined.jax.custom_vjp(lambda operands: run(frame, operands, ghosts))
        function.defvjp(forward, backward, symbolic_zeros=True)
        return joined.jax.jit(function)  # type: ignore[no-any-return]
