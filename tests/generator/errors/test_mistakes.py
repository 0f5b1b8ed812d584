# SPDX-License-Identifier: Apache-2.0
"""The usual mistakes get an error of ours, at the line that has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from errors.mistakes import MISTAKES, right
from heddle import KernelError


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_words(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(KernelError, match=r"^mistakes\.py:\d+: " + re.escape(message) + "$"):
        mistake()


def test_what_is_right_is_taken() -> None:
    right()
