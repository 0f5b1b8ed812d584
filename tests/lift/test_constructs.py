# SPDX-License-Identifier: Apache-2.0
"""heddle-lift gives the record of each construct."""

from __future__ import annotations

import pytest
from conftest import KERNEL_FLAGS, Lift
from constructs import CASES
from record_text import body_text


@pytest.mark.parametrize("name", CASES)
def test_statements(lift: Lift, name: str) -> None:
    text, expected = CASES[name]
    unit = lift(text, flags=KERNEL_FLAGS)
    function = next(function for function in unit.functions if function.name == "f")
    assert body_text(function) == expected
