# SPDX-License-Identifier: Apache-2.0
"""heddle.load on a GPU, with CuPy, PyTorch and numba-cuda as far as they are installed: values against NumPy,
streams, what is refused, and the time of a call. No test of pytest: run it on a machine with a GPU and nvcc.

    python tests/generator/load/gpu_arrays.py
"""

from __future__ import annotations

import importlib
import sys
import timeit
from collections.abc import Callable
from typing import Any

import heddle
import numpy as np
from called import step
from heddle import (
    Assignment,
    CellList,
    Domain,
    Interleaved,
    KernelError,
    Module,
    Reduce,
    Schedule,
    fields,
    lbm,
    parameters,
)
from over_lists import D2Q9, plane


def model() -> Module:
    u, u_next = fields("u, u_next: real[2D]")
    alpha = parameters("alpha")
    module = Module("device", precisions=("f64", "f32"))
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    module.add("step", [Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))])
    module.add("total", [Reduce("sum", "total", u.here)])
    return module


def cupy_arrays(cupy: Any) -> tuple[Callable[..., Any], Callable[..., Any], Any]:
    return cupy.asarray, cupy.asnumpy, lambda: cupy.cuda.Stream(non_blocking=True)


def torch_arrays(torch: Any) -> tuple[Callable[..., Any], Callable[..., Any], Any]:
    return (
        lambda values: torch.from_numpy(values.copy()).cuda(),
        lambda tensor: tensor.cpu().numpy(),
        lambda: torch.cuda.stream(torch.cuda.Stream()),
    )


def check(name: str, kernels: Any, library: tuple[Callable[..., Any], Callable[..., Any], Any]) -> None:
    there, back, in_a_stream = library
    whole = np.random.default_rng(1).integers(-9, 9, (514, 1026))
    for dtype in ("f8", "f4"):
        values = whole.astype(dtype)
        expected = step(values, 2.0)
        for views in (False, True):
            with in_a_stream():
                u, result = there(values), there(np.zeros_like(values))
                for _ in range(3):  # each call reads what the library computed just before, in its stream
                    u *= 1
                    if views:
                        inner = (slice(1, -1), slice(1, -1))
                        kernels.step(u=u[inner], u_next=result[inner], alpha=2)
                    else:
                        kernels.step(u=u, u_next=result, alpha=2, ghosts=1)
                np.testing.assert_array_equal(back(result)[1:-1, 1:-1], expected)
                assert kernels.total(u=u) == values.sum()
        for wrong in ({"u": there(values)[:, 1:]}, {"ghosts": 0}, {"u": values}, {"u_next": u}):
            try:
                kernels.step(**({"u": u, "u_next": result, "alpha": 2, "ghosts": 1} | wrong))
            except KernelError as error:
                print(f"  refused: {error.what[:90]}")
            else:
                raise AssertionError(f"{list(wrong)} was not refused")
    small, other = there(np.zeros((4, 4))), there(np.zeros((4, 4)))
    seconds = (
        min(timeit.repeat(lambda: kernels.step(u=small, u_next=other, alpha=2, ghosts=1), number=2000)) / 2000
    )
    print(f"{name}: ok, {seconds * 1e6:.1f} us a call, the launch included")


def check_lists(
    name: str, kernels: Any, on_host: Any, back: Callable[..., Any], library: Any, **where: str
) -> None:
    """Steps over a list, with compressed tables, give the bits of the host; so does a selection."""
    random = np.random.default_rng(2)
    mask = random.random((300, 500)) < 0.8
    start, results = random.random((9, int(mask.sum()))) * 0.01, []
    for called, module, to in ((on_host, np, {}), (kernels, library, where)):
        cells = CellList(mask, called, "x", library=module, **to)
        f, f_next = (cells.zeros(module.float64, 9) for _ in range(2))
        f[...] = module.asarray(start, **to)
        lid = cells.links_to(~mask, D2Q9.velocities)
        for _ in range(4):
            called.step(f=f, f_next=f_next, omega=1.3, cells=cells)
            f, f_next = f_next, f
            called.lid(f=f, mask=lid.mask, u_x=0.01, cells=lid)
        results.append(cells.scatter(f))
    np.testing.assert_array_equal(back(results[1]), results[0])
    print(f"{name}: lists ok")


def in_place() -> Module:
    module = Module("in_place", precisions=("f64",))
    module.add("step", lbm.AA(D2Q9)(lbm.BGK(D2Q9, omega="omega")), schedule=Schedule(gpu=Interleaved(4)))
    return module


def check_domain(
    name: str, kernels: Any, on_host: Any, back: Callable[..., Any], library: Any, **where: str
) -> None:
    """Interleaved blocks of a periodic plane give the bits that the host computes without blocks."""
    start, results = np.random.default_rng(4).random((9, 60, 200)) * 0.01, []
    for called, blocks, module, to in ((on_host, (), np, {}), (kernels, (2, 2), library, where)):
        domain = Domain(called, (60, 200), periodic="xy", blocks=blocks)
        f = domain.zeros(module.float64, 9, library=module, **to)
        domain.set(f, module.asarray(start, **to))
        for _ in range(5):
            domain.step_even(f=f, omega=1.3)
            domain.step_odd(f=f, omega=1.3)
        results.append(domain.whole(f))
    np.testing.assert_array_equal(back(results[1]), results[0])
    print(f"{name}: interleaved blocks ok")


def check_numba(kernels: Any) -> bool:
    """Arrays that Numba fills, in the default stream and in one of its own, then one of our kernels. Arrays
    without DLPack are given as views of CuPy. Returns whether it could be tried."""
    try:
        cuda = importlib.import_module("numba.cuda")
    except ImportError:
        print("numba: not installed")
        return False
    version = getattr(importlib.import_module("numba_cuda"), "__version__", "?")
    values = np.random.default_rng(1).integers(-9, 9, (514, 1026)).astype("f8")
    u, result = cuda.to_device(np.zeros_like(values)), cuda.to_device(np.zeros_like(values))
    there, how = (u, result), "DLPack"
    if not hasattr(u, "__dlpack__"):
        cupy = importlib.import_module("cupy")
        there, how = (cupy.asarray(u), cupy.asarray(result)), "views of CuPy, since it has no DLPack"
    for own in (0, cuda.stream()):
        values *= 2
        u.copy_to_device(values, stream=own)
        kernels.step(u=there[0], u_next=there[1], alpha=2, ghosts=1, stream=own)
        cuda.synchronize()
        np.testing.assert_array_equal(result.copy_to_host()[1:-1, 1:-1], step(values, 2.0))
    print(f"numba-cuda {version}: ok, by {how}")
    return True


def main() -> int:
    kernels = heddle.load(model(), target="cuda", verbose=True)
    lists = heddle.load(plane(), target="cuda"), heddle.load(plane())
    blocks = heddle.load(in_place(), target="cuda"), heddle.load(in_place())
    found = 0
    for name, arrays in (("cupy", cupy_arrays), ("torch", torch_arrays)):
        try:
            library = importlib.import_module(name)
        except ImportError:
            print(f"{name}: not installed")
            continue
        check(name, kernels, arrays(library))
        where = {"device": "cuda"} if name == "torch" else {}
        check_lists(name, *lists, arrays(library)[1], library, **where)
        check_domain(name, *blocks, arrays(library)[1], library, **where)
        found += 1
    found += check_numba(kernels)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
