# SPDX-License-Identifier: Apache-2.0
"""Kernels on vectors of petsc4py, through DLPack: the package of vector_model.py, which needs no Heddle, in
Debian's Python. Run alone or on several ranks: petsc_vectors.py FOLDER_OF_THE_PACKAGE."""

import sys

import numpy as np
from petsc4py import PETSc

sys.path.insert(0, sys.argv[1])
import vectors


def refused(text: str, **arguments: object) -> None:
    kernel = vectors.grow if "n" in arguments else vectors.diffuse
    try:
        kernel(**arguments)
    except vectors.KernelError as error:
        said = str(error)
    else:
        said = "nothing was refused"
    assert text in said, said


# A vector is what a kernel of one axis takes, read and written as it is.
n, n_next = (PETSc.Vec().createMPI((7, None)) for _ in range(2))
n.array[:] = np.arange(7) / 4
vectors.grow(n=n, n_next=n_next, rate=0.5)
np.testing.assert_array_equal(n_next.array, n.array + 0.5 * n.array * (1 - n.array))
refused("an array that the kernel writes shares elements", n=n, n_next=n, rate=0.5)

# A DMDA: its ghosted vector through DLPack, in the shape of the grid, into a kernel; the result goes into the
# memory of a global vector. Whole numbers: every order of the sums is exact.
grid = PETSc.DMDA().create([12, 6, 5], dof=1, stencil_width=1, boundary_type=["periodic"] * 3)
u, u_next, ghosted = grid.createGlobalVec(), grid.createGlobalVec(), grid.createLocalVec()
(x0, y0, z0), (n_x, n_y, n_z) = grid.getCorners()
z, y, x = (np.arange(first, first + cells) for first, cells in ((z0, n_z), (y0, n_y), (x0, n_x)))
u.array[:] = (3 * x + y[:, None] ** 2 - 5 * z[:, None, None] + (x * y[:, None] % 7)).ravel()
grid.globalToLocal(u, ghosted)
around = np.from_dlpack(ghosted).reshape(n_z + 2, n_y + 2, n_x + 2)
assert around.ctypes.data == ghosted.array.ctypes.data, "nothing is copied"
into = u_next.array.reshape(n_z, n_y, n_x)
assert into.ctypes.data == u_next.array.ctypes.data, "nothing is copied"
refused("but needs 3 axes", u=ghosted, u_next=u_next, alpha=0.25)
vectors.diffuse(u=around[1:-1, 1:-1, 1:-1], u_next=into, alpha=0.25)

z, y, x = (np.arange(cells) for cells in (5, 6, 12))
whole = 3 * x + y[:, None] ** 2 - 5 * z[:, None, None] + (x * y[:, None] % 7)
neighbours = sum(np.roll(whole, shift, axis) for shift in (1, -1) for axis in range(3))
expected = whole + 0.25 * (neighbours - 6 * whole)
own = expected[z0 : z0 + n_z, y0 : y0 + n_y, x0 : x0 + n_x]
np.testing.assert_array_equal(into, own)
assert u_next.sum() == expected.sum(), "PETSc sees on all ranks what the kernel wrote"
