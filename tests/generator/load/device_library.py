# SPDX-License-Identifier: Apache-2.0
"""A library of arrays for GPUs, as far as lists and domains use it: its arrays claim to lie on a GPU, and lie
in the memory of the host, where emulated kernels run. This module stands for the library."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from producer import Foreign

CUDA = 2
float32 = np.float32


def _on_host(thing: Any) -> Any:
    if isinstance(thing, tuple):
        return tuple(map(_on_host, thing))
    return thing.values if isinstance(thing, Device) else thing


class Device(Foreign):
    """An array of the library."""

    def __init__(self, values: Any) -> None:
        super().__init__(values, device=CUDA)
        self.__cuda_array_interface__ = values.__array_interface__
        self.shape, self.dtype, self.itemsize = values.shape, values.dtype, values.itemsize
        self.strides = values.strides

    def __getitem__(self, key: Any) -> Device:
        return Device(self.values[_on_host(key)])

    def __setitem__(self, key: Any, values: Any) -> None:
        self.values[_on_host(key)] = _on_host(values)

    def reshape(self, *shape: int) -> Device:
        return Device(self.values.reshape(*shape))


def zeros(shape: Any, dtype: Any) -> Device:
    return Device(np.zeros(shape, dtype))


def asarray(values: Any) -> Device:
    return Device(np.array(values))


def moveaxis(array: Device, source: Any, destination: Any) -> Device:
    return Device(np.moveaxis(array.values, source, destination))


def _as_strided(array: Device, shape: Any, strides: Any) -> Device:
    return Device(np.lib.stride_tricks.as_strided(array.values, shape, strides))


lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=_as_strided))
