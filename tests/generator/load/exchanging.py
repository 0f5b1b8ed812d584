# SPDX-License-Identifier: Apache-2.0
"""An array whose type offers DLPack's functions in C, as PyTorch's tensors do from 2.10 on: written against
the specification of DLPack 1.3."""

from __future__ import annotations

import ctypes
from typing import Any

from producer import _NEW, Foreign, _Tensor, _Versioned

_DELETE = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Versioned))
_MANAGED = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(_Versioned)))
_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
counts = {"taken": 0, "deleted": 0}
"""How often tensors were taken, and given back."""
streams: list[tuple[int, int]] = []
"""Of which devices the stream was asked for."""


class _Exchange(ctypes.Structure):
    """major, minor, previous, allocator, managed, to_object, borrowed, stream"""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocator", ctypes.c_void_p),
        ("managed", _MANAGED),
        ("to_object", ctypes.c_void_p),
        ("borrowed", ctypes.c_void_p),
        ("stream", _STREAM),
    ]


@_DELETE
def _deleted(tensor: Any) -> None:
    counts["deleted"] += 1


@_MANAGED
def _managed(array: Any, out: Any) -> int:
    if array.broken:
        return -1
    counts["taken"] += 1
    array.kept = _Versioned(1, 3, None, ctypes.cast(_deleted, ctypes.c_void_p), int(array.read_only),
                            array._managed.tensor)  # fmt: skip
    out[0] = ctypes.pointer(array.kept)
    return 0


@_STREAM
def _stream(device_type: int, device: int, out: Any) -> int:
    streams.append((device_type, device))
    out[0] = None  # the default stream
    return 0


_NAME = b"dlpack_exchange_api"  # kept: a capsule has its address
_LATER = _Exchange(2, 0, None, None, _managed, None, None, _stream)
_API = _Exchange(1, 3, None, None, _managed, None, None, _stream)
_LATER.previous = ctypes.addressof(_API)
assert ctypes.sizeof(_Tensor) == 48


class Exchanging(Foreign):
    """broken: the functions in C fail. requires_grad: as PyTorch says it."""

    __dlpack_c_exchange_api__ = _NEW(ctypes.addressof(_LATER), _NAME, None)
    broken = False
    requires_grad = False
    asked = 0

    def __dlpack__(self, **keywords: Any) -> object:
        self.asked += 1
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return super().__dlpack__(**keywords)


class Tensor(Exchanging):
    """The name of PyTorch's."""

    @classmethod
    def __torch_function__(cls, *arguments: Any) -> Any:
        raise NotImplementedError


class Fake(Tensor):
    """A subclass: what its tensors are, only __dlpack__ may know."""
