# SPDX-License-Identifier: Apache-2.0
"""One call of a kernel by XLA: the foreign function that all kernels share, its operands and results."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from heddle.python import cache
from heddle.python.compiler import host_compiler
from heddle.python.frames import Frame
from heddle.python.reverse import Arrays
from heddle.resources import folder

TARGET = "heddle_call"
"""The name of the one function that XLA knows; an attribute says which kernel it calls."""
_HEADERS = "heddle/device/python"


def call(jax: Any, key: str, frame: Frame, operands: Arrays, precision: int, ghosts: Sequence[int]) -> Arrays:
    """Call a kernel through XLA: the arrays that it writes, in the memory of the operands, and its sums.
    key: the name under which `add` gave it to XLA."""
    import numpy as np

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
    where = {"kernel": key, "precision": np.int64(precision)}
    found = call(*values, **where, ghosts=np.asarray([*ghosts], np.int64), **attributes)
    return dict(zip(results, found, strict=True))


def number(jax: Any, frame: Frame, name: str, value: Any) -> Any:
    """A number of a call, which may be traced, as an array without axes."""
    import numpy as np

    wanted = frame[name]
    found = value if isinstance(value, jax.Array) else np.asarray(value)
    kinds, kind = ("fiu", "a number") if wanted.kind == "number" else ("iu", "a whole number")
    if found.shape != () or found.dtype.kind not in kinds:
        what = f"of shape {found.shape} and type {found.dtype}"
        raise frame.refused(f"'{name}' is {what}, but {kind} is needed.")
    x64 = jax.config.jax_enable_x64
    if wanted.kind == "number":
        fits = found.dtype in (np.float32, np.float64)
        return found if fits else found.astype(np.float64 if x64 else np.float32)
    return found.astype(np.int64 if x64 else np.int32)


def add(library: ctypes.CDLL, key: str, kernel: Any) -> None:
    """Make a kernel known to XLA."""
    pointer = _POINTER(kernel.__self__, b"heddle.kernel")
    library.heddle_xla_add(key.encode(), ctypes.c_void_p(pointer))


_POINTER = ctypes.PyDLL(None).PyCapsule_GetPointer  # its own: others give that of pythonapi types
_POINTER.restype, _POINTER.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@functools.cache
def library(jax: Any, verbose: bool) -> ctypes.CDLL:
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
    found = ctypes.CDLL(str(path))
    found.heddle_xla_add.argtypes, found.heddle_xla_add.restype = [ctypes.c_char_p, ctypes.c_void_p], None
    for platform, entry in (("cpu", found.heddle_xla_host), ("CUDA", found.heddle_xla_gpu)):
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(entry), platform=platform)
    return found
