# SPDX-License-Identifier: Apache-2.0
"""An array that offers nothing but DLPack, written against its specification."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_NEW = ctypes.PyDLL(None).PyCapsule_New  # its own: JAX gives that of pythonapi other types
_NEW.restype, _NEW.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


class Foreign:
    """The memory of a NumPy array as another library offers it.

    device: the type of the device that it claims. version: of DLPack; 0 knows no keyword max_version.
    read_only: the flag of version 1. strides: whether they are said; without them the array is row-major.
    """

    def __init__(
        self, values: Any, device: int = 1, version: int = 1, read_only: bool = False, strides: bool = True
    ) -> None:
        self.values, self.device, self.version, self.read_only = values, device, version, read_only
        self.streams: list[object] = []
        numbers = ctypes.c_int64 * values.ndim
        self._shape = numbers(*values.shape)
        self._strides = numbers(*(step // values.itemsize for step in values.strides))
        code = {"i": 0, "u": 1, "f": 2, "b": 6}[values.dtype.kind]
        before = 16  # bytes: the tensor starts behind its address
        tensor = _Tensor(
            values.ctypes.data - before,
            device,
            0,
            values.ndim,
            code,
            values.itemsize * 8,
            1,
            ctypes.addressof(self._shape),
            ctypes.addressof(self._strides) if strides else None,
            before,
        )
        self._managed = (
            _Versioned(version, 0, None, None, int(read_only), tensor)
            if version
            else _Managed(tensor, None, None)
        )

    def __dlpack__(self, **keywords: Any) -> object:
        if self.version == 0 and "max_version" in keywords:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.streams.append(keywords.get("stream"))
        name = b"dltensor_versioned" if self.version else b"dltensor"
        return _NEW(ctypes.addressof(self._managed), name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


def zeros(*shape: int, dtype: str = "f8") -> Any:
    return np.zeros(shape, dtype)
