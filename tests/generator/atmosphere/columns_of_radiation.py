# SPDX-License-Identifier: Apache-2.0
"""Compile the kernels of longwave radiation and call them with NumPy arrays."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from compiled import DTYPES, SUFFIXES, Library
from heddle import Module
from heddle.emit.signature import arguments

Arrays = dict[str, Any]


class Kernels:
    """A module of kernels, built for some targets. plain: not optimised, which is quicker to compile."""

    def __init__(
        self, folder: Path, module: Module, targets: tuple[str, ...] = ("cpu",), plain: bool = False
    ) -> None:
        self.module = module
        self.library = Library(folder, [(module, targets)], plain).compile()

    def __call__(self, name: str, arrays: Arrays, precision: str = "f64", target: str = "cpu") -> None:
        """Arrays by the names of the fields, with axes (x, y, z, component) and any strides, from the first
        interior element on. Raises AssertionError for another status than 0."""
        kernel = self.module.stages(name, precision, "cpu").kernel
        passed: list[Any] = []
        for argument in arguments(kernel):
            assert argument.field is not None
            field = argument.field
            array = arrays[field.name]
            assert array.dtype == DTYPES[str(field.type)], (field.name, array.dtype)
            if argument.role in ("array", "entries"):
                passed.append(ctypes.c_void_p(array.ctypes.data))
                continue
            numbers = array.shape
            if argument.role == "stride":
                numbers = tuple(step // array.itemsize for step in array.strides)
            passed.append((ctypes.c_int64 * len(numbers))(*numbers))
        if target in ("cuda", "hip"):
            passed.append(ctypes.c_void_p(None))
        entry = f"{self.module.name}_{name}_{precision}{SUFFIXES[target]}"
        assert getattr(self.library, entry)(*passed) == 0
