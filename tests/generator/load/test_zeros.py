# SPDX-License-Identifier: Apache-2.0
"""heddle.zeros: where rows begin, what an array contains, and that kernels take it."""

from __future__ import annotations

from typing import Any

import heddle
import numpy as np
import pytest
from heddle import KernelError


def first_cells(array: np.ndarray[Any, Any], ghosts: int, space: int) -> list[int]:
    """Addresses of the first inner cell of each row."""
    inner = array[(..., *(slice(ghosts, n - ghosts) for n in array.shape[-space:]))]
    rows = inner[..., 0]
    start = inner.__array_interface__["data"][0]
    return [start + int(np.dot(at, rows.strides)) for at in np.ndindex(rows.shape)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("ghosts", [0, 1, 3])
@pytest.mark.parametrize(
    ("shape", "axes"), [((5,), ""), ((4, 30), ""), ((19, 4, 62, 30), "xyz"), ((2, 3, 64, 31), "xy")]
)
def test_rows_begin_lines(shape: tuple[int, ...], axes: str, ghosts: int, dtype: str) -> None:
    array = heddle.zeros(shape, dtype, ghosts=ghosts, axes=axes)
    space = len(axes) or len(shape)
    assert array.shape == (*shape[:-space], *(n + 2 * ghosts for n in shape[-space:]))
    assert array.dtype == dtype
    assert not array.any()
    addresses = first_cells(array, ghosts, space)
    assert all(address % 64 == 0 for address in addresses)
    if len(shape) > 1:
        assert array.strides[-2] // 64 % 2 == 1
    array[...] = np.arange(array.size).reshape(array.shape)  # no two elements share memory
    np.testing.assert_array_equal(array.ravel(), np.arange(array.size))


def test_neither_planes_nor_components_displace_each_other() -> None:
    f = heddle.zeros((27, 8, 62, 128), "f8", axes="xyz")
    assert f.strides[1] // f.strides[2] == 65
    assert len({k * f.strides[0] // 64 % 64 for k in range(27)}) == 27


def test_layers_of_each_axis() -> None:
    assert heddle.zeros((4, 5, 6), "f8", ghosts=(0, 1, 2)).shape == (4, 7, 10)


def test_what_is_refused() -> None:
    for shape, options, message in (
        ((19, 4, 4, 4), {}, r'other axes than those of space\.\n.*axes="xyz"'),
        ((4,), {"axes": "xy"}, "other axes than those of space"),
        ((4, 0), {}, "no array of 2 axes"),
        ((4, 4), {"ghosts": (1, 1, 1)}, "no array of 2 axes"),
        ((4, 4), {"ghosts": -1}, "no array of 2 axes"),
    ):
        with pytest.raises(KernelError, match=message):
            heddle.zeros(shape, "f8", **options)  # type: ignore[arg-type]


def test_other_libraries() -> None:
    """Options go to the library; its own arrays come back."""

    class Device(np.ndarray):  # type: ignore[type-arg]
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            return self.__array_interface__

    asked: list[str] = []

    class Library:
        @staticmethod
        def zeros(size: int, dtype: str, device: str) -> Device:
            asked.append(device)
            return np.zeros(size, dtype).view(Device)

    array = heddle.zeros((3, 70), "f4", library=Library, device="cuda:1")
    assert isinstance(array, Device)
    assert set(asked) == {"cuda:1"}
    assert all(address % 256 == 0 for address in first_cells(array, 1, 2))
    assert array.strides == (512, 4)
