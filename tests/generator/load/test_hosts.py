# SPDX-License-Identifier: Apache-2.0
"""Arrays as frameworks for simulations offer them to Python, in doubles: nothing but DLPack, with the axes,
strides and version that each has. With petsc4py itself: tests/embedding/hosts/petsc_vectors.py; pyAMReX is
in no package."""

from __future__ import annotations

import math

import numpy as np
import pytest
from called import mix, step
from heddle import KernelError
from heddle.python.load import Kernels
from producer import Foreign

pytestmark = pytest.mark.compiles
RANDOM = np.random.default_rng(11)


def address(array: np.ndarray) -> int:  # type: ignore[type-arg]
    return int(array.__array_interface__["data"][0])


def test_a_multifab_of_amrex(kernels: Kernels) -> None:
    """Memory [component, z, y, x], shown as [x, y, z, component]: its transpose has Heddle's axes."""
    n = (6, 7, 9)
    memory, result = RANDOM.random((2, 3, *n))
    fab, into = (Foreign(m.transpose(), version=1) for m in (memory, result))
    f, g = np.from_dlpack(fab).T, np.from_dlpack(into).T
    assert (address(f), address(g)) == (address(memory), address(result))
    rain, mask, weight = RANDOM.random(n[1:]), np.ones(n, "u1"), RANDOM.random(n[0] - 2)
    kernels.mix(f=f, g=g, rain=rain, mask=mask, weight=weight, count=2, ghosts=2)
    np.testing.assert_array_equal(result[:, 2:-2, 2:-2, 2:-2], mix(memory, weight, rain, mask, 2))
    with pytest.raises(KernelError, match=r"'f' of shape \(9, 7, 6, 3\)"):
        kernels.mix(f=fab, g=into, rain=rain, mask=mask, weight=weight, count=2, ghosts=2)


def test_vectors_of_petsc(kernels: Kernels) -> None:
    """Vectors have one axis, and DLPack without versions (petsc4py 3.18). Kernels of one axis and sums take
    them as they are; those over a grid the local vector of a DMDA in its shape."""
    local, result = np.ascontiguousarray(RANDOM.random((6, 7))), np.zeros((4, 5))
    vector, into = Foreign(local.reshape(-1), version=0), Foreign(result.reshape(-1), version=0)
    with pytest.raises(KernelError, match=r"'u' has the shape \(42,\), but needs 2 axes"):
        kernels.step(u=vector, u_next=into, alpha=0.5)
    view, out = np.from_dlpack(vector).reshape(6, 7), np.from_dlpack(into).reshape(4, 5)
    assert (address(view), address(out)) == (address(local), address(result))
    assert not out.flags.writeable, "NumPy takes DLPack without versions as read only"
    out = result.reshape(-1).reshape(4, 5)  # Vec.getArray() may be written
    kernels.step(u=view[1:-1, 1:-1], u_next=out, alpha=0.5)
    np.testing.assert_array_equal(result, step(local, 0.5))
    assert kernels.norm(u=view) == pytest.approx(math.fsum((local**2).ravel()), rel=1e-14)
