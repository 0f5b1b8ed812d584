# SPDX-License-Identifier: Apache-2.0
"""What arrays of a framework of Python have to show: no copy, the bits of the C entry, and what a call costs
beside the kernel at 64^3.

frameworks.py <shared library of the kernels> <numpy | jax | torch | petsc4py>...

By hand on a GPU, whose kernels are to give the bits of the host's: frameworks.py - cupy torch_cuda
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import heddle
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from from_numpy import arguments, interior

MODEL = Path(__file__).resolve().parents[1] / "model.py"
ALPHA = 0.1


class OfNumPy:
    """Arrays of NumPy in heddle.load. Other frameworks: `made` makes an array of theirs, with x fastest;
    `step` runs the kernel and gives the array with the result; `address` says where an array is."""

    name = "NumPy, heddle.load"
    target = "cpu"

    def __init__(self) -> None:
        self.kernels = heddle.load(MODEL, target=self.target)

    def made(self, values: Any) -> Any:
        return values.copy()

    def step(self, u: Any, u_next: Any) -> Any:
        self.kernels.diffuse(u=u, u_next=u_next, alpha=ALPHA, ghosts=1)
        return u_next

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def values(self, array: Any) -> Any:
        return np.asarray(array)

    def wait(self) -> None:
        """Until what was called has run."""


class OfTorch(OfNumPy):
    name = "PyTorch, step_"

    def __init__(self) -> None:
        import torch

        super().__init__()
        self.torch, self.operators = torch, heddle.in_torch(self.kernels)
        self.alpha = torch.tensor(ALPHA, dtype=torch.float64)

    def made(self, values: Any) -> Any:
        return self.torch.from_numpy(values.copy())

    def step(self, u: Any, u_next: Any) -> Any:
        self.operators.diffuse_(u=u, u_next=u_next, alpha=self.alpha, ghosts=1)
        return u_next

    def address(self, array: Any) -> int:
        return int(array.data_ptr())


class OfTorchAsArguments(OfTorch):
    name = "PyTorch, heddle.load"
    step = OfNumPy.step


class OfJAX(OfNumPy):
    name = "JAX, jitted, state donated"

    def __init__(self) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        super().__init__()
        function = heddle.in_jax(self.kernels).diffuse
        self.jax = jax
        self.jitted = jax.jit(
            lambda u_next, u: function(u=u, u_next=u_next, alpha=ALPHA, ghosts=1), donate_argnums=0
        )

    def made(self, values: Any) -> Any:
        return self.jax.numpy.array(values)

    def step(self, u: Any, u_next: Any) -> Any:
        return self.jitted(u_next, u).block_until_ready()

    def address(self, array: Any) -> int:
        return int(array.unsafe_buffer_pointer())


class OfPETSc(OfNumPy):
    """A vector of petsc4py; `step` takes views of it, as it gives them out."""

    name = "petsc4py, heddle.load"

    def made(self, values: Any) -> Any:
        from petsc4py import PETSc

        vector = PETSc.Vec().createSeq(values.size)
        vector.array[:] = values.ravel()
        vector.setAttr("shape", values.shape)
        return vector

    def step(self, u: Any, u_next: Any) -> Any:
        inside = np.from_dlpack(u).reshape(u.getAttr("shape"))
        self.kernels.diffuse(u=inside, u_next=self.values(u_next), alpha=ALPHA, ghosts=1)
        return u_next

    def address(self, array: Any) -> int:
        return int(array.array.ctypes.data)

    def values(self, array: Any) -> Any:
        return array.array.reshape(array.getAttr("shape"))


class OfCuPy(OfNumPy):
    """In a stream of CuPy's, and in arrays of the GPU."""

    name, target = "CuPy, heddle.load, a stream", "cuda"

    def __init__(self) -> None:
        import cupy  # type: ignore[import-not-found, unused-ignore]

        super().__init__()
        self.cupy, self.stream = cupy, cupy.cuda.Stream(non_blocking=True)

    def made(self, values: Any) -> Any:
        return self.cupy.asarray(values)

    def step(self, u: Any, u_next: Any) -> Any:
        with self.stream:
            return super().step(u, u_next)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def values(self, array: Any) -> Any:
        self.wait()
        return array.get()

    def wait(self) -> None:
        self.cupy.cuda.Device().synchronize()


class OfTorchCUDA(OfTorch):
    name, target = "PyTorch, step_, on the GPU", "cuda"

    def made(self, values: Any) -> Any:
        return super().made(values).cuda()

    def values(self, array: Any) -> Any:
        return array.cpu().numpy()

    def wait(self) -> None:
        self.torch.cuda.synchronize()


FRAMEWORKS = {
    "numpy": [OfNumPy],
    "jax": [OfJAX],
    "torch": [OfTorch, OfTorchAsArguments],
    "petsc4py": [OfPETSc],
    "cupy": [OfCuPy],
    "torch_cuda": [OfTorchCUDA],
}


def check(host: OfNumPy, library: ctypes.CDLL | None) -> None:
    """The bits of the C entry (without it: of a call on the host), in the memory of the argument."""
    random = np.random.default_rng(7)
    u, u_next = random.standard_normal((2, 7, 8, 19))
    expected = u_next.copy()
    axes = (2, 1, 0)  # the entry's x first
    if library:
        status = library.embedding_diffuse_f64(
            *arguments(interior(u.transpose(axes), 1)),
            *arguments(interior(expected.transpose(axes), 1)),
            ctypes.c_double(ALPHA),
        )
        assert status == 0
    else:
        OfNumPy().step(u, expected)
    assert not np.array_equal(expected, u_next)
    theirs, next_one = host.made(u), host.made(u_next)
    place = host.address(next_one)
    found = host.step(theirs, next_one)
    assert host.address(found) == place, f"{host.name}: the result is somewhere else"
    wrong = np.count_nonzero(host.values(found).view(np.int64) != expected.view(np.int64))
    assert wrong == 0, f"{host.name}: {wrong} values differ from the C entry's"


def seconds(call: Callable[[], Any], wait: Callable[[], None], runs: int, calls: int) -> float:
    """Per call, the least of some runs."""
    least = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        least = min(least, (time.perf_counter() - begin) / calls)
    return least


def measure(host: OfNumPy) -> None:
    each = []
    for cells, runs, calls in ((2, 30, 50), (64, 10, 4 if host.target == "cpu" else 200)):
        u, u_next = (host.made(np.full((cells + 2,) * 3, value)) for value in (1.0, 0.0))
        state = [u_next]

        def call(u: Any = u, state: list[Any] = state) -> None:
            state[0] = host.step(u, state[0])

        call()
        host.wait()
        each.append(seconds(call, host.wait, runs, calls))
    print(f"{host.name:<32} call {1e6 * each[0]:6.1f} us, kernel at 64^3 {1e6 * each[1]:5.0f} us")


if __name__ == "__main__":
    loaded = ctypes.CDLL(sys.argv[1]) if sys.argv[1] != "-" else None
    for framework in sys.argv[2:]:
        for kind in FRAMEWORKS[framework]:
            one = kind()
            check(one, loaded)
            measure(one)
