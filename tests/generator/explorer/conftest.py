# SPDX-License-Identifier: Apache-2.0
"""A cache and quick compiler flags for the tests of the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from heddle.explorer.exploration import Exploration
from heddle.python.compiler import host_compiler
from searched import explored


@pytest.fixture(scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEDDLE_CACHE", str(place))
        for name in ("CXX", "CUDACXX", "HEDDLE_ARCH"):
            patch.delenv(name, raising=False)
        patch.setenv("CXXFLAGS", "-O0")
        host_compiler.cache_clear()
        yield place
    host_compiler.cache_clear()


@pytest.fixture(scope="session")
def heat(own_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """Four candidates of a stencil, written to a folder."""
    assert own_cache.is_dir()
    return explored(out=tmp_path_factory.mktemp("heat"))
