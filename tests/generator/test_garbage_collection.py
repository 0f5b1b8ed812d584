# SPDX-License-Identifier: Apache-2.0
"""Python's search for circles pauses while kernels are made, and goes on afterwards."""

from __future__ import annotations

import gc

import pytest
from heddle.garbage_collection import without_search


def test_it_is_as_it_was() -> None:
    assert gc.isenabled()
    with without_search():
        with without_search():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no kernel"), without_search():
        raise ValueError("no kernel")
    assert gc.isenabled()
    gc.disable()
    try:
        with without_search():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
