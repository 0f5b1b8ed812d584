# SPDX-License-Identifier: Apache-2.0
"""One compiled module for all tests of this folder, in a cache of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import heddle
import pytest
from called import calls
from heddle.python.compiler import host_compiler
from heddle.python.load import Kernels


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
