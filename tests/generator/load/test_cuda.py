# SPDX-License-Identifier: Apache-2.0
"""Kernels for CUDA, called from Python: compiled by a script that calls g++ with the emulation's header, with
arrays that claim to lie on a GPU. gpu_arrays.py does it with CuPy and PyTorch on a real one."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heddle
import numpy as np
import pytest
from called import step
from heddle import Assignment, KernelError, Module, Reduce, fields, parameters
from heddle.python import arrays
from heddle.python.load import Kernels
from producer import Foreign

pytestmark = pytest.mark.compiles
EMULATION = Path(__file__).resolve().parents[2] / "emulation/include"
NVCC = r"""#!/bin/sh
case "$*" in *--version*) echo emulated; exit;; esac
kind="-x c++"
case "$*" in *-shared*) kind="";; esac
words=""
for word; do
  case "$word" in -arch=*|-fmad=*|-Xcompiler|-L*|-O*) ;; *) words="$words $word";; esac
done
exec g++ -O0 -fPIC -pthread -fno-gnu-unique -ffp-contract=off -I%s $kind $words
"""
CUDA = 2


@pytest.fixture(scope="module")
def kernels(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    nvcc = tmp_path_factory.mktemp("nvcc") / "nvcc"
    nvcc.write_text(NVCC % EMULATION)
    nvcc.chmod(nvcc.stat().st_mode | stat.S_IXUSR)
    u, u_next = fields("u, u_next: real[2D]")
    alpha = parameters("alpha")
    module = Module("device", precisions=("f64",))
    around = u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1]
    store = Assignment(u_next.here, u.here + alpha * (around - 4 * u.here))
    module.add("step", [store, Reduce("sum", "total", u.here)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDACXX", str(nvcc))
        patch.setenv("HEDDLE_CUDA_ARCH", "sm_90")
        yield heddle.load(module, target="cuda")


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


def test_streams_as_libraries_name_them() -> None:
    assert arrays.stream_of(5) == 5
    for name in ("cuda_stream", "ptr", "handle"):
        assert arrays.stream_of(type("Stream", (), {name: 9})()) == 9
    assert arrays.stream_of(on_device(np.ones(1))) == 0


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
