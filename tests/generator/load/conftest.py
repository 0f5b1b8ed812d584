# SPDX-License-Identifier: Apache-2.0
"""One compiled module for all tests of this folder, in a cache of their own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import heddle
import pytest
from called import calls
from heddle.python.compiler import host_compiler
from heddle.python.load import Kernels

EMULATION = Path(__file__).resolve().parents[2] / "emulation/include"
NVCC = r"""#!/bin/sh
case "$*" in *--version*) echo emulated; exit;; esac
kind="-x c++"
case "$*" in *-shared*) kind="";; esac
words=""
for word; do
  case "$word" in -arch=*|-fmad=*|-Xcompiler|-Xptxas=*|-L*|-O*) ;; *) words="$words $word";; esac
done
exec g++ -O0 -fPIC -pthread -fno-gnu-unique -ffp-contract=off -I%s $kind $words
"""


@pytest.fixture(scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDDLE_CACHE", str(place))
        for name in ("CXX", "CUDACXX", "HEDDLE_ARCH"):
            patch.delenv(name, raising=False)
        patch.setenv("CXXFLAGS", "-O1")  # quicker
        host_compiler.cache_clear()
        yield place
    host_compiler.cache_clear()


@pytest.fixture(scope="session")
def kernels(own_cache: Path) -> Kernels:
    assert os.environ["HEDDLE_CACHE"] == str(own_cache)
    return heddle.load(calls())


@pytest.fixture(scope="module")
def emulated_nvcc(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A script in place of nvcc, which calls g++ with the emulation's header."""
    nvcc = tmp_path_factory.mktemp("nvcc") / "nvcc"
    nvcc.write_text(NVCC % EMULATION)
    nvcc.chmod(nvcc.stat().st_mode | stat.S_IXUSR)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDACXX", str(nvcc))
        patch.setenv("HEDDLE_CUDA_ARCH", "sm_90")
        yield
