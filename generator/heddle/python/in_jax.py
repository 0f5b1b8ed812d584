# SPDX-License-Identifier: Apache-2.0
"""heddle.in_jax: the kernels of a loaded module as functions of JAX, which XLA calls without Python."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from heddle.emit.targets import TARGETS
from heddle.errors import KernelError
from heddle.python import cache
from heddle.python.compiler import host_compiler
from heddle.python.frames import Frame, adjoint_of
from heddle.python.load import Kernels
from heddle.python.reverse import Arrays, Call, Reverse, Slices
from heddle.resources import folder

TARGET = "heddle_call"
"""The name of the one function that XLA knows; an attribute says which kernel it calls."""
_HEADERS = "heddle/device/python"


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
        self.jax, self.kernels, self.library = jax, kernels, _library(jax, verbose)
        self.module, target = kernels.loaded
        self.frames, self.on_gpu = dict[str, Frame](), TARGETS[target].gpu is not None

    def frame(self, name: str) -> Frame:
        if name not in self.frames:
            self.frames[name] = Frame(self.module, name)
            pointer = _POINTER(self.kernels[name].__self__, b"heddle.kernel")  # type: ignore[attr-defined]
            self.library.heddle_xla_add(self.key(name).encode(), ctypes.c_void_p(pointer))
        return self.frames[name]

    def key(self, name: str) -> str:
        return f"{self.kernels.folder.name}/{name}"

    # What reverses of kernels ask of arrays

    def zeros(self, shape: Sequence[int], kind: str) -> Any:
        return self.jax.numpy.zeros(tuple(shape), kind)

    def take(self, array: Any, at: Sequence[int], axis: int) -> Any:
        import numpy as np

        return self.jax.numpy.take(array, np.asarray(at), axis=axis)

    def placed(self, array: Any, at: Slices, values: Any) -> Any:
        return array.at[at].set(values)


class _Function:
    """One kernel. Functions with derivatives are kept, one for each set of shapes."""

    def __init__(self, joined: _Joined, name: str) -> None:
        self.joined, self.name, self.known = joined, name, dict[Any, Callable[..., Any]]()
        self.__name__ = name
        self.__doc__ = joined.kernels[name].__doc__

    def __call__(self, *, ghosts: int | Sequence[int] = 0, **given: Any) -> Any:
        joined, numpy = self.joined, self.joined.jax.numpy
        frame = joined.frame(self.name)
        layers = frame.ghosts(ghosts)
        operands: Arrays = {}
        numbers: list[tuple[str, float]] = []
        for name, value in frame.complete(given).items():
            wanted = frame[name]
            if wanted.is_array and not hasattr(value, "shape"):
                raise frame.refused(f"'{name}' is no array, but of type {type(value).__name__}.")
            if wanted.is_array:
                operands[name] = value if isinstance(value, joined.jax.Array) else numpy.asarray(value)
            elif joined.on_gpu and not isinstance(value, joined.jax.Array):
                numbers.append((name, float(_number(joined, frame, name, value))))
            else:
                operands[name] = _number(joined, frame, name, value)
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
            return _call(joined, kernel, fixed | operands, precision, layers)

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


def _call(joined: _Joined, frame: Frame, operands: Arrays, precision: int, ghosts: Sequence[int]) -> Arrays:
    """Call a kernel through XLA: the arrays that it writes, in the memory of the operands, and its sums."""
    import numpy as np

    jax = joined.jax
    results: Arrays = {}
    attributes: Arrays = {}
    aliases: dict[int, int] = {}
    values: list[Any] = []
    for wanted in frame.wanted:
        value = operands[wanted.name]
        if isinstance(value, float):  # fixed, for a kernel of a GPU
            attributes[wanted.name] = np.float64(value)
            continue
        if wanted.written:
            aliases[len(values)] = len(results)
            results[wanted.name] = jax.ShapeDtypeStruct(value.shape, value.dtype)
        values.append(value)
    for name, types in frame.outputs:
        results[name] = jax.ShapeDtypeStruct((), types[precision])
    call = jax.ffi.ffi_call(
        TARGET, tuple(results.values()), vmap_method="broadcast_all", input_output_aliases=aliases
    )
    where = {"kernel": joined.key(frame.name), "precision": np.int64(precision)}
    found = call(*values, **where, ghosts=np.asarray([*ghosts], np.int64), **attributes)
    return dict(zip(results, found, strict=True))


def _number(joined: _Joined, frame: Frame, name: str, value: Any) -> Any:
    """A number of a call, which may be traced, as an array without axes."""
    import numpy as np

    wanted = frame[name]
    found = value if isinstance(value, joined.jax.Array) else np.asarray(value)
    kinds, kind = ("fiu", "a number") if wanted.kind == "number" else ("iu", "a whole number")
    if found.shape != () or found.dtype.kind not in kinds:
        what = f"of shape {found.shape} and type {found.dtype}"
        raise frame.refused(f"'{name}' is {what}, but {kind} is needed.")
    x64 = joined.jax.config.jax_enable_x64
    if wanted.kind == "number":
        fits = found.dtype in (np.float32, np.float64)
        return found if fits else found.astype(np.float64 if x64 else np.float32)
    return found.astype(np.int64 if x64 else np.int32)


_POINTER = ctypes.PyDLL(None).PyCapsule_GetPointer  # its own: others give that of pythonapi types
_POINTER.restype, _POINTER.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@functools.cache
def _library(jax: Any, verbose: bool) -> ctypes.CDLL:
    """What calls kernels for XLA, compiled with the headers of this jaxlib, and registered."""
    include = jax.ffi.include_dir()
    texts = {
        f"{_HEADERS}/{name}": (folder("runtime/include") / _HEADERS / name).read_text()
        for name in ("api.hpp", "call.hpp", "xla.cpp")
    }
    host = host_compiler()
    identity = f"{host.identity}\njaxlib {jax.lib.__version__}"
    compiler = dataclasses.replace(host, flags=(*host.flags, "-isystem", include), identity=identity)
    path = cache.plug_in(f"{_HEADERS}/xla.cpp", texts, compiler, verbose)
    library = ctypes.CDLL(str(path))
    library.heddle_xla_add.argtypes, library.heddle_xla_add.restype = [ctypes.c_char_p, ctypes.c_void_p], None
    for platform, entry in (("cpu", library.heddle_xla_host), ("CUDA", library.heddle_xla_gpu)):
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(entry), platform=platform)
    return library
