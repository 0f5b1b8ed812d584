# SPDX-License-Identifier: Apache-2.0
"""What kernels ask about arrays that are not NumPy's: in which stream they are computed, and of what memory
they are a view. Knows the libraries by what their arrays offer, and imports none. Also part of the packages
that `heddle build --python` writes."""

from __future__ import annotations

import sys
from typing import Any


def stream_of(thing: Any) -> int:
    """The handle of a CUDA stream: of a stream object, or of the stream in which the library of an array
    works now; 0, the default stream, for libraries that do not say."""
    if isinstance(thing, int):
        return thing
    if hasattr(thing, "__dlpack__"):  # an array: asked first, since most calls leave the stream to it
        return _stream_of_array(thing)
    if hasattr(thing, "__cuda_stream__"):
        return int(thing.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        handle = getattr(thing, name, None)
        if isinstance(handle, int):
            return handle
    raise TypeError(
        f"{type(thing).__name__} is no CUDA stream: pass its handle, or an object with __cuda_stream__"
    )


def _stream_of_array(array: Any) -> int:
    library = type(array).__module__.partition(".")[0]
    loaded = sys.modules.get(library)
    if library == "torch" and loaded is not None:
        return int(loaded.cuda.current_stream(array.device).cuda_stream) if array.is_cuda else 0
    if library == "cupy" and loaded is not None:
        return int(loaded.cuda.get_current_stream().ptr)
    return 0


def memory_of(array: Any) -> tuple[int, int] | None:
    """Address and bytes of the memory that an array is a view of; None where its library does not say."""
    if hasattr(array, "untyped_storage"):  # PyTorch
        storage = array.untyped_storage()
        return int(storage.data_ptr()), int(storage.nbytes())
    base = getattr(array, "base", None)
    if base is not None and hasattr(base, "__cuda_array_interface__"):  # CuPy
        return int(base.data.ptr), int(base.nbytes)
    return None
