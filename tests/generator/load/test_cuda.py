# SPDX-License-Identifier: Apache-2.0
"""Kernels for CUDA, called from Python: compiled by a script that calls g++ with the emulation's header, with
arrays that claim to lie on a GPU. gpu_arrays.py does it with CuPy and PyTorch on a real one."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import device_library
import exchanging
import heddle
import numpy as np
import pytest
from called import step
from exchanging import Exchanging
from heddle import (
    Assignment,
    CellList,
    CompressedList,
    Domain,
    Interleaved,
    KernelError,
    Module,
    Reduce,
    Schedule,
    Sparse,
    fields,
    lbm,
    parameters,
)
from heddle.python import arrays
from heddle.python.load import Kernels
from over_lists import D2Q9
from producer import Foreign

pytestmark = pytest.mark.compiles
CUDA = 2


@pytest.fixture(scope="module")
def kernels(emulated_nvcc: None) -> Kernels:
    u, u_next = fields("u, u_next: real[2D]")
    alpha = parameters("alpha")
    module = Module("device", precisions=("f64",))
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    store = Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))
    module.add("step", [store, Reduce("sum", "total", u.here)])
    lists = Schedule(gpu=CompressedList())
    module.add("list_step", lbm.Pull(D2Q9)(lbm.BGK(D2Q9, omega=1)), space=Sparse("pores"), schedule=lists)
    module.add("in_place", lbm.AA(D2Q9)(lbm.BGK(D2Q9, omega=1)), schedule=Schedule(gpu=Interleaved(4)))
    return heddle.load(module, target="cuda")


def on_device(values: Any, **facts: Any) -> Foreign:
    return Foreign(values, device=CUDA, **facts)


def test_a_step_in_the_default_stream(kernels: Kernels) -> None:
    u, result = np.random.default_rng(3).integers(0, 9, (7, 40)).astype("f8"), np.zeros((7, 40))
    one, other = on_device(u), on_device(result, version=0)
    assert kernels.step(u=one, u_next=other, alpha=0.5, ghosts=1) == u[1:-1, 1:-1].sum()
    np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 0.5))
    assert one.streams == other.streams == [-1]  # a producer need not wait for its own stream


def test_the_stream_of_the_caller(kernels: Kernels) -> None:
    """A producer is told in which stream the kernel runs; 1 stands for the default stream there."""
    named = type("Stream", (), {"__cuda_stream__": lambda _: (0, 7)})()
    for stream, told in ((0, 1), (7, 7), (named, 7)):
        u, result = on_device(np.ones((4, 4))), on_device(np.ones((4, 4)))
        kernels.step(u=u, u_next=result, alpha=1, ghosts=1, stream=stream)
        assert u.streams == result.streams == [told]
    with pytest.raises(TypeError, match="str is no CUDA stream"):
        kernels.step(u=u, u_next=result, alpha=1, ghosts=1, stream="first")


def test_the_stream_of_arrays_that_offer_functions_in_c(kernels: Kernels) -> None:
    """It is asked for once, and nobody waits; a stream of the caller is told to __dlpack__."""
    u, result = np.random.default_rng(3).integers(0, 9, (7, 40)).astype("f8"), np.zeros((7, 40))
    one, other = (Exchanging(values, device=CUDA) for values in (u, result))
    exchanging.streams.clear()
    assert kernels.step(u=one, u_next=other, alpha=0.5, ghosts=1) == u[1:-1, 1:-1].sum()
    np.testing.assert_array_equal(result[1:-1, 1:-1], step(u, 0.5))
    assert (exchanging.streams, one.streams) == ([(CUDA, 0)], [])
    kernels.step(u=one, u_next=other, alpha=0.5, ghosts=1, stream=7)
    assert (exchanging.streams, one.streams, other.streams) == ([(CUDA, 0)], [7], [7])


def test_streams_as_libraries_name_them() -> None:
    assert arrays.stream_of(5) == 5
    for name in ("cuda_stream", "ptr", "handle"):
        assert arrays.stream_of(type("Stream", (), {name: 9})()) == 9
    assert arrays.stream_of(on_device(np.ones(1))) == 0


def test_the_stream_of_a_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyTorch has it: a tensor of the host has none, and is refused later, by its name."""
    current = SimpleNamespace(current_stream=lambda device: SimpleNamespace(cuda_stream=11 + device))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=current))
    tensor = type("Tensor", (), {"__module__": "torch", "device": 1, "is_cuda": True, "__dlpack__": None})
    assert arrays.stream_of(tensor()) == 12
    on_host = type("Tensor", (tensor,), {"is_cuda": False, "__dlpack__": None, "__module__": "torch"})
    assert arrays.stream_of(on_host()) == 0


def test_what_does_not_lie_on_the_gpu(kernels: Kernels) -> None:
    u = on_device(np.ones((4, 4)))
    for wrong in (np.ones((4, 4)), Foreign(np.ones((4, 4)))):
        with pytest.raises(KernelError, match=r"'u_next' lies (in the memory of|on) the host"):
            kernels.step(u=u, u_next=wrong, alpha=1, ghosts=1)


def test_a_view_whose_memory_cupy_knows(kernels: Kernels) -> None:
    u, result = np.random.default_rng(3).random((7, 9)), np.zeros((5, 7))
    data = type("Pointer", (), {"ptr": u.ctypes.data})()
    base = type("Base", (), {"__cuda_array_interface__": {}, "data": data, "nbytes": u.nbytes})()
    view = on_device(u[1:-1, 1:-1])
    with pytest.raises(KernelError, match="too few ghost cells"):
        kernels.step(u=view, u_next=on_device(result), alpha=1)
    view.base = base
    kernels.step(u=view, u_next=on_device(result), alpha=1)
    np.testing.assert_array_equal(result, step(u, 1))


def test_a_step_over_a_list(kernels: Kernels) -> None:
    """A relaxation to equilibrium at omega = 1, of what the table leads to."""
    random = np.random.default_rng(5)
    cells = CellList(random.random((23, 41)) < 0.7, kernels, "y", library=device_library)
    f, f_next = cells.zeros("f8", 9), cells.zeros("f8", 9)
    assert cells.slot_stride % 128 == 0
    assert f.values.ctypes.data % 256 == 0
    f[...] = random.random(f.shape) * 0.01
    assert kernels.list_step(f=f, f_next=f_next, cells=cells) is None
    flat = np.lib.stride_tricks.as_strided(f.values, (9 * cells.slot_stride,), (8,))
    arrived = np.concatenate([f.values[:1], flat[cells.neighbour.values]])
    np.testing.assert_allclose(f_next.values, equilibrium(arrived), rtol=0, atol=1e-15)
    box = cells.scatter(f)
    assert np.isnan(box.values).sum() == 9 * (23 * 41 - len(cells))
    np.testing.assert_array_equal(cells.gather(box).values, f.values)


def test_a_list_on_the_host_for_a_gpu(kernels: Kernels) -> None:
    mask = np.ones((4, 40), bool)
    cells, there = CellList(mask, kernels), CellList(mask, kernels, library=device_library)
    arrays = {"f": there.zeros("f8", 9), "f_next": there.zeros("f8", 9)}
    with pytest.raises(KernelError, match=r"'cells.neighbour' lies in the memory of the host"):
        kernels.list_step(**arrays, cells=cells)


def equilibrium(arrived: Any) -> Any:
    """Of populations less their weights, as these."""
    rho, c = 1 + arrived.sum(axis=0), np.array(D2Q9.velocities)
    u = np.tensordot(c.T, arrived, 1) / rho
    along = np.tensordot(c, u, 1)
    w = np.array([4 / 9, 1 / 9, 1 / 36])[(c**2).sum(axis=1)].reshape(9, *[1] * (arrived.ndim - 1))
    return w * rho * (1 + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(axis=0)) - w


@pytest.mark.parametrize("blocks", [(4, 1), (2, 2)])
def test_interleaved_blocks(kernels: Kernels, blocks: tuple[int, int]) -> None:
    """One launch for all blocks, whose borders and those of the periodic plane are exchanged; at omega = 1
    each step is the equilibrium of what arrives, which NumPy computes."""
    domain = Domain(kernels, (8, 12), periodic="xy", blocks=blocks)
    f = domain.zeros("f8", 9, library=device_library)
    assert f.strides[-2:] == (32, 8)
    assert f[:, 1, 1].values.__array_interface__["data"][0] % 256 == 0
    expected = np.random.default_rng(6).random((9, 8, 12)) * 0.01
    domain.set(f, device_library.asarray(expected))
    for _ in range(4):
        domain.in_place_even(f=f)
        domain.in_place_odd(f=f)
        for _ in range(2):
            after = equilibrium(expected)
            expected = np.stack([np.roll(after[q], c[1::-1], (0, 1)) for q, c in enumerate(D2Q9.velocities)])
    np.testing.assert_allclose(domain.whole(f).values, expected, rtol=0, atol=1e-15)
    with pytest.raises(KernelError, match="its schedule interleaves 4 blocks, but the domain has 2"):
        _ = Domain(kernels, (8, 12), blocks=(2, 1)).in_place_odd
